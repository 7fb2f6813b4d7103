/* Selection formulas, to colour nodes while stepping. The browser's copy of mcts_viz/formulas/selection.py, which a
   test holds it to; the numbers in tables come from Python. */
window.mcts = window.mcts || {};

mcts.formulas = (() => {
  "use strict";

  /* (value_sum, visits, parent_visits, prior, c) -> [value term, exploration term]; visits of the child >= 1 */
  const SELECTION = {
    ucb1: (w, n, N, prior, c) => [w / n, c * Math.sqrt(Math.log(N) / n)],
    ucb1_double_log: (w, n, N, prior, c) => [w / n, c * Math.sqrt(2 * Math.log(N) / n)],
    puct: (w, n, N, prior, c) => [w / n, c * prior * Math.sqrt(N) / (1 + n)],
  };

  /** A function (value_sum, visits, parent_visits, prior) -> [value, exploration], or null for an unknown formula.
      An unvisited child has no value yet and an infinite exploration term. */
  function terms(selection) {
    const formula = selection && SELECTION[selection.name];
    if (!formula) return null;
    const c = selection.c ?? Math.SQRT2;
    return (w, n, N, prior) => n > 0 ? formula(w, n, N, prior, c) : [NaN, Infinity];
  }

  return {SELECTION, terms};
})();
