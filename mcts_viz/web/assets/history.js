/* The line in the history's chart that marks the iteration shown. */
window.mcts = window.mcts || {};

mcts.history = (() => {
  "use strict";

  const chart = () => document.querySelector("#history-chart .js-plotly-plot");

  /** Across both parts of the chart. */
  function line(t) {
    const colour = mcts.colours.css("ink");
    return {type: "line", x0: t, x1: t, y0: 0, y1: 1, xref: "x", yref: "paper", line: {color: colour, width: 1.2}, name: "iteration shown"};
  }

  /** Mark an iteration; a chart that is not shown, or not drawn yet, is left for the next call. */
  function mark(t) {
    const graph = chart();
    if (!graph || !graph._fullLayout || !graph.data || !graph.data.length) return false;
    window.Plotly.relayout(graph, {shapes: [line(t)]});
    return true;
  }

  return {mark};
})();
