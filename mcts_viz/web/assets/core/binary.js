/* Binary messages of the page's routes: a JSON header and typed arrays that look straight into the answer. */
mcts.binary = (() => {
  /** @type {Record<string, any>} */
  const ARRAYS = {
    int8: Int8Array, uint8: Uint8Array, int16: Int16Array, uint16: Uint16Array,
    int32: Int32Array, uint32: Uint32Array, float32: Float32Array, float64: Float64Array,
  };

  /** {meta, columns} of a message that routes/binary.py wrote; nothing is copied. @param {ArrayBuffer} buffer
      @param {number} [start] where it begins in there */
  function unpack(buffer, start = 0) {
    const length = new DataView(buffer).getUint32(start, true);
    const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, start + 4, length)));
    /** @type {Record<string, any>} */
    const columns = {};
    for (const [name, entry] of Object.entries(header.columns)) {
      columns[name] = new ARRAYS[entry.type](buffer, start + entry.offset, entry.length);
    }
    return {meta: header.meta, columns};
  }

  /** A message that is a column of another one. @param {Uint8Array<ArrayBuffer>} column */
  const within = ({buffer, byteOffset}) => unpack(buffer, byteOffset);

  /** What the server said went wrong, as a sentence for the person in front of the page. @param {Response} response */
  async function complaint(response) {
    try {
      const said = (await response.json()).error;
      if (said) return said;
    } catch { /* fall through to the bare status */ }
    return `The server answered ${response.status} ${response.statusText}`.trim();
  }

  /** The answer to a request; rejects with an Error that can be shown as it is. @param {string} url @param {RequestInit} [options] */
  async function ask(url, options) {
    let response;
    try {
      response = await fetch(url, options);
    } catch (error) {
      if (error instanceof Error && error.name === "AbortError") throw error;
      throw new Error("The server does not answer. Is it still running?");
    }
    if (!response.ok) throw new Error(await complaint(response));
    return response;
  }

  /** The message behind an address. @param {string} url @param {RequestInit} [options] */
  async function fetchMessage(url, options) {
    return unpack(await (await ask(url, options)).arrayBuffer());
  }

  /** @param {string} url @param {RequestInit} [options] */
  async function fetchJson(url, options) {
    return (await ask(url, options)).json();
  }

  return {unpack, within, ask, fetchMessage, fetchJson};
})();
