/* Which items of a view are drawn, and where: those on screen, at most one every two pixels of a level. */
mcts.treeCulling = (() => {
  const MIN_PIXELS = 2; // between two marks of a level
  const RADIUS = {least: 3.5, readable: 7, most: 22, equal: 8};

  /** What must be seen, however close to a neighbour. @param {TreePicture} p @param {Iteration | null} iteration */
  function markImportant(p, iteration) {
    const {important} = p, best = mcts.treePicture.chosen(p);
    important.fill(0);
    if (iteration) for (const list of [iteration.path, iteration.made, iteration.updated]) for (const item of list) important[item] = 1;
    if (p.selected >= 0) important[p.selected] = 1;
    if (best >= 0) important[best] = 1;
  }

  /** What an item's visits are a share of. @param {TreePicture} p @param {number} item */
  function wholeOf({view, state, options}, item) {
    const above = view.parent[item];
    return Math.max(1, state.visits[options.size === "share" && above >= 0 ? above : 0]);
  }

  /** How large an item is, from 0 to 1: by its visits, or by a number of its own in the range of all.
      @param {TreePicture} p @param {number} item */
  function sizeOf(p, item) {
    const size = p.options.size, scale = p.view.meta.scales[size];
    const column = /** @type {Record<string, any>} */ (p.view)[size];
    if (!size.startsWith("number_") || !scale || !column) return p.state.visits[item] / wholeOf(p, item);
    const low = Math.min(0, scale.low); // from 0 on where all are above it
    return Math.max(0, Math.min(1, (column[item] - low) / (scale.high - low) || 0));
  }

  /** @param {TreePicture} p @param {number} item */
  function placeItem(p, item) {
    const {view, px, py, radius} = p;
    px[item] = mcts.treePicture.screenX(p, view.x[item]);
    py[item] = mcts.treePicture.screenY(p, view.depth[item]);
    p.drawnAt[item] = p.paintId;
    if (view.isTucked[item]) {
      const above = view.parent[item];
      if (p.drawnAt[above] !== p.paintId) placeItem(p, above);
      px[item] = px[above];
      py[item] = py[above] + radius[above] + 12;
    }
    if (view.isStub(item)) { radius[item] = 3; return; }
    const least = Number(view.meta.view?.budget) ? RADIUS.least : RADIUS.readable; // each has room for a circle one can hit
    const wanted = p.options.size === "equal" ? RADIUS.equal
      : least + (RADIUS.most - least) * Math.sqrt(Math.max(0, sizeOf(p, item)));
    radius[item] = Math.max(1, Math.min(wanted, view.gap[item] * p.kx * 0.46, p.ky * 0.3));
  }

  /** Whether an item exists and stands on its level. @param {TreePicture} p @param {number} item */
  const stands = ({state, view}, item) => state.count[item] !== 0 && !view.isTucked[item];

  /** Place a level's items from left to right; the number of those too close to a neighbour to be drawn.
      @param {TreePicture} p @param {number} level @param {number[]} items */
  function placeLevel(p, level, items) {
    const margin = 40 / p.kx, [from, to] = p.view.between(level, p.frame.x[0] - margin, p.frame.x[1] + margin);
    let last = -Infinity, skipped = 0;
    for (let i = from; i < to; i++) {
      const item = p.view.order[i];
      if (!stands(p, item)) continue;
      const x = mcts.treePicture.screenX(p, p.view.x[item]);
      if (x - last < MIN_PIXELS && !p.important[item]) { skipped += 1; continue; }
      last = x;
      placeItem(p, item);
      items.push(item);
    }
    return skipped;
  }

  /** Place both ends of the edges above a level. @param {TreePicture} p @param {number} level @param {number[]} edges items below the edges */
  function placeEdges(p, level, edges) {
    const {view} = p, [first, end] = view.edgesBetween(level, ...p.frame.x);
    let last = -Infinity;
    for (let i = first; i < end; i++) {
      const item = view.order[i];
      if (!stands(p, item)) continue;
      if (p.drawnAt[item] !== p.paintId) {
        const x = mcts.treePicture.screenX(p, view.x[item]);
        if (Math.abs(x - last) < MIN_PIXELS && !p.important[item]) continue;
        last = x;
        placeItem(p, item);
      }
      const above = view.parent[item];
      if (p.drawnAt[above] !== p.paintId) placeItem(p, above);
      edges.push(item);
    }
  }

  /** Place the stubs that are tucked in under their nodes, where there is room. @param {TreePicture} p @param {number[]} items */
  function placeTucked(p, items) {
    const tucked = [];
    for (const item of items) {
      const stub = p.view.tucked.get(item);
      if (stub === undefined || p.state.count[stub] === 0) continue;
      if (!p.important[stub] && p.view.gap[item] * p.kx < 30) continue;
      placeItem(p, stub);
      tucked.push(stub);
    }
    return tucked;
  }

  /** Place what is on screen: items and edges (by the item below) by level from left to right, tucked stubs, and the number
      of items that are too close to a neighbour to be drawn. @param {TreePicture} p */
  function place(p) {
    const [lower, upper] = p.frame.y;
    const top = Math.max(0, Math.floor(upper - 0.5)), bottom = Math.min(p.view.nLevels - 1, Math.ceil(lower + 0.5));
    /** @type {number[]} */
    const items = [];
    /** @type {number[]} */
    const edges = [];
    let skipped = 0;
    for (let level = top; level <= bottom; level++) {
      skipped += placeLevel(p, level, items);
      if (level > 0) placeEdges(p, level, edges);
    }
    return {items, edges, tucked: placeTucked(p, items), skipped};
  }

  return {markImportant, place};
})();
