/* The mouse over the tree or the icicle: says what it rests on, and what is clicked once or twice. */
mcts.mouse = (() => {
  const CLICK_PIXELS = 4; // a press that moves farther drags

  /** find(x, y): what lies at a point of the window, with the node that it is or belongs to.
      @param {HTMLElement} target @param {(x: number, y: number) => Found | null} find @param {MouseHandlers} handlers */
  function listen(target, find, handlers) {
    /** @type {(Found & {x: number, y: number}) | null} */
    let pressed = null;
    let lastNode = -1; // that a click was on
    /** @type {MouseEvent | null} */
    let mouse = null; // the event that brought it to where it rests over the picture

    /** Tell what lies under the mouse; each picture asks again, which may have other numbers or something else there. */
    function hover() {
      if (!mouse) return;
      const isBeside = /** @type {Element} */ (mouse.target).closest?.(".modebar, .mcts-legend");
      const found = isBeside ? null : find(mouse.clientX, mouse.clientY);
      target.classList.toggle("mcts-pointing", found !== null);
      handlers.onHover(found ? found.item : -1, mouse, found);
    }

    target.addEventListener("mousemove", (event) => {
      mouse = event.buttons ? null : event;
      hover();
    });
    target.addEventListener("mouseleave", () => {
      mouse = null;
      handlers.onHover(-1, null);
    });
    target.addEventListener("mousedown", (event) => {
      const found = event.button === 0 ? find(event.clientX, event.clientY) : null;
      pressed = found && {...found, x: event.clientX, y: event.clientY};
    }, true);
    document.addEventListener("mouseup", (event) => {
      const start = pressed;
      pressed = null;
      if (!start || Math.hypot(event.clientX - start.x, event.clientY - start.y) > CLICK_PIXELS) return;
      // the browser counts clicks, at the speed that the person has set; a busy page counts no slower
      const isDouble = event.detail % 2 === 0 && start.part === "node" && lastNode === start.node;
      lastNode = start.part === "node" ? start.node : -1;
      if (isDouble) handlers.onDoubleClick(start); else handlers.onClick(start);
    }, true);

    return {hover};
  }

  return {listen};
})();
