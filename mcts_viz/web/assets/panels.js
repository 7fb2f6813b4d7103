/* What the panels are told of the cursor: each only what it shows, and the one in a tab only while the tab is open. Dash
   spends some ten milliseconds of the browser on every callback, also on one that changes nothing. */
window.mcts = window.mcts || {};

mcts.panels = (() => {
  "use strict";

  const AGAIN = 500;      // milliseconds until one looks whether a choice has come from its box to the cursor
  const LONGEST = 15_000; // that it may take

  let cursor = null, tab = null, seen = "", isCaptioned = false, later = null;
  const shown = {}, waiting = {}; // by control: what it was made to show last; what a person chose since
  const heard = {};               // and what the page was told last that it shows

  const set = (id, props) => window.dash_clientside.set_props(id, props);

  /** Tell a panel where the cursor is. */
  const tell = (panel) => set(`cursor-${panel}`, {data: structuredClone(cursor)});

  const differ = (one, other) => JSON.stringify(one) !== JSON.stringify(other);

  /** Whether a person has chosen something that the cursor is still to hear of: the page was not told yet, or fetches
      the view that it takes. */
  function isOnItsWay(id, has, names) {
    if (!shown[id] || names.every((name) => !differ(has[name], shown[id][name]))) return false;
    const chosen = JSON.stringify(names.map((name) => has[name])), now = performance.now();
    if (waiting[id]?.chosen !== chosen) waiting[id] = {chosen, since: now};
    return now - waiting[id].since < LONGEST && (heard[id] !== chosen || mcts.app.isLoading());
  }

  /** Let controls show the cursor, those that do not already: a person may have changed them, too. */
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
    if (again) later = setTimeout(() => show(mcts.treeTools.controls(cursor)), AGAIN);
  }

  /** The cursor has come to rest; isNew: what is there may be new, although the cursor has not moved. */
  function follow(now, isNew) {
    cursor = now;
    const what = JSON.stringify([cursor.trace, cursor.view.focus]);
    set("cursor", {data: structuredClone(cursor)});
    if (isNew || what !== seen) tell("trace");
    if (cursor.phase || isCaptioned) tell("caption");
    if (mcts.compare.state()) tell("compare");
    [seen, isCaptioned] = [what, Boolean(cursor.phase)];
    const next = mcts.phases.tabFor(cursor.phase, tab);
    if (next) set("tabs", {value: next}); else tellTab();
    show(mcts.treeTools.controls(cursor));
    mcts.truth.follow(cursor);
    mcts.places.follow(cursor);
  }

  /** The page was told what these controls show: value by id. */
  function hear(values) {
    for (const [id, value] of Object.entries(values)) heard[id] = JSON.stringify([value]);
  }

  const tellTab = () => { if (cursor && tab && tab !== "notes") tell(tab); };

  /** Another tab is open. */
  function open(next) {
    tab = next;
    tellTab();
    if (tab === "notes") mcts.places.showNotes();
  }

  window.dash_clientside = Object.assign({}, window.dash_clientside, {mctsPanels: {open: (next) => { if (next) open(next); }}});

  return {follow, hear};
})();
