/* The cursor: what the page looks at. Its one owner; the address and what the panels are told are copies of it. */
window.mcts = window.mcts || {};

mcts.cursor = (() => {
  "use strict";

  const CALM = 700; // and between two tellings while the cursor rides at the end of a growing trace,
  const SHARE = 4;  // or so many times as long as the page was busy with the last one,
  const CALMEST = 5000; // but not longer than this
  const PROBE = 20; // between two looks at how busy it is
  const REST = 120; // milliseconds without a change until the panels are told
  const SHOW = ["tree", "icicle", "both"];
  const VIEW = {
    budget: 300, colour: "mean_value", size: "visits", show: "tree", opened: [], closed: [], whole: [], focus: 0,
    least: 0, top: 0, levels: 0, pv: 0, // filters; 0: off
  };

  const number = (text, fallback) => /^\d+$/.test(text ?? "") ? Number(text) : fallback;
  const numbers = (text) => (text || "").split(",").filter((part) => /^\d+$/.test(part)).map(Number);

  /** The part of a cursor that an address names: what it does not name is missing. */
  function fromQuery(search) {
    const query = new URLSearchParams(search);
    const part = {view: {}};
    if (query.has("trace")) part.trace = query.get("trace");
    for (const name of ["iteration", "node"]) {
      if (query.has(name)) part[name] = number(query.get(name), 0);
    }
    if (query.has("phase")) part.phase = mcts.phases.known(query.get("phase"));
    for (const name of ["budget", "focus", "least", "top", "levels", "pv"]) {
      if (query.has(name)) part.view[name] = number(query.get(name), VIEW[name]);
    }
    for (const name of ["opened", "closed", "whole"]) if (query.has(name)) part.view[name] = numbers(query.get(name));
    for (const name of ["colour", "size"]) if (query.has(name)) part.view[name] = query.get(name);
    if (SHOW.includes(query.get("show"))) part.view.show = query.get("show");
    return part;
  }

  /** The address's query for a cursor; defaults are left out, parameters of others (theme, say) are kept. */
  function toQuery(cursor, search) {
    const query = new URLSearchParams(search || "");
    for (const name of ["trace", "iteration", "phase", "node", ...Object.keys(VIEW)]) query.delete(name);
    if (cursor.trace !== null) query.set("trace", cursor.trace);
    query.set("iteration", cursor.iteration);
    if (cursor.phase) query.set("phase", cursor.phase);
    if (cursor.node !== 0) query.set("node", cursor.node);
    for (const [name, value] of Object.entries(cursor.view)) {
      if (String(value) !== String(VIEW[name])) query.set(name, value);
    }
    return "?" + query.toString().replaceAll("%2C", ",");
  }

  /** tell: called with the cursor when it has come to rest, and with whether the trace may have changed under it. */
  function create(tell) {
    let cursor = {trace: null, iteration: 0, phase: null, node: 0, view: {...VIEW}};
    let timer = null, calm = false, pace = CALM;

    function publish(isNew = false) {
      timer = null;
      if (cursor.trace === null) return; // nothing to be told of yet
      const address = location.pathname + toQuery(cursor, location.search) + location.hash;
      if (address !== location.pathname + location.search + location.hash) {
        history.replaceState(history.state, "", address);
      }
      tell(cursor, isNew);
    }

    /** Tell the panels while the cursor rides, and note what that costs: the picture goes first. */
    function publishCalmly() {
      publish();
      const began = performance.now();
      let last = began, busy = 0;
      const look = () => {
        const now = performance.now();
        busy += Math.max(0, now - last - PROBE);
        last = now;
        if (now - began < CALM) setTimeout(look, PROBE); else pace = Math.min(CALMEST, Math.max(CALM, SHARE * busy));
      };
      setTimeout(look, PROBE);
    }

    /** Merge a part into the cursor; the panels hear of it when it has come to rest, or now. */
    function set(part, now = false) {
      cursor = {...cursor, ...part, view: {...cursor.view, ...(part.view || {})}};
      if (calm && !now) { timer ??= setTimeout(publishCalmly, pace); return; }
      clearTimeout(timer);
      if (now) publish(); else timer = setTimeout(() => publish(), REST);
    }

    /** Tell the panels now, and that the trace may have changed. */
    function renew() {
      clearTimeout(timer);
      publish(true);
    }

    return {get: () => cursor, set, renew, setCalm: (on) => { calm = on; }, isAtRest: () => timer === null};
  }

  return {create, fromQuery, toQuery, VIEW};
})();
