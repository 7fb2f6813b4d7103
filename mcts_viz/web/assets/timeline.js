/* The run of the search under the tree: root value, which root move led when, and the slider that scrubs. */
window.mcts = window.mcts || {};

mcts.timeline = (() => {
  "use strict";

  const INSET = 8;                    // half a slider thumb, so that the chart and the thumb agree
  const STRIP = 13, GAP = 5, TOP = 4;
  /* Okabe and Ito: colours that stay apart with colour blindness, for the moves that led longest; the others share one */
  const MOVES = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#b8a800"], OTHERS = "#7a7a7a";

  function element(tag, className, text) {
    const made = document.createElement(tag);
    made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  }

  function build(container) {
    container.classList.add("mcts-timeline");
    const canvas = document.createElement("canvas");
    canvas.setAttribute("role", "img");
    const slider = document.createElement("input");
    Object.assign(slider, {type: "range", min: "0", max: "0", step: "1", value: "0", className: "mcts-scrubber"});
    slider.setAttribute("aria-label", "iteration");
    const head = element("div", "mcts-timeline-head"), legend = element("div", "mcts-timeline-legend");
    const view = element("span", "mcts-timeline-view");
    head.append(view, legend);
    container.replaceChildren(head, canvas, slider);
    return {canvas, slider, view, legend};
  }

  /** Stretches of the run with one leader: [{node, from, to}] in iterations. */
  function reigns(iteration, leader) {
    const stretches = [];
    for (let i = 0; i < iteration.length; i++) {
      const last = stretches[stretches.length - 1];
      if (last && last.node === leader[i]) last.to = iteration[i];
      else {
        if (last) last.to = iteration[i];
        stretches.push({node: leader[i], from: iteration[i], to: iteration[i]});
      }
    }
    return stretches.filter((stretch) => stretch.node >= 0);
  }

  /** The moves that led, by how long: [{node, share of the search}], the longest first. */
  function leaders(stretches) {
    const led = new Map();
    let all = 0;
    for (const {node, from, to} of stretches) {
      led.set(node, (led.get(node) || 0) + to - from);
      all += to - from;
    }
    return [...led].map(([node, n]) => ({node, share: all ? n / all : 1})).sort((a, b) => b.share - a.share);
  }

  /** handlers: onSeek(t). */
  function create(container, handlers) {
    const {canvas, slider, view, legend} = build(container);
    const pen = canvas.getContext("2d");
    const backdrop = document.createElement("canvas"); // everything but the playhead
    let data = null, t = 0, width = 0, height = 0, ratio = 1;
    let threshold = null;               // null: the middle of the range
    let note = "";                      // in place of a chart that would have but one point
    let stretches = [], labels = new Map(), colours = new Map();

    const x = (iteration) => INSET + (width - 2 * INSET) * iteration / Math.max(1, data.meta.n_iterations);

    function iterationAt(event) {
      const box = canvas.getBoundingClientRect();
      const part = (event.clientX - box.left - INSET) / Math.max(1, width - 2 * INSET);
      return Math.round(Math.max(0, Math.min(1, part)) * data.meta.n_iterations);
    }

    function resize() {
      ratio = window.devicePixelRatio || 1;
      width = container.clientWidth;
      height = canvas.clientHeight || 56;
      for (const each of [canvas, backdrop]) {
        each.width = Math.round(width * ratio);
        each.height = Math.round(height * ratio);
      }
      paintBackdrop();
      paint();
    }

    function valueRange() {
      const [low, high] = data.meta.value_range;
      let least = Infinity, most = -Infinity;
      for (const value of data.columns.root_value.subarray(Math.min(10, data.columns.root_value.length - 1))) {
        if (value < least) least = value;
        if (value > most) most = value;
      }
      if (!(least <= most)) return [low, high];
      const pad = Math.max((most - least) * 0.2, (high - low) * 0.03);
      return [Math.max(low, least - pad), Math.min(high, most + pad)];
    }

    function paintBackdrop() {
      if (!data) return;
      const colour = mcts.colours.css;
      const back = backdrop.getContext("2d");
      back.setTransform(ratio, 0, 0, ratio, 0, 0);
      back.clearRect(0, 0, width, height);
      const bottom = height - STRIP - GAP;
      paintValue(back, colour, TOP, bottom);
      paintStrip(back, colour, height - STRIP);
    }

    function paintValue(back, colour, top, bottom) {
      const [low, high] = valueRange();
      const y = (value) => bottom - (Math.max(low, Math.min(high, value)) - low) / (high - low) * (bottom - top);
      const limit = threshold ?? (data.meta.value_range[0] + data.meta.value_range[1]) / 2;
      view.textContent = `${data.meta.view_text}, ${low.toFixed(2)} to ${high.toFixed(2)}`;
      view.title = view.textContent;
      if (limit > low && limit < high) {
        back.strokeStyle = colour("muted");
        back.lineWidth = 1;
        back.setLineDash([2, 3]);
        back.beginPath();
        back.moveTo(INSET, y(limit));
        back.lineTo(width - INSET, y(limit));
        back.stroke();
        back.setLineDash([]);
      }
      const {iteration, root_value: value} = data.columns;
      back.beginPath();
      let pen_down = false;
      for (let i = 0; i < iteration.length; i++) {
        if (Number.isNaN(value[i])) { pen_down = false; continue; }
        if (pen_down) back.lineTo(x(iteration[i]), y(value[i])); else back.moveTo(x(iteration[i]), y(value[i]));
        pen_down = true;
      }
      back.strokeStyle = colour("line");
      back.lineWidth = 1.6;
      back.lineJoin = "round";
      back.stroke();
    }

    function paintStrip(back, colour, top) {
      back.textAlign = "center";
      back.textBaseline = "middle";
      back.font = "600 10px system-ui, sans-serif";
      for (const {node, from, to} of stretches) {
        const left = x(from), w = Math.max(1, x(to) - left);
        back.fillStyle = colours.get(node);
        back.fillRect(left, top, w, STRIP - 1);
        const text = labels.get(node);
        if (w > back.measureText(text).width + 8) {
          back.fillStyle = "#ffffff";
          back.strokeStyle = "rgba(0,0,0,.55)";
          back.lineWidth = 2;
          back.strokeText(text, left + w / 2, top + STRIP / 2);
          back.fillText(text, left + w / 2, top + STRIP / 2);
        }
      }
    }

    function paint() {
      pen.setTransform(1, 0, 0, 1, 0, 0);
      pen.clearRect(0, 0, canvas.width, canvas.height);
      if (!data) return;
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      if (note) return writeNote();
      pen.drawImage(backdrop, 0, 0, width, height);
      pen.fillStyle = mcts.colours.css("ink");
      pen.fillRect(x(t) - 0.75, TOP - 3, 1.5, height - TOP + 3);
    }

    function writeNote() {
      pen.font = "13px system-ui, sans-serif";
      pen.textAlign = "center";
      pen.textBaseline = "middle";
      pen.fillStyle = mcts.colours.css("muted");
      pen.fillText(note, width / 2, height / 2);
    }

    function leaderAt(iteration) {
      return stretches.find((stretch) => stretch.from <= iteration && iteration <= stretch.to);
    }

    function describe(event) {
      if (!data) return;
      const at = iterationAt(event), reign = leaderAt(at);
      canvas.title = reign
        ? `iteration ${at}: ${labels.get(reign.node)} leads, from ${reign.from} to ${reign.to}` : `iteration ${at}`;
    }

    function showLegend(led) {
      const chip = (colour, text, title) => {
        const made = element("span", "mcts-timeline-chip", text);
        made.title = title;
        made.prepend(element("i", "mcts-timeline-swatch"));
        made.firstChild.style.background = colour;
        return made;
      };
      const chips = led.slice(0, MOVES.length).map(({node, share}) => {
        const name = labels.get(node);
        return chip(colours.get(node), name, `${name} led for ${share < 0.01 ? "less than 1" : Math.round(100 * share)} % of the search`);
      });
      const others = led.slice(MOVES.length).map(({node}) => labels.get(node));
      if (others.length) chips.push(chip(OTHERS, `${others.length} more`, `led for a short time: ${others.join(", ")}`));
      legend.replaceChildren(...(led.length ? [element("span", "mcts-timeline-word", "led by"), ...chips] : []));
    }

    function set(message) {
      data = message;
      labels = new Map(message.meta.moves.map((move) => [move.node, move.label]));
      stretches = reigns(message.columns.iteration, message.columns.leader);
      const led = leaders(stretches);
      colours = new Map(led.map(({node}, i) => [node, MOVES[i] ?? OTHERS]));
      showLegend(led);
      slider.max = String(message.meta.n_iterations);
      const names = led.map(({node}) => labels.get(node)).join(", ");
      canvas.setAttribute("aria-label", `${message.meta.view_text}; moves that led: ${names || "none"}`);
      resize();
    }

    /** going: where the slider stands, ahead of the picture while a hand draws it on. */
    function show(iteration, last, going = iteration) {
      t = iteration;
      if (String(last) !== slider.max) slider.max = String(last);
      if (Number(slider.value) !== going) slider.value = String(going);
      slider.setAttribute("aria-valuetext", `iteration ${iteration} of ${last}`);
      paint();
    }

    slider.addEventListener("input", () => handlers.onSeek(Number(slider.value)));
    /* the keys step through the app's own table, by 1, 10 and 100 */
    slider.addEventListener("keydown", (event) => {
      if (["PageUp", "PageDown"].includes(event.key)) event.preventDefault();
    });
    canvas.addEventListener("pointerdown", (event) => {
      if (!data) return;
      canvas.setPointerCapture(event.pointerId);
      handlers.onSeek(iterationAt(event));
    });
    canvas.addEventListener("pointermove", (event) => {
      if (data && event.buttons) handlers.onSeek(iterationAt(event)); else describe(event);
    });
    new ResizeObserver(resize).observe(container);

    function setThreshold(value) {
      if (threshold === value) return;
      threshold = value;
      paintBackdrop();
      paint();
    }

    function setNote(text) {
      if (note === text) return;
      note = text;
      paint();
    }

    return {set, show, setThreshold, setNote, refresh: resize};
  }

  return {create, reigns, leaders};
})();
