/* What the picture is, in a sentence: what its circles are, and what the iteration shown did. */
mcts.sentence = (() => {
  const {count} = mcts.dom;
  const begin = (/** @type {string} */ noun, /** @type {boolean} */ isIcicle) => `Each ${isIcicle ? "bar" : "circle"} is a ${noun}`;

  /** What an iteration did, in parts of a sentence; `added` and `result` are empty where there is nothing to say.
      @param {Pick<Meta, "players" | "has_results" | "noun">} meta @param {{t: number, labels: string[], made: string[], n: number, outcome: number}} did
      made: names of new positions in view; n: of all new ones */
  function parts(meta, {t, labels, made, n, outcome}) {
    const added = n > 1 ? `added ${count(n)} ${meta.noun}s` : n ? `added ${made[0] ?? `a ${meta.noun}`}` : "";
    const isPlain = meta.has_results && [-1, 0, 1].includes(outcome) && meta.players.length > 1;
    const value = `${outcome > 0 ? "+" : ""}${mcts.dom.rounded(outcome, 3)}${meta.players.length > 1 ? ` for ${meta.players[0]}` : ""}`;
    const result = Number.isNaN(outcome) ? "" : isPlain ? mcts.card.outcomeText(meta, outcome) : value;
    const way = labels.length ? `${labels.join(", ")}` : "";
    return {t, way, added, result, noun: meta.noun};
  }

  /** @param {ReturnType<typeof parts>} did */
  function told({t, added, result, noun}, isIcicle = false) {
    return `${begin(noun, isIcicle)}; iteration ${count(t)} went down the ${isIcicle ? "marked bars" : "thick line"}${added && ` and ${added}`}${result && `; its result: ${result}`}.`;
  }

  /** Of the picture that is shown; null where nothing is. */
  function shownParts() {
    if (!mcts.session.shown) return null;
    const {geometry, replay, meta} = mcts.session.shown, step = replay.iteration();
    if (!step || !meta.has_phases) return null;
    const names = (/** @type {ArrayLike<number>} */ items) => Array.from(items).filter((item) => !geometry.isStub(item)).map((item) => geometry.label(item));
    const {t} = replay.state, n = replay.nodeCount(t) - replay.nodeCount(t - 1);
    return parts(meta, {t, labels: names(step.path.slice(1)), made: names(step.made), n, outcome: step.outcome});
  }

  function text() {
    const {shown} = mcts.session, did = shownParts(), isIcicle = mcts.app.cursor()?.view?.show === "icicle";
    if (did) return told(did, isIcicle);
    if (!shown) return "";
    const first = begin(shown.meta.noun, isIcicle);
    return shown.meta.has_phases ? `${first}, the root on top: the tree before the first iteration.`
      : `${first} that the search has looked at; the ${isIcicle ? "wider" : "larger"}, the more often.`;
  }

  /** Write it under the picture. */
  function write() {
    const line = mcts.dom.byId("picture-words"), now = text();
    if (line && line.textContent !== now) line.textContent = line.title = now;
  }

  return {parts, told, shownParts, write};
})();
