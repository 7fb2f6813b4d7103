/* What a phase writes beside the nodes of the tree: the scores compared, what is new, visits and means before → after.
   Where a text has no room it is shortened or left out; the panel of the phase has every number. */
mcts.phaseMarks = (() => {
  const {count} = mcts.dom;

  const LINE = 12.5, PAD = 4;       // pixels
  const LOW = 60;                   // a level with less height has room for visits alone
  const STUB = 26, HANDLE = 17;     // below a node, where they are drawn

  /** @type {{node: number, lines: string[], kind: string, box?: Box}[]} */
  let drawn = [];                   // of the last picture
  /** @type {Box[]} */
  let taken = [];                   // where something is written already: no number covers another
  /** @type {number[]} */
  let largest = [];                 // radius of each level's largest node, which no number covers

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
    const visits = `visits ${count(before.visits[item])} → ${count(after.visits[item])}`, mean = `mean ${was} → ${is}`;
    return [[visits, mean], [`${visits} · ${mean}`], [visits]];
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

  /** The first of the ways that fits below the item; of a free one, whose ways but the last are all too wide, the
      narrowest of these, even if it covers a neighbour's. @param {TreePicture} p @param {number} item @param {string[][]} ways
      @param {boolean} isFree */
  function fitting(p, item, ways, isFree) {
    const next = p.ky - Math.max(6, (largest[p.view.depth[item] + 1] ?? 0) + 2);
    const height = Math.min(p.py[item] + next, p.bottom - 1) - topOf(p, item), width = p.view.gap[item] * p.kx - 2;
    const low = ways.filter((lines) => lines.length * LINE + 2 <= height);
    const found = low.find((lines) => widthOf(p, lines) <= width);
    if (!isFree || (found && found !== ways[ways.length - 1])) return found || null;
    const full = low.filter((lines) => ways.length === 1 || lines !== ways[ways.length - 1]);
    return full.sort((one, other) => widthOf(p, one) - widthOf(p, other))[0] || low[0] || ways.find((lines) => lines.length === 1) || null;
  }

  /** @param {Box} one */
  const isTaken = (one) => taken.some((other) =>
    one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom);

  /** Where a text goes: below its item; one that must be there, beside what is in its way. @param {TreePicture} p @param {number} item
      @param {number} width @param {number} height @param {boolean} isFree @returns {Box | null} */
  function roomFor(p, item, width, height, isFree) {
    const top = topOf(p, item), most = p.frame.width - width - 2, left = (/** @type {number} */ x) => Math.max(2, Math.min(most, x));
    const at = (/** @type {number} */ x) => ({left: x, right: x + width, top, bottom: top + height});
    const middle = at(left(p.px[item] - width / 2));
    if (!isTaken(middle)) return middle;
    const places = [p.px[item] - width - 10, p.px[item] + 10, ...taken.map(({right}) => right + 6)];
    const beside = places.map((x) => at(left(x))).find((box) => !isTaken(box));
    return isFree ? beside ?? middle : null;
  }

  /** Write below an item, in the longest way that there is room for; whether there was room for one.
      @param {TreePicture} p @param {number} item @param {string[][]} ways @param {{kind: string, colour: string, isBold?: boolean, isFree?: boolean}} looks */
  function write(p, item, ways, {kind, colour, isBold = false, isFree = false}) {
    const {pen} = p;
    if (!mcts.treePicture.isDrawn(p, item)) return false;
    pen.font = `${isBold ? 700 : 400} 11px ${mcts.pen.FAMILY}`;
    const fit = isFree ? [fitting(p, item, ways, true)] : ways.map((way) => fitting(p, item, [way], false));
    const sized = fit.flatMap((lines) => lines ? [{lines, width: widthOf(p, lines), height: lines.length * LINE + 2}] : []);
    const placed = sized.map((each) => ({...each, box: roomFor(p, item, each.width, each.height, isFree)})).find(({box}) => box);
    if (!placed?.box) return false;
    const {lines, width, height, box} = placed, {left: x, top: y} = box;
    taken.push(box);
    Object.assign(pen, {fillStyle: p.ink.paper, globalAlpha: 0.9});
    pen.beginPath();
    pen.roundRect(x, y, width, height, 4);
    pen.fill();
    pen.globalAlpha = 1;
    if (isBold) { Object.assign(pen, {strokeStyle: colour, lineWidth: 1.4}); pen.stroke(); }
    Object.assign(pen, {fillStyle: colour, textAlign: "center", textBaseline: "middle"});
    lines.forEach((line, i) => pen.fillText(line, x + width / 2, y + 1 + LINE * (i + 0.5)));
    drawn.push({node: p.view.node[item], lines, kind, box});
    return true;
  }

  // ---- the phases ----------------------------------------------------------------------------------------------------

  /** The terms of a node of the hidden end; null where the trace does not tell enough. @param {TreePicture} p @param {number} i */
  function endTerms({end, view}, i) {
    const terms = end && mcts.formulas.ofItems(end.c, view.meta);
    return end && terms ? terms(i, end.state) : null;
  }

  /** What is written beside a node of the hidden end while nodes are selected: the first one is compared with siblings in
      view. @param {TreePicture} p @param {number} i item of its chain */
  function endText(p, i) {
    const terms = endTerms(p, i);
    if (!terms || !p.end) return "";
    const [value, exploration] = terms, score = mcts.formulas.score(terms);
    if (Number.isNaN(score)) return "";
    const text = Number.isFinite(score) ? mcts.phases.sumText(value, exploration, score).parts.join(" ") : "not visited";
    return `${text} · others: table`;
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

  /** Dots under a node whose score only the table tells. @param {TreePicture} p @param {number} item */
  function markAsInTable(p, item) {
    p.pen.fillStyle = p.ink.path;
    for (const shift of [-3, 0, 3]) p.pen.fillRect(p.px[item] + shift - 0.8, topOf(p, item) + 2, 1.6, 1.6);
    drawn.push({node: p.view.node[item], lines: ["…"], kind: "table"});
  }

  /** @param {TreePicture} p */
  function drawSelect(p) {
    const first = endTerms(p, 1);
    const all = comparisons(p.view, p.stage.iteration(), p.state, first ? mcts.formulas.score(first) : NaN).flat();
    let inTable = 0;
    for (const each of all.sort((one, other) => Number(other.isChosen) - Number(one.isChosen))) {
      const colour = each.isChosen ? p.ink.path : p.ink.ink;
      const kind = each.isChosen ? "chosen" : each.isTied ? "tied" : "compared";
      const looks = {kind, colour, isBold: each.isChosen, isFree: each.isChosen};
      if (write(p, each.item, scoreTexts(each, p.state.visits[each.item]), looks) || writeNarrow(p, each, kind)) continue;
      if (!mcts.treePicture.isDrawn(p, each.item)) continue;
      markAsInTable(p, each.item);
      inTable += 1;
    }
    if (inTable === 0) return;
    p.pen.font = mcts.pen.FONTS.small;
    mcts.pen.halo(p.pen, `… ${mcts.dom.counted(inTable, "more score")} in the table`, 10, p.bottom - 10, p.ink.path, p.ink.paper);
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
    for (const item of new Set(p.stage.iteration()?.updated ?? [])) {
      if (before === null || p.view.isStub(item)) continue;
      const texts = updateTexts(p.view, item, before, p.state);
      write(p, item, p.ky < LOW ? texts.slice(-1) : texts, {kind: "updated", colour: p.ink.backup, isFree: true});
    }
  }

  /** @type {Partial<Record<Phase, (p: TreePicture) => void>>} */
  const DRAW = {select: drawSelect, expand: drawExpand, backpropagate: drawBackpropagate};

  /** The texts of the stage's phase; nothing without one, and in simulate, whose tail the canvas draws. @param {TreePicture} p */
  function draw(p) {
    [drawn, taken, largest] = [[], p.end?.room ? [p.end.room] : [], []];
    const phase = p.stage.phase(), {view, radius} = p;
    if (!phase || !p.stage.iteration()) return;
    radius.forEach((r, item) => {
      if (mcts.treePicture.isDrawn(p, item) && !view.isStub(item)) largest[view.depth[item]] = Math.max(largest[view.depth[item]] ?? 0, r);
    });
    DRAW[phase]?.(p);
  }

  return {draw, comparisons, endText, scoreTexts, updateTexts, report: () => drawn};
})();
