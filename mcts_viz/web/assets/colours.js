/* Colours of nodes: the scales come from the server (mcts_viz/views/colours.py), here they become look-up tables. */
window.mcts = window.mcts || {};

mcts.colours = (() => {
  "use strict";

  const STEPS = 128;

  const channels = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));

  function mix(stops, place) {
    const at = Math.min(place * (stops.length - 1), stops.length - 1 - 1e-9);
    const left = channels(stops[Math.floor(at)]), right = channels(stops[Math.floor(at) + 1]);
    return left.map((value, i) => Math.round(value + (right[i] - value) * (at % 1)));
  }

  const isBright = ([r, g, b]) => 0.299 * r + 0.587 * g + 0.114 * b > 150;

  /** {fills, inks} of STEPS entries for a scale's stops; categories do not shade into each other. */
  function table(stops, isCategorical = false) {
    const fills = [], inks = [];
    for (let i = 0; i < STEPS; i++) {
      const at = i / (STEPS - 1);
      const rgb = mix(stops, isCategorical ? Math.round(at * (stops.length - 1)) / (stops.length - 1) : at);
      fills.push(`rgb(${rgb})`);
      inks.push(isBright(rgb) ? "#14181d" : "#ffffff");
    }
    return {fills, inks};
  }

  /** A function value -> index into the table, -1 for what has no colour. */
  function placer(scale) {
    const f = scale.logarithmic ? Math.log : (value) => value;
    const low = f(scale.low), factor = (STEPS - 1) / (f(scale.high) - low);
    return (value) => {
      if (Number.isNaN(value)) return -1;
      const place = Math.round((f(value) - low) * factor);
      return place < 0 ? 0 : place >= STEPS ? STEPS - 1 : place;
    };
  }

  function meanValue({mover}, meta) {
    const [low, high] = meta.value_range;
    return (item, s) => {
      if (s.visits[item] === 0) return NaN;
      const value = s.valueSum[item] / s.visits[item];
      return mover[item] === 1 ? low + high - value : value;
    };
  }

  /** What `pick` takes from an item's score; nan where there is no finite one. */
  const ofScore = (pick) => (geometry, meta) => {
    const terms = mcts.formulas.ofItems(geometry, meta);
    if (terms === null) return () => NaN;
    return (item, s) => {
      if (geometry.parent[item] < 0) return NaN;
      const shown = pick(terms(item, s));
      return Number.isFinite(shown) ? shown : NaN;
    };
  };

  /* mode -> (geometry, meta) -> (item, state) -> number, nan for none; the scales' names and words are in
     mcts_viz/views/colours.py */
  const MEASURES = {
    mean_value: meanValue,
    visits: () => (item, s) => s.visits[item] > 0 ? s.visits[item] : NaN,
    uct: ofScore((terms) => mcts.formulas.score(terms)),
    exploration: ofScore((terms) => terms[1]),
    prior: ({prior}) => (item) => prior[item],
    player: ({mover}) => (item) => mover[item] >= 0 ? mover[item] : NaN,
    last_visit: () => (item, s) => s.visits[item] > 0 ? s.t - s.lastVisit[item] + 1 : NaN,
    true_value: (geometry) => mcts.truth.measure(geometry),
  };

  /** What the colour of an item shows: (item, state) -> number, nan for none. */
  const measure = (mode, geometry, meta) => MEASURES[mode](geometry, meta);

  const known = new Map(); // of the theme shown; asking the browser for one makes it work out its styles anew

  /** A colour of the page, by its name in tree.css, as the theme shown has it. */
  function css(name) {
    const root = document.documentElement, key = `${root.dataset.mctsTheme} ${name}`;
    const colour = known.get(key) || getComputedStyle(root).getPropertyValue(`--mcts-${name}`).trim();
    known.set(key, colour);
    return colour;
  }

  /** Several, by name. */
  const named = (names) => Object.fromEntries(names.map((name) => [name, css(name)]));

  return {table, placer, measure, css, named, MEASURES, STEPS};
})();
