/* What there is to step through: a snapshot has one iteration, a trace that has only begun has none. The controls that
   could do nothing are off, and their tooltips say why. */
mcts.reach = (() => {
  const ONE = "this file is a single tree", NONE = "the search has not made a step yet";
  const WHOLE = "this file holds whole trees, not the phases that made them";

  /** Why steps and phases are off, in half a sentence; "" where they are on. @param {Meta} meta @param {number} length */
  function reasons(meta, length) {
    const steps = length > (meta.first ?? 0) ? "" : length > 0 ? ONE : NONE;
    return {steps, phases: steps || (meta.has_phases ? "" : WHOLE), again: meta.no_rerun ?? ""};
  }

  /** @param {string} reason */
  const sentence = (reason) => `No steps: ${reason}.`;

  /** Turn a control off, but leave it to be reached by Tab and by the mouse, so that its reason can be read.
      @param {Element} control @param {string} reason */
  function mark(control, reason) {
    control.toggleAttribute("data-off", Boolean(reason));
    if (reason) {
      control.setAttribute("aria-disabled", "true");
      control.setAttribute("aria-description", reason);
    } else {
      control.removeAttribute("aria-disabled");
      control.removeAttribute("aria-description");
    }
  }

  /** Mark all of a page's controls; each says in data-needs which of the two it is for. @param {Reach} found */
  function show(found) {
    for (const control of document.querySelectorAll("[data-needs]")) mark(control, found[/** @type {keyof Reach} */ (control.dataset.needs)]);
    const slider = document.querySelector(".mcts-scrubber");
    if (slider) Object.assign(slider, {disabled: Boolean(found.steps), title: found.steps && sentence(found.steps)});
  }

  /** A control's tooltip with the reason; its own text comes back when there is none. @param {string} text @param {string} reason */
  const tooltip = (text, reason) => reason ? `${text}: off, ${reason}` : text;

  return {reasons, sentence, show, tooltip};
})();
