/* Which panels get the cursor: each only what it shows, and those in tabs only while the tab is open. Dash
   spends some ten milliseconds of the browser on every callback, also on one that changes nothing. */
mcts.following = (() => {
  const AGAIN = 500;      // milliseconds until one looks whether a choice has come from its box to the cursor
  const LONGEST = 15_000; // that it may take
  const APART = 1000;     // that the open tab waits at most for another picture, while such come

  let /** @type {Cursor | null} */ cursor = null, /** @type {string | null} */ tab = null, seen = "", isCaptioned = false, later = 0, tabLater = 0;
  /* by control: what it was made to show last; what a person chose since */
  const /** @type {Record<string, any>} */ shown = {}, /** @type {Record<string, any>} */ waiting = {};
  const /** @type {Record<string, string>} */ heard = {};               // and the values that the page showed last

  const {set} = mcts.dash;

  /** The cursor as a panel gets it. */
  const told = () => ({data: {...structuredClone(cursor), theme: document.documentElement.dataset.mctsTheme}});
  /** Tell a panel where the cursor is. @param {string} panel */
  const tell = (panel) => set(`cursor-${panel}`, told());

  /** @param {any} one @param {any} other */
  const differ = (one, other) => JSON.stringify(one) !== JSON.stringify(other);

  /** Whether a choice has not reached the cursor yet: the page has not heard of it, or is fetching the view for
      it. @param {string} id @param {Record<string, any>} has @param {string[]} names */
  function isOnItsWay(id, has, names) {
    if (!shown[id] || names.every((/** @type {string} */ name) => !differ(has[name], shown[id][name]))) return false;
    const chosen = JSON.stringify(names.map((/** @type {string} */ name) => has[name])), now = performance.now();
    if (waiting[id]?.chosen !== chosen) waiting[id] = {chosen, since: now};
    return now - waiting[id].since < LONGEST && (heard[id] !== chosen || mcts.app.isLoading());
  }

  /** Let controls show the cursor, those that do not already: a person may have changed them, too.
      @param {Record<string, Record<string, any>>} controls */
  function show(controls) {
    let again = false;
    for (const [id, props] of Object.entries(controls)) {
      const has = window.dash_component_api.getLayout(id)?.props || {};
      const others = Object.keys(props).filter((name) => differ(has[name], props[name]));
      if (isOnItsWay(id, has, others)) { again = true; continue; }
      if (others.length) set(id, props);
      shown[id] = props;
      delete waiting[id];
    }
    clearTimeout(later);
    if (again) later = setTimeout(() => { if (cursor) show(mcts.treeTools.controls(cursor)); }, AGAIN);
  }

  /** The cursor has come to rest; isNew: what is there may be new, although the cursor has not moved; goesOn: another
      picture is about to come, and the tab is told after it, so that it does not wait for all panels.
      @param {Cursor} now @param {boolean} isNew @param {boolean} goesOn */
  function follow(now, isNew, goesOn) {
    cursor = now;
    const what = JSON.stringify([cursor.trace, cursor.view.focus]);
    set("cursor", told());
    if (isNew || what !== seen) tell("trace");
    if (cursor.phase || isCaptioned) tell("caption");
    if (mcts.compare.state()) tell("compare");
    [seen, isCaptioned] = [what, Boolean(cursor.phase)];
    const first = tab ? null : new URLSearchParams(location.search).get("tab"); // of who came here for a finding
    const next = first === "health" ? first : mcts.phases.tabFor(cursor.phase, tab);
    if (next) set("tabs", {value: next});
    else if (goesOn) tabLater ||= setTimeout(tellTab, APART);
    else tellTab();
    show(mcts.treeTools.controls(cursor));
    mcts.truth.follow(cursor);
    mcts.places.follow(cursor);
    mcts.origin.follow(cursor);
  }

  /** The cursor has not moved, but what is to be shown of it has changed: its game-theoretic values are there, or the theme is another. */
  function again() {
    if (!cursor?.trace || mcts.app.cursor()?.trace !== cursor.trace) return;
    set("cursor", told());
    if (mcts.compare.state()) tell("compare");
    tellTab();
  }

  /** The values that these controls show, by id, have reached the page. @param {Record<string, any>} values */
  function hear(values) {
    for (const [id, value] of Object.entries(values)) heard[id] = JSON.stringify([value]);
  }

  function tellTab() {
    clearTimeout(tabLater);
    tabLater = 0;
    if (cursor && tab) tell(tab);
  }

  /** The trace was looked at, and its picture is there. */
  function noteLook() {
    if (tabLater) tellTab();
  }

  /** Another tab is open. @param {any} next */
  function open(next) {
    tab = next;
    tellTab();
  }

  mcts.dash.offer("mctsPanels", {open: (/** @type {any} */ next) => { if (next) open(next); }});

  return {follow, again, hear, noteLook};
})();
