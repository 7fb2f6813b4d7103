/* What the Export menu gives: files of the server's, the picture on the screen, and the table in view. */
mcts.exports = (() => {
  const SHARPNESS = 2;   // pixels of the picture for one of the screen
  const HEAD = 42, FOOT = 68; // CSS pixels above and below the tree
  const {say} = mcts.message, FONT = mcts.pen.FAMILY;

  /** @param {Cursor} cursor */
  const traceOf = (cursor) => mcts.requests.traceUrl(String(cursor.trace));
  /** @param {string} name */
  const colour = (name) => mcts.colours.css(name);
  const nameOfTrace = () => /** @type {HTMLInputElement | null} */ (mcts.dom.byId("trace-select"))?.value || "trace";

  /** The query of what is in view, for exports that show the same. @param {Cursor} cursor */
  function viewQuery(cursor) {
    const view = mcts.cursor.withRoom(cursor.view);
    const query = new URLSearchParams({at: String(cursor.iteration), theme: document.documentElement.dataset.mctsTheme || "light"});
    for (const [name, value] of Object.entries(view)) if (String(value) !== "") query.set(name, String(value));
    return query.toString();
  }

  /** @param {Blob} blob @param {string} name */
  function download(blob, name) {
    const address = URL.createObjectURL(blob);
    Object.assign(document.createElement("a"), {href: address, download: name}).click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
  }

  /** A file that the server has to make first, with its name; a refusal is shown. @param {string} address @param {string} what */
  async function fetched(address, what) {
    say(`Making ${what} …`);
    try {
      const answer = await fetch(address);
      if (!answer.ok) { say((await answer.json()).error); return; }
      const name = decodeURIComponent((answer.headers.get("Content-Disposition") || "").split("''")[1] || "export");
      download(await answer.blob(), name);
      say("");
    } catch (error) {
      say(`${what} could not be fetched from the server: ${mcts.dom.messageOf(error)}`);
    }
  }

  // ---- the picture -------------------------------------------------------------------------------------------------

  /** @param {Pen} pen @param {string} text @param {number} x @param {number} y @param {string} font @param {string} fill */
  function write(pen, text, x, y, font, fill, align = "left") {
    Object.assign(pen, {font: `${font} ${FONT}`, fillStyle: fill, textAlign: align, textBaseline: "middle"});
    pen.fillText(text, x, y);
  }

  /** The marks of the legend around a point. @type {Record<string, (pen: Pen, x: number, y: number) => void>} */
  const MARKS = {
    path(pen, x, y) { pen.fillStyle = colour("path"); pen.fillRect(x - 7, y - 2, 14, 4); },
    new: (pen, x, y) => mcts.pen.ring(pen, x, y, 5.5, 2, colour("new"), [3, 2]),
    backup: (pen, x, y) => mcts.pen.arrowUp(pen, x, y, 5, 5, 4, colour("backup")),
    chosen: (pen, x, y) => mcts.pen.star(pen, x, y, 6.5, colour("chosen"), 3 / 6.5),
    selected: (pen, x, y) => mcts.pen.ring(pen, x, y, 5.5, 2.5, colour("selected"), []),
  };

  /** The legend as on the page: bar and its words to the left, marks to the right.
      @param {Pen} pen @param {number} top @param {number} width */
  function drawLegend(pen, top, width) {
    const legend = document.querySelector(".mcts-legend");
    if (!legend || !legend.querySelector(".mcts-legend-bar")) return;
    const text = (/** @type {string} */ part) => /** @type {HTMLElement} */ (legend.querySelector(`.mcts-legend-${part}`));
    const stops = getComputedStyle(text("bar")).backgroundImage.match(/rgba?\([^)]*\)/g) || [colour("edge")];
    const fill = pen.createLinearGradient(14, 0, 304, 0);
    stops.forEach((stop, i) => fill.addColorStop(stops.length > 1 ? i / (stops.length - 1) : 0, stop));
    write(pen, text("title").textContent ?? "", 14, top + 12, "600 12px", colour("ink"));
    pen.fillStyle = fill;
    pen.fillRect(14, top + 22, 290, 9);
    const ends = [...text("ends").children].map((end) => end.textContent ?? "");
    write(pen, ends[0] || "", 14, top + 42, "11.5px", colour("muted"));
    write(pen, ends[1] || "", 304, top + 42, "11.5px", colour("muted"), "right");
    let x = 344, y = top + 14;
    for (const mark of legend.querySelectorAll(".mcts-legend-mark")) {
      const kind = Object.keys(MARKS).find((name) => mark.querySelector(`.mcts-mark-${name}`));
      if (!kind) continue;
      pen.font = `12px ${FONT}`;
      const words = mark.textContent ?? "", room = pen.measureText(words).width + 36;
      if (x + room > width && y === top + 14) { x = 344; y = top + 34; }
      MARKS[kind](pen, x, y);
      write(pen, words, x + 13, y, "12px", colour("ink"));
      x += room;
    }
    const note = legend.querySelector(".mcts-legend-note");
    if (note) write(pen, note.textContent ?? "", 338, top + 53, "11.5px", colour("muted"));
  }

  /** The tree as it is on the screen, under a title and over its legend, as a canvas. @param {Cursor} cursor */
  function picture(cursor) {
    const result = document.createElement("canvas");
    mcts.app.picture(SHARPNESS, (tree) => {
      const width = Math.max(tree.width / SHARPNESS, 620), legend = document.querySelector(".mcts-legend");
      const height = Math.min(tree.height / SHARPNESS, legend ? legend.offsetTop : Infinity); // what it covers is not seen
      Object.assign(result, {width: width * SHARPNESS, height: (HEAD + height + FOOT) * SHARPNESS});
      const pen = mcts.pen.of(result);
      pen.scale(SHARPNESS, SHARPNESS);
      pen.fillStyle = colour("paper");
      pen.fillRect(0, 0, width, HEAD + height + FOOT);
      pen.drawImage(tree, 0, 0, tree.width, height * SHARPNESS, 0, HEAD, tree.width / SHARPNESS, height);
      write(pen, `${nameOfTrace()}: the tree after iteration ${mcts.dom.count(cursor.iteration)}`, 14, 20, "650 16px", colour("ink"));
      drawLegend(pen, HEAD + height, width);
    });
    return result;
  }

  /** @param {Cursor} cursor */
  async function savePicture(cursor) {
    /** @type {Blob | null} */
    const blob = await new Promise((done) => picture(cursor).toBlob(done, "image/png"));
    if (blob) download(blob, `${nameOfTrace()}-at-${cursor.iteration}.png`);
  }

  // ---- the table in view -------------------------------------------------------------------------------------------

  /** A spreadsheet runs text that begins so as a formula, and labels may come from a stranger's trace. @param {unknown} value */
  const harmless = (value) => typeof value === "string" && /^['=+\-@\t\r\n]/.test(value) ? `'${value}` : value ?? "";

  /** The table in view as CSV; null where the open tab has none. */
  function table() {
    const grid = document.querySelector(".tabs .ag-root-wrapper")?.closest("[id]:not(.ag-root-wrapper)");
    const api = grid && window.dash_ag_grid?.getApi?.(grid.id);
    return api ? {id: grid.id, csv: api.getDataAsCsv({processCellCallback: (/** @type {{value: unknown}} */ {value}) => harmless(value)})} : null;
  }

  /** @param {Cursor} cursor */
  function saveTable(cursor) {
    const found = table();
    if (!found) { say("There is no table in view: open one of the tabs with a table, such as Children."); return; }
    const what = found.id.replace("-table", "");
    const name = `${nameOfTrace()}-at-${cursor.iteration}-node-${cursor.node}-${what}.csv`;
    download(new Blob(["\ufeff", found.csv], {type: "text/csv"}), name); // the mark tells spreadsheets that it is UTF-8
  }

  // ---- the menu ----------------------------------------------------------------------------------------------------

  /* Mantine's place for the first focus stands among the entries, and is none of them: the first entry takes it */
  document.addEventListener("focusin", (event) => {
    const target = mcts.dom.targetOf(event), menu = target.parentElement;
    if (!menu || !target.matches?.("[role=menu] > [data-autofocus]")) return;
    menu.querySelector("[role=menuitem]")?.focus({preventScroll: true});
    target.setAttribute("aria-hidden", "true");
    if (menu.querySelector("[data-export]")) showSizes(menu);
  });

  /** How much each entry of the menu gives, at this iteration. @param {Element} menu */
  async function showSizes(menu) {
    const cursor = mcts.app.cursor();
    if (!cursor || !cursor.trace) return;
    try {
      const sizes = await mcts.binary.fetchJson(`${traceOf(cursor)}/sizes?at=${cursor.iteration}`);
      for (const hint of menu.querySelectorAll("[data-export]")) hint.textContent = sizes[String(hint.dataset.export)] ?? "";
    } catch { /* the menu does without; what is chosen tells why it cannot be had */ }
  }

  /** @param {string} format @param {Cursor} cursor */
  function run(format, cursor) {
    const trace = traceOf(cursor), {save} = mcts.files;
    if (format === "trace") return save(`${trace}/file`);
    if (format === "events") return save(`${trace}/events`);
    if (format === "png") return savePicture(cursor);
    if (format === "table") return saveTable(cursor);
    if (format === "svg") return fetched(`${trace}/picture.svg?${viewQuery(cursor)}`, "the picture");
    if (format === "html") return fetched(`${trace}/steps.html?${viewQuery(cursor)}`, "the file that steps by itself");
    return save(`${trace}/export?format=${format}&at=${cursor.iteration}`);
  }

  return {run, picture, table, harmless};
})();
