/* The page's message: a sentence that goes by itself. */
mcts.message = (() => {
  const SHOWN = 12_000; // milliseconds
  let fading = 0;

  /** @param {string} text */
  function say(text) {
    mcts.dash.set("message", {children: text});
    clearTimeout(fading);
    fading = setTimeout(() => mcts.dash.set("message", {children: ""}), SHOWN);
  }

  return {say};
})();
