/* One search on the page at a time: while another trace takes the place of one, what is stale is dimmed, what is still to
   come is blank, and the parts are there again together. How a part looks meanwhile is in page_comfort.css. */
mcts.changing = (() => {
  const PARTS = [".picture", ".crumbs", "#trace-note", ".under", ".side", ".readout", ".decision", ".timeline", ".truth-strip"];
  const STILL = 2; // pictures of the screen without anything on its way

  const PANELS = "#node-panel, #decision"; // called at every place of the cursor

  let turn = 0; // of a wait; a later one ends those before
  let told = false; // those panels have changed since
  let /** @type {MutationObserver | null} */ panels = null;

  /** stale: another trace is on its way. coming: the tree has it, the panels do not. none: no trace is open.
      @param {"stale" | "coming" | "none" | ""} state */
  function mark(state) {
    turn += 1;
    told = false;
    panels ??= new MutationObserver(() => { told = true; });
    panels.disconnect();
    if (state === "coming") for (const panel of document.querySelectorAll(PANELS)) panels.observe(panel, {childList: true, subtree: true});
    document.documentElement.dataset.mctsParts = state;
    for (const part of document.querySelectorAll(PARTS.join())) part.setAttribute("aria-busy", String(state !== ""));
  }

  /** @returns {NodeListOf<HTMLImageElement>} */
  const boards = () => document.querySelectorAll(".side img");
  /* of a search that grows there is always something on its way */
  const areThere = () => (mcts.session.riding ? told : !mcts.dash.isFollowing()) && [...boards()].every(({complete}) => complete);

  /** Show all parts once they are there. */
  function wait() {
    const mine = turn;
    let still = 0;
    const look = () => {
      if (mine !== turn) return;
      still = areThere() ? still + 1 : 0;
      if (still < STILL) requestAnimationFrame(look); else mark("");
    };
    look();
  }

  const state = () => document.documentElement.dataset.mctsParts ?? "";

  return {
    /** Another trace was asked for. */
    begin() { if (mcts.session.shown) mark("stale"); },
    /** The tree shows it, and the panels were updated. */
    treeIsThere() { if (state()) mark("coming"); },
    /** So does the timeline, which comes last. */
    timelineIsThere() { if (state() === "coming") wait(); },
    end: () => mark("none"),
  };
})();
