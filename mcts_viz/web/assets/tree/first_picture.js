/* The tree as soon as its numbers are there, at the place where the page will have it: Dash, Plotly and the panels take
   some seconds more, and the page draws it anew when they are there. Nothing can be done with it meanwhile. */
mcts.firstPicture = (() => {
  /* the page's own frame (page.css): each part is as high as there, so that the tree stays where it is */
  const frameText = () => `
    <div class="bar"><div class="brand">mcts_viz</div></div>
    <div class="work">
      <div class="tree">
        <div class="tools"></div><div></div><div></div>
        <div class="picture"><div class="graph"></div></div>
        <div class="under"><p class="picture-words">&nbsp;</p><div class="status">Loading …</div><p class="hint">${mcts.page.HINT}</p></div>
      </div>
      <div class="side"></div>
    </div>
    <div class="stepping"></div>`;

  let /** @type {HTMLElement | null} */ frame = null, /** @type {ReturnType<typeof mcts.pane.create> | null} */ pane = null;
  let /** @type {ReturnType<typeof mcts.treeCanvas.create> | null} */ tree = null, nItems = 0, isOver = false;

  /** Draw a view at its iteration, as app.js has fetched it, with the phase and the node of the address.
      @param {ViewParts} parts @param {View} view @param {Place} place */
  function show({message, first, t}, view, {phase = null, node = 0}) {
    if (isOver || frame || view.show !== "tree") return;
    frame = mcts.dom.element("div", "page first-picture");
    frame.setAttribute("aria-hidden", "true");
    frame.innerHTML = frameText();
    document.body.append(frame);
    const graph = /** @type {Graph} */ (frame.querySelector(".graph")), meta = /** @type {Meta} */ (message.meta);
    const geometry = mcts.geometry.create(message);
    nItems = geometry.nItems;
    const replay = mcts.replay.ofWindow(geometry, first, meta.n_iterations, t);
    const stage = mcts.phases.stage(replay, meta.focus_path.length - 1, meta.has_phases);
    replay.seek(t);
    stage.show(t === 0 || !meta.has_phases ? null : phase);
    pane = mcts.pane.create(graph);
    tree = mcts.treeCanvas.create(graph, {onHover() {}, onClick() {}, onDoubleClick() {}, onPaint() {}});
    tree.setView(geometry, meta, stage);
    mcts.viewpoint.choose(mcts.viewpoint.offered(meta, view.viewpoint));
    tree.setOptions({
      colour: meta.colour_modes.includes(view.colour) ? view.colour : meta.colour_modes[0], size: view.size, show: view.show, numbers: view.numbers,
      theme: document.documentElement.dataset.mctsTheme === "dark" ? "dark" : "light",
    });
    tree.select(geometry.itemOf(node));
    tree.fit();
    tree.draw();
  }

  /** The page has its own parts by now, all but the tree: only the tree is shown in front of them. */
  function giveWay() { if (frame) frame.classList.add("gives-way"); }

  /** The page has drawn its tree, or says why it cannot. */
  function remove() {
    isOver = true;
    if (!frame) return;
    pane?.close();
    frame.remove();
    frame = pane = tree = null;
  }

  return {
    show, giveWay, remove,
    /** Where nodes are, [x, y] in CSS pixels of the window by item, and what iteration that is; null where nothing is shown. */
    debug() {
      if (!frame || !tree) return null;
      const {t} = tree.report(), {position} = tree;
      return {t, positions: Array.from({length: nItems}, (_, item) => position(item)).map((at) => at && [at.x, at.y])};
    },
  };
})();
