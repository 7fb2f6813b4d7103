/* Labels of the tree where there is room: the move, its visits, "+k more" at what is hidden. */
mcts.treeLabels = (() => {
  const LABELS_AT_MOST = 500;
  const WIDE_FAMILY = 8;           // children from which on labels may stand on end
  const FIRST_LEVEL = 12;          // children of the topmost node, up to which each has its label
  const UPRIGHT = 11;              // pixels between labels that stand on end
  const {FONTS} = mcts.pen, {count} = mcts.dom;

  /** Half of what an item takes of its level at least. @param {TreePicture} p @param {number} item */
  const leastHalf = (p, item) => p.view.isStub(item) && p.ky > 26
    ? mcts.pen.textWidth(p.pen, `+${count(p.state.count[item])}`, FONTS.small) / 2 + 7 : p.radius[item];

  /** Labels up to the next mark of the level: the move, and its visits when they fit too. @param {TreePicture} p @param {number[]} items */
  function draw(p, items) {
    const {view, px, labelEnd} = p, star = starOf(p);
    let left = LABELS_AT_MOST;
    p.written = [];
    for (let i = 0; i < items.length && left > 0; i++) {
      const item = items[i], next = items[i + 1];
      const sameLevel = next !== undefined && view.depth[next] === view.depth[item];
      const room = sameLevel ? px[next] - leastHalf(p, next) - 4 : p.frame.width - 4;
      const word = next === star.item && Math.abs(star.y - p.py[item]) < 16 ? star.x - 4 : room;
      const end = Math.min(room, word, endOfPath(p, item));
      labelEnd[item] = 0;
      if (view.isStub(item) ? drawBetween(p, item, end, items[i - 1]) : drawLabel(p, item, end)) left -= 1;
    }
    if (left > 0) drawUpright(p, items, left);
    for (const item of items) {
      if (view.depth[item] > 1) break;
      if (labelEnd[item] === 0 && mustBeNamed(p, item) && item !== star.item && !view.isStub(item)) drawOver(p, item);
    }
  }

  /** The move that would be played, and where its star and word begin: no label runs into them. @param {TreePicture} p */
  function starOf(p) {
    const item = mcts.treePicture.chosen(p);
    if (item <= 0 || !mcts.treePicture.isDrawn(p, item)) return {item: -1, x: 0, y: 0};
    const word = mcts.iterationMarks.chosenWord(p, item);
    return {item, x: word ? word.x - 18 : p.px[item] - p.radius[item] - 17, y: word ? word.y : p.py[item]};
  }

  /** Where the end of the path, which hangs between other nodes, stops a label of an item. @param {TreePicture} p @param {number} item */
  const endOfPath = ({end, px, py}, item) =>
    end && end.x > px[item] && end.y.some((y) => Math.abs(y - py[item]) < end.radius + 8) ? end.x - end.radius - 6 : Infinity;

  /** Whether an item has to have its label. @param {TreePicture} p @param {number} item */
  const mustBeNamed = ({view}, item) => view.parent[item] === 0 && (view.childrenOf.get(0) || []).length <= FIRST_LEVEL;

  /** Whether an item has enough siblings that their labels may be upright. @param {TreePicture} p @param {number} item */
  const isWide = ({view}, item) => view.parent[item] >= 0 && (view.childrenOf.get(view.parent[item]) || []).length >= WIDE_FAMILY;

  /** A label that has no room beside its node: over it, as much of it as there is room for; else on end.
      @param {TreePicture} p @param {number} item */
  function drawOver(p, item) {
    const {pen, view, px, py, radius, kx, ink, labelEnd, written} = p, short = view.shortLabel(item), room = view.gap[item] * kx;
    const long = mcts.pen.textWidth(pen, short, FONTS.small), isWhole = long <= room + 1, bottom = py[item] - radius[item] - 4;
    const isFree = !mcts.treePicture.covers({left: px[item] - 6, right: px[item] + 6, top: bottom - long, bottom}, written);
    if (!isWhole && p.ky >= 54 && isFree && drawOnEnd(p, item)) return; // there a name is whole
    const label = isWhole ? short : mcts.pen.cutTo(pen, short, FONTS.small, room - 3); // a letter of "b3" would be that of "b1", too
    if (!isWhole && p.ky >= 54 && mcts.pen.cutTo(pen, short, FONTS.small, roomOnEnd(p, item)).length > label.length && drawOnEnd(p, item, true)) return;
    if (!label) return;
    const half = mcts.pen.textWidth(pen, label, FONTS.small) / 2, y = py[item] - radius[item] - 9;
    pen.font = FONTS.small;
    mcts.pen.halo(pen, label, px[item] - half, y, ink.ink, ink.paper);
    written.push({left: px[item] - half, right: px[item] + half, top: y - 7, bottom: y + 7});
    labelEnd[item] = px[item] + radius[item];
  }

  /** Whether there was room. @param {TreePicture} p @param {number} item @param {number} end pixel at which the next item begins */
  function drawLabel(p, item, end) {
    const {pen, view, radius, px, ink} = p, {halo, textWidth} = mcts.pen;
    if (radius[item] < 3 && !p.important[item]) return false;
    const label = view.label(item), short = view.shortLabel(item), visits = count(p.state.visits[item]);
    const r = radius[item], y = p.py[item] + 0.5, visitsWidth = textWidth(pen, visits, FONTS.small);
    let x = px[item] + r + 4 + (mcts.iterationMarks.isRinged(p, item) ? 4 : 0);
    const innerFont = r >= 8 ? FONTS.label : FONTS.tiny;
    const inside = r >= 5.5 && textWidth(pen, short, innerFont) <= 1.75 * r;
    if (inside) {
      const place = mcts.treePicture.fillOf(p, item);
      Object.assign(pen, {font: innerFont, fillStyle: place === null ? ink.ink : p.colouring.table.inks[place], textAlign: "center"});
      pen.fillText(short, px[item], y);
    }
    const beside = [!inside || short !== label ? label : "", inside ? "" : short]
      .find((text) => text && x + textWidth(pen, text, FONTS.label) + (inside ? visitsWidth + 4 : 0) <= end)
      ?? (inside || isWide(p, item) || mcts.treePicture.chosen(p) === item ? "" : mcts.pen.cutTo(pen, short, FONTS.label, end - x));
    if (beside) {
      pen.font = FONTS.label;
      halo(pen, beside, x, y, ink.ink, ink.paper);
      x += textWidth(pen, beside, FONTS.label) + 4;
    }
    if (!inside && !beside) return false;
    if (writesNumbers(p, item)) {
      drawNumbers(p, item);
    } else if (x + visitsWidth <= end && !isTold(p, item)) {
      pen.font = FONTS.small;
      halo(pen, visits, x, y, ink.muted, ink.paper);
      x += visitsWidth;
    }
    p.written.push({left: px[item] + r, right: x, top: y - 7, bottom: y + 7});
    p.labelEnd[item] = x;
    return true;
  }

  // ---- mean value and visits -------------------------------------------------------------------------------------------

  /** Whether the option is on and the item stands on one of the first two levels. @param {TreePicture} p @param {number} item */
  const writesNumbers = (p, item) => Boolean(p.options.numbers) && p.view.depth[item] > 0 && p.view.depth[item] <= 2 && p.stage.phase() === null;

  /** Whether its visits are written by the phase: those before and after. @param {TreePicture} p @param {number} item */
  const isTold = (p, item) => p.stage.phase() === "backpropagate" && p.stage.before() !== null && Boolean(p.stage.iteration()?.updated.includes(item));

  /** Under a node, as many of both as there is room for. @param {TreePicture} p @param {number} item */
  function drawNumbers({pen, view, state, px, py, radius, kx, ky, ink}, item) {
    const visits = state.visits[item], room = Math.min(view.gap[item] * kx, 120) - 3, top = py[item] + radius[item] + 9;
    if (visits === 0) return;
    const mean = mcts.viewpoint.mean(view, view.meta, state, item), both = Number.isNaN(mean) ? [] : [mcts.dom.fixed(mean, 2)];
    const lines = [[...both, count(visits)].join(" · "), ...both, count(visits)];
    pen.font = FONTS.small;
    const fits = (/** @type {string} */ line) => mcts.pen.textWidth(pen, line, FONTS.small) <= room;
    const shown = fits(lines[0]) ? [lines[0]] : lines.slice(1).filter(fits);
    shown.slice(0, ky > 3 * radius[item] + 30 ? 2 : 1).forEach((line, i) =>
      mcts.pen.halo(pen, line, px[item] - mcts.pen.textWidth(pen, line, FONTS.small) / 2, top + 12 * i, ink.ink, ink.paper));
  }

  // ---- labels that stand on end ------------------------------------------------------------------------------------

  /** Where a level is too crowded for words side by side: they stand on end over the nodes, the most visited first,
      as many as do not touch. @param {TreePicture} p @param {number[]} items @param {number} left labels at most */
  function drawUpright(p, items, left) {
    if (p.ky < 54) return;
    const {view, important, state, radius, labelEnd} = p, best = mcts.treePicture.chosen(p);
    const bare = items.filter((item) => labelEnd[item] === 0 && radius[item] >= 1 && item !== best && !view.isStub(item) && isWide(p, item));
    bare.sort((one, other) => important[other] - important[one] || state.visits[other] - state.visits[one]);
    /** @type {Map<number, Set<number>>} */
    const taken = new Map(); // level -> columns of UPRIGHT pixels
    p.pen.textAlign = "left";
    for (const item of bare.slice(0, 4 * LABELS_AT_MOST)) {
      if (left <= 0) break;
      const level = view.depth[item], column = Math.round(p.px[item] / UPRIGHT);
      const columns = taken.get(level) || levelColumns(p, items, level, best);
      taken.set(level, columns);
      if ([column - 1, column, column + 1].some((each) => columns.has(each))) continue;
      columns.add(column);
      drawOnEnd(p, item);
      left -= 1;
    }
  }

  /** Columns of a level in which something stands already: labels beside their nodes, and the mark of the move chosen.
      @param {TreePicture} p @param {number[]} items @param {number} level @param {number} best */
  function levelColumns(p, items, level, best) {
    const {view, px, radius, labelEnd} = p;
    /** @type {Set<number>} */
    const columns = new Set();
    const take = (/** @type {number} */ from, /** @type {number} */ to) => {
      for (let x = from; x < to + UPRIGHT; x += UPRIGHT) columns.add(Math.round(x / UPRIGHT));
    };
    for (const item of items) {
      if (view.depth[item] === level && labelEnd[item] > 0) take(px[item] - radius[item], labelEnd[item]);
    }
    const isHere = best > 0 && mcts.treePicture.isDrawn(p, best) && view.depth[best] === level;
    const word = isHere ? mcts.iterationMarks.chosenWord(p, best) : null;
    if (word) take(word.x - 20, word.x + mcts.pen.textWidth(p.pen, word.text, FONTS.strong));
    return columns;
  }

  /** Pixels over a node up to the height of its parent. @param {TreePicture} p @param {number} item */
  function roomOnEnd({view, py, radius}, item) {
    const above = view.parent[item];
    return above >= 0 ? py[item] - py[above] - radius[above] - radius[item] - 8 : 40;
  }

  /** Whether there was room. @param {TreePicture} p @param {number} item @param {boolean} [mayCut] the name, where it is too long */
  function drawOnEnd(p, item, mayCut = false) {
    const {pen, view, px, py, radius, ink, labelEnd, written} = p, room = roomOnEnd(p, item), short = view.shortLabel(item);
    const text = [view.label(item), short].find((each) => mcts.pen.textWidth(pen, each, FONTS.small) <= room)
      ?? (mayCut ? mcts.pen.cutTo(pen, short, FONTS.small, room) : "");
    if (!text) return false;
    pen.save();
    pen.translate(px[item], py[item] - radius[item] - 4);
    pen.rotate(-Math.PI / 2);
    pen.font = FONTS.small;
    mcts.pen.halo(pen, text, 0, 0.5, ink.ink, ink.paper);
    pen.restore();
    const bottom = py[item] - radius[item] - 4;
    written.push({left: px[item] - 6, right: px[item] + 6, top: bottom - mcts.pen.textWidth(pen, text, FONTS.small), bottom});
    labelEnd[item] = px[item] + radius[item];
    return true;
  }

  // ---- stubs -------------------------------------------------------------------------------------------------------

  /** A pill "+k more" where there is room, else three dots, else a dash; whether it was the pill.
      @param {TreePicture} p @param {number} item @param {number} room pixels */
  function drawStub(p, item, room) {
    const {pen, ink} = p, n = count(p.state.count[item]), x = p.px[item], y = p.py[item];
    const text = [`+${n} more`, `+${n}`].find((each) => mcts.pen.textWidth(pen, each, FONTS.small) + 12 <= room);
    p.stubWidth[item] = text ? mcts.pen.textWidth(pen, text, FONTS.small) + 12 : 0;
    if (text && p.ky > 26) {
      mcts.pen.plate(pen, x, y, p.stubWidth[item], 16, ink.muted, ink.paper);
      p.written.push({left: x - p.stubWidth[item] / 2, right: x + p.stubWidth[item] / 2, top: y - 8, bottom: y + 8});
      Object.assign(pen, {font: FONTS.small, textAlign: "center", fillStyle: ink.muted});
      pen.fillText(text, x, y + 0.5);
      return true;
    }
    pen.fillStyle = ink.muted;
    if (room >= 14) for (const shift of [-4, 0, 4]) pen.fillRect(x + shift - 1, y - 1, 2, 2);
    else pen.fillRect(x - 1, y - 0.5, 2, 1);
    return false;
  }

  /** A stub among its siblings: as wide as the way to its neighbours allows. @param {TreePicture} p @param {number} item
      @param {number} end @param {number | undefined} before the item to the left */
  function drawBetween(p, item, end, before) {
    const {view, px} = p;
    const free = before !== undefined && view.depth[before] === view.depth[item]
      ? px[item] - Math.max(p.labelEnd[before], px[before] + p.radius[before]) - 1 : 60;
    return drawStub(p, item, 2 * Math.min(free, end - px[item], 40));
  }

  /** @param {TreePicture} p @param {number[]} stubs */
  function drawTucked(p, stubs) {
    for (const item of stubs) drawStub(p, item, Math.max(p.view.gap[p.view.parent[item]] * p.kx - 6, p.important[item] ? 40 : 0));
  }

  return {draw, drawTucked};
})();
