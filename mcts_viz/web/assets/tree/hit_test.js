/* What of the tree lies at a point: by binary search in the levels around it. */
mcts.treeHitTest = (() => {
  /** The item drawn nearest to x on a level; -1 where there is none. @param {TreePicture} p @param {number} level @param {number} x */
  function nearest(p, level, x) {
    const {view, px, drawnAt, paintId} = p, [from] = view.between(level, p.frame.x[0] + x / p.kx, Infinity);
    const begin = view.level_start[level], end = view.level_start[level + 1];
    let best = -1, distance = Infinity;
    for (const step of [-1, 1]) {
      let tried = 0;
      for (let i = step < 0 ? from - 1 : from; i >= begin && i < end && tried < 6; i += step) {
        const item = view.order[i];
        if (drawnAt[item] !== paintId) { if (p.state.count[item] > 0) tried += 0.05; continue; }
        tried += 1;
        if (Math.abs(px[item] - x) < distance) { distance = Math.abs(px[item] - x); best = item; }
      }
    }
    return best;
  }

  /** @param {TreePicture} p @param {number} item @param {number} x @param {number} y @returns {Part | ""} */
  function partAt(p, item, x, y) {
    const dx = Math.abs(p.px[item] - x), dy = Math.abs(p.py[item] - y);
    if (p.view.isStub(item)) return dx <= Math.max(8, p.stubWidth[item] / 2) && dy <= 10 ? "stub" : "";
    if (Math.hypot(dx, dy) <= Math.max(p.radius[item] + 2, 6)) return "node";
    const {hasHandle, handleY} = mcts.treePicture;
    return hasHandle(p, item) && Math.hypot(p.px[item] - x, handleY(p, item) - y) <= 9 ? "handle" : "";
  }

  /** The item at a point of the plot area, and the part of it; null for none. @param {TreePicture} p @param {number} x @param {number} y
      @returns {{item: number, part: Part} | null} */
  function hit(p, x, y) {
    const depth = p.frame.y[1] + y / p.ky;
    for (const level of [Math.round(depth), Math.floor(depth), Math.ceil(depth)]) {
      if (level < 0 || level >= p.view.nLevels) continue;
      const item = nearest(p, level, x);
      if (item < 0) continue;
      const part = partAt(p, item, x, y);
      if (part) return {item, part};
      const stub = p.view.tucked.get(item);
      if (stub !== undefined && mcts.treePicture.isDrawn(p, stub) && partAt(p, stub, x, y)) return {item: stub, part: "stub"};
    }
    return null;
  }

  return {hit};
})();
