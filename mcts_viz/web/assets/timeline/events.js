/* Events on the timeline: their kinds and order, those that are near each other, and which of them an address shows. */
mcts.events = (() => {
  const APART = 9;         // pixels; marks that are nearer become one
  /* kind: [words, shape in a box of 12 × 12]; of marks that become one, the first kind of this list gives the shape */
  /** @type {Record<string, [string, string]>} */
  const KINDS = {
    note: ["notes", "M3 1h6v10l-3-2.6L3 11z"],
    finding: ["health findings", "M6 .8 11.6 11H.4zM5.4 4.4v3.2h1.2V4.4zm0 4v1.2h1.2V8.4z"],
    lead: ["best move changes", "M6 .6 11.4 6 6 11.4.6 6z"],
    value: ["root value crosses the threshold", "M.6 9.2 4 3.4l3 3.2L10 2l1.4 1L7.2 9.4 4.3 6.3 2 10z"],
    proven: ["result proven", "m1.4 6.2 1.5-1.5 2.2 2.2 4.4-4.7L11 3.7 5.1 10z"],
    visit: ["first visit of the selected node", "M6 1.2a4.8 4.8 0 1 0 0 9.6 4.8 4.8 0 0 0 0-9.6zm0 2.2a2.6 2.6 0 1 1 0 5.2 2.6 2.6 0 0 1 0-5.2z"],
    depth: ["new deepest node", "M1 2.6h10L6 11z"],
    terminal: ["finished games found", "M2 2h8v8H2z"],
    kept: ["tree kept from the move before", "M2 1h1.4v10H2zm2 .6h7L8.8 4.2 11 6.8H4z"],
    hit: ["words found", "M5 1a4 4 0 1 0 2.3 7.3L10.4 11.4l1-1-3.1-3.1A4 4 0 0 0 5 1zm0 1.5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5z"],
  };
  const ORDER = Object.keys(KINDS);

  /** A kind's shape. @param {string} kind */
  function glyph(kind) {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    svg.setAttribute("viewBox", "0 0 12 12");
    svg.setAttribute("class", `mcts-glyph mcts-glyph-${kind}`);
    svg.setAttribute("aria-hidden", "true");
    path.setAttribute("d", KINDS[kind][1]);
    path.setAttribute("fill-rule", "evenodd");
    svg.append(path);
    return svg;
  }

  /** @param {MarkEvent} event */
  const rank = (event) => event.kind === "hit" ? -1 : ORDER.indexOf(event.kind); // the most wanted ones come first

  /** By iteration, those of one iteration by kind. @param {MarkEvent[]} events */
  const sorted = (events) => [...events].sort((a, b) => a.iteration - b.iteration || rank(a) - rank(b));

  /** Sorted events whose places x (pixels) are too near to tell apart, together. @param {MarkEvent[]} events
      @param {(iteration: number) => number} x @returns {Cluster[]} */
  function clusters(events, x) {
    /** @type {Cluster[]} */
    const found = [];
    for (const event of events) {
      const at = x(event.iteration), last = found[found.length - 1];
      if (last && at - last.x < APART) last.events.push(event); else found.push({x: at, events: [event]});
    }
    return found;
  }

  /** The events of the nearest iteration after t (+1) or before it (−1) that has any; [] when none has.
      @param {MarkEvent[]} events @param {number} t @param {number} direction */
  function beside(events, t, direction) {
    const further = events.filter((event) => direction > 0 ? event.iteration > t : event.iteration < t);
    const next = direction > 0 ? further[0] : further[further.length - 1];
    return next ? further.filter((event) => event.iteration === next.iteration) : [];
  }

  /** The one of a cluster that gives its shape. @param {MarkEvent[]} events */
  const leading = (events) => events.reduce((a, b) => rank(b) < rank(a) ? b : a);

  /** What an address shows; what it does not name is as at first. @param {string} search @returns {MarkChoice} */
  function fromQuery(search) {
    const query = new URLSearchParams(search);
    const off = (query.get("marks-off") || "").split(",").filter((kind) => kind in KINDS);
    const text = query.get("threshold"), threshold = text === null || text.trim() === "" ? NaN : Number(text);
    return {off: new Set(off), threshold: Number.isFinite(threshold) ? threshold : null};
  }

  /** @param {MarkChoice} choice @param {string} search */
  function toQuery({off, threshold}, search) {
    const query = new URLSearchParams(search);
    query.delete("marks-off");
    query.delete("threshold");
    if (off.size) query.set("marks-off", ORDER.filter((kind) => off.has(kind)).join(","));
    if (threshold !== null) query.set("threshold", String(threshold));
    const text = query.toString().replaceAll("%2C", ",");
    return text && `?${text}`;
  }

  return {KINDS, ORDER, glyph, sorted, clusters, beside, leading, fromQuery, toQuery};
})();
