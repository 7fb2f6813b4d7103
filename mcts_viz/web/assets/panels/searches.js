/* Beside the list of traces: which search of its file is open, where that holds many, with the previous and the next one. */
mcts.searches = (() => {
  const {element, byId, count} = mcts.dom, NUMBER = /:(\d+)$/; // how the key of one of many ends
  let n = 0, /** @type {string | null} */ file = null; // searches in it

  /** The trace's option in the list, where the searches of a file are one. @param {string} key */
  const optionOf = (key) => key.replace(NUMBER, ":0");

  /** The key of another search of the file, the nearest one that there is. @param {string} key @param {number} number */
  const keyOf = (key, number) => key.replace(NUMBER, `:${Math.max(0, Math.min(n - 1, number))}`);

  /** @param {string} key */
  const numberOf = (key) => Number(NUMBER.exec(key)?.[1] ?? -1);

  /** @param {number} number */
  function go(number) {
    const now = String(mcts.app.cursor()?.trace), other = keyOf(now, number);
    if (numberOf(now) >= 0 && other !== now) mcts.page.open(other, {});
  }

  /** @param {number} by */
  const step = (by) => go(numberOf(String(mcts.app.cursor()?.trace)) + by);

  /** @param {string} icon @param {string} words @param {number} by @param {string} key @param {number} number */
  function button(icon, words, by, key, number) {
    const made = element("button", "searches-step", icon), tip = element("div", "tip");
    Object.assign(made, {type: "button", ariaLabel: words, disabled: keyOf(key, number + by) === key});
    made.addEventListener("click", () => { step(by); });
    Object.assign(tip.dataset, {tip: words, key: by < 0 ? "PageUp" : "PageDown"});
    tip.append(made);
    return tip;
  }

  /** @param {string} key */
  function show(key) {
    const place = byId("searches"), number = numberOf(key), field = element("input");
    if (!place) return;
    place.hidden = number < 0 || n < 2;
    if (place.hidden) { place.replaceChildren(); return; }
    Object.assign(field, {type: "number", min: "0", max: String(n - 1), value: String(number), ariaLabel: "number of the search in its file"});
    field.style.width = `${String(n - 1).length + 3.2}ch`;
    field.addEventListener("change", () => { if (field.value) go(Math.trunc(Number(field.value))); });
    place.replaceChildren(element("span", "select-label", "search"), button("‹", "Previous search of this file", -1, key, number),
      field, button("›", "Next search of this file", 1, key, number), element("span", "select-label", `of ${count(n)}`));
  }

  /** A trace is open. @param {string} key */
  async function follow(key) {
    if (numberOf(key) >= 0 && file !== optionOf(key)) {
      try {
        const {count: found} = await mcts.binary.fetchJson(`${mcts.requests.traceUrl(key)}/searches`);
        [n, file] = [found, optionOf(key)];
      } catch { return; } // the trace itself tells what is wrong
    }
    show(key);
  }

  return {optionOf, follow, step};
})();
