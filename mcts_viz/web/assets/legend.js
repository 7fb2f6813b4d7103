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
      const bar = element("div", "mcts-legend-bar");
      bar.style.background = `linear-gradient(to right, ${scale.stops[theme].join(", ")})`;
      const ends = element("div", "mcts-legend-ends");
      ends.append(element("span", "", scale.low_text), element("span", "", scale.high_text));
      const marks = element("div", "mcts-legend-marks");
      for (const [kind, text] of MARKS) {
        const mark = element("span", "mcts-legend-mark", text);
        mark.prepend(element("i", `mcts-mark mcts-mark-${kind}`));
        marks.append(mark);
      }
      const size = sizeByVisits ? "size and line width: visits" : "line width: visits";
      box.replaceChildren(element("div", "mcts-legend-title", scale.title), bar, ends, marks,
        element("div", "mcts-legend-note", size));
    }

    return {show, remove: () => box.remove()};
  }

  return {create};
})();
