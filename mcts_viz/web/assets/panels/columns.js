/* Columns of the tables as wide as their numbers. Where there is no room for all, columns are left out in the order that
   their definitions say (grid.py), and a button below the table shows them: a number is never cut. */
mcts.columns = (() => {
  const AROUND = 15;       // pixels of a cell beside its text
  const ROWS_AT_MOST = 1000; // that are measured
  const NAME = 110;        // pixels of a name for whose sake other columns are left out; a longer one is cut
  /** By table: the widths of its columns in this trace, so that columns do not come and go while one steps. @type {Map<string, ColumnWidths>} */
  const known = new Map();
  const /** @type {Set<string>} */ complete = new Set(); // tables that show all columns on request

  let /** @type {Pen | null} */ pen = null;

  /** @param {string} text @param {Element} like */
  function widthOf(text, like) {
    const {fontSize, fontFamily} = getComputedStyle(like.querySelector(".ag-root") ?? like);
    pen ??= mcts.pen.of(mcts.dom.element("canvas"));
    return Math.ceil(mcts.pen.textWidth(pen, text, `650 ${fontSize} ${fontFamily}`)) + AROUND;
  }

  const NOTHING = "–"; // what a number that is not known is shown as (grid.py)

  /** Pixels that a column's texts need, and whether one of them says anything. @param {any} api @param {any} column @param {Element} box */
  function needOf(api, column, box) {
    let longest = "", n = 0, isFilled = false;
    api.forEachNodeAfterFilterAndSort((/** @type {any} */ rowNode) => {
      if (n++ >= ROWS_AT_MOST) return;
      const text = String(api.getCellValue({rowNode, colKey: column, useFormatter: true}) ?? "");
      if (text.length > longest.length) longest = text;
      isFilled ||= text !== "" && text !== NOTHING;
    });
    return {wide: Math.max(widthOf(column.getColDef().headerName ?? "", box), longest ? widthOf(longest, box) : 0), isFilled};
  }

  /** The widths of all columns so far. @param {any} api @param {string} id @param {HTMLElement} box */
  function widthsOf(api, id, box) {
    const trace = mcts.app.cursor()?.trace ?? "", columns = /** @type {any[]} */ (api.getColumns() ?? []);
    const names = columns.map((each) => each.getColId()).join(" ");
    let found = known.get(id);
    if (!found || found.trace !== trace || found.names !== names) {
      known.set(id, found = {trace, names, need: new Map(), filled: new Set()});
      delete box.dataset.small;
    }
    for (const column of columns) {
      const name = column.getColId(), {flex, minWidth} = column.getColDef();
      const {wide, isFilled} = needOf(api, column, box), need = Math.max(minWidth ?? 0, flex ? Math.min(NAME, wide) : wide);
      if (isFilled) found.filled.add(name);
      found.need.set(name, Math.max(found.need.get(name) ?? 0, need));
    }
    return found;
  }

  const dropOf = (/** @type {any} */ column) => column.getColDef().context?.drop ?? 0;

  /** Those in which nothing is known. @param {any[]} columns @param {Set<string>} filled columns that are not empty @returns {string[]} */
  const blank = (columns, filled) => columns.map((each) => each.getColId()).filter((name, i) => dropOf(columns[i]) > 0 && !filled.has(name));

  /** The columns to leave out: those in which nothing is known, then the first to go first, until the others have room.
      @param {any[]} columns @param {Map<string, number>} need @param {number} room pixels @param {Set<string>} filled columns that are not empty */
  function leftOut(columns, need, room, filled) {
    const found = blank(columns, filled), isFilled = (/** @type {any} */ each) => filled.has(each.getColId());
    const order = columns.filter((each) => isFilled(each) ? dropOf(each) > 0 : dropOf(each) < 0).sort((a, b) => dropOf(a) - dropOf(b));
    const all = [...need].reduce((sum, [name, width]) => sum + (found.includes(name) ? 0 : width), 0);
    for (let over = all - room; over > 0 && order.length; over -= need.get(found[found.length - 1]) ?? 0) found.push(order.shift().getColId());
    return found;
  }

  /** The button that shows what is left out, or leaves it out again. @param {any} api @param {string} id @param {HTMLElement} box @param {string[]} out */
  function offer(api, id, box, out) {
    const place = box.parentElement, names = out.map((name) => api.getColumn(name).getColDef().headerName ?? name);
    place?.querySelector(".more-columns")?.remove();
    if (!place || !names.length) return;
    const button = mcts.dom.element("button", "more-columns", complete.has(id) ? "fewer columns" : `+ ${names.join(", ")}`);
    Object.assign(button, {type: "button", title: complete.has(id) ? "only the columns that fit" : "show these columns too, and scroll"});
    button.dataset.columns = out.join(" ");
    button.addEventListener("click", () => {
      if (!complete.delete(id)) complete.add(id);
      fit(api, id);
    });
    place.append(button);
  }

  /** Widths of the columns, and those to leave out; where the others still have no room, all words of the table are smaller.
      @param {any} api @param {string} id @param {HTMLElement} box @param {any[]} columns @param {number} room */
  function fitted(api, id, box, columns, room) {
    const measure = () => {
      const {need, filled} = widthsOf(api, id, box), out = leftOut(columns, need, room, filled);
      const wide = [...need].reduce((sum, [name, width]) => sum + (out.includes(name) ? 0 : width), 0);
      return {need, filled, out, isOver: wide > room};
    };
    if (room > Number(box.dataset.small ?? Infinity)) known.delete(id); // there is more room than when they had to be
    const found = measure();
    if (!found.isOver || box.dataset.small) return found;
    box.dataset.small = String(room);
    known.get(id)?.need.clear();
    return measure();
  }

  /** Fit the columns of a table into its room. @param {any} api @param {string} id */
  function fit(api, id) {
    const box = mcts.dom.byId(id), room = box?.querySelector(".ag-center-cols-viewport")?.clientWidth;
    if (!box || !room || !api.getDisplayedRowCount()) return;
    const columns = /** @type {any[]} */ (api.getColumns() ?? []), isWhole = complete.has(id), {need, filled, out} = fitted(api, id, box, columns, room);
    const never = blank(columns, filled);
    api.applyColumnState({state: columns.map((column) => {
      const colId = column.getColId(), {flex} = column.getColDef(), hide = (isWhole ? never : out).includes(colId), width = need.get(colId);
      if (!flex) return {colId, hide, width};
      return isWhole ? {colId, flex: null, width} : {colId, hide, flex}; // of all columns none is cut for the others: they scroll
    })});
    offer(api, id, box, out.filter((name) => filled.has(name)));
  }

  window.dashAgGridFunctions = {...window.dashAgGridFunctions, fitColumns: (/** @type {any} */ event, /** @type {string} */ id) => fit(event.api, id)};

  return {fit, leftOut};
})();
