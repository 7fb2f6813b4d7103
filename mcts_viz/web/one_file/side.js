/* The selected node in a file: its position, its numbers at the iteration shown, and its children. */
mcts.side = (() => {
  const {brief, element, count, decimal} = mcts.dom;

  /** A row of a table; its first cell is its head. @param {(string | Node)[]} cells @param {"td" | "th"} tag */
  function row(cells, tag) {
    const made = element("tr");
    made.append(...cells.map((cell, i) => {
      const box = element(i ? tag : "th");
      if (tag === "th") box.setAttribute("scope", "col");
      else if (i === 0) box.setAttribute("scope", "row");
      box.append(cell);
      return box;
    }));
    return made;
  }

  /** @param {DebugItem} item @param {number} chosen */
  function nameOf(item, chosen) {
    if (item.stub) return document.createTextNode(item.label);
    const isChosen = item.node === chosen, button = element("button", isChosen ? "go chosen" : "go", (isChosen ? "★ " : "") + brief(item.label));
    button.type = "button";
    button.addEventListener("click", () => { mcts.app.select(item.node); });
    return button;
  }

  /** @param {DebugItem[]} children @param {number} total visits @param {number} chosen @param {string | null} viewer
      @param {(item: DebugItem) => string} mean */
  function table(children, total, chosen, viewer, mean) {
    const made = element("table"), head = element("thead"), body = element("tbody");
    made.append(element("caption", "", viewer === null ? "children" : `children, values in the view of ${viewer}`));
    head.append(row(["move", "visits", "share", "mean"], "th"));
    for (const item of [...children].sort((a, b) => Number(a.stub) - Number(b.stub) || b.visits - a.visits)) {
      const share = total ? `${(100 * item.visits / total).toFixed(1)} %` : "–";
      body.append(row([nameOf(item, chosen), count(item.visits), share, item.stub ? "–" : mean(item)], "td"));
    }
    made.append(head, body);
    return made;
  }

  /** @param {{board_svg?: string, state?: string} | undefined} card */
  function position(card) {
    const box = element("div");
    if (card && card.board_svg) box.innerHTML = card.board_svg; // the exporter's own drawing
    else if (card && card.state) box.append(element("pre", "", card.state));
    return box;
  }

  /** A function that shows the node selected. @param {HTMLElement} target @param {Message} view */
  function create(target, view) {
    const {parent, node: ids, mover} = view.columns, {players, n_visible: n} = view.meta;
    /** @param {DebugItem} item @returns {string | null} */
    const viewerOf = (item) => item.stub ? null : players[mcts.viewpoint.playerOf(mover[item.item], item.node === 0, view.meta)] ?? null;
    /** @param {DebugItem} item */
    const mean = (item) => decimal(mcts.viewpoint.shown(item.visits ? item.value_sum / item.visits : NaN, mover[item.item], item.node === 0, view.meta));

    return function show() {
      const page = mcts.app.debug();
      if (!page) return;
      const own = page.items.find((item) => !item.stub && item.node === page.cursor.node);
      if (!own) {
        target.replaceChildren(element("p", "", `Node ${page.cursor.node} is not in the tree at this iteration.`));
        return;
      }
      const player = viewerOf(own), children = page.items.filter((item) => item.item > 0 && parent[item.item] === own.item);
      target.replaceChildren(
        element("h2", "", own.item === 0 && own.node === 0 ? "Root" : brief(own.label)),
        element("p", "", `node ${own.node} · ${count(own.visits)} visits · mean value ${mean(own)}`),
        element("p", "", player === null ? "" : `values in the view of ${player}`),
        position(mcts.answers.card(own.node)),
      );
      if (children.length) target.append(table(children, own.visits, page.chosen, viewerOf(children[0]), mean));
      else target.append(element("p", "", own.item < n && ids[own.item] === own.node ? "No children in the picture." : ""));
    };
  }

  return {create};
})();
