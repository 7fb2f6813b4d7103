/* Axes, pan and zoom of the tree without Plotly, which is 4 MB: in a file, and before Plotly is there. An element made a
   graph has the little of Plotly that tree_canvas.js uses. */
window.mcts = window.mcts || {};

mcts.pane = (() => {
  "use strict";

  const ZOOM = 0.0015; // of a pixel of the wheel

  /** Make an element a graph: _fullLayout, on(event, listener), mctsRelayout(changes). close() before it is removed. */
  function create(graph) {
    const listeners = new Map();
    const layout = {xaxis: {range: [-1, 1]}, yaxis: {range: [4, -0.6]}, _size: {l: 0, t: 0, w: 1, h: 1}};
    const tell = (name) => { for (const listener of listeners.get(name) || []) listener(); };

    function measure() {
      layout._size.w = Math.max(1, graph.clientWidth);
      layout._size.h = Math.max(1, graph.clientHeight);
    }

    function set(x, y) {
      layout.xaxis.range = x;
      layout.yaxis.range = y;
      tell("plotly_relayout");
      tell("plotly_afterplot");
    }

    const around = ([from, to], place, factor) => {
      const fixed = from + (to - from) * place;
      return [fixed + (from - fixed) * factor, fixed + (to - fixed) * factor];
    };

    function onWheel(event) {
      event.preventDefault();
      const box = graph.getBoundingClientRect(), factor = Math.exp(event.deltaY * ZOOM);
      const right = (event.clientX - box.left) / box.width, up = 1 - (event.clientY - box.top) / box.height;
      set(around(layout.xaxis.range, right, factor), around(layout.yaxis.range, up, factor));
    }

    function onDrag(event) {
      if (!(event.buttons & 1)) return;
      const {w, h} = layout._size, [x0, x1] = layout.xaxis.range, [y0, y1] = layout.yaxis.range;
      const dx = event.movementX * (x1 - x0) / w, dy = event.movementY * (y0 - y1) / h;
      set([x0 - dx, x1 - dx], [y0 - dy, y1 - dy]);
    }

    graph._fullLayout = layout;
    graph.mctsRelayout = (changes) => {
      set(changes["xaxis.range"] || layout.xaxis.range, changes["yaxis.range"] || layout.yaxis.range);
      return Promise.resolve();
    };
    graph.on = (name, listener) => listeners.set(name, [...(listeners.get(name) || []), listener]);
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
