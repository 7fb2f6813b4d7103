/* What a phase writes beside the nodes of the tree: the scores compared, what is new, visits and means before → after.
   Where a text has no room it is shortened or left out; the panel of the phase has every number. */
mcts.phaseMarks = (() => {
  const {count} = mcts.dom;

  const LINE = 12.5, PAD = 4;       // pixels
  const STUB = 26, HANDLE = 17;     // below a node, where they are drawn

  /** @type {{node: number, lines: string[], kind: string, box?: Box}[]} */
  let drawn = [];                   // of the last picture
  /** @type {Box[]} */
  let taken = [];                   // where something stands already: no number covers it

  // ---- what is written -----------------------------------------------------------------------------------------------

  /** Decimals that tell the chosen score from the best other one: 2, or up to 4.
      @param {{score: number, isChosen: boolean}[]} level @param {number} best the chosen score */
  function digitsFor(level, best) {
    const others = level.filter((each) => !each.isChosen && each.score !== best).map((each) => each.score);
    const margin = Math.abs(best - Math.max(...others));
    return !Number.isFinite(margin) || margin >= 0.01 ? 2 : margin >= 0.001 ? 3 : 4;
  }

  /** The existing children compared at each level of the path, the chosen one last; empty where the trace does not tell
      enough for scores. @param {TreeView} view @param {Iteration | null} iteration @param {Numbers} state @returns {Compared[][]} */
  function comparisons(view, iteration, state, chosenLast = NaN) {
    const terms = mcts.formulas.ofItems(view, view.meta);
    if (!iteration || terms === null) return [];
    const exists = (/** @type {number} */ item) => !view.isStub(item) && state.count[item] > 0;
    return iteration.path.slice(1).filter((item) => exists(item) || (view.isStub(item) && !Number.isNaN(chosenLast))).map((chosen) => {
      const level = (view.childrenOf.get(view.parent[chosen]) || []).filter(exists).map((item) => {
        const own = terms(item, state);
        return {item, terms: own, score: mcts.formulas.score(own), isChosen: item === chosen};
      });
      const best = view.isStub(chosen) ? chosenLast : mcts.formulas.score(terms(chosen, state)), digits = digitsFor(level, best);
      const isTie = level.filter((each) => each.score === best).length > 1;
      return level.map((each) => ({...each, digits, isTied: isTie && each.score === best}))
        .sort((one, other) => Number(one.isChosen) - Number(other.isChosen));
    });
  }

  /** The ways to write a compared child, longest first; each a list of lines. @param {Compared} child @param {number} visits */
  function scoreTexts({terms: [value, exploration], score, isTied, digits}, visits) {
    const tie = isTied ? ["tie"] : [];
    if (score === Infinity) return [["not visited", ...tie], ["not", "visited", ...tie], ["∞"]];
    if (Number.isNaN(score)) return [];
    const {parts, score: sum} = mcts.phases.sumText(value, exploration, score, digits);
    const first = visits === 0 ? ["not visited"] : [];
    const ways = [[...first, parts.join(" "), ...tie], [...first, ...parts, ...tie], [...parts, ...tie], [sum, ...tie]];
    return isTied ? [...ways, [sum]] : ways;
  }

  /** The ways to write what backpropagation did to a node, in the view that the page has of it.
      @param {TreeView} view @param {number} item @param {Numbers} before @param {Numbers} after */
  function updateTexts(view, item, before, after) {
    const [was, is] = [before, after].map((state) => {
      const mean = mcts.viewpoint.mean(view, view.meta, state, item);
      return Number.isFinite(mean) ? mcts.dom.fixed(mean, 4) : "–";
    });
    const change = `${count(before.visits[item])} → ${count(after.visits[item])}`, visits = `visits ${change}`, mean = `mean ${was} → ${is}`;
    return [[`${visits} · ${mean}`], [visits, mean], [visits], [change]];
  }

  // ---- where ---------------------------------------------------------------------------------------------------------

  /** Pixel under an item, its handle and its stub. @param {TreePicture} p @param {number} item */
  function topOf(p, item) {
    const stub = p.view.tucked.get(item), {isDrawn, hasHandle} = mcts.treePicture;
    const below = stub !== undefined && isDrawn(p, stub) ? STUB : hasHandle(p, item) ? HANDLE : 4;
    return p.py[item] + p.radius[item] + below;
  }

  /** Pixels. @param {TreePicture} p @param {string[]} lines */
  const widthOf = ({pen}, lines) => Math.max(...lines.map((line) => pen.measureText(line).width)) + 2 * PAD;

  /** @param {Box} one */
  const isTaken = (one) => mcts.treePicture.covers(one, taken);

  /** Where a text of an item may stand: below it, the middle first; one of the path also beside it, after its label.
      @param {TreePicture} p @param {number} item @param {number} width @param {number} height @param {boolean} isFree @returns {Box[]} */
  function places(p, item, width, height, isFree) {
    const x = p.px[item], y = p.py[item], r = p.radius[item], top = topOf(p, item), last = p.frame.width - width - 2;
    const at = (/** @type {number} */ left, /** @type {number} */ from) => ({left, right: left + width, top: from, bottom: from + height});
    const middle = at(Math.max(2, Math.min(last, x - width / 2)), top);
    if (!isFree) return width <= p.view.gap[item] * p.kx - 2 ? [middle] : [];
    const after = Math.max(x + r + (item === p.selected ? 6 : 2), p.labelEnd[item]), level = y - height / 2;
    const beside = [at(after + 2, level), at(x - r - width - 11, level)], under = [middle, at(x - r, top), at(x + r - width, top)];
    return p.stage.phase() === "backpropagate" ? [beside[0], ...under, beside[1]] : [...under, ...beside];
  }

  /** Write at an item, in the longest way that there is room for; whether there was room for one.
      @param {TreePicture} p @param {number} item @param {string[][]} ways @param {{kind: string, colour: string, isBold?: boolean, isFree?: boolean}} looks */
  function write(p, item, ways, {kind, colour, isBold = false, isFree = false}) {
    const {pen, frame} = p;
    if (!mcts.treePicture.isDrawn(p, item)) return false;
    pen.font = `${isBold ? 700 : 400} 11px ${mcts.pen.FAMILY}`;
    const isFitting = (/** @type {Box} */ box) => box.left >= 1 && box.right <= frame.width - 1 && box.bottom <= p.bottom - 1 && !isTaken(box);
    let box = /** @type {Box | undefined} */ (undefined);
    const lines = ways.find((way) => {
      box = places(p, item, widthOf(p, way), way.length * LINE + 2, isFree).find(isFitting);
      return box;
    });
    if (!lines || !box) return false;
    const {left, right, top, bottom} = box;
    taken.push(box);
    Object.assign(pen, {fillStyle: p.ink.paper, globalAlpha: 0.9});
    pen.beginPath();
    pen.roundRect(left, top, right - left, bottom - top, 4);
    pen.fill();
    pen.globalAlpha = 1;
    if (isBold) { Object.assign(pen, {strokeStyle: colour, lineWidth: 1.4}); pen.stroke(); }
    Object.assign(pen, {fillStyle: colour, textAlign: "center", textBaseline: "middle"});
    lines.forEach((line, i) => pen.fillText(line, (left + right) / 2, top + 1 + LINE * (i + 0.5)));
    drawn.push({node: p.view.node[item], lines, kind, box});
    return true;
  }

  // ---- the phases ----------------------------------------------------------------------------------------------------

  /** The terms of a node of the hidden end; null where the trace does not tell enough. @param {TreePicture} p @param {number} i */
  function endTerms({end, view}, i) {
    const terms = end && mcts.formulas.ofItems(end.c, view.meta);
    return end && terms ? terms(i, end.state) : null;
  }

  /** What is written beside a node of the hidden end while nodes are selected, longest first: the first one is compared with
      siblings in view. @param {TreePicture} p @param {number} i item of its chain */
  function endTexts(p, i) {
    const terms = endTerms(p, i);
    if (!terms || !p.end) return [];
    const [value, exploration] = terms, score = mcts.formulas.score(terms);
    if (Number.isNaN(score)) return [];
    const {parts, score: sum} = mcts.phases.sumText(value, exploration, score);
    const ways = Number.isFinite(score) ? [parts.join(" "), sum] : ["not visited"];
    return [`${ways[0]} · others: table`, ...ways];
  }

  /** Where a score has no room: on end where that fits, else a mark that says that the table has it; whether it was the score.
      @param {TreePicture} p @param {Compared} each @param {string} kind */
  function writeNarrow(p, each, kind) {
    const {pen, ink, px} = p, {item} = each;
    if (!mcts.treePicture.isDrawn(p, item) || !Number.isFinite(each.score)) return false;
    const y = topOf(p, item), lengthOf = (/** @type {string} */ text) => mcts.pen.textWidth(pen, text, mcts.pen.FONTS.small);
    const text = [mcts.dom.fixed(each.score, each.digits), mcts.dom.fixed(each.score, 2)]
      .find((one) => y + lengthOf(one) + 2 <= Math.min(p.bottom - 1, p.py[item] + p.ky - 4));
    if (!text || p.view.gap[item] * p.kx < 10) return false;
    const long = lengthOf(text), box = {left: px[item] - 6, right: px[item] + 6, top: y, bottom: y + long};
    if (isTaken(box)) return false;
    taken.push(box);
    pen.save();
    pen.translate(px[item], y + long);
    pen.rotate(-Math.PI / 2);
    pen.font = mcts.pen.FONTS.small;
    mcts.pen.halo(pen, text, 0, 0.5, ink.ink, ink.paper);
    pen.restore();
    drawn.push({node: p.view.node[item], lines: [text], kind, box});
    return true;
  }

  /** Dots at each node whose numbers only the table tells, and in a corner how many these are.
      @param {TreePicture} p @param {number[]} items @param {string} what one of them is @param {string} colour */
  function markAsInTable(p, items, what, colour) {
    p.pen.fillStyle = colour;
    for (const item of items) {
      const x = p.px[item], y = p.py[item], r = p.radius[item];
      const at = [[x, topOf(p, item) + 3], [x - r - 8, y], [x, y - r - 6]];
      const [left, top] = at.find(([cx, cy]) => !isTaken({left: cx - 4, right: cx + 4, top: cy - 1, bottom: cy + 1})) ?? at[0];
      for (const shift of [-3, 0, 3]) p.pen.fillRect(left + shift - 0.8, top - 0.8, 1.6, 1.6);
      drawn.push({node: p.view.node[item], lines: ["…"], kind: "table"});
    }
    if (items.length === 0) return;
    const text = `… ${mcts.dom.counted(items.length, what)} in the table`, width = mcts.pen.textWidth(p.pen, text, mcts.pen.FONTS.small);
    const corners = [10, p.frame.width - width - 10, (p.frame.width - width) / 2];
    const isFree = (/** @type {number} */ left) => !isTaken({left, right: left + width, top: p.bottom - 17, bottom: p.bottom - 3});
    p.pen.font = mcts.pen.FONTS.small;
    mcts.pen.halo(p.pen, text, corners.find(isFree) ?? corners[0], p.bottom - 10, colour, p.ink.paper);
  }

  /** @param {TreePicture} p */
  function drawSelect(p) {
    const first = endTerms(p, 1);
    const all = comparisons(p.view, p.stage.iteration(), p.state, first ? mcts.formulas.score(first) : NaN).flat();
    const untold = all.sort((one, other) => Number(other.isChosen) - Number(one.isChosen)).filter((each) => {
      const colour = each.isChosen ? p.ink.path : p.ink.ink;
      const kind = each.isChosen ? "chosen" : each.isTied ? "tied" : "compared";
      const looks = {kind, colour, isBold: each.isChosen, isFree: each.isChosen};
      return !write(p, each.item, scoreTexts(each, p.state.visits[each.item]), looks) && !writeNarrow(p, each, kind);
    });
    const inTable = untold.map(({item}) => item).filter((item) => mcts.treePicture.isDrawn(p, item));
    markAsInTable(p, inTable, "more score", p.ink.path);
  }

  /** @param {TreePicture} p */
  function drawExpand(p) {
    for (const item of p.stage.iteration()?.made ?? []) {
      if (item === p.end?.last) continue; // its own label shows it
      write(p, item, [["new"]], {kind: "new", colour: p.ink.new, isFree: p.view.isStub(item)});
    }
  }

  /** @param {TreePicture} p */
  function drawBackpropagate(p) {
    const before = p.stage.before();
    if (before === null) return;
    const updated = [...new Set(p.stage.iteration()?.updated ?? [])].filter((item) => mcts.treePicture.isDrawn(p, item) && !p.view.isStub(item));
    const looks = {kind: "updated", colour: p.ink.backup, isFree: true};
    const untold = updated.filter((item) => !write(p, item, updateTexts(p.view, item, before, p.state), looks));
    markAsInTable(p, untold, "more update", p.ink.backup);
  }

  /** @type {Partial<Record<Phase, (p: TreePicture) => void>>} */
  const DRAW = {select: drawSelect, expand: drawExpand, backpropagate: drawBackpropagate};

  /** The texts of the stage's phase; nothing without one, and in simulate, whose tail the canvas draws.
      @param {TreePicture} p @param {number[]} items */
  function draw(p, items) {
    drawn = [];
    const phase = p.stage.phase();
    if (!phase || !DRAW[phase] || !p.stage.iteration()) return;
    taken = mcts.treePicture.standing(p, items);
    DRAW[phase](p);
  }

  return {draw, comparisons, endTexts, scoreTexts, updateTexts, report: () => drawn};
})();
