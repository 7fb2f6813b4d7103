/* What the page on a fleet shows, and its address: every filter, order, column, question and tick, so that a link shows the same. */
mcts.fleetAddress = (() => {
  const TABS = ["questions", "boards", "picked"];

  /** @returns {FleetAsked} */
  const nothing = () => ({filter: {}, sort: [], columns: [], bars: [], question: "", brush: [], check: "", picked: [], tab: TABS[0]});

  /** A part of the address that is JSON; the fallback for what is none, or another kind of thing.
      @template T @param {string | null} text @param {T} fallback @returns {T} */
  function read(text, fallback) {
    try {
      const found = JSON.parse(text ?? "null");
      return found !== null && typeof found === "object" && Array.isArray(found) === Array.isArray(fallback) ? found : fallback;
    } catch {
      return fallback;
    }
  }

  /** @param {string | null} text */
  const names = (text) => (text ?? "").split(",").filter(Boolean);

  /** @param {string} search the query of an address @returns {FleetAsked} */
  function fromQuery(search) {
    const query = new URLSearchParams(search), tab = query.get("tab") ?? "";
    return {
      filter: read(query.get("filter"), {}), brush: read(query.get("brush"), /** @type {any[]} */ ([])),
      sort: names(query.get("sort")).map((name) => name.startsWith("-") ? {colId: name.slice(1), sort: "desc"} : {colId: name, sort: "asc"}),
      columns: names(query.get("columns")), bars: names(query.get("bars")), question: query.get("question") ?? "",
      check: query.get("check") ?? "", picked: read(query.get("picked"), /** @type {string[]} */ ([])).map(String), tab: TABS.includes(tab) ? tab : TABS[0],
    };
  }

  /** The query for it; what is as at the beginning is left out. @param {FleetAsked} asked */
  function toQuery(asked) {
    const query = new URLSearchParams();
    /** @param {string} name @param {string} text */
    const put = (name, text) => { if (text) query.set(name, text); };
    put("question", asked.question);
    put("check", asked.check);
    if (Object.keys(asked.filter).length) put("filter", JSON.stringify(asked.filter));
    if (asked.brush.length) put("brush", JSON.stringify(asked.brush));
    put("sort", asked.sort.map(({colId, sort}) => (sort === "desc" ? "-" : "") + colId).join(","));
    put("columns", asked.columns.join(","));
    put("bars", asked.bars.join(","));
    if (asked.picked.length) put("picked", JSON.stringify(asked.picked));
    if (asked.tab !== TABS[0]) put("tab", asked.tab);
    return query.size ? `?${query.toString().replaceAll("%2C", ",")}` : "";
  }

  /** The condition on a column that lets the bars pass that were chosen: `customdata` of views/histogram_figure.py.
      @param {(string | number | boolean | null)[][]} bars @param {boolean} isNumber */
  function conditionOf(bars, isNumber) {
    const filterType = isNumber ? "number" : "text";
    if (bars[0].length === 1) {
      const conditions = bars.map(([value]) => ({filterType, type: "equals", filter: isNumber ? value : String(value)}));
      return conditions.length === 1 ? conditions[0] : {filterType, operator: "OR", conditions};
    }
    const low = bars[0][0], high = bars[bars.length - 1][1];
    const ends = [{filterType, type: "greaterThanOrEqual", filter: low}, {filterType, type: "lessThan", filter: high}].filter(({filter}) => filter !== null);
    return ends.length > 1 ? {filterType, operator: "AND", conditions: ends} : ends[0] ?? null;
  }

  return {nothing, fromQuery, toQuery, conditionOf};
})();
