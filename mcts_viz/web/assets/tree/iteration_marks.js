/* What is marked on the tree: what an iteration did, its rollout, the move chosen and the node selected. */
mcts.iterationMarks = (() => {
  const {FONTS} = mcts.pen;

  /** @param {TreePicture} p @param {number} item @param {number} distance @param {number} width @param {string} colour @param {number[]} [dash] */
  const ring = (p, item, distance, width, colour, dash = []) =>
    mcts.pen.ring(p.pen, p.px[item], p.py[item], p.radius[item] + distance, width, colour, dash);

  /** Whether a ring goes around an item, which its label leaves room for. @param {TreePicture} p @param {number} item */
  const isRinged = (p, item) => item === p.selected || item === mcts.treePicture.chosen(p) || Boolean(p.stage.iteration()?.made.includes(item));

  /** Half of the width of a small text on a plate. @param {TreePicture} p @param {string} text */
  const halfOf = ({pen}, text) => mcts.pen.textWidth(pen, text, FONTS.strong) / 2 + 5;

  /** A small text on a plate of paper, centred at a point. @param {TreePicture} p @param {number} x @param {number} y @param {string} text */
  function chip(p, x, y, text) {
    const {pen, frame, ink} = p, half = halfOf(p, text), middle = Math.max(half + 2, Math.min(frame.width - half - 2, x));
    mcts.pen.plate(pen, middle, y, 2 * half, 17, ink.path, ink.paper);
    Object.assign(pen, {font: FONTS.strong, fillStyle: ink.path, textAlign: "center"});
    pen.fillText(text, middle, y + 0.5);
  }

  /** Where a chip below a point covers nothing: there, a little to a side, further down, or beside the node; else the free place
      nearest to that. Null where the whole picture is taken. @param {TreePicture} p @param {number} x @param {number} y the first place
      @param {{y: number, away: number}} node @param {number} half @param {Box[]} taken */
  function freePlace({frame, bottom}, x, y, node, half, taken) {
    const /** @type {{x: number, y: number}[]} */ places = [];
    for (let at = y; at <= bottom - 10; at += 8) places.push(...[x, x + half - 7, x - half + 7].map((each) => ({x: each, y: at})));
    for (let far = node.away + half; far < 200; far += 30) places.push({x: x + far, y: node.y}, {x: x - far, y: node.y});
    const inside = places.map((each) => ({...each, x: Math.max(half + 2, Math.min(frame.width - half - 2, each.x))}));
    const around = (/** @type {{x: number, y: number}} */ each) => ({left: each.x - half, right: each.x + half, top: each.y - 9, bottom: each.y + 9});
    const isFree = (/** @type {{x: number, y: number}} */ each) => each.y <= bottom - 10 && !mcts.treePicture.covers(around(each), taken);
    const found = inside.find(isFree);
    if (found) return found;
    let /** @type {{x: number, y: number} | null} */ nearest = null, least = Infinity;
    for (let at = bottom - 10; at >= 10; at -= 6) {
      for (let left = half + 2; left <= frame.width - half - 2; left += 10) {
        const away = Math.hypot(left - x, 2 * (at - node.y)); // rather on its level
        if (away < least && isFree({x: left, y: at})) [nearest, least] = [{x: left, y: at}, away];
      }
    }
    return nearest;
  }

  /** How far the path goes on below what is seen. @param {TreePicture} p @param {Iteration | null} iteration @param {number[]} items that are drawn */
  function drawDeeper(p, iteration, items) {
    if (!iteration) return;
    const {screenX, screenY} = mcts.treePicture;
    const first = iteration.path.findIndex((item) => item !== p.end?.last && screenY(p, p.view.depth[item]) > p.bottom - 8);
    if (first < 1) return;
    const levels = mcts.dom.counted(iteration.path.length - first + iteration.end.n, "level");
    const text = `↓ ${levels} deeper`, x = screenX(p, p.view.x[iteration.path[first]]), y = p.bottom - 14, half = halfOf(p, text);
    const place = freePlace(p, x, y, {y, away: 0}, half, mcts.treePicture.standing(p, items));
    if (place) chip(p, place.x, place.y, text);
  }

  /** An iteration's outcome in words. @param {Meta} meta @param {number} outcome view of player 0 */
  function outcomeText({players, has_results: hasResults}, outcome) {
    if (Number.isNaN(outcome)) return "";
    if (players.length > 1 && !hasResults) return `${outcome > 0 ? "+" : ""}${mcts.dom.fixed(outcome, 2)} for ${players[0]}`;
    return players.length === 1 || [1, 0, -1].includes(outcome) ? mcts.card.outcomeText({players}, outcome) : mcts.dom.fixed(outcome, 2);
  }

  /** The simulation: a dashed tail from the path's end, with its outcome.
      @param {TreePicture} p @param {Iteration | null} iteration @param {number[]} items that are drawn */
  function drawRollout(p, iteration, items) {
    if (!iteration || iteration.hasTail === false) return;
    const item = iteration.path[iteration.path.length - 1] ?? -1, {pen, end} = p;
    if (!end && !mcts.treePicture.isDrawn(p, item)) return;
    const x = end ? end.x : p.px[item], y = end ? end.y[end.y.length - 1] + end.radius : p.py[item] + (p.view.isStub(item) ? 10 : p.radius[item]);
    const length = end ? Math.max(6, Math.min(14, p.bottom - y - 18)) : Math.max(14, Math.min(34, p.ky * 0.36 - p.radius[item]));
    const text = outcomeText(p.view.meta, iteration.outcome);
    const node = {y: end ? end.y[end.y.length - 1] : p.py[item], away: (end ? end.radius : p.radius[item]) + 8};
    const place = text ? freePlace(p, x, y + length + 8, node, halfOf(p, text), mcts.treePicture.standing(p, items)) : {x, y: y + length + 8};
    if (!place) return;
    const half = text ? halfOf(p, text) : 0, isUnder = place.y > y && Math.abs(place.x - x) < Math.max(half, 1);
    const isFar = !isUnder && Math.hypot(place.x - x, place.y - node.y) > node.away + half + 30;
    if (isUnder) mcts.pen.line(pen, x, y + 2, x, place.y - 8, 2, p.ink.path, [3, 4]);
    else if (isFar) mcts.pen.line(pen, x, node.y, place.x, place.y, 2, p.ink.path, [3, 4]);
    if (!text) return;
    chip(p, place.x, place.y, text);
    p.written.push({left: place.x - half, right: place.x + half, top: place.y - 9, bottom: place.y + 9});
  }

  /** The ring around a new node, or around the "+k more" that it is in. @param {TreePicture} p @param {number} item */
  function newMark(p, item) {
    if (!p.view.isStub(item) || !p.stubWidth[item]) { ring(p, item, p.view.isStub(item) ? 5 : 4, 2.2, p.ink.new, [4, 3]); return; }
    const half = p.stubWidth[item] / 2 + 3, {pen} = p;
    Object.assign(pen, {strokeStyle: p.ink.new, lineWidth: 2.2});
    pen.setLineDash([4, 3]);
    pen.beginPath();
    pen.roundRect(p.px[item] - half, p.py[item] - 11, 2 * half, 22, 11);
    pen.stroke();
    pen.setLineDash([]);
  }

  /** A small arrow up at the node's left shoulder. @param {TreePicture} p @param {number} item */
  function backupMark({pen, px, py, radius, ink, ky}, item) {
    if (ky < 18) return;
    const x = px[item] - radius[item] * 0.75 - 5, y = py[item] - radius[item] * 0.75 - 2;
    mcts.pen.arrowUp(pen, x, y, 4.2, 5, 2.5, ink.backup);
  }

  /** Where the word at the move chosen stands; null where there is no room for it. @param {TreePicture} p @param {number} item */
  function chosenWord({pen, view, state, px, py, radius, labelEnd, kx, frame}, item) {
    const word = state.t < view.meta.n_iterations || !view.meta.final_move.known ? "leads" : "chosen";
    const above = view.parent[item];
    const crowded = py[item] - radius[item] - py[above] - radius[above] < 34; // then it goes to the left
    const free = view.gap[item] * kx, room = Math.min(px[item], free) - radius[item];
    if (crowded && room < 78) return null;
    const named = labelEnd[item] > 0 ? word : `${word} ${view.shortLabel(item)}`; // where there was no room for it
    const widthOf = (/** @type {string} */ text) => mcts.pen.textWidth(pen, text, FONTS.strong);
    if (crowded) return {x: px[item] - radius[item] - 58, y: py[item], text: widthOf(named) <= 56 ? named : word};
    const first = Math.max(20, px[item] - free + 26); // from here to the label over its neighbour, and inside the picture
    const wide = px[item] + Math.max(free, 60) - 30, half = px[item] + Math.max(free, 60) / 2; // where the neighbour's name may begin
    const lastOf = (/** @type {string} */ text, /** @type {number} */ end) => Math.min(frame.width - Math.max(44, widthOf(text) + 2), end - widthOf(text));
    const placed = (/** @type {string} */ text, /** @type {number} */ end) => (
      {x: Math.max(first, Math.min(lastOf(text, end), px[item] - 14)), y: py[item] - radius[item] - 13, text});
    if (named === word || lastOf(named, wide) >= first) return placed(named, wide);
    const cut = mcts.pen.cutTo(pen, view.shortLabel(item), FONTS.strong, Math.min(frame.width - 2, half) - first - widthOf(`${word} `));
    return cut ? placed(`${word} ${cut}`, half) : placed(word, wide);
  }

  /** The word where it stands on nothing: short if need be, a little to a side, or nowhere. @param {TreePicture} p @param {number} item */
  function freeWord(p, item) {
    const word = chosenWord(p, item);
    if (!word) return null;
    const widthOf = (/** @type {string} */ text) => mcts.pen.textWidth(p.pen, text, FONTS.strong);
    const texts = [...new Set([word.text, word.text.split(" ", 1)[0]])];
    const ways = texts.flatMap((text) => [0, -8, 8, -16, 16].map((shift) => ({...word, x: word.x + shift, text})));
    return ways.find(({x, y, text}) => x >= 20 && x + widthOf(text) <= p.frame.width - 2
      && !mcts.treePicture.covers({left: x - 18, right: x + widthOf(text) + 1, top: y - 6, bottom: y + 6}, p.written)) ?? null;
  }

  /** @param {TreePicture} p */
  function drawChosen(p) {
    const item = mcts.treePicture.chosen(p);
    if (item <= 0 || !mcts.treePicture.isDrawn(p, item)) return;
    ring(p, item, 2, 2.6, p.ink.chosen);
    const word = freeWord(p, item), r = p.radius[item];
    if (word === null) {
      mcts.pen.star(p.pen, p.px[item] - r - 9, p.py[item] - r * 0.6 - 6, 6.5, p.ink.chosen);
      return;
    }
    mcts.pen.star(p.pen, word.x - 10, word.y, 6.5, p.ink.chosen);
    p.pen.font = FONTS.strong;
    mcts.pen.halo(p.pen, word.text, word.x, word.y + 0.5, p.ink.chosen, p.ink.paper);
    p.written.push({left: word.x - 18, right: word.x + mcts.pen.textWidth(p.pen, word.text, FONTS.strong), top: word.y - 8, bottom: word.y + 8});
  }

  /** @param {TreePicture} p @param {Iteration | null} iteration */
  function draw(p, iteration) {
    const {isDrawn} = mcts.treePicture, {view, ink} = p;
    if (iteration) {
      for (const item of iteration.updated) if (isDrawn(p, item) && !view.isStub(item)) backupMark(p, item);
      for (const item of iteration.made) if (isDrawn(p, item) && item !== p.end?.last) newMark(p, item);
    }
    for (const node of p.options.hits ?? []) {
      const item = view.itemOf(node);
      if (item >= 0 && isDrawn(p, item)) ring(p, item, 6, 2.4, ink.chosen, [2, 3]);
    }
    if (!isDrawn(p, p.selected)) return;
    ring(p, p.selected, 3, 3, ink.paper);
    ring(p, p.selected, 4, 2.6, ink.selected);
  }

  return {draw, drawChosen, drawRollout, drawDeeper, chosenWord, isRinged, freePlace, newMark};
})();
