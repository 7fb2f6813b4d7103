/* How wide and where the rectangles of an icicle are: a node as wide as its visits, children side by side under it. */
mcts.icicleLayout = (() => {
  /** geometry: {order, parent, nItems}; visits [M]. {left, total}: where each item begins, in visits from the topmost
      node's left edge, and the topmost node's visits. What a node's children leave over are visits that ended at it.
      @param {{order: ArrayLike<number>, parent: ArrayLike<number>, nItems: number}} geometry @param {ArrayLike<number>} visits */
  function spans({order, parent, nItems}, visits) {
    const left = new Float64Array(nItems), taken = new Float64Array(nItems);
    for (let i = 1; i < order.length; i++) {
      const item = order[i], above = parent[item];
      left[item] = left[above] + taken[above];
      taken[above] += visits[item];
    }
    return {left, taken, total: visits[order[0]]};
  }

  /** Rows that fit a height: their height in pixels, and how many are seen. @param {number} nLevels @param {number} height */
  function rows(nLevels, height) {
    const least = 14, most = 56;
    const high = Math.max(least, Math.min(most, Math.floor(height / Math.max(nLevels, 1))));
    return {height: high, seen: Math.max(1, Math.min(nLevels, Math.floor(height / high)))};
  }

  return {spans, rows};
})();
