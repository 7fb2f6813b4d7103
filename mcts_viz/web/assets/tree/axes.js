/* Which part of the tree the graph's axes show: fitted, moved, and held when Dash draws its own figure again. */
mcts.treeAxes = (() => {
  const EDGE = {top: 40, left: 30, right: 64, bottom: 94}; // pixels free around a tree that is fitted, above its legend
  const RESULT = 66, SHARE = 0.2; // below it: never less, for a result; nor more of a low picture, if that is enough
  const LEVEL = 30, SLOT = 150; // least pixels between two levels; most pixels of a slot

  /** @param {number[]} one @param {number[]} other */
  const isSame = (one, other) => one.every((value, i) => Math.abs(value - other[i]) < 1e-9);

  /** @param {Frame} frame */
  const ranges = ({x, y}) => [...x, ...y];

  /** view() gives the geometry shown, if any; free(height) how much of a height is above the legend.
      @param {Graph} graph @param {() => Geometry | null} view @param {(height: number) => number} free */
  function create(graph, view, free) {
    let moving = 0;    // ranges that were asked for and are not there yet
    /** @type {number[] | null} */
    let wanted = null; // ranges that a person or we have asked for last
    /** @type {{width: number, height: number, ranges: number[]} | null} */
    let fitted = null; // plot area and ranges of the last fit

    const frame = () => mcts.plotly.frame(graph);

    /** @param {number} x0 @param {number} x1 @param {number} y0 lower edge @param {number} y1 */
    async function setRanges(x0, x1, y0, y1) {
      wanted = [x0, x1, y0, y1];
      moving += 1;
      try {
        await mcts.plotly.relayout(graph, {
          "xaxis.range": [x0, x1], "yaxis.range": [y0, y1], "xaxis.autorange": false, "yaxis.autorange": false,
        });
      } finally {
        moving -= 1;
      }
    }

    /* Dash draws its own figure again when something around it changes, and that has the ranges of the start: put back
       what was wanted. A picture that was fitted and then left alone fits its new area too (a window resized). */
    function holdRanges() {
      const now = frame();
      if (!wanted || !now) return;
      const [x0, x1, y0, y1] = wanted;
      if (!isSame(wanted, ranges(now))) setRanges(x0, x1, y0, y1);
      else if (fitted && isFitted() && (fitted.width !== now.width || fitted.height !== now.height)) fit();
    }

    /** Show all levels, which share the height, and their whole width; levels that would lie too close are a drag away. */
    async function fit() {
      const geometry = view(), now = frame(), {top, left, right} = EDGE;
      if (!geometry || !now || now.width <= left + right || now.height <= top) return; // hidden
      const {width, height} = now, bottom = Math.max(RESULT, Math.min(EDGE.bottom, SHARE * free(height)));
      const ky = Math.max((free(height) - top - bottom) / Math.max(geometry.deepest, 1), LEVEL);
      const [first, last] = geometry.extent(Math.floor((height - top) / ky)); // of the levels that are seen
      const kx = Math.min((width - left - right) / Math.max(last - first, 0.1), SLOT);
      const x0 = (first + last) / 2 - (width + left - right) / 2 / kx, y1 = -top / ky;
      const x1 = x0 + width / kx, y0 = y1 + height / ky;
      fitted = {width, height, ranges: [x0, x1, y0, y1]};
      await setRanges(x0, x1, y0, y1);
    }

    /** Whether the picture is as the last fit left it. */
    const isFitted = () => Boolean(fitted && wanted && isSame(fitted.ranges, wanted));

    /** Keep the scale, or so much of it across, and put an item to a place on screen.
        @param {number} item @param {number} x @param {number} y */
    async function keepAt(item, x, y, scale = 1) {
      const geometry = view(), now = frame();
      if (!geometry || !now) return;
      const {x: [left, right], y: [low, high]} = now, across = (right - left) / scale;
      const x0 = geometry.x[item] - x * across / now.width, y1 = geometry.depth[item] - y * (low - high) / now.height;
      await setRanges(x0, x0 + across, y1 + (low - high), y1);
    }

    /** Move the picture just so far that an item is well inside it, above the legend. @param {number} item */
    async function bringIntoView(item) {
      const geometry = view(), now = frame();
      if (!geometry || !now) return;
      const {x: [left, right], y: [low, high], width, height} = now;
      const x = (geometry.x[item] - left) / (right - left) * width, y = (geometry.depth[item] - high) / (low - high) * height;
      const nearX = Math.max(40, Math.min(width - 60, x)), nearY = Math.max(40, Math.min(free(height) - 50, y));
      if (nearX !== x || nearY !== y) await keepAt(item, nearX, nearY);
    }

    for (const name of ["plotly_relayouting", "plotly_relayout"]) {
      graph.on(name, () => {
        const now = frame();
        if (now) wanted = ranges(now);
      });
    }
    graph.on("plotly_afterplot", holdRanges);

    /** Move the picture by some pixels, and zoom it around a point of the plot area, as fingers do.
        @param {number} dx @param {number} dy @param {number} x @param {number} y */
    async function drag(dx, dy, x, y, times = 1) {
      const now = frame();
      if (!now) return;
      const {x: [left, right], y: [low, high], width, height} = now;
      const perX = (right - left) / width, perY = (low - high) / height;
      const x0 = left + x * perX - (x + dx) * perX / times, y1 = high + y * perY - (y + dy) * perY / times;
      await setRanges(x0, x0 + width * perX / times, y1 + height * perY / times, y1);
    }

    /** How many times as large as fitted the picture is. */
    function zoom() {
      if (!fitted || !wanted) return 1;
      const [, , low, high] = fitted.ranges, [, , lowNow, highNow] = wanted;
      return (low - high) / (lowNow - highNow) * (frame()?.height ?? 0) / fitted.height;
    }

    return {fit, isFitted, drag, zoom, keepAt, bringIntoView, isStill: () => moving === 0};
  }

  return {create};
})();
