/* Parts of panels that lead somewhere without a callback of their own: to a node (data-select), or to a tab (data-open). */
document.addEventListener("click", (event) => {
  const asked = /** @type {HTMLElement | null} */ (mcts.dom.targetOf(event).closest?.("[data-select], [data-open]"));
  if (!asked) return;
  const {select, open} = asked.dataset;
  if (select !== undefined) mcts.app.select(Number(select));
  if (open !== undefined) mcts.dash.set("tabs", {value: open});
});
