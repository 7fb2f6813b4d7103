/* Colours of nodes: the scales come from the server (mcts_viz/views/colours.py), here they become look-up tables. */
mcts.colours = (() => {
  const STEPS = 128;

  /** @param {string} hex */
  const channels = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));

  /** @param {string[]} stops @param {number} place */
  function mix(stops, place) {
    const at = Math.min(place * (stops.length - 1), stops.length - 1 - 1e-9);
    const left = channels(stops[Math.floor(at)]), right = channels(stops[Math.floor(at) + 1]);
    return left.map((value, i) => Math.round(value + (right[i] - value) * (at % 1)));
  }

  /** @param {number[]} rgb */
  const isBright = ([r, g, b]) => 0.299 * r + 0.587 * g + 0.114 * b > 150;

  /** @type {Map<string, {fills: string[], inks: string[]}>} */
  const tables = new Map(); // a trace that grows asks for one with each picture

  /** {fills, inks} of STEPS entries for a scale's stops; categories do not shade into each other. @param {string[]} stops */
  function table(stops, isCategorical = false) {
    const key = `${stops} ${isCategorical}`, known = tables.get(key) ?? mixed(stops, isCategorical);
    tables.set(key, known);
    return known;
  }

  /** @param {string[]} stops @param {boolean} isCategorical */
  function mixed(stops, isCategorical) {
    const fills = [], inks = [];
    for (let i = 0; i < STEPS; i++) {
      const at = i / (STEPS - 1);
      const rgb = mix(stops, isCategorical ? Math.round(at * (stops.length - 1)) / (stops.length - 1) : at);
      fills.push(`rgb(${rgb})`);
      inks.push(isBright(rgb) ? "#14181d" : "#ffffff");
    }
    return {fills, inks};
  }

  /** A function value -> index into the table, -1 for what has no colour. @param {Scale} scale */
  function placer(scale) {
    const f = scale.logarithmic ? Math.log : (/** @type {number} */ value) => value;
    const low = f(scale.low), factor = (STEPS - 1) / (f(scale.high) - low);
    return (/** @type {number} */ value) => {
      if (Number.isNaN(value)) return -1;
      const place = Math.round((f(value) - low) * factor);
      return place < 0 ? 0 : place >= STEPS ? STEPS - 1 : place;
    };
  }

  /** @param {ItemSource} geometry @param {Meta} meta @returns {Measure} */
  const meanValue = (geometry, meta) => (item, s) => mcts.viewpoint.colourMean(geometry, meta, s, item);

  /** What `pick` takes from an item's score; nan where there is no finite one.
      @type {(pick: (terms: Terms) => number) => (geometry: ItemSource, meta: Meta) => Measure} */
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
  /** @type {Record<string, (geometry: ItemSource, meta: Meta) => Measure>} */
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

  /** A number of the nodes themselves, such as a cost: number_0, number_1 and so on. @param {string} mode
      @returns {(geometry: ItemSource, meta: Meta) => Measure} */
  const ofNode = (mode) => (geometry) => {
    const column = /** @type {Record<string, any>} */ (geometry)[mode];
    return (item) => column?.[item] ?? NaN;
  };

  /** What the colour of an item shows: (item, state) -> number, nan for none.
      @param {string} mode @param {ItemSource} geometry @param {Meta} meta */
  const measure = (mode, geometry, meta) => (MEASURES[mode] ?? ofNode(mode))(geometry, meta);

  /** All that it takes to colour items by a scale. @param {Scale} scale @param {Theme} theme @param {ItemSource} geometry @param {Meta} meta
      @returns {Colouring} */
  const colouring = (scale, theme, geometry, meta) => ({
    table: table(scale.stops[theme], scale.categorical), place: placer(scale), measure: measure(scale.mode, geometry, meta),
  });

  const known = new Map(); // of the theme shown; asking the browser for one makes it work out its styles anew

  /** A colour of the page, by its name in tree.css, as the theme shown has it. @param {string} name */
  function css(name) {
    const root = document.documentElement, key = `${root.dataset.mctsTheme} ${name}`;
    const colour = known.get(key) || getComputedStyle(root).getPropertyValue(`--mcts-${name}`).trim();
    known.set(key, colour);
    return colour;
  }

  /** Several, by name. @param {string[]} names */
  const named = (names) => Object.fromEntries(names.map((/** @type {string} */ name) => [name, css(name)]));

  return {table, placer, measure, colouring, css, named, MEASURES, STEPS};
})();
