/* Shows on the page that the server does not answer, and brings the page up to date when it is back.

   Sees every request that fails by what the browser measures of it, those of Dash's call-backs as well: a call-back that
   fails for want of a server is otherwise silent. */
(() => {
  const AGAIN = 1500, LONGEST = 6000; // milliseconds between two questions whether it is back, at first and at last
  const GONE = "The server does not answer. What is loaded stays usable; the page goes on by itself when the server is back.";
  /* the clocks by which panels look at what runs: milliseconds */
  const TICKS = {"search-tick": 250, "what-if-tick": 250, "sure-tick": 250, "match-tick": 250, "why-tick": 700}, STOPPED = 3_600_000;
  const SETTLED = 100; // milliseconds: a call-back that failed sets its clock going again
  let isGone = false, isAsking = false, stopping = 0;

  function banner() {
    let box = mcts.dom.byId("connection");
    if (!box) {
      box = Object.assign(mcts.dom.element("div", "connection"), {id: "connection", hidden: true});
      box.setAttribute("role", "alert");
      document.body.append(box);
    }
    return box;
  }

  /** @param {string} text */
  function show(text) {
    const box = banner();
    box.textContent = text;
    box.hidden = text === "";
    document.documentElement.toggleAttribute("data-mcts-away", text !== "");
  }

  async function answers() {
    try {
      await fetch("api/start", {cache: "no-store"});
      return true;
    } catch {
      return false;
    }
  }

  /** Stop the clocks while the server is away, or let them go on. @param {boolean} isStopped */
  function setTicks(isStopped) {
    clearTimeout(stopping);
    for (const [id, interval] of Object.entries(TICKS)) mcts.dash.set(id, {interval: isStopped ? STOPPED : interval});
  }

  async function waitUntilBack() {
    for (let wait = AGAIN; !(await answers()); wait = Math.min(LONGEST, 1.5 * wait)) await new Promise((later) => setTimeout(later, wait));
    isGone = false;
    setTicks(false);
    show("");
    mcts.app.refresh();
    mcts.live.resume();
  }

  /** A request had no answer: it was given up, or the server is away. */
  async function suspect() {
    if (isGone) {
      clearTimeout(stopping);
      stopping = setTimeout(() => { if (isGone) setTicks(true); }, SETTLED);
    }
    if (isGone || isAsking || document.hidden) return;
    isAsking = true;
    isGone = !(await answers());
    isAsking = false;
    if (!isGone) return;
    show(GONE);
    setTicks(true);
    waitUntilBack();
  }

  new PerformanceObserver((seen) => {
    const requests = /** @type {PerformanceResourceTiming[]} */ (seen.getEntries());
    if (requests.some((each) => each.initiatorType === "fetch" && each.responseStatus === 0)) suspect();
  }).observe({type: "resource"});
})();
