/* Elements and words that several parts of the page make. */
mcts.dom = (() => {
  /** An element with a class and a text. @template {keyof HTMLElementTagNameMap} T
      @param {T} tag @param {string} [className] @param {string} [text] @returns {HTMLElementTagNameMap[T]} */
  function element(tag, className = "", text = undefined) {
    const made = document.createElement(tag);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  }

  /** Put a text into an element whose text changes with each step: for a new piece of text in place of the old one, the
      browser would look at the whole page again, whose rules ask what is inside of what. @param {Element} into @param {string} text */
  function write(into, text) {
    const only = into.childNodes?.length === 1 ? into.firstChild : null;
    if (only?.nodeType === Node.TEXT_NODE) only.nodeValue = text; else into.textContent = text;
  }

  /** @param {string} id */
  const byId = (id) => document.getElementById(id);

  /** The element of an id that is there. @param {string} id */
  const the = (id) => /** @type {HTMLElement} */ (byId(id));

  /** What an event happened to. @param {Event} event */
  const targetOf = (event) => /** @type {HTMLElement} */ (event.target);

  /** @param {unknown} error */
  const messageOf = (error) => error instanceof Error ? error.message : String(error);

  /** A number as the page writes it: 12,345. */
  const count = new Intl.NumberFormat("en-US").format;

  /** Words with their number: "1 level", "3 levels". @param {number} n @param {string} word */
  const counted = (n, word) => `${count(n)} ${word}${n === 1 ? "" : "s"}`;

  /** With so many decimals, the sign of the tables, and none before a zero. @param {number} value @param {number} digits */
  function fixed(value, digits) {
    const text = Math.abs(value) < 1e12 ? value.toFixed(digits) : value.toExponential(digits);
    return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
  }

  /** A value of [0, 1] or so; "–" where there is none. @param {number | null} value */
  function decimal(value) {
    if (value === null || Number.isNaN(value)) return "–";
    return Number.isFinite(value) ? fixed(value, 4) : value > 0 ? "∞" : "−∞";
  }

  /** With so many digits at most. @param {number} value @param {number} digits */
  const rounded = (value, digits) => String(Number(value.toPrecision(digits))).replace("-", "−");

  /** The beginning of a text of any length: a megabyte in a card takes the browser a quarter of a second. @param {string} text */
  const brief = (text, most = 400) => text.length > most ? `${text.slice(0, most)}…` : text;

  return {brief, element, write, byId, the, targetOf, messageOf, count, counted, fixed, decimal, rounded};
})();
