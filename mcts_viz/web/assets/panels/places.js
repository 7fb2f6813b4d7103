/* Places worth going back to, put together: the marks on the timeline, the history's chart, the notes. */
mcts.places = (() => {
  let /** @type {ReturnType<typeof mcts.marks.create> | null} */ marks = null, /** @type {any} */ notes = null;
  let /** @type {string | null} */ opened = null, /** @type {any} */ findings = null, /** @type {any} */ hits = null; // words found

  /** @param {number} iteration @param {number | null} node */
  function go(iteration, node) {
    mcts.app.stop();
    mcts.app.seek(iteration);
    if (node !== null) mcts.app.select(node);
  }

  /** The timeline of a trace is there, for the first time or anew as it has grown. @param {string} trace @param {any} meta */
  function onTimeline(trace, meta) {
    marks?.set(trace, meta);
    if (opened !== trace) notes.open(trace);
    opened = trace;
    mcts.lanes.show(trace, meta);
    if (findings) marks?.setFindings(findings.trace, findings.marks);
    showHits();
  }

  /** Mark the nodes in which words were found, in the tree and on the timeline. */
  function showHits() {
    mcts.app.markNodes(hits && hits.trace === opened ? hits.nodes : []);
    if (hits) marks?.setHits(hits.trace, hits.events);
  }

  /** say: puts a sentence before the person. @param {(text: string) => void} say */
  function wire(say) {
    mcts.app.onMark = (direction) => { if (marks) marks.step(direction, mcts.app.wanted()); };
    mcts.app.onBookmark = () => { if (notes) notes.bookmark(); };
    mcts.app.onTimeline = (trace, meta) => {
      notes ??= mcts.notes.create({
        go, say, save: mcts.files.save, place: mcts.app.cursor,
        onChange: (/** @type {string} */ key, /** @type {Note[]} */ list) => marks?.setNotes(key, list),
      });
      marks ??= mcts.marks.create(mcts.dom.the("timeline"), {go, say, threshold: mcts.app.showThreshold});
      onTimeline(trace, meta);
      marks.follow(mcts.app.cursor());
    };
  }

  /** @param {Cursor} cursor */
  const markHistory = (cursor) => requestAnimationFrame(() => mcts.history.mark(cursor.iteration));

  /** The cursor has come to rest. @param {Cursor} cursor */
  function follow(cursor) {
    if (marks) marks.follow(cursor);
    markHistory(cursor);
  }

  /** See the cursor's. @param {number} took @param {boolean} hasGrown */
  function noteLook(took, hasGrown) {
    marks?.noteLook(took, hasGrown);
  }

  const showNotes = () => mcts.notes.whenThere((/** @type {HTMLElement} */ box) => notes && notes.show(box));

  const callbacks = {
    showNotes() { showNotes(); },
    showFindings: (/** @type {any} */ found) => { findings = found; if (marks && found) marks.setFindings(found.trace, found.marks); },
    showHits: (/** @type {any} */ found) => { hits = found; showHits(); },
    /** The chart has just been drawn. @param {any} shown */
    markHistory(shown) {
      const cursor = mcts.app.cursor();
      if (shown && cursor) markHistory(cursor);
    },
    jumpInHistory: (/** @type {any} */ click) => {
      const point = click && click.points && click.points[0];
      if (point) { mcts.app.stop(); mcts.app.seek(point.x); }
      return mcts.dash.nothing();
    },
  };

  mcts.dash.offer("mcts", callbacks);

  return {wire, follow, noteLook};
})();
