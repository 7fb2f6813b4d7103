/* What there is to step through: a snapshot has one iteration, a trace that has only begun has none. The controls that
   could do nothing are off, and their tooltips say why. */
window.mcts = window.mcts || {};

mcts.reach = (() => {
  "use strict";

  const ONE = "this file holds one iteration", NONE = "this file holds no iteration yet";
  const WHOLE = "this file holds whole trees, not the phases that made them";

  /** Why steps and phases are off, in half a sentence; "" where they are on. */
  function reasons(meta, length) {
    const steps = length > (meta.first ?? 0) ? "" : length > 0 ? ONE : NONE;
    return {steps, phases: steps || (meta.has_phases ? "" : WHOLE)};
  }

  const sentence = (reason) => `Nothing to step through: ${reason}.`;

  /** Turn a control off, but leave it to be reached by Tab and by the mouse, so that its reason can be read. */
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

  /** Mark all of a page's controls; each says in data-needs which of the two it is for. */
  function show(found) {
    for (const control of document.querySelectorAll("[data-needs]")) mark(control, found[control.dataset.needs]);
    const slider = document.querySelector(".mcts-scrubber");
    if (slider) Object.assign(slider, {disabled: Boolean(found.steps), title: found.steps && sentence(found.steps)});
  }

  /** A control's tooltip with the reason; its own text comes back when there is none. */
  const tooltip = (text, reason) => reason ? `${text}: off, ${reason}` : text;

  return {reasons, sentence, show, tooltip};
})();
