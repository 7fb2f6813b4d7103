/* Notes: bookmarks with text, kept by the server beside the trace. A text that the server has not taken yet lies in
   the browser's own store, each note for itself, so that neither a reload nor a folder that cannot be written loses it. */
window.mcts = window.mcts || {};

mcts.notes = (() => {
  "use strict";

  const WAIT = 700;              // milliseconds after the last key until a text is saved
  const UNDO = 15000;            // milliseconds in which a deleted note can be had back
  const PREFIX = "mcts-note:";
  const ABANDONED = 30000;       // milliseconds after which a text that another tab could not save is anybody's

  const count = new Intl.NumberFormat("en-US").format;

  function element(tag, className, text) {
    const made = document.createElement(tag);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  }

  function button(text, className, action, title) {
    const made = element("button", className, text);
    made.type = "button";
    if (title) made.title = title;
    made.addEventListener("click", action);
    return made;
  }

  const newId = () => [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

  /** By iteration, then by age. */
  const sorted = (list) => [...list].sort((a, b) =>
    a.iteration - b.iteration || (a.created || "~").localeCompare(b.created || "~") || a.id.localeCompare(b.id));

  /** The server's notes with the texts that it does not have yet: {id: note}, those marked as unsaved. */
  function merged(saved, unsaved) {
    const notes = new Map(saved.map((note) => [note.id, note]));
    for (const note of unsaved) notes.set(note.id, {...notes.get(note.id), ...note, unsaved: true});
    return notes;
  }

  // ---- what the browser keeps until the server has it --------------------------------------------------------------

  const storageKey = (trace, id) => `${PREFIX}${trace}:${id}`;

  /** A name of this tab that survives a reload: tabs share the store, and one must not send what another is writing. */
  function tabName() {
    try {
      const name = sessionStorage.getItem("mcts-tab") || newId();
      sessionStorage.setItem("mcts-tab", name);
      return name;
    } catch (error) {
      return newId();
    }
  }

  function store(trace, note, tab) {
    const {id, iteration, node, text, revision} = note;
    try {
      localStorage.setItem(storageKey(trace, id), JSON.stringify({id, iteration, node, text, revision, tab, at: Date.now()}));
    } catch (error) {
      /* no room, or not allowed: the note is still on the page */
    }
  }

  const forget = (trace, id) => localStorage.removeItem(storageKey(trace, id));

  /** Texts on a trace that this tab has not saved yet, or that another one left behind. */
  function stored(trace, tab, now) {
    const found = [];
    for (let i = 0; i < localStorage.length; i++) {
      const key = localStorage.key(i);
      if (!key.startsWith(storageKey(trace, ""))) continue;
      try {
        const {tab: owner, at, ...note} = JSON.parse(localStorage.getItem(key));
        if (owner !== tab && now - at < ABANDONED) continue;
        if (Number.isInteger(note.iteration) && Number.isInteger(note.node) && typeof note.text === "string") found.push(note);
      } catch (error) {
        /* not ours */
      }
    }
    return found;
  }

  // ---- the server --------------------------------------------------------------------------------------------------

  async function ask(trace, path, method = "GET", body = undefined) {
    const headers = body === undefined ? {} : {"Content-Type": "application/json"};
    const answer = await fetch(`api/trace/${encodeURIComponent(trace)}/notes${path}`,
      {method, headers, body: body === undefined ? undefined : JSON.stringify(body)});
    if (answer.ok) return answer;
    let told = null;
    try { told = (await answer.json()).error; } catch (error) { /* not ours: say the number */ }
    throw new Error(told || `the server answered ${answer.status}`);
  }

  /** actions: go(iteration, node), say(text), place() -> the cursor, onChange(trace, notes). */
  function create(actions) {
    const tab = tabName();
    let trace = null, file = "", notes = new Map(), box = null, problem = "";
    const rows = new Map();       // id -> the parts of its row
    const timers = new Map(), saving = new Set(), deleted = new Map();
    let writes = 0;               // answered, so that an older list is not taken for the newest
    let wantsFocus = null;

    const list = () => sorted(notes.values());

    function changed() {
      actions.onChange(trace, list());
      render();
    }

    // ---- loading and saving ------------------------------------------------------------------------------------------

    async function load() {
      const of = trace, before = writes;
      try {
        const told = await (await ask(of, "")).json();
        if (of !== trace) return;
        if (before !== writes) return load();
        file = told.file;
        problem = "";
        notes = merged(told.notes.filter((note) => !deleted.has(note.id)), stored(of, tab, Date.now()));
      } catch (error) {
        if (of !== trace) return;
        problem = error.message;
        notes = merged([...notes.values()].filter((note) => !note.unsaved), stored(of, tab, Date.now()));
      }
      changed();
      for (const note of notes.values()) if (note.unsaved && !problem && !timers.has(note.id)) save(note.id);
      return undefined;
    }

    /** Take in a text that was typed: kept in the browser at once, sent a moment later. */
    function edit(id, text) {
      const note = notes.get(id);
      if (!note || note.text === text) return;
      notes.set(id, {...note, text, unsaved: true});
      store(trace, notes.get(id), tab);
      state(id);
      clearTimeout(timers.get(id));
      timers.set(id, setTimeout(save, WAIT, id));
      actions.onChange(trace, list());
    }

    /** One request a note at a time, so that a later text never overtakes an earlier one. */
    async function save(id) {
      clearTimeout(timers.get(id));
      timers.delete(id);
      if (saving.has(id)) return;
      const of = trace;
      saving.add(id);
      try {
        while (of === trace && notes.get(id)?.unsaved) {
          const sent = notes.get(id);
          state(id);
          const kept = await (await ask(of, `/${id}`, "PUT",
            {iteration: sent.iteration, node: sent.node, text: sent.text, revision: sent.revision})).json();
          writes += 1;
          if (of !== trace) { forget(of, id); return; }
          problem = "";
          if (kept.id !== id) { await adopt(id, kept); return; }
          const newer = notes.get(id)?.text !== sent.text;
          notes.set(id, newer ? {...notes.get(id), revision: kept.revision} : kept);
          if (newer) store(of, notes.get(id), tab); else forget(of, id);
        }
      } catch (error) {
        if (of === trace) problem = error.message;
      } finally {
        saving.delete(id);
      }
      if (of === trace) changed();
    }

    /** Somebody else has changed the note: theirs stays, this text has become a note of its own. */
    function adopt(id, kept) {
      forget(trace, id);
      notes.delete(id);
      notes.set(kept.id, kept);
      if (rows.get(id)?.text === document.activeElement) wantsFocus = kept.id;
      actions.say("This note was changed elsewhere meanwhile. Both texts are kept, each as a note of its own.");
      return load();
    }

    async function remove(id) {
      const note = notes.get(id), of = trace;
      clearTimeout(timers.get(id));
      deleted.set(id, note);
      notes.delete(id);
      forget(of, id);
      changed();
      try {
        if (note.revision) await ask(of, `/${id}`, "DELETE", {revision: note.revision});
        writes += 1;
      } catch (error) {
        deleted.delete(id);
        if (note.unsaved) store(of, note, tab);
        if (of !== trace) return;
        await load();
        problem = error.message;
        render();
        return;
      }
      setTimeout(() => { if (deleted.delete(id)) render(); }, UNDO);
    }

    function restore(id) {
      const note = {...deleted.get(id), revision: 0, unsaved: true};
      deleted.delete(id);
      notes.set(id, note);
      store(trace, note, tab);
      changed();
      save(id);
    }

    function bookmark() {
      if (!trace) return;
      const {iteration, node} = actions.place();
      let note = list().find((each) => each.iteration === iteration && each.node === node);
      if (!note) {
        note = {id: newId(), iteration, node, text: "", revision: 0, where: "", unsaved: true};
        notes.set(note.id, note);
        store(trace, note, tab);
        save(note.id);
      }
      wantsFocus = note.id;
      window.dash_clientside.set_props("tabs", {value: "notes"});
      whenThere(show);
      changed();
    }

    async function exported(format) {
      const of = trace, shown = list().map(({id, iteration, node, text, revision, created, changed: at}) =>
        ({id, iteration, node, text, revision, created: created || "", changed: at || ""}));
      try {
        const blob = await (await ask(of, `/export?format=${format}`, "POST", {notes: shown})).blob();
        const name = `${file.replace(/\.json$/, "") || "notes"}.${format}`, href = URL.createObjectURL(blob);
        Object.assign(document.createElement("a"), {href, download: name}).click();
        setTimeout(() => URL.revokeObjectURL(href), 10000);
      } catch (error) {
        actions.say(`The notes could not be exported: ${error.message}`);
      }
    }

    // ---- the tab -----------------------------------------------------------------------------------------------------

    function rowOf(note) {
      const row = element("li", "note-row"), place = button("", "note-place", () => goTo(note.id));
      const text = element("textarea", "note-text"), told = element("span", "note-state");
      const away = button("Delete", "note-delete", () => remove(note.id));
      Object.assign(text, {rows: 1, value: note.text, maxLength: 20000, placeholder: "What is worth remembering here?"});
      text.addEventListener("input", () => { fit(text); edit(note.id, text.value); });
      text.addEventListener("blur", () => { if (notes.get(note.id)?.unsaved) save(note.id); });
      text.addEventListener("keydown", (event) => {
        if (event.key === "Escape" || (event.key === "Enter" && (event.ctrlKey || event.metaKey))) { event.preventDefault(); text.blur(); }
      });
      const head = element("div", "note-head");
      head.append(place, told, away);
      row.append(head, text);
      row.dataset.note = note.id;
      return {row, place, text, told};
    }

    function goTo(id) {
      const {iteration, node} = notes.get(id);
      actions.go(iteration, node);
    }

    function fit(text) {
      text.style.height = "auto";
      text.style.height = `${text.scrollHeight + 2}px`;
    }

    /** Whether the server has the note's text. */
    function state(id) {
      const parts = rows.get(id), note = notes.get(id);
      if (!parts || !note) return;
      parts.told.textContent = !note.unsaved ? "" : problem && !saving.has(id) ? "not saved" : "…";
      parts.told.classList.toggle("mcts-error", Boolean(note.unsaved && problem));
    }

    function fill(note) {
      if (!rows.has(note.id)) rows.set(note.id, rowOf(note));
      const {row, place, text} = rows.get(note.id);
      const where = `iteration ${count(note.iteration)} · ${note.where || (note.node ? `node ${count(note.node)}` : "the root")}`;
      place.textContent = where;
      place.title = `go to iteration ${count(note.iteration)}, node ${count(note.node)}`;
      text.setAttribute("aria-label", `note at ${where}`);
      if (text.value !== note.text && document.activeElement !== text) text.value = note.text;
      state(note.id);
      return row;
    }

    function undoRow([id, note]) {
      const row = element("li", "note-row note-gone", `The note at iteration ${count(note.iteration)} was deleted. `);
      row.append(button("Undo", "note-undo", () => restore(id)));
      return row;
    }

    function render() {
      if (!box || !box.isConnected) return;
      const shown = list();
      for (const id of rows.keys()) if (!notes.has(id)) rows.delete(id);
      const wanted = [...shown.map(fill), ...[...deleted].map(undoRow)];
      const ul = box.querySelector(".note-list");
      if (wanted.length !== ul.children.length || wanted.some((row, i) => row !== ul.children[i])) arrange(ul, wanted);
      box.querySelector(".note-empty").hidden = shown.length > 0;
      box.querySelector(".note-file").textContent = file ? `kept in ${file}, beside the trace` : "";
      const complaint = box.querySelector(".note-problem"), lost = shown.filter((note) => note.unsaved).map((note) => note.id);
      complaint.hidden = !problem;
      complaint.replaceChildren(problem, ...(problem ? [" ", button("Try again", "note-undo", () => { load(); lost.forEach(save); })] : []));
      for (const each of box.querySelectorAll(".note-export")) each.disabled = shown.length === 0;
      for (const note of shown) fit(rows.get(note.id).text);
      if (wantsFocus && rows.has(wantsFocus)) {
        const {row, text} = rows.get(wantsFocus);
        wantsFocus = null;
        mcts.scroll.reveal(row);
        text.focus();
      }
    }

    /** Put rows into their order without moving the one that is being written in: that would lose the focus. */
    function arrange(ul, wanted) {
      for (const row of [...ul.children]) if (!wanted.includes(row)) row.remove();
      const held = wanted.findIndex((row) => row.contains(document.activeElement) && row.parentNode === ul);
      wanted.forEach((row, i) => {
        if (i === held) return;
        if (held >= 0 && i < held) ul.insertBefore(row, wanted[held]); else ul.append(row);
      });
    }

    function show(found) {
      if (found !== box || !box.querySelector(".note-list")) {
        box = found;
        rows.clear();
        const head = element("div", "note-tools");
        head.append(
          button("Bookmark this place", "note-add", bookmark, "the iteration and the node shown ( b )"),
          element("span", "grow"),
          button("Markdown", "note-export", () => exported("md"), "save all notes as Markdown"),
          button("JSON", "note-export", () => exported("json"), "save all notes as JSON"),
        );
        const complaint = element("p", "note-problem mcts-error");
        complaint.setAttribute("role", "alert");
        box.replaceChildren(head, complaint,
          element("p", "note-empty", "No notes yet. Press b to bookmark the iteration and the node that you are looking at."),
          element("ul", "note-list"), element("p", "note-file"));
      }
      render();
      if (trace) load();
    }

    addEventListener("focus", () => { if (trace) load(); }); // another tab may have written meanwhile

    return {
      open(key) {
        [trace, file, problem] = [key, "", ""];
        notes = new Map();
        deleted.clear();
        for (const timer of timers.values()) clearTimeout(timer);
        timers.clear();
        return load();
      },
      show, bookmark, list,
    };
  }

  /** Call with the tab's element as soon as it is on the page. */
  function whenThere(then, tries = 120) {
    const box = document.getElementById("notes");
    if (box) then(box); else if (tries > 0) requestAnimationFrame(() => whenThere(then, tries - 1));
  }

  return {create, merged, sorted, stored, whenThere};
})();
