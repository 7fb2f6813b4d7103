/* Glue between Dash's client-side callbacks and mcts.app: each function is a control of the page. */
window.mcts = window.mcts || {};

mcts.page = (() => {
  "use strict";

  const nothing = () => window.dash_clientside.no_update;
  const set = (id, props) => window.dash_clientside.set_props(id, props);
  const triggered = () => window.dash_clientside.callback_context.triggered_id;
  const wasClicked = () => window.dash_clientside.callback_context.triggered.some((each) => each.value);

  // ---- opening -----------------------------------------------------------------------------------------------------

  let chosen = null; // the trace asked for last

  function open(key, part) {
    chosen = key;
    return mcts.app.openTrace(key, part);
  }

  /** The trace in the address, else the first of the list, in the middle of its search. Begins before Dash is up. */
  async function start() {
    const asked = mcts.app.fromAddress();
    if (asked.trace) return open(asked.trace, mcts.live.isAsked() ? {...asked, iteration: Infinity} : asked);
    try {
      const {key, follow} = await mcts.binary.fetchJson("api/start");
      if (key && follow) whenReady(() => mcts.live.follow(true));
      if (key) return open(key, {iteration: follow ? Infinity : "middle"});
      whenReady(() => { document.getElementById("empty-page").hidden = false; });
    } catch (error) {
      whenReady(() => complain(error.message));
    }
    return undefined;
  }

  /** From the list. What the page itself has put there may be older than the trace that is open by now. */
  function chooseTrace(key) {
    if (key && key !== chosen && wasPicked("trace-select")) open(key, {iteration: "middle"});
  }

  /** A new trace: recorded or uploaded a moment ago, or one that a search of the page's own has begun to write. */
  async function openMade(made) {
    if (made && made.at === "growing") {
      await open(made.key, {iteration: Infinity});
      if (mcts.app.cursor().trace === made.key) mcts.live.followToEnd();
      return;
    }
    if (made && made.key !== chosen) open(made.key, {iteration: made.at === "last" ? Infinity : "middle"});
  }

  // ---- messages ----------------------------------------------------------------------------------------------------

  let fading = null, shownSpeed = null;

  function say(text) {
    set("message", {children: text});
    clearTimeout(fading);
    fading = setTimeout(() => set("message", {children: ""}), 12000);
  }

  const complain = (text) => say(text);

  // ---- files -------------------------------------------------------------------------------------------------------

  /** Streams a file to the server; the browser never holds it in memory. */
  async function upload(file) {
    say(`Opening ${file.name} …`);
    try {
      const answer = await fetch(`api/upload?name=${encodeURIComponent(file.name)}`, {method: "POST", body: file});
      const told = await answer.json();
      if (!answer.ok) return complain(told.error);
      say("");
      set("trace-opened", {data: {key: told.key}});
    } catch (error) {
      complain(`${file.name} could not be sent to the server: ${error.message}`);
    }
  }

  function openFile() {
    const input = document.createElement("input");
    Object.assign(input, {type: "file", accept: ".mcts,.json", id: "file-input", hidden: true});
    document.getElementById("file-input")?.remove();
    document.body.append(input);
    input.addEventListener("change", () => { if (input.files.length) upload(input.files[0]); input.remove(); });
    input.click();
  }

  function takeDroppedFiles() {
    addEventListener("dragover", (event) => event.preventDefault());
    addEventListener("drop", (event) => {
      event.preventDefault();
      if (event.dataTransfer.files.length) upload(event.dataTransfer.files[0]);
    });
  }

  async function download() {
    if (!wasClicked()) return;
    const {format} = triggered(), cursor = mcts.app.cursor();
    if (!cursor || !cursor.trace) return say("There is no trace to export yet.");
    return mcts.exports.run(format, cursor, {say, save});
  }

  /** Let the browser save what an address gives. */
  async function save(address) {
    try {
      const offered = await fetch(address, {method: "HEAD"}); // a refused download would be silent
      if (!offered.ok) return complain((await (await fetch(address)).json()).error);
    } catch (error) {
      return complain(`The export could not be fetched from the server: ${error.message}`);
    }
    return Object.assign(document.createElement("a"), {href: address, download: ""}).click();
  }

  // ---- theme -------------------------------------------------------------------------------------------------------

  const preferred = () => matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";

  function applyTheme(theme) {
    const name = theme || preferred();
    document.body.dataset.agThemeMode = name;
    mcts.app.setTheme(name);
    return name;
  }

  const toggleTheme = () => document.documentElement.dataset.mctsTheme === "dark" ? "light" : "dark";

  // ---- help --------------------------------------------------------------------------------------------------------

  const KEY_NAMES = {ArrowRight: "→", ArrowLeft: "←", ArrowUp: "↑", ArrowDown: "↓", " ": "Space", Escape: "Esc"};

  function fillKeys() {
    const list = document.getElementById("key-list");
    if (!list) return requestAnimationFrame(fillKeys);
    list.replaceChildren(...mcts.app.keys().flatMap(({key, needs, text}) => {
      const name = document.createElement("dt"), meaning = document.createElement("dd");
      for (const part of [needs, key].filter(Boolean)) {
        const cap = document.createElement("kbd");
        cap.textContent = KEY_NAMES[part] || (part.length === 1 ? part : part[0].toUpperCase() + part.slice(1));
        name.append(cap);
      }
      meaning.textContent = text;
      return [name, meaning];
    }));
    return undefined;
  }

  function help() { set("help", {opened: true}); requestAnimationFrame(fillKeys); }

  function find() { set("find", {opened: true}); }

  function hideHintOnFirstUse() {
    const hint = document.getElementById("hint");
    if (!hint) return;
    const hide = () => { hint.classList.add("gone"); removeEventListener("keydown", hide, true); };
    addEventListener("keydown", hide, true);
    document.querySelector(".picture").addEventListener("pointerdown", hide, {once: true});
  }

  const NEEDS_NO_KEYS = "button, [role=tab], [role=option], .ag-row, input[type=checkbox], input[type=radio]";

  /** What was clicked with the mouse gives the keys back to the page: → after a click on a table's row steps. */
  function giveKeysBack() {
    addEventListener("click", (event) => {
      if (event.detail === 0) return; // a press of a key on it
      const clicked = event.target.closest?.("label")?.control ?? event.target; // a label's click focuses its box
      const control = clicked.closest?.(NEEDS_NO_KEYS);
      if (!control || control.closest("[role=dialog], [aria-haspopup=menu]")) return;
      setTimeout(() => { // a select box that loses the focus sooner forgets what was chosen
        const focused = document.activeElement;
        if (focused && !focused.closest("[role=dialog], [role=menu]")) focused.blur();
      });
    });
  }

  // ---- what there is to step through ---------------------------------------------------------------------------------

  const HINT = "press → to step, space to play, click a node", STILL = "click a node";

  function showReach(reach) {
    mcts.reach.show(reach);
    set("speed-select", {disabled: Boolean(reach.steps)});
    set("hint", {children: reach.steps ? STILL : HINT});
  }

  // ---- a new search ------------------------------------------------------------------------------------------------

  const SETTLED = 100; // milliseconds: a number box tells Dash what was typed only when a timer of its own has run
  let starting = null;

  /** Start with what the form shows at this moment, also when it was typed an instant ago. */
  function startSearch(clicks) {
    clearTimeout(starting); // pressed twice is pressed once
    starting = setTimeout(() => set("search-go", {data: clicks}), SETTLED);
  }

  // ---- select boxes ------------------------------------------------------------------------------------------------

  const picked = new Set(); // boxes in which a person has chosen, and Dash has not told us yet

  function noticePicks() {
    addEventListener("click", (event) => {
      const list = event.target.closest?.("[role=option]")?.closest("[role=listbox]");
      const box = list && document.querySelector(`[aria-controls="${CSS.escape(list.id)}"]`);
      if (box) picked.add(box.id);
    }, true);
    addEventListener("keydown", (event) => {
      if (event.key === "Enter") picked.add(event.target.id);
    }, true);
  }

  /** Whether a box's new value is a person's choice; asked once for each. */
  const wasPicked = (id) => picked.delete(id);

  // ---- the page's start --------------------------------------------------------------------------------------------

  function whenReady(then) {
    const isReady = document.getElementById("tree-graph") && window.dash_clientside && window.dash_clientside.set_props;
    if (isReady) then(); else requestAnimationFrame(() => whenReady(then));
  }

  function wire() {
    mcts.firstPicture.giveWay();
    mcts.app.onRest = mcts.panels.follow;
    mcts.app.onFind = find;
    mcts.app.onHelp = help;
    mcts.app.onView = (meta) => {
      document.getElementById("empty-page").hidden = true;
      mcts.match.markOpen();
      mcts.live.onView(mcts.app.cursor().trace, meta);
    };
    mcts.app.onReach = showReach;
    mcts.app.onFollow = mcts.live.toggle;
    mcts.app.onLeaveEnd = mcts.live.leave;
    if (mcts.live.isAsked()) mcts.live.follow(true);
    mcts.app.onPlayChange = (playing, speed) => {
      document.getElementById("play-button")?.classList.toggle("playing", playing);
      if (speed === shownSpeed) return;
      shownSpeed = speed;
      set("speed-select", {value: String(speed)});
    };
    mcts.app.mount();
    mcts.match.wire();
    mcts.focus.wire();
    mcts.places.wire(say);
    if (chosen) set("trace-select", {value: chosen});
    hideHintOnFirstUse();
    takeDroppedFiles();
    giveKeysBack();
    noticePicks();
  }

  /** The theme as Dash keeps it, before Dash can tell. */
  function keptTheme() {
    try {
      return JSON.parse(localStorage.getItem("theme"));
    } catch (error) {
      return null; // nothing of ours
    }
  }

  let hasBegun = false;

  /** Begin as soon as our own scripts are there; those of Dash come after them, and take longer. */
  function begin() {
    if (hasBegun) return;
    hasBegun = true;
    mcts.app.setTheme(keptTheme() || preferred());
    mcts.app.onEarly = mcts.firstPicture.show;
    mcts.app.onOpen = mcts.firstPicture.remove;
    start().then(() => whenReady(() => chosen && set("trace-select", {value: chosen})));
    whenReady(wire);
  }

  addEventListener("DOMContentLoaded", begin); // where the page's HTML is not ours to call it from

  window.dash_clientside = Object.assign({}, window.dash_clientside, {
    mcts: {
      ...window.dash_clientside?.mcts, // of files that came first
      chooseTrace, openMade,
      openFile: (clicks) => { if (clicks) openFile(); },
      download: () => { download(); },
      toggleTheme,
      applyTheme,
      help: (clicks) => { if (clicks) help(); },
      find: (clicks) => { if (clicks) find(); },
      startSearch: (clicks) => { if (clicks) startSearch(clicks); },
      isFilled: (text) => Boolean(text && text.trim()),
      newSearch: (clicks) => { if (clicks) { say(""); set("new-search", {opened: true}); } }, // no message over its buttons
      step: () => {
        if (!wasClicked()) return;
        const {step} = triggered();
        if (step === "first") mcts.app.seek(0);
        else if (step === "last") mcts.app.seek(Infinity);
        else mcts.app.step(Number(step));
      },
      toggleFollow: (clicks) => { if (clicks) mcts.live.toggle(); },
      goToRollout: (cell) => { if (cell && cell.colId === "iteration") { mcts.app.stop(); mcts.app.seek(Number(cell.rowId)); } },
      togglePhase: () => {
        if (!wasClicked()) return;
        const {phase} = triggered();
        mcts.app.setPhase(mcts.app.cursor().phase === phase ? null : phase);
      },
      togglePlay: (clicks) => { if (clicks) mcts.app.togglePlay(); },
      setSpeed: (value) => {
        if (!wasPicked("speed-select")) return; // what the page itself has put there, perhaps older than the speed
        const speed = Number(value);
        shownSpeed = speed;
        mcts.app.setSpeed(speed);
      },
      setView: (colour, size, budget) => {
        mcts.panels.hear({"colour-select": colour, "size-select": size, "budget-select": budget});
        mcts.app.setView({colour, size, budget: Number(budget)});
      },
      followLink: () => {
        if (!wasClicked()) return;
        const {iteration, node} = triggered();
        if (iteration >= 0) mcts.app.seek(iteration);
        if (node >= 0) mcts.app.select(node);
      },
      focusCrumb: () => { if (wasClicked()) mcts.app.focus(triggered().node); },
      goToFinding: () => {
        if (!wasClicked()) return;
        const [iteration, node] = triggered().place.split(" ")[1].split("/");
        if (iteration) { mcts.app.stop(); mcts.app.seek(Number(iteration)); }
        if (node) mcts.app.select(Number(node));
      },
      resetZoom: (clicks) => { if (clicks) mcts.app.resetZoom(); },
      toggleMatch: (clicks) => { if (clicks) mcts.match.toggle(); },
      beginMatch: (clicks) => { if (clicks) { say(""); mcts.match.begin(); } },
      followMatch: (trace, match) => { mcts.match.follow(trace, match); },
      fitBudget: (unit, budget) => mcts.match.fitBudget(unit, budget),
      showEngine: () => triggered().endsWith("-more"),
      hideEngines: (first, second) => [first === "person", second === "person"],
      select: (node) => { if (Number.isInteger(node)) mcts.app.select(node); },
      selectRow: (cell) => { if (cell && cell.rowId !== undefined) mcts.app.select(Number(cell.rowId)); },
    },
  });

  return {begin, start, upload, save, HINT};
})();
