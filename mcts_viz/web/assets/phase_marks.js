/* What a phase writes beside the nodes of the tree: the scores compared, what is new, visits and means before → after.
   Where a text has no room it is shortened or left out; the panel of the phase has every number. */
window.mcts = window.mcts || {};

mcts.phaseMarks = (() => {
  "use strict";

  const LINE = 12.5, PAD = 4;       // pixels
  const STUB = 26, HANDLE = 17;     // below a node, where they are drawn
  const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";
  const count = new Intl.NumberFormat("en-US").format;

  let drawn = [];                   // of the last picture: {node, lines, kind}

  // ---- what is written -----------------------------------------------------------------------------------------------

  /** Decimals that tell the chosen score from the best other one: 2, or up to 4. */
  function digitsFor(level) {
    const best = level.find((each) => each.isChosen).score;
    const others = level.filter((each) => !each.isChosen && !each.isTied).map((each) => each.score);
    const margin = Math.abs(best - Math.max(...others));
    return !Number.isFinite(margin) || margin >= 0.01 ? 2 : margin >= 0.001 ? 3 : 4;
  }

  /** The existing children compared at each level of the path: [{item, terms, score, digits, isChosen, isTied}], chosen
      last; empty where the trace does not tell enough for scores. */
  function comparisons(view, iteration, state) {
    const terms = mcts.formulas.ofItems(view, view.meta);
    if (!iteration || terms === null) return [];
    const exists = (item) => !view.isStub(item) && state.count[item] > 0;
    return iteration.path.slice(1).filter(exists).map((chosen) => {
      const level = (view.childrenOf.get(view.parent[chosen]) || [])
        .filter(exists)
        .map((item) => ({item, terms: terms(item, state), isChosen: item === chosen}));
      for (const each of level) each.score = mcts.formulas.score(each.terms);
      const best = level.find((each) => each.isChosen).score;
      for (const each of level) each.isTied = level.length > 1 && each.score === best;
      const isTie = level.filter((each) => each.isTied).length > 1;
      for (const each of level) each.isTied = each.isTied && isTie;
      const digits = digitsFor(level);
      for (const each of level) each.digits = digits;
      return level.sort((one, other) => one.isChosen - other.isChosen);
    });
  }

  /** The ways to write a compared child, longest first; each a list of lines. */
  function scoreTexts({terms: [value, exploration], score, isTied, digits}, visits) {
    const tie = isTied ? ["tie"] : [];
    if (score === Infinity) return [["not visited", ...tie], ["not", "visited", ...tie], ["∞"]];
    if (Number.isNaN(score)) return [];
    const {parts, score: sum} = mcts.phases.sumText(value, exploration, score, digits);
    const first = visits === 0 ? ["not visited"] : [];
    const ways = [[...first, parts.join(" "), ...tie], [...first, ...parts, ...tie], [...parts, ...tie], [sum, ...tie]];
    return isTied ? [...ways, [sum]] : ways;
  }

  const mean = (state, item) => state.visits[item] ? (state.valueSum[item] / state.visits[item]).toFixed(4) : "–";

  /** The ways to write what backpropagation did to a node. */
  function updateTexts(item, before, after) {
    const visits = `${count(before.visits[item])} → ${count(after.visits[item])}`;
    return [[`visits ${visits}`, `mean ${mean(before, item)} → ${mean(after, item)}`], [visits]];
  }

  // ---- where ---------------------------------------------------------------------------------------------------------

  /** Draws into one picture. `on`: {pen, view, px, py, radius, area, bottom, kx, ky, ink, isDrawn, hasHandle} of the canvas,
      where the legend begins at `bottom()`. */
  function painter(on) {
    const {pen, view} = on, bottom = on.bottom();

    function top(item) {
      const stub = view.tucked.get(item);
      const below = stub !== undefined && on.isDrawn(stub) ? STUB : on.hasHandle(item) ? HANDLE : 4;
      return on.py[item] + on.radius[item] + below;
    }

    function widthOf(lines) { return Math.max(...lines.map((line) => pen.measureText(line).width)) + 2 * PAD; }

    /** The first of the ways that fits below the item; of a free one, whose ways but the last are all too wide, the
        narrowest of these, even if it covers a neighbour's. */
    function fitting(item, ways, isFree) {
      const height = Math.min(on.py[item] + on.ky - 10, bottom - 1) - top(item), width = view.gap[item] * on.kx - 2;
      const low = ways.filter((lines) => lines.length * LINE + 2 <= height);
      const found = low.find((lines) => widthOf(lines) <= width);
      if (!isFree || (found && found !== ways[ways.length - 1])) return found || null;
      const full = low.filter((lines) => ways.length === 1 || lines !== ways[ways.length - 1]);
      return full.sort((one, other) => widthOf(one) - widthOf(other))[0] || low[0] || null;
    }

    /** Write below an item; returns whether there was room. */
    function write(item, ways, {kind, colour, isBold = false, isFree = false}) {
      if (!on.isDrawn(item)) return false;
      pen.font = `${isBold ? 700 : 400} 11px ${FONT}`;
      const lines = fitting(item, ways, isFree);
      if (!lines) return false;
      const width = widthOf(lines), height = lines.length * LINE + 2, y = top(item);
      const x = Math.max(2, Math.min(on.area.width - width - 2, on.px[item] - width / 2));
      pen.fillStyle = on.ink.paper;
      pen.globalAlpha = 0.9;
      pen.beginPath();
      pen.roundRect(x, y, width, height, 4);
      pen.fill();
      pen.globalAlpha = 1;
      if (isBold) { pen.strokeStyle = colour; pen.lineWidth = 1.4; pen.stroke(); }
      pen.fillStyle = colour;
      pen.textAlign = "center";
      pen.textBaseline = "middle";
      lines.forEach((line, i) => pen.fillText(line, x + width / 2, y + 1 + LINE * (i + 0.5)));
      drawn.push({node: view.node[item], lines, kind});
      return true;
    }

    return {write};
  }

  // ---- the phases ----------------------------------------------------------------------------------------------------

  function drawSelect(write, on, stage) {
    for (const level of comparisons(on.view, stage.iteration(), stage.state)) {
      for (const each of level) {
        const colour = each.isChosen ? on.ink.path : on.ink.ink;
        const kind = each.isChosen ? "chosen" : each.isTied ? "tied" : "compared";
        write(each.item, scoreTexts(each, stage.state.visits[each.item]), {kind, colour, isBold: each.isChosen, isFree: each.isChosen});
      }
    }
  }

  function drawExpand(write, on, stage) {
    for (const item of stage.iteration().made) {
      write(item, [["new"]], {kind: "new", colour: on.ink.new, isFree: on.view.isStub(item)});
    }
  }

  function drawBackpropagate(write, on, stage) {
    for (const item of new Set(stage.iteration().updated)) {
      if (on.view.isStub(item)) continue;
      write(item, updateTexts(item, stage.before(), stage.state), {kind: "updated", colour: on.ink.backup, isFree: true});
    }
  }

  const DRAW = {select: drawSelect, expand: drawExpand, backpropagate: drawBackpropagate};

  /** The texts of the stage's phase; nothing without one, and in simulate, whose tail the canvas draws. */
  function draw(on, stage) {
    drawn = [];
    const drawPhase = DRAW[stage.phase()];
    if (drawPhase && stage.iteration()) drawPhase(painter(on).write, on, stage);
  }

  return {draw, comparisons, scoreTexts, updateTexts, report: () => drawn};
})();
