/* The page's front end put together: what Dash's client-side callbacks, keys and the mouse call.

   mcts.app.mount() waits for the page's elements. Call it once its events have their listeners: what was to be opened
   by then opens at once, and tells them. */
mcts.app = (() => {
  const {session} = mcts, {byId} = mcts.dom;
  let watching = false;

  function elementsReady() {
    const graph = mcts.plotly.graphIn(byId("tree-graph")), timeline = byId("timeline"), card = byId("hover-card");
    return graph && timeline && card ? {graph, timeline, card} : null;
  }

  /** Show the card of what the mouse is on. @param {ItemSource | null} c @param {Numbers | null} state @param {number} item
      @param {MouseEvent | null} event @param {string} stubSubtitle */
  function hover(c, state, item, event, stubSubtitle) {
    const card = session.parts().hover;
    if (item < 0 || !event || !c || !state) card.hide();
    else card.show(mcts.card.of(c, session.view().meta, state, item, stubSubtitle), event.clientX, event.clientY);
  }

  /** @param {Graph} graph @param {HTMLElement} target */
  const icicleIn = (graph, target) => mcts.icicle.create(target, graph, {
    fetchWindow: (trace, query) => mcts.binary.fetchMessage(`${mcts.requests.traceUrl(trace)}/icicle?${query}`),
    onSelect: (node) => { app.select(node); },
    onFocus: (node) => { app.focus(node); },
    onHover: (item, c, state, event) => hover(c, state, item, event, "each narrower than a pixel"),
    onDraw: mcts.status.sayAtRest,
    onError: mcts.status.complain,
    iteration: () => session.shown && session.shown.replay.state.t >= 0 ? session.shown.replay.state.t : null,
    phase: () => session.phase,
    isPlaying: () => session.parts().player.isPlaying(),
  });

  /** @param {{graph: Graph, timeline: HTMLElement, card: HTMLElement}} elements */
  function build({graph, timeline, card}) {
    const cursor = mcts.cursor.create((...told) => app.onRest(...told)), icicle = byId("icicle");
    session.mounted({
      cursor,
      player: mcts.player.create({
        position: () => session.shown ? session.shown.replay.state.t : 0,
        ahead: (t, steps) => Math.min(mcts.passing.from(t, steps), session.shown ? session.length : 0),
        seek: mcts.stepping.seekNow,
        onChange: mcts.stepping.showPlaying,
      }),
      hover: mcts.hover.create(card, (/** @type {number} */ node) =>
        mcts.requests.node(String(cursor.get().trace), node, session.view().replay.state.t)),
      tree: mcts.treeCanvas.create(graph, {
        onHover(item, event, found) {
          const {geometry = null, stage = null} = session.shown ?? {}, end = found?.end;
          if (end) hover(end.c, end.state, end.place, event, ""); else hover(geometry, stage && stage.state, item, event, "click to show them");
        },
        onClick: mcts.selecting.onClick, onPaint: mcts.stepping.onPaint,
        onDoubleClick: ({node}) => { app.focus(node); },
        onZoom: mcts.opening.zoomed,
      }),
      icicle: icicle && icicleIn(graph, icicle),
      timeline: mcts.timeline.create(timeline, {
        onSeek(/** @type {number} */ t) { app.stop(); mcts.stepping.seekNow(t); },
        onBrush(/** @type {Span} */ span) { app.onBrush(span); },
      }),
    });
    mcts.keys.listen(app);
    app.setTheme(session.theme);
    mcts.stepping.showPlaying();
    app.onMount();
  }

  function mount() {
    if (session.page || watching) return;
    watching = true;
    const look = () => {
      const elements = elementsReady();
      if (elements) build(elements); else requestAnimationFrame(look);
    };
    look();
  }

  /** @param {string | null} name */
  function setTheme(name) {
    session.theme = name === "dark" ? "dark" : "light";
    document.documentElement.dataset.mctsTheme = session.theme;
    if (!session.page) return;
    const {tree, timeline, icicle} = session.page;
    tree.setTheme(session.theme);
    timeline.refresh();
    if (icicle) icicle.setOptions({theme: session.theme});
  }

  /** For the page to replace. @type {AppEvents} */
  const events = {
    onRest() {}, onTimeline() {}, onMark() {}, onBookmark() {}, onFind() {}, onHelp() {}, onMount() {}, onEarly() {},
    onOpen() {}, onNothing: mcts.status.complain, onFollow() {}, onLeaveEnd() {}, onView() {}, onPlayChange() {}, onReach() {},
    onBrush() {}, onSpan() {}, onPassing() {}, onSearch() {}, onWhy() {}, onBack: () => false,
  };

  const app = {
    ...mcts.opening.forApp, ...mcts.stepping.forApp, ...mcts.selecting.forApp, ...mcts.debug.forApp, ...events,
    mount, setTheme,

    /** Tell the panels again where the cursor is: the trace has changed under it. */
    touch() { if (session.page) session.page.cursor.renew(); },
    showBrush(/** @type {Brush} */ brush) { if (session.page) session.page.timeline.setBrush(brush); },
    showThreshold(/** @type {number | null} */ value) { if (session.page) session.page.timeline.setThreshold(value); },
    resetZoom: mcts.opening.fit,
    /** Call use(canvas) with the tree drawn that many times as sharp as CSS pixels.
        @param {number} sharpness @param {(canvas: HTMLCanvasElement) => void} use */
    picture(sharpness, use) { if (session.shown) session.parts().tree.sharp(sharpness, use); },
    /** Ring these nodes. @param {number[]} nodes */
    markNodes(nodes) { if (session.page) session.page.tree.setOptions({hits: nodes}); },
    repaint() { if (session.page) session.page.tree.schedule(); },

    cursor: () => session.page ? session.page.cursor.get() : null,
    isLoading: () => session.loading > 0,
    fromAddress: () => mcts.cursor.fromQuery(location.search),
    keys: () => mcts.keys.list(),
  };

  return app;
})();
