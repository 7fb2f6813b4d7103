/* Opening traces and views of them: a view and its first window are fetched, then shown at once; what was shown stays until then. */
mcts.opening = (() => {
  const PATIENCE = 500; // milliseconds, after which it is said how far the server is with a trace, again and again
  const {session, requests} = mcts, {complain} = mcts.status;

  /** The colour asked for, or the first of those that the trace has numbers for. @param {Meta} meta @param {string} colour */
  const offered = (meta, colour) => meta.colour_modes.includes(colour) ? colour : meta.colour_modes[0];

  /** @param {string} trace @param {View} view @param {Message} message @param {Geometry} geometry */
  function replayOf(trace, view, {meta}, geometry) {
    const query = `${mcts.cursor.nodesQuery(view)}&n_iterations=${meta.n_iterations}&recording=${meta.recording ?? ""}`; // a live trace may be longer by now
    /** @type {Replay} */
    const made = mcts.replay.create({
      nIterations: meta.n_iterations, nItems: geometry.nItems, parent: geometry.parent,
      /** @param {number} from @param {number} to */
      fetchWindow: (from, to) => requests.window(trace, query, from, to),
      onMove: (/** @type {number} */ t) => { if (made === session.shown?.replay) mcts.stepping.onMove(t); },
      /** @param {Error} error */
      onError(error) {
        if (made !== session.shown?.replay) return;
        session.parts().player.stop();
        complain(error);
      },
    });
    return made;
  }

  /** @param {string} trace @param {View} view @param {ViewParts} parts @param {number} t the iteration to show
      @param {boolean} opens */
  function show(trace, view, {message, first, t: fetched}, t, opens) {
    const {tree, icicle, player, cursor, hover} = session.parts(), before = session.shown, {meta} = message;
    const {colour, size, show: parts, numbers, viewpoint: asked} = cursor.get().view; // may have been chosen while the view was on its way
    const viewpoint = mcts.viewpoint.offered(meta, asked);
    view = {...view, colour: offered(meta, colour), size, show: parts, numbers, viewpoint};
    if (before) {
      if (player.isPlaying()) t = before.replay.state.t;
      before.replay.close();
    }
    hover.forget();
    const isOther = cursor.get().trace !== trace || before?.meta.recording !== meta.recording;
    const geometry = mcts.geometry.create(message), replay = replayOf(trace, view, message, geometry);
    const stage = mcts.phases.stage(replay, meta.focus_path.length - 1, meta.has_phases);
    replay.keep(mcts.replay.windowOf(fetched), first);
    session.shown = {geometry, meta, replay, stage};
    session.length = meta.n_iterations;
    tree.setView(geometry, meta, stage);
    mcts.viewpoint.choose(viewpoint);
    tree.setOptions({colour: view.colour, size: view.size, show: view.show, numbers});
    if (icicle) icicle.setView(trace, view, meta);
    replay.seek(t);
    mcts.selecting.mark(cursor.get().node);
    const isChosen = opens || !session.riding || mcts.cursor.nodesQuery(view) !== mcts.cursor.nodesQuery(cursor.get().view);
    cursor.set({trace, view}, isChosen && !isOther);
    if (isOther) cursor.renew(); // also where another recording has taken the file of the one that was shown
    tellReach();
    mcts.app.onView(meta);
    mcts.changing.treeIsThere();
  }

  /** No trace is open: what was asked for cannot be. @param {string} trace @param {unknown} error */
  function giveUp(trace, error) {
    const {cursor, tree, player, hover} = session.parts();
    player.stop();
    hover.forget();
    tree.clear();
    session.shown?.replay.close();
    [session.shown, session.length] = [null, 0];
    cursor.set({trace: null});
    mcts.app.onNothing(mcts.dom.messageOf(error), trace);
  }

  /** Fetch a view and its window, then show both at once: a trace that is opened where it says, another view of the trace
      that is there where the person is by then. Whether it is shown. opens: of a trace that is opened, at which iteration,
      and what becomes of the page where it cannot be.
      @param {string} trace @param {View} view @param {() => unknown} place
      @param {Promise<ViewParts> | ViewParts | null} [fetched]
      @param {{t: number | "middle", fail: (error: unknown) => void} | null} [opens] */
  async function load(trace, view, place, fetched = null, opens = null) {
    const ticket = ++session.tickets, {riding, beyond} = session;
    let parts;
    session.loading += 1;
    session.coming = {trace, view, opens: opens !== null};
    try {
      const t = opens ? opens.t : riding ? Infinity : beyond ?? session.view().replay.wanted();
      parts = await (fetched || requests.parts(trace, view, t));
    } catch (error) {
      if (ticket !== session.tickets) return false;
      session.beyond = null;
      (opens?.fail ?? complain)(error);
      return false;
    } finally {
      session.loading -= 1;
      if (ticket === session.tickets) session.coming = null;
    }
    if (ticket !== session.tickets) return false;
    show(trace, view, parts, opens ? parts.t : by(parts.message.meta.n_iterations), opens !== null);
    session.beyond = null;
    await place();
    session.parts().tree.draw();
    return true;
  }

  /** Where the person is by now, in a view of n iterations. @param {number} n */
  const by = (n) => session.riding ? n : Math.min(n, session.beyond ?? session.view().replay.wanted());

  /** Whether a trace is being opened: what is asked of the tree that is still there must not stop it. */
  const isOpening = () => session.coming?.opens === true;

  /** Fetch the view anew, as the trace is by now; what a person has zoomed into stays where it is.
      @param {ViewParts | null} [fetched] */
  async function renew(fetched = null) {
    if (isOpening()) return false;
    const {tree, cursor} = session.parts(), {trace, node} = cursor.get();
    const at = session.view().geometry.itemOf(node), held = at < 0 ? null : tree.local(at), fits = tree.isFitted();
    return load(String(trace), session.wanted(), () => {
      const item = session.view().geometry.itemOf(node);
      return fits || !held || item < 0 ? tree.fit() : tree.keepAt(item, held[0], held[1]);
    }, fetched);
  }

  /** Show another view of the same trace, with an item held still on screen, or fitted.
      @param {Partial<View>} part @param {number | null} [heldNode] */
  async function changeView(part, heldNode = null) {
    const {tree, cursor} = session.parts(), {trace} = cursor.get();
    if (isOpening()) return false;
    const itemOf = () => heldNode === null ? -1 : session.view().geometry.itemOf(heldNode);
    const held = tree.local(itemOf());
    return load(String(trace), {...session.wanted(), ...part}, () => {
      const item = itemOf();
      return held && item >= 0 ? tree.keepAt(item, held[0], held[1]) : tree.fit();
    });
  }

  /** Fit the tree, with as many nodes as the picture has room for by now. */
  function fit() {
    if (!session.page) return undefined;
    const {tree, cursor, icicle} = session.page;
    icicle?.fit();
    return mcts.room.renew() && session.shown && !cursor.get().view.budget ? changeView({}) : tree.fit();
  }

  /** A person has zoomed: where the room decides how many nodes there are, there is room for more, or for fewer. What lies in
      the middle stays there. @param {number} times as large as fitted */
  async function zoomed(times) {
    if (!session.shown || session.parts().cursor.get().view.budget || session.loading || !mcts.room.enlarge(times)) return;
    const {tree, cursor} = session.parts(), {trace, view} = cursor.get();
    const node = tree.middleNode(), at = tree.local(session.view().geometry.itemOf(node)), before = session.view().geometry.extent(Infinity);
    await load(String(trace), view, () => {
      const {geometry} = session.view(), item = geometry.itemOf(node), after = geometry.extent(Infinity);
      return at && item >= 0 ? tree.keepAt(item, at[0], at[1], (before[1] - before[0]) / (after[1] - after[0])) : undefined;
    });
  }

  // ---- the timeline ------------------------------------------------------------------------------------------------

  /** Tell whether there is anything to step through; it may come to be while a trace grows. */
  function tellReach() {
    const before = JSON.stringify(session.reach);
    session.reach = mcts.reach.reasons(session.view().meta, session.length);
    if (session.riding && JSON.stringify(session.reach) === before) return; // at each look
    session.parts().timeline.setNote(session.reach.steps && mcts.reach.sentence(session.reach.steps));
    mcts.app.onReach(session.reach);
  }

  /** @param {Message} message */
  function setTimeline(message) {
    const {timeline, cursor} = session.parts(), {meta, replay} = session.view();
    session.length = Math.max(meta.n_iterations, message.meta.n_iterations);
    timeline.set(message);
    timeline.show(replay.state.t, session.length);
    mcts.stepping.showReadout();
    tellReach();
    mcts.app.onTimeline(String(cursor.get().trace), message.meta);
  }

  // ---- what the app offers -----------------------------------------------------------------------------------------

  /** Say how far the server is with a long trace, as long as this opening of it goes on. @param {string} trace */
  async function tellProgress(trace) {
    const ticket = session.tickets;
    for (;;) {
      await new Promise((later) => setTimeout(later, PATIENCE));
      if (ticket !== session.tickets || !session.loading) return;
      const share = await requests.shareOpened(trace).catch(() => null); // an error is reported where it is opened
      if (ticket !== session.tickets || !session.loading) return;
      if (share !== null) mcts.status.sayForNow(`Loading … ${Math.floor(100 * share)} %`);
    }
  }

  /** Open a trace at part.iteration ("middle" is allowed), else at its end; what it needs is fetched while the page is still mounting.
      @param {string} trace @param {Place} [part] @param {Promise<ViewParts> | null} [fetched] @returns {Promise<void>} */
  async function openTrace(trace, part = {}, fetched = null) {
    const view = {...mcts.cursor.VIEW, ...(part.view || {})};
    if (session.shown) mcts.room.renew();
    if (!session.page) {
      const early = requests.parts(trace, view, part.iteration ?? Infinity);
      early.then((parts) => mcts.app.onEarly(parts, view, part), () => {}); // an error is reported when it is shown
      session.whenMounted(() => openTrace(trace, part, early));
      return;
    }
    const {player, cursor, tree} = session.page, {colour, size, show: parts, numbers, viewpoint} = view;
    player.stop();
    if (cursor.get().trace !== trace) cursor.hold();
    mcts.changing.begin();
    [session.phase, session.beyond] = [part.phase ?? null, null];
    cursor.set({node: part.node ?? 0, phase: session.phase, view: {colour, size, show: parts, numbers, viewpoint}});
    mcts.status.sayForNow("Loading …");
    const opens = {t: part.iteration ?? Infinity, fail: (/** @type {unknown} */ error) => giveUp(trace, error)};
    const loading = load(trace, view, () => tree.fit(), fetched, opens);
    tellProgress(trace);
    const isShown = await loading;
    mcts.app.onOpen();
    if (!isShown) return;
    try {
      const message = await requests.timeline(trace, session.view().meta.n_iterations);
      if (cursor.get().trace === trace) setTimeline(message);
    } catch (error) {
      complain(error);
    }
    if (cursor.get().trace === trace) mcts.changing.timelineIsThere();
  }

  /** How the recording of the trace shown stands, and what shows its end where it has more than n iterations.
      @param {number} n */
  function askForEnd(n) {
    const {trace, view} = session.parts().cursor.get();
    return requests.end(String(trace), view, n, session.view().meta.recording ?? "");
  }

  /** Show the end of a trace that has grown; gives how long it is, null where that failed.
      @param {EndParts} parts */
  async function ride(parts) {
    const {view} = session.parts().cursor.get();
    if (session.loading || !session.riding || parts.query !== mcts.cursor.nodesQuery(view)) return null; // another view by now
    if (!await renew(parts) || session.shown?.meta !== parts.message.meta) return null;
    setTimeline(parts.run);
    return session.length;
  }

  /** Lengthen the timeline of a trace that has grown to n iterations, and leave the picture alone. @param {number} n */
  async function lengthen(n) {
    const ticket = session.tickets, {trace} = session.parts().cursor.get();
    if (isOpening()) return null;
    try {
      const message = await requests.timeline(String(trace), n);
      if (ticket !== session.tickets) return null;
      setTimeline(message);
      return session.length;
    } catch (error) {
      complain(error);
      return null;
    }
  }

  /** Let the panels ask again for what they show, and the picture for what it lacks: the server was away. */
  function refresh() {
    if (!session.page) return;
    session.page.cursor.renew();
    if (!session.shown) return;
    mcts.status.sayForNow("");
    mcts.stepping.seekNow(session.shown.replay.wanted(), session.phase);
  }

  /** @param {boolean} on */
  function setRiding(on) {
    session.riding = on;
    session.whenMounted(() => session.parts().cursor.setCalm(on || session.parts().player.isPlaying()));
  }

  /** See the cursor's. @param {number} took @param {boolean} hasGrown */
  function noteLook(took, hasGrown) {
    session.page?.cursor.noteLook(took, hasGrown);
  }

  return {offered, isOpening, changeView, renew, fit, zoomed, forApp: {openTrace, askForEnd, ride, lengthen, refresh, setRiding, noteLook}};
})();
