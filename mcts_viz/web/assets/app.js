/* The page's front end put together: what Dash's client-side callbacks, keys and the mouse call.

   mcts.app.mount() waits for the page's elements, so it may be called at any time and any number of times. */
window.mcts = window.mcts || {};

mcts.app = (() => {
  "use strict";

  const IDS = {
    graph: "tree-graph", timeline: "timeline", readout: "iteration-readout", status: "status-line",
    card: "hover-card", play: "play-button", icicle: "icicle",
  };
  const PAINTS_KEPT = 400;
  const READING = 4000; // milliseconds that an answer in the status line stays
  const FILTERS = ["least", "top", "levels", "pv"];

  let tree = null, icicle = null, timeline = null, hover = null, player = null, cursor = null;
  let geometry = null, replay = null, meta = null;
  let length = 0;                     // iterations that the trace is known to have: more than the view's while it grows
  let reach = {steps: "", phases: ""}; // why there is nothing to step through, if so
  let extending = null;               // iteration beyond the view that is on its way
  let riding = false;                 // whether the cursor stays at the end of a growing trace
  let stage = null, phase = null;     // what the picture shows of the replay; the phase asked for
  let opening = 0;                    // counts views asked for; an older answer is dropped
  let loading = 0;                    // views on their way
  let paints = [], keyAt = null;
  let theme = "light";
  const waiting = [];                 // calls made before the page was there

  const byId = (id) => document.getElementById(id);
  const count = new Intl.NumberFormat("en-US").format;

  // ---- what the person reads ---------------------------------------------------------------------------------------

  let held = {t: null, until: 0}; // what was said last stays so long, while one looks at the same iteration

  /** Something to be read before the status goes on to count nodes. */
  function say(text, isError = false) {
    held = {t: replay ? replay.state.t : null, until: performance.now() + READING};
    write(text, isError);
  }

  function sayForNow(text) {
    held.until = 0;
    write(text);
  }

  function write(text, isError = false) {
    const line = byId(IDS.status);
    if (!line || (line.textContent === text && line.classList.contains("mcts-error") === isError)) return;
    line.textContent = line.title = text;
    line.classList.toggle("mcts-error", isError);
  }

  const complain = (error) => say(error.message, true);

  function sayWhatIsHidden() {
    const {skipped} = tree.report();
    let shown = 0;
    for (let item = 0; item < geometry.nNodes; item++) shown += stage.state.count[item];
    const existing = replay.nodeCount(stage.nodesAt());
    const parts = [`${count(shown)} of ${count(existing)} nodes in view`];
    if (existing > shown) parts.push(`+${count(existing - shown)} nodes hidden`);
    const filter = mcts.filter.words(cursor.get().view);
    if (filter) parts.push(`filter: ${filter}`);
    const icicleSays = icicle && icicle.words();
    if (icicleSays) parts.push(icicleSays);
    const iteration = replay.iteration();
    if (iteration && iteration.path.length === 0 && meta.has_phases) parts.push(`iteration ${replay.state.t} went elsewhere`);
    if (skipped > 0) parts.push(`${count(skipped)} too close to tell apart at this zoom`);
    write(parts.join(" · "));
    tree.describe(`Search tree after iteration ${replay.state.t}: ${parts.join(", ")}`);
  }

  const sayWhenAtRest = (() => {
    let timer = null;
    function tell() {
      if (!geometry || replay.state.t === null) return;
      const rest = held.t === replay.state.t ? held.until - performance.now() : 0;
      if (rest > 0) timer = setTimeout(tell, rest); else sayWhatIsHidden();
    }
    return () => { clearTimeout(timer); timer = setTimeout(tell, 200); };
  })();

  function showReadout() {
    const readout = byId(IDS.readout);
    if (readout) readout.textContent = `${replay.state.t} / ${length}`;
  }

  function showPlaying() {
    const button = byId(IDS.play);
    if (button) {
      button.dataset.playing = String(player.isPlaying());
      button.setAttribute("aria-pressed", String(player.isPlaying()));
      button.setAttribute("aria-label", player.isPlaying() ? "pause" : "play");
    }
    app.onPlayChange(player.isPlaying(), player.speed());
  }

  function format(value) {
    if (value === null || Number.isNaN(value)) return "–";
    return Number.isFinite(value) ? value.toFixed(4) : "∞";
  }

  const alone = () => meta.players.length === 1;
  const resultText = (outcome) => alone() ? `reward ${Number(outcome.toPrecision(4))}`
    : outcome === 0 ? "draw" : `${meta.players[outcome > 0 ? 0 : 1]} wins`;

  function cardOf(item, c = geometry, state = stage.state, stubSubtitle = "click to show them") {
    const visits = state.visits[item];
    if (c.isStub(item)) {
      return {
        node: c.node[item], isStub: true, title: `+${count(state.count[item])} more`,
        subtitle: stubSubtitle, rows: [["visits hidden", count(visits)]],
      };
    }
    const above = c.parent[item], mover = c.mover[item];
    const terms = mcts.formulas.ofItems(c, meta);
    const rows = [["visits", count(visits)], ["mean value", format(visits ? state.valueSum[item] / visits : NaN)]];
    if (above >= 0 && terms) {
      const found = terms(item, state);
      rows.push(["UCT", format(mcts.formulas.score(found))], ["exploration", format(found[1])]);
    }
    if (!Number.isNaN(c.prior[item])) rows.push(["prior", format(c.prior[item])]);
    if (!Number.isNaN(c.outcome[item])) rows.push(["game over", resultText(c.outcome[item])]);
    else if (c.proven_at && state.t >= c.proven_at[item]) rows.push(["proven", resultText(c.proven[item])]);
    const player = mover >= 0 && !alone() ? `view of ${meta.players[mover]}` : "";
    const nobody = c.chance && c.chance[item] ? "chance decides" : "";
    return {
      node: c.node[item], isStub: false, title: c.label(item),
      subtitle: [`node ${c.node[item]}`, player, nobody].filter(Boolean).join(" · "), rows,
    };
  }

  // ---- moving through time -----------------------------------------------------------------------------------------

  function onMove(t) {
    if (t === 0 || !meta.has_phases) phase = null;
    stage.show(phase);
    cursor.set({iteration: t, phase});
    mcts.phases.mark(phase);
    showReadout();
    timeline.show(t, length, replay.wanted());
    leaveEnd(t, phase);
    if (player.isPlaying()) tree.draw(); else tree.schedule();
    if (icicle) icicle.show(t);
  }

  function onPaint(report) {
    report.t = replay.state.t;
    if (keyAt !== null) report.sinceInput = report.at - keyAt;
    keyAt = null;
    paints.push(report);
    if (paints.length > PAINTS_KEPT) paints = paints.slice(-PAINTS_KEPT / 2);
    sayWhenAtRest();
  }

  /** Who looks at anything but the end of a growing trace rides with it no longer. */
  function leaveEnd(t, ofPhase) {
    if (riding && (t < meta.n_iterations || ofPhase !== null)) app.onLeaveEnd();
  }

  /** To an iteration as a whole, or to one of its phases. */
  function seek(t, ofPhase = null) {
    if (!replay) return false;
    phase = ofPhase;
    keyAt = performance.now();
    t = Math.round(Math.max(meta.first ?? 0, Math.min(length, Number(t))));
    leaveEnd(t, ofPhase); // now: a ride that is on its way must not take the person back
    if (t > meta.n_iterations) return extend(t);
    return replay.seek(t);
  }

  /** To an iteration that has come since the view was made: with a view of all there are by now. */
  function extend(t) {
    const isOnItsWay = extending !== null;
    extending = t;
    if (!isOnItsWay) reload(t).finally(() => { extending = null; });
    return false;
  }

  /** Fetch the view anew, as the trace is by now; what a person has zoomed into stays where it is. */
  function reload(t, fetched = null) {
    const {trace, view, node} = cursor.get();
    const at = geometry.itemOf(node), held = at < 0 ? null : tree.local(at), fits = tree.isFitted();
    return load(trace, view, t, () => {
      const item = geometry.itemOf(node);
      return fits || !held || item < 0 ? tree.fit() : tree.keepAt(item, held[0], held[1]);
    }, fetched);
  }

  const timelineOf = (trace, n) => mcts.binary.fetchMessage(`${traceUrl(trace)}/timeline?n_iterations=${n}`);

  function setTimeline(message) {
    length = Math.max(meta.n_iterations, message.meta.n_iterations);
    timeline.set(message);
    timeline.show(replay.state.t, length);
    showReadout();
    tellReach();
    app.onTimeline(cursor.get().trace, message.meta);
  }

  /** Tell whether there is anything to step through; it may come to be while a trace grows. */
  function tellReach() {
    reach = mcts.reach.reasons(meta, length);
    timeline.setNote(reach.steps && mcts.reach.sentence(reach.steps));
    app.onReach(reach);
  }

  /** Say why nothing happens; whether there was something to say. */
  function isOff(what) {
    if (reach[what]) complain(new Error(mcts.reach.sentence(reach[what])));
    return Boolean(reach[what]);
  }

  /** By iterations; a held key builds on where it is going, not on where the picture still is. */
  function step(distance) {
    if (!replay || isOff("steps")) return;
    player.stop();
    seek((replay.wanted() ?? 0) + distance);
  }

  // ---- views -------------------------------------------------------------------------------------------------------

  function viewQuery(view) {
    const query = new URLSearchParams({budget: view.budget, focus: view.focus});
    if (view.opened.length) query.set("opened", view.opened.join(","));
    for (const name of ["closed", "whole"]) if (view[name].length) query.set(name, view[name].join(","));
    for (const name of FILTERS) if (view[name]) query.set(name, view[name]);
    return query.toString().replaceAll("%2C", ",");
  }

  const traceUrl = (trace) => `api/trace/${encodeURIComponent(trace)}`;

  function makeReplay(trace, view, message, created) {
    const query = `${viewQuery(view)}&n_iterations=${message.meta.n_iterations}&recording=${message.meta.recording ?? ""}`; // a live trace may be longer by now
    let made = null;
    made = mcts.replay.create({
      nIterations: message.meta.n_iterations, nItems: created.nItems, parent: created.parent,
      fetchWindow: (from, to) => mcts.binary.fetchMessage(`${traceUrl(trace)}/window?${query}&from=${from}&to=${to}`),
      onMove: (t) => { if (made === replay) onMove(t); },
      onError: (error) => { if (made === replay) { player.stop(); complain(error); } },
    });
    return made;
  }

  const fetchView = (trace, query) => mcts.binary.fetchMessage(`${traceUrl(trace)}/view?${query}`);

  function fetchWindowAt(trace, query, t, last) {
    const from = mcts.replay.windowOf(t) * mcts.replay.WINDOW;
    const to = Math.min(from + mcts.replay.WINDOW, last);
    return mcts.binary.fetchMessage(`${traceUrl(trace)}/window?${query}&n_iterations=${last}&from=${from}&to=${to}`);
  }

  /** A view and its window at iteration t ("middle": half of the way). */
  async function fetchParts(trace, view, t) {
    const query = viewQuery(view);
    const message = await fetchView(trace, query);
    const last = message.meta.n_iterations;
    t = t === "middle" ? Math.ceil(last / 2) : Math.max(message.meta.first ?? 0, Math.min(last, t));
    return {message, first: await fetchWindowAt(trace, query, t, last), t};
  }

  /** A view of the first n iterations, its last window and the timeline: all at once, as n is known. */
  async function fetchEnd(trace, view, n) {
    const query = viewQuery(view);
    const [message, first, run] = await Promise.all([
      fetchView(trace, `${query}&n_iterations=${n}`), fetchWindowAt(trace, query, n, n), timelineOf(trace, n),
    ]);
    return {message, first, t: n, run};
  }

  /** Fetch a view and its window at t, then show both at once; what was shown stays until then. */
  async function load(trace, view, t, place, fetched = null) {
    const ticket = ++opening, began = t === undefined ? replay.wanted() : null;
    let parts;
    loading += 1;
    try {
      parts = await (fetched || fetchParts(trace, view, t ?? began));
    } catch (error) {
      if (ticket === opening) complain(error);
      return false;
    } finally {
      loading -= 1;
    }
    if (ticket !== opening) return false;
    const moved = t === undefined && replay.wanted() !== began; // by the person, while the view was on its way
    show(trace, view, parts.message, parts.first, parts.t, moved ? replay.wanted() : parts.t);
    await place();
    tree.draw();
    return true;
  }

  /** The colour asked for, or the first of those that the trace has numbers for. */
  const offered = (about, colour) => about.colour_modes.includes(colour) ? colour : about.colour_modes[0];

  function show(trace, view, message, first, fetched, t) {
    const playing = player.isPlaying();
    const {colour, size, show: parts} = cursor.get().view; // may have been chosen while the view was on its way
    view = {...view, colour: offered(message.meta, colour), size, show: parts};
    if (replay) { t = playing ? replay.state.t : t; replay.close(); }
    hover.forget();
    geometry = mcts.geometry.create(message);
    const isOther = cursor.get().trace !== trace || meta.recording !== message.meta.recording;
    meta = message.meta;
    length = meta.n_iterations;
    replay = makeReplay(trace, view, message, geometry);
    replay.keep(mcts.replay.windowOf(fetched), first);
    stage = mcts.phases.stage(replay, meta.focus_path.length - 1, meta.has_phases);
    tree.setView(geometry, meta, stage);
    tree.setOptions({colour: view.colour, size: view.size, show: view.show});
    if (icicle) icicle.setView(trace, view, meta);
    replay.seek(t);
    selectItem(cursor.get().node);
    cursor.set({trace, view}, !riding && !isOther);
    if (isOther) cursor.renew(); // also where another recording has taken the file of the one that was shown
    tellReach();
    app.onView(meta);
  }

  /** Show another view of the same trace, with an item held still on screen, or fitted. */
  function changeView(part, heldNode = null) {
    const {trace, view} = cursor.get();
    const next = {...view, ...part};
    const held = heldNode === null ? null : tree.local(geometry.itemOf(heldNode));
    return load(trace, next, undefined, () => {
      const item = heldNode === null ? -1 : geometry.itemOf(heldNode);
      return held && item >= 0 ? tree.keepAt(item, held[0], held[1]) : tree.fit();
    });
  }

  const without = (list, node) => list.filter((each) => each !== node);
  const having = (list, node) => list.includes(node) ? list : [...list, node];

  // ---- selecting ---------------------------------------------------------------------------------------------------

  function selectItem(node) {
    tree.select(geometry.itemOf(node));
    if (icicle) icicle.select(node);
  }

  function onClick(item, part) {
    const node = geometry.node[item];
    if (part === "stub") return app.expand(node);
    if (part === "handle") { app.select(node); return app.toggle(node); }
    return app.select(node);
  }

  function onHover(item, event) {
    if (item < 0 || !event) hover.hide();
    else hover.show(cardOf(item), event.clientX, event.clientY);
  }

  function neighbour(item, direction) {
    const above = geometry.parent[item];
    const alive = (list) => (list || []).filter((each) => !geometry.isStub(each) && replay.state.count[each] > 0);
    if (direction === "up") return above;
    if (direction === "down") return alive(geometry.childrenOf.get(item))[0] ?? -1;
    if (above < 0) return -1;
    const siblings = alive(geometry.childrenOf.get(above));
    return siblings[siblings.indexOf(item) + (direction === "left" ? -1 : 1)] ?? -1;
  }

  // ---- mounting ----------------------------------------------------------------------------------------------------

  function elementsReady() {
    const holder = byId(IDS.graph);
    const graph = holder && (holder._fullLayout ? holder : holder.querySelector(".js-plotly-plot"));
    return graph && graph._fullLayout && typeof graph.on === "function" && byId(IDS.timeline) && byId(IDS.card)
      ? graph : null;
  }

  function build(graph) {
    cursor = mcts.cursor.create((now, isNew) => app.onRest(now, isNew));
    player = mcts.player.create({
      position: () => replay ? replay.state.t : 0,
      last: () => meta ? length : 0,
      seek: (t) => replay ? seek(t) : false,
      onChange: showPlaying,
    });
    hover = mcts.hover.create(byId(IDS.card), (node) => {
      const {trace} = cursor.get();
      return mcts.binary.fetchJson(`${traceUrl(trace)}/node/${node}?t=${replay.state.t}`);
    });
    tree = mcts.treeCanvas.create(graph, {
      onHover, onClick, onPaint, onDoubleClick: (item) => app.focus(geometry.node[item]),
    });
    if (byId(IDS.icicle)) icicle = makeIcicle(graph);
    timeline = mcts.timeline.create(byId(IDS.timeline), {onSeek: (t) => { player.stop(); seek(t); }});
    mcts.keys.listen(app);
    app.setTheme(theme);
    showPlaying();
    for (const call of waiting.splice(0)) call();
    app.onMount();
  }

  const makeIcicle = (graph) => mcts.icicle.create(byId(IDS.icicle), graph, {
    fetchWindow: (trace, query) => mcts.binary.fetchMessage(`${traceUrl(trace)}/icicle?${query}`),
    onSelect: (each) => app.select(each),
    onFocus: (each) => app.focus(each),
    onHover: (item, c, state, event) => {
      if (item < 0) hover.hide();
      else hover.show(cardOf(item, c, state, "each narrower than a pixel"), event.clientX, event.clientY);
    },
    onDraw: sayWhenAtRest,
    onError: complain,
    iteration: () => replay ? replay.state.t : null,
    phase: () => phase,
    isPlaying: () => player.isPlaying(),
  });

  let watching = false;

  function mount() {
    if (tree || watching) return;
    watching = true;
    const look = () => {
      const graph = elementsReady();
      if (!graph) return requestAnimationFrame(look);
      watching = false;
      build(graph);
    };
    look();
  }

  /** Run now, or as soon as the page is mounted. */
  function whenMounted(call) {
    if (tree) return call();
    waiting.push(call);
    mount();
  }

  /** Open a trace at part.iteration ("middle" is allowed); what it needs is fetched while the page is still mounting. */
  async function openTrace(trace, part = {}, fetched = null) {
    const view = {...mcts.cursor.VIEW, ...(part.view || {})};
    if (!tree) {
      const early = fetchParts(trace, view, part.iteration ?? 0);
      early.then((parts) => app.onEarly(parts, view, part), () => {}); // an error is told when it is shown
      whenMounted(() => openTrace(trace, part, early));
      return;
    }
    player.stop();
    const {colour, size, show: parts} = view;
    phase = part.phase ?? null;
    cursor.set({node: part.node ?? 0, phase, view: {colour, size, show: parts}});
    sayForNow("Loading …");
    const shown = await load(trace, view, part.iteration ?? 0, () => tree.fit(), fetched);
    app.onOpen();
    if (!shown) return;
    try {
      const message = await timelineOf(trace, meta.n_iterations);
      if (cursor.get().trace === trace) setTimeline(message);
    } catch (error) {
      complain(error);
    }
  }

  const node = (given) => given === undefined || given === null ? cursor.get().node : given;

  const app = {
    mount, openTrace, step,

    seek: (t, ofPhase) => replay && t !== replay.state.t && isOff("steps") ? false : seek(t, ofPhase),

    /** Fetch the same view again: for a trace that has grown. */
    reload() {
      if (!replay) return Promise.resolve();
      const {trace, iteration, phase, view, node} = cursor.get();
      return openTrace(trace, {iteration, phase, view, node});
    },

    /** Let the panels ask again for what they show, and the picture for what it lacks: the server was away. */
    refresh() {
      if (!cursor) return;
      cursor.renew();
      if (replay) { sayForNow(""); seek(replay.wanted() ?? cursor.get().iteration, phase); }
    },

    /** Show the end of a trace that has grown to n iterations; gives n, null where that failed. */
    async ride(n) {
      const ticket = opening, {trace, view} = cursor.get();
      try {
        const parts = await fetchEnd(trace, view, n);
        if (ticket !== opening || !riding) return null;
        if (!await reload(n, parts)) return null;
        setTimeline(parts.run);
        return length;
      } catch (error) {
        complain(error);
        return null;
      }
    },

    /** Lengthen the timeline of a trace that has grown to n iterations, and leave the picture alone. */
    async lengthen(n) {
      const ticket = opening, {trace} = cursor.get();
      try {
        const message = await timelineOf(trace, n);
        if (ticket !== opening) return null;
        setTimeline(message);
        return length;
      } catch (error) {
        complain(error);
        return null;
      }
    },

    setRiding(on) { riding = on; whenMounted(() => cursor.setCalm(on)); },

    /** Tell the panels again where the cursor is: the trace has changed under it. */
    touch() { if (cursor) cursor.renew(); },

    /** The next (1) or previous (-1) phase, also across iterations. */
    walkPhases(direction) {
      if (!replay) return;
      if (isOff("phases")) return;
      const to = mcts.phases.next({iteration: replay.state.t, phase}, direction, length);
      if (to) { player.stop(); seek(to.iteration, to.phase); }
    },

    /** Show a phase of this iteration, of the first one before it; null shows the iteration as a whole. */
    setPhase(name) {
      if (!replay) return;
      if (name !== null && isOff("phases")) return;
      player.stop();
      seek(name === null ? replay.state.t : Math.max(1, replay.state.t), name);
    },

    togglePlay() {
      if (!replay || isOff("steps")) return;
      if (phase !== null) app.setPhase(null);
      player.toggle();
    },
    stop() { if (player) player.stop(); },
    setSpeed(iterationsPerSecond) { whenMounted(() => player.setSpeed(iterationsPerSecond)); },
    shiftSpeed(direction) { if (player) player.shift(direction); },

    /** Select a node by id; one that is hidden is brought into view first. */
    async select(given) {
      if (!replay) return;
      if (!Number.isInteger(given) || given < 0 || given >= meta.n_nodes) {
        complain(new Error(`Node ${given}: this trace has nodes 0 to ${meta.n_nodes - 1}.`));
        return;
      }
      cursor.set({node: given}, true);
      if (geometry.itemOf(given) < 0) await app.reveal(given);
      selectItem(given);
      if (geometry.itemOf(given) >= 0) await tree.bringIntoView(geometry.itemOf(given));
    },

    /** Open a hidden node's ancestors, leaving the focus when the node is not below it. */
    async reveal(given) {
      const {trace, view} = cursor.get();
      let way;
      try {
        way = (await mcts.binary.fetchJson(`${traceUrl(trace)}/node/${given}?t=${meta.n_iterations}`)).path;
      } catch (error) {
        return complain(error);
      }
      const above = way[way.length - 2];
      await changeView({
        opened: above === undefined ? view.opened : having(view.opened, above),
        closed: view.closed.filter((each) => each === given || !way.includes(each)),
        focus: way.includes(view.focus) ? view.focus : 0,
      }, view.focus);
    },

    expand(given) {
      if (!replay) return undefined;
      const {view} = cursor.get(), id = node(given);
      return changeView({opened: having(view.opened, id), closed: without(view.closed, id)}, id);
    },

    collapse(given) {
      if (!replay) return undefined;
      const {view} = cursor.get(), id = node(given);
      return changeView({opened: without(view.opened, id), closed: having(view.closed, id)}, id);
    },

    /** Show all of a node's descendants, or, when none is hidden, collapse the node and every child of it. */
    toggleSubtree(given) {
      if (!replay) return undefined;
      const id = node(given), item = geometry.itemOf(id), {view} = cursor.get();
      if (tree.handleOf(item) === "") return app.toggle(id); // it says why nothing happens
      return changeView(mcts.filter.toggledSubtree(view, geometry, item), id);
    },

    /** Show a node's children if it shows none, else hide them. */
    toggle(given) {
      if (!replay) return undefined;
      const id = node(given), item = geometry.itemOf(id);
      const sign = tree.handleOf(item);
      if (sign === "") {
        say(item < 0 ? `Node ${id} is not in view.` : `Node ${id} has no children.`);
        return undefined;
      }
      return sign === "+" ? app.expand(id) : app.collapse(id);
    },

    /** Draw a node as the root of the picture. */
    focus(given) {
      if (!replay) return undefined;
      const id = node(given);
      cursor.set({node: id});
      return changeView({focus: id, closed: without(cursor.get().view.closed, id)});
    },

    /** One step back: out of the focus; then to the view as it was opened. */
    back() {
      if (!replay) return undefined;
      if (phase !== null) return app.setPhase(null);
      const {view} = cursor.get();
      if (view.focus !== 0) return changeView({focus: 0});
      if (mcts.filter.words(view)) return app.clearFilter();
      if (view.opened.length || view.closed.length || view.whole.length) {
        return changeView({opened: [], closed: [], whole: []});
      }
      return tree.fit();
    },

    walk(direction) {
      if (!replay) return;
      const from = geometry.itemOf(cursor.get().node);
      const to = neighbour(from < 0 ? 0 : from, direction);
      if (to >= 0 && to !== undefined) app.select(geometry.node[to]);
    },

    setView(part) {
      if (!replay) { whenMounted(() => {}); return undefined; }
      const {view} = cursor.get();
      if (part.colour !== undefined) part = {...part, colour: offered(meta, part.colour)};
      const changes = Object.fromEntries(Object.entries(part).filter(([name, value]) =>
        value !== undefined && value !== null && String(view[name]) !== String(value)));
      if (Object.keys(changes).length === 0) return undefined;
      if (FILTERS.some((name) => name in changes)) Object.assign(changes, {opened: [], whole: []});
      if (["budget", "opened", "closed", "focus", ...FILTERS].some((name) => name in changes)) return changeView(changes);
      cursor.set({view: changes}, true);
      tree.setOptions(changes);
      if (icicle) icicle.setOptions(changes);
      return undefined;
    },

    clearFilter: () => app.setView(Object.fromEntries(FILTERS.map((name) => [name, 0]))),

    /** Copy the way to a node as names of moves, as *Find* and a start position take them. */
    async copyPath(given) {
      if (!replay) return;
      const {trace} = cursor.get(), id = node(given);
      try {
        const {text} = await mcts.binary.fetchJson(`${traceUrl(trace)}/path/${id}`);
        say(text ? await mcts.clipboard.copy(text) : "The root has no moves to copy.");
      } catch (error) {
        complain(error);
      }
    },

    setTheme(name) {
      theme = name === "dark" ? "dark" : "light";
      document.documentElement.dataset.mctsTheme = theme;
      if (!tree) return;
      tree.setTheme(theme);
      timeline.refresh();
      if (icicle) icicle.setOptions({theme});
    },

    showThreshold(value) { if (timeline) timeline.setThreshold(value); },

    resetZoom() { return tree ? tree.fit() : undefined; },

    /** Call use(canvas) with the tree drawn that many times as sharp as CSS pixels. */
    picture(sharpness, use) { if (replay) tree.sharp(sharpness, use); },
    repaint() { if (tree) tree.schedule(); },

    cursor: () => cursor ? cursor.get() : null,
    isLoading: () => loading > 0,
    wanted: () => replay ? replay.wanted() ?? 0 : 0, // the iteration that is shown, or on its way
    fromAddress: () => mcts.cursor.fromQuery(location.search),
    keys: () => mcts.keys.list(),

    /* for the page to replace */
    onRest() {}, onTimeline() {}, onMark() {}, onBookmark() {},
    onFind() {}, onHelp() {}, onMount() {}, onEarly() {}, onOpen() {}, onFollow() {}, onLeaveEnd() {}, onView() {}, onPlayChange() {}, onReach() {},

    /** The iteration that was painted last, null before the first picture; for benchmarks that ask in every frame. */
    painted: () => paints.length ? paints[paints.length - 1].t : null,

    /** Everything the picture shows, as numbers, for tests and benchmarks. */
    debug() {
      if (!replay || !geometry) return null;
      const {state} = stage;
      const items = [];
      for (let item = 0; item < geometry.nItems; item++) {
        if (state.count[item] === 0) continue;
        items.push({
          item, node: geometry.node[item], stub: geometry.isStub(item), count: state.count[item],
          visits: state.visits[item], value_sum: state.valueSum[item],
          label: geometry.isStub(item) ? `+${state.count[item]} more` : geometry.label(item),
          position: tree.position(item),
          colour: geometry.isStub(item) ? null : tree.colourOf(item),
          measure: geometry.isStub(item) ? null : tree.measureOf(item),
        });
      }
      const iteration = replay.iteration(), marked = stage.iteration();
      const ids = (list) => Array.from(list, (item) => geometry.node[item]);
      return {
        t: replay.state.t, n_iterations: length, n_items: geometry.nItems, items,
        path: iteration ? ids(iteration.path) : [],
        updated: iteration ? ids(iteration.updated) : [],
        made: iteration ? ids(iteration.made) : [],
        marked: marked && {path: ids(marked.path), made: ids(marked.made), updated: ids(marked.updated)},
        leaf: iteration ? iteration.leaf : null,
        outcome: iteration ? iteration.outcome : null,
        phase: stage.phase(), marks: mcts.phaseMarks.report(),
        chosen: stage.chosen(), waiting: replay.isWaiting(), loading: loading > 0 || !tree.isStill() || !cursor.isAtRest(),
        playing: player.isPlaying(), speed: player.speed(),
        cursor: cursor.get(), options: tree.options(), paint: tree.report(), paints,
        icicle: icicle ? icicle.debug() : null,
      };
    },
  };

  return app;
})();
