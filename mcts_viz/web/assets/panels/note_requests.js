/* What the page asks of the server about notes, and how it puts notes together with texts that the server does not have. */
mcts.noteRequests = (() => {
  const newId = () => [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

  /** By iteration, then by age. @param {Iterable<Note>} list */
  const sorted = (list) => [...list].sort((a, b) =>
    a.iteration - b.iteration || (a.created || "~").localeCompare(b.created || "~") || a.id.localeCompare(b.id));

  /** The server's notes with the texts that it does not have yet: {id: note}, those marked as unsaved.
      @param {Note[]} saved @param {Partial<Note>[]} unsaved */
  function merged(saved, unsaved) {
    const notes = new Map(saved.map((/** @type {Note} */ note) => [note.id, note]));
    for (const note of unsaved) notes.set(String(note.id), /** @type {Note} */ ({...notes.get(String(note.id)), ...note, unsaved: true}));
    return notes;
  }

  /** @param {string} trace */
  const address = (trace) => `${mcts.requests.traceUrl(trace)}/notes`;

  /** @param {string} trace @param {string} path */
  const ask = (trace, path, method = "GET", body = /** @type {unknown} */ (undefined)) => mcts.binary.ask(`${address(trace)}${path}`, {
    method, keepalive: method === "PUT",
    ...(body === undefined ? {} : {headers: {"Content-Type": "application/json"}, body: JSON.stringify(body)}),
  });

  return {newId, sorted, merged, address, ask};
})();
