/* The node selected, and which nodes the view has: expanding, collapsing, focusing, filtering. */
mcts.selecting = (() => {
  const {session, requests} = mcts, {say, complain} = mcts.status;
  const {FILTERS, SELECTS} = mcts.cursor;
  const UNDONE = 100; // changes that can be taken back
  const /** @type {{trace: string | null, view: View}[]} */ changes = []; // before each

  /** @param {number[]} list @param {number} node */
  const without = (list, node) => list.filter((each) => each !== node);
  /** @param {number[]} list @param {number} node */
  const having = (list, node) => list.includes(node) ? list : [...list, node];
  /** The node given, or the one selected. @param {number | null} [given] */
  const nodeOr = (given) => given ?? session.parts().cursor.get().node;
  /** @param {number | null} [given] */
  const itemOf = (given) => session.view().geometry.itemOf(nodeOr(given));

  /** Show a node as selected in tree and icicle. @param {number} node */
  function mark(node) {
    const {tree, icicle} = session.parts();
    tree.select(session.view().geometry.itemOf(node));
    if (icicle) icicle.select(node);
  }

  /** @param {Found} found */
  function onClick({node, part}) {
    if (part === "stub") { expand(node); return; }
    select(node);
    if (part === "handle") toggle(node);
  }

  /** Select a node by id; one that is hidden is brought into view first. @param {number} node */
  async function select(node) {
    if (!session.shown) return;
    const {tree, cursor} = session.parts(), {n_nodes: n} = session.shown.meta;
    if (!Number.isInteger(node) || node < 0 || node >= n) {
      say(`Node ${node}: this trace has nodes 0 to ${n - 1}.`, true);
      return;
    }
    cursor.set({node}, true);
    if (itemOf(node) < 0) await reveal(node);
    mark(node);
    if (itemOf(node) >= 0) await tree.bringIntoView(itemOf(node));
  }

  /** Open a hidden node's ancestors, leaving the focus when the node is not below it. @param {number} node */
  async function reveal(node) {
    const {trace} = session.parts().cursor.get();
    /** @type {number[]} */
    let path;
    try {
      ({path} = await requests.node(String(trace), node, session.view().meta.n_iterations));
    } catch (error) {
      complain(error);
      return;
    }
    const above = path[path.length - 2], view = session.wanted();
    await mcts.opening.changeView({
      opened: above === undefined ? view.opened : having(view.opened, above),
      closed: view.closed.filter((each) => each === node || !path.includes(each)),
      focus: path.includes(view.focus) ? view.focus : 0,
    }, view.focus);
  }

  /** Change the view by what `change` makes of it and a node; nothing happens without a trace.
      @param {number | null | undefined} given @param {(view: View, node: number) => Partial<View>} change */
  function changeAt(given, change) {
    if (!session.shown) return undefined;
    const node = nodeOr(given), {trace} = session.parts().cursor.get(), view = session.wanted();
    changes.push({trace, view});
    if (changes.length > UNDONE) changes.shift();
    return mcts.opening.changeView(change(view, node), node);
  }

  /** Show a node's children: as they were, where it had been collapsed. @param {number} [given] */
  const expand = (given) => changeAt(given, (view, node) => view.closed.includes(node) && !view.opened.includes(node)
    ? {closed: without(view.closed, node)} : {opened: having(view.opened, node), closed: without(view.closed, node)});
  /** @param {number} [given] */
  const collapse = (given) => changeAt(given, (view, node) => ({closed: having(view.closed, node)}));

  /** Take back what was expanded or collapsed last. */
  function undo() {
    const before = changes.pop(), {trace} = session.parts().cursor.get();
    if (!session.shown || !before || before.trace !== trace) { say("There is nothing to undo."); return undefined; }
    const {opened, closed, whole} = before.view;
    return mcts.opening.changeView({opened, closed, whole}, itemOf() < 0 ? session.wanted().focus : nodeOr());
  }

  /** Show a node's children if it shows none, else hide them. @param {number} [given] */
  function toggle(given) {
    if (!session.shown) return undefined;
    const node = nodeOr(given), item = itemOf(node), sign = session.parts().tree.handleOf(item);
    if (sign === "") {
      say(item < 0 ? `Node ${node} is not in view.` : `Node ${node} has no children.`);
      return undefined;
    }
    return sign === "+" ? expand(node) : collapse(node);
  }

  /** Show all of a node's descendants, or, when none is hidden, collapse the node and every child of it. @param {number} [given] */
  function toggleSubtree(given) {
    if (!session.shown) return undefined;
    const item = itemOf(given), {geometry} = session.shown;
    if (session.parts().tree.handleOf(item) === "") return toggle(given); // it says why nothing happens
    return changeAt(given, (view) => mcts.filter.toggledSubtree(view, geometry, item));
  }

  /** Draw a node as the root of the picture. @param {number} [given] */
  function focus(given) {
    if (!session.shown) return undefined;
    const {cursor} = session.parts(), node = nodeOr(given);
    cursor.set({node});
    return mcts.opening.changeView({focus: node, closed: without(session.wanted().closed, node)});
  }

  /** One step back: out of the phases, out of the focus; then to the view as it was opened. */
  function back() {
    if (!session.shown) return undefined;
    if (mcts.app.onBack()) return undefined;
    if (session.phase !== null) return mcts.app.setPhase(null);
    const {tree} = session.parts(), view = session.wanted();
    if (view.focus !== 0) return mcts.opening.changeView({focus: 0});
    if (mcts.filter.words(view)) return clearFilter();
    if (view.opened.length || view.closed.length || view.whole.length) {
      return mcts.opening.changeView({opened: [], closed: [], whole: []});
    }
    return tree.fit();
  }

  /** The item beside one that exists; -1 where there is none. @param {number} item @param {Direction} direction */
  function neighbour(item, direction) {
    const {geometry, replay} = session.view(), above = geometry.parent[item];
    const alive = (/** @type {number[] | undefined} */ list) =>
      (list || []).filter((each) => !geometry.isStub(each) && replay.state.count[each] > 0);
    if (direction === "up") return above;
    if (direction === "down") return alive(geometry.childrenOf.get(item))[0] ?? -1;
    if (above < 0) return -1;
    const siblings = alive(geometry.childrenOf.get(above));
    return siblings[siblings.indexOf(item) + (direction === "left" ? -1 : 1)] ?? -1;
  }

  /** @param {Direction} direction */
  function walk(direction) {
    if (!session.shown) return;
    const to = neighbour(Math.max(0, itemOf()), direction);
    if (to >= 0) select(session.shown.geometry.node[to]);
  }

  /** @param {Partial<View>} part */
  function setView(part) {
    if (!session.shown) return undefined;
    const {tree, icicle, cursor, timeline} = session.parts(), {view} = cursor.get(); // which the controls show
    if (part.colour !== undefined) part = {...part, colour: mcts.opening.offered(session.shown.meta, part.colour)};
    /** @type {Partial<View>} */
    const changes = Object.fromEntries(Object.entries(part).filter(([name, value]) =>
      value !== undefined && value !== null && String(view[/** @type {keyof View} */ (name)]) !== String(value)));
    if (mcts.opening.isOpening()) for (const name of SELECTS) delete changes[/** @type {keyof View} */ (name)];
    if (Object.keys(changes).length === 0) return undefined;
    if (FILTERS.some((name) => name in changes)) Object.assign(changes, {opened: [], whole: []});
    if (changes.viewpoint !== undefined && session.shown.meta.player_values) { // whose values are the server's to give
      mcts.viewpoint.choose(changes.viewpoint);
      cursor.set({view: changes}, true);
      return mcts.opening.changeView(changes).then(() => timeline.renew());
    }
    if (SELECTS.some((name) => name in changes && name !== "viewpoint")) return mcts.opening.changeView(changes);
    cursor.set({view: changes}, true);
    if (changes.viewpoint !== undefined) {
      mcts.viewpoint.choose(changes.viewpoint);
      timeline.renew();
    }
    tree.setOptions(changes);
    if (icicle) icicle.setOptions(changes);
    return undefined;
  }

  const clearFilter = () => session.shown
    ? mcts.opening.changeView({...Object.fromEntries(FILTERS.map((name) => [name, 0])), opened: [], whole: []}) : undefined;

  /** Copy the way to a node as names of moves, as *Find* and a start position take them. @param {number} [given] */
  async function copyPath(given) {
    if (!session.shown) return;
    const {trace} = session.parts().cursor.get();
    try {
      const {text} = await mcts.binary.fetchJson(`${requests.traceUrl(String(trace))}/path/${nodeOr(given)}`);
      say(text ? await mcts.clipboard.copy(text) : "The root has no moves to copy.");
    } catch (error) {
      complain(error);
    }
  }

  return {
    mark, onClick,
    forApp: {select, reveal, expand, collapse, toggle, toggleSubtree, undo, focus, back, walk, setView, clearFilter, copyPath},
  };
})();
