/* The filter "iterations through a node": while it is on, steps, play and marks go through those alone. */
mcts.passing = (() => {
  let /** @type {Passing | null} */ filter = null;

  /** The iterations whose bits are set, rising. @param {Uint8Array} bits @param {number} n of them */
  function iterationsOf(bits, n) {
    const found = new Int32Array(n);
    let place = 0;
    for (let byte = 0; byte < bits.length; byte++) {
      for (let rest = bits[byte]; rest; rest &= rest - 1) found[place++] = 8 * byte + 31 - Math.clz32(rest & -rest);
    }
    return found;
  }

  /** How many of a rising list are below a number. @param {ArrayLike<number>} list @param {number} limit */
  function below(list, limit) {
    let low = 0, high = list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (list[middle] < limit) low = middle + 1; else high = middle;
    }
    return low;
  }

  /** The entry of the list that many places after t, or the last one; t itself where there is none. @param {ArrayLike<number>} list
      @param {number} t @param {number} distance negative: back */
  function stepIn(list, t, distance) {
    if (distance > 0) {
      const first = below(list, t + 1);
      return first < list.length ? list[Math.min(first + distance, list.length) - 1] : t;
    }
    const before = below(list, t);
    return before > 0 && distance < 0 ? list[Math.max(0, before + distance)] : t;
  }

  return {
    iterationsOf, stepIn,
    get: () => filter,
    /** @param {Passing | null} next */
    set(next) { filter = next; },
    /** The iteration that many steps from t. @param {number} t @param {number} distance */
    from: (t, distance) => filter ? stepIn(filter.iterations, t, distance) : t + distance,
    /** Whether steps come by an iteration. @param {number} t */
    has: (t) => !filter || filter.iterations[below(filter.iterations, t)] === t,
  };
})();
