/* Where the marks of a trace come from: events of the search, the first visit of the node selected, health findings, notes. */
mcts.marksSource = (() => {
  const REST = 9;          // wait after marks of a growing trace: this many times as long as they took,
  const BETWEEN = 25;      // or as a look that finds more does: what they ask for makes the next one late
  const QUIET = 1200;      // milliseconds after a trace was opened, or has grown, until its health is asked for, and marks that wait;
  const LOOKS = 2;         // and this many times as long as the last look took that found more: another one may be on its way

  /** @returns {MarksAnswer} */
  const nothing = () => ({events: [], found: {}, hidden: {}});

  /** onChange(): there are other marks. @param {(text: string) => void} say @param {() => void} onChange */
  function create(say, onChange) {
    let trace = "", last = 0, ticket = 0, visited = "";
    let answer = nothing(), /** @type {MarkEvent | null} */ visit = null, /** @type {MarkEvent[]} */ notes = [], /** @type {MarkEvent[]} */ hits = [];
    let /** @type {FindingMarks | null} */ findings = null; // null: not checked
    let /** @type {number | null} */ limit = null;          // threshold of the root value
    let timer = 0, asking = 0, isAsking = false, isStale = false, isStill = false, cameAt = 0, took = 0; // when the marks came, and in how many milliseconds
    let looked = 0;         // milliseconds: the last look that found more

    /** @param {string} path */
    const api = (path) => mcts.binary.fetchJson(`${mcts.requests.traceUrl(trace)}/${path}`);

    /** Ask when the last answer lies back a few times as long as it took: a growing trace has new marks all the time. */
    function askAgain() {
      clearTimeout(asking);
      if (isAsking) { isStale = true; return; }
      asking = setTimeout(fetchEvents, isStill ? 0 : Math.max(0, cameAt + Math.max(REST * took, BETWEEN * looked) - performance.now()));
    }

    async function fetchEvents() {
      const mine = ++ticket, began = performance.now();
      clearTimeout(asking);
      [asking, isAsking, isStale] = [0, true, false];
      try {
        const found = await api(`marks?n_iterations=${last}${limit === null ? "" : `&threshold=${limit}`}`);
        if (mine !== ticket) return;
        answer = found;
        onChange();
      } catch (error) {
        if (mine === ticket) say(`The marks could not be fetched: ${mcts.dom.messageOf(error)}`);
      } finally {
        if (mine === ticket) {
          const now = performance.now();
          isAsking = false;
          [cameAt, took] = [now, now - began];
          if (isStale) askAgain();
        }
      }
    }

    /** The trace has not grown for a while. */
    function rest() {
      isStill = true;
      if (findings === null) fetchFindings();
      if (asking) fetchEvents();
    }

    /** @param {number} node */
    async function fetchVisit(node) {
      const asked = `${trace} ${last} ${node}`;
      if (asked === visited) return;
      visited = asked;
      let found = null;
      try {
        if (node > 0) found = (await api(`first-visit?node=${node}&n_iterations=${last}`)).event;
      } catch {
        found = null; // a node of another trace, in the address: the inspector shows the error
      }
      if (asked !== visited) return;
      visit = found;
      onChange();
    }

    async function fetchFindings() {
      const of = trace;
      try {
        const {marks} = await api("findings");
        if (of === trace && marks !== null) { findings = marks; onChange(); }
      } catch (error) {
        if (of === trace) say(`The health of this search could not be checked: ${mcts.dom.messageOf(error)}`);
      }
    }

    return {
      /** A trace was opened, or has grown to n iterations. @param {string} key @param {number} n @param {boolean} isOther @param {number | null} threshold */
      set(key, n, isOther, threshold) {
        if (isOther) { [answer, visit, findings, notes, hits] = [nothing(), null, null, [], []]; }
        [trace, last, limit, isStill] = [key, n, threshold, false];
        clearTimeout(timer);
        timer = setTimeout(rest, QUIET + LOOKS * looked);
        clearTimeout(asking);
        if (isOther) fetchEvents(); else askAgain();
      },
      /** See the cursor's. @param {number} took @param {boolean} hasGrown */
      noteLook(took, hasGrown) { looked = hasGrown ? took : 0; },
      /** @param {number | null} threshold */
      setThreshold(threshold) { limit = threshold; fetchEvents(); },
      fetchVisit,
      setFindings(/** @type {FindingMarks | null} */ marks) { findings = marks; onChange(); },
      setHits(/** @type {MarkEvent[]} */ marks) { hits = marks; onChange(); },
      setNotes(/** @type {MarkEvent[]} */ marks) { notes = marks; onChange(); },
      answer: () => answer,
      findings: () => findings,
      /** Every event there is, shown or not, in order. */
      all() {
        const more = [...(visit ? [visit] : []), ...(findings ? findings.events : []), ...notes, ...hits];
        return mcts.events.sorted([...answer.events, ...more].filter((event) => event.iteration <= last));
      },
    };
  }

  return {create};
})();
