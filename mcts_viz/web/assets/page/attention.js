/* Which part gets the keys, and which choices are a person's own and not the page's. */
mcts.attention = (() => {
  const NEEDS_NO_KEYS = "button, [role=tab], [role=option], .ag-row, input[type=checkbox], input[type=radio]";
  const {targetOf} = mcts.dom;

  const STILL = 4; // pixels that a mouse moves which presses something
  let /** @type {{control: HTMLElement, x: number, y: number} | null} */ pressed = null;
  let /** @type {HTMLElement | null} */ touched = null; // by the mouse, and no key was pressed since

  /** What was clicked with the mouse gives the keys back to the page: → after a click on a table's row steps. */
  function giveKeysBack() {
    addEventListener("pointerdown", notePress, true);
    addEventListener("pointerup", passPressOn, true);
    addEventListener("click", countPress, true);
    addEventListener("keydown", () => { touched = null; }, true);
    addEventListener("focusin", (event) => { // a menu that the mouse left gives the focus back to its button, after the click
      const target = targetOf(event);
      if (touched && target.closest?.(".opens-menu") && !target.contains(touched)) leave();
    });
    addEventListener("click", (event) => {
      if (event.detail === 0) return; // a press of a key on it
      const target = targetOf(event), label = /** @type {HTMLLabelElement | null | undefined} */ (target.closest?.("label"));
      const clicked = label?.control ?? target; // a label's click focuses its box
      const control = clicked.closest?.(NEEDS_NO_KEYS);
      if (control && !control.closest("[role=dialog], [aria-haspopup=menu]")) leave();
    });
  }

  function leave() {
    setTimeout(() => { // a select box that loses the focus sooner forgets what was chosen
      const focused = /** @type {HTMLElement | null} */ (document.activeElement);
      if (focused && !focused.closest("[role=dialog], [role=menu]")) focused.blur();
    });
  }

  /** @param {PointerEvent} event */
  function notePress(event) {
    touched = targetOf(event);
    const control = /** @type {HTMLElement | null | undefined} */ (targetOf(event).closest?.("button, [role=tab]"));
    const isFree = event.button === 0 && control && !control.closest("[role=dialog], [role=menu], [aria-haspopup=menu]");
    pressed = isFree ? {control, x: event.clientX, y: event.clientY} : null;
  }

  /** @param {MouseEvent} event @param {{x: number, y: number}} was */
  const isStill = (event, was) => Math.hypot(event.clientX - was.x, event.clientY - was.y) <= STILL;

  /** What took the place of a control: the one that says the same of itself in `id` and `data-`. @param {HTMLElement} control */
  function successor(control) {
    const told = [...control.attributes].filter(({name}) => name === "id" || (name.startsWith("data-") && name !== "data-tip"));
    if (!told.length) return null;
    const found = document.querySelectorAll(control.localName + told.map(({name, value}) => `[${name}="${CSS.escape(value)}"]`).join(""));
    return found.length === 1 ? /** @type {HTMLElement} */ (found[0]) : null;
  }

  /** A control that moved away from under the mouse while it was pressed, as the card above it grew, has the focus and no
      click: it gets both, the click and the keys taken off it. @param {MouseEvent} event */
  function countPress(event) {
    const was = pressed;
    pressed = null;
    if (!was || event.detail === 0 || !was.control.isConnected || was.control.contains(targetOf(event))) return;
    if (isStill(event, was)) {
      event.stopImmediatePropagation();
      was.control.click();
    }
    leave();
  }

  /** A control whose panel was made anew while it was pressed, as in each iteration that is played, hears of no click: what
      took its place gets it. @param {PointerEvent} event */
  function passPressOn(event) {
    const was = pressed;
    if (!was || was.control.isConnected) return;
    pressed = null;
    if (isStill(event, was)) successor(was.control)?.click();
  }

  const picked = new Set(); // ids of boxes with a choice that Dash has not reported yet

  function noticePicks() {
    addEventListener("click", (event) => {
      const list = targetOf(event).closest?.("[role=option]")?.closest("[role=listbox]");
      const box = list && document.querySelector(`[aria-controls="${CSS.escape(list.id)}"]`);
      if (box) picked.add(box.id);
    }, true);
    addEventListener("keydown", (event) => { if (event.key === "Enter") picked.add(targetOf(event).id); }, true);
  }

  /** Tab leaves a box for the next one: a list of options that scrolls would be a stop, and it closes at that. */
  function leaveListsOut() {
    addEventListener("keydown", (event) => {
      const id = event.key === "Tab" && targetOf(event).getAttribute?.("aria-controls");
      const list = id && mcts.dom.byId(id);
      if (list && list.role === "listbox") list.tabIndex = -1;
    }, true);
  }

  /** Whether a box's new value is a person's choice; asked once for each. @param {string} id */
  const wasPicked = (id) => picked.delete(id);

  function hideHintOnFirstUse() {
    const hint = mcts.dom.byId("hint");
    if (!hint) return;
    const hide = () => {
      hint.classList.add("gone");
      removeEventListener("keydown", hide, true);
    };
    addEventListener("keydown", hide, true);
    document.querySelector(".picture")?.addEventListener("pointerdown", hide, {once: true});
  }

  return {giveKeysBack, noticePicks, leaveListsOut, wasPicked, hideHintOnFirstUse};
})();
