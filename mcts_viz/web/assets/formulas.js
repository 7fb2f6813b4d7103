/* Selection formulas, to colour nodes while stepping. The browser's copy of mcts_viz/formulas/selection.py, which a
   test holds it to; the numbers in tables come from Python. */
window.mcts = window.mcts || {};

mcts.formulas = (() => {
  "use strict";

  /* (value_sum, visits, parent_visits, prior, c, sum of squared values) -> [value term, exploration term]; visits of
     the child >= 1 */
  const SELECTION = {
    ucb1: (w, n, N, prior, c) => [w / n, c * Math.sqrt(Math.log(N) / n)],
    ucb1_double_log: (w, n, N, prior, c) => [w / n, c * Math.sqrt(2 * Math.log(N) / n)],
    ucb1_tuned: (w, n, N, prior, c, squares) => {
      const mean = w / n, rate = Math.log(N) / n;
      const variance = Math.max(squares / n - mean * mean, 0) + Math.sqrt(2 * rate);
      return [mean, c * Math.sqrt(rate * Math.min(0.25, variance))];
    },
    puct: (w, n, N, prior, c) => [w / n, c * prior * Math.sqrt(N) / (1 + n)],
  };

  /* (parent_visits, prior, c) -> exploration term of a child without visits that has a first-play urgency; 0 for the
     formulas that are not here */
  const UNVISITED = {
    puct: (N, prior, c) => c * prior * Math.sqrt(N),
  };

  /** A function (value_sum, visits, parent_visits, prior, squares) -> [value, exploration], or null for an unknown
      formula. An unvisited child has the first-play urgency as its value; where there is none, it has no value and an
      infinite exploration term. */
  function terms(selection) {
    const formula = selection && SELECTION[selection.name];
    if (!formula) return null;
    const c = selection.c ?? Math.SQRT2, urgency = selection.unvisited;
    const exploration = UNVISITED[selection.name] || (() => 0);
    const unvisited = (N, prior) => typeof urgency === "number" ? [urgency, exploration(N, prior, c)] : [NaN, Infinity];
    return (w, n, N, prior, squares) => n > 0 ? formula(w, n, N, prior, c, squares) : unvisited(N, prior);
  }

  /** A function (item, state) -> [value, exploration] of an item with a parent in view, or null where the trace does not
      tell enough. What is proven competes with its result alone. */
  function ofItems(geometry, meta) {
    const formula = terms(meta.selection);
    if (formula === null) return null;
    const {parent, prior, proven_at: provenAt, proven_score: provenScore} = geometry;
    return (item, s) => {
      if (provenAt && s.t >= provenAt[item]) return [provenScore[item], 0];
      const squares = s.squareSum ? s.squareSum[item] : NaN;
      return formula(s.valueSum[item], s.visits[item], s.visits[parent[item]], prior[item], squares);
    };
  }

  /** Their sum; infinite where the exploration term is. */
  const score = ([value, exploration]) => exploration === Infinity ? Infinity : value + exploration;

  return {SELECTION, terms, ofItems, score};
})();
