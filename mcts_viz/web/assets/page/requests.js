/* What the page asks of the server about a trace: views, windows of iterations, the timeline. */
mcts.requests = (() => {
  const {nodesQuery} = mcts.cursor;

  /** The address of a trace's routes. @param {string} trace */
  const traceUrl = (trace) => `api/trace/${encodeURIComponent(trace)}`;

  /** @param {string} trace @param {number} n iterations */
  const timeline = (trace, n) => mcts.binary.fetchMessage(`${traceUrl(trace)}/timeline?n_iterations=${n}`);

  /** @param {string} trace @param {string} query */
  const view = (trace, query) => mcts.binary.fetchMessage(`${traceUrl(trace)}/view?${query}`);

  /** @param {string} trace @param {string} query @param {number} from @param {number} to */
  const window = (trace, query, from, to) => mcts.binary.fetchMessage(`${traceUrl(trace)}/window?${query}&from=${from}&to=${to}`);

  /** The window of iteration t of a view. @param {string} trace @param {string} query @param {number} t @param {number} last */
  function windowAt(trace, query, t, last) {
    const from = mcts.replay.windowOf(t) * mcts.replay.WINDOW;
    return window(trace, `${query}&n_iterations=${last}`, from, Math.min(from + mcts.replay.WINDOW, last));
  }

  /** A view and its window at iteration t ("middle": half of the way). @param {string} trace @param {View} shown
      @param {number | "middle"} t @returns {Promise<ViewParts>} */
  async function parts(trace, shown, t) {
    const query = nodesQuery(shown), message = await view(trace, query), last = message.meta.n_iterations;
    const at = t === "middle" ? Math.ceil(last / 2) : Math.max(message.meta.first ?? 0, Math.min(last, t));
    return {message, first: await windowAt(trace, query, at, last), t: at};
  }

  /** How the recording of a trace stands: the server reads what is new of it. @param {string} trace
      @returns {Promise<LiveAnswer>} */
  const standing = (trace) => mcts.binary.fetchJson(`${traceUrl(trace)}/live`);

  /** How the recording of a trace stands, and, where it has more than n iterations, what shows its end: all in one answer.
      @param {string} trace @param {View} shown @param {number} n @param {string} recording @returns {Promise<EndAnswer>} */
  async function end(trace, shown, n, recording) {
    const query = nodesQuery(shown);
    const {meta, columns} = await mcts.binary.fetchMessage(`${traceUrl(trace)}/end?${query}&known=${n}&recording=${recording}`);
    if (!columns.view) return {standing: meta, parts: null};
    const [message, first, run] = [columns.view, columns.window, columns.timeline].map(mcts.binary.within);
    return {standing: meta, parts: {message, first, t: meta.n_iterations, run, query}};
  }

  /** How much of the work is done where the server is opening a trace, from 0 to 1; null where it is not. @param {string} trace */
  const shareOpened = async (trace) => (await mcts.binary.fetchJson(`${traceUrl(trace)}/opening`)).share;

  /** What the check of a trace looks at and how much of it is done; both null where no check runs.
      @param {string} trace @returns {Promise<{words: string | null, share: number | null}>} */
  const checking = (trace) => mcts.binary.fetchJson(`${traceUrl(trace)}/checking`);

  /** @param {string} trace @param {number} node @param {number} t */
  const node = (trace, node, t) => mcts.binary.fetchJson(`${traceUrl(trace)}/node/${node}?t=${t}`);

  return {traceUrl, timeline, window, parts, standing, end, node, shareOpened, checking};
})();
