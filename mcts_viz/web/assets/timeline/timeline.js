/* The run of the search under the tree: its chart, the legend of moves, and the slider that scrubs. */
mcts.timeline = (() => {
  const {element, count} = mcts.dom, chart = mcts.timelineChart;

  /** @param {HTMLElement} container */
  function build(container) {
    container.classList.add("mcts-timeline");
    const canvas = element("canvas");
    canvas.setAttribute("role", "img");
    const slider = element("input");
    Object.assign(slider, {type: "range", min: "0", max: "0", step: "1", value: "0", className: "mcts-scrubber"});
    slider.setAttribute("aria-label", "iteration");
    const head = element("div", "mcts-timeline-head"), legend = element("div", "mcts-timeline-legend");
    const view = element("span", "mcts-timeline-view");
    head.append(view, legend);
    container.replaceChildren(head, canvas, slider);
    return {canvas, slider, view, legend};
  }

  /** @param {string} colour @param {string} text @param {string} title */
  function chip(colour, text, title) {
    const made = element("span", "mcts-timeline-chip", text), swatch = element("i", "mcts-timeline-swatch");
    made.title = title;
    made.prepend(swatch);
    swatch.style.background = colour;
    return made;
  }

  /** The moves that led, with their colours. @param {Run} run */
  function legendOf({led, nameOf, colourOf}) {
    const chips = led.slice(0, chart.MOVES.length).map(({node, share}) =>
      chip(colourOf(node), nameOf(node), `${nameOf(node)} led for ${share < 0.01 ? "less than 1" : Math.round(100 * share)} % of the search`));
    const others = led.slice(chart.MOVES.length).map(({node}) => nameOf(node));
    if (others.length) chips.push(chip(chart.OTHERS, `${others.length} more`, `led for a short time: ${others.join(", ")}`));
    return led.length ? [element("span", "mcts-timeline-word", "led by"), ...chips] : [];
  }

  const REST = {milliseconds: 500, pixels: 6}; // of a finger that then draws a span

  /** Handlers get the iteration to go to, and the span that is drawn with Shift, or by a finger that has rested.
      @param {HTMLElement} container @param {{onSeek(t: number): void, onBrush(span: Span): void}} handlers */
  function create(container, handlers) {
    const {canvas, slider, view, legend} = build(container), pen = mcts.pen.of(canvas);
    const backdrop = element("canvas"); // everything but the playhead
    let /** @type {Message | null} */ shown = null, /** @type {Run | null} */ run = null, t = 0, width = 0, height = 0, ratio = 1;
    let /** @type {number | null} */ threshold = null; // null: the middle of the range
    let note = "";                      // in place of a chart that would have but one point
    let /** @type {Brush} */ brush = {bins: [], span: null};
    let /** @type {number | null} */ begun = null; // iteration at which a span is begun
    let timer = 0, downAt = 0;          // of a finger

    function resize() {
      ratio = window.devicePixelRatio || 1;
      width = container.clientWidth;
      height = canvas.clientHeight || 56;
      for (const each of [canvas, backdrop]) Object.assign(each, {width: Math.round(width * ratio), height: Math.round(height * ratio)});
      renew();
    }

    /** Draw everything anew. */
    function renew() {
      if (!run) return;
      const back = mcts.pen.of(backdrop);
      back.setTransform(ratio, 0, 0, ratio, 0, 0);
      chart.draw(back, run, width, height, threshold);
      view.textContent = view.title = chart.said(run);
      paint();
    }

    function paint() {
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      pen.clearRect(0, 0, width, height);
      if (!run) return;
      if (note) {
        Object.assign(pen, {font: "13px system-ui, sans-serif", textAlign: "center", textBaseline: "middle", fillStyle: mcts.colours.css("muted")});
        pen.fillText(note, width / 2, height / 2);
        return;
      }
      pen.drawImage(backdrop, 0, 0, width, height);
      chart.drawBrush(pen, run.n, width, height, brush);
      pen.fillStyle = mcts.colours.css("ink");
      pen.fillRect(chart.x(t, run.n, width) - 0.75, chart.TOP - 3, 1.5, height - chart.TOP + 3);
    }

    /** @param {PointerEvent} event */
    const iterationAt = (event) => chart.iterationAt(event.clientX - canvas.getBoundingClientRect().left, run?.n ?? 0, width);

    /** A finger that rests begins a span, as Shift does: one iteration wide, so that one sees it. @param {number} at */
    function rest(at) {
      begun = at;
      handlers.onBrush(chart.spanOf(at, at));
    }

    /** @param {PointerEvent} event */
    function describe(event) {
      const at = iterationAt(event), reign = run?.stretches.find(({from, to}) => from <= at && at <= to);
      canvas.title = run && reign ? `iteration ${count(at)}: ${run.nameOf(reign.node)} leads, from ${count(reign.from)} to ${count(reign.to)}` : `iteration ${count(at)}`;
    }

    /** @param {Message} message */
    function set(message) {
      shown = message;
      run = chart.of(message);
      legend.replaceChildren(...legendOf(run));
      slider.max = String(run.n);
      canvas.setAttribute("aria-label", `${run.words}; moves that led: ${run.led.map(({node}) => run?.nameOf(node)).join(", ") || "none"}`);
      if (width) renew(); else resize(); // whose size is asked for when it changes: it would have the page laid out now
    }

    /** going: where the slider stands, ahead of the picture while it is dragged. @param {number} iteration @param {number} last */
    function show(iteration, last, going = iteration) {
      t = iteration;
      if (String(last) !== slider.max) slider.max = String(last);
      if (Number(slider.value) !== going) slider.value = String(going);
      slider.setAttribute("aria-valuetext", `iteration ${count(iteration)} of ${count(last)}`);
      paint();
    }

    slider.addEventListener("input", () => handlers.onSeek(Number(slider.value)));
    /* the keys step through the app's own table, by 1, 10 and 100 */
    slider.addEventListener("keydown", (event) => {
      if (["PageUp", "PageDown"].includes(event.key)) event.preventDefault();
    });
    canvas.addEventListener("pointerdown", (event) => {
      if (!run) return;
      canvas.setPointerCapture(event.pointerId);
      begun = event.shiftKey ? iterationAt(event) : null;
      if (begun === null) handlers.onSeek(iterationAt(event));
      downAt = event.clientX;
      if (event.pointerType === "touch") timer = setTimeout(rest, REST.milliseconds, iterationAt(event));
    });
    for (const ends of ["pointerup", "pointercancel"]) canvas.addEventListener(ends, () => clearTimeout(timer));
    canvas.addEventListener("pointermove", (event) => {
      if (!run) return;
      if (Math.abs(event.clientX - downAt) > REST.pixels) clearTimeout(timer);
      if (!event.buttons) describe(event);
      else if (begun === null) handlers.onSeek(iterationAt(event));
      else handlers.onBrush(mcts.timelineChart.spanOf(begun, iterationAt(event)));
    });
    new ResizeObserver(resize).observe(container);

    return {
      set, show, refresh: resize,
      /** Values are shown in another view. */
      renew() { if (shown) set(shown); },
      setThreshold(/** @type {number | null} */ value) { if (threshold !== value) { threshold = value; renew(); } },
      setBrush(/** @type {Brush} */ next) { brush = next; paint(); },
      setNote(/** @type {string} */ text) { if (note !== text) { note = text; paint(); } },
    };
  }

  return {create};
})();
