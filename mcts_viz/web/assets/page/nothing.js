/* The card in place of the tree when no trace is open: what happened, to what, and where one can go from there. */
mcts.nothing = (() => {
  const MOST = 12; // traces offered
  const OFF = ".tools, .stepping, .side, #compare-button, #find-button"; // what could do nothing
  const {element, byId, the, count} = mcts.dom;
  const EMPTY = "There is no trace here yet.", OTHERWISE = "Or record one with New search, let a search play with Play, or open a file.";

  /** The traces of the list, those of matches too. @returns {{value: string, label: string}[]} */
  function traces() {
    const listed = window.dash_component_api.getLayout("trace-select")?.props.data ?? [];
    return listed.flatMap((/** @type {any} */ each) => each.items ?? [each]);
  }

  /** @param {boolean} isOn */
  function setControls(isOn) {
    for (const part of document.querySelectorAll(OFF)) part.toggleAttribute("inert", !isOn);
  }

  /** @param {string} label @param {string} key @param {(key: string) => void} open */
  function link(label, key, open) {
    const made = element("a", "", label);
    made.href = `?trace=${encodeURIComponent(key)}`;
    made.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return; // a tab of its own
      event.preventDefault();
      open(key);
    });
    return made;
  }

  /** The links to all traces but one. @param {string} but @param {(key: string) => void} open */
  function others(but, open) {
    const there = traces().filter(({value}) => value !== but), list = element("ul", "empty-traces");
    for (const {value, label} of there.slice(0, MOST)) {
      const row = element("li");
      row.append(link(label, value, open));
      list.append(row);
    }
    if (there.length > MOST) list.append(element("li", "dim", `and ${count(there.length - MOST)} more in the list at the top`));
    return there.length ? [element("p", "", "Open another one:"), list] : [];
  }

  /** Say why a trace cannot be opened; key "": it is not known which.
      @param {string} words @param {string} key @param {(key: string) => void} open */
  function show(words, key, open) {
    const name = traces().find(({value}) => value === key)?.label ?? key;
    const again = link("Try again", key, open), text = `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
    again.classList.add("empty-again");
    fill(
      element("h2", "", name ? `${name} cannot be opened` : "No trace can be opened"),
      element("p", "empty-words", /[.!?]$/.test(text) ? text : `${text}.`), ...(key ? [again] : []),
      ...others(key, open), element("p", "", OTHERWISE));
  }

  /** @param {HTMLElement[]} parts */
  function fill(...parts) {
    const page = the("empty-page"), card = element("div", "empty-card");
    card.setAttribute("role", "alert");
    card.append(...parts);
    page.replaceChildren(card);
    page.hidden = false;
    mcts.changing.end();
    setControls(false);
  }

  /** There is nothing to open. @param {string} where */
  function showEmpty(where) {
    fill(
      element("h2", "", EMPTY),
      element("p", "", `${where ? `No file in the folder “${where}” is a trace. ` : ""}Record one with New search, let a search play with Play, or open a file: `
      + "press Open…, or drop a .mcts trace or a snapshot's .json on the page."));
  }

  /** A trace is open. */
  function hide() {
    const card = byId("empty-page");
    if (!card || card.hidden) return;
    card.hidden = true;
    card.replaceChildren();
    setControls(true);
  }

  return {show, showEmpty, hide};
})();
