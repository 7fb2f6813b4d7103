/* Compare: which search the open one is compared with, and where. The one owner of that; the address and Dash's store
   are copies of it. */
window.mcts = window.mcts || {};

mcts.compare = (() => {
  "use strict";

  const CLOSED = null;
  let state = CLOSED; // {b: key or null, at: iteration or null for "in step with A", colour, rank, selected}

  const set = (id, props) => window.dash_clientside.set_props(id, props);
  const panel = () => document.getElementById("compare-panel");

  // ---- the address -------------------------------------------------------------------------------------------------

  /** "key" or "key:iteration", as an address has it; null for none. */
  function fromQuery(search) {
    const text = new URLSearchParams(search).get("compare");
    if (!text) return CLOSED;
    const [b, at] = text.split(":");
    return {b, at: /^\d+$/.test(at ?? "") ? Number(at) : null};
  }

  function toQuery(what, search) {
    const query = new URLSearchParams(search || "");
    if (what && what.b) query.set("compare", what.at === null ? what.b : `${what.b}:${what.at}`);
    else query.delete("compare");
    return "?" + query.toString().replaceAll("%2C", ",").replaceAll("%3A", ":");
  }

  // ---- state -------------------------------------------------------------------------------------------------------

  function put(next) {
    const opened = !state && next;
    state = next;
    history.replaceState(history.state, "", location.pathname + toQuery(state, location.search) + location.hash);
    set("compare", {data: state});
    set("compare-panel", {hidden: state === CLOSED});
    document.getElementById("compare-button")?.setAttribute("aria-pressed", String(state !== CLOSED));
    if (opened) requestAnimationFrame(() => dispatchEvent(new Event("resize"))); // the graph had no size until now
  }

  const change = (part) => {
    if (!state || Object.entries(part).every(([name, value]) => state[name] === value)) return;
    put({...state, ...part});
  };

  /** Compare with a trace, at an iteration of it (null: in step). */
  function open(b, at = null) {
    const kept = state || {colour: "visits", rank: "visits"};
    put({...kept, b, at, selected: null});
    set("compare-trace", {value: b});
    set("compare-step", {checked: at === null});
    if (at !== null) set("compare-at", {value: at});
  }

  const close = () => put(CLOSED);

  // ---- controls ----------------------------------------------------------------------------------------------------

  const wasClicked = (clicks) => Boolean(clicks);

  function setStep(checked) {
    if (!state) return;
    if (checked) change({at: null});
    else if (state.at === null) change({at: Number(panel().dataset.at || 0)});
  }

  function setAt(value) {
    if (state && state.at !== null && Number.isInteger(value) && value >= 0) change({at: value});
  }

  function goToFirst() {
    const [a, b] = (panel().dataset.first || "").split(" ").map(Number);
    if (!state || Number.isNaN(b)) return;
    mcts.app.stop();
    mcts.app.seek(a);
    if (state.at !== null) { change({at: b}); set("compare-at", {value: b}); }
  }

  /** A node of the union; the one of A, if A has it, is selected in A's own tree too. */
  function select(node, nodeA) {
    change({selected: node});
    if (Number.isInteger(nodeA)) mcts.app.select(nodeA);
  }

  function onKey(event) {
    if (event.key !== "Escape" || !state || event.defaultPrevented) return;
    if (event.target.closest?.("[role=dialog], [role=menu], [role=listbox], input")) return;
    event.preventDefault();
    event.stopPropagation();
    close();
  }

  function whenReady(then) {
    if (panel() && window.dash_clientside?.set_props) then(); else requestAnimationFrame(() => whenReady(then));
  }

  addEventListener("DOMContentLoaded", () => {
    document.addEventListener("keydown", onKey, true);
    const asked = fromQuery(location.search);
    if (asked) whenReady(() => open(asked.b, asked.at));
  });

  window.dash_clientside = Object.assign({}, window.dash_clientside, {
    compare: {
      toggle: (clicks) => { if (wasClicked(clicks)) { if (state) close(); else open(null); } },
      close: (clicks) => { if (wasClicked(clicks)) close(); },
      choose: (key) => { if (key && state && key !== state.b) open(key); },
      setAt, setStep,
      setColour: (colour) => { change({colour}); },
      setRank: (rank) => { change({rank}); },
      goToFirst: (clicks) => { if (wasClicked(clicks)) goToFirst(); },
      clickNode: (clicked) => {
        const point = clicked?.points?.[0];
        if (!point?.customdata) return;
        const {0: node, 1: nodeA} = point.customdata; // an array, of whatever type
        select(Number(node), nodeA < 0 ? null : Number(nodeA));
      },
      clickRow: (cell) => {
        if (!cell || cell.rowId === undefined) return;
        const [node, nodeA] = cell.rowId.split("/");
        select(Number(node), nodeA === "" ? null : Number(nodeA));
      },
      openMade: (made) => {
        if (!made) return;
        mcts.app.stop();
        mcts.app.seek(Infinity);
        open(made.key, made.at);
      },
    },
  });

  return {open, close, fromQuery, toQuery, state: () => state};
})();
