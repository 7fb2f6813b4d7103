/* Compare: which search the open one is compared with, and where. The one owner of that; the address and Dash's store
   are copies of it. */
mcts.compare = (() => {
  const CLOSED = null;
  /** @type {CompareState | null} */
  let state = CLOSED; // {b: key or null, at: iteration or null for "in step with A", colour, rank, selected}

  const {set} = mcts.dash;
  const panel = () => mcts.dom.the("compare-panel");

  // ---- the address -------------------------------------------------------------------------------------------------

  /** "key" or "key:iteration", as an address has it; null for none. @param {string} search */
  function fromQuery(search) {
    const text = new URLSearchParams(search).get("compare");
    if (!text) return CLOSED;
    const [b, at] = text.split(":");
    return {b, at: /^\d+$/.test(at ?? "") ? Number(at) : null};
  }

  /** @param {CompareState | null} what @param {string} search */
  function toQuery(what, search) {
    const query = new URLSearchParams(search || "");
    if (what && what.b) query.set("compare", what.at === null ? what.b : `${what.b}:${what.at}`);
    else query.delete("compare");
    return "?" + query.toString().replaceAll("%2C", ",").replaceAll("%3A", ":");
  }

  // ---- state -------------------------------------------------------------------------------------------------------

  /** @param {any} next */
  function put(next) {
    const opened = !state && next;
    state = next;
    history.replaceState(history.state, "", location.pathname + toQuery(state, location.search) + location.hash);
    set("compare", {data: state});
    set("compare-panel", {hidden: state === CLOSED});
    document.getElementById("compare-button")?.setAttribute("aria-pressed", String(state !== CLOSED));
    if (opened) requestAnimationFrame(() => dispatchEvent(new Event("resize"))); // the graph had no size until now
  }

  /** @param {Partial<CompareState>} part */
  const change = (part) => {
    const held = state;
    if (!held || Object.entries(part).every(([name, value]) => held[/** @type {keyof CompareState} */ (name)] === value)) return;
    put({...held, ...part});
  };

  /** Compare with a trace, at an iteration of it (null: in step). @param {string | null} b @param {number | null} [at] */
  function open(b, at = null) {
    const kept = state || {colour: "visits", rank: "visits"};
    put({...kept, b, at, selected: null});
    set("compare-trace", {value: b});
    set("compare-step", {checked: at === null});
    if (at !== null) set("compare-at", {value: at});
  }

  const close = () => { mcts.origin.leaveB(); put(CLOSED); };

  /** Columns whose numbers can be asked about, and the number that each shows. @type {Record<string, [side: "A" | "B", number: string]>} */
  const NUMBERS = {visits_a: ["A", "visits"], mean_a: ["A", "mean_value"], visits_b: ["B", "visits"], mean_b: ["B", "mean_value"]};

  /** Which iterations made a number of the table. @param {any} cell @param {string[]} ids of the node, in A and in B */
  function ask({colId, value}, [nodeA, nodeB]) {
    const [side, number] = NUMBERS[colId] ?? [], t = Number(panel().dataset.at || 0);
    if (!state?.b || !number || value === null || value === undefined) return;
    if (side === "A") mcts.origin.ask(Number(nodeA), number); else mcts.origin.ask(Number(nodeB), number, false, {trace: state.b, t});
  }

  /** @param {number} iteration */
  function goToB(iteration) {
    if (!state) return;
    set("compare-step", {checked: false});
    set("compare-at", {value: iteration});
    change({at: iteration});
  }

  // ---- controls ----------------------------------------------------------------------------------------------------

  /** @param {number} clicks */
  const wasClicked = (clicks) => Boolean(clicks);

  /** @param {boolean} checked */
  function setStep(checked) {
    if (!state) return;
    if (checked) change({at: null});
    else if (state.at === null) change({at: Number(panel().dataset.at || 0)});
  }

  /** Who writes an iteration into the box means it, also where B went in step with A. @param {number} value */
  function setAt(value) {
    if (!state || !Number.isInteger(value) || value < 0) return;
    const shown = Number(panel().dataset.at || 0), isWritten = mcts.dom.byId("compare-at")?.parentElement?.contains(document.activeElement);
    if (state.at !== null) change({at: value});
    else if (isWritten && value !== shown) goToB(value);
  }

  /** Another search goes in step with this one; this one itself is compared with what it was half way here. @param {string} key */
  function choose(key) {
    if (!key || !state || key === state.b) return;
    const here = mcts.app.cursor();
    open(key, here?.trace === key ? Math.floor((here.iteration ?? 0) / 2) : null);
  }

  /** The iteration of B that the picture shows, written into the box unless one was chosen since the server was asked. @param {string} t */
  function showAt(t) {
    if (state && state.at === null && t) set("compare-at", {value: Number(t)});
  }

  function goToFirst() {
    const [a, b] = (panel().dataset.first || "").split(" ").map(Number);
    if (!state || Number.isNaN(b)) return;
    mcts.app.stop();
    mcts.app.seek(a);
    if (state.at !== null) goToB(b);
  }

  /** A node of the union; the one of A, if A has it, is selected in A's own tree too. @param {number} node @param {number | null} nodeA */
  function select(node, nodeA) {
    change({selected: node});
    if (nodeA !== null && Number.isInteger(nodeA)) mcts.app.select(nodeA);
  }

  /** @param {any} event */
  function onKey(event) {
    if (event.key !== "Escape" || !state || event.defaultPrevented) return;
    if (event.target.closest?.("[role=dialog], [role=menu], [role=listbox], input")) return;
    if (mcts.dom.byId("origin")?.hidden === false) return; // it is closed first
    event.preventDefault();
    event.stopPropagation();
    close();
  }

  /** @param {() => void} then */
  function whenReady(then) {
    if (panel() && mcts.dash.isReady()) then(); else requestAnimationFrame(() => whenReady(then));
  }

  addEventListener("DOMContentLoaded", () => {
    document.addEventListener("keydown", onKey, true);
    const asked = fromQuery(location.search);
    if (asked) whenReady(() => open(asked.b, asked.at));
  });

  mcts.dash.offer("compare", {
    toggle: (/** @type {number} */ clicks) => { if (wasClicked(clicks)) { if (state) close(); else open(null); } },
    close: (/** @type {number} */ clicks) => { if (wasClicked(clicks)) close(); },
    choose, setAt, setStep, showAt,
    setColour: (/** @type {string} */ colour) => { change({colour}); },
    setRank: (/** @type {string} */ rank) => { change({rank}); },
    goToFirst: (/** @type {number} */ clicks) => { if (wasClicked(clicks)) goToFirst(); },
    clickNode: (/** @type {any} */ clicked) => {
      const point = clicked?.points?.[0];
      if (!point?.customdata) return;
      const {0: node, 1: nodeA} = point.customdata; // an array, of whatever type
      select(Number(node), nodeA < 0 ? null : Number(nodeA));
    },
    clickRow: (/** @type {any} */ cell) => {
      if (!cell || cell.rowId === undefined) return;
      const [node, nodeA, nodeB] = cell.rowId.split("/");
      select(Number(node), nodeA === "" ? null : Number(nodeA));
      ask(cell, [nodeA, nodeB]);
    },
    openMade: (/** @type {any} */ made) => {
      if (!made) return;
      mcts.app.stop();
      mcts.app.seek(Infinity);
      open(made.key, made.at);
    },
  });

  return {open, close, goToB, fromQuery, toQuery, state: () => state};
})();
