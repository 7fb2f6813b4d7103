/* All that the page knows of Plotly beyond its documented functions: the plot area and the ranges of a graph's axes stand in
   the private _fullLayout alone. A pane (tree/pane.js) stands in for a graph where there is no Plotly. */
mcts.plotly = (() => {
  /** The graph in an element of Dash's; null until it is drawn. @param {Element | null} holder @returns {Graph | null} */
  function graphIn(holder) {
    const found = /** @type {Graph | null} */ (holder && (holder.matches(".js-plotly-plot") ? holder : holder.querySelector(".js-plotly-plot")));
    return found && typeof found.on === "function" && frame(found) ? found : null;
  }

  /** Where the plot area is in its graph, and what it shows; null until it is drawn. @param {Graph} graph @returns {Frame | null} */
  function frame(graph) {
    if (graph.mctsPane) return graph.mctsPane.frame();
    const layout = graph._fullLayout;
    if (!layout || !layout.xaxis || !layout._size) return null;
    const {l: left, t: top, w: width, h: height} = layout._size;
    return {left, top, width, height, x: layout.xaxis.range, y: layout.yaxis.range};
  }

  /** Change a graph's layout. @param {Graph} graph @param {Record<string, any>} changes @returns {Promise<unknown>} */
  const relayout = (graph, changes) => graph.mctsPane ? graph.mctsPane.relayout(changes) : window.Plotly.relayout(graph, changes);

  return {graphIn, frame, relayout};
})();
