/* The four phases of an iteration: the way from one to the next, and what the picture shows in each. During select,
   expand and simulate it has the numbers before the iteration, from backpropagate on those after it. */
window.mcts = window.mcts || {};

mcts.phases = (() => {
  "use strict";

  const PHASES = ["select", "expand", "simulate", "backpropagate"];

  /** The phase of that name; null for anything else. */
  const known = (name) => PHASES.includes(name) ? name : null;

  /** Where the next phase (direction 1) or the previous one (-1) is; null where there is none. Without a phase the walk
      begins in the iteration shown. */
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

  /** Whether the path's last item is a node that this iteration made, and not a stub that also holds older ones of it. */
  function endsNew(told, focusDepth) {
    const last = told.path[told.path.length - 1];
    return told.made.includes(last) && told.depth - focusDepth === told.path.length - 1;
  }

  /** A replay as the canvas sees it: `state`, `iteration` and `chosen` are those of the phase. What a snapshot's rows
      did is not marked: it was not one iteration. */
  function stage(replay, focusDepth = 0, hasPhases = true) {
    const state = {...replay.state};
    let phase = null, earlier = null;

    /** Follow the replay, which has moved, into a phase (null: none). */
    function show(newPhase) {
      phase = replay.state.t ? newPhase : null;
      const isBefore = phase !== null && phase !== "backpropagate";
      earlier = phase === null ? null : replay.before();
      Object.assign(state, isBefore ? earlier : replay.state);
      if (isBefore && phase !== "select") state.count = replay.state.count; // what is new is there already
    }

    function iteration() {
      const told = replay.iteration();
      if (told === null || (phase === null && hasPhases)) return told;
      const none = told.made.subarray(0, 0);
      if (!hasPhases) return {...told, path: [], made: none, updated: none, hasTail: false};
      return {
        ...told,
        path: phase === "select" && endsNew(told, focusDepth) ? told.path.slice(0, -1) : told.path,
        made: phase === "expand" ? told.made : none,
        updated: phase === "backpropagate" ? told.updated : none,
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

  let tabBefore = null, phaseBefore = null;

  /** The inspector's tab: that of the iteration as soon as a phase is shown, after the phases the one before; null to
      leave it as it is. */
  function tabFor(phase, tab) {
    const entered = phase !== null && phaseBefore === null, left = phase === null && phaseBefore !== null;
    phaseBefore = phase;
    if (entered && tab !== "iteration") { tabBefore = tab || "children"; return "iteration"; }
    const back = left && tab === "iteration" ? tabBefore : null;
    if (left) tabBefore = null;
    return back || (tab ? null : "children");
  }

  /** Mark the button of the phase that is shown. */
  function mark(phase) {
    document.documentElement.dataset.mctsPhase = phase || "none";
    for (const button of document.querySelectorAll("[data-phase]")) {
      button.setAttribute("aria-pressed", String(button.dataset.phase === phase));
    }
  }

  /** The parts of a score and their sum, with so many decimals that they add up to the eye too: `least`, or up to 4. */
  function sumText(value, exploration, score, least = 2) {
    const round = (number, digits) => Math.round(number * 10 ** digits);
    const adds = (d) => round(value, d) + round(exploration, d) === round(score, d);
    const isSmall = [value, exploration].some((number) => number !== 0 && Math.abs(number) < 0.01);
    const digits = isSmall ? 4 : [2, 3].filter((d) => d >= least).find(adds) ?? 4;
    const [a, b, c] = [value, Math.abs(exploration), score].map((number) => number.toFixed(digits));
    return {parts: [a, `${exploration < 0 ? "−" : "+"} ${b}`, `= ${c}`], score: c};
  }

  return {PHASES, known, next, stage, tabFor, mark, sumText};
})();
