/* Tooltips: what stands in data-tip of the element that the mouse rests on, or that has the focus. One for the whole page:
   a component of Dash's for each of them is asked anew at every change of any other (docs/architecture.md). */
window.mcts = window.mcts || {};

mcts.tooltip = (() => {
  "use strict";

  const DELAY = 400;          // milliseconds that the mouse rests
  const GAP = 7, MARGIN = 4;  // pixels: to the element, to the window's edge
  let shown = null, owner = null, timer = null;

  const ownerOf = (target) => target.closest?.("[data-tip]") || null;

  /** Its words, and why it is off where it is: see mcts.reach. */
  function words(element) {
    const off = element.matches("[data-off]") ? element : element.querySelector("[data-off]");
    return mcts.reach.tooltip(element.dataset.tip, off ? off.getAttribute("aria-description") : "");
  }

  function place(element) {
    const at = element.getBoundingClientRect(), own = shown.getBoundingClientRect();
    const left = at.left + (at.width - own.width) / 2, above = at.top - own.height - GAP;
    shown.style.left = `${Math.max(MARGIN, Math.min(left, innerWidth - own.width - MARGIN))}px`;
    shown.style.top = `${above >= MARGIN ? above : at.bottom + GAP}px`;
  }

  function show() {
    if (!owner || !owner.isConnected) return;
    shown ??= document.body.appendChild(Object.assign(document.createElement("div"), {className: "mcts-tip"}));
    shown.setAttribute("role", "tooltip");
    shown.textContent = words(owner);
    place(owner);
  }

  function hide() {
    clearTimeout(timer);
    shown?.remove();
    shown = owner = null;
  }

  /** The mouse, or the focus, has come to an element. */
  function come(target) {
    const next = ownerOf(target);
    if (next === owner) return;
    const isOpen = shown !== null;
    hide();
    owner = next;
    if (owner) { if (isOpen) show(); else timer = setTimeout(show, DELAY); }
  }

  addEventListener("pointerover", (event) => { if (event.pointerType !== "touch") come(event.target); });
  addEventListener("focusin", (event) => { if (event.target.matches(":focus-visible")) come(event.target); });
  for (const leaves of ["pointerdown", "keydown", "focusout", "wheel", "blur"]) addEventListener(leaves, hide, {capture: true, passive: true});
  document.documentElement.addEventListener("pointerleave", hide);

  return {};
})();
