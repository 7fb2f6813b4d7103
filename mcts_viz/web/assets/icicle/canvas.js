/* The icicle on a canvas of its own: the whole tree at the iteration shown.

   Follows the tree's iteration and phase with windows of its own. Knows nothing of Dash: it is given a view and an iteration,
   and says what was clicked. */
mcts.icicle = (() => {
  const COLOURS = ["paper", "ink", "muted", "edge", "path", "chosen", "selected"];
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
    /** @type {IcicleReport} */
    let report = {t: null, phase: null, drawn: 0, narrow: 0, rows: 0, hiddenRows: 0, milliseconds: 0, at: 0};

    const isShown = () => options.show !== "tree";

    /** @param {IcicleWindow} current @param {Meta} about @returns {IciclePicture} */
    function pictureOf(current, about) {
      const scale = about.scales[options.colour] || about.scales.mean_value;
      return {
        pen: mcts.pen.of(canvas), current, meta: about, options, selected, scroll, drawn: [],
        place: {x: 0, width: 1, row: 1, height: 1, y: () => 0, rowAt: () => 0},
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
      canvas.setAttribute("aria-label", `Icicle after iteration ${stage.state.t}: ${words()}`);
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

    const mouse = mcts.mouse.listen(canvas, boxAt, {
      onHover(item, event) {
        const current = item < 0 || !picture ? null : picture.current;
        handlers.onHover(item, current, current && current.stage.state, event);
      },
      onClick: ({node, part}) => part === "ancestor" ? handlers.onFocus(node) : handlers.onSelect(node),
      onDoubleClick: ({node}) => handlers.onFocus(node),
    });
    canvas.addEventListener("wheel", (/** @type {WheelEvent} */ event) => {
      if (!report.hiddenRows || !picture) return;
      event.preventDefault();
      picture.scroll += Math.sign(event.deltaY) * 2;
      schedule();
    }, {passive: false});
    new ResizeObserver(() => { if (chooseWidth()) forget(); refresh(); }).observe(target);

    // ---- what the app calls ------------------------------------------------------------------------------------

    /** Whether the nodes that are a pixel wide are others than before: the width is asked for in powers of two. */
    function chooseWidth() {
      const before = wantedWidth;
      while (wantedWidth < target.clientWidth && wantedWidth < 8192) wantedWidth *= 2;
      return wantedWidth !== before;
    }

    function refresh() {
      const t = handlers.iteration();
      if (t !== null) show(t);
    }

    /** @param {string} newTrace @param {View} view @param {Meta} newMeta */
    function setView(newTrace, view, newMeta) {
      const isOther = trace !== newTrace || !meta || focus !== view.focus || meta.n_iterations !== newMeta.n_iterations;
      [trace, meta, focus] = [newTrace, newMeta, view.focus];
      if (isOther) { forget(); scroll = 0; }
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
      select(/** @type {number} */ node) {
        selected = node;
        if (picture) picture.selected = node;
        if (isShown()) schedule();
      },
      /** Everything that is drawn, as numbers, for tests. */
      debug() {
        const p = picture;
        return !isShown() ? null : {
          ...report,
          boxes: p ? p.drawn.flatMap((boxes, row) => (boxes || []).map((box) => describe(p, box, row))) : [],
          selected: p && mcts.icicleDrawing.selectedBox(p) ? selected : null,
        };
      },
    };
  }

  return {create};
})();
