/* Play: what is clicked on the panel is asked of the server, once; the trace of the engine's last move is opened. */
mcts.match = (() => {
  const LOADED = Math.random().toString(36).slice(2); // this page, until it is loaded again
  /** @type {Record<string, number[]>} */
  const ARROWS = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};

  const {the} = mcts.dom, {set} = mcts.dash;

  let /** @type {any} */ match = null, /** @type {string | null} */ followed = null; // number of the match on the page, key of its trace that was opened
  let /** @type {string | null | undefined} */ besides; // key of the trace beside the panel
  let asked = 0, /** @type {number[] | null} */ keyedFrom = null, nRows = 0;

  // ---- the panel ---------------------------------------------------------------------------------------------------

  /** @param {boolean} isShown */
  const show = (isShown) => set("match-panel", {hidden: !isShown});

  /** @param {boolean} isShown */
  function showSetup(isShown) {
    set("match-setup", {style: isShown ? {} : {display: "none"}});
    set("match-table", {hidden: isShown});
  }

  function toggle() {
    if (match === null) mcts.firstGame.choose("match", {start: ""});
    show(the("match-panel").hidden === true);
    the("match-panel").classList.toggle("has-game", match !== null);
  }

  const begin = () => mcts.dash.submit("match-go", {page: LOADED, at: ++asked});

  /** A budget that makes sense in its unit: a thousand seconds for a move do not.
      @param {string} unit @param {number} budget */
  function fitBudget(unit, budget) {
    if (unit === "seconds" && budget >= 100) return 1;
    if (unit === "iterations" && budget < 100) return 1000;
    return budget;
  }

  // ---- asking ------------------------------------------------------------------------------------------------------

  /** @param {Record<string, unknown>} what */
  const ask = (what) => set("match-ask", {data: {match, id: `${LOADED} ${++asked}`, ...what}});

  /** @type {Record<string, () => void>} */
  const DO = {
    close: () => show(false),
    new: () => showSetup(true),
    back: () => showSetup(false),
    export: () => mcts.files.save(`api/match/${encodeURIComponent(match)}/zip`),
    undo: () => ask({do: "undo"}),
    stop: () => ask({do: "stop"}),
    on: () => ask({do: "on"}),
  };

  /** @param {any} event */
  function onClick(event) {
    if (event.detail > 0) keyedFrom = null; // the mouse is back
    else if (event.target.closest?.("#match-begin, #match-panel :is([data-do=stop], [data-do=undo])")) keyedFrom ??= [0, 0];
    const start = event.target.closest?.("[data-start]");
    if (start && !start.disabled) set(start.dataset.of, {value: start.dataset.start});
    const button = event.target.closest?.("#match-panel :is([data-move], [data-do], [data-trace])");
    if (!button || button.disabled) return;
    const {move, moves, trace, do: what} = button.dataset;
    if (move !== undefined) {
      if (event.detail === 0) keyedFrom = place(button);
      ask({do: "play", action: Number(move), moves: Number(moves)});
    } else if (trace !== undefined) {
      set("trace-opened", {data: {key: trace}});
    } else if (DO[what]) {
      DO[what]();
    }
  }

  // ---- the board by keys -------------------------------------------------------------------------------------------

  /** @param {Element | null} [board] the match's unless given */
  const cells = (board) => [...(board ?? the("match-position")).querySelectorAll(".match-board button")];

  /** @param {Element} element */
  function place(element) {
    const {left, top, width, height} = element.getBoundingClientRect();
    return [left + width / 2, top + height / 2];
  }

  /** The candidate nearest to a place, among those that lie in a direction, if one is given; straight ways count more.
      @param {number[]} from @param {number[][]} places @param {number[]} [direction] */
  function nearest(from, places, direction) {
    let best = -1, least = Infinity;
    places.forEach(([x, y], /** @type {number} */ i) => {
      const dx = x - from[0], dy = y - from[1];
      const along = direction ? dx * direction[0] + dy * direction[1] : 0;
      if (direction && along < 1) return;
      const aside = direction ? Math.abs(dx * direction[1]) + Math.abs(dy * direction[0]) : Math.hypot(dx, dy);
      if (along + 3 * aside < least) [best, least] = [i, along + 3 * aside];
    });
    return best;
  }

  /** Before the page's own keys, which the arrows are elsewhere; Escape goes back to those. @param {any} event */
  function onKey(event) {
    const direction = ARROWS[event.key];
    if (event.ctrlKey || event.shiftKey || event.altKey || event.metaKey) return;
    if (event.key === "Escape") keyedFrom = null; // nor does the board take the keys back when it is drawn again
    const board = event.target.closest?.(".match-board")?.parentElement;
    if (!board || !(direction || (event.key === "Escape" && board.id === "match-position"))) return;
    event.preventDefault();
    if (!direction) return event.target.blur();
    const all = cells(board);
    return all[nearest(place(event.target), all.map(place), direction)]?.focus();
  }

  /** Who plays by keys finds them on the board again when it is their turn. */
  function onChange() {
    markOpen();
    showLastMove();
    const from = keyedFrom, all = from === null ? [] : cells();
    if (from === null || all.length === 0 || !(document.activeElement === document.body || document.activeElement === null)) return;
    all[nearest(from, all.map(place))].focus();
    keyedFrom = null;
  }

  // ---- the trace of the last move ----------------------------------------------------------------------------------

  /** A move was decided: its trace is opened; not the one that was there before the page was loaded.
      @param {any} trace @param {any} mine */
  function follow(trace, mine) {
    if (!trace) return;
    if (trace.match !== match) {
      match = trace.match;
      followed = mine && mine.page === LOADED ? null : trace.key;
      the("match-panel").classList.add("has-game");
      show(true);
      showSetup(false);
    }
    if (!trace.key) wait(true);
    if (!trace.key || trace.key === followed) return;
    followed = trace.key;
    set("trace-opened", {data: {key: trace.key}});
  }

  /** Nothing of the match has been searched yet: the tree beside it, of another search, is not shown. @param {boolean} isIt */
  const wait = (isIt) => { document.documentElement.toggleAttribute("data-mcts-no-search", isIt); };

  /** In the list of moves, the one whose trace is on the page. */
  function markOpen() {
    const open = mcts.app.cursor()?.trace;
    if (open !== besides) wait(false);
    besides = open;
    for (const row of document.querySelectorAll("#match-moves [data-trace]")) {
      if (row.dataset.trace === open) row.setAttribute("aria-current", "true"); else row.removeAttribute("aria-current");
    }
  }

  function showLastMove() {
    const rows = document.querySelectorAll("#match-moves li");
    if (rows.length !== nRows) mcts.scroll.reveal(document.querySelector("#match-moves > ol:first-child > li:last-child"));
    nRows = rows.length;
  }

  // ---- the start ---------------------------------------------------------------------------------------------------

  /** Once, when the panel is there. */
  function wire() {
    addEventListener("click", onClick);
    document.addEventListener("keydown", onKey, true);
    new MutationObserver(onChange).observe(the("match-panel"), {childList: true, subtree: true});
  }

  /** The theme is another. */
  const redraw = () => { if (!the("match-panel").hidden) set("match-tick", {n_intervals: 0}); };

  return {wire, toggle, begin, follow, markOpen, redraw, fitBudget, nearest};
})();
