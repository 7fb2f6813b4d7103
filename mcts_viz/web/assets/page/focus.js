/* Keeps the focus through a redraw: when a panel replaces the control that one has just reached by Tab, what stands
   in its place gets the focus; the browser would send the next Tab back to the start. */
mcts.focus = (() => {
  const CONTROLS = "button, a[href], input, select, textarea, summary, [tabindex='0']";
  const OWN = ".ag-root, [role=dialog], [role=menu], #match-panel"; // these see to it themselves

  /** @type {{element: HTMLElement, box: HTMLElement, id: string, name: string, index: number} | null} */
  let held = null; // the control that has the focus, and how to find what comes in its place

  /** @param {any} element */
  const named = (element) => `${element.tagName} ${element.getAttribute("aria-label") || element.textContent}`;
  /** @param {Element} box */
  const within = (box) => Array.from(/** @type {NodeListOf<HTMLButtonElement>} */ (box.querySelectorAll(CONTROLS)))
    .filter((each) => !each.disabled && each.tabIndex >= 0);

  /** The part of the page around an element that stays when its content is replaced; what is in a list has an id of braces.
      @param {any} element */
  const around = (element) => element.parentElement?.closest("[id]:not([id^='{'])");

  /** @param {FocusEvent} event */
  function hold(event) {
    const target = mcts.dom.targetOf(event);
    const box = target.matches(":focus-visible") && !target.closest(OWN) ? around(target) : null; // not of a click
    held = box && {element: target, box, id: target.id, name: named(target), index: within(box).findIndex((each) => each === target)};
  }

  /** Who leaves a control that is still there wants to leave it. @param {FocusEvent} event */
  function letGo(event) {
    const target = mcts.dom.targetOf(event);
    setTimeout(() => { if (held?.element === target && target.isConnected) held = null; });
  }

  function keep() {
    if (!held || held.element.isConnected || document.activeElement !== document.body) return;
    const {box, id, name, index} = held, all = within(box);
    held = null;
    /** @param {any} each */
    const away = (each) => Math.abs(all.indexOf(each) - index);
    const alike = all.filter((each) => named(each) === name).sort((a, b) => away(a) - away(b));
    const next = (id && all.find((each) => each.id === id)) || alike[0] || all[Math.min(index, all.length - 1)];
    next?.focus({preventScroll: true});
  }

  /** Once, when the page is there. */
  function wire() {
    addEventListener("focusin", hold);
    addEventListener("focusout", letGo);
    new MutationObserver(keep).observe(document.body, {childList: true, subtree: true});
  }

  return {wire};
})();
