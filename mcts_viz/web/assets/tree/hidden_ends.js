/* The end of an iteration's path where no item shows it: it lies in a stub, or below a node that was closed. It hangs under
   the last node in view, always above the legend, with the numbers that the server sends beside those of the items. */
mcts.hiddenEnds = (() => {
  const RESULT = 42, TIGHT = 32;    // pixels below the last node for the simulation and its result; where there is little room
  const LEAST = 13, FIRST = 34;     // pixels between two nodes at least; from the last node in view to the first, where there is room
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
    const lowest = Math.max(p.bottom - RESULT, Math.min(least, p.bottom - TIGHT));
    const wanted = stub >= 0 ? py[stub] : py[above] + Math.max(Math.min(ky, 60), radius[above] + FIRST);
    const begin = Math.min(Math.max(wanted, least), Math.max(least, lowest - (end.n - 1) * LEAST));
    const most = Math.max(1, 1 + Math.floor((lowest - begin) / LEAST)), shown = Math.min(end.n, most);
    const apart = shown > 1 ? Math.min(ky, (lowest - begin) / (shown - 1)) : 0;
    const phase = p.stage.phase(), isBefore = phase !== null && phase !== "backpropagate";
    p.end = {
      above, last, x: stub >= 0 ? px[stub] : px[above], y: Array.from({length: shown}, (_, i) => begin + i * apart),
      skipped: end.n - shown, radius: Math.max(4.5, Math.min(8, shown > 1 ? apart * 0.36 : 8)), isNew: end.isNew ?? (() => false),
      ...chain(view, p.state, above, end, isBefore),
    };
    if (stub >= 0) py[stub] = Math.min(py[stub] - Math.max(15, Math.min(24, ky * 0.4)), begin - 19);
  }

  /** What is written beside a node. @param {TreePicture} p @param {PlacedEnd} end @param {number} i item of its chain */
  function words(p, {c, state, isNew}, i) {
    const phase = p.stage.phase(), told = p.stage.iteration()?.end;
    if (phase === "select") return mcts.phaseMarks.endText(p, i);
    if (phase === "expand") return isNew(i - 1) ? "new" : "";
    if (phase === "backpropagate" && told?.visitsBefore) return `visits ${count(told.visitsBefore[i - 1])} → ${count(state.visits[i])}`;
    return c.parent[i] >= 0 && state.visits[i] > 0 ? count(state.visits[i]) : "";
  }

  /** @param {TreePicture} p */
  function draw(p) {
    const {end, pen, ink, px, py} = p;
    if (!end) return;
    const {x, y, radius, skipped, c, state} = end, {place: placeOf, measure, table} = p.colouring;
    Object.assign(pen, {strokeStyle: ink.path, lineCap: "round", lineWidth: 4});
    pen.beginPath();
    pen.moveTo(px[end.above], py[end.above] + p.radius[end.above]);
    const middle = (py[end.above] + y[0]) / 2;
    pen.bezierCurveTo(px[end.above], middle, x, middle, x, y[0]);
    pen.lineTo(x, y[y.length - 1]);
    pen.stroke();
    const room = end.room = {left: x - radius, right: x + radius, top: y[0] - radius, bottom: y[y.length - 1] + radius};
    y.forEach((at, k) => {
      const i = k + 1 + skipped, colour = placeOf(measure(i, state));
      Object.assign(pen, {fillStyle: colour < 0 ? p.view.meta.unvisited[p.options.theme] : table.fills[colour], strokeStyle: ink.path, lineWidth: 1.5});
      pen.beginPath();
      if (Number.isNaN(c.outcome[i])) pen.arc(x, at, radius, 0, 2 * Math.PI); else pen.rect(x - radius, at - radius, 2 * radius, 2 * radius);
      pen.fill();
      pen.stroke();
      if (end.isNew(i - 1) && p.stage.phase() !== "simulate") mcts.pen.ring(pen, x, at, radius + 3.5, 2.2, ink.new, [4, 3]);
      const label = c.shortLabel(i), from = Math.min(x + radius + 6, p.frame.width - 60);
      pen.font = FONTS.label;
      mcts.pen.halo(pen, label, from, at, ink.ink, ink.paper);
      const width = mcts.pen.textWidth(pen, label, FONTS.label);
      const between = skipped && k === 0 ? `${mcts.dom.counted(skipped, "level")} between` : "";
      const said = [words(p, end, i), between].filter(Boolean).join(" · ");
      pen.font = FONTS.small;
      Object.assign(pen, {fillStyle: ink.paper, globalAlpha: said.length > 12 ? 0.9 : 0});
      pen.fillRect(from + width + 2, at - 8, mcts.pen.textWidth(pen, said, FONTS.small) + 4, 16); // it lies over other nodes
      pen.globalAlpha = 1;
      room.right = Math.max(room.right, from + width + 4 + mcts.pen.textWidth(pen, said, FONTS.small));
      mcts.pen.halo(pen, said, from + width + 4, at, p.stage.phase() === "expand" ? ink.new : ink.muted, ink.paper);
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
