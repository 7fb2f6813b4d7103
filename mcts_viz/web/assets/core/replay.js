/* The statistics of the items in view at one iteration, moved along windows of iterations from the server.

   Inside a window a step adds or takes back that iteration's updates; taking back restores the numbers that were there
   before (not by subtraction), so that every sum keeps its last bit. */
mcts.replay = (() => {
  const WINDOW = 1024;     // iterations in a window
  const WINDOWS_KEPT = 12;
  const NEAR = 256;        // a move this short is a step, and worth prefetching for

  /** The number of the window that tells of iteration t. @param {number} t */
  const windowOf = (t) => t === 0 ? 0 : Math.floor((t - 1) / WINDOW);

  /** options: nIterations, nItems, parent [M], fetchWindow(from, to) -> Promise of a message,
      onMove(t) after the state moved, onError(Error). @param {ReplayOptions} options */
  function create(options) {
    const {nIterations, nItems, parent} = options;
    /** @type {Map<number, ReplayWindow>} */
    const windows = new Map();          // number -> window; least recently used first
    /** @type {Numbers} */
    const state = {
      t: -1,                            // none yet
      visits: new Int32Array(nItems),
      valueSum: new Float64Array(nItems),
      count: new Int32Array(nItems),
      squareSum: null,                  // of each value, where the windows tell it
      lastVisit: new Int32Array(nItems), // iteration, 0: none
    };
    let /** @type {ReplayWindow | null} */ current = null;                 // the window that the state stands in
    let /** @type {number | null} */ wanted = null;                  // iteration asked for and not yet shown
    let inFlight = 0;                   // requests for `wanted`: one at a time, two while the hand moves
    let isMoving = false;               // the hand, while the last answer was on its way
    let glimpses = 0, seen = 0;         // asked for so far; the number of the last one shown
    let glimpsed = -1;                  // iteration of the last one asked for
    const loading = new Set();          // numbers of windows on their way
    let closed = false;

    /** @param {Message} message @returns {ReplayWindow} */
    function windowFrom({meta, columns}) {
      const w = /** @type {ReplayWindow} */ (columns);
      return {
        ...w, from: meta.from, to: meta.to, end_labels: meta.end_labels,
        beforeVisits: new Int32Array(w.update_item.length),
        beforeValue: new Float64Array(w.update_item.length),
        beforeSquares: w.base_square_sum ? new Float64Array(w.update_item.length) : null,
        beforeLast: new Int32Array(w.update_item.length),
      };
    }

    /** @param {number} number @param {Message} message */
    function keep(number, message) {
      windows.delete(number);
      windows.set(number, windowFrom(message));
      for (const old of windows.keys()) {
        if (windows.size <= WINDOWS_KEPT) break;
        if (windows.get(old) !== current) windows.delete(old);
      }
    }

    /** @param {number} number */
    async function load(number) {
      const from = number * WINDOW;
      loading.add(number);
      try {
        keep(number, await options.fetchWindow(from, Math.min(from + WINDOW, nIterations)));
      } finally {
        loading.delete(number);
      }
    }

    /** @param {ReplayWindow} w the state's window */
    function forward(w) {
      const i = state.t - w.from;
      for (let u = w.update_offset[i]; u < w.update_offset[i + 1]; u++) {
        const item = w.update_item[u];
        w.beforeVisits[u] = state.visits[item];
        w.beforeValue[u] = state.valueSum[item];
        w.beforeLast[u] = state.lastVisit[item];
        state.lastVisit[item] = state.t + 1;
        state.visits[item] += w.update_visits[u];
        state.valueSum[item] += w.update_value[u];
        if (w.beforeSquares && state.squareSum) {
          w.beforeSquares[u] = state.squareSum[item];
          state.squareSum[item] += w.update_value[u] * w.update_value[u];
        }
      }
      for (let u = w.new_offset[i]; u < w.new_offset[i + 1]; u++) state.count[w.new_item[u]] += 1;
      state.t += 1;
    }

    /** Take the updates and nodes of iteration t, the one that led to the state, back out of some numbers. @param {Numbers} numbers */
    function takeBack(numbers) {
      const w = /** @type {ReplayWindow} */ (current), i = state.t - 1 - w.from;
      for (let u = w.update_offset[i + 1] - 1; u >= w.update_offset[i]; u--) {
        const item = w.update_item[u];
        numbers.visits[item] = w.beforeVisits[u];
        numbers.valueSum[item] = w.beforeValue[u];
        numbers.lastVisit[item] = w.beforeLast[u];
        if (w.beforeSquares && numbers.squareSum) numbers.squareSum[item] = w.beforeSquares[u];
      }
      for (let u = w.new_offset[i]; u < w.new_offset[i + 1]; u++) numbers.count[w.new_item[u]] -= 1;
      numbers.t -= 1;
    }

    const backward = () => takeBack(state);

    /** A copy of the numbers before iteration t, the one that led to the state. */
    function before() {
      const {t, visits, valueSum, lastVisit, count, squareSum} = state;
      const numbers = {
        t, visits: visits.slice(), valueSum: valueSum.slice(), lastVisit: lastVisit.slice(), count: count.slice(),
        squareSum: squareSum && squareSum.slice(),
      };
      takeBack(numbers);
      return numbers;
    }

    /** @param {ReplayWindow} window */
    function enter(window) {
      current = window;
      state.visits.set(window.base_visits);
      state.valueSum.set(window.base_value_sum);
      state.count.set(window.base_count);
      if (window.base_last_visit) state.lastVisit.set(window.base_last_visit);
      state.squareSum = window.base_square_sum ? Float64Array.from(window.base_square_sum) : null;
      state.t = window.from;
    }

    /** Move the state to t if its window is here. @param {number} t */
    function moveTo(t) {
      const number = windowOf(t), window = windows.get(number);
      if (!window) return false;
      windows.delete(number);
      windows.set(number, window);
      if (current !== window || t < state.t - WINDOW / 2) enter(window);
      while (state.t < t) forward(window);
      while (state.t > t) backward();
      return true;
    }

    /** @param {number} direction */
    function prefetch(direction) {
      const number = windowOf(state.t) + direction;
      if (number < 0 || number > windowOf(nIterations)) return;
      if (windows.has(number) || loading.has(number) || loading.size > 1) return;
      load(number).catch(() => {}).finally(() => {
        if (!closed && wanted !== null && windowOf(wanted) === number) arrive();
      });
    }

    function arrive() {
      const from = state.t;
      if (wanted === null || !moveTo(wanted)) return false;
      wanted = null;
      options.onMove(state.t);
      const step = from < 0 ? 0 : state.t - from, begins = from < 0 && windowOf(state.t + NEAR) === windowOf(state.t);
      if (!begins && Math.abs(step) <= NEAR) prefetch(step < 0 ? -1 : 1); // a page that opens loads no more than it shows
      return true;
    }

    /** Show iteration t, though its window is not here: while the slider is dragged past it. @param {number} t */
    async function glimpse(t) {
      const number = ++glimpses;
      glimpsed = t;
      const window = windowFrom(await options.fetchWindow(Math.max(0, t - 1), t)); // a tenth of a whole one
      if (closed || wanted === null || number < seen) return; // it came to rest where a window is, or a later one is seen
      seen = number;
      enter(window);
      while (state.t < t) forward(window);
      options.onMove(t);
    }

    /** While the hand moves, the server works on the next picture as this one is drawn. */
    async function fetchWanted() {
      if (inFlight >= (isMoving ? 2 : 1)) return; // their answers look at what is wanted then
      inFlight += 1;
      try {
        while (!closed && wanted !== null && !arrive()) {
          const asked = wanted, number = windowOf(asked), isGlimpse = isMoving;
          if (loading.has(number) || (isGlimpse && asked === glimpsed)) break; // the other request is for it
          if (isGlimpse) await glimpse(asked);
          else await load(number);
          const passed = !closed && wanted !== null && windowOf(wanted) !== number;
          if (passed && !isGlimpse && moveTo(asked)) options.onMove(asked);
          isMoving = passed;
        }
      } catch (error) {
        wanted = null;
        if (!closed) options.onError(/** @type {Error} */ (error));
      } finally {
        inFlight -= 1;
        if (!inFlight) isMoving = false;
      }
    }

    /** Go to iteration t: at once (true) when its window is here, else as soon as it is; the newest call wins. @param {number} t */
    function seek(t) {
      wanted = Math.max(0, Math.min(nIterations, t));
      if (arrive()) return true;
      fetchWanted();
      return false;
    }

    /** The nodes of the selected path that no item shows, with their numbers. @param {ReplayWindow} w @param {number} i */
    function hiddenEnd(w, i) {
      const begin = w.end_offset?.[i] ?? 0, end = w.end_offset?.[i + 1] ?? 0;
      return mcts.hiddenEnds.slice(w, begin, end);
    }

    /** Items of the selected path, the focus first: where nodes are shared, over the ways that it took. @param {ReplayWindow} w @param {number} i */
    function pathOf(w, i) {
      if (w.path_offset && w.path_item) return Array.from(w.path_item.subarray(w.path_offset[i], w.path_offset[i + 1]));
      const path = [];
      for (let item = w.leaf_item[i]; item >= 0; item = parent[item]) path.push(item);
      return path.reverse();
    }

    /** What iteration t, the one that led to the state, did; null at t = 0. */
    function iteration() {
      if (current === null || state.t <= 0) return null;
      const w = current, i = state.t - 1 - w.from;
      if (i < 0) return null;
      return {
        path: pathOf(w, i),             // items, the focus first
        end: hiddenEnd(w, i),
        leaf: w.leaf[i],                // node id
        depth: w.leaf_depth[i],         // edges from the root to the leaf
        outcome: w.outcome[i],          // view of player 0
        updated: w.update_item.subarray(w.update_offset[i], w.update_offset[i + 1]),
        made: w.new_item.subarray(w.new_offset[i], w.new_offset[i + 1]),
      };
    }

    /** Node id of the root child that would be played at an iteration of the state's window, its own one unless given;
        -1 for none. */
    function chosen(t = state.t) {
      return current === null ? -1 : current.chosen[t - current.from];
    }

    /** Nodes of the whole tree, in view or not, at an iteration of the state's window, its own one unless given. */
    function nodeCount(t = state.t) {
      return current === null ? 0 : current.node_count[t - current.from];
    }

    return {
      state, seek, before, iteration, chosen, nodeCount, keep,
      isWaiting: () => wanted !== null,
      wanted: () => wanted ?? Math.max(0, state.t), // the iteration shown, or on its way
      close: () => { closed = true; wanted = null; },
    };
  }

  /** A replay of the one window that tells of iteration t, which is here. @param {ItemSource} geometry @param {Message} window
      @param {number} n iterations @param {number} t */
  function ofWindow({nItems, parent}, window, n, t) {
    const made = create({nIterations: n, nItems, parent, fetchWindow: () => new Promise(() => {}), onMove() {}, onError() {}});
    made.keep(windowOf(t), window);
    return made;
  }

  return {create, ofWindow, windowOf, WINDOW};
})();
