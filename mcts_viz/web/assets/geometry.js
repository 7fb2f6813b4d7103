/* Where the items of a view stand, level by level, and which item is at a place. Coordinates come from the server and
   never change while stepping. */
window.mcts = window.mcts || {};

mcts.geometry = (() => {
  "use strict";

  /** First index in sorted values[lo, hi) whose value is >= wanted. */
  function lowerBound(values, wanted, lo = 0, hi = values.length) {
    while (lo < hi) {
      const middle = (lo + hi) >> 1;
      if (values[middle] < wanted) lo = middle + 1; else hi = middle;
    }
    return lo;
  }

  function sorted(order, values) {
    const result = new Float64Array(order.length);
    for (let i = 0; i < order.length; i++) result[i] = values[order[i]];
    return result;
  }

  /** The geometry of a view message. */
  function create(message) {
    const c = message.columns;
    const nItems = c.node.length, nNodes = message.meta.n_visible;
    const levelX = sorted(c.order, c.x);
    const parentX = new Float64Array(nItems);        // like levelX, of the parents
    for (let i = 1; i < nItems; i++) parentX[i] = c.x[c.parent[c.order[i]]];
    const nodeIds = c.node.subarray(0, nNodes);
    const stubOf = new Map();
    for (let item = nNodes; item < nItems; item++) stubOf.set(c.parent[item], item);
    const childrenOf = new Map();                    // item -> items, left to right
    for (let i = 1; i < nItems; i++) {
      const item = c.order[i], above = c.parent[item];
      if (!childrenOf.has(above)) childrenOf.set(above, []);
      childrenOf.get(above).push(item);
    }
    let width = 0;
    for (const x of c.x) width = Math.max(width, x);

    /** Item of a node id, -1 when it is not in view. */
    function itemOf(node) {
      const item = lowerBound(nodeIds, node);
      return item < nNodes && nodeIds[item] === node ? item : -1;
    }

    /** [from, to) in `order`: the items of a level that stand between x0 and x1. */
    function between(level, x0, x1) {
      const begin = c.level_start[level], end = c.level_start[level + 1];
      return [lowerBound(levelX, x0, begin, end), lowerBound(levelX, x1, begin, end)];
    }

    /** The same for the edges above a level's items that can be seen between x0 and x1: edges of a level do not cross,
        so both of their ends rise with the place in `order`. */
    function edgesBetween(level, x0, x1) {
      const begin = c.level_start[level], end = c.level_start[level + 1];
      return [
        Math.min(lowerBound(levelX, x0, begin, end), lowerBound(parentX, x0, begin, end)),
        Math.max(lowerBound(levelX, x1, begin, end), lowerBound(parentX, x1, begin, end)),
      ];
    }

    return {
      ...c, nItems, nNodes, levelX, width, stubOf, childrenOf,
      nLevels: c.level_start.length - 1,
      itemOf, between, edgesBetween,
      label: (item) => message.meta.labels[c.label[item]],
      isStub: (item) => item >= nNodes,
    };
  }

  return {create, lowerBound};
})();
