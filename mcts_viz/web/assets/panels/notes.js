/* The tab of the notes: bookmarks with text. A note that the server has not stored is marked as being on this page alone. */
mcts.notes = (() => {
  const {element, count} = mcts.dom;

  /** @param {string} text @param {string} className @param {(event: MouseEvent) => unknown} action @param {string} [title] */
  function button(text, className, action, title = "") {
    const made = element("button", className, text);
    Object.assign(made, {type: "button", title});
    made.addEventListener("click", action);
    return made;
  }

  /** As high as its text. @param {HTMLTextAreaElement} text */
  function fit(text) {
    text.style.height = "auto";
    text.style.height = `${text.scrollHeight + 2}px`;
  }

  /** Put rows into their order without moving the one that is being written in: that would lose the focus.
      @param {HTMLElement} ul @param {HTMLElement[]} wanted */
  function arrange(ul, wanted) {
    if (wanted.length === ul.children.length && wanted.every((row, i) => row === ul.children[i])) return;
    for (const row of /** @type {HTMLElement[]} */ ([...ul.children])) if (!wanted.includes(row)) row.remove();
    const held = wanted.findIndex((row) => row.contains(document.activeElement) && row.parentNode === ul);
    wanted.forEach((row, i) => {
      if (i === held) return;
      if (held >= 0 && i < held) ul.insertBefore(row, wanted[held]); else ul.append(row);
    });
  }

  /** actions: go(iteration, node), say(text), save(address), place() -> the cursor, onChange(trace, notes). @param {NoteActions} actions */
  function create(actions) {
    /** @type {Map<string, NoteRow>} */
    const rows = new Map();       // id -> the parts of its row
    let /** @type {HTMLElement | null} */ box = null, wantsFocus = "";

    const changed = () => actions.onChange(store.trace(), store.list());
    const store = mcts.noteStore.create({
      change() { changed(); render(); },
      edit(id) { state(id); changed(); },
      state: (id) => state(id),
      adopt(id, kept) {
        if (rows.get(id)?.text === document.activeElement) wantsFocus = kept;
        actions.say("This note was changed elsewhere meanwhile. Both texts are kept, each as a note of its own.");
      },
    });

    function bookmark() {
      if (!store.trace()) return;
      const {iteration, node} = /** @type {Cursor} */ (actions.place());
      wantsFocus = store.at(iteration, node);
      mcts.typing.awaitField();
      mcts.dash.set("tabs", {value: "notes"});
      whenThere(show);
      changed();
      render();
    }

    /** @param {Note} note */
    function rowOf({id, text: first}) {
      const row = element("li", "note-row"), head = element("div", "note-head"), text = element("textarea", "note-text");
      const place = button("", "note-place", () => { const note = store.note(id); if (note) actions.go(note.iteration, note.node); });
      const status = element("span", "note-state");
      Object.assign(text, {rows: 1, value: first, maxLength: 20000, placeholder: "What is worth remembering here?"});
      text.addEventListener("input", () => { fit(text); store.edit(id, text.value); });
      text.addEventListener("blur", () => { if (store.note(id)?.unsaved) store.save(id); });
      text.addEventListener("keydown", (event) => {
        if (event.key === "Escape" || (event.key === "Enter" && (event.ctrlKey || event.metaKey))) { event.preventDefault(); text.blur(); }
      });
      head.append(place, status, button("Delete", "note-delete", () => store.remove(id)));
      row.append(head, text);
      row.dataset.note = id;
      return {row, place, text, status};
    }

    /** Whether the server has the note's text. @param {string} id */
    function state(id) {
      const status = rows.get(id)?.status, note = store.note(id), problem = store.problem();
      if (!status || !note) return;
      status.textContent = !note.unsaved ? "" : problem && !store.isSaving(id) ? "not saved" : "…";
      status.classList.toggle("mcts-error", Boolean(note.unsaved && problem));
    }

    /** @param {Note} note */
    function fill(note) {
      const found = rows.get(note.id) ?? rowOf(note), {row, place, text} = found;
      rows.set(note.id, found);
      const where = `iteration ${count(note.iteration)} · ${note.where || (note.node ? `node ${count(note.node)}` : "the root")}`;
      place.textContent = where;
      place.title = `go to iteration ${count(note.iteration)}, node ${count(note.node)}`;
      text.setAttribute("aria-label", `note at ${where}`);
      if (text.value !== note.text && document.activeElement !== text) text.value = note.text;
      state(note.id);
      return row;
    }

    /** @param {Note} note */
    function undoRow({id, iteration}) {
      const row = element("li", "note-row note-gone", `The note at iteration ${count(iteration)} was deleted. `);
      row.append(button("Undo", "note-undo", () => store.restore(id)));
      return row;
    }

    function render() {
      if (!box || !box.isConnected) return;
      const shown = store.list(), problem = store.problem(), file = store.file();
      for (const id of rows.keys()) if (!store.note(id)) rows.delete(id);
      const part = (/** @type {string} */ name) => /** @type {HTMLElement} */ (box?.querySelector(`.note-${name}`));
      arrange(part("list"), [...shown.map(fill), ...store.deleted().map(undoRow)]);
      part("empty").hidden = shown.length > 0;
      part("file").textContent = file ? `kept in ${file}, beside the trace` : "";
      const complaint = part("problem"), again = button("Try again", "note-undo", () => { store.load(); store.saveAll(); });
      complaint.hidden = !problem;
      complaint.replaceChildren(problem, ...(problem ? [" ", again] : []));
      for (const each of /** @type {NodeListOf<HTMLButtonElement>} */ (box.querySelectorAll(".note-export"))) each.disabled = shown.length === 0;
      for (const {text} of rows.values()) fit(text);
      giveFocus();
    }

    function giveFocus() {
      const wanted = rows.get(wantsFocus);
      if (!wanted) return;
      wantsFocus = "";
      mcts.scroll.reveal(wanted.row);
      wanted.text.focus();
    }

    /** Build the tab in its element, which is a new one each time that it opens. @param {HTMLElement} found */
    function show(found) {
      if (found === box && box.querySelector(".note-list")) return;
      box = found;
      rows.clear();
      const head = element("div", "note-tools"), complaint = element("p", "note-problem mcts-error");
      const file = (/** @type {string} */ name, /** @type {string} */ format) =>
        button(name, "note-export", async () => actions.save(await store.exported(format)), `save all notes as ${name}`);
      head.append(button("Bookmark this place", "note-add", bookmark, mcts.keys.hinted("the iteration and the node shown", "b")), element("span", "grow"),
        file("Markdown", "md"), file("JSON", "json"));
      complaint.setAttribute("role", "alert");
      box.replaceChildren(head, complaint,
        element("p", "note-empty", "No notes yet. Press b to bookmark the iteration and the node that you are looking at."),
        element("ul", "note-list"), element("p", "note-file"));
      render();
      if (store.trace()) store.load();
    }

    return {open: store.open, show, bookmark, list: store.list};
  }

  /** Call with the tab's element as soon as it is on the page. @param {(box: HTMLElement) => void} then */
  function whenThere(then, tries = 120) {
    const box = document.getElementById("notes");
    if (box) then(box); else if (tries > 0) requestAnimationFrame(() => whenThere(then, tries - 1));
  }

  return {create, whenThere};
})();
