/* Follows a trace that grows: asks the server how its recording stands, keeps the picture at the end or only
   lengthens the timeline, and shows the recording's state. The server keeps nothing of this: the file has it all. */
mcts.live = (() => {
  const SOON = 75, LATER = 1000;  // milliseconds between two looks: at a growing file, at one that may be made anew
  const LONGEST = 8000;           // at a server that is gone: each look after twice the pause of the one before
  const REST = 0.2;               // and this many times as long as the last look and its picture took, for slow machines,
  const LONGEST_REST = 100;       // but no longer: what waits meanwhile would be late
  const GROWS = ["recording", "unknown"];
  const MANY = 20000;             // iterations that a look finds, from which on the server reads on while the page draws

  let following = false;
  let /** @type {string | null} */ ours = null;         // the trace of a search that the page has started: its own note says how it ended
  let untilEnd = false;    // whether following ends with it
  let /** @type {LiveShown | null} */ shown = null;        // {trace, recording, n, complete}: what the page shows
  let /** @type {LiveAnswer | null} */ known = null;         // the server's last answer about it
  let stood = "";          // how the recording stood when it, and the server, were there last
  let timer = 0, looking = false, misses = 0; // looks without an answer, one after the other
  let grows = false;       // whether the last look found more
  let /** @type {number | null} */ behind = null; // how many iterations the view has, where that is fewer than were there before
  let replaced = false;    // whether a view has come, since the last look began, of a recording that has taken the file
  let /** @type {{trace: string, answer: Promise<EndAnswer | null>} | null} */ ahead = null; // the next look's answer, on its way
  let notice = "";         // of a recording that has replaced another

  /** What the page shows, once it shows something. */
  const open = () => /** @type {LiveShown} */ (shown);

  /** Up to where the page has it all. */
  const reached = () => behind ?? open().n;

  /** Words into an element of Dash's, where others stand: each such call draws the page's components anew.
      @param {string} id @param {string} words */
  function write(id, words) {
    if (document.getElementById(id)?.textContent !== words) mcts.dash.set(id, {children: words});
  }
  const button = () => document.getElementById("follow-button");

  function say() {
    const state = known ? known.state : "complete", words = known ? known.words : "";
    const isMissing = state === "missing"; // its file, or the server: what was last known of it may not hold any more
    write("live-note", isMissing ? words : notice);
    // the note of a complete trace is the server's: how it was searched, what it leaves out, why it ended
    if (state !== "complete") write("trace-note", isMissing ? "" : words);
    const follow = button();
    if (!follow) return;
    if (state === "complete" && !following) delete follow.dataset.live; else follow.dataset.live = state;
    follow.setAttribute("aria-pressed", String(following));
  }

  /** @param {number} wait */
  function schedule(wait) {
    clearTimeout(timer);
    timer = setTimeout(look, wait);
  }

  /** When to look again; null: not for a recording that has ended. @param {number} took */
  function pause(took) {
    if (misses) return Math.min(LONGEST, LATER * 2 ** (misses - 1));
    if (replaced) return SOON;
    if (ahead) return SOON;
    if (known?.state === "missing") return LATER;
    if (!known || GROWS.includes(known.state)) return Math.max(SOON, Math.min(LONGEST_REST, REST * took));
    return following || known.state === "broken off" ? LATER : null;
  }

  /** What asks about a growing trace goes by how long a look takes. hasGrown: it has found more, and more may come.
      @param {number} took @param {boolean} hasGrown */
  function noteLook(took, hasGrown) {
    mcts.following.noteLook();
    mcts.app.noteLook(took, hasGrown);
    mcts.places.noteLook(took, hasGrown);
  }

  /** How the recording of a trace stands; while each look finds more, what shows its end comes along. @param {string} trace
      @returns {Promise<EndAnswer>} */
  async function ask(trace) {
    const early = ahead;
    ahead = null;
    const answered = early?.trace === trace && await early.answer;
    if (answered) return answered;
    if (following && grows && !mcts.app.isLoading()) return mcts.app.askForEnd(reached());
    return {standing: await mcts.requests.standing(trace), parts: null};
  }

  async function look() {
    if (looking || !shown) return;
    if (document.hidden) return schedule(LATER);
    [looking, replaced] = [true, false];
    const began = performance.now(), {trace, n} = shown;
    try {
      const {standing, parts} = await ask(trace);
      misses = 0;
      if (shown?.trace === trace) await take(standing, parts);
      grows = shown?.trace === trace && shown.n !== n && known?.state !== "complete";
      if (shown?.trace === trace) noteLook(performance.now() - began, grows);
    } catch (error) {
      misses += 1;
      if (known) known = {...known, state: "missing", words: mcts.dom.messageOf(error)};
      say();
    } finally {
      looking = false;
    }
    if (!shown) return;
    const wait = shown.trace === trace ? pause(performance.now() - began) : 0;
    if (wait !== null) schedule(wait);
  }

  /** @param {LiveAnswer} answer @param {EndParts | null} parts */
  async function take(answer, parts) {
    const {trace, complete} = open(), before = known || {state: complete ? "complete" : "unknown"}; // as the view had it
    known = answer;
    const isThere = answer.state !== "missing";
    const isAnother = isThere && (answer.recording !== open().recording || answer.n_iterations < open().n);
    if (isAnother && mcts.app.isLoading()) replaced = true; // what is on its way goes first: perhaps another trace
    else if (isAnother) await startAgain(answer);
    else if (isThere && answer.n_iterations > reached()) await grow(answer.n_iterations, parts);
    if (shown?.trace !== trace) return; // another one was opened meanwhile, or none
    if (isThere && (replaced || reached() < answer.n_iterations)) known = {...answer, state: before.state}; // not shown yet: look again
    else if (before.state !== "complete" && answer.state === "complete") ended(stood, answer.n_iterations, isAnother);
    else if (answer.state === "broken off") notice = ""; // of its beginning, or of an earlier one
    if (isThere) stood = known.state;
    say();
  }

  /** A recording is complete now: the panels, and the note on the trace, are asked for anew.
      @param {string} was @param {number} n @param {boolean} isAnother */
  function ended(was, n, isAnother) {
    if (!isAnother) notice = ""; // of its beginning
    if (was === "recording" && open().trace !== ours) notice = `The recording has ended: it is complete, with ${mcts.dom.count(n)} iterations.`;
    mcts.app.touch();
    if (untilEnd) follow(false);
  }

  /** Another recording has taken the file: nothing of the picture holds any more. @param {LiveAnswer} answer */
  async function startAgain({recording, n_iterations}) {
    notice = "A new recording has begun in this file; it has replaced the one that was shown here. ";
    if (open().n === 0) notice = ""; // it had only begun: nothing was lost
    const {colour, size, budget} = /** @type {Cursor} */ (mcts.app.cursor()).view;
    shown = {...open(), recording, n: n_iterations};
    await mcts.app.openTrace(open().trace, {iteration: following ? Infinity : 0, view: {colour, size, budget}});
  }

  /** @param {number} to @param {EndParts | null} parts what shows its end, if it has come already */
  async function grow(to, parts) {
    const {trace} = open(), n = following ? await ride(parts) : await mcts.app.lengthen(to);
    if (n !== null && shown?.trace === trace) [open().n, behind] = [Math.max(open().n, n), null];
  }

  /** Show the end; of a search that is fast, the server reads on meanwhile. @param {EndParts | null} parts */
  async function ride(parts) {
    const {trace} = open(), n = reached();
    if (mcts.app.isLoading()) return null; // a person's view is on its way, and goes first
    parts ??= (await mcts.app.askForEnd(n)).parts;
    if (!parts || shown?.trace !== trace) return null;
    if (parts.t - n >= MANY && known?.state === "recording") {
      ahead = {trace, answer: mcts.app.askForEnd(parts.t).catch(() => null)};
    }
    return mcts.app.ride(parts);
  }

  /** The page shows a view of a trace: a new one, or the same with more iterations. @param {string} trace @param {Meta} meta */
  function onView(trace, meta) {
    const isOther = shown?.trace !== trace;
    if (!isOther && open().recording !== meta.recording) { // the look opens it
      replaced = true;
      return schedule(0);
    }
    if (isOther) { known = null; notice = stood = ""; }
    const n = isOther ? meta.n_iterations : open().n; // the timeline of the same one is as long as it was: a look lengthens it
    behind = meta.n_iterations < n ? meta.n_iterations : null;
    shown = {trace, recording: meta.recording, n, complete: meta.complete};
    if (isOther) say();
    if (isOther || behind !== null) schedule(0);
  }

  /** No trace is open. */
  function forget() {
    [shown, known, notice, ahead, grows, behind] = [null, null, "", null, false, null];
    clearTimeout(timer);
  }

  /** @param {boolean} on */
  function follow(on) {
    untilEnd = false;
    if (on === following) return;
    following = on;
    mcts.app.setRiding(on);
    const query = new URLSearchParams(location.search);
    if (on) query.set("follow", "1"); else query.delete("follow");
    history.replaceState(history.state, "", `${location.pathname}?${query.toString().replaceAll("%2C", ",")}${location.hash}`);
    say();
    if (on && shown) { mcts.app.seek(Infinity); schedule(0); }
  }

  return {
    onView, follow, forget,
    /** The server is back. */
    resume() { if (shown && misses) schedule(0); },
    followToEnd: () => { follow(true); untilEnd = true; ours = open().trace; },
    toggle: () => follow(!following),
    leave: () => { if (following) follow(false); },
    isFollowing: () => following,
    isAsked: () => new URLSearchParams(location.search).get("follow") === "1",
    debug: () => ({following, shown, known}),
  };
})();
