/* Draws an icicle: a level a row, a node as wide as its visits, the nodes above the focus over the whole width. */
mcts.icicleDrawing = (() => {
  const MARGIN = {side: 12, top: 8, bottom: 6};
  const ANCESTORS = 3; // rows
  const LOW = 18; // pixels of a row whose words are small
  const {FONTS} = mcts.pen, {count} = mcts.dom;

  /** The nearest of the nodes above the focus; the breadcrumbs have all of them. @param {Meta} meta */
  const ancestors = (meta) => meta.focus_path.slice(0, -1).slice(-ANCESTORS);

  /** Where rows and widths are in a picture of that size. @param {IciclePicture} p @param {number} width @param {number} height */
  function placeOf(p, width, height) {
    const above = ancestors(p.meta), nLevels = p.current.nLevels + above.length;
    const rows = mcts.icicleLayout.rows(nLevels, height - MARGIN.top - MARGIN.bottom);
    const scroll = Math.max(0, Math.min(p.scroll, nLevels - rows.seen)), whole = width - 2 * MARGIN.side, {times, from} = p.zoom;
    return {
      above, nLevels, seen: rows.seen, scroll, height, row: rows.height, right: width,
      x: MARGIN.side - from * times * whole, width: times * whole, // of the topmost node, of which a part may be seen
      y: (/** @type {number} */ row) => MARGIN.top + (row - scroll) * rows.height,
      rowAt: (/** @type {number} */ y) => Math.floor((y - MARGIN.top) / rows.height) + scroll,
    };
  }

  /** Everything, anew; what was drawn. @param {IciclePicture} p @param {number} width @param {number} height */
  function draw(p, width, height) {
    const {pen, current: c} = p, {state} = c.stage, place = placeOf(p, width, height), nAbove = place.above.length;
    pen.clearRect(0, 0, width, height);
    pen.textBaseline = "middle";
    [p.drawn, p.scroll, p.place] = [[], place.scroll, place];
    const {left, taken, total} = mcts.icicleLayout.spans(c, state.visits);
    place.above.forEach((each, row) => { if (row >= place.scroll) drawAncestor(p, each, row); });
    const scale = total > 0 ? place.width / total : 0, path = new Set(c.stage.iteration()?.path || []);
    let nDrawn = 0;
    for (let level = 0; level < c.nLevels; level++) {
      const row = level + nAbove, isVisible = row >= place.scroll && row < place.scroll + place.seen;
      nDrawn += isVisible ? drawLevel(p, level, row, {left, taken, scale, path}) : wideNodes(p, level, scale);
    }
    if (total === 0) sayEmpty(p, nAbove);
    drawSelected(p);
    return {drawn: nDrawn, narrow: c.nBelow[c.stage.nodesAt() - c.from] - nDrawn, rows: place.nLevels, hiddenRows: place.nLevels - place.seen};
  }

  /** @param {IciclePicture} p @param {number} row */
  function sayEmpty({pen, ink, place}, row) {
    Object.assign(pen, {font: FONTS.small, fillStyle: ink.muted, textAlign: "left"});
    pen.fillText("no visits yet at this iteration", MARGIN.side, place.y(row) + place.row / 2);
  }

  /** The number of a level's nodes that are at least a pixel wide. @param {IciclePicture} p @param {number} level @param {number} scale */
  function wideNodes({current: c}, level, scale) {
    let n = 0;
    for (let i = c.level_start[level]; i < c.level_start[level + 1]; i++) {
      if (!c.isStub(c.order[i]) && c.stage.state.visits[c.order[i]] * scale >= 1) n += 1;
    }
    return n;
  }

  /** A level's rectangles; the number of nodes that are at least a pixel wide. @param {IciclePicture} p @param {number} level @param {number} row
      @param {{left: Float64Array, taken: Float64Array, scale: number, path: Set<number>}} how */
  function drawLevel(p, level, row, {left, taken, scale, path}) {
    const {current: c, place} = p, y = place.y(row), boxes = /** @type {IcicleBox[]} */ (p.drawn[row] = []);
    let nDrawn = 0;
    for (let i = c.level_start[level]; i < c.level_start[level + 1]; i++) {
      const item = c.order[i], width = c.stage.state.visits[item] * scale;
      if (width < 1) continue;
      const box = {item, node: c.node[item], x: place.x + left[item] * scale, width};
      boxes.push(box);
      if (c.isStub(item)) continue;
      nDrawn += 1;
      if (box.x > place.right || box.x + width < 0) continue;
      drawBox(p, box, y, path.has(item));
      if (taken[item] * scale >= 1) backChildren(p, box.x, y + place.row, taken[item] * scale);
    }
    return nDrawn;
  }

  /** Grey under a node, as far as its children reach: what is not covered by one of them is narrower than a pixel.
      @param {IciclePicture} p @param {number} x @param {number} y @param {number} width */
  function backChildren({pen, ink, place}, x, y, width) {
    if (y + place.row > place.height - MARGIN.bottom + 1) return;
    Object.assign(pen, {globalAlpha: 0.45, fillStyle: ink.edge});
    pen.fillRect(x, y, width, place.row - 1);
    pen.globalAlpha = 1;
  }

  /** Place of a colour in the table, null for none. @param {IciclePicture} p @param {number} item */
  function fillOf({colouring, current}, item) {
    const at = colouring.place(colouring.measure(item, current.stage.state));
    return at < 0 ? null : at;
  }

  /** @param {IciclePicture} p @param {IcicleBox} box @param {number} y @param {boolean} isOnPath */
  function drawBox(p, {item, x, width}, y, isOnPath) {
    const {pen, ink, place, colouring: {table}} = p, at = fillOf(p, item), gap = width > 3 ? 1 : 0;
    pen.fillStyle = at === null ? p.meta.unvisited[p.options.theme] : table.fills[at];
    pen.fillRect(x, y, width - gap, place.row - 1);
    if (width > 3) {
      Object.assign(pen, {strokeStyle: ink.edge, lineWidth: 1});
      pen.strokeRect(x + 0.5, y + 0.5, width - gap - 1, place.row - 2);
    }
    if (isOnPath) {
      pen.fillStyle = ink.path;
      pen.fillRect(x, y, Math.max(2, width - gap), 3);
    }
    if (width >= 15) label(p, item, x, width - gap, y + place.row / 2 + 0.5, at === null ? ink.ink : table.inks[at]);
  }

  /** @param {IciclePicture} p @param {number} item @param {number} x @param {number} width @param {number} y @param {string} colour */
  function label({pen, current: c, place}, item, x, width, y, colour) {
    const visits = count(c.stage.state.visits[item]), isLow = place.row < LOW;
    if (x < 0) [x, width] = [0, width + x]; // it begins to the left of what is seen
    Object.assign(pen, {textAlign: "left", fillStyle: colour, font: isLow ? FONTS.tiny : FONTS.label});
    const text = [c.label(item), c.shortLabel(item)].find((each) => pen.measureText(each).width + 8 <= width);
    if (!text) return;
    pen.fillText(text, x + 4, y);
    const end = x + 4 + pen.measureText(text).width + 6;
    if (!isLow) pen.font = FONTS.small;
    if (end + pen.measureText(visits).width + 4 <= x + width) pen.fillText(visits, end, y);
  }

  /** A node above the focus: a click leads back to it. @param {IciclePicture} p @param {{node: number, label: string}} ancestor @param {number} row */
  function drawAncestor({pen, ink, place, drawn}, {node, label: text}, row) {
    const x = MARGIN.side, width = place.right - 2 * x;
    drawn[row] = [{node, item: -1, x, width}];
    Object.assign(pen, {fillStyle: ink.edge, globalAlpha: 0.35});
    pen.fillRect(x, place.y(row), width, place.row - 1);
    Object.assign(pen, {globalAlpha: 1, font: FONTS.small, textAlign: "left", fillStyle: ink.ink});
    pen.fillText(`‹ ${text}`, x + 4, place.y(row) + place.row / 2 + 0.5);
  }

  /** Where the selected node is drawn. @param {IciclePicture} p */
  function selectedBox({current, selected, drawn}) {
    const item = current.itemOf(selected);
    for (const [row, boxes] of drawn.entries()) {
      const box = (boxes || []).find((each) => item >= 0 && each.item === item);
      if (box) return {row, ...box};
    }
    return null;
  }

  /** @param {IciclePicture} p */
  function drawSelected(p) {
    const box = selectedBox(p), {pen, place} = p;
    if (!box) return;
    for (const [lineWidth, strokeStyle] of [[5, p.ink.paper], [2.5, p.ink.selected]]) {
      Object.assign(pen, {lineWidth, strokeStyle});
      pen.strokeRect(box.x, place.y(box.row), Math.max(3, box.width - 1), place.row - 1);
    }
  }

  return {draw, fillOf, selectedBox, SIDE: MARGIN.side};
})();
