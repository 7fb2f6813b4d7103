/* Keys pressed before what they are meant for is there: kept, and given to it when it is. A page that is still on its way
   gets them as they were pressed; a field that is on its way gets them as text, and the page's own keys do not act on them. */
mcts.typing = (() => {
  const LONGEST = 15000; // milliseconds that a field may take
  const {targetOf} = mcts.dom;

  let /** @type {"page" | "field" | null} */ awaited = null, timer = 0;
  let /** @type {KeyboardEvent[]} */ kept = [];

  /** @param {KeyboardEvent} event */
  const isText = (event) => [...event.key].length === 1 || event.key === "Enter" || event.key === "Backspace";

  /** @param {KeyboardEvent} event */
  function isKept(event) {
    if (event.isComposing || mcts.keys.isTyping(event.target)) return false;
    if (awaited === "page" && mcts.keys.meaning(event)) return true;
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
    const isForField = awaited === "field" || kept.some(({key}) => key === "/");
    return isPlain && isForField && (isText(event) || event.key === "Escape");
  }

  /** Before the page's own keys. @param {KeyboardEvent} event */
  function onKey(event) {
    if (!awaited || !isKept(event)) return;
    kept.push(event);
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  /** @param {FocusEvent} event */
  function onFocus(event) {
    const field = /** @type {HTMLInputElement} */ (targetOf(event));
    if (awaited === "field" && field.matches("input, textarea") && !field.readOnly) giveTo(field);
  }

  function taken() {
    const events = kept;
    clearTimeout(timer);
    [awaited, kept] = [null, []];
    return events;
  }

  /** @param {HTMLElement} target @param {KeyboardEvent} event */
  const again = (target, {key, code, shiftKey, ctrlKey, metaKey, altKey}) => target.dispatchEvent(
    new KeyboardEvent("keydown", {key, code, shiftKey, ctrlKey, metaKey, altKey, bubbles: true, cancelable: true}));

  /** @param {HTMLInputElement} field @param {string} text */
  function write(field, text) {
    field.setRangeText(text, Number(field.selectionStart), Number(field.selectionEnd), "end");
    field.dispatchEvent(new Event("input", {bubbles: true}));
  }

  /** Type what was kept into a field; a line of an earlier search goes as soon as another is typed.
      @param {HTMLInputElement} field */
  function giveTo(field) {
    const events = taken();
    if (field.type === "text") field.select();
    let text = "", /** @type {KeyboardEvent[]} */ after = [];
    for (const event of events) {
      const isLine = event.key === "Enter" && field.matches("textarea");
      if (event.key === "Backspace") {
        text = text.slice(0, -1);
      } else if (event.key === "Escape" || (event.key === "Enter" && !isLine)) {
        after = [...after, event];
      } else {
        text += isLine ? "\n" : event.key;
      }
    }
    if (text) write(field, text);
    if (after.length) setTimeout(() => again(field, after[0]), mcts.dash.SETTLED);
  }

  /** The page is there: it acts on what was pressed. */
  function giveToPage() {
    if (awaited === "page") for (const event of taken()) again(document.body, event);
  }

  addEventListener("keydown", onKey, true);
  addEventListener("focusin", onFocus);
  addEventListener("pointerdown", () => { if (awaited === "field") taken(); }, true); // somewhere else

  return {
    giveToPage,
    awaitPage() { awaited = "page"; },
    /** A text field is on its way: it gets what is typed until it has the focus. */
    awaitField() {
      taken();
      awaited = "field";
      timer = setTimeout(taken, LONGEST);
    },
  };
})();
