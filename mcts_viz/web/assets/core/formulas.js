/* Selection formulas, to colour nodes while stepping. The browser's copy of mcts_viz/formulas/selection.py, which a
   test holds it to; the numbers in tables come from Python. */
mcts.formulas = (() => {
  /* (value_sum, visits, parent_visits, prior, c, sum of squared values) -> [value term, exploration term]; visits of
     the child >= 1 */
  /** @type {Record<string, (w: number, n: number, N: number, prior: number, c: number, squares: number) => Terms>} */
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
  /** @type {Record<string, (N: number, prior: number, c: number) => number>} */
  const UNVISITED = {
    puct: (N, prior, c) => c * prior * Math.sqrt(N),
  };

  /** A function that gives a child's terms, or null for an unknown formula. An unvisited child has the first-play urgency as
      its value, which may be that of its parent (view of who chooses); where there is none, it has no value and an infinite
      exploration term. @param {Selection | null} selection
      @returns {null | ((w: number, n: number, N: number, prior: number, squares: number, parent?: number) => Terms)} */
  function terms(selection) {
    const formula = selection && SELECTION[selection.name];
    if (!formula) return null;
    const c = selection.c ?? Math.SQRT2, urgency = selection.unvisited;
    const exploration = UNVISITED[selection.name] || (() => 0);
    return (w, n, N, prior, squares, parent = NaN) => {
      if (n > 0) return formula(w, n, N, prior, c, squares);
      if (urgency === "parent") return [parent, exploration(N, prior, c)];
      return typeof urgency === "number" ? [urgency, exploration(N, prior, c)] : [NaN, Infinity];
    };
  }

  /** The mean of an item's parent in the view of the player who chooses there; NaN where that is not known.
      @param {ItemSource} geometry @param {Meta} meta @param {number} item @param {Numbers} s */
  function parentValue({parent, mover}, meta, item, s) {
    const above = parent[item], mean = s.valueSum[above] / s.visits[above];
    if (meta.players.length === 1) return mean;
    if (mover[item] < 0 || mover[above] < 0) return NaN;
    if (mover[item] === mover[above]) return mean;
    return meta.mirrors ? meta.value_range[0] + meta.value_range[1] - mean : NaN;
  }

  /** The item whose numbers a search compares for an item: of a shared node that has numbers of its own, the first way to
      it; -1 where that is not in view. @param {ItemSource} geometry @param {Pick<Meta, "shared">} meta @param {number} item */
  function comparedItem({same_as: sameAs, itemOf}, {shared}, item) {
    return sameAs && shared === "nodes" && sameAs[item] >= 0 ? itemOf(sameAs[item]) : item;
  }

  /** A function that gives the terms of an item with a parent in view, or null where the trace does not tell enough. What is
      proven competes with its result alone. @param {ItemSource} geometry @param {Meta} meta
      @returns {null | ((item: number, s: Numbers) => Terms)} */
  function ofItems(geometry, meta) {
    const formula = terms(meta.selection);
    if (formula === null) return null;
    const {parent, prior, proven_at: provenAt, proven_score: provenScore} = geometry;
    const byParent = meta.selection?.unvisited === "parent";
    return (item, s) => {
      if (provenAt && provenScore && s.t >= provenAt[item]) return [provenScore[item], 0];
      const from = comparedItem(geometry, meta, item);
      if (from < 0) return [NaN, NaN];
      const squares = s.squareSum ? s.squareSum[from] : NaN;
      const above = byParent ? parentValue(geometry, meta, item, s) : NaN;
      return formula(s.valueSum[from], s.visits[from], s.visits[parent[item]], prior[item], squares, above);
    };
  }

  /** Their sum; infinite where the exploration term is. @param {Terms} terms */
  const score = ([value, exploration]) => exploration === Infinity ? Infinity : value + exploration;

  return {SELECTION, terms, ofItems, score};
})();
