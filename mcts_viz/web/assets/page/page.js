/* The page's start: which trace opens, and what the parts of the page tell each other. */
mcts.page = (() => {
  const {set} = mcts.dash, {byId} = mcts.dom, {say} = mcts.message;
  const HINT = "press → to step, space to play, click a node", STILL = "click a node";
  const KEY = /-[0-9a-f]{8}(:\d+)?$/; // how the key of a trace ends
  let /** @type {string | null} */ chosen = null; // the trace asked for last
  let hasBegun = false, isWired = false, isOpen = false, shownSpeed = 0;

  // ---- opening -----------------------------------------------------------------------------------------------------

  /** @param {string} key @param {Place} part */
  function open(key, part) {
    chosen = key;
    return mcts.app.openTrace(key, part);
  }

  function showChosen() {
    if (chosen) set("trace-select", {value: mcts.searches.optionOf(chosen)});
  }

  /** The trace that an address names, by its key or by a name that only one has. @param {Place & {trace?: string}} asked */
  async function openAsked(asked) {
    let key = String(asked.trace);
    if (!KEY.test(key)) {
      try {
        ({key} = await mcts.binary.fetchJson(`api/start?trace=${encodeURIComponent(key)}`));
      } catch { /* opening it says why */ }
    }
    return open(key, asked);
  }

  /** The trace in the address, else the first of the list at its end, for a newcomer in its middle. Begins before Dash is up. */
  async function start() {
    const asked = mcts.app.fromAddress();
    if (asked.trace) return openAsked(mcts.live.isAsked() ? {...asked, iteration: Infinity} : asked);
    try {
      const {key, follow, midway, where} = await mcts.binary.fetchJson("api/start");
      if (key && follow) whenReady(() => mcts.live.follow(true));
      if (key) return open(key, midway ? {iteration: "middle"} : {});
      whenReady(() => { mcts.nothing.showEmpty(where); hasOpened(); });
    } catch (error) {
      whenReady(() => { onNothing(mcts.dom.messageOf(error), ""); hasOpened(); });
    }
    return undefined;
  }

  /** From the list. What the page itself has put there may be older than the trace that is open by now. @param {string} key */
  function chooseTrace(key) {
    if (key && key !== mcts.searches.optionOf(chosen ?? "") && mcts.attention.wasPicked("trace-select")) open(key, {});
  }

  /** A new trace: recorded or uploaded a moment ago, or one that a search of the page's own has begun to write.
      @param {{key: string, at?: string} | null} made */
  async function openMade(made) {
    if (made && made.at === "growing") {
      await open(made.key, {iteration: Infinity});
      if (mcts.app.cursor()?.trace === made.key) mcts.live.followToEnd();
      return;
    }
    if (made && made.key !== chosen) open(made.key, {});
  }

  /** The trace in the address, which the browser has gone back to. */
  function goBack() {
    const asked = mcts.app.fromAddress();
    if (asked.trace) openAsked(asked).then(showChosen);
  }

  /** No trace is open. @param {string} words why @param {string} key of the one that was to be opened */
  function onNothing(words, key) {
    mcts.live.forget();
    set("cursor", {data: null}); // nothing of an earlier trace's can be found or searched again
    mcts.nothing.show(words, key, (other) => {
      set("trace-select", {value: other});
      open(other, {});
    });
  }

  // ---- theme, help -------------------------------------------------------------------------------------------------

  const preferred = () => matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";

  /** @param {string | null} theme */
  function applyTheme(theme) {
    const name = theme || preferred();
    document.body.dataset.agThemeMode = name;
    const isOther = name !== document.documentElement.dataset.mctsTheme;
    mcts.app.setTheme(name);
    if (isOther) { mcts.following.again(); mcts.match.redraw(); }
    return name;
  }

  /** The theme as Dash keeps it, before Dash can tell. @returns {string | null} */
  function keptTheme() {
    try {
      return JSON.parse(localStorage.getItem("theme") ?? "null");
    } catch {
      return null; // of other code
    }
  }

  function fillKeys() {
    const list = byId("key-list");
    if (list) mcts.keys.fill(list, () => true); else requestAnimationFrame(fillKeys);
  }

  function find() {
    if (!mcts.app.cursor()?.trace) return;
    mcts.typing.awaitField();
    set("find", {opened: true});
  }

  function help() {
    set("help", {opened: true});
    requestAnimationFrame(fillKeys);
  }

  // ---- the parts of the page ---------------------------------------------------------------------------------------

  /** @param {Reach} reach */
  function showReach(reach) {
    mcts.reach.show(reach);
    set("speed-select", {disabled: Boolean(reach.steps)});
    set("hint", {children: reach.steps ? STILL : HINT});
  }

  /** @param {boolean} playing @param {number} speed */
  function showPlaying(playing, speed) {
    byId("play-button")?.classList.toggle("playing", playing);
    if (speed === shownSpeed) return;
    shownSpeed = speed;
    set("speed-select", {value: String(speed)});
  }

  /** @param {string} value */
  function setSpeed(value) {
    if (!mcts.attention.wasPicked("speed-select")) return; // what the page itself has put there, perhaps older than the speed
    shownSpeed = Number(value);
    mcts.app.setSpeed(shownSpeed);
  }

  /** @param {() => void} then */
  function whenReady(then) {
    if (byId("tree-graph") && mcts.dash.isReady()) then(); else requestAnimationFrame(() => whenReady(then));
  }

  /** A trace is open, or the page shows why there is none. */
  function hasOpened() {
    mcts.firstPicture.remove();
    isOpen = true;
    if (isWired) mcts.typing.giveToPage();
  }

  function wire() {
    mcts.firstPicture.giveWay();
    Object.assign(mcts.app, /** @type {Partial<AppEvents>} */ ({
      onRest: mcts.following.follow, onFind: find, onHelp: help, onReach: showReach,
      onWhy: () => set("tabs", {value: "why"}),
      onFollow: mcts.live.toggle, onSearch: mcts.searches.step, onLeaveEnd: mcts.live.leave, onPlayChange: showPlaying,
      onView(meta) {
        mcts.nothing.hide();
        mcts.match.markOpen();
        mcts.searches.follow(String(mcts.app.cursor()?.trace));
        mcts.live.onView(String(mcts.app.cursor()?.trace), meta);
      },
    }));
    if (mcts.live.isAsked()) mcts.live.follow(true);
    byId("fleet-link")?.setAttribute("href", `fleet/${sessionStorage.getItem("mcts-fleet") ?? ""}`); // as it was left
    mcts.app.mount();
    mcts.match.wire();
    mcts.focus.wire();
    mcts.places.wire(say);
    mcts.origin.wire(say);
    mcts.tour.wire();
    showChosen();
    mcts.attention.hideHintOnFirstUse();
    mcts.files.takeDropped();
    mcts.attention.giveKeysBack();
    mcts.attention.noticePicks();
    mcts.attention.leaveListsOut();
    addEventListener("popstate", goBack);
    isWired = true;
    if (isOpen) mcts.typing.giveToPage();
  }

  /** Begin as soon as our own scripts are there; those of Dash come after them, and take longer. */
  function begin() {
    if (hasBegun) return;
    hasBegun = true;
    mcts.app.setTheme(keptTheme() || preferred());
    mcts.app.onEarly = mcts.firstPicture.show;
    mcts.app.onOpen = hasOpened;
    mcts.app.onNothing = (words, key) => whenReady(() => onNothing(words, key));
    mcts.typing.awaitPage();
    start().then(() => whenReady(showChosen));
    whenReady(wire);
  }

  addEventListener("DOMContentLoaded", begin); // where the page's HTML is not ours to call it from

  return {begin, start, open, chooseTrace, openMade, applyTheme, help, find, setSpeed, upload: mcts.files.upload, save: mcts.files.save, HINT};
})();
