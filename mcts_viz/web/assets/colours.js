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

  /** {fills, inks} of STEPS entries for a scale's stops. */
  function table(stops) {
    const fills = [], inks = [];
    for (let i = 0; i < STEPS; i++) {
      const rgb = mix(stops, i / (STEPS - 1));
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

  /** What the colour of an item shows: (item, state) -> number, nan for none. */
  function measure(mode, geometry, meta) {
    const {parent, mover} = geometry;
    const [low, high] = meta.value_range;
    if (mode === "visits") return (item, s) => s.visits[item] > 0 ? s.visits[item] : NaN;
    if (mode === "mean_value") {
      return (item, s) => {
        if (s.visits[item] === 0) return NaN;
        const value = s.valueSum[item] / s.visits[item];
        return mover[item] === 1 ? low + high - value : value;
      };
    }
    const terms = mcts.formulas.ofItems(geometry, meta);
    if (terms === null) return () => NaN;
    return (item, s) => {
      if (parent[item] < 0) return NaN;
      const found = terms(item, s);
      const shown = mode === "uct" ? mcts.formulas.score(found) : found[1];
      return Number.isFinite(shown) ? shown : NaN;
    };
  }

  return {table, placer, measure, STEPS};
})();
