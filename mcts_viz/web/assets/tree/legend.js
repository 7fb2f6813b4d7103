/* The legend in the corner of the tree: what the colour means and whose view it is, and what the marks mean. */
mcts.legend = (() => {
  const {element} = mcts.dom;

  const MARKS = [
    ["path", "selected path"], ["new", "new node"], ["backup", "backed up"],
    ["chosen", "leading move"], ["selected", "selected node"],
  ];

  const OF_ITERATION = new Set(["path", "new", "backup"]); // a snapshot has none of these
  const OF_ICICLE = new Set(["path", "selected"]);

  /** @type {Record<string, string>} */
  const SIZES = {
    icicle: "width: visits",
    visits: "size: visits · line width: share of the parent's visits",
    share: "size and line width: share of the parent's visits",
    equal: "line width: share of the parent's visits",
  };

  /** changed: called when it takes more or less of the picture, or lies elsewhere. @param {Element} parent @param {() => void} changed */
  function create(parent, changed) {
    const box = element("div", "mcts-legend");
    let shown = ""; // what it was made from
    let /** @type {{isBelow: boolean, high: number} | null} */ place = null; // asking for it has the browser lay out the page
    box.setAttribute("role", "note");
    box.setAttribute("aria-label", "Legend of the tree");
    parent.append(box);

    /** The button that folds the legend, or shows it again. */
    function fold() {
      const button = element("button", "mcts-legend-fold", mcts.panes.isFolded("legend") ? "▴ legend" : "▾");
      button.type = "button";
      button.dataset.fold = "legend";
      button.setAttribute("aria-label", "Fold the legend");
      return button;
    }

    /** Colours run into each other along a scale; categories stand side by side. @param {Scale} scale @param {Theme} theme */
    function gradient({stops, categorical}, theme) {
      const colours = stops[theme];
      const parts = categorical
        ? colours.flatMap((/** @type {any} */ each, /** @type {number} */ i) => [`${each} ${100 * i / colours.length}%`, `${each} ${100 * (i + 1) / colours.length}%`])
        : colours;
      return `linear-gradient(to right, ${parts.join(", ")})`;
    }

    /** @param {Scale} scale @param {Theme} theme @param {string} size
        @param {{hasChance: boolean, hasPhases: boolean, hasFailed: boolean, sizeName: string}} has */
    function show(scale, theme, size, {hasChance, hasPhases, hasFailed, sizeName}) {
      const from = JSON.stringify([scale, theme, size, hasChance, hasPhases, hasFailed, sizeName]);
      if (from === shown) return;
      [shown, place] = [from, null];
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
      if (hasFailed) marks.append(element("span", "mcts-legend-mark", "△ failed"));
      const note = SIZES[size] ?? (sizeName ? `size: ${sizeName} · ${SIZES.equal}` : SIZES.visits);
      marks.append(element("span", "mcts-legend-note", note));
      box.replaceChildren(colour, marks, fold());
    }

    /** Where the legend begins, in pixels from the top of a picture of that height; it may lie below the picture. @param {number} height */
    function top(height) {
      if (!place?.high) place = laidOut(); // it may have been hidden
      return place.isBelow ? height : height - place.high;
    }

    function laidOut() {
      const around = box.offsetParent;
      return {isBelow: Boolean(around && box.offsetTop >= around.clientHeight), high: box.offsetHeight};
    }

    const observer = new ResizeObserver(() => {
      const before = JSON.stringify(place);
      place = laidOut();
      if (JSON.stringify(place) !== before) changed();
    });
    for (const each of [box, parent]) observer.observe(each);

    return {show, top};
  }

  return {create};
})();
