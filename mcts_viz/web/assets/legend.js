/* The legend in the corner of the tree: what the colour means and whose view it is, and what the marks mean. */
window.mcts = window.mcts || {};

mcts.legend = (() => {
  "use strict";

  const MARKS = [
    ["path", "selected path"], ["new", "new node"], ["backup", "backed up"],
    ["chosen", "move chosen"], ["selected", "selected node"],
  ];

  const OF_ITERATION = new Set(["path", "new", "backup"]); // a snapshot has none of these
  const OF_ICICLE = new Set(["path", "selected"]);

  const SIZES = {
    icicle: "width: visits",
    visits: "size: visits · line width: share of the parent's visits",
    share: "size and line width: share of the parent's visits",
    equal: "line width: share of the parent's visits",
  };

  function element(tag, className, text) {
    const made = document.createElement(tag);
    made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  }

  function create(parent) {
    const box = element("div", "mcts-legend");
    box.setAttribute("role", "note");
    box.setAttribute("aria-label", "Legend of the tree");
    parent.append(box);

    /** Colours run into each other along a scale; categories stand side by side. */
    function gradient({stops, categorical}, theme) {
      const colours = stops[theme];
      const parts = categorical
        ? colours.flatMap((each, i) => [`${each} ${100 * i / colours.length}%`, `${each} ${100 * (i + 1) / colours.length}%`])
        : colours;
      return `linear-gradient(to right, ${parts.join(", ")})`;
    }

    function show(scale, theme, size, {hasChance, hasPhases}) {
      const colour = element("div", "mcts-legend-colour");
      const bar = element("div", "mcts-legend-bar");
      bar.style.background = gradient(scale, theme);
      const ends = element("div", "mcts-legend-ends");
      ends.append(element("span", "", scale.low_text), element("span", "", scale.high_text));
      colour.append(element("div", "mcts-legend-title", `colour: ${scale.title}`), bar, ends);
      const marks = element("div", "mcts-legend-marks");
      for (const [kind, text] of MARKS) {
        if ((OF_ITERATION.has(kind) && !hasPhases) || (size === "icicle" && !OF_ICICLE.has(kind))) continue;
        const mark = element("span", "mcts-legend-mark", text);
        mark.prepend(element("i", `mcts-mark mcts-mark-${kind}`));
        marks.append(mark);
      }
      if (hasChance) marks.append(element("span", "mcts-legend-mark", "◆ chance decides"));
      marks.append(element("span", "mcts-legend-note", SIZES[size]));
      box.replaceChildren(colour, marks);
    }

    /** Where the legend begins, in pixels from the top of a picture of that height; it may lie below the picture. */
    function top(height) {
      const isBelow = box.offsetParent && box.offsetTop >= box.offsetParent.clientHeight;
      return isBelow ? height : height - box.offsetHeight;
    }

    return {show, top, remove: () => box.remove()};
  }

  return {create};
})();
