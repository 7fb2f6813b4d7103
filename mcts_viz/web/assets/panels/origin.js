/* Where a number comes from: which number is asked about, the range of iterations that is brushed on the timeline, and the
   filter "iterations through this node". origin_view.js builds the view. */
mcts.origin = (() => {
  /** Columns of tables whose numbers can be asked about, and the number that they show. @type {Record<string, string>} */
  const COLUMNS = {
    visits: "visits", share: "visits", mean_value: "mean_value", value_sum: "value_sum", added: "value_sum",
    value_term: "value_term", exploration_term: "exploration_term", score: "score",
  };
  const {byId, messageOf} = mcts.dom;

  let /** @type {AskedNumber | null} */ asked = null, /** @type {OriginAnswer | null} */ answer = null;
  let /** @type {Span | null} */ span = null, /** @type {TotalsAnswer | null} */ totals = null;
  let /** @type {Cursor | null} */ cursor = null, ticket = 0, sum = 0, first = -1, shownFor = "", drawn = "", isFromAddress = true;
  let say = (/** @type {string} */ _text) => {};

  /** @param {string} path @param {string | null} [trace] */
  const api = (path, trace = cursor?.trace) => `${mcts.requests.traceUrl(String(trace))}/${path}`;

  /** The iteration after which a number stands as it is shown. @param {AskedNumber} of */
  function iterationOf({earlier, inB}) {
    if (inB) return inB.t;
    const {iteration, phase} = /** @type {Cursor} */ (cursor);
    return Math.max(0, iteration - Number(earlier || (phase !== null && phase !== "backpropagate")));
  }

  function draw() {
    const box = byId("origin"), isOpen = Boolean(asked || span);
    if (!box) return;
    box.hidden = !isOpen;
    mcts.app.showBrush({bins: asked && answer && !asked.inB ? answer.bins : [], span});
    if (!isOpen || !cursor) return;
    const passing = mcts.passing.get(), shown = {answer: asked && answer, totals: span && totals, span, cursor, passing, isOfB: Boolean(asked?.inB)};
    const what = JSON.stringify({...shown, cursor: cursor.iteration, passing: passing?.node, length: mcts.session.length});
    if (what === drawn && box.firstChild) box.setAttribute("aria-busy", "false"); // it stays as it is, under the mouse too
    else mcts.originView.draw(box, shown, actions);
    drawn = what;
  }

  async function fetchOrigin() {
    if (!asked || !cursor) return;
    const mine = ++ticket, t = iterationOf(asked);
    const place = first >= 0 ? `first=${first}` : `near=${Math.max(1, span ? span[0] : cursor.iteration)}`;
    try {
      const found = await mcts.binary.fetchJson(api(`origin?node=${asked.node}&number=${asked.number}&t=${t}&viewpoint=${mcts.viewpoint.name()}&${place}`, asked.inB?.trace));
      if (mine === ticket) { answer = found; draw(); }
    } catch (error) {
      if (mine !== ticket) return;
      asked = null;
      draw();
      say(messageOf(error));
    }
  }

  async function fetchTotals() {
    if (!span || !cursor) return;
    const mine = ++sum, node = asked && !asked.inB ? asked.node : cursor.node;
    try {
      const found = await mcts.binary.fetchJson(api(`totals?first=${span[0]}&last=${span[1]}&node=${node}`));
      if (mine === sum) { totals = found; draw(); }
    } catch (error) {
      if (mine !== sum) return;
      span = totals = null;
      draw();
      say(messageOf(error));
    }
  }

  /** @param {number} node @param {string} number @param {boolean} [earlier] @param {AskedNumber["inB"]} [inB] */
  function ask(node, number, earlier = false, inB = null) {
    cursor = mcts.app.cursor();
    if (!cursor?.trace) return;
    [asked, answer, first] = [{node, number, earlier, inB}, null, -1];
    mcts.originView.busy(byId("origin"));
    fetchOrigin();
    fetchTotals();
  }

  function close() {
    [asked, answer, span, totals] = [null, null, null, null];
    ticket++;
    sum++;
    draw();
  }

  /** @param {Span | null} next */
  function setSpan(next) {
    cursor = mcts.app.cursor();
    if (!cursor?.trace || mcts.session.reach.steps) return;
    [span, first] = [next, -1];
    if (next) fetchTotals(); else totals = null;
    if (asked) fetchOrigin();
    draw();
  }

  // ---- the filter --------------------------------------------------------------------------------------------------

  /** Keep the node in the address: a copied link steps as this page does. @param {number | null} node */
  function remember(node) {
    const query = new URLSearchParams(location.search);
    if (node === null) query.delete("through"); else query.set("through", String(node));
    const text = query.toString().replaceAll("%2C", ",");
    history.replaceState(history.state, "", location.pathname + (text && `?${text}`) + location.hash);
  }

  function clear() {
    if (!mcts.passing.get()) return;
    mcts.passing.set(null);
    remember(null);
    showFilter();
    draw();
  }

  function showFilter() {
    mcts.originView.chip(byId("timeline"), mcts.passing.get(), clear);
  }

  /** Step through the iterations of a node alone. @param {number} node */
  async function pass(node) {
    const trace = String(cursor?.trace), last = mcts.session.length;
    if (mcts.session.reach.steps) { say(mcts.reach.sentence(mcts.session.reach.steps)); return; }
    try {
      const {meta, columns} = await mcts.binary.fetchMessage(api(`through?node=${node}&n_iterations=${last}`));
      if (trace !== cursor?.trace) return;
      mcts.passing.set({trace, node, move: meta.move, last, iterations: mcts.passing.iterationsOf(columns.bits, meta.n)});
      remember(node);
    } catch (error) {
      say(messageOf(error));
    }
    showFilter();
    draw();
  }

  /** The filter on or off: of the node asked about, else of the node selected. */
  function toggle() {
    cursor = mcts.app.cursor();
    if (!cursor?.trace) return;
    const node = asked && !asked.inB ? asked.node : cursor.node;
    if (mcts.passing.get()?.node === node) clear(); else pass(node);
  }

  /** The cursor has come to rest. @param {Cursor} now */
  function follow(now) {
    const before = cursor, filter = mcts.passing.get();
    cursor = now;
    if (filter && filter.trace !== now.trace) clear();
    else if (filter && filter.last < mcts.session.length) pass(filter.node);
    if (isFromAddress) {
      isFromAddress = false;
      const node = new URLSearchParams(location.search).get("through");
      if (node && /^\d+$/.test(node)) pass(Number(node));
    }
    if (before && before.trace !== now.trace) { close(); return; }
    const what = JSON.stringify([now.iteration, now.phase, now.node]);
    if (what === shownFor) return;
    shownFor = what;
    if (asked && !asked.inB) { first = -1; fetchOrigin(); } // a number of B does not go by the cursor
    if (span && !asked) fetchTotals();
  }

  /** @type {OriginActions} */
  const actions = {
    go(iteration) { mcts.app.stop(); if (asked?.inB) mcts.compare.goToB(iteration); else mcts.app.seek(iteration); },
    select(node) { mcts.app.select(node); },
    page(row) { first = row; fetchOrigin(); },
    span: setSpan, passing: toggle, close,
  };

  /** Whether a click in a table was on a number, which is then asked about. @param {any} cell */
  function askedInTable(cell) {
    const number = COLUMNS[cell.colId];
    if (!number || cell.value === null || cell.value === undefined) return false;
    const isBefore = mcts.dash.triggered() === "iteration-table" && mcts.app.cursor()?.phase === null;
    ask(Number(cell.rowId), number, isBefore);
    return true;
  }

  /** problem: puts a sentence before the person. @param {(text: string) => void} problem */
  function wire(problem) {
    say = problem;
    Object.assign(mcts.app, /** @type {Partial<AppEvents>} */ ({
      onBrush: setSpan, onPassing: toggle,
      onSpan(direction) {
        const t = Math.max(1, mcts.app.wanted()), [from, to] = span ?? [t, t];
        setSpan(mcts.timelineChart.spanOf(direction < 0 ? t : Math.min(from, t), direction < 0 ? Math.max(to, t) : t));
      },
      onBack() {
        if (mcts.tour.stop()) return true;
        const isOpen = Boolean(asked || span);
        if (isOpen) close(); else if (mcts.passing.get()) clear(); else return false;
        return true;
      },
    }));
    document.addEventListener("click", (event) => {
      const link = mcts.dom.targetOf(event).closest?.("[data-origin]");
      if (!link) return;
      const [node, number] = String(link.dataset.origin).split(" ");
      ask(Number(node), number);
    });
  }

  /** Nothing is compared any more. */
  function leaveB() { if (asked?.inB) close(); }

  return {wire, follow, ask, askedInTable, leaveB};
})();
