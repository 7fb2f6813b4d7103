/* The room that a tree has: pixels for its columns and levels, by which the server decides how many nodes can be read.
   It is taken once, before the page is there, so that nothing comes or goes with the first click. */
mcts.room = (() => {
  const AROUND = {wide: 94, high: 192};   // pixels that a fitted tree leaves free, with the legend
  const PAGE = {wide: 0, high: 300};      // and those of the page around the picture: bar, tools, stepping (page.css)
  const MOST = 8;                         // times that the room grows by zooming in

  let /** @type {{wide: number, high: number} | null} */ taken = null, zoom = 1;

  /** The picture's size in CSS pixels, or what it will be. @returns {{width: number, height: number}} */
  function picture() {
    const box = document.querySelector?.(".page:not(.first-picture) .picture")?.getBoundingClientRect();
    if (box && box.width > 0 && box.height > 0) return box;
    const {innerWidth: width = 1280, innerHeight: height = 720} = window;
    if (width <= 900) return {width, height: (height - PAGE.high) / 2};
    return {width: width - mcts.panes.sideWidth(width), height: height - PAGE.high};
  }

  function take() {
    const {width, height} = picture();
    return {wide: Math.max(200, Math.round(width) - AROUND.wide), high: Math.max(80, Math.round(height) - AROUND.high)};
  }

  return {
    /** What a view without a number of nodes asks for. */
    get() {
      taken ??= take();
      return {wide: taken.wide * zoom, high: taken.high * zoom};
    },
    /** Take it anew; whether it differs. */
    renew() {
      const before = JSON.stringify([taken, zoom]);
      [taken, zoom] = [take(), 1];
      return JSON.stringify([taken, zoom]) !== before;
    },
    /** The picture is that many times as large as when it was fitted: more nodes have room. Whether that asks for others.
        @param {number} times */
    enlarge(times) {
      const next = Math.min(MOST, 2 ** Math.max(0, Math.round(Math.log2(times))));
      const differs = next !== zoom;
      zoom = next;
      return differs;
    },
  };
})();
