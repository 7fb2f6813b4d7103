/* What the Export menu gives: files of the server's, the picture on the screen, and the table in view. */
window.mcts = window.mcts || {};

mcts.exports = (() => {
  "use strict";

  const SHARPNESS = 2;   // pixels of the picture for one of the screen
  const HEAD = 42, FOOT = 68; // CSS pixels above and below the tree
  const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";

  const traceOf = (cursor) => `api/trace/${encodeURIComponent(cursor.trace)}`;
  const colour = (name) => mcts.colours.css(name);
  const nameOfTrace = () => document.getElementById("trace-select")?.value || "trace";

  /** The query of what is in view, for exports that show the same. */
  function viewQuery(cursor) {
    const {view} = cursor;
    const query = new URLSearchParams({at: cursor.iteration, theme: document.documentElement.dataset.mctsTheme || "light"});
    for (const [name, value] of Object.entries(view)) if (String(value) !== "") query.set(name, String(value));
    return query.toString();
  }

  function download(blob, name) {
    const address = URL.createObjectURL(blob);
    Object.assign(document.createElement("a"), {href: address, download: name}).click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
  }

  /** A file that the server has to make first, with its name; a refusal is told. */
  async function fetched(address, what, page) {
    page.say(`Making ${what} …`);
    try {
      const answer = await fetch(address);
      if (!answer.ok) return page.say((await answer.json()).error);
      const name = decodeURIComponent((answer.headers.get("Content-Disposition") || "").split("''")[1] || "export");
      download(await answer.blob(), name);
    } catch (error) {
      return page.say(`${what} could not be fetched from the server: ${error.message}`);
    }
    return page.say("");
  }

  // ---- the picture -------------------------------------------------------------------------------------------------

  function write(pen, text, x, y, font, fill, align = "left") {
    Object.assign(pen, {font: `${font} ${FONT}`, fillStyle: fill, textAlign: align, textBaseline: "middle"});
    pen.fillText(text, x, y);
  }

  const MARKS = {
    path(pen, x, y) { pen.fillStyle = colour("path"); pen.fillRect(x - 7, y - 2, 14, 4); },
    new(pen, x, y) { circle(pen, x, y, 2, colour("new"), [3, 2]); },
    backup(pen, x, y) {
      pen.fillStyle = colour("backup");
      pen.beginPath();
      pen.moveTo(x, y - 5); pen.lineTo(x + 5, y + 4); pen.lineTo(x - 5, y + 4);
      pen.fill();
    },
    chosen(pen, x, y) {
      pen.fillStyle = colour("chosen");
      pen.beginPath();
      for (let i = 0; i < 10; i++) {
        const angle = Math.PI * (i / 5 - 0.5), r = i % 2 ? 3 : 6.5;
        pen.lineTo(x + r * Math.cos(angle), y + r * Math.sin(angle));
      }
      pen.fill();
    },
    selected(pen, x, y) { circle(pen, x, y, 2.5, colour("selected"), []); },
  };

  function circle(pen, x, y, width, stroke, dash) {
    Object.assign(pen, {strokeStyle: stroke, lineWidth: width});
    pen.setLineDash(dash);
    pen.beginPath();
    pen.arc(x, y, 5.5, 0, 2 * Math.PI);
    pen.stroke();
    pen.setLineDash([]);
  }

  /** The legend as it stands on the page: bar and its words to the left, marks to the right. */
  function drawLegend(pen, top, width) {
    const legend = document.querySelector(".mcts-legend"), text = (part) => legend.querySelector(`.mcts-legend-${part}`);
    if (!legend || !text("bar")) return;
    const stops = getComputedStyle(text("bar")).backgroundImage.match(/rgba?\([^)]*\)/g) || [colour("edge")];
    const fill = pen.createLinearGradient(14, 0, 304, 0);
    stops.forEach((stop, i) => fill.addColorStop(stops.length > 1 ? i / (stops.length - 1) : 0, stop));
    write(pen, text("title").textContent, 14, top + 12, "600 12px", colour("ink"));
    pen.fillStyle = fill;
    pen.fillRect(14, top + 22, 290, 9);
    const ends = [...text("ends").children].map((end) => end.textContent);
    write(pen, ends[0] || "", 14, top + 42, "11.5px", colour("muted"));
    write(pen, ends[1] || "", 304, top + 42, "11.5px", colour("muted"), "right");
    let x = 344, y = top + 14;
    for (const mark of legend.querySelectorAll(".mcts-legend-mark")) {
      const kind = Object.keys(MARKS).find((name) => mark.querySelector(`.mcts-mark-${name}`));
      if (!kind) continue;
      pen.font = `12px ${FONT}`;
      const room = pen.measureText(mark.textContent).width + 36;
      if (x + room > width && y === top + 14) { x = 344; y = top + 34; }
      MARKS[kind](pen, x, y);
      write(pen, mark.textContent, x + 13, y, "12px", colour("ink"));
      x += room;
    }
    const note = legend.querySelector(".mcts-legend-note");
    if (note) write(pen, note.textContent, 338, top + 53, "11.5px", colour("muted"));
  }

  /** The tree as it is on the screen, under a title and over its legend, as a canvas. */
  function picture(cursor) {
    const result = document.createElement("canvas");
    mcts.app.picture(SHARPNESS, (tree) => {
      const width = Math.max(tree.width / SHARPNESS, 620), legend = document.querySelector(".mcts-legend");
      const height = Math.min(tree.height / SHARPNESS, legend ? legend.offsetTop : Infinity); // what it covers is not seen
      Object.assign(result, {width: width * SHARPNESS, height: (HEAD + height + FOOT) * SHARPNESS});
      const pen = result.getContext("2d");
      pen.scale(SHARPNESS, SHARPNESS);
      pen.fillStyle = colour("paper");
      pen.fillRect(0, 0, width, HEAD + height + FOOT);
      pen.drawImage(tree, 0, 0, tree.width, height * SHARPNESS, 0, HEAD, tree.width / SHARPNESS, height);
      write(pen, `${nameOfTrace()}: the tree after iteration ${cursor.iteration.toLocaleString("en-US")}`, 14, 20, "650 16px", colour("ink"));
      drawLegend(pen, HEAD + height, width);
    });
    return result;
  }

  async function savePicture(cursor) {
    const blob = await new Promise((done) => picture(cursor).toBlob(done, "image/png"));
    download(blob, `${nameOfTrace()}-at-${cursor.iteration}.png`);
  }

  // ---- the table in view -------------------------------------------------------------------------------------------

  /** A spreadsheet runs text that begins so as a formula, and labels may come from a stranger's trace. */
  const harmless = (value) => typeof value === "string" && /^['=+\-@\t\r\n]/.test(value) ? `'${value}` : value ?? "";

  /** The table in view as CSV; null where the open tab has none. */
  function table() {
    const grid = document.querySelector(".tabs .ag-root-wrapper")?.closest("[id]:not(.ag-root-wrapper)");
    const api = grid && window.dash_ag_grid?.getApi(grid.id);
    return api ? {id: grid.id, csv: api.getDataAsCsv({processCellCallback: ({value}) => harmless(value)})} : null;
  }

  function saveTable(cursor, page) {
    const found = table();
    if (!found) return page.say("There is no table in view: open one of the tabs with a table, such as Children.");
    const what = found.id.replace("-table", "");
    const name = `${nameOfTrace()}-at-${cursor.iteration}-node-${cursor.node}-${what}.csv`;
    return download(new Blob(["\ufeff", found.csv], {type: "text/csv"}), name); // the mark tells spreadsheets that it is UTF-8
  }

  // ---- the menu ----------------------------------------------------------------------------------------------------

  /* Mantine's place for the first focus stands among the entries, and is none of them: the first entry takes it */
  document.addEventListener("focusin", ({target}) => {
    if (!target.matches?.("[role=menu] > [data-autofocus]")) return;
    target.parentElement.querySelector("[role=menuitem]")?.focus({preventScroll: true});
    target.setAttribute("aria-hidden", "true");
    if (target.parentElement.querySelector("[data-export]")) showSizes(target.parentElement);
  });

  /** How much each entry of the menu gives, at this iteration. */
  async function showSizes(menu) {
    const cursor = mcts.app.cursor();
    if (!cursor || !cursor.trace) return;
    try {
      const sizes = await mcts.binary.fetchJson(`${traceOf(cursor)}/sizes?at=${cursor.iteration}`);
      for (const hint of menu.querySelectorAll("[data-export]")) hint.textContent = sizes[hint.dataset.export] ?? "";
    } catch (error) { /* the menu does without; what is chosen tells why it cannot be had */ }
  }

  /** page: {say(text), save(address)}. */
  function run(format, cursor, page) {
    const trace = traceOf(cursor);
    if (format === "trace") return page.save(`${trace}/file`);
    if (format === "events") return page.save(`${trace}/events`);
    if (format === "png") return savePicture(cursor);
    if (format === "table") return saveTable(cursor, page);
    if (format === "svg") return fetched(`${trace}/picture.svg?${viewQuery(cursor)}`, "the picture", page);
    if (format === "html") return fetched(`${trace}/steps.html?${viewQuery(cursor)}`, "the file that steps by itself", page);
    return page.save(`${trace}/export?format=${format}&at=${cursor.iteration}`);
  }

  return {run, picture, table, harmless};
})();
