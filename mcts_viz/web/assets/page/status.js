/* The status line: what went wrong, what was done, and at rest how much of the tree is in view. */
mcts.status = (() => {
  const READING = 4000; // milliseconds that a message stays
  const PLAYED = 700;   // between two sentences while a search is played or followed, as between what the panels say (core/cursor.js)
  const {count} = mcts.dom, {session} = mcts;
  /** @type {{t: number | null, until: number}} */
  let held = {t: null, until: 0}; // what was said last stays so long, while one looks at the same iteration
  let timer = 0;

  /** The hint beside the line goes where it would cut it. @param {HTMLElement} line */
  function makeRoom(line) {
    const hint = mcts.dom.byId("hint");
    if (!hint) return;
    hint.hidden = false;
    hint.hidden = line.scrollWidth > line.clientWidth;
  }

  /** @param {string} text @param {boolean} [isError] */
  function write(text, isError = false) {
    const line = mcts.dom.byId("status-line");
    if (!line || (line.textContent === text && line.classList.contains("mcts-error") === isError)) return;
    line.textContent = line.title = text;
    line.classList.toggle("mcts-error", isError);
    makeRoom(line);
  }

  /** Something to be read before the status goes on to count nodes. @param {string} text @param {boolean} [isError] */
  function say(text, isError = false) {
    held = {t: session.shown ? session.shown.replay.state.t : null, until: performance.now() + READING};
    write(text, isError);
  }

  /** @param {string} text */
  function sayForNow(text) {
    held.until = 0;
    write(text);
  }

  /** @param {unknown} error */
  const complain = (error) => say(error instanceof Error ? error.message : String(error), true);

  function sayWhatIsHidden() {
    const {tree, icicle, cursor} = session.parts(), {geometry, replay, stage, meta} = session.view();
    let shown = 0;
    for (let item = 0; item < geometry.nNodes; item++) shown += stage.state.count[item];
    const existing = replay.nodeCount(stage.nodesAt()), {skipped} = tree.report(), {t} = replay.state;
    const {view} = cursor.get(), icicleSays = icicle && icicle.words(), parts = [];
    if (view.show !== "icicle") parts.push(`${count(shown)} of ${count(existing)} nodes in view`);
    if (existing > shown && !icicleSays) parts.push(`+${count(existing - shown)} nodes hidden`);
    const filter = mcts.filter.words(view);
    if (filter) parts.push(`filter: ${filter}`);
    if (icicleSays) parts.push(icicleSays);
    const iteration = replay.iteration();
    if (iteration && iteration.path.length === 0 && meta.has_phases) parts.push(`the path of iteration ${count(t)} is not in this view`);
    if (skipped > 0) parts.push(`${count(skipped)} too close to tell apart at this zoom`);
    write(parts.join(" · "));
    tree.describe(`Search tree after iteration ${count(t)}: ${parts.join(", ")}`);
  }

  function tell() {
    timer = 0;
    if (!session.shown || session.shown.replay.state.t < 0) return;
    mcts.sentence.write();
    const rest = held.t === session.shown.replay.state.t ? held.until - performance.now() : 0;
    if (rest > 0) timer = setTimeout(tell, rest); else sayWhatIsHidden();
  }

  /** Say what is in view as soon as nothing moves any more; while a search is played or followed, now and then. */
  function sayAtRest() {
    const isPlaying = session.riding || session.page?.player.isPlaying();
    if (isPlaying && timer) return;
    clearTimeout(timer);
    timer = setTimeout(tell, isPlaying ? PLAYED : 200);
  }

  return {say, sayForNow, complain, sayAtRest};
})();
