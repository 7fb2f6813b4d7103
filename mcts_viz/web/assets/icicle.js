/* The icicle on a canvas of its own: the whole tree at the iteration shown, a level a row, a node as wide as its visits.

   Follows the tree's iteration and phase with windows of its own, as in each run of iterations other nodes are a pixel wide. Knows
   nothing of Dash: it is given a view and an iteration, and says what was clicked. */
window.mcts = window.mcts || {};

mcts.icicle = (() => {
  "use strict";

  const WINDOWS_KEPT = 8;
  const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";
  const LABEL = `600 12px ${FONT}`, SMALL = `11px ${FONT}`;
  const MARGIN = {side: 12, top: 8, bottom: 6};
  const COLOURS = ["paper", "ink", "muted", "edge", "path", "chosen", "selected"];
  const ANCESTORS = 3; // rows
  const DOUBLE = 350; // milliseconds

  const count = new Intl.NumberFormat("en-US").format;

  /** A window's geometry, its replay and what a phase shows of that, from a message of the server. */
  function windowOf(message, meta) {
    const c = message.columns, nNodes = message.meta.n_visible, nItems = c.node.length;
    const {labels} = message.meta, short = mcts.geometry.shortened(labels);
    const {from, to} = message.meta;
    const replay = mcts.replay.create({
      nIterations: to, nItems, parent: c.parent,
      fetchWindow: () => new Promise(() => {}), // it has but one window
      onMove() {}, onError() {},
    });
    replay.keep(mcts.replay.windowOf(to), message);
    const nodeIds = c.node.subarray(0, nNodes);
    return {
      from, to, replay, stage: mcts.phases.stage(replay, meta.focus_path.length - 1, meta.has_phases), ...c, nItems, nNodes, nLevels: c.level_start.length - 1,
      isStub: (item) => item >= nNodes,
      label: (item) => labels[c.label[item]],
      shortLabel: (item) => short[c.label[item]],
      itemOf: (node) => {
        const item = mcts.geometry.lowerBound(nodeIds, node);
        return item < nNodes && nodeIds[item] === node ? item : -1;
      },
    };
  }

  /** target: the element to draw in; graph: the tree's, whose legend stays in view. handlers: fetchWindow(trace, query)
      -> Promise of a message, onSelect(node), onFocus(node), onHover(item | -1, geometry, state, event), onDraw(),
      onError(Error), iteration() and phase() -> the tree's, isPlaying(). */
  function create(target, graph, handlers) {
    const canvas = document.createElement("canvas");
    canvas.className = "mcts-icicle-canvas";
    canvas.setAttribute("role", "img");
    target.append(canvas);
    const pen = canvas.getContext("2d");
    let options = {show: "tree", colour: "mean_value", theme: "light"};
    let trace = null, meta = null, focus = 0, selected = 0;
    let windows = new Map();            // number -> window, least recently used first
    let current = null;
    let fetching = new Set();
    let version = 0;                    // counts views: an older answer is dropped
    let colouring = null, ink = mcts.colours.named(COLOURS);
    let scheduled = 0, scroll = 0;      // rows scrolled away at the top
    let drawn = [];                     // row -> [{item, x, width}] from left to right; ancestors have a node instead
    let report = {t: null, phase: null, drawn: 0, narrow: 0, rows: 0, milliseconds: 0};
    let wantedWidth = 1024;
    let knowsLast = false;              // windows tell last visits, for the colour that shows them

    const isShown = () => options.show !== "tree";

    // ---- windows of iterations ---------------------------------------------------------------------------------

    async function fetchWindow(number) {
      if (fetching.has(number)) return;
      fetching.add(number);
      const asked = version, size = mcts.replay.WINDOW, from = number * size, to = Math.min(from + size, meta.n_iterations);
      const query = `focus=${focus}&width=${wantedWidth}&n_iterations=${meta.n_iterations}&from=${from}&to=${to}&last=${Number(knowsLast)}`;
      try {
        const message = await handlers.fetchWindow(trace, query);
        if (asked !== version) return;
        windows.set(number, windowOf(message, meta));
        if (windows.size > WINDOWS_KEPT) windows.delete(windows.keys().next().value);
        if (handlers.iteration() !== null && mcts.replay.windowOf(handlers.iteration()) === number) show(handlers.iteration());
      } catch (error) {
        if (asked === version) handlers.onError(error);
      } finally {
        if (asked === version) fetching.delete(number);
      }
    }

    /** Show iteration t, at once when its window is here, else as soon as it is. */
    function show(t) {
      if (!isShown() || !meta) return;
      const number = mcts.replay.windowOf(t), found = windows.get(number);
      if (!found) { fetchWindow(number); return; }
      windows.delete(number);
      windows.set(number, found);
      const before = current && current.replay.state.t;
      enter(found);
      current.replay.seek(t);
      current.stage.show(handlers.phase());
      const next = number + (before !== null && t < before ? -1 : 1);
      if (next >= 0 && next <= mcts.replay.windowOf(meta.n_iterations) && !windows.has(next)) fetchWindow(next);
      if (handlers.isPlaying()) draw(); else schedule();
    }

    function enter(window) {
      if (current === window) return;
      current = window;
      colouring.measure = mcts.colours.measure(colouring.mode, window, meta);
    }

    function forget() {
      version += 1;
      windows = new Map();
      fetching = new Set();
      current = null;
    }

    // ---- drawing -----------------------------------------------------------------------------------------------

    function fitCanvas() {
      const ratio = window.devicePixelRatio || 1;
      const legend = graph.querySelector(".mcts-legend");
      target.style.bottom = isShown() && legend ? `${legend.offsetHeight}px` : "";
      const width = target.clientWidth, height = target.clientHeight;
      if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
        canvas.width = Math.round(width * ratio);
        canvas.height = Math.round(height * ratio);
        canvas.style.width = `${width}px`;
        canvas.style.height = `${height}px`;
      }
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      return {width, height};
    }

    /** The nearest of the nodes above the focus; the breadcrumbs have all of them. */
    const ancestors = () => meta.focus_path.slice(0, -1).slice(-ANCESTORS);

    function draw() {
      cancelAnimationFrame(scheduled);
      scheduled = 0;
      if (!isShown()) return;
      const begin = performance.now();
      const {width, height} = fitCanvas();
      if (!current || current.replay.state.t === null) return; // what was shown stays until there is something new
      pen.clearRect(0, 0, width, height);
      pen.textBaseline = "middle";
      drawn = [];
      const {state} = current.stage, {left, taken, total} = mcts.icicleLayout.spans(current, state.visits);
      const above = ancestors(), nLevels = current.nLevels + above.length;
      const room = height - MARGIN.top - MARGIN.bottom;
      const rows = mcts.icicleLayout.rows(nLevels, room);
      scroll = Math.max(0, Math.min(scroll, nLevels - rows.seen));
      const place = {x: MARGIN.side, width: width - 2 * MARGIN.side, row: rows.height, y: (row) => MARGIN.top + (row - scroll) * rows.height};
      above.forEach((each, row) => { if (row >= scroll) drawAncestor(each, row, place); });
      const scale = total > 0 ? place.width / total : 0;
      let nDrawn = 0;
      const path = new Set(current.stage.iteration()?.path || []);
      const shownTo = Math.min(current.nLevels, scroll + rows.seen - above.length);
      for (let level = 0; level < current.nLevels; level++) {
        nDrawn += drawLevel(level, level + above.length, {left, taken, scale, place, path, visible: level < shownTo && level + above.length >= scroll});
      }
      if (total === 0) sayEmpty(place, above.length);
      drawSelected(place);
      const nBelow = current.n_below[current.stage.nodesAt() - current.from];
      report = {
        t: current.replay.state.t, phase: current.stage.phase(), drawn: nDrawn, narrow: nBelow - nDrawn, rows: nLevels, hiddenRows: nLevels - rows.seen,
        milliseconds: performance.now() - begin, at: performance.now(),
      };
      canvas.setAttribute("aria-label", `Icicle after iteration ${state.t}: ${words()}`);
      handlers.onDraw();
      if (mouse) hover();
    }

    function sayEmpty(place, row) {
      pen.font = SMALL;
      pen.fillStyle = ink.muted;
      pen.textAlign = "left";
      pen.fillText("no visits yet at this iteration", place.x, place.y(row) + place.row / 2);
    }

    /** A level's rectangles; the number of nodes that are at least a pixel wide. */
    function drawLevel(level, row, how) {
      const {left, taken, scale, place, path} = how, c = current, {state} = c.stage;
      let nDrawn = 0;
      const y = place.y(row);
      if (!how.visible) {
        for (let i = c.level_start[level]; i < c.level_start[level + 1]; i++) {
          const item = c.order[i];
          if (!c.isStub(item) && state.visits[item] * scale >= 1) nDrawn += 1;
        }
        return nDrawn;
      }
      const boxes = drawn[row] = [];
      for (let i = c.level_start[level]; i < c.level_start[level + 1]; i++) {
        const item = c.order[i], w = state.visits[item] * scale;
        if (w < 1) continue;
        const box = {item, x: place.x + left[item] * scale, width: w};
        boxes.push(box);
        if (c.isStub(item)) continue;
        nDrawn += 1;
        drawBox(box, y, place, path);
        if (taken[item] * scale >= 1) backChildren(box.x, y + place.row, taken[item] * scale, place);
      }
      return nDrawn;
    }

    /** Grey under a node, as far as its children reach: what is not covered by one of them is narrower than a pixel. */
    function backChildren(x, y, width, place) {
      if (y + place.row > target.clientHeight - MARGIN.bottom + 1) return;
      pen.globalAlpha = 0.45;
      pen.fillStyle = ink.edge;
      pen.fillRect(x, y, width, place.row - 1);
      pen.globalAlpha = 1;
    }

    const fillOf = (item) => {
      const at = colouring.place(colouring.measure(item, current.stage.state));
      return at < 0 ? null : at;
    };

    function drawBox({item, x, width}, y, place, path) {
      const at = fillOf(item), gap = width > 3 ? 1 : 0;
      pen.fillStyle = at === null ? meta.unvisited[options.theme] : colouring.table.fills[at];
      pen.fillRect(x, y, width - gap, place.row - 1);
      if (width > 3) {
        pen.strokeStyle = ink.edge;
        pen.lineWidth = 1;
        pen.strokeRect(x + 0.5, y + 0.5, width - gap - 1, place.row - 2);
      }
      if (path.has(item)) {
        pen.fillStyle = ink.path;
        pen.fillRect(x, y, Math.max(2, width - gap), 3);
      }
      if (width >= 15) label(item, x, width - gap, y + place.row / 2 + 0.5, at === null ? ink.ink : colouring.table.inks[at]);
    }

    function label(item, x, width, y, colour) {
      const visits = count(current.stage.state.visits[item]);
      pen.textAlign = "left";
      pen.fillStyle = colour;
      pen.font = LABEL;
      const text = [current.label(item), current.shortLabel(item)].find((each) => pen.measureText(each).width + 8 <= width);
      if (!text) return;
      pen.fillText(text, x + 4, y);
      const end = x + 4 + pen.measureText(text).width + 6;
      pen.font = SMALL;
      if (end + pen.measureText(visits).width + 4 <= x + width) pen.fillText(visits, end, y);
    }

    /** A node above the focus, over the whole width: a click leads back to it. */
    function drawAncestor({node, label: text}, row, place) {
      drawn[row] = [{node, item: -1, x: place.x, width: place.width}];
      pen.fillStyle = ink.edge;
      pen.globalAlpha = 0.35;
      pen.fillRect(place.x, place.y(row), place.width, place.row - 1);
      pen.globalAlpha = 1;
      pen.font = SMALL;
      pen.textAlign = "left";
      pen.fillStyle = ink.ink;
      pen.fillText(`‹ ${text}`, place.x + 4, place.y(row) + place.row / 2 + 0.5);
    }

    function boxOf(item) {
      for (const [row, boxes] of drawn.entries()) {
        const box = (boxes || []).find((each) => each.item === item && item >= 0);
        if (box) return {row, ...box};
      }
      return null;
    }

    function drawSelected(place) {
      const box = boxOf(current.itemOf(selected));
      if (!box) return;
      const y = place.y(box.row), width = Math.max(3, box.width - 1);
      pen.lineWidth = 5;
      pen.strokeStyle = ink.paper;
      pen.strokeRect(box.x, y, width, place.row - 1);
      pen.lineWidth = 2.5;
      pen.strokeStyle = ink.selected;
      pen.strokeRect(box.x, y, width, place.row - 1);
    }

    function schedule() {
      if (!scheduled) scheduled = requestAnimationFrame(() => { scheduled = 0; draw(); });
    }

    /** What the status line says of the icicle; "" while it is not shown. */
    function words() {
      if (!isShown() || report.t === null) return "";
      const parts = [`icicle: width is visits, ${count(report.drawn)} node${report.drawn === 1 ? "" : "s"} drawn`];
      if (report.narrow > 0) parts.push(`${count(report.narrow)} narrower than a pixel (grey)`);
      if (report.hiddenRows > 0) parts.push(`${count(report.hiddenRows)} levels out of sight, scroll`);
      return parts.join(", ");
    }

    // ---- under the mouse ---------------------------------------------------------------------------------------

    function hit(event) {
      const box = canvas.getBoundingClientRect();
      const x = event.clientX - box.left, y = event.clientY - box.top;
      if (!current || report.t === null) return null;
      const nLevels = current.nLevels + ancestors().length;
      const {height} = mcts.icicleLayout.rows(nLevels, target.clientHeight - MARGIN.top - MARGIN.bottom);
      const row = Math.floor((y - MARGIN.top) / height) + scroll;
      return (drawn[row] || []).find((each) => x >= each.x && x < each.x + each.width) || null;
    }

    const nodeOf = (box) => box.item >= 0 ? current.node[box.item] : box.node;

    let mouse = null; // the event that brought it to where it rests over the picture

    /** Tell what lies under the mouse; each picture asks again, which may have other numbers or something else there. */
    function hover() {
      const box = hit(mouse);
      canvas.style.cursor = box ? "pointer" : "";
      if (!box || box.item < 0) handlers.onHover(-1, null, null, null);
      else handlers.onHover(box.item, current, current.stage.state, mouse);
    }

    function onLeave() {
      mouse = null;
      handlers.onHover(-1, null, null, null);
    }

    let lastClick = {node: -1, at: 0};

    function onClick(event) {
      const box = hit(event);
      if (!box) return;
      const node = nodeOf(box), now = performance.now();
      if (box.item < 0 || (lastClick.node === node && now - lastClick.at < DOUBLE)) {
        lastClick = {node: -1, at: 0};
        handlers.onFocus(node);
        return;
      }
      lastClick = {node, at: now};
      handlers.onSelect(node);
    }

    function onWheel(event) {
      if (!report.hiddenRows) return;
      event.preventDefault();
      scroll += Math.sign(event.deltaY) * 2;
      schedule();
    }

    canvas.addEventListener("mousemove", (event) => { mouse = event; hover(); });
    canvas.addEventListener("mouseleave", onLeave);
    canvas.addEventListener("click", onClick);
    canvas.addEventListener("wheel", onWheel, {passive: false});
    new ResizeObserver(() => { if (chooseWidth()) forget(); refresh(); }).observe(target);

    // ---- what the app calls ------------------------------------------------------------------------------------

    /** Whether the nodes that are a pixel wide are others than before: the width is asked for in powers of two. */
    function chooseWidth() {
      const before = wantedWidth;
      while (wantedWidth < target.clientWidth && wantedWidth < 8192) wantedWidth *= 2;
      return wantedWidth !== before;
    }

    function chooseColours() {
      ink = mcts.colours.named(COLOURS);
      if (!meta) return;
      const scale = meta.scales[options.colour] || meta.scales.mean_value;
      colouring = {
        mode: scale.mode,
        table: mcts.colours.table(scale.stops[options.theme], scale.categorical),
        place: mcts.colours.placer(scale),
        measure: current && mcts.colours.measure(scale.mode, current, meta),
      };
    }

    function refresh() {
      const t = handlers.iteration();
      if (t !== null) show(t);
    }

    function setView(newTrace, view, newMeta) {
      const isOther = trace !== newTrace || !meta || focus !== view.focus || meta.n_iterations !== newMeta.n_iterations;
      [trace, meta, focus] = [newTrace, newMeta, view.focus];
      if (isOther) { forget(); scroll = 0; }
      setOptions({colour: view.colour, show: view.show});
    }

    function setOptions(part) {
      options = {...options, ...part};
      if (options.colour === "last_visit" && !knowsLast) { knowsLast = true; forget(); }
      arrange();
      chooseColours();
      refresh();
    }

    /** Divide the picture among tree and icicle. */
    function arrange() {
      const picture = target.parentElement;
      if (picture.dataset.show === options.show) return;
      picture.dataset.show = options.show;
      target.hidden = !isShown();
      dispatchEvent(new Event("resize")); // Plotly fits its graph to the room that is left
    }

    return {
      show, setView, setOptions, words,
      select: (node) => { selected = node; if (isShown()) schedule(); },
      /** Everything that is drawn, as numbers, for tests. */
      debug: () => !isShown() ? null : {
        ...report,
        boxes: current ? drawn.flatMap((boxes, row) => (boxes || []).map(({item, x, width, node}) => ({
          row, node: item < 0 ? node : current.node[item], stub: item >= 0 && current.isStub(item), ancestor: item < 0,
          visits: item < 0 ? null : current.stage.state.visits[item],
          colour: item < 0 || current.isStub(item) || fillOf(item) === null ? null : colouring.table.fills[fillOf(item)],
          x: x + canvas.getBoundingClientRect().left, width,
          y: canvas.getBoundingClientRect().top + MARGIN.top + (row - scroll + 0.5) *
            mcts.icicleLayout.rows(current.nLevels + ancestors().length, target.clientHeight - MARGIN.top - MARGIN.bottom).height,
        }))) : [],
        selected: current && boxOf(current.itemOf(selected)) ? selected : null,
      },
    };
  }

  return {create};
})();
