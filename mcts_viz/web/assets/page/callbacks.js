/* The controls of the page as Dash's client-side call-backs: each function is a control. */
(() => {
  const {app, page} = mcts, {clicked, set, submit, triggered, wasClicked} = mcts.dash;

  /** A call-back that acts on a click, and not when the page begins. @param {() => unknown} act */
  const onClick = (act) => (/** @type {number} */ clicks) => { if (clicks) act(); };
  /** The same of a control that is one of many, by what is written in its id. @param {(id: any) => void} act */
  const onOneOf = (act) => () => { if (wasClicked()) act(triggered()); };

  /** @param {number} iteration */
  function goTo(iteration) {
    app.stop();
    app.seek(iteration);
  }

  let finds = 0;

  mcts.dash.offer("mcts", {
    clicked,
    askToFind: () => wasClicked() ? {text: /** @type {HTMLInputElement} */ (mcts.dom.the("find-text")).value, asked: ++finds} : mcts.dash.nothing(),
    /** Of another text than the one asked for, which is told a moment later. */
    forgetFindError: (/** @type {string | null} */ typed, /** @type {{text: string} | null} */ asked) =>
      asked?.text === typed ? mcts.dash.nothing() : "",
    chooseTrace: page.chooseTrace,
    openMade: page.openMade,
    openFile: onClick(mcts.files.open),
    download() { mcts.files.download(); },
    toggleTheme: () => document.documentElement.dataset.mctsTheme === "dark" ? "light" : "dark",
    applyTheme: page.applyTheme,
    help: onClick(page.help),
    find: onClick(page.find),
    startSearch(/** @type {number} */ clicks) { if (clicks) submit(triggered().replace(/-start$/, "-go"), clicks); },
    isFilled: (/** @type {string | null} */ text) => Boolean(text && text.trim()),
    newSearch: onClick(() => {
      mcts.message.say(""); // none over its buttons
      mcts.firstGame.choose("search", {size: "", moves: ""});
      set("new-search", {opened: true});
    }),
    step: onOneOf(({step}) => {
      if (step === "first") app.seek(0);
      else if (step === "last") app.seek(Infinity);
      else app.step(Number(step));
    }),
    toggleFollow: onClick(mcts.live.toggle),
    testVerdict: onOneOf(({test}) => { if (test === "health") set("tabs", {value: "health"}); }),
    goToRollout(/** @type {any} */ cell) { if (cell && cell.colId === "iteration") goTo(Number(cell.rowId)); },
    togglePhase: onOneOf(({phase}) => app.setPhase(app.cursor()?.phase === phase ? null : phase)),
    togglePlay: onClick(app.togglePlay),
    setSpeed: page.setSpeed,
    setView(/** @type {string} */ colour, /** @type {string} */ size, /** @type {string} */ budget, /** @type {string} */ viewpoint) {
      mcts.following.hear({"colour-select": colour, "size-select": size, "budget-select": budget, "viewpoint-select": viewpoint});
      app.setView({colour, size, budget: Number(budget), viewpoint});
    },
    followLink: onOneOf(({iteration, node}) => {
      if (iteration >= 0) app.seek(iteration);
      if (node >= 0) app.select(node);
    }),
    focusCrumb: onOneOf(({node}) => { app.focus(node); }),
    goToFinding: onOneOf(({place}) => {
      const [iteration, node] = place.split(" ")[1].split("/");
      if (iteration) goTo(Number(iteration));
      if (node) app.select(Number(node));
    }),
    tellChecking(/** @type {{trace: string | null} | null} */ cursor) { mcts.checking.tell(cursor); },
    resetZoom: onClick(app.resetZoom),
    toggleNumbers: onClick(() => { app.setView({numbers: app.cursor()?.view.numbers ? 0 : 1}); }),
    toggleMatch: onClick(mcts.match.toggle),
    beginMatch: onClick(() => { mcts.message.say(""); mcts.match.begin(); }),
    followMatch: mcts.match.follow,
    fitBudget: mcts.match.fitBudget,
    showEngine: () => triggered().endsWith("-more"),
    hideEngines: (/** @type {string} */ first, /** @type {string} */ second) => [first === "person", second === "person"],
    select(/** @type {number} */ node) { if (Number.isInteger(node)) app.select(node); },
    selectRow(/** @type {any} */ cell) { if (cell && cell.rowId !== undefined && !mcts.origin.askedInTable(cell)) app.select(Number(cell.rowId)); },
  });
})();
