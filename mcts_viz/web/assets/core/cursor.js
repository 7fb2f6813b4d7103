/* The cursor: what the page looks at. Its one owner; the address and the panels have copies of it. */
mcts.cursor = (() => {
  const CALM = 700; // and between two updates of the panels while the cursor stays at the end of a growing trace,
  const SHARE = 12;  // or this many times as long as the page was busy with the last one, or as the last picture took,
  const CALMEST = 10000; // but not longer than this
  const PROBE = 20; // between two looks at how busy it is
  const REST = 120; // milliseconds without a change until the panels are updated
  /** @type {ViewField[]} */
  const FIELDS = /** @type {any} */ (mcts).settings.view; // listed in views/view_spec.py
  const VIEW = /** @type {View} */ (Object.fromEntries(FIELDS.map(({name, value}) => [name, value])));

  /** @param {string | null} text @param {number} fallback */
  const number = (text, fallback) => /^\d+$/.test(text ?? "") ? Number(text) : fallback;
  /** @param {string | null} text */
  const numbers = (text) => (text || "").split(",").filter((part) => /^\d+$/.test(part)).map(Number);

  /** By kind of field: its value in an address; undefined for what is none. @type {Record<string, (text: string | null, field: ViewField) => unknown>} */
  const READ = {
    number: (text, field) => number(text, Number(field.value)),
    nodes: numbers,
    name: (text, field) => text !== null && field.choices.includes(text) ? text : undefined,
  };

  /** A view with the room that decides how many nodes it has, where it names no number of them.
      @param {View} view @returns {View} */
  const withRoom = (view) => view.budget ? view : {...view, ...mcts.room.get()};

  /** The query arguments of a view by which the server chooses nodes; what is left out has its default. @param {View} view */
  function nodesQuery(view) {
    const query = new URLSearchParams(), asked = withRoom(view);
    for (const {name, value, selects} of FIELDS) if (selects && String(asked[name]) !== String(value)) query.set(name, String(asked[name]));
    return query.toString().replaceAll("%2C", ",");
  }

  /** The part of a cursor that an address names: what it does not name, or names by what is no number, is missing. @param {string} search */
  function fromQuery(search) {
    const query = new URLSearchParams(search);
    /** @type {{[name: string]: any, view: Record<string, any>}} */
    const part = {view: {}};
    if (query.has("trace")) part.trace = query.get("trace");
    for (const name of ["iteration", "node"]) {
      const text = query.get(name) ?? "";
      if (/^-?\d+$/.test(text)) part[name] = Math.max(0, Number(text));
    }
    if (query.has("phase")) part.phase = mcts.phases.known(query.get("phase"));
    for (const field of FIELDS) {
      const value = query.has(field.name) ? READ[field.kind](query.get(field.name), field) : undefined;
      if (value !== undefined) part.view[field.name] = value;
    }
    return part;
  }

  /** The address's query for a cursor; defaults are left out, parameters of others (theme, say) are kept.
      @param {Cursor} cursor @param {string} search */
  function toQuery(cursor, search) {
    const query = new URLSearchParams(search || "");
    for (const name of ["trace", "iteration", "phase", "node", ...Object.keys(VIEW)]) query.delete(name);
    if (cursor.trace !== null) query.set("trace", cursor.trace);
    query.set("iteration", String(cursor.iteration));
    if (cursor.phase) query.set("phase", cursor.phase);
    if (cursor.node !== 0) query.set("node", String(cursor.node));
    for (const [name, value] of Object.entries(cursor.view)) {
      if (String(value) !== String(VIEW[/** @type {keyof View} */ (name)])) query.set(name, String(value));
    }
    return "?" + query.toString().replaceAll("%2C", ",");
  }

  /** tell: called with the cursor when it has come to rest, whether the trace may have changed under it, and whether another
      picture is about to come, which goes first. @param {(cursor: Cursor, isNew: boolean, goesOn: boolean) => void} tell */
  function create(tell) {
    /** @type {Cursor} */
    let cursor = {trace: null, iteration: 0, phase: null, node: 0, view: {...VIEW}};
    let /** @type {number | null} */ timer = null, frame = 0, calm = false, held = false, isDue = false;
    let of = 0; // the iteration that the panels were told last
    let busied = 0, looked = 0, told = -Infinity; // milliseconds: by the panels; by the last look that found more; when they were told last

    function publish(isNew = false, goesOn = false) {
      [timer, held, isDue, told] = [null, false, false, performance.now()];
      if (cursor.trace === null) return; // nothing to show yet
      const address = location.pathname + toQuery(cursor, location.search) + location.hash;
      const before = new URLSearchParams(location.search).get("trace");
      if (before !== null && before !== cursor.trace) history.pushState(history.state, "", address); // the way back to it
      else if (address !== location.pathname + location.search + location.hash) history.replaceState(history.state, "", address);
      of = cursor.iteration;
      mcts.behind.note(false, of);
      tell(cursor, isNew, goesOn);
    }

    /** Update the panels while the cursor stays at the growing end, and note what that costs: the picture goes first. */
    function publishCalmly() {
      publish(false, looked > 0);
      const began = performance.now();
      let last = began, busy = 0;
      const look = () => {
        const now = performance.now();
        busy += Math.max(0, now - last - PROBE);
        last = now;
        if (now - began < CALM) setTimeout(look, PROBE); else busied = busy;
      };
      setTimeout(look, PROBE);
    }

    /** While looks find more, right after one: then the browser waits for the next one's answer. */
    function comeDue() {
      if (looked > 0) isDue = true; else publishCalmly();
    }

    /** After a long frame, the next step of a dragged slider may have been waiting. */
    function publishAfterFrame() {
      if (document.hidden) publish(); else frame = requestAnimationFrame(() => publish());
    }

    function stopWaiting() {
      isDue = false;
      clearTimeout(timer ?? undefined);
      cancelAnimationFrame(frame);
    }

    /** Merge a part into the cursor; the panels are updated when it has come to rest, or now. @param {any} part */
    function set(part, now = false) {
      cursor = {...cursor, ...part, view: {...cursor.view, ...(part.view || {})}};
      if (held && !now) return;
      if (!now) mcts.behind.note(cursor.iteration !== of, of);
      if (calm && !now) {
        timer ??= setTimeout(comeDue, Math.min(CALMEST, Math.max(CALM, SHARE * Math.max(busied, looked))));
        return;
      }
      stopWaiting();
      if (now) publish(); else timer = setTimeout(publishAfterFrame, REST);
    }

    /** The cursor is on its way to another iteration: updates wait until it rests there. */
    function wait() {
      if (timer === null || calm) return;
      stopWaiting();
      timer = setTimeout(publishAfterFrame, REST);
    }

    /** The trace was looked at: how many milliseconds that took with its picture, and whether there was more of it. While
        each look finds more, the panels wait longer: what they ask for makes the next picture late. Once nothing comes,
        they are told of what there is. @param {number} took @param {boolean} hasGrown */
    function noteLook(took, hasGrown) {
      looked = hasGrown ? took : 0;
      if (isDue) return publishCalmly();
      if (hasGrown || !calm || held || timer === null) return;
      stopWaiting();
      timer = setTimeout(publishCalmly, Math.max(0, told + CALM - performance.now()));
    }

    /** Tell the panels now, and that the trace may have changed. */
    function renew() {
      stopWaiting();
      publish(true);
    }

    /** Whether the iteration changes all the time: at the end of a growing trace, and while it is played. The panels are told
        now and then, instead of when it rests. @param {boolean} on */
    function setCalm(on) {
      if (calm === on) return;
      calm = on;
      if (on || timer === null) return;
      stopWaiting();
      timer = setTimeout(publishAfterFrame, REST);
    }

    return {get: () => cursor, set, wait, renew, noteLook, setCalm,
      /** No updates until one is demanded: another trace is on its way. */
      hold() {
        stopWaiting();
        [timer, held] = [null, true];
      },
      isAtRest: () => timer === null};
  }

  /** @param {"selects" | "filters"} what */
  const namesOf = (what) => FIELDS.filter((field) => field[what]).map(({name}) => name);

  return {create, fromQuery, toQuery, nodesQuery, withRoom, VIEW, SELECTS: namesOf("selects"), FILTERS: namesOf("filters")};
})();
