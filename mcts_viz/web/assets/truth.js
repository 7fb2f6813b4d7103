/* Exact results: asked of the server when a trace is shown, until they are there; the colour of nodes by them, and the
   strip under the timeline that says when the answer was right. */
window.mcts = window.mcts || {};

mcts.truth = (() => {
  "use strict";

  const INSET = 8;                    // as the timeline's
  const ASK_AGAIN = 700;              // milliseconds
  const WORDS = {"1": "right", "0": "a mistake", "-1": "not known"};
  const LOOKS = [[1, "right"], [0, "wrong"], [-1, "unknown"]];
  let trace = null, results = new Map(), told = null, canvas = null;

  const strip = () => document.getElementById("truth-strip");

  /** (item) -> 1, 0 or −1 in the view of player 0; nan: not known. */
  const measure = (geometry) => (item) => {
    if (geometry.isStub && geometry.isStub(item)) return NaN;
    const result = results.get(geometry.node[item]);
    return result === undefined ? NaN : result;
  };

  /** What the strip says of an iteration, from stretches of [first, last, verdict]. */
  function verdictAt(stretches, iteration) {
    const found = stretches.find(([first, last]) => first <= iteration && iteration <= last);
    return found ? WORDS[String(found[2])] : WORDS["-1"];
  }

  const x = (iteration, width) => INSET + (width - 2 * INSET) * iteration / Math.max(1, told.n_iterations);

  function paint() {
    const box = strip();
    if (!box || !told || !canvas) return;
    const ratio = window.devicePixelRatio || 1, width = box.clientWidth, height = box.clientHeight;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    const pen = canvas.getContext("2d");
    pen.scale(ratio, ratio);
    for (const [first, last, verdict] of told.stretches) {
      const left = x(first, width), right = x(Math.min(last + 1, told.n_iterations), width);
      pen.fillStyle = mcts.colours.css(verdict === 1 ? "right" : verdict === 0 ? "wrong" : "unknown");
      /* a mistake is lower, too: the strip can be read without its colours */
      pen.fillRect(left, verdict === 0 ? height / 2 : 0, Math.max(1, right - left), verdict === 0 ? height / 2 : height);
    }
  }

  function describe(event) {
    const part = (event.offsetX - INSET) / Math.max(1, strip().clientWidth - 2 * INSET);
    const iteration = Math.round(Math.max(0, Math.min(1, part)) * told.n_iterations);
    strip().title = `iteration ${iteration.toLocaleString("en-US")}: the move chosen is ${verdictAt(told.stretches, iteration)} (solved exactly)`;
  }

  function build() {
    if (canvas && canvas.isConnected) return;
    canvas = document.createElement("canvas");
    canvas.setAttribute("role", "img");
    strip().replaceChildren(canvas);
    canvas.addEventListener("pointermove", describe);
    new ResizeObserver(paint).observe(strip());
    new MutationObserver(paint).observe(document.documentElement, {attributes: true, attributeFilter: ["data-mcts-theme"]});
  }

  /** What the strip shows, in the row above the chart; only what there is of it. */
  function showKey(known) {
    const head = document.querySelector(".mcts-timeline-head");
    head?.querySelector(".truth-key")?.remove();
    if (!head || !known) return;
    const key = document.createElement("span");
    key.className = "truth-key";
    key.textContent = "lowest line, by exact results:";
    for (const [verdict, look] of LOOKS) {
      if (!told.stretches.some(([, last, each]) => each === verdict && last > 0)) continue; // no move is chosen before the first
      const mark = document.createElement("i");
      mark.className = look;
      key.append(mark, WORDS[String(verdict)]);
    }
    head.querySelector(".mcts-timeline-legend").after(key);
  }

  function show() {
    const known = told !== null && told.stretches.some(([, , verdict]) => verdict >= 0);
    strip().hidden = !known;
    showKey(known);
    if (known) {
      build();
      canvas.setAttribute("aria-label", "When the move chosen was right, by exact results: tall where it was, low where it was a mistake");
      paint();
    }
    mcts.app.repaint();
  }

  function forget() {
    results = new Map();
    told = null;
    showKey(false);
    if (strip()) strip().hidden = true;
  }

  async function ask(key) {
    let answer;
    try {
      const response = await fetch(`api/trace/${encodeURIComponent(key)}/truth`);
      if (!response.ok) return;
      answer = await response.json();
    } catch { return; }               // the page is being left, or its server has gone: others say so
    if (key !== trace) return;
    if (answer.state === "solving") { setTimeout(() => { if (key === trace) ask(key); }, ASK_AGAIN); return; }
    if (answer.state === "solved") {
      told = answer;
      results = new Map(answer.nodes.map((node, i) => [node, answer.results[i]]));
      show();
    }
    window.dash_clientside.set_props("truth", {data: key});
  }

  /** The page shows a trace: begin to ask when it is another one. */
  function follow(cursor) {
    if (cursor && cursor.trace && cursor.trace !== trace) {
      trace = cursor.trace;
      forget();
      ask(trace);
    }
  }

  return {measure, verdictAt, follow};
})();
