/* The buttons of a node's documents, in its card. Heard by the page itself: Dash loses one of two quick clicks, and one
   on a card that is just drawn again. */
mcts.documents = (() => {
  const PATIENCE = 5000; // milliseconds that a document may take to come

  /** @typedef {{name: string | null, compared: boolean}} Opened */
  let /** @type {Opened} */ opened = {name: null, compared: false};

  /** What is open once a button was pressed: that document, or nothing where it was open; "" compares it with the parent's.
      @param {Opened} before @param {string} name @returns {Opened} */
  function afterClick(before, name) {
    if (name === "") return {...before, compared: !before.compared};
    return {...before, name: before.name === name ? null : name};
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
    const button = mcts.dom.targetOf(event).closest?.("[data-document]");
    if (!button) return;
    opened = afterClick(opened, /** @type {HTMLElement} */ (button).dataset.document ?? "");
    if (opened.name !== null) show(mcts.dom.the("node-panel"));
    mcts.dash.set("open-document", {data: opened});
  });

  return {afterClick};
})();
