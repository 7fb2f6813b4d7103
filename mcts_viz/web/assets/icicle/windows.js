/* The icicle's windows of iterations: fetched as they are needed, and a few kept; in each other nodes are a pixel wide. */
mcts.icicleWindows = (() => {
  const WINDOWS_KEPT = 8;

  /** A window's items, its replay and what a phase shows of that, from a message of the server. @param {Message} message @param {Meta} meta */
  function windowOf(message, meta) {
    const c = mcts.geometry.items(message), {from, to} = message.meta;
    const replay = mcts.replay.ofWindow(c, message, to, to), stage = mcts.phases.stage(replay, meta.focus_path.length - 1, meta.has_phases);
    return {...c, from, to, replay, stage, nBelow: /** @type {Int32Array} */ (message.columns.n_below)};
  }

  /** onArrive(number): a window is here that was not.
      @param {(query: string) => Promise<Message>} fetchWindow @param {(number: number) => void} onArrive @param {(error: Error) => void} onError */
  function create(fetchWindow, onArrive, onError) {
    /** @type {Map<number, IcicleWindow>} */
    let windows = new Map(); // least recently used first
    /** @type {Set<number>} */
    let fetching = new Set();
    let version = 0;         // counts views: an older answer is dropped

    /** @param {number} number @param {Meta} meta */
    async function ask(number, meta) {
      if (fetching.has(number)) return;
      fetching.add(number);
      const asked = version, size = mcts.replay.WINDOW, from = number * size, n = meta.n_iterations;
      try {
        const message = await fetchWindow(`n_iterations=${n}&from=${from}&to=${Math.min(from + size, n)}`);
        if (asked !== version) return;
        windows.set(number, windowOf(message, meta));
        const [oldest] = windows.keys();
        if (windows.size > WINDOWS_KEPT) windows.delete(oldest);
        onArrive(number);
      } catch (error) {
        if (asked === version) onError(/** @type {Error} */ (error));
      } finally {
        if (asked === version) fetching.delete(number);
      }
    }

    return {
      ask,
      has: (/** @type {number} */ number) => windows.has(number),
      /** A window that is here, as the one used last. @param {number} number */
      use(number) {
        const found = windows.get(number);
        if (found) { windows.delete(number); windows.set(number, found); }
        return found;
      },
      forget() {
        version += 1;
        windows = new Map();
        fetching = new Set();
      },
    };
  }

  return {create};
})();
