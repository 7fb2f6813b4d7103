/* The icicle on a canvas of its own: the whole tree at the iteration shown.

   Follows the tree's iteration and phase with windows of its own. Knows nothing of Dash: it is given a view and an iteration,
   and says what was clicked. */
mcts.icicle = (() => {
  const COLOURS = ["paper", "ink", "muted", "edge", "path", "chosen", "selected"];
  const ZOOM = 0.0015;              // of a pixel of the wheel
  const MOST = 64, WIDEST = 8192;   // times that it can be zoomed; pixels that the server is asked for
  const {count, counted} = mcts.dom;

  /** What the status line says. @param {{drawn: number, narrow: number, hiddenRows: number}} report */
  function wordsOf({drawn, narrow, hiddenRows}) {
    const parts = [`icicle: ${counted(drawn, "node")} drawn`];
    if (narrow > 0) parts.push(`${count(narrow)} narrower than a pixel (grey)`);
    if (hiddenRows > 0) parts.push(`${count(hiddenRows)} levels out of sight, scroll`);
    return parts.join(", ");
  }

  /** target: the element to draw in; graph: the tree's, whose legend stays in view.
      @param {HTMLElement} target @param {HTMLElement} graph @param {IcicleHandlers} handlers */
  function create(target, graph, handlers) {
    const canvas = mcts.dom.element("canvas", "mcts-icicle-canvas");
    canvas.setAttribute("role", "img");
    target.append(canvas);
    const windows = mcts.icicleWindows.create(
      (query) => handlers.fetchWindow(trace, `focus=${focus}&width=${wantedWidth}&last=${Number(knowsLast)}&${query}`),
      (number) => {
        const t = handlers.iteration();
        if (t !== null && mcts.replay.windowOf(t) === number) show(t);
      },
      handlers.onError);
    /** @type {ViewOptions} */
    let options = {show: "tree", colour: "mean_value", size: "visits", theme: "light", numbers: 0};
    /** @type {Meta | null} */
    let meta = null;
    /** @type {IciclePicture | null} */
    let picture = null;                 // of the window that is shown
    let trace = "", focus = 0, selected = 0, scheduled = 0, wantedWidth = 1024, scroll = 0; // rows
    let knowsLast = false;              // windows tell last visits, for the colour that shows them
    const /** @type {IcicleZoom} */ zoom = {times: 1, from: 0};
    let dragged = 0, zoomTimer = 0;     // pixels up or down that are not a row yet
    /** @type {IcicleReport} */
    let report = {t: null, phase: null, drawn: 0, narrow: 0, rows: 0, hiddenRows: 0, milliseconds: 0, at: 0};

    const isShown = () => options.show !== "tree";

    /** @param {IcicleWindow} current @param {Meta} about @returns {IciclePicture} */
    function pictureOf(current, about) {
      const scale = about.scales[options.colour] || about.scales.mean_value;
      return {
        pen: mcts.pen.of(canvas), current, meta: about, options, selected, scroll, zoom, drawn: [],
        place: {x: 0, width: 1, row: 1, height: 1, right: 1, y: () => 0, rowAt: () => 0},
        ...picture && {scroll: picture.scroll, drawn: picture.drawn, place: picture.place},
        ink: mcts.colours.named(COLOURS), colouring: mcts.colours.colouring(scale, options.theme, current, about),
      };
    }

    /** Show iteration t, at once when its window is here, else as soon as it is. @param {number} t */
    function show(t) {
      if (!isShown() || !meta) return;
      const number = mcts.replay.windowOf(t), found = windows.use(number);
      if (!found) { windows.ask(number, meta); return; }
      const before = picture ? picture.current.replay.state.t : -1;
      if (picture?.current !== found) picture = pictureOf(found, meta);
      found.replay.seek(t);
      found.stage.show(handlers.phase());
      const next = number + (t < before ? -1 : 1);
      if (next >= 0 && next <= mcts.replay.windowOf(meta.n_iterations) && !windows.has(next)) windows.ask(next, meta);
      if (handlers.isPlaying()) draw(); else schedule();
    }

    function forget() {
      windows.forget();
      scroll = picture ? picture.scroll : scroll;
      picture = null;
    }

    /** Make the canvas as large as its room, above the legend. */
    function fitCanvas() {
      const legend = /** @type {HTMLElement | null} */ (graph.querySelector(".mcts-legend"));
      target.style.bottom = isShown() && legend ? `${legend.offsetHeight}px` : "";
      const width = target.clientWidth, height = target.clientHeight;
      mcts.pen.fit(canvas, width, height);
      return {width, height};
    }

    function draw() {
      cancelAnimationFrame(scheduled);
      scheduled = 0;
      if (!isShown()) return;
      const begin = performance.now(), {width, height} = fitCanvas();
      if (!picture || picture.current.replay.state.t < 0) return; // what was shown stays until there is something new
      const {stage, replay} = picture.current, found = mcts.icicleDrawing.draw(picture, width, height), at = performance.now();
      report = {t: replay.state.t, phase: stage.phase(), ...found, milliseconds: at - begin, at};
      canvas.setAttribute("aria-label", `Icicle after iteration ${mcts.dom.count(stage.state.t)}: ${words()}`);
      handlers.onDraw();
      mouse.hover();
    }

    function schedule() {
      if (!scheduled) scheduled = requestAnimationFrame(() => { scheduled = 0; draw(); });
    }

    /** What the status line says of the icicle; "" while it is not shown. */
    const words = () => isShown() && report.t !== null ? wordsOf(report) : "";

    // ---- under the mouse ---------------------------------------------------------------------------------------

    /** @param {number} clientX @param {number} clientY @returns {Found | null} */
    function boxAt(clientX, clientY) {
      if (!picture || report.t === null) return null;
      const at = canvas.getBoundingClientRect(), x = clientX - at.left, row = picture.drawn[picture.place.rowAt(clientY - at.top)] || [];
      const box = row.find((each) => x >= each.x && x < each.x + each.width);
      return box ? {item: box.item, node: box.node, part: box.item < 0 ? "ancestor" : "node"} : null;
    }

    /** @param {number} item @param {MouseEvent | null} event */
    function onHover(item, event) {
      const current = item < 0 || !picture ? null : picture.current;
      handlers.onHover(item, current, current && current.stage.state, event);
    }

    /** @param {Found} found */
    const act = ({node, part}) => part === "ancestor" ? handlers.onFocus(node) : handlers.onSelect(node);

    /** Show that part of the width, if there is one. @param {number} times @param {number} from */
    function zoomTo(times, from) {
      zoom.times = Math.max(1, Math.min(MOST, times));
      zoom.from = Math.max(0, Math.min(1 - 1 / zoom.times, from));
      clearTimeout(zoomTimer);
      zoomTimer = setTimeout(renewWidth, 250); // once the hand rests
      schedule();
    }

    /** Move the picture by some pixels, and make it wider around a point. @param {number} dx @param {number} dy
        @param {number} x @param {number} _y @param {number} [times] */
    function drag(dx, dy, x, _y, times = 1) {
      const side = mcts.icicleDrawing.SIDE, whole = Math.max(1, canvas.clientWidth - 2 * side), before = zoom.times;
      const next = Math.max(1, Math.min(MOST, before * times)), at = (x - side) / whole / before + zoom.from; // what is under the point
      zoomTo(next, at - (x + dx - side) / whole / next);
      const row = picture?.place.row ?? 1;
      dragged += dy;
      if (!picture || Math.abs(dragged) < row) return;
      picture.scroll = Math.max(0, Math.min(report.hiddenRows, picture.scroll - Math.trunc(dragged / row)));
      dragged %= row;
    }

    const mouse = mcts.mouse.listen(canvas, boxAt, {onHover, onClick: act, onDoubleClick: ({node}) => handlers.onFocus(node)});
    canvas.addEventListener("wheel", (/** @type {WheelEvent} */ event) => {
      if (!picture) return;
      event.preventDefault();
      if (!report.hiddenRows || event.ctrlKey) { // as a pinch on a pad has
        drag(0, 0, event.clientX - canvas.getBoundingClientRect().left, 0, Math.exp(-event.deltaY * ZOOM));
        return;
      }
      picture.scroll += Math.sign(event.deltaY) * 2;
      schedule();
    }, {passive: false});
    canvas.addEventListener("pointermove", (event) => {
      if (event.pointerType === "mouse" && event.buttons & 1) drag(event.movementX, event.movementY, 0, 0);
    });
    mcts.touch.listen(canvas, {
      drag, find: boxAt, onTap: act, onDoubleTap: ({node}) => handlers.onFocus(node),
      onRest: (found, x, y) => onHover(found ? found.item : -1, found && new MouseEvent("mousemove", {clientX: x, clientY: y})),
    });
    new ResizeObserver(renewWidth).observe(target);

    // ---- what the app calls ------------------------------------------------------------------------------------

    /** Whether the nodes that are a pixel wide are others than before: the width is asked for in powers of two. */
    function chooseWidth() {
      const before = wantedWidth;
      while (wantedWidth < target.clientWidth * zoom.times && wantedWidth < WIDEST) wantedWidth *= 2;
      return wantedWidth !== before;
    }

    function refresh() {
      const t = handlers.iteration();
      if (t !== null) show(t);
    }

    /** Where there is more width, more nodes have room. */
    function renewWidth() {
      if (chooseWidth()) forget();
      refresh();
    }

    /** @param {string} newTrace @param {View} view @param {Meta} newMeta */
    function setView(newTrace, view, newMeta) {
      const isOther = trace !== newTrace || !meta || focus !== view.focus || meta.n_iterations !== newMeta.n_iterations;
      [trace, meta, focus] = [newTrace, newMeta, view.focus];
      if (isOther) { forget(); [scroll, zoom.times, zoom.from] = [0, 1, 0]; }
      setOptions({colour: view.colour, show: view.show});
    }

    /** @param {Partial<ViewOptions>} part */
    function setOptions(part) {
      options = {...options, ...part};
      if (options.colour === "last_visit" && !knowsLast) { knowsLast = true; forget(); }
      arrange();
      if (picture && meta) picture = pictureOf(picture.current, meta);
      refresh();
    }

    /** Divide the picture among tree and icicle. */
    function arrange() {
      const around = target.parentElement;
      if (!around || around.dataset.show === options.show) return;
      around.dataset.show = options.show;
      target.hidden = !isShown();
      dispatchEvent(new Event("resize")); // Plotly fits its graph to the room that is left
    }

    /** A rectangle as it is in the window. @param {IciclePicture} p @param {IcicleBox} box @param {number} row */
    function describe(p, {item, x, width, node}, row) {
      const at = canvas.getBoundingClientRect(), stub = item >= 0 && p.current.isStub(item);
      const fill = item < 0 || stub ? null : mcts.icicleDrawing.fillOf(p, item);
      return {
        row, node, stub, ancestor: item < 0, visits: item < 0 ? null : p.current.stage.state.visits[item],
        colour: fill === null ? null : p.colouring.table.fills[fill],
        x: x + at.left, width, y: at.top + p.place.y(row) + 0.5 * p.place.row,
      };
    }

    return {
      show, setView, setOptions, words,
      /** The whole width. */
      fit: () => zoomTo(1, 0),
      select(/** @type {number} */ node) {
        selected = node;
        if (picture) picture.selected = node;
        if (isShown()) schedule();
      },
      /** Everything that is drawn, as numbers, for tests. */
      debug() {
        const p = picture;
        return !isShown() ? null : {
          ...report, zoom: {...zoom},
          boxes: p ? p.drawn.flatMap((boxes, row) => (boxes || []).map((box) => describe(p, box, row))) : [],
          selected: p && mcts.icicleDrawing.selectedBox(p) ? selected : null,
        };
      },
    };
  }

  return {create};
})();
