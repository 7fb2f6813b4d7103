/* What the parts of the tree's canvas share: a view, the numbers it shows, and where its items stand in the last picture.
   One object, made by create() and owned by canvas.js; the parts are functions over it. */
mcts.treePicture = (() => {
  /** Distance from each item to its nearest neighbour on its level. @param {Geometry} geometry */
  function gaps(geometry) {
    const gap = new Float64Array(geometry.nItems).fill(1e6);
    for (let level = 0; level < geometry.nLevels; level++) {
      let before = -1;
      for (let i = geometry.level_start[level]; i < geometry.level_start[level + 1]; i++) {
        const item = geometry.order[i];
        if (geometry.isTucked[item]) continue;
        if (before >= 0) {
          const between = geometry.x[item] - geometry.x[before];
          gap[before] = Math.min(gap[before], between);
          gap[item] = between;
        }
        before = item;
      }
    }
    return gap;
  }

  /** @param {Pen} pen @param {Geometry} geometry @param {Meta} meta @param {Stage} stage @param {Pick<TreePicture, "options" | "ink" | "colouring">} looks
      @returns {TreePicture} */
  function create(pen, geometry, meta, stage, looks) {
    const n = geometry.nItems;
    return {
      ...looks, pen, view: Object.assign(geometry, {meta, gap: gaps(geometry)}), stage, state: stage.state,
      frame: {left: 0, top: 0, width: 1, height: 1, x: [-1, 1], y: [4, -1]}, kx: 1, ky: 1, bottom: 1,
      px: new Float32Array(n), py: new Float32Array(n), radius: new Float32Array(n),
      stubWidth: new Float32Array(n), labelEnd: new Float32Array(n),
      drawnAt: new Int32Array(n), paintId: 0, important: new Uint8Array(n),
      selected: -1, hovered: -1, end: null, written: [],
    };
  }

  /** Take over where the graph's axes are. @param {TreePicture} p @param {Frame} frame */
  function setFrame(p, frame) {
    p.frame = frame;
    p.kx = frame.width / (frame.x[1] - frame.x[0]);
    p.ky = frame.height / (frame.y[0] - frame.y[1]);
  }

  /** Pixels of the plot area. @param {TreePicture} p @param {number} x */
  const screenX = (p, x) => (x - p.frame.x[0]) * p.kx;

  /** @param {TreePicture} p @param {number} depth */
  const screenY = (p, depth) => (depth - p.frame.y[1]) * p.ky;

  /** Whether the last picture has an item. @param {TreePicture} p @param {number} item */
  const isDrawn = (p, item) => item >= 0 && p.drawnAt[item] === p.paintId;

  /** The place of an item's colour in the table; null for the colour of what has none. @param {TreePicture} p @param {number} item */
  function fillOf({colouring, state}, item) {
    const place = colouring.place(colouring.measure(item, state));
    return place < 0 ? null : place;
  }

  /** The item of the move that would be played; -1 where it is not in view. @param {TreePicture} p */
  const chosen = (p) => p.view.itemOf(p.stage.chosen());

  /** Whether a node's children are shown, hidden or not there: "−", "+" or "". @param {Geometry} view @param {number} item */
  function handleOf(view, item) {
    if (item < 0 || view.isStub(item) || view.n_children[item] === 0) return "";
    return view.childrenOf.has(item) && !view.tucked.has(item) ? "−" : "+";
  }

  /** Whether an item's handle is there to be seen and clicked: a tucked stub that is drawn stands in for it.
      @param {TreePicture} p @param {number} item */
  function hasHandle(p, item) {
    const {view} = p;
    if (!handleOf(view, item) || isDrawn(p, view.tucked.get(item) ?? -1)) return false;
    return item === p.hovered || item === p.selected || (!view.childrenOf.has(item) && p.radius[item] >= 3);
  }

  /** @param {TreePicture} p @param {number} item */
  const handleY = (p, item) => p.py[item] + p.radius[item] + 8;

  /** What no text covers: labels, nodes, their handles, "+k more", the end of the path.
      @param {TreePicture} p @param {number[]} items @returns {Box[]} */
  function standing(p, items) {
    const {view, px, py, radius, end} = p;
    /** @param {number} x @param {number} y @param {number} r @returns {Box} */
    const around = (x, y, r) => ({left: x - r, right: x + r, top: y - r, bottom: y + r});
    const nodes = items.filter((item) => !view.isStub(item));
    const rings = nodes.map((item) => around(px[item], py[item], radius[item] + (item === p.selected ? 5 : 1)));
    const handles = nodes.filter((item) => hasHandle(p, item)).map((item) => around(px[item], handleY(p, item), 7));
    return [...p.written, ...rings, ...handles, ...end?.room ? [end.room] : []];
  }

  /** Whether a box lies over one of the others. @param {Box} one @param {Box[]} others */
  const covers = (one, others) => others.some((other) =>
    one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom);

  return {create, standing, covers, setFrame, screenX, screenY, isDrawn, fillOf, chosen, handleOf, hasHandle, handleY};
})();
