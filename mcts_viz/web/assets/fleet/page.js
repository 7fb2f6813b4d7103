/* The page on a fleet: what is asked, the address that says so, and the parts of the page that show it. */
mcts.fleet = (() => {
  const {set} = mcts.dash, {nothing, fromQuery, toQuery, conditionOf} = mcts.fleetAddress, rows = mcts.fleetRows;
  const MOST_PICKED = 12, BARS = ["root_value", "visit_entropy", "ply", "run"], KEPT = "mcts-fleet";
  const REST = 250; // milliseconds without another change until pictures are asked for
  let asked = nothing(), theme = "light", isReady = false, timer = 0;
  let /** @type {any[]} */ seen = [];
  /** @type {Map<string, any>} rows of searches that were seen, by id */
  const known = new Map();

  // ---- theme -------------------------------------------------------------------------------------------------------

  /** @param {string | null} kept */
  function applyTheme(kept) {
    const name = kept || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    document.body.dataset.agThemeMode = name;
    document.documentElement.dataset.mctsTheme = name;
    const isOther = name !== theme;
    theme = name;
    if (isOther && isReady) {
      publish();
      showPicked();
      showBoards();
    }
    return name;
  }

  function keptTheme() {
    try {
      return JSON.parse(localStorage.getItem("theme") ?? "null");
    } catch {
      return null; // of other code
    }
  }

  // ---- what is asked -----------------------------------------------------------------------------------------------

  /** Tell the pictures what is shown; soon, as changes come in bunches. */
  function publish() {
    clearTimeout(timer);
    timer = setTimeout(() => set("fleet-asked", {data: {...asked, picked: [], tab: "", theme}}), isReady ? REST : 0);
  }

  /** The way back here, for the page of traces. */
  const keep = () => sessionStorage.setItem(KEPT, location.search);

  /** @param {Partial<FleetAsked>} part @param {boolean} isStep whether the browser's Back takes it back */
  function change(part, isStep = true) {
    const before = asked;
    /** @param {(keyof FleetAsked)[]} names */
    const differ = (...names) => names.some((name) => JSON.stringify(before[name]) !== JSON.stringify(asked[name]));
    asked = {...asked, ...part};
    const address = location.pathname + toQuery(asked);
    if (address === location.pathname + location.search) return;
    if (isStep) history.pushState(null, "", address); else history.replaceState(null, "", address);
    keep();
    if (differ("brush", "check")) rows.renew(); // for another filter or order the table asks by itself
    if (differ("filter", "brush", "check", "question", "bars")) publish();
    showState();
  }

  /** Controls that show what is asked. */
  function showState() {
    const is = Object.keys(asked.filter).length || asked.brush.length || asked.check;
    set("fleet-clear", {disabled: !is});
    for (const button of document.querySelectorAll("[data-check]")) button.setAttribute("aria-pressed", String(button.getAttribute("data-check") === asked.check));
  }

  /** Show an address from the start: when the page opens, and when the browser goes back. */
  function showAddress() {
    asked = fromQuery(location.search);
    keep();
    rows.apply(asked);
    rows.renew();
    (asked.bars.length ? asked.bars : BARS).forEach((value, place) => set(`fleet-bars-${place}`, {value}));
    set("fleet-columns", {value: rows.shownColumns()});
    set("fleet-tabs", {value: asked.tab});
    rows.first.then(publish);
    showState();
    rows.first.then(showPicked);
  }

  // ---- searches side by side, boards ---------------------------------------------------------------------------------

  /** @param {string} id @param {boolean} isPicked */
  function pick(id, isPicked) {
    if (asked.picked.includes(id) === isPicked) return; // the table reports a change that came from here
    const others = asked.picked.filter((each) => each !== id);
    if (isPicked && others.length >= MOST_PICKED) mcts.message.say(`${MOST_PICKED} searches at most stand side by side; the first one made room.`);
    change({picked: isPicked ? [...others.slice(1 - MOST_PICKED), id] : others, ...(isPicked ? {tab: "picked"} : {})}, false);
    if (isPicked) set("fleet-tabs", {value: "picked"});
    rows.tick(asked.picked);
    showPicked();
  }

  function showPicked() {
    const none = asked.picked.length === 0;
    for (const box of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".fleet-curves, .fleet-trees"))) box.hidden = none;
    const note = mcts.dom.byId("fleet-curves-note");
    if (note) note.hidden = !none;
    if (asked.tab !== "picked" || none) return;
    set("fleet-picked", {data: {picked: asked.picked, theme}});
    showTrees();
  }

  async function showTrees() {
    const {picked} = asked, missing = picked.filter((id) => !known.has(id));
    try {
      for (const row of missing.length ? await rows.ofSearches(missing) : []) known.set(row.search_id, row);
    } catch (error) {
      mcts.message.say(mcts.dom.messageOf(error));
    }
    if (picked === asked.picked) mcts.fleetGallery.showTrees(picked.map((id) => known.get(id)).filter(Boolean), theme);
  }

  function showBoards() {
    if (asked.tab === "boards") mcts.fleetGallery.showBoards(seen, theme);
  }

  /** @param {any[]} now rows in sight */
  function noticeSeen(now) {
    const isSame = now.length === seen.length && now.every((row, i) => row.search_id === seen[i].search_id);
    seen = now;
    for (const row of now) known.set(row.search_id, row);
    if (!isSame) showBoards();
  }

  // ---- controls ------------------------------------------------------------------------------------------------------

  /** Which histogram or box called. @returns {number} */
  const placeOf = () => Number(String(mcts.dash.triggered()).split("-").pop());

  /** @param {any} event of Plotly: clickData or selectedData */
  const customOf = (event) => (event?.points ?? []).map((/** @type {any} */ point) => point.customdata);

  mcts.dash.offer("fleet", {
    toggleTheme: () => theme === "dark" ? "light" : "dark",
    applyTheme,
    openHelp: () => true,
    clear(/** @type {number} */ clicks) {
      if (!clicks) return;
      rows.setFilter({});
      change({filter: {}, brush: [], check: ""});
      rows.renew();
    },
    setColumns(/** @type {string[]} */ names) {
      if (!isReady || !names?.length || String([...names].sort()) === String(rows.shownColumns().sort())) return;
      rows.showColumns(names);
      change({columns: rows.shownColumns()}, false);
      rows.renew();
    },
    setTab(/** @type {string} */ tab) {
      if (!isReady || tab === asked.tab) return;
      change({tab}, false);
      showBoards();
      showPicked();
    },
    setBars(/** @type {string} */ column) {
      const bars = [...(asked.bars.length ? asked.bars : BARS)];
      if (!isReady || !column || bars[placeOf()] === column) return;
      bars[placeOf()] = column;
      change({bars}, false);
    },
    pickBars(/** @type {any} */ event) {
      const found = customOf(event);
      if (!isReady || !found.length) return;
      const column = (asked.bars.length ? asked.bars : BARS)[placeOf()];
      const bars = [...new Map(found.map((/** @type {any} */ each) => [JSON.stringify(each), each])).values()];
      const condition = conditionOf(bars, rows.isNumber(column));
      const {[column]: before, ...others} = asked.filter;
      rows.setFilter(condition === null || JSON.stringify(before) === JSON.stringify(condition) ? others : {...others, [column]: condition});
    },
    brush(/** @type {any} */ event) {
      const keys = window.dash_component_api.getLayout("fleet-answer-keys")?.props.data ?? [];
      const found = customOf(event).map((/** @type {number} */ n) => keys[n]).filter(Boolean);
      if (!isReady || !event) return;
      change({brush: [...new Map(found.map((/** @type {any} */ each) => [JSON.stringify(each), each])).values()]});
    },
  });

  /** Buttons that Python has written into the page. @param {Event} event */
  function onClick(event) {
    const button = mcts.dom.targetOf(event).closest?.("[data-question], [data-check], [data-brush]");
    if (!(button instanceof HTMLElement)) return;
    const {question, check, brush} = button.dataset;
    if (question !== undefined) change({question, brush: []});
    else if (check !== undefined) change({check: check === asked.check ? "" : check});
    else if (brush !== undefined) change({brush: [JSON.parse(brush)]});
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    const at = mcts.dom.targetOf(event);
    if (event.key !== "?" || event.ctrlKey || event.metaKey || event.altKey || at.closest?.("input, textarea, [contenteditable]")) return;
    event.preventDefault();
    set("help", {opened: true});
  }

  async function wire() {
    document.addEventListener("click", onClick);
    document.addEventListener("keydown", onKey);
    await rows.wire(() => asked, {change, pick, seen: noticeSeen});
    isReady = true;
    showAddress();
    addEventListener("popstate", showAddress);
  }

  function whenReady() {
    if (mcts.dom.byId("fleet-table") && mcts.dash.isReady() && window.dash_ag_grid?.getApiAsync) wire(); else requestAnimationFrame(whenReady);
  }

  /** As soon as our own scripts are there. */
  function begin() {
    asked = fromQuery(location.search);
    document.documentElement.dataset.mctsTheme = theme = keptTheme() || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    rows.askEarly(asked);
    whenReady();
  }

  return {begin, asked: () => asked};
})();
