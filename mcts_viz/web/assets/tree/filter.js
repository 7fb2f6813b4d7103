/* Which nodes a view asks for, beyond its budget: filters, and subtrees opened or collapsed as a whole. */
mcts.filter = (() => {
  const {count} = mcts.dom;

  /** The filters of a view in words; "" when none is set. @param {View} view */
  function words(view) {
    const parts = [];
    if (view.least) parts.push(`at least ${count(view.least)} visit${view.least === 1 ? "" : "s"}`);
    if (view.top) parts.push(view.top === 1 ? "most visited child" : `${count(view.top)} most visited children`);
    if (view.levels) parts.push(`${count(view.levels)} level${view.levels === 1 ? "" : "s"}`);
    if (view.pv) parts.push("principal variation");
    return parts.join(", ");
  }

  /** Items below an item, in view. @param {Geometry} geometry @param {number} item */
  function below(geometry, item) {
    const found = [], open = [item];
    while (open.length) {
      for (const child of geometry.childrenOf.get(/** @type {number} */ (open.pop())) || []) {
        found.push(child);
        open.push(child);
      }
    }
    return found;
  }

  /** @param {number[]} list @param {Set<number>} nodes */
  const without = (list, nodes) => list.filter((/** @type {any} */ each) => !nodes.has(each));

  /** The part of a view that changes when an item's subtree is opened as a whole or, when all of it is open,
      collapsed: then each of its children is too, so that it opens again level by level.
      @param {View} view @param {Geometry} geometry @param {number} item */
  function toggledSubtree(view, geometry, item) {
    const id = geometry.node[item], items = below(geometry, item);
    /** @param {any} each */
    const isShut = (each) => !geometry.isStub(each) && geometry.n_children[each] > 0 && !geometry.childrenOf.has(each);
    const inside = new Set([item, ...items].map((each) => geometry.node[each]));
    const isCut = items.some((each) => geometry.isStub(each)) && !view.whole.includes(id);
    if (isCut || isShut(item) || items.some(isShut)) {
      return {whole: [...new Set([...view.whole, id])], closed: without(view.closed, inside)};
    }
    const parents = (geometry.childrenOf.get(item) || []).filter((/** @type {any} */ each) => !geometry.isStub(each) && geometry.n_children[each] > 0);
    return {
      closed: [...new Set([...view.closed, id, ...parents.map((/** @type {any} */ each) => geometry.node[each])])],
      opened: [...without(view.opened, inside), id], // all of its children come back, each of them shut
      whole: without(view.whole, inside),
    };
  }

  return {words, toggledSubtree, below};
})();
