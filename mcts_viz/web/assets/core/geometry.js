/* Where the items of a view stand, level by level, and which item is at a place. Coordinates come from the server and
   never change while stepping. */
mcts.geometry = (() => {
  /** First index in sorted values[lo, hi) whose value is >= wanted. @param {ArrayLike<number>} values @param {number} wanted */
  function lowerBound(values, wanted, lo = 0, hi = values.length) {
    while (lo < hi) {
      const middle = (lo + hi) >> 1;
      if (values[middle] < wanted) lo = middle + 1; else hi = middle;
    }
    return lo;
  }

  /** @param {ArrayLike<number>} order @param {ArrayLike<number>} values */
  function sorted(order, values) {
    const result = new Float64Array(order.length);
    for (let i = 0; i < order.length; i++) result[i] = values[order[i]];
    return result;
  }

  const READABLE = 40; // characters of a label in a picture; the card and the inspector have all of it

  /** @param {string} label */
  function cut(label) {
    if (label.length <= READABLE) return label;
    const letters = Array.from(label); // not half of a letter of two
    return letters.length <= READABLE ? label : `${letters.slice(0, READABLE - 1).join("")}…`;
  }

  /** The words that all moves begin with. @param {string[]} labels */
  function sharedStart(labels) {
    const moves = labels.filter((/** @type {string} */ label) => label !== "root");
    if (moves.length < 2) return "";
    const words = moves[0].split(" ");
    let shared = "";
    for (let n = 1; n < words.length; n++) {
      const start = words.slice(0, n).join(" ") + " ";
      if (moves.every((/** @type {string} */ label) => label.startsWith(start))) shared = start;
    }
    return shared;
  }

  /** A label without the words that all moves begin with, "4" for "column 4" next to "column 5", and cut to what can be
      read beside a node. @param {string} label @param {string} shared */
  const shortOf = (label, shared) => cut(label !== "root" && label.startsWith(shared) ? label.slice(shared.length) : label);

  /** @param {string[]} labels */
  function shortened(labels) {
    const shared = sharedStart(labels);
    return labels.map((/** @type {string} */ label) => shortOf(label, shared));
  }

  /** What the items of a view or of an icicle are. @param {Message} message */
  function items({meta, columns}) {
    const c = /** @type {ItemColumns} */ (columns), nNodes = /** @type {number} */ (meta.n_visible);
    /** @type {string[]} */
    const labels = meta.labels, shared = sharedStart(labels), nodeIds = c.node.subarray(0, nNodes);
    return {
      ...c, nItems: c.node.length, nNodes, nLevels: c.level_start.length - 1,
      /** Item of a node id, -1 when it is not in view. @param {number} node */
      itemOf(node) {
        const item = lowerBound(nodeIds, node);
        return item < nNodes && nodeIds[item] === node ? item : -1;
      },
      label: (/** @type {number} */ item) => labels[c.label[item]],
      shortLabel: (/** @type {number} */ item) => shortOf(labels[c.label[item]], shared),
      shorten: (/** @type {string} */ label) => shortOf(label, shared),
      isStub: (/** @type {number} */ item) => item >= nNodes,
    };
  }

  /** Children of each item, left to right; the stubs that are tucked in right under their nodes, off their levels, as they
      have no siblings; and whether an item is such a stub. @param {ItemSource} c */
  function family(c) {
    /** @type {Map<number, number[]>} */
    const childrenOf = new Map();
    for (let i = 1; i < c.nItems; i++) {
      const item = c.order[i], above = c.parent[item];
      const siblings = childrenOf.get(above);
      if (siblings) siblings.push(item); else childrenOf.set(above, [item]);
    }
    /** @type {Map<number, number>} */
    const tucked = new Map(), isTucked = new Uint8Array(c.nItems);
    for (let stub = c.nNodes; stub < c.nItems; stub++) {
      const above = c.parent[stub];
      if (childrenOf.get(above)?.length !== 1) continue;
      tucked.set(above, stub);
      isTucked[stub] = 1;
    }
    return {childrenOf, tucked, isTucked};
  }

  /** The geometry of a view message. @param {Message} message */
  function create(message) {
    const c = items(message), {x, depth} = /** @type {ViewColumns} */ (message.columns), kin = family(c), starts = c.level_start;
    const levelX = sorted(c.order, x), parentX = new Float64Array(c.nItems); // both by place in order; of the parents
    for (let i = 1; i < c.nItems; i++) parentX[i] = x[c.parent[c.order[i]]];
    let deepest = 0;
    for (let item = 0; item < c.nItems; item++) if (!kin.isTucked[item]) deepest = Math.max(deepest, depth[item]);

    /** [leftmost, rightmost] x among the items of the first levels. @param {number} levels @returns {Span} */
    function extent(levels) {
      let first = Infinity, last = 0;
      for (let i = 0; i < starts[Math.min(levels + 1, c.nLevels)]; i++) {
        first = Math.min(first, levelX[i]);
        last = Math.max(last, levelX[i]);
      }
      return [first, last];
    }

    /** [from, to) in `order`: the items of a level that stand between x0 and x1. @param {number} level @param {number} x0 @param {number} x1
        @returns {Span} */
    function between(level, x0, x1) {
      const begin = starts[level], end = starts[level + 1];
      return [lowerBound(levelX, x0, begin, end), lowerBound(levelX, x1, begin, end)];
    }

    /** The same for the edges above a level's items that can be seen between x0 and x1: edges of a level do not cross,
        so both of their ends rise with the place in `order`. @param {number} level @param {number} x0 @param {number} x1 @returns {Span} */
    function edgesBetween(level, x0, x1) {
      const [from, to] = between(level, x0, x1), begin = starts[level], end = starts[level + 1];
      return [Math.min(from, lowerBound(parentX, x0, begin, end)), Math.max(to, lowerBound(parentX, x1, begin, end))];
    }

    return {...c, ...kin, x, depth, levelX, deepest, between, edgesBetween, extent};
  }

  return {create, items, lowerBound, shortened};
})();
