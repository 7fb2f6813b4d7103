/* The tree on a canvas inside the plot area of a Plotly graph, in the graph's own coordinates.

   Plotly owns axes, pan and zoom; this follows them and puts the parts of the picture together. Knows nothing of servers
   or Dash: it is given a view and a stage, and says what was clicked. */
mcts.treeCanvas = (() => {
  const COLOURS = ["paper", "ink", "muted", "edge", "path", "new", "backup", "chosen", "selected", "control"];

  /** @param {Graph} graph */
  function overlay(graph) {
    const canvas = mcts.dom.element("canvas", "mcts-tree-canvas");
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", "search tree"); // until there is more to say of it
    graph.append(canvas);
    return canvas;
  }

  /** Everything in its order, from the back to the front. @param {TreePicture} p */
  function paint(p) {
    const iteration = p.stage.iteration();
    p.pen.clearRect(0, 0, p.frame.width, p.frame.height);
    p.paintId += 1;
    mcts.treeCulling.markImportant(p, iteration);
    const {items, edges, tucked, skipped} = mcts.treeCulling.place(p);
    mcts.hiddenEnds.place(p, iteration);
    p.pen.textBaseline = "middle";
    mcts.treeEdges.draw(p, edges);
    mcts.treeEdges.drawPath(p, iteration, edges);
    mcts.treeEdges.drawLinks(p, items);
    mcts.treeNodes.draw(p, items);
    mcts.treeLabels.draw(p, items);
    mcts.hiddenEnds.draw(p, items);
    mcts.treeLabels.drawTucked(p, tucked);
    mcts.iterationMarks.drawChosen(p);
    mcts.iterationMarks.drawRollout(p, iteration, items);
    mcts.iterationMarks.draw(p, iteration);
    mcts.treeNodes.drawHandles(p, items);
    mcts.iterationMarks.drawDeeper(p, iteration, items);
    mcts.phaseMarks.draw(p, items);
    return {drawn: items.length, skipped};
  }

  /** @param {Graph} graph @param {TreeHandlers} handlers */
  function create(graph, handlers) {
    const canvas = overlay(graph), legend = mcts.legend.create(graph, schedule);
    /** @type {TreePicture | null} */
    let picture = null;
    /** @type {ViewOptions} */
    let options = {colour: "mean_value", size: "visits", theme: "light", show: "tree", numbers: 0, hits: []};
    let scheduled = 0;
    let sharpness = 0; // pixels a CSS pixel while a picture is taken; 0: the screen's
    /** @type {PaintReport} */
    let report = {t: null, milliseconds: 0, at: 0, drawn: 0, skipped: 0};
    const axes = mcts.treeAxes.create(graph, () => picture && picture.view, legend.top);
    const mouse = mcts.mouse.listen(graph, itemAt, {...handlers, onHover});
    mcts.touch.listen(graph, {
      drag: axes.drag, onTap: handlers.onClick, onDoubleTap: handlers.onDoubleClick,
      onRest: (found, x, y) => onHover(found ? found.item : -1, found && new MouseEvent("mousemove", {clientX: x, clientY: y}), found),
      find(x, y) { // a finger is broader than a mouse: what is near will do
        for (const away of [0, 7, 14]) {
          for (const [dx, dy] of [[0, 0], [0, -away], [0, away], [-away, 0], [away, 0]]) {
            const found = itemAt(x + dx, y + dy);
            if (found) return found;
          }
        }
        return null;
      },
    });

    /** Take over the graph's axes; whether there is something to draw. @returns {TreePicture | null} */
    function follow() {
      const frame = mcts.plotly.frame(graph);
      if (!picture || !frame) return null;
      mcts.treePicture.setFrame(picture, frame);
      return picture;
    }

    function draw() {
      cancelAnimationFrame(scheduled);
      scheduled = 0;
      const p = follow();
      if (!p || p.state.t < 0) return;
      const begin = performance.now(), {left, top, width, height} = p.frame;
      mcts.pen.fit(canvas, width, height, sharpness);
      Object.assign(canvas.style, {left: `${left}px`, top: `${top}px`});
      p.bottom = legend.top(height);
      const painted = paint(p), at = performance.now();
      report = {t: p.state.t, milliseconds: at - begin, at, ...painted};
      handlers.onPaint(report);
      mouse.hover();
    }

    /** Draw with the next frame of the screen; many calls make one picture. */
    function schedule() {
      if (!scheduled) scheduled = requestAnimationFrame(() => { scheduled = 0; draw(); });
    }

    /** The plot area's place in the window. @param {TreePicture} p */
    function origin({frame}) {
      const box = graph.getBoundingClientRect();
      return {left: box.left + frame.left, top: box.top + frame.top};
    }

    /** @param {number} clientX @param {number} clientY @returns {Found | null} */
    function itemAt(clientX, clientY) {
      if (!picture) return null;
      const {left, top} = origin(picture), x = clientX - left, y = clientY - top, {width, height} = picture.frame;
      if (x < 0 || y < 0 || x > width || y > height) return null;
      const {end, view} = picture, inEnd = mcts.hiddenEnds.hit(picture, x, y);
      if (end && inEnd) return {item: end.last, node: end.c.node[inEnd], part: "node", end: {...end, place: inEnd}};
      const found = mcts.treeHitTest.hit(picture, x, y);
      return found && {...found, node: view.node[found.item]};
    }

    /** @param {number} item @param {MouseEvent | null} event @param {Found | null} [found] */
    function onHover(item, event, found) {
      if (picture && item !== picture.hovered) {
        picture.hovered = item;
        schedule();
      }
      handlers.onHover(item, event, found);
    }

    /** @param {Geometry} view @param {Meta} meta */
    function looks(view, meta) {
      const scale = mcts.viewpoint.scaleOf(meta.scales[options.colour] || meta.scales.mean_value, meta);
      const hasChance = Boolean(view.chance && view.chance.includes(1)), hasFailed = Boolean(view.failed && view.failed.includes(1));
      const sizeName = meta.scales[options.size]?.title ?? "", hasPhases = meta.has_phases;
      legend.show(scale, options.theme, options.show === "icicle" ? "icicle" : options.size, {hasChance, hasPhases, hasFailed, sizeName});
      return {options, ink: mcts.colours.named(COLOURS), colouring: mcts.colours.colouring(scale, options.theme, view, meta)};
    }

    /** @param {Geometry} view @param {Meta} meta @param {Stage} stage */
    function setView(view, meta, stage) {
      picture = mcts.treePicture.create(mcts.pen.of(canvas), view, meta, stage, looks(view, meta));
    }

    /** Show nothing. */
    function clear() {
      picture = null;
      mcts.pen.of(canvas).clearRect(0, 0, canvas.width, canvas.height);
    }

    /** @param {Partial<ViewOptions>} part */
    function setOptions(part) {
      options = {...options, ...part};
      if (picture) Object.assign(picture, looks(picture.view, picture.view.meta));
      schedule();
    }

    /** @param {Theme} theme */
    function setTheme(theme) {
      setOptions({theme});
      const {paper, ink, muted} = mcts.colours.named(COLOURS);
      return mcts.plotly.relayout(graph, {
        paper_bgcolor: paper, plot_bgcolor: paper, "font.color": ink,
        "modebar.bgcolor": "rgba(0,0,0,0)", "modebar.color": muted, "modebar.activecolor": ink,
      });
    }

    /** Where an item was last drawn, in CSS pixels of the window; null when it was not. @param {number} item */
    function position(item) {
      if (!picture || !mcts.treePicture.isDrawn(picture, item)) return null;
      const {left, top} = origin(picture), {px, py, radius, view} = picture, x = left + px[item];
      const handle = {x, y: top + mcts.treePicture.handleY(picture, item), sign: mcts.treePicture.handleOf(view, item)};
      return {x, y: top + py[item], radius: radius[item], handle};
    }

    /** Draw sharper, call use(canvas), and draw for the screen again. @param {number} pixels @param {(canvas: HTMLCanvasElement) => void} use */
    function sharp(pixels, use) {
      sharpness = pixels;
      draw();
      try {
        use(canvas);
      } finally {
        sharpness = 0;
        draw();
      }
    }

    addEventListener("resize", () => requestAnimationFrame(() => { if (axes.isFitted()) axes.fit(); else schedule(); })); // or folded
    for (const name of ["plotly_relayouting", "plotly_relayout", "plotly_afterplot"]) graph.on(name, schedule);

    let zoomTimer = 0;
    graph.on("plotly_relayout", () => {
      clearTimeout(zoomTimer);
      zoomTimer = setTimeout(() => { if (picture && axes.isStill()) handlers.onZoom?.(axes.zoom()); }, 250); // once the wheel rests
    });

    /** The node drawn nearest to the middle of the picture. */
    function middleNode() {
      if (!picture) return 0;
      const {px, py, frame, view} = picture, {isDrawn} = mcts.treePicture;
      let best = 0, distance = Infinity;
      for (let item = 0; item < view.nNodes; item++) {
        if (!isDrawn(picture, item)) continue;
        const away = Math.hypot(px[item] - frame.width / 2, py[item] - frame.height / 2);
        if (away < distance) { distance = away; best = item; }
      }
      return view.node[best];
    }

    const {fit, isFitted, keepAt, bringIntoView} = axes;
    return {
      setView, setOptions, setTheme, clear, fit, isFitted, middleNode, keepAt, bringIntoView, draw, schedule, position, sharp,
      handleOf: (/** @type {number} */ item) => picture ? mcts.treePicture.handleOf(picture.view, item) : "",
      select(/** @type {number} */ item) {
        if (picture) picture.selected = item;
        schedule();
      },
      /** Whether everything is where it will stay: nothing on its way, nothing to be drawn with the next frame. */
      isStill: () => axes.isStill() && scheduled === 0,
      /** Where an item was last drawn in the plot area. @param {number} item @returns {[number, number] | null} */
      local: (item) => picture && mcts.treePicture.isDrawn(picture, item) ? [picture.px[item], picture.py[item]] : null,
      describe: (/** @type {string} */ text) => canvas.setAttribute("aria-label", text),
      report: () => report,
      /** The end of the path that hangs below the items, in CSS pixels of the window; null where there is none. */
      end() {
        if (!picture?.end) return null;
        const {left, top} = origin(picture), {x, y, skipped, radius, c} = picture.end;
        return y.map((at, k) => ({node: c.node[k + 1 + skipped], x: left + x, y: top + at, radius, label: c.label(k + 1 + skipped)}));
      },
      endRoom: () => picture?.end?.room ?? null,
      options: () => options,
      /** The colour an item is drawn in, and the number that it shows. @param {number} item */
      shown(item) {
        if (!picture) return {colour: null, measure: null};
        const place = mcts.treePicture.fillOf(picture, item), {table, measure} = picture.colouring;
        return {colour: place === null ? null : table.fills[place], measure: measure(item, picture.state)};
      },
    };
  }

  return {create};
})();
