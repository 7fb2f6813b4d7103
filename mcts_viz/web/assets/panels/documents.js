/* The buttons of a node's documents, in its card. Heard by the page itself: Dash loses one of two quick clicks, and one
   on a card that is just drawn again. */
mcts.documents = (() => {
  const PATIENCE = 5000; // milliseconds that a document may take to come

  /** @typedef {{trace: string, node: number}} Kept */
  /** @typedef {{name: string | null, compared: string | null, kept: Kept | null}} Opened */
  let /** @type {Opened} */ opened = {name: null, compared: null, kept: null};

  /** What is open once a document's button was pressed: that one, or nothing where it was open.
      @param {Opened} before @param {string} name @returns {Opened} */
  function afterClick(before, name) {
    return {...before, name: before.name === name ? null : name};
  }

  /** What it is compared with once another button was pressed: the parent's, that of the node that was kept, or this
      node is kept, to compare others with it. Pressed again, it ends.
      @param {Opened} before @param {string} what @param {Kept} here @returns {Opened} */
  function afterCompare(before, what, here) {
    if (what !== "keep") return {...before, compared: before.compared === what ? null : what};
    const again = before.kept?.node === here.node && before.kept.trace === here.trace;
    return again ? {...before, compared: null, kept: null} : {...before, compared: "kept", kept: here};
  }

  /** Once the document of a click is there, it has the room of the card. @param {Element} card */
  function show(card) {
    const watch = new MutationObserver(() => {
      const shown = card.querySelector(".document");
      if (!shown) return;
      watch.disconnect();
      mcts.scroll.reveal(shown.parentElement);
    });
    watch.observe(card, {childList: true, subtree: true});
    setTimeout(() => watch.disconnect(), PATIENCE);
  }

  document.addEventListener("click", (event) => {
    const button = mcts.dom.targetOf(event).closest?.("[data-document], [data-compare]");
    if (!button) return;
    const told = /** @type {HTMLElement} */ (button).dataset;
    opened = told.compare
      ? afterCompare(opened, told.compare, {trace: told.traceKept ?? "", node: Number(told.nodeKept)})
      : afterClick(opened, told.document ?? "");
    if (opened.name !== null) show(mcts.dom.the("node-panel"));
    mcts.dash.set("open-document", {data: opened});
  });

  return {afterClick, afterCompare};
})();
