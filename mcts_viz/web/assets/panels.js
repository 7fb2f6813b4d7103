/* What the panels are told of the cursor: each only what it shows, and the one in a tab only while the tab is open. Dash
   spends some ten milliseconds of the browser on every callback, also on one that changes nothing. */
window.mcts = window.mcts || {};

mcts.panels = (() => {
  "use strict";

  const ON_ITS_WAY = 500; // milliseconds that a choice may take from its box to the cursor

  let cursor = null, tab = null, seen = "", isCaptioned = false, later = null;
  const shown = {}, waiting = {}; // by control: what it was made to show last; what a person chose since

  const set = (id, props) => window.dash_clientside.set_props(id, props);

  /** Tell a panel where the cursor is. */
  const tell = (panel) => set(`cursor-${panel}`, {data: structuredClone(cursor)});

  const differ = (one, other) => JSON.stringify(one) !== JSON.stringify(other);

  /** Whether a person has chosen something an instant ago that the cursor has not heard of. */
  function isOnItsWay(id, has, names) {
    if (!shown[id] || names.every((name) => !differ(has[name], shown[id][name]))) return false;
    const chosen = JSON.stringify(names.map((name) => has[name])), now = performance.now();
    if (waiting[id]?.chosen !== chosen) waiting[id] = {chosen, since: now};
    return now - waiting[id].since < ON_ITS_WAY;
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
    if (again) later = setTimeout(() => show(mcts.treeTools.controls(cursor)), ON_ITS_WAY);
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

  const tellTab = () => { if (cursor && tab && tab !== "notes") tell(tab); };

  /** Another tab is open. */
  function open(next) {
    tab = next;
    tellTab();
    if (tab === "notes") mcts.places.showNotes();
  }

  window.dash_clientside = Object.assign({}, window.dash_clientside, {mctsPanels: {open: (next) => { if (next) open(next); }}});

  return {follow};
})();
