/* The picture of a run: the root value as a line, and below it a strip that says which root move led when. */
mcts.timelineChart = (() => {
  const INSET = 8;                    // pixels: half a slider thumb, so that the chart and the thumb agree
  const STRIP = 13, GAP = 5, TOP = 4;
  /* Okabe and Ito: colours that stay apart with colour blindness, for the moves that led longest; the others share one */
  const MOVES = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#804020"], OTHERS = "#5a5a5a";

  /** Pixel of an iteration of n in a picture of that width. @param {number} iteration @param {number} n @param {number} width */
  const x = (iteration, n, width) => INSET + (width - 2 * INSET) * iteration / Math.max(1, n);

  /** The iteration at a pixel. @param {number} left @param {number} n @param {number} width */
  function iterationAt(left, n, width) {
    const part = (left - INSET) / Math.max(1, width - 2 * INSET);
    return Math.round(Math.max(0, Math.min(1, part)) * n);
  }

  /** Spans of the run with one leader: [{node, from, to}] in iterations. @param {ArrayLike<number>} iteration @param {ArrayLike<number>} leader */
  function reigns(iteration, leader) {
    /** @type {Reign[]} */
    const stretches = [];
    for (let i = 0; i < iteration.length; i++) {
      const last = stretches[stretches.length - 1];
      if (last) last.to = iteration[i];
      if (!last || last.node !== leader[i]) stretches.push({node: leader[i], from: iteration[i], to: iteration[i]});
    }
    return stretches.filter((span) => span.node >= 0);
  }

  /** The moves that led, by how long: [{node, share of the search}], the longest first. @param {Reign[]} stretches */
  function leaders(stretches) {
    /** @type {Map<number, number>} */
    const led = new Map();
    let all = 0;
    for (const {node, from, to} of stretches) {
      led.set(node, (led.get(node) || 0) + to - from);
      all += to - from;
    }
    return [...led].map(([node, n]) => ({node, share: all ? n / all : 1})).sort((a, b) => b.share - a.share);
  }

  /** A run as it is drawn. @param {Message} message @returns {Run} */
  function of({meta, columns}) {
    const stretches = reigns(columns.iteration, columns.leader), led = leaders(stretches);
    const labels = new Map(meta.moves.map((/** @type {{node: number, label: string}} */ move) => [move.node, move.label]));
    const colours = new Map(led.map(({node}, i) => [node, MOVES[i] ?? OTHERS]));
    const {values, words} = mcts.viewpoint.ofRun({values: columns.root_value, words: meta.view_text}, meta, meta.root_player ?? -1);
    return {
      n: meta.n_iterations, iteration: columns.iteration, value: values, range: meta.value_range, words, stretches, led,
      nameOf: (node) => labels.get(node) ?? "",
      colourOf: (node) => colours.get(node) ?? OTHERS,
    };
  }

  /** Least and greatest root value, without those of the first few iterations. @param {Pick<Run, "value">} run @returns {Span} */
  function extent({value: values}) {
    let least = Infinity, most = -Infinity;
    for (const value of values.subarray(Math.min(10, values.length - 1))) {
      if (value < least) least = value;
      if (value > most) most = value;
    }
    return [least, most];
  }

  /** What the line is: its words, and from where to where it is drawn; of a single value, that one; without values, so.
      @param {Pick<Run, "value" | "range" | "words">} run */
  function said(run) {
    const [least, most] = extent(run), ends = least === most ? [least] : shownRange(run);
    if (!(least <= most)) return `${run.words}: none`;
    return `${run.words}, ${ends.map((end) => mcts.dom.fixed(end, 2)).join(" to ")}`;
  }

  /** These values with some room, within those that there can be. @param {Pick<Run, "value" | "range">} run @returns {Span} */
  function shownRange(run) {
    const [low, high] = run.range, [least, most] = extent(run);
    if (!(least <= most)) return [low, high];
    const pad = Math.max((most - least) * 0.2, (high - low) * 0.03);
    // a faulty search has means outside the range of values
    return [Math.min(least, Math.max(low, least - pad)), Math.max(most, Math.min(high, most + pad))];
  }

  /** @param {Pen} pen @param {Run} run @param {number} width @param {number} bottom @param {number | null} threshold null: the middle of the range */
  function drawValue(pen, run, width, bottom, threshold) {
    const [low, high] = shownRange(run), limit = threshold ?? (run.range[0] + run.range[1]) / 2;
    /** @param {number} value */
    const y = (value) => bottom - (Math.max(low, Math.min(high, value)) - low) / (high - low) * (bottom - TOP);
    if (limit > low && limit < high) mcts.pen.line(pen, INSET, y(limit), width - INSET, y(limit), 1, mcts.colours.css("muted"), [2, 3]);
    pen.beginPath();
    let isDown = false;
    run.iteration.forEach((t, i) => {
      const value = run.value[i], isKnown = !Number.isNaN(value);
      if (isKnown) pen[isDown ? "lineTo" : "moveTo"](x(t, run.n, width), y(value));
      isDown = isKnown;
    });
    Object.assign(pen, {strokeStyle: mcts.colours.css("line"), lineWidth: 1.6, lineJoin: "round"});
    pen.stroke();
  }

  /** @param {Pen} pen @param {Run} run @param {number} width @param {number} top */
  function drawStrip(pen, run, width, top) {
    Object.assign(pen, {textAlign: "center", textBaseline: "middle", font: "600 10px system-ui, sans-serif", lineWidth: 2});
    for (const {node, from, to} of run.stretches) {
      const left = x(from, run.n, width), w = Math.max(1, x(to, run.n, width) - left), text = run.nameOf(node);
      pen.fillStyle = run.colourOf(node);
      pen.fillRect(left, top, w, STRIP - 1);
      if (w <= pen.measureText(text).width + 8) continue;
      Object.assign(pen, {fillStyle: "#ffffff", strokeStyle: "rgba(0,0,0,.55)"});
      pen.strokeText(text, left + w / 2, top + STRIP / 2);
      pen.fillText(text, left + w / 2, top + STRIP / 2);
    }
  }

  /** Everything but the playhead. @param {Pen} pen @param {Run} run @param {number} width @param {number} height @param {number | null} threshold */
  function draw(pen, run, width, height, threshold) {
    pen.clearRect(0, 0, width, height);
    drawValue(pen, run, width, height - STRIP - GAP, threshold);
    drawStrip(pen, run, width, height - STRIP);
  }

  /** The span between two iterations, in whichever order. @param {number} one @param {number} other @returns {Span} */
  const spanOf = (one, other) => [Math.max(1, Math.min(one, other)), Math.max(1, one, other)];

  /** The iterations that made a number, as bars over the chart, and the span that totals are asked of.
      @param {Pen} pen @param {number} n @param {number} width @param {number} height @param {Brush} brush */
  function drawBrush(pen, n, width, height, {bins, span}) {
    const most = bins.reduce((a, b) => Math.max(a, b), 0), room = width - 2 * INSET, bottom = height - STRIP - GAP;
    pen.fillStyle = mcts.colours.css("path");
    bins.forEach((count, i) => {
      if (count) pen.fillRect(INSET + room * i / bins.length, bottom, Math.max(1, room / bins.length), -3 - 9 * count / most);
    });
    if (!span) return;
    const [left, right] = span.map((t) => x(t, n, width));
    pen.save();
    Object.assign(pen, {fillStyle: mcts.colours.css("path"), globalAlpha: 0.22});
    pen.fillRect(left, 0, Math.max(2, right - left), height);
    pen.restore();
  }

  return {spanOf, drawBrush, INSET, MOVES, OTHERS, TOP, x, iterationAt, reigns, leaders, of, said, shownRange, draw};
})();
