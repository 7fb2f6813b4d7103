/* Panels that show another iteration than the picture say which one: while a search is played, recorded, or a slider dragged. */
mcts.behind = (() => {
  const LONG = 300;   // milliseconds that they may be behind without a word
  const AFTER = 1500; // that they go on to say it once they are not: where they fall behind all the time, the words stay
  let timer = 0, is = false, isSaid = false; // whether they are

  /** @param {number | null} iteration the panels'; null: nothing is to be said */
  function say(iteration) {
    const side = /** @type {HTMLElement | null} */ (document.querySelector?.(".side"));
    if (!side) return;
    isSaid = iteration !== null;
    if (iteration === null) { delete side.dataset.of; return; }
    const words = `iteration ${mcts.dom.count(iteration)}`;
    if (side.dataset.of === words) return; // said with each picture: the browser would look at all in there again
    side.dataset.of = words;
    side.style.setProperty("--mcts-of", `"${words}"`); // for what is drawn in the node's panel
  }

  return {
    /** @param {boolean} isBehind whether the picture shows another iteration @param {number} iteration the panels' */
    note(isBehind, iteration) {
      if (isSaid) say(iteration);
      if (isBehind === is) return;
      is = isBehind;
      clearTimeout(timer);
      timer = is ? setTimeout(say, LONG, iteration) : setTimeout(say, AFTER, null);
    },
  };
})();
