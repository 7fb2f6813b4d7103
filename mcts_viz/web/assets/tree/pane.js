/* Axes, pan and zoom of the tree without Plotly, which is 4 MB: in a file, and before Plotly is there. */
mcts.pane = (() => {
  const ZOOM = 0.0015; // of a pixel of the wheel

  /** A range zoomed by a factor around a place in it. @param {Span} range @param {number} place @param {number} factor @returns {Span} */
  function around([from, to], place, factor) {
    const fixed = from + (to - from) * place;
    return [fixed + (from - fixed) * factor, fixed + (to - fixed) * factor];
  }

  /** Make an element a graph for mcts.plotly; close() before it is removed. @param {HTMLElement} element */
  function create(element) {
    const graph = /** @type {Graph} */ (element);
    /** @type {Map<string, (() => void)[]>} */
    const listeners = new Map();
    /** @type {Frame} */
    const frame = {left: 0, top: 0, width: 1, height: 1, x: [-1, 1], y: [4, -0.6]};
    /** @param {string} name */
    const tell = (name) => { for (const listener of listeners.get(name) || []) listener(); };

    function measure() {
      frame.width = Math.max(1, graph.clientWidth);
      frame.height = Math.max(1, graph.clientHeight);
    }

    /** @param {Span} x @param {Span} y */
    function set(x, y) {
      Object.assign(frame, {x, y});
      tell("plotly_relayout");
      tell("plotly_afterplot");
    }

    /** @param {WheelEvent} event */
    function onWheel(event) {
      event.preventDefault();
      const box = graph.getBoundingClientRect(), factor = Math.exp(event.deltaY * ZOOM);
      const right = (event.clientX - box.left) / box.width, up = 1 - (event.clientY - box.top) / box.height;
      set(around(frame.x, right, factor), around(frame.y, up, factor));
    }

    /** @param {PointerEvent} event */
    function onDrag(event) {
      if (!(event.buttons & 1)) return;
      const {width, height, x: [x0, x1], y: [y0, y1]} = frame;
      const dx = event.movementX * (x1 - x0) / width, dy = event.movementY * (y0 - y1) / height;
      set([x0 - dx, x1 - dx], [y0 - dy, y1 - dy]);
    }

    graph.mctsPane = {
      frame: () => frame,
      relayout(changes) {
        set(changes["xaxis.range"] || frame.x, changes["yaxis.range"] || frame.y);
        return Promise.resolve();
      },
    };
    graph.on = (name, listener) => { listeners.set(name, [...(listeners.get(name) || []), listener]); };
    graph.classList.add("js-plotly-plot");
    graph.addEventListener("wheel", onWheel, {passive: false});
    graph.addEventListener("pointermove", onDrag);
    const observer = new ResizeObserver(() => { measure(); tell("plotly_afterplot"); });
    observer.observe(graph);
    measure();
    return {close: () => observer.disconnect()};
  }

  return {create};
})();
