/* Marks on the timeline: events, findings and notes, each a place to go to; and the keys n and p.

   What is hidden, and the threshold, stand in the address: a copied link shows the same marks. */
mcts.marks = (() => {
  const LINES = 8;         // events that the card of a mark names
  const {element, count} = mcts.dom, {glyph, beside, leading} = mcts.events;

  /** A line of a mark's card. @param {MarkEvent} event */
  function line(event) {
    const made = element("div", "mcts-mark-line");
    made.append(glyph(event.kind), element("b", "", count(event.iteration)), element("span", "", event.text));
    return made;
  }

  /** @param {HTMLElement} card @param {Element} over @param {MarkEvent[]} events */
  function showCard(card, over, events) {
    card.replaceChildren(...events.slice(0, LINES).map(line));
    if (events.length > LINES) card.append(element("div", "mcts-mark-more", `+${count(events.length - LINES)} more here`));
    card.hidden = false;
    const box = over.getBoundingClientRect();
    card.style.left = `${Math.max(6, Math.min(box.left - 20, innerWidth - card.offsetWidth - 6))}px`;
    card.style.top = `${box.top - card.offsetHeight - 8}px`;
  }

  /** The button of a cluster. @param {Cluster} cluster @param {HTMLElement} card @param {(event: MarkEvent) => void} go */
  function markOf({x, events}, card, go) {
    const made = element("button", events.length > 1 ? "mcts-mark-button many" : "mcts-mark-button"), first = leading(events);
    Object.assign(made, {type: "button", tabIndex: -1});
    made.style.left = `${x}px`;
    made.dataset.kind = first.kind;
    made.dataset.iteration = String(first.iteration);
    made.setAttribute("aria-label", `iteration ${count(first.iteration)}: ${first.text}${events.length > 1 ? `, and ${events.length - 1} more` : ""}`);
    made.append(glyph(first.kind));
    made.addEventListener("click", () => { card.hidden = true; go(first); });
    made.addEventListener("pointerenter", () => showCard(card, made, events));
    made.addEventListener("pointerleave", () => { card.hidden = true; });
    return made;
  }

  /** @param {HTMLElement} container the timeline's element @param {MarkActions} actions */
  function create(container, actions) {
    const lane = element("div", "mcts-lane"), card = element("div", "mcts-card mcts-mark-card"), now = element("span", "mcts-now");
    lane.setAttribute("role", "group");
    card.hidden = true;
    now.setAttribute("aria-live", "polite");
    const menu = mcts.marksMenu.create({setKind, setThreshold}), source = mcts.marksSource.create(actions.say, draw);
    container.insertBefore(lane, container.querySelector(".mcts-scrubber"));
    container.querySelector(".mcts-timeline-head")?.append(now, menu.box);
    document.body.append(card);

    const choice = mcts.events.fromQuery(location.search);
    let trace = "", last = 0, width = container.clientWidth, /** @type {Span} */ range = [0, 1], at = {iteration: 0, node: 0};
    /** @type {{from: number, direction: number, reached: boolean} | null} */
    let end = null; // of n or p that has found no further mark: from may be on its way

    const shown = () => source.all().filter((event) => !choice.off.has(event.kind));
    const go = (/** @type {MarkEvent} */ event) => actions.go(event.iteration, event.node ?? null);

    function draw() {
      const events = shown(), clusters = mcts.events.clusters(events, (t) => mcts.timelineChart.x(t, last, width));
      lane.replaceChildren(...clusters.map((cluster) => markOf(cluster, card, go)));
      lane.setAttribute("aria-label", `${count(events.length)} marks; n and p go to the next and the previous one`);
      card.hidden = true;
      menu.draw(source.all(), events.length, source.answer(), source.findings(), choice, range);
      tellHere();
    }

    /** What happened in the iteration shown; after n or p at the end of the marks, that there are no more, while that is so. */
    function tellHere() {
      const events = shown(), here = events.filter((event) => event.iteration === at.iteration);
      if (end && beside(events, end.from, end.direction).length) end = null;
      const isEnd = end && end.from === at.iteration ? `no mark ${end.direction > 0 ? "after" : "before"} this` : "";
      now.replaceChildren(...here.slice(0, 1).map((event) => glyph(event.kind)), isEnd || here.map((event) => event.text).join(" · "));
      now.title = now.textContent ?? "";
    }

    function remember() {
      history.replaceState(history.state, "", location.pathname + mcts.events.toQuery(choice, location.search) + location.hash);
      draw();
    }

    /** @param {string} kind @param {boolean} on */
    function setKind(kind, on) {
      if (on) choice.off.delete(kind); else choice.off.add(kind);
      remember();
    }

    /** The threshold where this trace's values can reach it; another trace's may be in the address. */
    function threshold() {
      const {threshold: value} = choice, limit = value !== null && value >= range[0] && value <= range[1] ? value : null;
      actions.threshold(limit);
      return limit;
    }

    /** @param {number | null} value */
    function setThreshold(value) {
      if (value !== null && !(value >= range[0] && value <= range[1])) {
        actions.say(`No root value can be ${value}: choose a threshold from ${range[0]} to ${range[1]}.`);
        menu.resetThreshold(choice.threshold);
        return;
      }
      choice.threshold = value;
      remember();
      source.setThreshold(threshold());
    }

    new ResizeObserver(() => { width = container.clientWidth; draw(); }).observe(container);

    return {
      /** A trace was opened, or has grown: key and the metadata of its timeline. @param {string} key @param {any} meta */
      set(key, meta) {
        const isOther = key !== trace || meta.n_iterations < last;
        if (isOther) [end, at] = [null, {iteration: 0, node: 0}]; // the cursor comes when it is at rest
        [trace, last, range] = [key, meta.n_iterations, meta.value_range];
        source.set(key, last, isOther, threshold());
        source.fetchVisit(at.node);
      },

      /** The cursor has come to rest. @param {Cursor | null} cursor */
      follow(cursor) {
        if (!cursor || cursor.trace !== trace) return;
        at = {iteration: cursor.iteration, node: cursor.node};
        source.fetchVisit(at.node);
        if (end && end.from === at.iteration) end.reached = true;
        else if (end && end.reached) end = null; // the person went elsewhere
        tellHere();
      },

      noteLook: source.noteLook,

      setFindings(/** @type {string} */ key, /** @type {FindingMarks | null} */ marks) { if (key === trace) source.setFindings(marks); },

      setHits(/** @type {string} */ key, /** @type {MarkEvent[]} */ events) { if (key === trace) source.setHits(events); },

      setNotes(/** @type {string} */ key, /** @type {Note[]} */ list) {
        if (key !== trace) return;
        source.setNotes(list.map(({iteration, node, text}) => ({kind: "note", iteration, node, text: text.trim().split("\n")[0] || "bookmark"})));
      },

      /** Go to the next (+1) or previous (−1) iteration that has a mark. @param {number} direction @param {number} from */
      step(direction, from) {
        const found = beside(shown().filter((event) => mcts.passing.has(event.iteration)), from, direction);
        end = found.length ? null : {from, direction, reached: from === at.iteration};
        if (found.length) go(leading(found)); else tellHere();
      },
    };
  }

  return {create};
})();
