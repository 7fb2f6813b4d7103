/* The legend in the corner of the tree: what the colour means and whose view it is, and what the marks mean. */
window.mcts = window.mcts || {};

mcts.legend = (() => {
  "use strict";

  const MARKS = [
    ["path", "selected path"], ["new", "new node"], ["backup", "backed up"],
    ["chosen", "move chosen"], ["selected", "selected node"],
  ];

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

    function show(scale, theme, sizeByVisits) {
      const colour = element("div", "mcts-legend-colour");
      const bar = element("div", "mcts-legend-bar");
      bar.style.background = `linear-gradient(to right, ${scale.stops[theme].join(", ")})`;
      const ends = element("div", "mcts-legend-ends");
      ends.append(element("span", "", scale.low_text), element("span", "", scale.high_text));
      colour.append(element("div", "mcts-legend-title", `colour: ${scale.title}`), bar, ends);
      const marks = element("div", "mcts-legend-marks");
      for (const [kind, text] of MARKS) {
        const mark = element("span", "mcts-legend-mark", text);
        mark.prepend(element("i", `mcts-mark mcts-mark-${kind}`));
        marks.append(mark);
      }
      marks.append(element("span", "mcts-legend-note", sizeByVisits ? "size and line width: visits" : "line width: visits"));
      box.replaceChildren(colour, marks);
    }

    return {show, remove: () => box.remove()};
  }

  return {create};
})();
