/* Moving through time: by iterations, by phases, playing, and to the end of a trace that grows. */
mcts.stepping = (() => {
  const PAINTS_KEPT = 400;
  const {session} = mcts, {byId, count} = mcts.dom;

  function showReadout() {
    const readout = byId("iteration-readout");
    if (readout) mcts.dom.write(readout, `${count(session.view().replay.state.t)} / ${count(session.length)}`);
  }

  function showPlaying() {
    const button = byId("play-button"), {player, cursor} = session.parts(), isPlaying = player.isPlaying();
    cursor.setCalm(session.riding || isPlaying);
    if (button) {
      button.dataset.playing = String(isPlaying);
      button.setAttribute("aria-pressed", String(isPlaying));
      button.setAttribute("aria-label", isPlaying ? "pause" : "play");
    }
    mcts.app.onPlayChange(isPlaying, player.speed());
  }

  /** The replay has moved. @param {number} t */
  function onMove(t) {
    const {tree, icicle, timeline, player, cursor} = session.parts(), {meta, stage, replay} = session.view();
    if (t === 0 || !meta.has_phases) session.phase = null;
    stage.show(session.phase);
    cursor.set({iteration: t, phase: session.phase});
    mcts.phases.mark(session.phase);
    showReadout();
    timeline.show(t, session.length, replay.wanted());
    leaveEnd(t, session.phase);
    if (player.isPlaying()) tree.draw(); else tree.schedule();
    if (icicle) icicle.show(t);
  }

  /** @param {PaintReport} report */
  function onPaint(report) {
    report.t = session.view().replay.state.t; // also in a phase that shows the numbers before it
    if (session.keyAt !== null) report.sinceInput = report.at - session.keyAt;
    session.keyAt = null;
    session.paints.push(report);
    if (session.paints.length > PAINTS_KEPT) session.paints = session.paints.slice(-PAINTS_KEPT / 2);
    mcts.status.sayAtRest();
  }

  /** A step away from the end of a growing trace stops following it. @param {number} t @param {Phase | null} phase */
  function leaveEnd(t, phase) {
    if (session.riding && (t < session.view().meta.n_iterations || phase !== null)) mcts.app.onLeaveEnd();
  }

  /** To an iteration as a whole, or to one of its phases; whether it is shown already. @param {number} t @param {Phase | null} [phase] */
  function seekNow(t, phase = null) {
    if (!session.shown) return false;
    const {meta, replay} = session.shown;
    session.phase = phase;
    session.keyAt = performance.now();
    session.parts().cursor.wait();
    t = Math.round(Math.max(meta.first ?? 0, Math.min(session.length, Number(t))));
    leaveEnd(t, phase); // now: a pending update of the end must not take the person back
    if (t > meta.n_iterations) return extend(t);
    session.beyond = null;
    return replay.seek(t);
  }

  /** To an iteration that has come since the view was made: with a view of all there are by now. @param {number} t */
  function extend(t) {
    session.beyond = t;
    if (session.extending) return false; // its answer looks at what is wanted then
    session.extending = true;
    mcts.opening.renew().finally(() => {
      session.extending = false;
      if (session.beyond !== null && !session.loading) extend(session.beyond); // wanted after a view that took its place had come
    });
    return false;
  }

  /** Say why nothing happens; whether there was something to say. @param {"steps" | "phases"} what */
  function isOff(what) {
    const reason = session.reach[what];
    if (reason) mcts.status.say(mcts.reach.sentence(reason), true);
    return Boolean(reason);
  }

  /** @param {number} t @param {Phase | null} [phase] */
  function seek(t, phase) {
    return session.shown && t !== session.shown.replay.state.t && isOff("steps") ? false : seekNow(t, phase);
  }

  /** By iterations; a held key builds on where it is going, not on where the picture still is. @param {number} distance */
  function step(distance) {
    if (!session.shown || isOff("steps")) return;
    session.parts().player.stop();
    seekNow(mcts.passing.from(session.shown.replay.wanted(), distance));
  }

  /** The next (1) or previous (-1) phase, also across iterations. @param {number} direction */
  function walkPhases(direction) {
    if (!session.shown || isOff("phases")) return;
    const to = mcts.phases.next({iteration: session.shown.replay.state.t, phase: session.phase}, direction, session.length);
    if (!to) return;
    const {t} = session.shown.replay.state;
    if (to.iteration !== t) {
      to.iteration = mcts.passing.from(t, direction);
      if (to.iteration === t) return; // no further one through the node
    }
    session.parts().player.stop();
    seekNow(to.iteration, to.phase);
  }

  /** Show a phase of this iteration, of the first one before it; null shows the iteration as a whole. @param {Phase | null} name */
  function setPhase(name) {
    if (!session.shown || (name !== null && isOff("phases"))) return;
    const {t} = session.shown.replay.state;
    session.parts().player.stop();
    seekNow(name === null ? t : Math.max(1, t), name);
  }

  function togglePlay() {
    if (!session.shown || isOff("steps")) return;
    if (session.phase !== null) setPhase(null);
    session.parts().player.toggle();
  }

  return {
    showReadout, showPlaying, onMove, onPaint, seekNow,
    forApp: {
      seek, step, walkPhases, setPhase, togglePlay,
      stop() { if (session.page) session.page.player.stop(); },
      setSpeed(/** @type {number} */ perSecond) { session.whenMounted(() => session.parts().player.setSpeed(perSecond)); },
      shiftSpeed(/** @type {number} */ direction) { if (session.page) session.page.player.shift(direction); },
      /** The iteration that is shown, or on its way. */
      wanted: () => session.shown ? session.shown.replay.wanted() : 0,
    },
  };
})();
