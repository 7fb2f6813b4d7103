/* Game-theoretic values: asked of the server when a trace is shown, until they are there; the colour of nodes by them, and the
   strip under the timeline that says when the answer was right. */
mcts.truth = (() => {
  const ASK_AGAIN = 700;              // milliseconds
  /** @type {Record<string, string>} */
  const WORDS = {1: "right", 0: "a mistake", "-1": "not known"};
  /** @type {[number, string][]} */
  const LOOKS = [[1, "right"], [0, "wrong"], [-1, "unknown"]];
  const {x} = mcts.timelineChart;
  let /** @type {string | null} */ trace = null, /** @type {Map<number, number>} */ results = new Map();
  let /** @type {TruthAnswer | null} */ values = null, /** @type {HTMLCanvasElement | null} */ canvas = null;

  const strip = () => mcts.dom.the("truth-strip");

  /** (item) -> 1, 0 or −1 in the view of player 0; nan: not known. @param {ItemSource} geometry */
  const measure = (geometry) => (/** @type {number} */ item) => {
    if (geometry.isStub && geometry.isStub(item)) return NaN;
    const result = results.get(geometry.node[item]);
    return result === undefined ? NaN : result;
  };

  /** What the strip says of an iteration, from stretches of [first, last, verdict].
      @param {VerdictRange[]} stretches @param {number} iteration */
  function verdictAt(stretches, iteration) {
    const found = stretches.find(([first, last]) => first <= iteration && iteration <= last);
    return found ? WORDS[String(found[2])] : WORDS["-1"];
  }

  function paint() {
    const box = mcts.dom.byId("truth-strip");
    if (!box || !values || !canvas) return;
    const width = box.clientWidth, height = box.clientHeight, pen = mcts.pen.fit(canvas, width, height);
    pen.clearRect(0, 0, width, height);
    for (const [first, last, verdict] of values.stretches) {
      const {n_iterations: n} = values, left = x(first, n, width), right = x(Math.min(last + 1, n), n, width);
      pen.fillStyle = mcts.colours.css(verdict === 1 ? "right" : verdict === 0 ? "wrong" : "unknown");
      /* a mistake is lower, too: the strip can be read without its colours */
      pen.fillRect(left, verdict === 0 ? height / 2 : 0, Math.max(1, right - left), verdict === 0 ? height / 2 : height);
    }
  }

  /** @param {MouseEvent} event */
  function describe(event) {
    if (!values) return;
    const iteration = mcts.timelineChart.iterationAt(event.offsetX, values.n_iterations, strip().clientWidth);
    strip().title = `iteration ${mcts.dom.count(iteration)}: the move chosen is ${verdictAt(values.stretches, iteration)} (with perfect play)`;
  }

  function build() {
    if (canvas && canvas.isConnected) return;
    canvas = mcts.dom.element("canvas");
    canvas.setAttribute("role", "img");
    strip().replaceChildren(canvas);
    canvas.addEventListener("pointermove", describe);
    new ResizeObserver(paint).observe(strip());
    new MutationObserver(paint).observe(document.documentElement, {attributes: true, attributeFilter: ["data-mcts-theme"]});
  }

  /** The legend of the strip, in the row above the chart; only marks that occur. @param {boolean} known */
  function showKey(known) {
    const head = document.querySelector(".mcts-timeline-head");
    head?.querySelector(".truth-key")?.remove();
    if (!head || !known || !values) return;
    const key = mcts.dom.element("span", "truth-key", "lowest line, by perfect play:");
    for (const [verdict, look] of LOOKS) {
      if (!values.stretches.some(([, last, each]) => each === verdict && last > 0)) continue; // no move is chosen before the first
      key.append(mcts.dom.element("i", look), WORDS[String(verdict)]);
    }
    head.querySelector(".mcts-timeline-legend")?.after(key);
  }

  function show() {
    const known = values !== null && values.stretches.some(([, , verdict]) => verdict >= 0);
    strip().hidden = !known;
    showKey(known);
    if (known) {
      build();
      canvas?.setAttribute("aria-label", "Whether the move chosen was right, with perfect play: tall is right, low is a mistake");
      paint();
    }
    mcts.app.repaint();
  }

  function forget() {
    results = new Map();
    values = null;
    showKey(false);
    if (mcts.dom.byId("truth-strip")) strip().hidden = true;
  }

  /** @param {string} key */
  async function ask(key) {
    let answer;
    try {
      answer = await mcts.binary.fetchJson(`${mcts.requests.traceUrl(key)}/truth`);
    } catch { return; }               // the page is being left, or its server has gone: others say so
    if (key !== trace) return;
    if (answer.state === "solving") {
      setTimeout(() => { if (key === trace) ask(key); }, ASK_AGAIN);
      return;
    }
    if (answer.state === "solved") {
      values = answer;
      results = new Map(answer.nodes.map((/** @type {number} */ node, /** @type {number} */ i) => [node, answer.results[i]]));
      show();
    }
    mcts.following.again();
  }

  /** The page shows a trace: begin to ask when it is another one. @param {Cursor} cursor */
  function follow(cursor) {
    if (cursor && cursor.trace && cursor.trace !== trace) {
      trace = cursor.trace;
      forget();
      ask(trace);
    }
  }

  return {measure, verdictAt, follow};
})();
