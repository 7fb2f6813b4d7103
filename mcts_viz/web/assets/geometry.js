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

  const READABLE = 40; // characters of a label in a picture; the card and the inspector have all of it

  function cut(label) {
    if (label.length <= READABLE) return label;
    const letters = Array.from(label); // not half of a letter of two
    return letters.length <= READABLE ? label : `${letters.slice(0, READABLE - 1).join("")}…`;
  }

  /** Labels without the words that all moves begin with, "4" for "column 4" next to "column 5", and cut to what can be
      read beside a node. */
  function shortened(labels) {
    const moves = labels.filter((label) => label !== "root");
    if (moves.length < 2) return labels.map(cut);
    const words = moves[0].split(" ");
    let shared = "";
    for (let n = 1; n < words.length; n++) {
      const start = words.slice(0, n).join(" ") + " ";
      if (moves.every((label) => label.startsWith(start))) shared = start;
    }
    return labels.map((label) => label === "root" ? label : cut(label.slice(shared.length)));
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
    /* a stub without siblings is tucked in right under its node, off its level */
    const tucked = new Map();                        // item -> its stub
    for (const [above, stub] of stubOf) if (childrenOf.get(above).length === 1) tucked.set(above, stub);
    const isTucked = new Uint8Array(nItems);
    for (const stub of tucked.values()) isTucked[stub] = 1;
    let left = Infinity, right = 0, depth = 0;
    for (let item = 0; item < nItems; item++) {
      left = Math.min(left, c.x[item]);
      right = Math.max(right, c.x[item]);
      if (!isTucked[item]) depth = Math.max(depth, c.depth[item]);
    }
    const labels = message.meta.labels, short = shortened(labels);

    /** Item of a node id, -1 when it is not in view. */
    function itemOf(node) {
      const item = lowerBound(nodeIds, node);
      return item < nNodes && nodeIds[item] === node ? item : -1;
    }

    /** [leftmost, rightmost] x among the items of the first levels. */
    function extent(levels) {
      let first = Infinity, last = 0;
      for (let level = 0; level <= Math.min(levels, c.level_start.length - 2); level++) {
        for (let i = c.level_start[level]; i < c.level_start[level + 1]; i++) {
          first = Math.min(first, levelX[i]);
          last = Math.max(last, levelX[i]);
        }
      }
      return [first, last];
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
      ...c, nItems, nNodes, levelX, left, right, deepest: depth, tucked, isTucked, childrenOf,
      nLevels: c.level_start.length - 1,
      itemOf, between, edgesBetween, extent,
      label: (item) => labels[c.label[item]],
      shortLabel: (item) => short[c.label[item]],
      isStub: (item) => item >= nNodes,
    };
  }

  return {create, lowerBound, shortened};
})();
