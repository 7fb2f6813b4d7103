/* What if: starts a search with what its form shows at this moment, also when it was typed an instant ago. */
(() => {
  "use strict";

  const SETTLED = 100; // milliseconds: a number box tells Dash what was typed only when a timer of its own has run
  const starting = {};

  /** Pressed twice is pressed once. */
  function startWith(store, clicks) {
    if (!clicks) return;
    clearTimeout(starting[store]);
    starting[store] = setTimeout(() => window.dash_clientside.set_props(store, {data: clicks}), SETTLED);
  }

  window.dash_clientside = Object.assign({}, window.dash_clientside, {
    what_if: {
      start: (clicks) => startWith("what-if-go", clicks),
      startGrid: (clicks) => startWith("sure-go", clicks),
    },
  });
})();
