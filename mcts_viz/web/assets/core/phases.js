/* The four phases of an iteration: the way from one to the next, and what the picture shows in each. During select,
   expand and simulate it has the numbers before the iteration, from backpropagate on those after it. */
mcts.phases = (() => {
  /** @type {Phase[]} */
  const PHASES = ["select", "expand", "simulate", "backpropagate"];

  /** The phase of that name; null for anything else. @param {string | null} name */
  const known = (name) => PHASES.find((phase) => phase === name) ?? null;

  /** Where the next phase (direction 1) or the previous one (-1) is; null where there is none. Without a phase the walk
      begins in the iteration shown. @param {{iteration: number, phase: Phase | null}} place @param {number} direction @param {number} last
      @returns {{iteration: number, phase: Phase} | null} */
  function next({iteration, phase}, direction, last) {
    if (phase === null) {
      const t = direction > 0 ? Math.max(1, iteration) : iteration;
      return t >= 1 && t <= last ? {iteration: t, phase: PHASES[direction > 0 ? 0 : PHASES.length - 1]} : null;
    }
    const place = PHASES.indexOf(phase) + direction;
    if (PHASES[place]) return {iteration, phase: PHASES[place]};
    const t = iteration + direction;
    return t >= 1 && t <= last ? {iteration: t, phase: PHASES[direction > 0 ? 0 : PHASES.length - 1]} : null;
  }

  /** Whether the path's last item is a node that this iteration made, and not a stub that also holds older ones of it.
      @param {Iteration} step @param {number} focusDepth */
  function endsNew(step, focusDepth) {
    const last = step.path[step.path.length - 1];
    return step.made.includes(last) && step.depth - focusDepth === step.path.length - 1;
  }

  /** A replay as the canvas sees it: `state`, `iteration` and `chosen` are those of the phase. What a snapshot's rows
      did is not marked: it was not one iteration. @param {Replay} replay */
  function stage(replay, focusDepth = 0, hasPhases = true) {
    const state = {...replay.state};
    let /** @type {Phase | null} */ phase = null, /** @type {Numbers | null} */ earlier = null;

    /** Follow the replay, which has moved, into a phase (null: none). @param {Phase | null} newPhase */
    function show(newPhase) {
      phase = replay.state.t > 0 ? newPhase : null;
      const isBefore = phase !== null && phase !== "backpropagate";
      earlier = phase === null ? null : replay.before();
      Object.assign(state, isBefore ? earlier : replay.state);
      if (isBefore && phase !== "select") state.count = replay.state.count; // what is new is there already
    }

    /** The hidden end of the path as it is in the phase: what is new is not there while nodes are selected.
        @param {HiddenEnd} end @returns {HiddenEnd} */
    function endOf(end) {
      if (end.n === 0) return end;
      const {node = []} = end, nodesBefore = replay.nodeCount(replay.state.t - 1);
      const isNew = (/** @type {number} */ i) => node[i] >= nodesBefore;
      const n = phase === "select" ? Array.from(node).filter((_, i) => !isNew(i)).length : end.n;
      return {...end, n, isNew};
    }

    function iteration() {
      const found = replay.iteration(), step = found && {...found, end: endOf(found.end)};
      if (step === null || (phase === null && hasPhases)) return step;
      const none = step.made.subarray(0, 0);
      if (!hasPhases) return {...step, path: [], made: none, updated: none, hasTail: false, end: {n: 0}};
      return {
        ...step,
        path: phase === "select" && endsNew(step, focusDepth) ? step.path.slice(0, -1) : step.path,
        made: phase === "expand" ? step.made : none,
        updated: phase === "backpropagate" ? step.updated : none,
        hasTail: phase === "simulate",
      };
    }

    return {
      state, show, iteration,
      phase: () => phase,
      before: () => earlier,             // numbers before the iteration, null without a phase
      chosen: () => replay.chosen(state.t),
      nodesAt: () => phase === "select" ? state.t : replay.state.t, // the iteration whose nodes there are
    };
  }

  let /** @type {string | null} */ tabBefore = null, /** @type {Phase | null} */ phaseBefore = null;

  /** The inspector's tab: that of the iteration as soon as a phase is shown, after the phases the one before; null to
      leave it as it is. @param {Phase | null} phase @param {string | null} tab */
  function tabFor(phase, tab) {
    const entered = phase !== null && phaseBefore === null, left = phase === null && phaseBefore !== null;
    phaseBefore = phase;
    if (entered && tab !== "iteration") { tabBefore = tab || "children"; return "iteration"; }
    const back = left && tab === "iteration" ? tabBefore : null;
    if (left) tabBefore = null;
    return back || (tab ? null : "children");
  }

  /** Mark the button of the phase that is shown. @param {Phase | null} phase */
  function mark(phase) {
    const {dataset} = document.documentElement, name = phase || "none";
    if (dataset.mctsPhase !== name) dataset.mctsPhase = name; // at each step; where it is written, the browser looks at the whole page again
    for (const button of document.querySelectorAll("[data-phase]")) {
      const isPressed = String(button.dataset.phase === phase);
      if (button.getAttribute("aria-pressed") !== isPressed) button.setAttribute("aria-pressed", isPressed);
    }
  }

  /** The parts of a score and their sum, with enough decimals that the shown parts add up: `least`, or up to 4.
      @param {number} value @param {number} exploration @param {number} score */
  function sumText(value, exploration, score, least = 2) {
    /** @param {number} number @param {number} digits */
    const round = (number, digits) => Math.round(number * 10 ** digits);
    /** @param {number} d */
    const adds = (d) => round(value, d) + round(exploration, d) === round(score, d);
    const isSmall = [value, exploration].some((number) => number !== 0 && Math.abs(number) < 0.01);
    const digits = isSmall ? 4 : [2, 3].filter((d) => d >= least).find(adds) ?? 4;
    const [a, b, c] = [value, Math.abs(exploration), score].map((number) => mcts.dom.fixed(number, digits));
    return {parts: [a, `${exploration < 0 ? "−" : "+"} ${b}`, `= ${c}`], score: c};
  }

  return {PHASES, known, next, stage, tabFor, mark, sumText};
})();
