/* Whose view values are shown in, everywhere on the page: that of the player who moved into each node (the root's: who is to move
   there), or that of one player. Traces have them in the view of the player who moved into the node. */
mcts.viewpoint = (() => {
  let chosen = ""; // "mover", "first", "second", …; "": as recorded, colours in the view of the first player
  const PLACES = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth",
    "thirteenth", "fourteenth", "fifteenth", "sixteenth"]; // as in views/view_spec.py

  /** A view that an address asks for, or that of the mover where the trace has no such player.
      @param {Pick<Meta, "players">} meta @param {string} view */
  const offered = ({players}, view) => PLACES.indexOf(view) < Math.max(players.length, 2) ? view : "mover";

  /** The player whose view a value is shown in; less than 0 where it is not known. Where nothing can be turned
      round, each player's values come from the server, if the trace has them. @param {number} mover
      @param {boolean} isRoot @param {Pick<Meta, "players" | "mirrors" | "player_values">} meta */
  function playerOf(mover, isRoot, meta, view = chosen) {
    if (mover < 0 || view === "") return mover;
    const player = PLACES.indexOf(view);
    if (!meta.mirrors && (player < 0 || !meta.player_values || player >= meta.players.length)) return mover;
    return player >= 0 ? player : isRoot ? 1 - mover : mover;
  }

  /** @param {ItemSource} c @param {number} item */
  const isRoot = (c, item) => c.node[item] === 0 && !c.isStub(item);

  /** @param {number} mean @param {Meta} meta */
  const mirrored = (mean, {value_range: [low, high]}) => low + high - mean;

  /** A mean value as it is shown. @param {number} found in the view of `mover` @param {number} mover @param {boolean} ofRoot @param {Meta} meta */
  const shown = (found, mover, ofRoot, meta, view = chosen) =>
    meta.mirrors && playerOf(mover, ofRoot, meta, view) !== mover ? mirrored(found, meta) : found;

  /** An item's mean value as it is shown; nan without visits, and where moves collect visits alone.
      @param {ItemSource} c @param {Meta} meta @param {Numbers} state @param {number} item */
  function mean(c, meta, state, item, view = chosen) {
    if (typeof meta.collects === "number" && (c.mover[item] !== meta.collects || isRoot(c, item))) return NaN;
    return shown(state.visits[item] ? state.valueSum[item] / state.visits[item] : NaN, c.mover[item], isRoot(c, item), meta, view);
  }

  /** As colours have it, which are in some player's view also where values are as recorded.
      @param {ItemSource} c @param {Meta} meta @param {Numbers} state @param {number} item */
  const colourMean = (c, meta, state, item) => mean(c, meta, state, item, chosen || "first");

  /** Whose view an item's value is in, in words; "" where it goes without saying. @param {ItemSource} c @param {Meta} meta @param {number} item */
  function words(c, meta, item) {
    const player = playerOf(c.mover[item], isRoot(c, item), meta);
    return player >= 0 && meta.players.length > 1 ? `view of ${meta.players[player]}` : "";
  }

  /** The scale of mean values with the words of the view chosen. @param {Scale} scale @param {Meta} meta @returns {Scale} */
  function scaleOf(scale, meta) {
    const [first, second] = meta.players, own = `view of ${first}`, seat = PLACES.indexOf(chosen);
    if (meta.player_values && scale.mode === "mean_value" && seat >= 0 && seat < meta.players.length) {
      return {...scale, title: scale.title.replace(/view of .*$/, `view of ${meta.players[seat]}`)};
    }
    if (scale.mode !== "mean_value" || chosen === "" || chosen === "first" || !second || !scale.title.includes(own)) return scale;
    const low = mcts.dom.fixed(scale.low, 2), high = mcts.dom.fixed(scale.high, 2);
    if (chosen === "mover") return {...scale, title: scale.title.replace(own, "view of the mover"), low_text: `bad ≤ ${low}`, high_text: `${high} ≤ good`};
    return {...scale, title: scale.title.replace(own, `view of ${second}`), low_text: `good for ${first} ≤ ${low}`, high_text: `${high} ≤ good for ${second}`};
  }

  /** The root's values over the search, which come in the view of the first player, and what is said of them.
      @param {{values: Float64Array, words: string}} run @param {Meta} meta @param {number} toMove at the root */
  function ofRun({values, words: said}, meta, toMove) {
    const player = chosen === "second" || (chosen === "mover" && toMove === 1) ? 1 : 0, [first, second] = meta.players;
    if (player === 0 || !second || toMove < 0 || !meta.mirrors) return {values, words: said};
    return {values: values.map((value) => mirrored(value, meta)), words: said.replace(`view of ${first}`, `view of ${second}`)};
  }

  return {
    offered, playerOf, shown, mean, colourMean, words, scaleOf, ofRun,
    name: () => chosen,
    /** @param {string} name */
    choose(name) { chosen = name; },
  };
})();
