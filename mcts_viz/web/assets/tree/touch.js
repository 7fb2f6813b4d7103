/* Fingers on the tree: one moves the picture, two zoom it, a tap selects, one that rests asks what is there.
   Plotly does not get these events, as it knows no pinch. */
mcts.touch = (() => {
  const TAP = {pixels: 8, double: 350, rest: 500}; // milliseconds

  /** Their middle in the graph, and how far they are apart. @param {HTMLElement} graph @param {TouchList} touches */
  function hand(graph, touches) {
    const box = graph.getBoundingClientRect(), [one, other = touches[0]] = Array.from(touches);
    return {
      x: (one.clientX + other.clientX) / 2 - box.left, y: (one.clientY + other.clientY) / 2 - box.top,
      apart: touches.length > 1 ? Math.max(20, Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY)) : 0,
    };
  }

  /** @param {HTMLElement} graph
      @param {{drag(dx: number, dy: number, x: number, y: number, times: number): void, find(x: number, y: number): Found | null,
        onTap(found: Found): void, onDoubleTap(found: Found): void, onRest(found: Found | null, x: number, y: number): void}} acts */
  function listen(graph, {drag, find, onTap, onDoubleTap, onRest}) {
    let /** @type {ReturnType<typeof hand> | null} */ last = null, scheduled = 0, moved = 0;
    let /** @type {ReturnType<typeof hand> | null} */ next = null, lastTap = {node: -1, at: 0};
    let timer = 0, hasRested = false; // on something: its card is there until the next touch

    function follow() {
      scheduled = 0;
      if (!last || !next) return;
      const times = last.apart && next.apart ? next.apart / last.apart : 1;
      drag(next.x - last.x, next.y - last.y, last.x, last.y, times);
      last = next;
    }

    /** @param {number} x @param {number} y */
    function rest(x, y) {
      const found = last && moved <= TAP.pixels ? find(x, y) : null;
      hasRested = found !== null;
      if (found) onRest(found, x, y);
    }

    /** @param {TouchEvent} event */
    function onStart(event) {
      clearTimeout(timer);
      if (hasRested) onRest(null, 0, 0);
      hasRested = false;
      if (mcts.dom.targetOf(event).closest(".modebar, button")) return;
      event.preventDefault();
      event.stopPropagation();
      if (event.touches.length === 1) moved = 0; else moved = Infinity;
      last = next = hand(graph, event.touches);
      const [{clientX, clientY}] = Array.from(event.touches);
      timer = setTimeout(rest, TAP.rest, clientX, clientY);
    }

    /** @param {TouchEvent} event */
    function onMove(event) {
      if (!last) return;
      event.preventDefault();
      event.stopPropagation();
      next = hand(graph, event.touches);
      if (Boolean(next.apart) !== Boolean(last.apart)) { last = next; return; } // a finger has come or gone
      moved += Math.hypot(next.x - last.x, next.y - last.y);
      if (moved > TAP.pixels) scheduled ||= requestAnimationFrame(follow);
    }

    /** @param {TouchEvent} event */
    function onEnd(event) {
      if (!last) return;
      event.preventDefault();
      event.stopPropagation();
      if (event.touches.length) { last = next = hand(graph, event.touches); return; }
      clearTimeout(timer);
      last = next = null;
      if (moved > TAP.pixels || hasRested) return;
      const {clientX, clientY} = event.changedTouches[0], found = find(clientX, clientY);
      if (!found) return;
      const now = event.timeStamp, isDouble = found.part === "node" && lastTap.node === found.node && now - lastTap.at < TAP.double;
      lastTap = {node: found.node, at: now};
      if (isDouble) onDoubleTap(found); else onTap(found);
    }

    graph.addEventListener("touchstart", onStart, {capture: true, passive: false});
    graph.addEventListener("touchmove", onMove, {capture: true, passive: false});
    for (const ends of /** @type {const} */ (["touchend", "touchcancel"])) graph.addEventListener(ends, onEnd, {capture: true, passive: false});
  }

  return {listen};
})();
