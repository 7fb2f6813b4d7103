/* A lane for each worker under the timeline, where a search has several: the darker, the more of the iterations there are its own. */
mcts.lanes = (() => {
  const {x} = mcts.timelineChart;
  let /** @type {WorkersAnswer | null} */ answer = null, asked = "";
  let /** @type {HTMLCanvasElement | null} */ canvas = null;

  const box = () => mcts.dom.the("worker-lanes");

  function paint() {
    if (!answer || !canvas) return;
    const {lanes, n_iterations: n, step} = answer;
    const width = box().clientWidth, height = box().clientHeight, high = height / lanes.length;
    const pen = mcts.pen.fit(canvas, width, height);
    pen.clearRect(0, 0, width, height);
    pen.fillStyle = mcts.colours.css("lane");
    lanes.forEach((counts, lane) => counts.forEach((count, i) => {
      if (!count) return;
      const left = x(i * step, n, width), right = x(Math.min((i + 1) * step, n), n, width);
      pen.globalAlpha = 0.2 + 0.8 * Math.min(1, count / step);
      pen.fillRect(left, lane * high, Math.max(1, right - left), Math.max(1, high - 1));
    }));
  }

  /** @param {MouseEvent} event */
  function describe(event) {
    if (!answer) return;
    const t = mcts.timelineChart.iterationAt(event.offsetX, answer.n_iterations, box().clientWidth);
    const lane = Math.min(answer.lanes.length - 1, Math.floor(event.offsetY / box().clientHeight * answer.lanes.length));
    const total = answer.lanes[lane].reduce((a, b) => a + b, 0), i = Math.min(Math.floor(Math.max(t - 1, 0) / answer.step), answer.lanes[lane].length - 1);
    const first = i * answer.step + 1, last = Math.min(first + answer.step - 1, answer.n_iterations);
    const where = first === last ? `iteration ${mcts.dom.count(first)}` : `iterations ${mcts.dom.count(first)} to ${mcts.dom.count(last)}`;
    box().title = `worker ${answer.workers[lane]}: ${mcts.dom.count(answer.lanes[lane][i])} of ${where}; ${mcts.dom.count(total)} in all`;
  }

  function build() {
    if (canvas && canvas.isConnected) return;
    canvas = mcts.dom.element("canvas");
    canvas.setAttribute("role", "img");
    box().replaceChildren(canvas);
    canvas.addEventListener("pointermove", describe);
    new ResizeObserver(paint).observe(box());
    new MutationObserver(paint).observe(document.documentElement, {attributes: true, attributeFilter: ["data-mcts-theme"]});
  }

  /** The timeline shows a trace. @param {string} trace @param {{n_iterations: number, n_workers?: number}} meta */
  async function show(trace, meta) {
    const key = `${trace} ${meta.n_iterations}`;
    if (key === asked) return;
    asked = key;
    if (!meta.n_workers) {
      answer = null;
      box().hidden = true;
      return;
    }
    try {
      const found = await mcts.binary.fetchJson(`${mcts.requests.traceUrl(trace)}/workers`);
      if (key !== asked) return;
      answer = found;
    } catch { return; } // the page is being left, or its server has gone: others say so
    box().hidden = false;
    box().style.height = `${Math.min(8 * nLanes(), 48)}px`;
    build();
    canvas?.setAttribute("aria-label", `Which of ${nLanes()} workers made each iteration, a lane for each`);
    paint();
  }

  const nLanes = () => answer?.lanes.length ?? 0;

  return {show};
})();
