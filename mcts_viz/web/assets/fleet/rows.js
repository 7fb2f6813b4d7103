/* The table of searches: AG Grid asks for rows as they come into sight, and the server answers. Filters and order are kept by the
   page alone. */
mcts.fleetRows = (() => {
  const {byId, count, messageOf} = mcts.dom, TABLE = "fleet-table", NAME = "search_id";
  const BLOCK = 100; // rows of one answer
  const PADDING = 16; // pixels of a cell beside its text
  const READY = 200; // milliseconds after which a table that does not tell is ready, too
  const pen = /** @type {CanvasRenderingContext2D} */ (mcts.dom.element("canvas").getContext("2d")); // measures words
  let /** @type {any} */ api = null, isTold = false;
  let isFitted = false, isTheirs = false; // the width of the names: somebody has drawn it
  let hasRows = () => {};
  /** @type {Promise<void>} once the first rows are there: what else there is to ask waits for them */
  const first = new Promise((resolve) => { hasRows = resolve; });
  let /** @type {() => FleetAsked} */ asked = mcts.fleetAddress.nothing;

  /** The search on the page of traces, where it matters. @param {string} search */
  const addressOf = (search) => {
    const {check, question} = asked(), query = new URLSearchParams({search});
    if (check) query.set("check", check); else if (question) query.set("question", question);
    return `../api/fleet/open?${query}`;
  };

  /** @param {any} props of a cell */
  function SearchLink(props) {
    const {createElement} = window.React, {value} = props;
    if (value === undefined || value === null) return createElement("span", {className: "fleet-awaited"}, "…");
    return createElement("a", {href: addressOf(value), tabIndex: -1, className: "fleet-link", title: "Open it where it matters"}, value);
  }

  /** Rows, how many there are, and of how many. @param {number} first @param {number} last @param {Partial<FleetAsked>} what */
  async function fetchRows(first, last, what) {
    const headers = {"Content-Type": "application/json"}, body = JSON.stringify({first, last, asked: what});
    const answer = await fetch("../api/fleet/rows", {method: "POST", headers, body}), found = await answer.json();
    if (!answer.ok) throw new Error(found.error);
    return found;
  }

  let /** @type {{what: string, rows: Promise<any>} | null} */ early = null;

  /** Ask for the first rows while the table is still being made. @param {FleetAsked} what */
  function askEarly(what) {
    early = {what: JSON.stringify(what), rows: fetchRows(0, BLOCK, what)};
    early.rows.catch(() => {}); // told when the table asks
  }

  /** The rows of some searches. @param {string[]} ids @returns {Promise<any[]>} */
  async function ofSearches(ids) {
    const conditions = ids.map((filter) => ({type: "equals", filter}));
    return (await fetchRows(0, ids.length, {filter: {search_id: {operator: "OR", conditions}}})).rows;
  }

  /** @param {any} params what rows AG Grid wants */
  async function getRows(params) {
    const {startRow: first, endRow: last} = params;
    try {
      const isThere = early && first === 0 && last === BLOCK && early.what === JSON.stringify(asked());
      const found = await (isThere && early ? early.rows : fetchRows(first, last, asked()));
      early = null;
      params.successCallback(found.rows, found.count);
      requestAnimationFrame(() => { showNames(found.rows); setTimeout(hasRows); });
      const box = byId("fleet-count");
      if (box) box.textContent = found.count === found.all ? `${count(found.all)} searches` : `${count(found.count)} of ${count(found.all)} searches`;
      if (!found.count) api.showNoRowsOverlay(); else api.hideOverlay();
    } catch (error) {
      params.failCallback();
      hasRows();
      mcts.message.say(`The rows cannot be read: ${messageOf(error)}`);
    }
  }

  /** The searches in sight, from the top. @returns {any[]} */
  function inSight() {
    const {top, bottom} = api.getVerticalPixelRange();
    return api.getRenderedNodes().filter((/** @type {any} */ node) => node.data && node.rowTop + node.rowHeight > top && node.rowTop < bottom)
      .sort((/** @type {any} */ a, /** @type {any} */ b) => a.rowIndex - b.rowIndex).map((/** @type {any} */ node) => node.data);
  }

  /** Show the columns, the order and the filters of an address. @param {FleetAsked} now */
  function apply(now) {
    isTold = true;
    const sort = Object.fromEntries(now.sort.map((each, sortIndex) => [each.colId, {sort: each.sort, sortIndex}]));
    const shown = now.columns.length ? now.columns : null;
    api.applyColumnState({
      applyOrder: Boolean(shown), defaultState: {sort: null},
      state: [...(shown ?? []).map((colId) => ({colId, hide: false, ...sort[colId]})),
        ...api.getColumns().map((/** @type {any} */ each) => each.getColId()).filter((/** @type {string} */ id) => !shown?.includes(id))
          .map((/** @type {string} */ colId) => ({colId, ...(shown ? {hide: !colId.startsWith("ag-Grid")} : {}), ...sort[colId]}))],
    });
    api.setFilterModel(now.filter);
    isTold = false;
    fit();
  }

  /** Widen the columns in sight so that the edge of the table cuts none of them. */
  function fit() {
    const {left, right} = api.getHorizontalPixelRange(), room = right - left, whole = [];
    let taken = 0;
    for (const each of api.getDisplayedCenterColumns()) {
      const {width} = each.getColDef();
      if (taken + width > room) break;
      whole.push({key: each.getColId(), newWidth: width});
      taken += width;
    }
    if (left > 0 || !whole.length) return;
    for (const each of whole) each.newWidth += Math.floor((room - taken) / whole.length);
    whole[0].newWidth += (room - taken) % whole.length;
    api.setColumnWidths(whole);
  }

  /** Make room for the longest name of these rows, as its end tells the searches of a file apart. @param {{search_id: string}[]} rows */
  function showNames(rows) {
    const column = api.getColumn(NAME), link = document.querySelector(".fleet-link");
    if (!column || !link || isTheirs) return;
    pen.font = getComputedStyle(link).font;
    const longest = Math.ceil(Math.max(...rows.map(({search_id: name}) => pen.measureText(name).width))) + PADDING;
    const width = Math.min(longest, column.getMaxWidth()), grows = width > column.getActualWidth();
    if (grows) api.setColumnWidths([{key: NAME, newWidth: width}]);
    if (grows || !isFitted) setTimeout(fit); // once the other columns have what is left
    isFitted = true;
  }

  /** Names of the columns that are shown. @returns {string[]} */
  const shownColumns = () => api.getAllDisplayedColumns().map((/** @type {any} */ each) => each.getColId())
    .filter((/** @type {string} */ id) => !id.startsWith("ag-Grid"));

  /** @param {string[]} names */
  function showColumns(names) {
    const all = api.getColumns().map((/** @type {any} */ each) => each.getColId()).filter((/** @type {string} */ id) => !id.startsWith("ag-Grid"));
    api.setColumnsVisible(all.filter((/** @type {string} */ id) => !names.includes(id)), false);
    api.setColumnsVisible(names, true);
    fit();
  }

  /** Tick the searches that are picked, among the rows that are there. @param {string[]} picked */
  function tick(picked) {
    isTold = true;
    api.forEachNode((/** @type {any} */ node) => {
      if (node.data && node.isSelected() !== picked.includes(node.id)) node.setSelected(picked.includes(node.id));
    });
    isTold = false;
  }

  /** Ask for all rows anew. */
  const renew = () => { api?.purgeInfiniteCache(); api?.ensureIndexVisible(0); };

  /** Once the table is there. @param {() => FleetAsked} told what is asked
      @param {{change: (part: Partial<FleetAsked>) => void, pick: (id: string, isPicked: boolean) => void, seen: (rows: any[]) => void}} events */
  async function wire(told, events) {
    asked = told;
    api = await window.dash_ag_grid?.getApiAsync?.(TABLE);
    await new Promise((isReady) => { // then Dash has given it a source of its own, in whose place ours comes
      api.addEventListener("gridReady", () => setTimeout(isReady));
      setTimeout(isReady, READY);
    });
    apply(told());
    /** @param {() => void} act */
    const ours = (act) => () => { if (!isTold) act(); };
    api.addEventListener("filterChanged", ours(() => events.change({filter: api.getFilterModel()})));
    api.addEventListener("sortChanged", ours(() => {
      const state = api.getColumnState().filter((/** @type {any} */ each) => each.sort);
      state.sort((/** @type {any} */ a, /** @type {any} */ b) => a.sortIndex - b.sortIndex);
      events.change({sort: state.map((/** @type {any} */ each) => ({colId: each.colId, sort: each.sort}))});
    }));
    api.addEventListener("columnMoved", ours(() => events.change({columns: shownColumns()})));
    api.addEventListener("gridSizeChanged", fit);
    api.addEventListener("columnResized", (/** @type {any} */ event) => {
      if (event.source === "uiColumnResized" && event.column?.getColId() === NAME) isTheirs = true;
    });
    api.addEventListener("rowSelected", (/** @type {any} */ event) => { if (!isTold) events.pick(event.node.id, event.node.isSelected()); });
    for (const name of ["modelUpdated", "bodyScrollEnd", "viewportChanged"]) {
      api.addEventListener(name, () => { tick(asked().picked); events.seen(inSight()); });
    }
    const open = (/** @type {any} */ event) => { if (event.data) location.href = addressOf(event.data.search_id); };
    api.addEventListener("rowDoubleClicked", open);
    api.addEventListener("cellKeyDown", (/** @type {any} */ event) => { if (event.event?.key === "Enter") open(event); });
    api.setGridOption("datasource", {rowCount: undefined, getRows});
  }

  window.dashAgGridComponentFunctions = {...window.dashAgGridComponentFunctions, FleetSearchLink: SearchLink};

  return {askEarly, first, wire, apply, ofSearches, renew, tick, showColumns, shownColumns, addressOf,
    setFilter: (/** @type {Record<string, any>} */ model) => api.setFilterModel(model),
    isNumber: (/** @type {string} */ column) => api.getColumnDef(column)?.filter === "agNumberColumnFilter"};
})();
