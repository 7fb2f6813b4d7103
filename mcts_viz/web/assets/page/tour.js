/* The tour: one iteration of the search that is open, in five steps; each does in the page what it says. */
mcts.tour = (() => {
  const KEPT = "mcts-tour"; // in the browser's storage: that it was offered
  const {element, count} = mcts.dom, {set} = mcts.dash;
  const QUIET = "This file holds no single iterations, so this step cannot be shown.";

  /** @typedef {{title: string, say(did: ReturnType<typeof mcts.sentence.shownParts>): string, go(): unknown}} Step */
  /** @param {Phase} name */
  const phase = (name) => () => mcts.app.setPhase(name);
  /** @type {Step[]} */
  const STEPS = [
    {
      title: "Select", go: phase("select"),
      say: (did) => did ? `Iteration ${count(did.t)} starts at the root, on top. At every ${did.noun} it goes on to the child with the highest selection score: its mean value + a bonus for moves seldom tried. So it came to ${did.way || "the root itself"}, along the thick line.` : QUIET,
    },
    {
      title: "Expand", go: phase("expand"),
      say: (did) => did ? `At the end of the line it ${did.added || "adds nothing: it ends there, or is to be visited once more first"}. New ${did.noun}s have a green ring.` : QUIET,
    },
    {
      title: "Simulate", go: phase("simulate"),
      say: (did) => did ? `From there the game is played out, or its value is estimated${did.result ? `: ${did.result}` : ""}. Beside the tree the moves can be stepped through.` : QUIET,
    },
    {
      title: "Back up", go: phase("backpropagate"),
      say: (did) => did ? `The result goes back up the thick line: each ${did.noun} there gets one visit more and a new mean value. Beside the tree: before → after.` : QUIET,
    },
    {
      title: "Why this move", go: () => { mcts.app.setPhase(null); mcts.app.seek(Infinity); mcts.app.onWhy(); },
      say: () => "After the last iteration the move marked ★ leads. Beside the tree stands why, and a click on any number tells the iterations that made it. Now step with ← and →, or press space to play.",
    },
  ];

  let /** @type {HTMLElement | null} */ card = null, place = 0;

  /** @param {string} text @param {() => void} act @param {boolean} [isMain] */
  function button(text, act, isMain = false) {
    const made = element("button", isMain ? "tour-button main" : "tour-button", text);
    made.type = "button";
    made.addEventListener("click", act);
    return made;
  }

  /** Put words into the card once the page shows what they say. @param {HTMLElement} target @param {number} at */
  function tell(target, at) {
    const step = STEPS[at], next = button(at + 1 < STEPS.length ? "Next" : "Done", () => at + 1 < STEPS.length ? show(at + 1) : stop(), true);
    const back = at ? [button("Back", () => show(at - 1))] : [], words = element("p", "", step.say(mcts.sentence.shownParts()));
    const foot = element("div", "tour-foot");
    foot.append(element("span", "dim", `${at + 1} of ${STEPS.length}`), button("Stop", stop), ...back, next);
    words.setAttribute("aria-live", "polite");
    target.replaceChildren(element("h2", "", step.title), words, foot);
    stepAside(target);
    next.focus({preventScroll: true});
  }

  /** On the side where the end of the thick line is not, which the steps speak of. @param {HTMLElement} target */
  function stepAside(target) {
    const {tree} = mcts.session.parts(), path = mcts.session.shown?.replay.iteration()?.path ?? [];
    const room = tree.endRoom(), last = Array.from(path, (item) => tree.position(item)).filter(Boolean).at(-1);
    const {left, width} = /** @type {HTMLElement} */ (target.parentElement).getBoundingClientRect();
    const x = room ? room.left : last ? last.x - left : 0;
    target.classList.toggle("left", x > width / 2);
  }

  /** @param {number} at */
  function show(at) {
    place = at;
    STEPS[at].go();
    const look = () => { // the phase is there as soon as its window is
      if (!card || place !== at) return;
      if (mcts.app.isLoading()) requestAnimationFrame(look); else tell(card, at);
    };
    requestAnimationFrame(look);
  }

  function start() {
    remember();
    set("help", {opened: false});
    if (!mcts.session.shown) return;
    if (!card) {
      card = element("section", "tour");
      card.setAttribute("aria-label", "tour");
      document.querySelector(".picture")?.append(card);
    }
    if (mcts.app.wanted() === 0) mcts.app.seek(Math.ceil(mcts.session.length / 2));
    show(0);
  }

  /** Whether there was one to end. */
  function stop() {
    if (!card) return false;
    card.remove();
    card = null;
    if (mcts.session.phase !== null) mcts.app.setPhase(null);
    return true;
  }

  /** It was offered. */
  function remember() {
    localStorage.setItem(KEPT, "offered");
    mcts.dom.byId("tour-offer")?.setAttribute("hidden", "");
  }

  function wire() {
    const offer = mcts.dom.byId("tour-offer");
    if (offer) offer.hidden = localStorage.getItem(KEPT) !== null;
    document.addEventListener("click", (event) => { if (mcts.dom.targetOf(event).closest?.("[data-tour]:not([data-off])")) start(); });
    addEventListener("pagehide", () => { if (offer && !offer.hidden) localStorage.setItem(KEPT, "offered"); });
  }

  return {wire, start, stop};
})();
