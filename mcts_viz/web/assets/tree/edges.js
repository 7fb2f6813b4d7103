/* The edges of the tree: as wide as their share of the parent's visits; the selected path over them. */
mcts.treeEdges = (() => {
  const CURVES_AT_MOST = 1200;     // beyond that many edges they are straight
  const WIDTHS = [0.4, 0.75, 1.1, 1.6, 2.2, 3, 4, 5.2, 6.5]; // by visit share

  /** @param {TreePicture} p @param {number[]} items @param {number} width @param {boolean} curved */
  function stroke({pen, view, px, py}, items, width, curved) {
    if (items.length === 0) return;
    pen.lineWidth = width;
    pen.beginPath();
    for (const item of items) {
      const above = view.parent[item];
      const x0 = px[above], y0 = py[above], x1 = px[item], y1 = py[item], middle = (y0 + y1) / 2;
      pen.moveTo(x0, y0);
      if (curved) pen.bezierCurveTo(x0, middle, x1, middle, x1, y1); else pen.lineTo(x1, y1);
    }
    pen.stroke();
  }

  /** Place of an edge's width in WIDTHS; no wider than its node. @param {TreePicture} p @param {number} item */
  function widthOf({view, state, radius, kx}, item) {
    const share = Math.max(0, Math.min(1, state.visits[item] / Math.max(1, state.visits[view.parent[item]]))); // a faulty search may have any
    const widest = Math.min(2 * radius[item] + 0.5, view.gap[item] * kx * 0.5);
    let place = Math.round(Math.sqrt(share) * (WIDTHS.length - 1));
    while (place > 0 && WIDTHS[place] > widest) place -= 1;
    return place;
  }

  /** @param {TreePicture} p @param {number[]} edges items below the edges */
  function draw(p, edges) {
    const {pen} = p, curved = edges.length <= CURVES_AT_MOST;
    /** @type {number[][]} */
    const byWidth = WIDTHS.map(() => []);
    for (const item of edges) if (!p.view.isStub(item)) byWidth[widthOf(p, item)].push(item);
    Object.assign(pen, {strokeStyle: p.ink.edge, lineCap: "round", globalAlpha: edges.length > 4000 ? 0.55 : 1});
    byWidth.forEach((items, i) => stroke(p, items, WIDTHS[i], curved));
    pen.globalAlpha = 1;
    if (edges.length >= 3000) return;
    pen.setLineDash([2, 3]);
    stroke(p, edges.filter(p.view.isStub), 1, curved);
    pen.setLineDash([]);
  }

  const LINK = 15;                 // pixels below a node, of a short link

  /** From ways to nodes that are shared towards these, below which they go on; all the way from the one that is looked at.
      @param {TreePicture} p @param {number[]} items */
  function drawLinks(p, items) {
    const {pen, view, px, py, radius} = p;
    if (!view.same_as) return;
    Object.assign(pen, {strokeStyle: p.ink.control, fillStyle: p.ink.control, lineWidth: 1.2});
    for (const item of items) {
      const node = view.isStub(item) ? -1 : view.same_as[item];
      if (node < 0 || radius[item] < 2.2) continue;
      const to = view.itemOf(node), isDrawn = to >= 0 && mcts.treePicture.isDrawn(p, to);
      const angle = isDrawn ? Math.atan2(py[to] - py[item], px[to] - px[item]) : Math.PI / 2;
      const length = isDrawn ? Math.hypot(px[to] - px[item], py[to] - py[item]) - radius[to] : LINK + radius[item];
      const isWhole = isDrawn && (item === p.selected || item === p.hovered);
      arrow(p, px[item], py[item], angle, radius[item] + 1, isWhole ? length : Math.min(length, radius[item] + LINK));
    }
  }

  /** Dashed, with a head. @param {TreePicture} p @param {number} x @param {number} y @param {number} angle @param {number} from
      @param {number} to pixels from the point */
  function arrow({pen}, x, y, angle, from, to) {
    const dx = Math.cos(angle), dy = Math.sin(angle), endX = x + dx * to, endY = y + dy * to;
    pen.setLineDash([3, 2]);
    pen.beginPath();
    pen.moveTo(x + dx * from, y + dy * from);
    pen.lineTo(endX, endY);
    pen.stroke();
    pen.setLineDash([]);
    pen.beginPath();
    pen.moveTo(endX + 3 * dx, endY + 3 * dy);
    pen.lineTo(endX - 3 * dy, endY + 3 * dx);
    pen.lineTo(endX + 3 * dy, endY - 3 * dx);
    pen.fill();
  }

  /** @param {TreePicture} p @param {Iteration | null} iteration @param {number[]} edges all that are drawn */
  function drawPath(p, iteration, edges) {
    if (!iteration) return;
    const {isDrawn} = mcts.treePicture;
    Object.assign(p.pen, {strokeStyle: p.ink.path, lineCap: "round"});
    stroke(p, iteration.path.filter((item) => item !== p.end?.last && isDrawn(p, item) && isDrawn(p, p.view.parent[item])), 4, edges.length <= CURVES_AT_MOST);
  }

  return {draw, drawLinks, drawPath, widthOf};
})();
