/* Tooltips: what stands in data-tip of the element that the mouse or a finger rests on, or that has the focus. One for the whole page:
   a component of Dash's for each of them is asked anew at every change of any other (docs/architecture.md). */
(() => {
  const DELAY = 400;          // milliseconds that the mouse rests
  const FINGER = 600;         // and a finger, which is no press then
  const SLIDES = 8;           // pixels that it may move meanwhile
  const GAP = 7, MARGIN = 4;  // pixels: to the element, to the window's edge
  let /** @type {HTMLElement | null} */ shown = null, /** @type {HTMLElement | null} */ owner = null, timer = 0;
  let /** @type {[number, number]} */ finger = [0, 0], hasRested = false;

  /** @param {HTMLElement} target */
  const ownerOf = (target) => target.closest?.("[data-tip]") || null;

  /** Its words, and why it is off where it is: see mcts.reach. @param {HTMLElement} element */
  function words(element) {
    const off = element.matches("[data-off]") ? element : element.querySelector("[data-off]");
    return mcts.reach.tooltip(mcts.keys.hinted(element.dataset.tip ?? "", element.dataset.key), off ? off.getAttribute("aria-description") ?? "" : "");
  }

  /** @param {HTMLElement} element @param {HTMLElement} tip */
  function place(element, tip) {
    const at = element.getBoundingClientRect(), own = tip.getBoundingClientRect();
    const left = at.left + (at.width - own.width) / 2, above = at.top - own.height - GAP;
    tip.style.left = `${Math.max(MARGIN, Math.min(left, innerWidth - own.width - MARGIN))}px`;
    tip.style.top = `${above >= MARGIN ? above : at.bottom + GAP}px`;
  }

  function show() {
    if (!owner || !owner.isConnected) return;
    shown ??= document.body.appendChild(mcts.dom.element("div", "mcts-tip"));
    shown.setAttribute("role", "tooltip");
    shown.textContent = words(owner);
    place(owner, shown);
  }

  function hide() {
    clearTimeout(timer);
    shown?.remove();
    shown = owner = null;
    hasRested = false;
  }

  /** The mouse, or the focus, has come to an element. @param {HTMLElement} target */
  function come(target) {
    const next = ownerOf(target);
    if (next === owner) return;
    const isOpen = shown !== null;
    hide();
    owner = next;
    if (owner) { if (isOpen) show(); else timer = setTimeout(show, DELAY); }
  }

  /** A finger has come down: words are there once it has rested. @param {PointerEvent} event */
  function press(event) {
    hide();
    if (event.pointerType !== "touch") return;
    owner = ownerOf(mcts.dom.targetOf(event));
    finger = [event.clientX, event.clientY];
    if (owner) timer = setTimeout(() => { show(); hasRested = shown !== null; }, FINGER);
  }

  /** It has gone elsewhere, or up. @param {PointerEvent} event */
  function leave(event) {
    if (event.pointerType !== "touch" || hasRested) return;
    const away = Math.hypot(event.clientX - finger[0], event.clientY - finger[1]);
    if (event.type !== "pointermove" || away > SLIDES) hide();
  }

  /** A finger that has rested asked for words: it presses nothing. @param {Event} event */
  function swallow(event) {
    if (!hasRested || (event instanceof PointerEvent && event.pointerType === "mouse")) return;
    hasRested = false;
    event.preventDefault();
    event.stopPropagation();
  }

  addEventListener("pointerover", (event) => { if (event.pointerType !== "touch") come(mcts.dom.targetOf(event)); });
  addEventListener("focusin", (event) => { if (mcts.dom.targetOf(event).matches(":focus-visible")) come(mcts.dom.targetOf(event)); });
  for (const leaves of ["keydown", "focusout", "wheel", "blur"]) addEventListener(leaves, hide, {capture: true, passive: true});
  addEventListener("pointerdown", press, {capture: true, passive: true});
  for (const name of /** @type {const} */ (["pointermove", "pointerup", "pointercancel"])) addEventListener(name, leave, {capture: true, passive: true});
  addEventListener("click", swallow, true);
  document.documentElement.addEventListener("pointerleave", (event) => { if (event.pointerType !== "touch") hide(); });
})();
