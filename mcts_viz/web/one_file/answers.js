/* What the server would have answered, out of the file itself: takes the place of the network for app.js. */

mcts.answers = (() => {
  let /** @type {FileAbout} */ about, /** @type {Record<string, ArrayBuffer>} */ parts = {}, /** @type {Record<string, any>} */ cards = {};
  let /** @type {string | null} */ asked = null;

  /** @param {string} text */
  async function inflate(text) {
    if (!window.DecompressionStream) {
      throw new Error("This browser is too old to unpack the file; open it with one made since 2023.");
    }
    const bytes = Uint8Array.from(atob(text.trim()), (letter) => letter.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
  }

  /** Unpack the file's data; resolves to what it is about. */
  async function open() {
    const buffer = await inflate(mcts.dom.the("data").textContent ?? "");
    const length = new DataView(buffer).getUint32(0, true), body = 4 + length;
    const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
    about = header.about;
    parts = Object.fromEntries(Object.entries(/** @type {Record<string, [number, number]>} */ (header.answers)).map(
      ([name, [from, size]]) => [name, buffer.slice(body + from, body + from + size)]));
    cards = JSON.parse(new TextDecoder().decode(parts.nodes));
    return about;
  }

  /** @param {string} name */
  function message(name) {
    if (!parts[name]) throw new Error(`This file holds iterations ${about.first} to ${about.last}.`);
    const found = mcts.binary.unpack(parts[name].slice(0)); // the page writes into some of its columns
    if (name === "view") {
      found.meta.first = Math.max(found.meta.first, about.first);
      found.meta.colour_modes = found.meta.colour_modes.filter((/** @type {string} */ mode) => mode !== "true_value"); // no solver, no game-theoretic values
    }
    return found;
  }

  /** The one view that the file holds is the one asked for first; which recording it is of, only a server has to know.
      @param {string} query */
  function isOther(query) {
    const wanted = new URLSearchParams(query);
    for (const name of ["from", "to", "n_iterations", "recording"]) wanted.delete(name);
    asked = asked ?? wanted.toString();
    return asked !== wanted.toString();
  }

  /** @param {string} address */
  const routeOf = (address) => new URL(address, "http://file/").pathname.split("/").slice(4);

  /** @param {string} address */
  async function fetchMessage(address) {
    const query = new URL(address, "http://file/").searchParams, [route] = routeOf(address);
    if ((route === "view" || route === "window") && isOther(query.toString())) {
      throw new Error("This file holds one picture of the tree; open the trace itself with mcts_viz to expand and focus.");
    }
    return message(route === "window" ? `window ${mcts.replay.windowOf(Number(query.get("to")))}` : route);
  }

  /** @param {string} address */
  async function fetchJson(address) {
    const [, node] = routeOf(address);
    if (!cards[node]) throw new Error(`Node ${node} is not in the picture that this file holds.`);
    return cards[node];
  }

  /* a page in a notebook's frame has no address that could be changed */
  const replace = history.replaceState.bind(history);
  history.replaceState = (...given) => {
    try {
      replace(...given);
    } catch (error) {
      if (!(error instanceof DOMException) || error.name !== "SecurityError") throw error;
    }
  };

  Object.assign(mcts.binary, {fetchMessage, fetchJson});
  return {open, view: () => message("view"), card: (/** @type {number} */ node) => cards[node]};
})();
