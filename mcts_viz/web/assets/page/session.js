/* What the page holds: its parts once it is mounted, what it shows once a trace is open, and where it is on its way to.
   One object; the files beside this one are functions over it. */
mcts.session = (() => {
  /** @type {Session} */
  const session = {
    page: null, shown: null, length: 0, phase: null, theme: "light", reach: {steps: "", phases: "", again: ""},
    riding: false, tickets: 0, loading: 0, coming: null, beyond: null, extending: false, keyAt: null, paints: [],
  };

  /** The parts of a page that is mounted. */
  function page() {
    if (!session.page) throw new Error("the page is not mounted yet");
    return session.page;
  }

  /** What a page shows on which a trace is open. */
  function shown() {
    if (!session.shown) throw new Error("no trace is open yet");
    return session.shown;
  }

  /** The view of the trace shown that a change builds on: the one on its way, else the one that is there. @returns {View} */
  function wanted() {
    const {trace, view} = page().cursor.get(), {colour, size, show, numbers, viewpoint} = view; // which wait for no answer
    return session.coming?.trace === trace ? {...session.coming.view, colour, size, show, numbers, viewpoint} : view;
  }

  /** @type {(() => void)[]} */
  const waiting = []; // calls made before the page was there

  /** Run now, or as soon as the page is mounted. @param {() => void} call */
  function whenMounted(call) {
    if (session.page) call(); else waiting.push(call);
  }

  /** @param {PageParts} parts */
  function mounted(parts) {
    session.page = parts;
    for (const call of waiting.splice(0)) call();
  }

  return Object.assign(session, {parts: page, view: shown, wanted, whenMounted, mounted});
})();
