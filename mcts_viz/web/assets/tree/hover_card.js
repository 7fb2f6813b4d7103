/* The card beside the mouse: numbers of the node at the iteration shown, and its board. */
mcts.hover = (() => {
  const {brief, element} = mcts.dom;

  const WAIT = 90;   // milliseconds on a node before the server is asked for its board
  const KEPT = 400;  // boards

  /** @param {Card} card */
  function rows(card) {
    const list = element("dl", "mcts-card-numbers");
    for (const [name, value] of card.rows) {
      list.append(element("dt", "", name), element("dd", "", value));
    }
    return list;
  }

  /** @type {("h3" | "h4" | "h5" | "h6")[]} */
  const HEADINGS = ["h3", "h4", "h5", "h6"];

  /** @param {any} made @param {any[]} spans */
  function styled(made, spans) {
    made.append(...spans.map(([style, text]) => style ? element(style, "", text) : text));
    return made;
  }

  /** A part of a position's text, as views/position_text.py tells it; text stays text. @param {any} part @returns {HTMLElement} */
  function part({kind, spans, level, items, rows: cells}) {
    /** @param {keyof HTMLElementTagNameMap} tag */
    const made = (tag) => element(tag);
    if (kind === "grid") {
      const table = element("table", "state-grid");
      for (const row of cells) {
        const line = table.insertRow();
        for (const cell of row) line.insertCell().textContent = cell;
      }
      return table;
    }
    if (kind === "list" || kind === "numbers") {
      const list = made(kind === "list" ? "ul" : "ol");
      list.append(...items.map((/** @type {any[]} */ item) => styled(made("li"), item)));
      return list;
    }
    if (kind === "rule") return made("hr");
    const tag = kind === "heading" ? HEADINGS[Math.min(level, HEADINGS.length) - 1]
      : kind === "code" ? "pre" : kind === "quote" ? "blockquote" : "p";
    return styled(made(tag), spans);
  }

  /** card: {title, subtitle, rows: [[name, text]]}; position: {board_svg, blocks, state} or null. All text stays text; only
      the server's own SVG is taken as markup. @param {HTMLElement} target @param {Card} card @param {any} position */
  function fill(target, card, position) {
    target.replaceChildren(element("div", "mcts-card-title", brief(card.title)));
    if (card.subtitle) target.append(element("div", "mcts-card-subtitle", brief(card.subtitle)));
    if (position && position.board_svg) {
      const board = element("div", "mcts-card-board");
      board.innerHTML = position.board_svg;
      target.append(board);
    } else if (position && position.blocks) {
      const parts = element("div", "mcts-card-state state-parts");
      parts.append(...position.blocks.map(part));
      target.append(parts);
    } else if (position && position.state) {
      target.append(element("pre", "mcts-card-state", position.state));
    }
    target.append(rows(card));
  }

  /** @param {HTMLElement} target @param {number} x @param {number} y */
  function place(target, x, y) {
    const {offsetWidth: w, offsetHeight: h} = target;
    const left = x + 18 + w > innerWidth ? x - 18 - w : x + 18;
    target.style.left = `${Math.max(4, left)}px`;
    target.style.top = `${Math.max(4, Math.min(y - 20, innerHeight - h - 8))}px`;
  }

  /** fetchPosition(node) -> Promise of {board_svg, blocks, state}.
      @param {HTMLElement} target @param {(node: number) => Promise<any>} fetchPosition */
  function create(target, fetchPosition) {
    /** @type {Map<number, any>} */
    const positions = new Map();
    let /** @type {Card | null} */ shown = null, timer = 0, /** @type {[number, number]} */ mouse = [0, 0];

    /** @param {Card} card */
    function paint(card) {
      fill(target, card, positions.get(card.node));
      place(target, ...mouse);
    }

    /** @param {Card} card */
    async function ask(card) {
      try {
        positions.set(card.node, await fetchPosition(card.node));
      } catch {
        return;  // the numbers are there; the board comes with the next hover
      }
      if (positions.size > KEPT) positions.delete([...positions.keys()][0]);
      if (shown && shown.node === card.node) paint(shown);
    }

    /** @param {Card} card @param {number} x @param {number} y */
    function show(card, x, y) {
      mouse = [x, y];
      const same = shown && shown.node === card.node;
      shown = card;
      target.hidden = false;
      target.dataset.node = String(card.node);
      paint(card);
      if (same || card.isStub || positions.has(card.node)) return;
      clearTimeout(timer);
      timer = setTimeout(ask, WAIT, card);
    }

    function hide() {
      clearTimeout(timer);
      shown = null;
      target.hidden = true;
    }

    hide();
    target.classList.add("mcts-card");
    return {
      show, hide,
      forget: () => { positions.clear(); hide(); },
      node: () => shown && !shown.isStub ? shown.node : null,
    };
  }

  return {create};
})();
