/* Places worth going back to, put together: the marks on the timeline, the history's chart, the notes. */
window.mcts = window.mcts || {};

mcts.places = (() => {
  "use strict";

  let marks = null, notes = null, opened = null, findings = null;

  function go(iteration, node) {
    mcts.app.stop();
    mcts.app.seek(iteration);
    if (node !== null) mcts.app.select(node);
  }

  /** The timeline of a trace is there, for the first time or anew as it has grown. */
  function onTimeline(trace, meta) {
    marks.set(trace, meta);
    if (opened !== trace) notes.open(trace);
    opened = trace;
    if (findings) marks.setFindings(findings.trace, findings.marks);
  }

  /** say: puts a sentence before the person. */
  function wire(say) {
    mcts.app.onMark = (direction) => { if (marks) marks.step(direction, mcts.app.wanted()); };
    mcts.app.onBookmark = () => { if (notes) notes.bookmark(); };
    mcts.app.onTimeline = (trace, meta) => {
      notes ??= mcts.notes.create({go, say, place: mcts.app.cursor, onChange: (key, list) => marks.setNotes(key, list)});
      marks ??= mcts.marks.create(document.getElementById("timeline"), {go, say, threshold: mcts.app.showThreshold});
      onTimeline(trace, meta);
      marks.follow(mcts.app.cursor());
    };
  }

  const nothing = () => window.dash_clientside.no_update;

  const markHistory = (cursor) => requestAnimationFrame(() => mcts.history.mark(cursor.iteration));

  /** The cursor has come to rest. */
  function follow(cursor) {
    if (marks) marks.follow(cursor);
    markHistory(cursor);
  }

  const showNotes = () => mcts.notes.whenThere((box) => notes && notes.show(box));

  const callbacks = {
    showFindings: (found) => { findings = found; if (marks && found) marks.setFindings(found.trace, found.marks); },
    markHistory: (shown) => { if (shown) markHistory(mcts.app.cursor()); }, // the chart has just been drawn
    jumpInHistory: (click) => {
      const point = click && click.points && click.points[0];
      if (point) { mcts.app.stop(); mcts.app.seek(point.x); }
      return nothing();
    },
  };

  window.dash_clientside = Object.assign({}, window.dash_clientside, {mcts: {...window.dash_clientside?.mcts, ...callbacks}});

  return {wire, follow, showNotes};
})();
