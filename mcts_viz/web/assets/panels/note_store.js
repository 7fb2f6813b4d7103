/* The notes on a trace as the page has them: loaded, changed, saved one request a note at a time. What the server has not taken
   is marked as unsaved. */
mcts.noteStore = (() => {
  const {newId, sorted, merged, address, ask} = mcts.noteRequests;

  const WAIT = 700;              // milliseconds after the last key until a text is saved
  const UNDO = 15000;            // milliseconds in which a deleted note can be had back

  /** @param {NoteEvents} on */
  function create(on) {
    let trace = "", file = "", problem = "", /** @type {Map<string, Note>} */ notes = new Map();
    const /** @type {Map<string, number>} */ timers = new Map(), saving = new Set(), /** @type {Map<string, Note>} */ deleted = new Map();
    let writes = 0;              // answered, so that an older list is not taken for the newest

    const noteOf = (/** @type {string} */ id) => /** @type {Note} */ (notes.get(id));
    const list = () => sorted(notes.values());
    const unsaved = () => [...notes.values()].filter((note) => note.unsaved);

    async function load() {
      const of = trace, before = writes;
      try {
        const answer = await (await ask(of, "")).json();
        if (of !== trace) return;
        if (before !== writes) return load();
        file = answer.file;
        problem = "";
        notes = merged(answer.notes.filter((/** @type {Note} */ note) => !deleted.has(note.id)), unsaved());
      } catch (error) {
        if (of !== trace) return;
        problem = mcts.dom.messageOf(error);
      }
      on.change();
      if (!problem) for (const note of unsaved()) if (!timers.has(note.id)) save(note.id);
      return undefined;
    }

    /** Take in a text that was typed: sent a moment later. @param {string} id @param {string} text */
    function edit(id, text) {
      const note = notes.get(id);
      if (!note || note.text === text) return;
      notes.set(id, {...note, text, unsaved: true});
      clearTimeout(timers.get(id));
      timers.set(id, setTimeout(save, WAIT, id));
      on.edit(id);
    }

    /** One request a note at a time, so that a later text never overtakes an earlier one. @param {string} id */
    async function save(id) {
      clearTimeout(timers.get(id));
      timers.delete(id);
      if (saving.has(id)) return;
      const of = trace;
      saving.add(id);
      try {
        while (of === trace && notes.get(id)?.unsaved) {
          const {iteration, node, text, revision} = noteOf(id);
          on.state(id);
          const kept = await (await ask(of, `/${id}`, "PUT", {iteration, node, text, revision})).json();
          writes += 1;
          if (of !== trace) return;
          problem = "";
          if (kept.id !== id) { await adopt(id, kept); return; }
          const isNewer = notes.get(id)?.text !== text;
          notes.set(id, isNewer ? {...noteOf(id), revision: kept.revision} : kept);
        }
      } catch (error) {
        if (of === trace) problem = mcts.dom.messageOf(error);
      } finally {
        saving.delete(id);
      }
      if (of === trace) on.change();
    }

    /** The note was changed elsewhere: that change stays, and this text has become a new note. @param {string} id @param {Note} kept */
    function adopt(id, kept) {
      notes.delete(id);
      notes.set(kept.id, kept);
      on.adopt(id, kept.id);
      return load();
    }

    /** @param {string} id */
    async function remove(id) {
      const note = noteOf(id), of = trace;
      clearTimeout(timers.get(id));
      deleted.set(id, note);
      notes.delete(id);
      on.change();
      try {
        if (note.revision) await ask(of, `/${id}`, "DELETE", {revision: note.revision});
        writes += 1;
      } catch (error) {
        deleted.delete(id);
        if (of === trace && note.unsaved) notes.set(id, note);
        if (of !== trace) return;
        await load();
        problem = mcts.dom.messageOf(error);
        on.change();
        return;
      }
      setTimeout(() => { if (deleted.delete(id)) on.change(); }, UNDO);
    }

    /** @param {string} id */
    function restore(id) {
      const gone = /** @type {Note} */ (deleted.get(id));
      notes.set(id, {...gone, revision: 0, unsaved: true});
      deleted.delete(id);
      on.change();
      save(id);
    }

    /** The id of the note at a place, which is made where there is none. @param {number} iteration @param {number} node */
    function at(iteration, node) {
      const found = list().find((each) => each.iteration === iteration && each.node === node);
      if (found) return found.id;
      const id = newId();
      notes.set(id, {id, iteration, node, text: "", revision: 0, where: "", unsaved: true});
      save(id);
      return id;
    }

    /** The address of a file of all notes, when the server has them. @param {string} format */
    async function exported(format) {
      await Promise.all(unsaved().map(({id}) => save(id)));
      return `${address(trace)}/export?format=${format}`;
    }

    const saveAll = () => unsaved().forEach(({id}) => save(id));
    addEventListener("pagehide", saveAll);
    addEventListener("focus", () => { if (trace) load(); }); // another tab may have written meanwhile

    return {
      load, edit, save, saveAll, remove, restore, at, exported, list,
      /** @param {string} key */
      open(key) {
        [trace, file, problem] = [key, "", ""];
        notes = new Map();
        deleted.clear();
        for (const timer of timers.values()) clearTimeout(timer);
        timers.clear();
        return load();
      },
      trace: () => trace,
      file: () => file,
      problem: () => problem,
      note: (/** @type {string} */ id) => notes.get(id),
      isSaving: (/** @type {string} */ id) => saving.has(id),
      deleted: () => [...deleted.values()],
    };
  }

  return {create};
})();
