/* Follows a trace that grows: asks the server how its recording stands, lets the picture ride at the end or only the
   timeline lengthen, and says what becomes of the recording. The server keeps nothing of this: the file tells it. */
window.mcts = window.mcts || {};

mcts.live = (() => {
  "use strict";

  const SOON = 75, LATER = 1000;  // milliseconds between two looks: at a growing file, at one that may be made anew
  const REST = 0.35;              // and so many times as long as the last look and its picture took, for slow machines
  const GROWS = ["recording", "unknown", "missing"];

  let following = false;
  let ours = null;         // the trace of a search that the page has started: its own note says how it ended
  let untilEnd = false;    // whether following ends with it
  let shown = null;        // {trace, recording, n, complete}: what the page shows
  let told = null;         // the server's last answer about it
  let timer = null, looking = false;
  let notice = "";         // of a recording that has replaced another

  /** Words into an element of Dash's, where others stand: each such call draws the page's components anew. */
  function write(id, words) {
    if (document.getElementById(id)?.textContent !== words) window.dash_clientside.set_props(id, {children: words});
  }
  const button = () => document.getElementById("follow-button");

  function say() {
    const state = told ? told.state : "complete";
    const isMissing = state === "missing"; // its file, or the server: what was last known of it may not hold any more
    write("live-note", isMissing ? told.words : notice);
    // the note of a complete trace is the server's: how it was searched, what it leaves out, why it ended
    if (state !== "complete") write("trace-note", isMissing ? "" : told.words);
    const follow = button();
    if (!follow) return;
    if (state === "complete" && !following) delete follow.dataset.live; else follow.dataset.live = state;
    follow.setAttribute("aria-pressed", String(following));
  }

  function schedule(wait) {
    clearTimeout(timer);
    timer = setTimeout(look, wait);
  }

  /** When to look again; null: a recording that has ended, and that nobody follows, stays what it is. */
  function pause(took) {
    if (!told || GROWS.includes(told.state)) return Math.max(SOON, REST * took);
    return following || told.state === "broken off" ? LATER : null;
  }

  async function look() {
    if (looking || !shown) return;
    if (document.hidden) return schedule(LATER);
    looking = true;
    const began = performance.now(), {trace} = shown;
    try {
      const answer = await mcts.binary.fetchJson(`api/trace/${encodeURIComponent(trace)}/live`);
      if (shown.trace === trace) await take(answer);
    } catch (error) {
      if (told) told = {...told, state: "missing", words: error.message};
      say();
    } finally {
      looking = false;
    }
    const wait = shown.trace === trace ? pause(performance.now() - began) : 0;
    if (wait !== null) schedule(wait);
  }

  async function take(answer) {
    const before = told || {state: shown.complete ? "complete" : "unknown"}; // as the view had it
    told = answer;
    const isThere = answer.state !== "missing";
    const isAnother = isThere && (answer.recording !== shown.recording || answer.n_iterations < shown.n);
    if (isAnother) await startAgain();
    else if (isThere && answer.n_iterations > shown.n) await grow(answer.n_iterations);
    if (isThere && shown.n < answer.n_iterations) told = {...answer, state: before.state}; // not shown yet: look again
    else if (before.state !== "complete" && answer.state === "complete") ended(before.state, answer.n_iterations, isAnother);
    else if (answer.state === "broken off") notice = ""; // which told of its beginning, or of one before it
    say();
  }

  /** A recording is complete now: the panels, and the note on the trace, are asked for anew. */
  function ended(was, n, isAnother) {
    if (!isAnother) notice = ""; // of its beginning
    if (was === "recording" && shown.trace !== ours) notice = `The recording has ended: it is complete, with ${n.toLocaleString("en-US")} iterations.`;
    mcts.app.touch();
    if (untilEnd) follow(false);
  }

  /** Another recording has taken the file: nothing of the picture holds any more. */
  async function startAgain() {
    notice = "A new recording has begun in this file; it has replaced the one that was shown here. ";
    if (shown.n === 0) notice = ""; // it had only begun: nothing was lost
    const {colour, size, budget} = mcts.app.cursor().view;
    await mcts.app.openTrace(shown.trace, {iteration: following ? Infinity : 0, view: {colour, size, budget}});
  }

  async function grow(to) {
    const n = following ? await mcts.app.ride(to) : await mcts.app.lengthen(to);
    if (n !== null) shown.n = Math.max(shown.n, n);
  }

  /** The page shows a view of a trace: a new one, or the same with more iterations. */
  function onView(trace, meta) {
    const isOther = !shown || shown.trace !== trace;
    if (isOther) { told = null; notice = ""; }
    shown = {trace, recording: meta.recording, n: meta.n_iterations, complete: meta.complete};
    if (isOther) { say(); schedule(0); }
  }

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
    onView, follow,
    followToEnd: () => { follow(true); untilEnd = true; ours = shown.trace; },
    toggle: () => follow(!following),
    leave: () => { if (following) follow(false); },
    isFollowing: () => following,
    isAsked: () => new URLSearchParams(location.search).get("follow") === "1",
    debug: () => ({following, shown, told}),
  };
})();
