/* The few things that the page's scripts ask of Dash: call-backs in the browser, and properties of its components. */
mcts.dash = (() => {
  window.dash_clientside = window.dash_clientside || {};

  /** Offer functions to Dash's client-side call-backs, under a name that Python gives to ClientsideFunction.
      @param {string} name @param {Record<string, Function>} functions */
  function offer(name, functions) {
    window.dash_clientside[name] = {...window.dash_clientside[name], ...functions};
  }

  /** Set properties of a component. @param {string} id @param {Record<string, any>} properties */
  const set = (id, properties) => window.dash_clientside.set_props(id, properties);

  const isReady = () => Boolean(window.dash_clientside.set_props);
  const nothing = () => window.dash_clientside.no_update;
  const triggered = () => window.dash_clientside.callback_context.triggered_id;
  const wasClicked = () => window.dash_clientside.callback_context.triggered.some((/** @type {any} */ each) => each.value);

  let clicks = 0;
  /** Which of several buttons was clicked, for a store. A call-back of the server's that took the buttons themselves would
      lose the click when their panel is drawn again before it has answered: Dash asks it anew then, and drops the answer. */
  const clicked = () => wasClicked() ? {...triggered(), click: ++clicks} : nothing();

  const AT_REST = ["stored", "completed"]; // lists of Dash's of call-backs that are over

  /** Whether call-backs that go by the cursor are on their way. Dash has no function for it, but keeps its state in sight. */
  function isFollowing() {
    const lists = window.dash_stores?.[0]?.getState().callbacks ?? {};
    return Object.entries(lists).some(([name, list]) => Array.isArray(list) && !AT_REST.includes(name)
      && list.some(({callback}) => callback?.inputs?.some((/** @type {any} */ {id}) => String(id).startsWith("cursor"))));
  }

  const SETTLED = 100; // milliseconds: a box tells Dash what was typed a moment later, a number box when a timer of its own has run
  const STARTS = "button[id$='-start'], #match-begin"; // what is pressed to start
  /** @type {Record<string, number>} */
  const starting = {}; // timers, by store
  const /** @type {Set<EventTarget>} */ later = new Set(); // fields that were edited since one was pressed
  let holding = 0; // a timer, while edits wait

  /** Start what a store stands for, with what its form shows at this moment, also when it was typed an instant ago;
      pressed twice is pressed once. @param {string} store @param {unknown} data */
  function submit(store, data) {
    clearTimeout(starting[store]);
    hold();
    starting[store] = setTimeout(() => { set(store, {data}); giveBack(); }, SETTLED);
  }

  /** What is edited from now on counts once the form was read. */
  function hold() {
    clearTimeout(holding);
    holding = setTimeout(giveBack, 5 * SETTLED);
  }

  function giveBack() {
    clearTimeout(holding);
    holding = 0;
    for (const field of later) field.dispatchEvent(new Event("input", {bubbles: true}));
    later.clear();
  }

  addEventListener("click", (event) => { if (/** @type {HTMLElement} */ (event.target).closest?.(STARTS)) hold(); }, true);
  addEventListener("input", (event) => {
    if (!holding || !event.target) return;
    later.add(event.target);
    event.stopImmediatePropagation();
  }, true);

  return {SETTLED, clicked, submit, offer, set, isFollowing, isReady, nothing, triggered, wasClicked};
})();
