/* The selected node in a file: its position, its numbers at the iteration shown, and its children. */
window.mcts = window.mcts || {};

mcts.side = (() => {
  "use strict";

  const count = (n) => n.toLocaleString("en-US");
  const mean = (item) => item.visits ? (item.value_sum / item.visits).toFixed(4) : "–";

  function element(tag, className, text) {
    const made = document.createElement(tag);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  }

  function row(cells, tag) {
    const made = element("tr");
    made.append(...cells.map((cell, i) => {
      const box = element(i ? tag : "th");
      if (i === 0 && tag === "td") box.scope = "row";
      if (i || tag === "th") box.scope = tag === "th" ? "col" : "";
      box.append(cell);
      return box;
    }));
    return made;
  }

  function nameOf(item, chosen) {
    if (item.stub) return document.createTextNode(item.label);
    const button = element("button", item.node === chosen ? "go chosen" : "go", (item.node === chosen ? "★ " : "") + item.label);
    button.type = "button";
    button.addEventListener("click", () => mcts.app.select(item.node));
    return button;
  }

  function table(children, total, chosen, viewer) {
    const made = element("table"), head = element("thead"), body = element("tbody");
    made.append(element("caption", "", viewer === null ? "children" : `children, values in the view of ${viewer}`));
    head.append(row(["move", "visits", "share", "mean"], "th"));
    for (const item of [...children].sort((a, b) => a.stub - b.stub || b.visits - a.visits)) {
      const share = total ? `${(100 * item.visits / total).toFixed(1)} %` : "–";
      body.append(row([nameOf(item, chosen), count(item.visits), share, item.stub ? "–" : mean(item)], "td"));
    }
    made.append(head, body);
    return made;
  }

  function position(card) {
    const box = element("div");
    if (card && card.board_svg) box.innerHTML = card.board_svg; // the exporter's own drawing
    else if (card && card.state) box.append(element("pre", "", card.state));
    return box;
  }

  /** target, view: the view message; returns show(). */
  function create(target, view) {
    const {parent, node: ids, mover} = view.columns, {players, n_visible: n} = view.meta;
    const viewerOf = (item) => !item.stub && mover[item.item] >= 0 ? players[mover[item.item]] : null;

    return function show() {
      const told = mcts.app.debug();
      if (!told) return;
      const own = told.items.find((item) => !item.stub && item.node === told.cursor.node);
      if (!own) {
        target.replaceChildren(element("p", "", `Node ${told.cursor.node} is not in the tree at this iteration.`));
        return;
      }
      const player = viewerOf(own);
      const children = told.items.filter((item) => item.item > 0 && parent[item.item] === own.item);
      target.replaceChildren(
        element("h2", "", own.item === 0 && own.node === 0 ? "Root" : own.label),
        element("p", "", `node ${own.node} · ${count(own.visits)} visits · mean value ${mean(own)}`),
        element("p", "", player === null ? "" : `values in the view of ${player}`),
        position(mcts.answers.card(own.node)),
      );
      if (children.length) target.append(table(children, own.visits, told.chosen, viewerOf(children[0])));
      else target.append(element("p", "", own.item < n && ids[own.item] === own.node ? "No children in the picture." : ""));
    };
  }

  return {create};
})();
