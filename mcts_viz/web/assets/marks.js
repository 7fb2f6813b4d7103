/* Marks on the timeline: events, findings and notes, each a place to go to; their menu; and the keys n and p.

   What is hidden, and the threshold, stand in the address: a copied link shows the same marks. */
window.mcts = window.mcts || {};

mcts.marks = (() => {
  "use strict";

  const INSET = 8;         // as in timeline.js
  const APART = 9;         // pixels; marks that are nearer become one
  const LINES = 8;         // events that the card of a mark names
  const REST = 4;          // after marks of a growing trace: so many times as long as they took
  const QUIET = 1200;      // milliseconds after a trace was opened until its health is asked for
  /* kind: [words, shape in a box of 12 × 12]; of marks that become one, the first kind of this list gives the shape */
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
  };
  const ORDER = Object.keys(KINDS);

  const count = new Intl.NumberFormat("en-US").format;

  function element(tag, className, text) {
    const made = document.createElement(tag);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  }

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

  // ---- what needs no page ------------------------------------------------------------------------------------------

  const rank = (event) => ORDER.indexOf(event.kind);

  /** Events by iteration, those of one iteration by kind. */
  const sorted = (events) => [...events].sort((a, b) => a.iteration - b.iteration || rank(a) - rank(b));

  /** Sorted events whose places x (pixels) are too near to tell apart, together: [{x, events}]. */
  function clusters(events, x) {
    const found = [];
    for (const event of events) {
      const at = x(event.iteration), last = found[found.length - 1];
      if (last && at - last.x < APART) last.events.push(event); else found.push({x: at, events: [event]});
    }
    return found;
  }

  /** The events of the nearest iteration after t (+1) or before it (−1) that has any; [] when none has. */
  function beside(events, t, direction) {
    const further = events.filter((event) => direction > 0 ? event.iteration > t : event.iteration < t);
    const next = direction > 0 ? further[0] : further[further.length - 1];
    return next ? further.filter((event) => event.iteration === next.iteration) : [];
  }

  const leading = (events) => events.reduce((a, b) => rank(b) < rank(a) ? b : a);

  /** {off: kinds not shown, threshold} of an address; what it does not name is as at first. */
  function fromQuery(search) {
    const query = new URLSearchParams(search);
    const off = (query.get("marks-off") || "").split(",").filter((kind) => kind in KINDS);
    const text = query.get("threshold"), threshold = text === null || text.trim() === "" ? NaN : Number(text);
    return {off: new Set(off), threshold: Number.isFinite(threshold) ? threshold : null};
  }

  function toQuery({off, threshold}, search) {
    const query = new URLSearchParams(search);
    query.delete("marks-off");
    query.delete("threshold");
    if (off.size) query.set("marks-off", ORDER.filter((kind) => off.has(kind)).join(","));
    if (threshold !== null) query.set("threshold", threshold);
    const text = query.toString().replaceAll("%2C", ",");
    return text && `?${text}`;
  }

  // ---- on the page -------------------------------------------------------------------------------------------------

  /** container: the timeline's element. actions: go(iteration, node or null), threshold(value or null), say(text). */
  function create(container, actions) {
    const lane = element("div", "mcts-lane");
    lane.setAttribute("role", "group");
    const card = element("div", "mcts-card mcts-mark-card");
    card.hidden = true;
    const now = element("span", "mcts-now");
    now.setAttribute("aria-live", "polite");
    const menu = menuOf();
    container.insertBefore(lane, container.querySelector(".mcts-scrubber"));
    container.querySelector(".mcts-timeline-head").append(now, menu.box);
    document.body.append(card);

    const chosen = fromQuery(location.search);
    let trace = null, last = 0, range = [0, 1], ticket = 0;
    let told = {events: [], found: {}, hidden: {}}, visit = null, visited = null, notes = [];
    let findings = null;               // null: not checked
    let at = {iteration: 0, node: 0}, timer = null;
    let asking = null, isAsking = false, isStale = false, restedAt = 0; // when the server may be asked again
    let end = null; // {from, direction, reached} of n or p that has found no further mark: from may be on its way

    const api = (path) => mcts.binary.fetchJson(`api/trace/${encodeURIComponent(trace)}/${path}`);

    /** Every event there is, filtered or not. */
    function all() {
      const more = [...(visit ? [visit] : []), ...(findings ? findings.events : []), ...notes];
      return sorted([...told.events, ...more].filter((event) => event.iteration <= last));
    }

    const shown = () => all().filter((event) => !chosen.off.has(event.kind));

    // ---- drawing -----------------------------------------------------------------------------------------------------

    function draw() {
      const width = container.clientWidth - 2 * INSET;
      const events = shown();
      lane.replaceChildren(...clusters(events, (t) => INSET + width * t / Math.max(1, last)).map(mark));
      lane.setAttribute("aria-label", `${count(events.length)} marks; n and p go to the next and the previous one`);
      card.hidden = true;
      drawMenu(events);
      tellHere();
    }

    function mark({x, events}) {
      const made = element("button", events.length > 1 ? "mcts-mark-button many" : "mcts-mark-button");
      const first = leading(events);
      Object.assign(made, {type: "button", tabIndex: -1});
      made.style.left = `${x}px`;
      made.dataset.kind = first.kind;
      made.dataset.iteration = first.iteration;
      made.setAttribute("aria-label", `iteration ${count(first.iteration)}: ${first.text}${events.length > 1 ? `, and ${events.length - 1} more` : ""}`);
      made.append(glyph(first.kind));
      made.addEventListener("click", () => { card.hidden = true; go(first); });
      made.addEventListener("pointerenter", () => showCard(made, events));
      made.addEventListener("pointerleave", () => { card.hidden = true; });
      return made;
    }

    function line(event) {
      const made = element("div", "mcts-mark-line");
      made.append(glyph(event.kind), element("b", "", count(event.iteration)), element("span", "", event.text));
      return made;
    }

    function showCard(over, events) {
      card.replaceChildren(...events.slice(0, LINES).map(line));
      if (events.length > LINES) card.append(element("div", "mcts-mark-more", `+${count(events.length - LINES)} more here`));
      card.hidden = false;
      const box = over.getBoundingClientRect();
      card.style.left = `${Math.max(6, Math.min(box.left - 20, innerWidth - card.offsetWidth - 6))}px`;
      card.style.top = `${box.top - card.offsetHeight - 8}px`;
    }

    /** What happened in the iteration shown; after n or p at the end of the marks, that there are no more, while that is so. */
    function tellHere() {
      const events = shown(), here = events.filter((event) => event.iteration === at.iteration);
      if (end && beside(events, end.from, end.direction).length) end = null;
      now.replaceChildren();
      if (here.length) now.append(glyph(here[0].kind));
      now.append(end && end.from === at.iteration ? `no mark ${end.direction > 0 ? "after" : "before"} this` : here.map((event) => event.text).join(" · "));
      now.title = now.textContent;
    }

    // ---- the menu ----------------------------------------------------------------------------------------------------

    function menuOf() {
      const box = element("div", "mcts-marks"), button = element("button", "mcts-marks-button"), panel = element("div", "mcts-marks-menu");
      const list = element("fieldset", "mcts-marks-kinds"), limit = element("label", "mcts-marks-threshold", "threshold of root value");
      const field = element("input"), note = element("p", "mcts-marks-note");
      Object.assign(button, {type: "button", title: "Which marks to show; n and p go from one to the next"});
      Object.assign(field, {type: "number", id: "mark-threshold", step: "any"});
      limit.append(field);
      panel.append(list, limit, note);
      panel.id = "marks-menu";
      panel.hidden = true;
      panel.setAttribute("role", "dialog");
      panel.setAttribute("aria-label", "marks on the timeline");
      button.setAttribute("aria-expanded", "false");
      button.setAttribute("aria-controls", panel.id);
      list.append(element("legend", "", "Marks"));
      const boxes = new Map();
      for (const kind of ORDER) {
        const row = element("label", "mcts-marks-kind"), check = element("input"), number = element("span", "mcts-marks-count");
        Object.assign(check, {type: "checkbox", value: kind});
        check.addEventListener("change", () => setKind(kind, check.checked));
        row.append(check, glyph(kind), element("span", "", KINDS[kind][0]), number);
        list.append(row);
        boxes.set(kind, {check, number});
      }
      const open = (wanted) => {
        panel.hidden = !wanted;
        button.setAttribute("aria-expanded", String(wanted));
        if (wanted) list.querySelector("input").focus();
      };
      button.addEventListener("click", () => open(panel.hidden));
      panel.addEventListener("keydown", (event) => { if (event.key === "Escape") { open(false); button.focus(); event.stopPropagation(); } });
      document.addEventListener("pointerdown", (event) => { if (!panel.hidden && !box.contains(event.target)) open(false); });
      field.addEventListener("change", () => setThreshold(field.value.trim() === "" ? null : Number(field.value)));
      box.append(button, panel);
      return {box, button, boxes, field, note};
    }

    function drawMenu(events) {
      const hidden = Object.values(told.hidden).reduce((a, b) => a + b, 0)
        + all().length - events.length;
      menu.button.textContent = `${count(events.length)} mark${events.length === 1 ? "" : "s"}${hidden ? ` · ${count(hidden)} hidden` : ""} ▾`;
      const present = all();
      for (const [kind, {check, number}] of menu.boxes) {
        check.checked = !chosen.off.has(kind);
        const n = present.filter((event) => event.kind === kind).length, found = told.found[kind] ?? n;
        number.textContent = kind === "finding" && findings === null ? "not checked" : found > n ? `${count(n)} of ${count(found)}` : count(n);
      }
      const [low, high] = range;
      Object.assign(menu.field, {min: low, max: high, placeholder: `${(low + high) / 2} (${low} to ${high})`});
      if (document.activeElement !== menu.field) menu.field.value = chosen.threshold ?? "";
      menu.note.textContent = notesOnMenu();
    }

    function notesOnMenu() {
      const parts = [];
      if (Object.keys(told.hidden).length) {
        parts.push("Of many, those changes are shown that lasted longest, and those games and proofs that are nearest to the root; a deepest node when no deeper one follows within a hundredth of the search.");
      }
      if (findings === null) parts.push("Open the tab Health to check this search.");
      else if (findings.elsewhere) parts.push(`${count(findings.elsewhere)} more in the tab Health belong to no iteration.`);
      return parts.join(" ");
    }

    function remember() {
      history.replaceState(history.state, "", location.pathname + toQuery(chosen, location.search) + location.hash);
      draw();
    }

    function setKind(kind, on) {
      if (on) chosen.off.delete(kind); else chosen.off.add(kind);
      remember();
    }

    function setThreshold(value) {
      if (value !== null && !(value >= range[0] && value <= range[1])) {
        actions.say(`No root value can be ${value}: choose a threshold from ${range[0]} to ${range[1]}.`);
        menu.field.value = chosen.threshold ?? "";
        return;
      }
      chosen.threshold = value;
      remember();
      fetchEvents();
    }

    // ---- asking the server -------------------------------------------------------------------------------------------

    /** The threshold where this trace's values can reach it; another trace's may be in the address. */
    const threshold = () => chosen.threshold !== null && chosen.threshold >= range[0] && chosen.threshold <= range[1] ? chosen.threshold : null;

    /** Ask when the last answer lies back a few times as long as it took: a growing trace has new marks all the time. */
    function askAgain() {
      clearTimeout(asking);
      if (isAsking) { isStale = true; return; }
      asking = setTimeout(fetchEvents, Math.max(0, restedAt - performance.now()));
    }

    async function fetchEvents() {
      const mine = ++ticket, limit = threshold(), began = performance.now();
      actions.threshold(limit);
      [isAsking, isStale] = [true, false];
      try {
        const found = await api(`marks?n_iterations=${last}${limit === null ? "" : `&threshold=${limit}`}`);
        if (mine !== ticket) return;
        told = found;
        draw();
      } catch (error) {
        if (mine === ticket) actions.say(`The marks could not be fetched: ${error.message}`);
      } finally {
        if (mine === ticket) {
          const now = performance.now();
          isAsking = false;
          restedAt = now + REST * (now - began);
          if (isStale) askAgain();
        }
      }
    }

    async function fetchVisit() {
      const {node} = at, asked = `${trace} ${last} ${node}`;
      if (asked === visited) return;
      visited = asked;
      let found = null;
      try {
        if (node > 0) found = (await api(`first-visit?node=${node}&n_iterations=${last}`)).event;
      } catch (error) {
        found = null; // a node of another trace, in the address: the inspector says so
      }
      if (asked !== visited) return;
      visit = found;
      draw();
    }

    async function fetchFindings() {
      const of = trace;
      try {
        const {marks} = await api("findings");
        if (of === trace && marks !== null) { findings = marks; draw(); }
      } catch (error) {
        if (of === trace) actions.say(`The health of this search could not be checked: ${error.message}`);
      }
    }

    // ---- moving ------------------------------------------------------------------------------------------------------

    const go = (event) => actions.go(event.iteration, event.node ?? null);

    new ResizeObserver(draw).observe(container);

    return {
      /** A trace was opened, or has grown: key and the metadata of its timeline. */
      set(key, meta) {
        const isOther = key !== trace || meta.n_iterations < last;
        if (isOther) { end = null; told = {events: [], found: {}, hidden: {}}; visit = null; findings = null; notes = []; }
        [trace, last, range] = [key, meta.n_iterations, meta.value_range];
        clearTimeout(timer);
        if (findings === null) timer = setTimeout(fetchFindings, QUIET);
        fetchVisit();
        if (isOther) { clearTimeout(asking); fetchEvents(); } else askAgain();
      },

      /** The cursor has come to rest. */
      follow(cursor) {
        if (!cursor || cursor.trace !== trace) return;
        at = {iteration: cursor.iteration, node: cursor.node};
        fetchVisit();
        if (end && end.from === at.iteration) end.reached = true;
        else if (end && end.reached) end = null; // the person went elsewhere
        tellHere();
      },

      setFindings(key, marks) { if (key === trace) { findings = marks; draw(); } },

      setNotes(key, list) {
        if (key !== trace) return;
        notes = list.map(({iteration, node, text}) => ({kind: "note", iteration, node, text: text.trim().split("\n")[0] || "bookmark"}));
        draw();
      },

      /** Go to the next (+1) or previous (−1) iteration that has a mark. */
      step(direction, from) {
        const found = beside(shown(), from, direction);
        end = found.length ? null : {from, direction, reached: from === at.iteration};
        if (found.length) go(leading(found)); else tellHere();
      },

      shown, refresh: draw,
    };
  }

  return {create, clusters, beside, sorted, fromQuery, toQuery, KINDS: ORDER};
})();
