/* The controls of tree, icicle, filter and finder: glue between Dash's client-side callbacks and mcts.app. */
window.mcts = window.mcts || {};

mcts.treeTools = (() => {
  "use strict";

  const triggered = () => window.dash_clientside.callback_context.triggered_id;
  const wasClicked = () => window.dash_clientside.callback_context.triggered.some((each) => each.value);
  const number = (value) => Number.isFinite(Number(value)) ? Math.max(0, Math.floor(Number(value))) : 0;
  const boxed = (value) => value ? value : "";

  /** Whether somebody is typing in the filter's menu: what is there is newer than what the cursor says. */
  const isTypingFilter = () => Boolean(document.activeElement?.id?.startsWith("filter-") && document.activeElement.matches("input[inputmode]"));

  function shorter(words) {
    return words.length > 22 ? `${words.slice(0, 20).trimEnd()}…` : words;
  }

  let crumbs = null;

  /** The last of many breadcrumbs is the one that matters: they are scrolled to it. */
  function keepLastCrumbInSight() {
    if (crumbs) return;
    crumbs = document.getElementById("breadcrumbs");
    if (crumbs) new MutationObserver(() => { crumbs.scrollLeft = crumbs.scrollWidth; }).observe(crumbs, {childList: true});
  }

  /** What the controls show of a cursor. */
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
      "budget-select": {value: String(view.budget)},
    };
  }

  const callbacks = {
    setFilter: (least, top, levels, pv) => {
      mcts.panels.hear({"filter-least": least, "filter-top": top, "filter-levels": levels, "filter-pv": pv});
      mcts.app.setView({least: number(least), top: number(top), levels: number(levels), pv: pv ? 1 : 0});
    },
    clearFilter: (clicks) => { if (clicks) { document.activeElement?.blur(); mcts.app.clearFilter(); } },
    setShow: (show) => { mcts.panels.hear({"show-control": show}); mcts.app.setView({show}); },
    takeReading: () => {
      if (!wasClicked()) return;
      window.dash_clientside.set_props("find", {opened: false});
      mcts.app.select(triggered().node);
    },
    addMove: () => {
      if (!wasClicked()) return;
      window.dash_clientside.set_props("find-text", {value: triggered().move});
      document.getElementById("find-text")?.focus();
    },
    doWithNode: () => {
      if (!wasClicked()) return;
      if (triggered().action === "copy") mcts.app.copyPath(); else mcts.app.toggleSubtree();
    },
  };

  window.dash_clientside = Object.assign(window.dash_clientside || {}, {mctsTree: callbacks});

  return {controls};
})();
