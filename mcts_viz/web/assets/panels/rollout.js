/* Steps through the positions of a simulation: what is clicked in a .rollout, which says itself where its pictures are. */
mcts.rollout = (() => {
  /** The position a step leads to, of the positions 0 (where the simulation begins) to n.
      @param {string} step @param {number} at @param {number} n */
  function after(step, at, n) {
    if (step === "first") return 0;
    if (step === "last") return n;
    return Math.max(0, Math.min(n, at + Number(step)));
  }

  /** @param {DOMStringMap} data @param {number} at */
  const address = ({address: stem, query}, at) => `${stem}${at}${query}`;

  /** Show the position after `at` moves. @param {HTMLElement} player @param {number} at */
  function show(player, at) {
    const moves = [...player.querySelectorAll("[data-rollout-at]")], n = moves.length;
    player.dataset.at = String(at);
    const board = /** @type {HTMLImageElement | null} */ (player.querySelector("img"));
    if (board) {
      board.src = address(player.dataset, at);
      board.alt = `position after ${at} of ${n} moves of the simulation`;
      if (at < n) new Image().src = address(player.dataset, at + 1); // so that it is there at once
    }
    /** @type {HTMLElement} */ (player.querySelector(".rollout-place")).textContent = `${at} / ${n}`;
    player.classList.toggle("at-end", at === n);
    for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (player.querySelectorAll("[data-rollout-step]"))) {
      button.disabled = after(String(button.dataset.rolloutStep), at, n) === at;
    }
    moves.forEach((move, i) => {
      if (i + 1 === at) move.setAttribute("aria-current", "step"); else move.removeAttribute("aria-current");
    });
    mcts.scroll.reveal(moves[at - 1]);
  }

  /* Where a person is in a simulation. Its panel may be made anew meanwhile, as in another theme: it stays there. */
  let /** @type {{address: string | undefined, at: number} | null} */ kept = null;
  let /** @type {MutationObserver | null} */ watcher = null; // of panels that are made

  function stay() {
    const player = /** @type {HTMLElement | null} */ (document.querySelector(".rollout"));
    if (!player || !kept) return;
    if (player.dataset.address !== kept.address) {
      watcher?.disconnect();
      kept = null;
    } else if (player.dataset.at !== String(kept.at)) {
      show(player, kept.at);
    }
  }

  /** @param {HTMLElement} player @param {number} at */
  function go(player, at) {
    show(player, at);
    kept = {address: player.dataset.address, at};
    watcher ??= new MutationObserver(stay);
    watcher.observe(player.closest("[role=tabpanel]") ?? document.body, {childList: true, subtree: true});
  }

  /** @param {any} event */
  function onClick(event) {
    const control = event.target.closest?.(".rollout :is([data-rollout-step], [data-rollout-at])");
    if (!control || control.disabled) return;
    const player = control.closest(".rollout");
    const n = player.querySelectorAll("[data-rollout-at]").length;
    const {rolloutAt, rolloutStep} = control.dataset;
    go(player, rolloutAt === undefined ? after(rolloutStep, Number(player.dataset.at), n) : Number(rolloutAt));
  }

  addEventListener("click", onClick);

  return {after, show};
})();
