/* The end of an iteration's path where no item shows it: it lies in a stub, or below a node that was closed. It hangs under
   the last node in view, always above the legend, with the numbers that the server sends beside those of the items. */
mcts.hiddenEnds = (() => {
  const RESULT = 42, TIGHT = 32;    // pixels below the last node for the simulation and its result; where there is little room
  const LEAST = 13, FIRST = 34;     // pixels between two nodes at least; from the last node in view to the first, where there is room
  const SMALLER = 12;               // pixels between two nodes, below which their words are in small type
  const CLOSE = 10, LAST = 12;      // pixels between two nodes, and below the last, of a path that would else be too long
  const {FONTS} = mcts.pen, {count} = mcts.dom;

  /** @param {ReplayWindow} w @param {number} begin @param {number} end @returns {HiddenEnd} */
  function slice(w, begin, end) {
    const n = end - begin;
    if (n <= 0) return {n: 0};
    return {
      n, labels: w.end_labels, node: w.end_node.subarray(begin, end), label: w.end_label.subarray(begin, end),
      mover: w.end_mover.subarray(begin, end), prior: w.end_prior.subarray(begin, end), result: w.end_result.subarray(begin, end),
      visits: w.end_visits.subarray(begin, end), valueSum: w.end_value_sum.subarray(begin, end),
      visitsBefore: w.end_visits_before.subarray(begin, end), valueBefore: w.end_value_sum_before.subarray(begin, end),
    };
  }

  /** The last node in view as item 0 and the hidden ones after it, in the form of items.
      @param {TreeView} view @param {Numbers} state @param {number} above item @param {HiddenEnd} end @param {boolean} isBefore */
  function chain(view, state, above, end, isBefore) {
    const n = end.n + 1;
    const joined = (/** @type {any} */ first, /** @type {ArrayLike<number> | undefined} */ rest) => [first, ...Array.from(rest ?? [])];
    const labels = joined(view.label(above), end.label).map((each, i) => i ? end.labels?.[each] ?? "" : each);
    const c = {
      node: joined(view.node[above], end.node), parent: Array.from({length: n}, (_, i) => i - 1),
      mover: joined(view.mover[above], end.mover), prior: joined(view.prior[above], end.prior),
      outcome: joined(view.outcome[above], end.result), isStub: () => false,
      label: (/** @type {number} */ i) => labels[i], shortLabel: (/** @type {number} */ i) => view.shorten(labels[i]),
    };
    const numbers = {
      t: state.t, visits: joined(state.visits[above], isBefore ? end.visitsBefore : end.visits),
      valueSum: joined(state.valueSum[above], isBefore ? end.valueBefore : end.valueSum),
      lastVisit: Array(n).fill(isBefore ? 0 : state.t), count: Array(n).fill(1), squareSum: null,
    };
    return {c: /** @type {ItemSource} */ (/** @type {unknown} */ (c)), state: /** @type {Numbers} */ (/** @type {unknown} */ (numbers))};
  }

  /** Say where the end hangs, and move the stub that it comes out of out of its way. @param {TreePicture} p @param {Iteration | null} iteration */
  function place(p, iteration) {
    p.end = null;
    const end = iteration?.end, {view, px, py, radius, ky} = p, {isDrawn} = mcts.treePicture;
    const last = iteration?.path[iteration.path.length - 1] ?? -1;
    if (!end || end.n === 0 || last < 0) return;
    const above = view.isStub(last) ? view.parent[last] : last, stub = view.isStub(last) && !view.isTucked[last] ? last : -1;
    if (!isDrawn(p, above) || (stub >= 0 && !isDrawn(p, stub)) || py[above] > p.bottom - RESULT) return;
    const tucked = view.tucked.get(above) ?? -1, isPlain = stub >= 0 || !isDrawn(p, tucked);
    const least = isPlain ? py[above] + radius[above] + 14 : py[tucked] + 15; // no node covers a "+k"
    const isLong = (end.n - 1) * LEAST > p.bottom - RESULT - least; // then its nodes are close together, and the result is beside them
    const lowest = Math.max(p.bottom - (isLong ? LAST : RESULT), Math.min(least, p.bottom - TIGHT)), step = isLong ? CLOSE : LEAST;
    const wanted = stub >= 0 ? py[stub] : py[above] + Math.max(Math.min(ky, 60), radius[above] + FIRST);
    const begin = isLong ? least : Math.min(Math.max(wanted, least), Math.max(least, lowest - (end.n - 1) * step));
    const most = Math.max(1, 1 + Math.floor((lowest - begin) / step)), shown = Math.min(end.n, most);
    const apart = shown > 1 ? Math.min(ky, (lowest - begin) / (shown - 1)) : 0;
    const phase = p.stage.phase(), isBefore = phase !== null && phase !== "backpropagate";
    p.end = {
      above, last, x: stub >= 0 ? px[stub] : px[above], y: Array.from({length: shown}, (_, i) => begin + i * apart),
      skipped: end.n - shown, radius: Math.max(4.5, Math.min(8, shown > 1 ? apart * 0.36 : 8)), isNew: end.isNew ?? (() => false),
      ...chain(view, p.state, above, end, isBefore),
    };
    if (stub >= 0) py[stub] = Math.min(py[stub] - Math.max(15, Math.min(24, ky * 0.4)), begin - 19);
  }

  /** What is written beside a node, longest first. @param {TreePicture} p @param {PlacedEnd} end @param {number} i item of its chain */
  function words(p, {c, state, isNew}, i) {
    const phase = p.stage.phase(), told = p.stage.iteration()?.end;
    if (phase === "select") return mcts.phaseMarks.endTexts(p, i);
    if (phase === "expand") return isNew(i - 1) ? ["new"] : [];
    if (phase === "backpropagate" && told?.visitsBefore) {
      const change = `${count(told.visitsBefore[i - 1])} → ${count(state.visits[i])}`;
      return [`visits ${change}`, change];
    }
    return c.parent[i] >= 0 && state.visits[i] > 0 ? [count(state.visits[i])] : [];
  }

  /** The line down to the end. @param {TreePicture} p @param {PlacedEnd} end */
  function drawLine({pen, ink, px, py, radius}, {above, x, y}) {
    Object.assign(pen, {strokeStyle: ink.path, lineCap: "round", lineWidth: 4});
    pen.beginPath();
    pen.moveTo(px[above], py[above] + radius[above]);
    const middle = (py[above] + y[0]) / 2;
    pen.bezierCurveTo(px[above], middle, x, middle, x, y[0]);
    pen.lineTo(x, y[y.length - 1]);
    pen.stroke();
  }

  /** @param {TreePicture} p @param {PlacedEnd} end @param {number} i item of its chain @param {number} at pixel */
  function drawNode(p, {x, radius, c, state, isNew}, i, at) {
    const {pen, ink} = p, {place, measure, table} = p.colouring, colour = place(measure(i, state));
    Object.assign(pen, {fillStyle: colour < 0 ? p.view.meta.unvisited[p.options.theme] : table.fills[colour], strokeStyle: ink.path, lineWidth: 1.5});
    pen.beginPath();
    if (Number.isNaN(c.outcome[i])) pen.arc(x, at, radius, 0, 2 * Math.PI); else pen.rect(x - radius, at - radius, 2 * radius, 2 * radius);
    pen.fill();
    pen.stroke();
    if (isNew(i - 1) && p.stage.phase() !== "simulate") mcts.pen.ring(pen, x, at, radius + 3.5, 2.2, ink.new, [4, 3]);
  }

  /** The label of a node and as many words as there is room for, to its right or left: they cover nothing.
      @param {TreePicture} p @param {PlacedEnd} end @param {number} i item of its chain @param {number} at pixel
      @param {string} between @param {Box[]} taken @returns {Box | null} where they are */
  function drawWords(p, end, i, at, between, taken) {
    const {pen, ink} = p, isTight = end.y.length > 1 && end.y[1] - end.y[0] < SMALLER, font = isTight ? FONTS.tiny : FONTS.label;
    const label = end.c.shortLabel(i), width = mcts.pen.textWidth(pen, label, font), small = isTight ? FONTS.slight : FONTS.small;
    const told = words(p, end, i), away = end.radius + (end.isNew(i - 1) ? 8 : 6);
    for (const said of [...told.map((way) => [way, between].filter(Boolean).join(" · ")), between, ...told, ""]) {
      const long = width + (said ? 4 + mcts.pen.textWidth(pen, said, small) : 0);
      const from = [end.x + away, end.x - away - long].find((left) => left >= 2 && left + long <= p.frame.width - 2
        && !mcts.treePicture.covers({left, right: left + long, top: at - 6, bottom: at + 6}, taken));
      if (from === undefined) continue;
      pen.font = font;
      mcts.pen.halo(pen, label, from, at, ink.ink, ink.paper);
      pen.font = small;
      mcts.pen.halo(pen, said, from + width + 4, at, p.stage.phase() === "expand" ? ink.new : ink.muted, ink.paper);
      return {left: from, right: from + long, top: at - 7, bottom: at + 7};
    }
    return null;
  }

  /** @param {TreePicture} p @param {number[]} items that are drawn */
  function draw(p, items) {
    const {end} = p;
    if (!end) return;
    const {x, y, radius, skipped} = end, taken = mcts.treePicture.standing(p, items);
    drawLine(p, end);
    end.room = {left: x - radius, right: x + radius, top: y[0] - radius, bottom: y[y.length - 1] + radius};
    y.forEach((at, k) => {
      const i = k + 1 + skipped;
      drawNode(p, end, i, at);
      const box = drawWords(p, end, i, at, skipped && k === 0 ? `${mcts.dom.counted(skipped, "level")} between` : "", taken);
      if (box) p.written.push(box);
    });
  }

  /** The place in the chain of what lies at a point; 0 for nothing. @param {TreePicture} p @param {number} x @param {number} y */
  function hit({end}, x, y) {
    if (!end || Math.abs(x - end.x) > end.radius + 4) return 0;
    const k = end.y.findIndex((at) => Math.abs(at - y) <= Math.max(end.radius, 7));
    return k < 0 ? 0 : k + 1 + end.skipped;
  }

  return {slice, place, draw, hit};
})();
