/* The menu of the marks on the timeline: which kinds are shown, how many there are, and the threshold of the root value. */
mcts.marksMenu = (() => {
  const {element, count, counted} = mcts.dom, {KINDS, ORDER, glyph} = mcts.events;

  /** on: setKind(kind, isShown), setThreshold(value).
      @param {{setKind(kind: string, on: boolean): void, setThreshold(value: number | null): void}} on */
  function create(on) {
    const box = element("div", "mcts-marks"), button = element("button", "mcts-marks-button"), panel = element("div", "mcts-marks-menu");
    const list = element("fieldset", "mcts-marks-kinds"), limit = element("label", "mcts-marks-threshold", "threshold of root value");
    const field = element("input"), note = element("p", "mcts-marks-note");
    Object.assign(button, {type: "button", title: "Which marks to show; n and p go from one to the next"});
    Object.assign(field, {type: "number", id: "mark-threshold", step: "any"});
    limit.append(field);
    panel.append(list, limit, note);
    Object.assign(panel, {id: "marks-menu", hidden: true});
    panel.setAttribute("role", "dialog");
    panel.setAttribute("aria-label", "marks on the timeline");
    button.setAttribute("aria-expanded", "false");
    button.setAttribute("aria-controls", panel.id);
    list.append(element("legend", "", "Marks"));
    const boxes = new Map(ORDER.map((kind) => {
      const row = element("label", "mcts-marks-kind"), check = element("input"), number = element("span", "mcts-marks-count");
      Object.assign(check, {type: "checkbox", value: kind});
      check.addEventListener("change", () => on.setKind(kind, check.checked));
      row.append(check, glyph(kind), element("span", "", KINDS[kind][0]), number);
      list.append(row);
      return [kind, {check, number}];
    }));

    /** @param {boolean} isOpen */
    function open(isOpen) {
      panel.hidden = !isOpen;
      button.setAttribute("aria-expanded", String(isOpen));
      if (isOpen) list.querySelector("input")?.focus();
    }

    button.addEventListener("click", () => open(panel.hidden === true));
    panel.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      open(false);
      button.focus();
      event.stopPropagation();
    });
    document.addEventListener("pointerdown", (event) => {
      if (!panel.hidden && !box.contains(/** @type {Node} */ (event.target))) open(false);
    });
    field.addEventListener("change", () => on.setThreshold(field.value.trim() === "" ? null : Number(field.value)));
    box.append(button, panel);

    /** present: every event there is; nShown: those that are shown; answer: what the server has found.
        @param {MarkEvent[]} present @param {number} nShown @param {MarksAnswer} answer @param {FindingMarks | null} findings null: not checked
        @param {MarkChoice} choice @param {Span} range of root values */
    function draw(present, nShown, answer, findings, choice, [low, high]) {
      const hidden = Object.values(answer.hidden).reduce((a, b) => a + b, 0) + present.length - nShown;
      button.textContent = `${counted(nShown, "mark")}${hidden ? ` · ${count(hidden)} hidden` : ""} ▾`;
      for (const [kind, {check, number}] of boxes) {
        const n = present.filter((event) => event.kind === kind).length, found = answer.found[kind] ?? n;
        check.checked = !choice.off.has(kind);
        if (number.parentElement) number.parentElement.style.display = kind === "hit" && n === 0 ? "none" : "";
        number.textContent = kind === "finding" && findings === null ? "not checked" : found > n ? `${count(n)} of ${count(found)}` : count(n);
      }
      Object.assign(field, {min: low, max: high, placeholder: `${(low + high) / 2} (${low} to ${high})`});
      if (document.activeElement !== field) field.value = String(choice.threshold ?? "");
      note.textContent = notes(answer, findings);
    }

    return {box, draw, resetThreshold(/** @type {number | null} */ value) { field.value = String(value ?? ""); }};
  }

  /** @param {MarksAnswer} answer @param {FindingMarks | null} findings */
  function notes(answer, findings) {
    const parts = [];
    if (Object.keys(answer.hidden).length) {
      parts.push("Where there are many, some are shown: the leads that lasted longest, the games and proofs nearest to the root, and the deepest nodes that stayed so for a while.");
    }
    if (findings === null) parts.push("Open the tab Health to check this search.");
    else if (findings.elsewhere) parts.push(`${count(findings.elsewhere)} more in the tab Health belong to no iteration.`);
    return parts.join(" ");
  }

  return {create};
})();
