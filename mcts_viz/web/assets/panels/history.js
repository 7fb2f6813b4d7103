/* The line in the history's chart that marks the iteration shown. */
mcts.history = (() => {
  const chart = () => mcts.plotly.graphIn(document.getElementById("history-chart"));

  /** Across both parts of the chart. @param {number} t */
  function line(t) {
    const colour = mcts.colours.css("ink");
    return {type: "line", x0: t, x1: t, y0: 0, y1: 1, xref: "x", yref: "paper", line: {color: colour, width: 1.2}, name: "iteration shown"};
  }

  /** Mark an iteration; a chart that is not shown, or not drawn yet, is left for the next call. @param {number} t */
  function mark(t) {
    const graph = chart();
    if (!graph || !graph.data?.length) return false;
    mcts.plotly.relayout(graph, {shapes: [line(t)]});
    return true;
  }

  return {mark};
})();
