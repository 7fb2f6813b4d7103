/* How large the page's panels are and which of its parts are folded: what a person has made of them, kept in the browser. */
mcts.panes = (() => {
  const KEY = "mcts-panes";
  const SIDE = {least: 330, most: 0.7, step: 24}; // pixels; of the window; pixels a key
  const UNITS = {side: "px", node: "px", icicle: ""};
  const root = document.documentElement;

  const ICICLE = {least: 15, most: 85}; // percent of the picture's height

  /** @typedef {{side?: number, node?: number, icicle?: number, folded?: string[]}} Kept */

  /** @returns {Kept} */
  function read() {
    try {
      return JSON.parse(localStorage.getItem(KEY) ?? "{}") || {};
    } catch {
      return {}; // not ours, or there is no store
    }
  }

  let kept = read();

  /** The size in page.css, unless the panel's edge was moved. @param {number} width of the window */
  function sideWidth(width) {
    if (kept.side) return Math.max(SIDE.least, Math.min(kept.side, width * SIDE.most));
    return width <= 1100 ? 330 : Math.max(360, Math.min(0.34 * width, 560));
  }

  /** Tell the style sheets. */
  function apply() {
    if (!root.style?.setProperty) return;
    for (const name of /** @type {const} */ (["side", "node", "icicle"])) {
      if (kept[name]) root.style.setProperty(`--mcts-${name}`, kept[name] + UNITS[name]); else root.style.removeProperty(`--mcts-${name}`);
    }
    root.dataset.mctsFolded = (kept.folded ?? []).join(" ");
    for (const edge of document.querySelectorAll?.("[data-edge]") ?? []) {
      const name = /** @type {keyof typeof UNITS} */ (edge.dataset.edge), size = kept[name];
      edge.setAttribute("aria-valuenow", String(size ?? 0));
      edge.setAttribute("aria-valuetext", size ? `${size} ${name === "icicle" ? "percent" : "pixels"}` : "as large as the page makes it");
    }
  }

  /** @param {Kept} part */
  function keep(part) {
    kept = {...kept, ...part};
    try {
      localStorage.setItem(KEY, JSON.stringify(kept));
    } catch { /* private windows keep nothing */ }
    apply();
  }

  /** @param {string} name */
  const isFolded = (name) => (kept.folded ?? []).includes(name);

  /** Fold a part, or unfold it; whether it is folded now. @param {string} name */
  function toggle(name) {
    const folded = kept.folded ?? [];
    keep({folded: isFolded(name) ? folded.filter((each) => each !== name) : [...folded, name]});
    return isFolded(name);
  }

  /** How large a panel would be with its edge at a point of the window. @type {Record<string, (x: number, y: number) => Kept>} */
  const SIZES = {
    side: (x) => ({side: Math.round(Math.max(SIDE.least, Math.min(innerWidth - x, innerWidth * SIDE.most)))}),
    node: (x, y) => {
      const [side, node] = [".side", ".node"].map((part) => /** @type {HTMLElement} */ (document.querySelector(part)).getBoundingClientRect());
      return {node: Math.round(Math.max(80, Math.min(y - node.top, side.bottom - node.top - 140)))};
    },
    icicle: (x, y) => {
      const {bottom, height} = /** @type {HTMLElement} */ (document.querySelector(".picture")).getBoundingClientRect();
      return {icicle: Math.round(Math.max(ICICLE.least, Math.min(100 * (bottom - y) / height, ICICLE.most)))};
    },
  };

  /** The picture has more room, or less. */
  const tellResized = () => dispatchEvent(new Event("resize"));

  /** @param {any} target @returns {HTMLElement | null} */
  const edgeOf = (target) => target?.closest?.("[data-edge]") ?? null;

  /** @param {PointerEvent} event */
  function drag(event) {
    const edge = edgeOf(event.target), size = SIZES[edge?.dataset.edge ?? ""];
    if (!edge || !size) return;
    event.preventDefault();
    edge.setPointerCapture(event.pointerId);
    const move = (/** @type {PointerEvent} */ to) => keep(size(to.clientX, to.clientY)), stop = new AbortController();
    edge.addEventListener("pointermove", move, {signal: stop.signal});
    for (const ends of ["pointerup", "pointercancel"]) edge.addEventListener(ends, () => { stop.abort(); tellResized(); }, {signal: stop.signal});
  }

  /** Arrow keys move the edge that has the focus; Home gives it back to the page. @param {KeyboardEvent} event */
  function press(event) {
    const edge = edgeOf(event.target), name = edge?.dataset.edge ?? "", size = SIZES[name];
    if (!edge || !size) return;
    const {x, y} = edge.getBoundingClientRect();
    const by = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]}[event.key];
    if (by) keep(size(x + 4 + by[0] * SIDE.step, y + 4 + by[1] * SIDE.step));
    else if (event.key === "Home") keep({[name]: undefined});
    else return;
    tellResized();
    event.preventDefault();
    event.stopPropagation(); // or it would step through the search
  }

  /** Say on the buttons that fold a part whether it is folded. */
  function mark() {
    for (const button of document.querySelectorAll("[data-fold]")) {
      const name = button.dataset.fold ?? "";
      button.setAttribute("aria-expanded", String(!isFolded(name)));
      if (name === "legend") button.textContent = isFolded(name) ? "▴ legend" : "▾";
    }
  }

  /** @param {MouseEvent} event */
  function onClick(event) {
    const button = /** @type {HTMLElement | null} */ (/** @type {any} */ (event.target)?.closest?.("[data-fold]"));
    if (!button) return;
    toggle(button.dataset.fold ?? "");
    mark();
    button.blur(); // or the next space would press it, and not play
    tellResized();
  }

  apply();
  document.addEventListener("click", onClick);
  document.addEventListener("pointerdown", drag);
  document.addEventListener("keydown", press, true);
  document.addEventListener("dblclick", (event) => { if (edgeOf(event.target)) keep({[edgeOf(event.target)?.dataset.edge ?? ""]: undefined}); });

  return {sideWidth, isFolded, toggle};
})();
