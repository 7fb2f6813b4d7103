/* The controls of tree, icicle, filter and finder: glue between Dash's client-side callbacks and mcts.app. */
mcts.treeTools = (() => {
  const {triggered, wasClicked} = mcts.dash;
  /** @param {any} value */
  const number = (value) => Number.isFinite(Number(value)) ? Math.max(0, Math.floor(Number(value))) : 0;
  /** @param {any} value */
  const boxed = (value) => value ? value : "";

  /** Whether the filter's menu is being edited: it is then newer than the cursor. */
  const isTypingFilter = () => Boolean(document.activeElement?.id?.startsWith("filter-") && document.activeElement.matches("input[inputmode]"));

  /** @param {string} words */
  function shorter(words) {
    return words.length > 22 ? `${words.slice(0, 20).trimEnd()}…` : words;
  }

  let /** @type {HTMLElement | null} */ crumbs = null;

  /** The last of many breadcrumbs is the one that matters: they are scrolled to it. */
  function keepLastCrumbInSight() {
    if (crumbs) return;
    const list = crumbs = mcts.dom.byId("breadcrumbs");
    if (list) new MutationObserver(() => { list.scrollLeft = list.scrollWidth; }).observe(list, {childList: true});
  }

  /** What the controls show of a cursor. @param {Cursor} cursor @returns {Record<string, Record<string, any>>} */
  function controls({view}) {
    keepLastCrumbInSight();
    const words = mcts.filter.words(view);
    const numbers = {least: view.least, top: view.top, levels: view.levels};
    return {
      ...(isTypingFilter() ? {} : Object.fromEntries(
        Object.entries(numbers).map(([name, value]) => [`filter-${name}`, {value: boxed(value)}]))),
      "filter-pv": {checked: Boolean(view.pv)},
      "filter-button": {children: words ? `filter: ${shorter(words)}` : "filter", variant: words ? "light" : "default"},
      "filter-clear": {style: {display: words ? "inline-flex" : "none"}},
      "show-control": {value: view.show},
      "colour-select": {value: view.colour},
      "size-select": {value: view.size},
      "viewpoint-select": {value: view.viewpoint},
      "budget-select": {value: String(view.budget)},
      "numbers-button": {variant: view.numbers ? "light" : "default"},
    };
  }

  const callbacks = {
    /** @param {number} least @param {number} top @param {number} levels @param {boolean} pv */
    setFilter: (least, top, levels, pv) => {
      mcts.following.hear({"filter-least": least, "filter-top": top, "filter-levels": levels, "filter-pv": pv});
      mcts.app.setView({least: number(least), top: number(top), levels: number(levels), pv: pv ? 1 : 0});
    },
    clearFilter: (/** @type {number} */ clicks) => {
      if (!clicks) return;
      /** @type {HTMLElement | null} */ (document.activeElement)?.blur();
      mcts.app.clearFilter();
    },
    setShow: (/** @type {string} */ show) => { mcts.following.hear({"show-control": show}); mcts.app.setView({show}); },
    takeReading: () => {
      if (!wasClicked()) return;
      mcts.dash.set("find", {opened: false});
      mcts.app.select(triggered().node);
    },
    addMove: () => {
      if (!wasClicked()) return;
      mcts.dash.set("find-text", {value: triggered().move});
      document.getElementById("find-text")?.focus();
    },
    doWithNode: () => {
      if (!wasClicked()) return;
      if (triggered().action === "copy") mcts.app.copyPath(); else mcts.app.toggleSubtree();
    },
  };

  mcts.dash.offer("mctsTree", callbacks);

  return {controls};
})();
