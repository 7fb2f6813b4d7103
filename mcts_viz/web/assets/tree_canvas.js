/* The tree on a canvas inside the plot area of a Plotly graph, in the graph's own coordinates.

   Plotly owns axes, pan and zoom; this follows them. Only what is on screen is drawn, at most one mark every two pixels
   of a level. Knows nothing of servers or Dash: it is given a view and a state, and says what was clicked. */
window.mcts = window.mcts || {};

mcts.treeCanvas = (() => {
  "use strict";

  const MIN_PIXELS = 2;            // between two marks of a level
  const CURVES_AT_MOST = 1200;     // beyond that many edges they are straight
  const LABELS_AT_MOST = 500;
  const RADIUS = {least: 3.5, most: 22, equal: 8};
  const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";
  const LABEL = `600 12px ${FONT}`, SMALL = `11px ${FONT}`, CHOSEN = `600 11px ${FONT}`;
  const WIDTHS = [0.4, 0.75, 1.1, 1.6, 2.2, 3, 4, 5.2, 6.5]; // of edges, by visit share
  const WIDE_FAMILY = 16;          // children from which on labels may stand on end
  const UPRIGHT = 11;              // pixels between labels that stand on end
  const CLICK = {pixels: 4, double: 350};
  const COLOURS = ["paper", "ink", "muted", "edge", "path", "new", "backup", "chosen", "selected", "control"];

  const count = new Intl.NumberFormat("en-US").format;

  function overlay(graph) {
    const canvas = document.createElement("canvas");
    canvas.className = "mcts-tree-canvas";
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", "search tree"); // until there is more to say of it
    graph.append(canvas);
    return canvas;
  }

  /** handlers: onHover(item | -1, event), onClick(item, part, event), onDoubleClick(item), onPaint(report). */
  function create(graph, handlers) {
    const canvas = overlay(graph);
    const legend = mcts.legend.create(graph);
    const pen = canvas.getContext("2d");
    let area = {left: 0, top: 0, width: 1, height: 1}; // plot area in CSS pixels of the graph
    let axes = {x0: -1, x1: 1, y0: 4, y1: -1};         // y0 is the lower edge
    let view = null, state = null, replay = null;      // geometry + meta, numbers, mcts.replay
    let options = {colour: "mean_value", size: "visits", theme: "light"};
    let selected = -1, hovered = -1;                   // items
    let ink = mcts.colours.named(COLOURS);
    let colouring = null;
    let scheduled = 0;
    let px, py, radius, drawnAt, important;            // [M], of the last paint
    let paintId = 0;
    let report = {t: null, milliseconds: 0, drawn: 0, skipped: 0};
    let sharpness = 0;                                 // pixels a CSS pixel while a picture is taken; 0: the screen's
    const widthOf = new Map();

    // ---- coordinates -------------------------------------------------------------------------------------------

    function readAxes() {
      const layout = graph._fullLayout;
      if (!layout || !layout.xaxis || !layout._size) return false;
      const size = layout._size;
      area = {left: size.l, top: size.t, width: size.w, height: size.h};
      [axes.x0, axes.x1] = layout.xaxis.range;
      [axes.y0, axes.y1] = layout.yaxis.range;
      return true;
    }

    function fitCanvas() {
      const ratio = sharpness || window.devicePixelRatio || 1;
      const width = Math.round(area.width * ratio), height = Math.round(area.height * ratio);
      if (canvas.width !== width || canvas.height !== height) {
        canvas.width = width;
        canvas.height = height;
        canvas.style.width = `${area.width}px`;
        canvas.style.height = `${area.height}px`;
      }
      canvas.style.left = `${area.left}px`;
      canvas.style.top = `${area.top}px`;
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    }

    const scaleX = () => area.width / (axes.x1 - axes.x0);
    const scaleY = () => area.height / (axes.y0 - axes.y1);
    const screenX = (x) => (x - axes.x0) * scaleX();
    const screenY = (depth) => (depth - axes.y1) * scaleY();

    // ---- what is on screen ---------------------------------------------------------------------------------------

    function placeItem(item, kx, ky, rootVisits) {
      px[item] = (view.x[item] - axes.x0) * kx;
      py[item] = (view.depth[item] - axes.y1) * ky;
      drawnAt[item] = paintId;
      if (view.isTucked[item]) {
        const above = view.parent[item];
        if (drawnAt[above] !== paintId) placeItem(above, kx, ky, rootVisits);
        px[item] = px[above];
        py[item] = py[above] + radius[above] + 12;
      }
      if (view.isStub(item)) { radius[item] = 3; return; }
      const wanted = options.size === "equal" ? RADIUS.equal
        : RADIUS.least + (RADIUS.most - RADIUS.least) * Math.sqrt(state.visits[item] / wholeOf(item, rootVisits));
      radius[item] = Math.max(1, Math.min(wanted, view.gap[item] * kx * 0.46, ky * 0.3));
    }

    /** What an item's visits are a share of. */
    function wholeOf(item, rootVisits) {
      const above = view.parent[item];
      return options.size === "share" && above >= 0 ? Math.max(1, state.visits[above]) : rootVisits;
    }

    /** Items to draw, by level from left to right, and the number of those too close to a neighbour to be drawn. */
    function itemsOnScreen() {
      const kx = scaleX(), ky = scaleY(), margin = 40 / kx;
      const rootVisits = Math.max(1, state.visits[0]);
      const top = Math.max(0, Math.floor(axes.y1 - 0.5)), bottom = Math.min(view.nLevels - 1, Math.ceil(axes.y0 + 0.5));
      const items = [], edges = [];
      let skipped = 0;
      for (let level = top; level <= bottom; level++) {
        const [from, to] = view.between(level, axes.x0 - margin, axes.x1 + margin);
        let last = -Infinity;
        for (let i = from; i < to; i++) {
          const item = view.order[i];
          if (state.count[item] === 0 || view.isTucked[item]) continue;
          const x = (view.x[item] - axes.x0) * kx;
          if (x - last < MIN_PIXELS && !important[item]) { skipped += 1; continue; }
          last = x;
          placeItem(item, kx, ky, rootVisits);
          items.push(item);
        }
        if (level === 0) continue;
        const [first, end] = view.edgesBetween(level, axes.x0, axes.x1);
        last = -Infinity;
        for (let i = first; i < end; i++) {
          const item = view.order[i];
          if (state.count[item] === 0 || view.isTucked[item]) continue;
          if (drawnAt[item] !== paintId) {
            const x = (view.x[item] - axes.x0) * kx;
            if (Math.abs(x - last) < MIN_PIXELS && !important[item]) continue;
            last = x;
            placeItem(item, kx, ky, rootVisits);
          }
          const above = view.parent[item];
          if (drawnAt[above] !== paintId) placeItem(above, kx, ky, rootVisits);
          edges.push(item);
        }
      }
      const tucked = [];
      for (const item of items) {
        const stub = view.tucked.get(item);
        if (stub === undefined || state.count[stub] === 0) continue;
        if (!important[stub] && view.gap[item] * kx < 30) continue;
        placeItem(stub, kx, ky, rootVisits);
        tucked.push(stub);
      }
      return {items, edges, tucked, skipped};
    }

    // ---- drawing -------------------------------------------------------------------------------------------------

    function edgeLine(item, curved) {
      const above = view.parent[item];
      const x0 = px[above], y0 = py[above], x1 = px[item], y1 = py[item];
      pen.moveTo(x0, y0);
      if (curved) {
        const middle = (y0 + y1) / 2;
        pen.bezierCurveTo(x0, middle, x1, middle, x1, y1);
      } else {
        pen.lineTo(x1, y1);
      }
    }

    function drawEdges(edges) {
      const curved = edges.length <= CURVES_AT_MOST;
      const buckets = WIDTHS.map(() => []), cut = [];
      const kx = scaleX();
      for (const item of edges) {
        if (view.isStub(item)) { cut.push(item); continue; }
        const share = state.visits[item] / Math.max(1, state.visits[view.parent[item]]);
        const widest = Math.min(2 * radius[item] + 0.5, view.gap[item] * kx * 0.5);
        let bucket = Math.round(Math.sqrt(share) * (WIDTHS.length - 1));
        while (bucket > 0 && WIDTHS[bucket] > widest) bucket -= 1;
        buckets[bucket].push(item);
      }
      pen.strokeStyle = ink.edge;
      pen.lineCap = "round";
      pen.globalAlpha = edges.length > 4000 ? 0.55 : 1;
      buckets.forEach((bucket, i) => stroke(bucket, WIDTHS[i], curved));
      pen.globalAlpha = 1;
      if (edges.length < 3000) {
        pen.setLineDash([2, 3]);
        stroke(cut, 1, curved);
        pen.setLineDash([]);
      }
    }

    function stroke(items, width, curved) {
      if (items.length === 0) return;
      pen.lineWidth = width;
      pen.beginPath();
      for (const item of items) edgeLine(item, curved);
      pen.stroke();
    }

    function fillOf(item) {
      const place = colouring.place(colouring.measure(item, state));
      return place < 0 ? null : place;
    }

    /** Grey behind the smallest marks, which have no outline, so that pale ones can be seen. */
    function backTinyNodes(items) {
      pen.fillStyle = ink.muted;
      pen.globalAlpha = 0.45;
      for (const item of items) {
        const r = radius[item] + 0.6;
        if (r < 2.8 && !view.isStub(item)) pen.fillRect(px[item] - r, py[item] - r, 2 * r, 2 * r);
      }
      pen.globalAlpha = 1;
    }

    function drawNodes(items) {
      backTinyNodes(items);
      pen.lineWidth = 1;
      for (const item of items) {
        if (view.isStub(item)) continue;
        const place = fillOf(item), r = radius[item];
        pen.fillStyle = place === null ? view.meta.unvisited[options.theme] : colouring.table.fills[place];
        if (r < 2.2) {
          pen.fillRect(px[item] - r, py[item] - r, 2 * r, 2 * r);
          continue;
        }
        pen.beginPath();
        if (view.chance && view.chance[item]) diamond(px[item], py[item], r * 1.15);
        else if (Number.isNaN(view.outcome[item])) pen.arc(px[item], py[item], r, 0, 2 * Math.PI);
        else pen.rect(px[item] - r * 0.9, py[item] - r * 0.9, r * 1.8, r * 1.8); // the game is over here
        pen.fill();
        pen.strokeStyle = ink.muted;
        pen.stroke();
      }
    }

    /** Where chance decides. */
    function diamond(x, y, r) {
      pen.moveTo(x, y - r);
      pen.lineTo(x + r, y);
      pen.lineTo(x, y + r);
      pen.lineTo(x - r, y);
      pen.closePath();
    }

    function ring(item, distance, width, colour, dash) {
      pen.strokeStyle = colour;
      pen.lineWidth = width;
      pen.setLineDash(dash);
      pen.beginPath();
      pen.arc(px[item], py[item], radius[item] + distance, 0, 2 * Math.PI);
      pen.stroke();
      pen.setLineDash([]);
    }

    const isDrawn = (item) => item >= 0 && drawnAt[item] === paintId;

    function drawPath(iteration, curved) {
      if (!iteration) return;
      const edges = iteration.path.filter((item) => isDrawn(item) && isDrawn(view.parent[item]));
      pen.strokeStyle = ink.path;
      pen.lineCap = "round";
      stroke(edges, 4, curved);
    }

    /** How far the path goes on below what is seen. */
    function tellOfDeeper(iteration) {
      if (!iteration) return;
      const bottom = legend.top(area.height), kx = scaleX();
      const first = iteration.path.findIndex((item) => screenY(view.depth[item]) > bottom - 8);
      if (first < 1) return;
      const x = (view.x[iteration.path[first]] - axes.x0) * kx, levels = iteration.path.length - first;
      chip(x, bottom - 14, `↓ ${count(levels)} level${levels === 1 ? "" : "s"} deeper`, ink.path);
    }

    function drawRollout(iteration) {
      const end = iteration && iteration.hasTail !== false ? iteration.path[iteration.path.length - 1] : -1;
      if (isDrawn(end)) drawTail(end, iteration);
    }

    /** The simulation: a dashed tail from the path's end, with its result. */
    function drawTail(item, iteration) {
      const x = px[item], y = py[item] + (view.isStub(item) ? 10 : radius[item]);
      const length = Math.max(14, Math.min(34, scaleY() * 0.36 - radius[item]));
      pen.strokeStyle = ink.path;
      pen.lineWidth = 2;
      pen.setLineDash([3, 4]);
      pen.beginPath();
      pen.moveTo(x, y + 2);
      pen.lineTo(x, y + length);
      pen.stroke();
      pen.setLineDash([]);
      const text = outcomeText(iteration.outcome);
      if (text) chip(x, y + length + 8, text, ink.path);
    }

    function outcomeText(outcome) {
      if (Number.isNaN(outcome)) return "";
      if (view.meta.players.length === 1) return `reward ${Number(outcome.toPrecision(4))}`;
      if (!view.meta.has_results) return `${outcome > 0 ? "+" : ""}${outcome.toFixed(2)} for ${view.meta.players[0]}`;
      if (outcome === 1) return `${view.meta.players[0]} wins`;
      if (outcome === -1) return `${view.meta.players[1]} wins`;
      return outcome === 0 ? "draw" : outcome.toFixed(2);
    }

    /** A small text on a plate of paper, centred at a point. */
    function chip(x, y, text, colour) {
      pen.font = `600 11px ${FONT}`;
      const width = pen.measureText(text).width + 10;
      const middle = Math.max(width / 2 + 2, Math.min(area.width - width / 2 - 2, x));
      plate(middle, y, width, 17, colour);
      pen.fillStyle = colour;
      pen.textAlign = "center";
      pen.fillText(text, middle, y + 0.5);
    }

    function drawMarks(iteration) {
      if (iteration) {
        for (const item of iteration.updated) if (isDrawn(item) && !view.isStub(item)) backupMark(item);
        for (const item of iteration.made) {
          if (isDrawn(item)) ring(item, view.isStub(item) ? 5 : 4, 2.2, ink.new, [4, 3]);
        }
      }
      const best = view.itemOf(replay.chosen());
      if (isDrawn(best) && best > 0) chosenMark(best);
      if (isDrawn(selected)) {
        ring(selected, 3, 3, ink.paper, []);
        ring(selected, 4, 2.6, ink.selected, []);
      }
    }

    /** A small arrow up at the node's left shoulder. */
    function backupMark(item) {
      if (scaleY() < 18) return;
      const x = px[item] - radius[item] * 0.75 - 5, y = py[item] - radius[item] * 0.75 - 2;
      pen.fillStyle = ink.backup;
      pen.beginPath();
      pen.moveTo(x, y - 5);
      pen.lineTo(x + 4.2, y + 2.5);
      pen.lineTo(x - 4.2, y + 2.5);
      pen.fill();
    }

    /** Where the word at the move chosen stands, {x, y, text}; null where there is no room for it. */
    function chosenWord(item) {
      const above = view.parent[item];
      const crowded = py[item] - radius[item] - py[above] - radius[above] < 34; // then it goes to the left
      const room = Math.min(px[item], view.gap[item] * scaleX()) - radius[item];
      if (crowded && room < 78) return null;
      const named = labelEnd[item] > 0 ? "chosen" : `chosen ${view.shortLabel(item)}`; // where there was no room for it
      const width = textWidth(named, CHOSEN);
      if (crowded) return {x: px[item] - radius[item] - 58, y: py[item], text: width <= 56 ? named : "chosen"};
      const last = area.width - Math.max(44, width + 2); // from where it still ends inside the picture
      return {x: Math.max(20, Math.min(last, px[item] - 14)), y: py[item] - radius[item] - 13, text: named};
    }

    function chosenMark(item) {
      ring(item, 2, 2.6, ink.chosen, []);
      const word = chosenWord(item);
      if (word === null) {
        star(px[item] - radius[item] - 9, py[item] - radius[item] * 0.6 - 6, 6.5, ink.chosen);
        return;
      }
      star(word.x - 10, word.y, 6.5, ink.chosen);
      pen.font = CHOSEN;
      halo(word.text, word.x, word.y + 0.5, ink.chosen);
    }

    function star(x, y, size, colour) {
      pen.fillStyle = colour;
      pen.beginPath();
      for (let i = 0; i < 10; i++) {
        const angle = Math.PI * (i / 5 - 0.5), r = i % 2 ? size * 0.45 : size;
        pen.lineTo(x + r * Math.cos(angle), y + r * Math.sin(angle));
      }
      pen.fill();
    }

    function halo(text, x, y, colour) {
      pen.textAlign = "left";
      pen.lineWidth = 3;
      pen.lineJoin = "round";
      pen.strokeStyle = ink.paper;
      pen.strokeText(text, x, y);
      pen.fillStyle = colour;
      pen.fillText(text, x, y);
    }

    function textWidth(text, font) {
      const key = font + text;
      if (!widthOf.has(key)) {
        pen.font = font;
        if (widthOf.size > 5000) widthOf.clear();
        widthOf.set(key, pen.measureText(text).width);
      }
      return widthOf.get(key);
    }

    /** Labels where there is room up to the next mark of the level: the move, and its visits when they fit too. */
    function drawLabels(items) {
      let left = LABELS_AT_MOST;
      for (let i = 0; i < items.length && left > 0; i++) {
        const item = items[i], next = items[i + 1];
        const sameLevel = next !== undefined && view.depth[next] === view.depth[item];
        const end = sameLevel ? px[next] - leastHalf(next) - 4 : area.width - 4;
        labelEnd[item] = 0;
        const done = view.isStub(item) ? drawBetween(item, end, items[i - 1]) : drawLabel(item, end);
        if (done) left -= 1;
      }
      if (left > 0) drawUpright(items, left);
    }

    /** Half of what an item takes of its level at least. */
    const leastHalf = (item) => view.isStub(item) && scaleY() > 26
      ? textWidth(`+${count(state.count[item])}`, SMALL) / 2 + 7 : radius[item];

    /** Where a level is too crowded for words side by side: they stand on end over the nodes, the most visited first,
        as many as do not touch. */
    function drawUpright(items, left) {
      if (scaleY() < 54) return;
      const best = view.itemOf(replay.chosen());
      const isWide = (item) => view.parent[item] >= 0 && view.childrenOf.get(view.parent[item]).length >= WIDE_FAMILY;
      const bare = items.filter((item) => labelEnd[item] === 0 && radius[item] >= 1 && item !== best && !view.isStub(item) && isWide(item));
      if (bare.length === 0) return;
      bare.sort((one, other) => important[other] - important[one] || state.visits[other] - state.visits[one]);
      const taken = new Map(); // level -> columns of UPRIGHT pixels
      pen.textAlign = "left";
      for (const item of bare.slice(0, 4 * LABELS_AT_MOST)) {
        if (left <= 0) break;
        const level = view.depth[item], column = Math.round(px[item] / UPRIGHT);
        if (!taken.has(level)) taken.set(level, levelColumns(items, level, best));
        const columns = taken.get(level);
        if (columns.has(column) || columns.has(column - 1) || columns.has(column + 1)) continue;
        columns.add(column);
        drawOnEnd(item);
        left -= 1;
      }
    }

    /** Columns of a level in which something stands already: labels beside their nodes, and the mark of the move chosen. */
    function levelColumns(items, level, best) {
      const columns = new Set();
      const take = (from, to) => { for (let x = from; x < to + UPRIGHT; x += UPRIGHT) columns.add(Math.round(x / UPRIGHT)); };
      for (const item of items) {
        if (view.depth[item] === level && labelEnd[item] > 0) take(px[item] - radius[item], labelEnd[item]);
      }
      const word = best > 0 && isDrawn(best) && view.depth[best] === level ? chosenWord(best) : null;
      if (word) take(word.x - 20, word.x + textWidth(word.text, CHOSEN));
      return columns;
    }

    function drawOnEnd(item) {
      const above = view.parent[item];
      const room = above >= 0 ? py[item] - py[above] - radius[above] - radius[item] - 8 : 40;
      const text = [view.label(item), view.shortLabel(item)].find((each) => textWidth(each, SMALL) <= room);
      if (!text) return;
      pen.save();
      pen.translate(px[item], py[item] - radius[item] - 4);
      pen.rotate(-Math.PI / 2);
      pen.font = SMALL;
      halo(text, 0, 0.5, ink.ink);
      pen.restore();
    }

    function drawLabel(item, end) {
      if (radius[item] < 3 && !important[item]) return false;
      const label = view.label(item), visits = count(state.visits[item]);
      const r = radius[item], y = py[item];
      const visitsWidth = textWidth(visits, SMALL);
      const short = view.shortLabel(item), shortWidth = textWidth(short, LABEL);
      const extra = item === selected || view.itemOf(replay.chosen()) === item ? 4 : 0;
      let x = px[item] + r + 4 + extra;
      const inside = r >= 7 && shortWidth <= 1.75 * r;
      if (inside) {
        const place = fillOf(item);
        pen.font = LABEL;
        pen.fillStyle = place === null ? ink.ink : colouring.table.inks[place];
        pen.textAlign = "center";
        pen.fillText(short, px[item], y + 0.5);
      }
      const beside = [
        !inside || short !== label ? label : "", inside ? "" : short,
      ].find((text) => text && x + textWidth(text, LABEL) + (inside ? visitsWidth + 4 : 0) <= end);
      if (beside) {
        pen.font = LABEL;
        halo(beside, x, y + 0.5, ink.ink);
        x += textWidth(beside, LABEL) + 4;
      }
      if ((inside || beside) && x + visitsWidth <= end) {
        pen.font = SMALL;
        halo(visits, x, y + 0.5, ink.muted);
        x += visitsWidth;
      }
      if (inside || beside) labelEnd[item] = x;
      return inside || Boolean(beside);
    }

    /** A pill "+k more" where there is room, else three dots, else a dash. */
    function drawStub(item, room) {
      const n = count(state.count[item]);
      const text = [`+${n} more`, `+${n}`].find((each) => textWidth(each, SMALL) + 12 <= room);
      const x = px[item], y = py[item];
      stubWidth[item] = text ? textWidth(text, SMALL) + 12 : 0;
      if (text && scaleY() > 26) {
        plate(x, y, stubWidth[item], 16, ink.muted);
        pen.font = SMALL;
        pen.textAlign = "center";
        pen.fillStyle = ink.muted;
        pen.fillText(text, x, y + 0.5);
        return true;
      }
      pen.fillStyle = ink.muted;
      if (room >= 14) for (const shift of [-4, 0, 4]) pen.fillRect(x + shift - 1, y - 1, 2, 2);
      else pen.fillRect(x - 1, y - 0.5, 2, 1);
      return false;
    }

    /** A stub among its siblings: as wide as the way to its neighbours allows. */
    function drawBetween(item, end, before) {
      const free = before !== undefined && view.depth[before] === view.depth[item]
        ? px[item] - Math.max(labelEnd[before], px[before] + radius[before]) - 1 : 60;
      return drawStub(item, 2 * Math.min(free, end - px[item], 40));
    }

    function drawTucked(stubs) {
      for (const item of stubs) drawStub(item, Math.max(view.gap[view.parent[item]] * scaleX() - 6, important[item] ? 40 : 0));
    }

    function plate(x, y, width, height, colour) {
      pen.fillStyle = ink.paper;
      pen.strokeStyle = colour;
      pen.lineWidth = 1;
      pen.beginPath();
      pen.roundRect(x - width / 2, y - height / 2, width, height, height / 2);
      pen.fill();
      pen.stroke();
    }

    let stubWidth, labelEnd;

    /** Whether a node's children are shown, hidden or not there: "−", "+" or "". */
    function handleOf(item) {
      if (item < 0 || view.isStub(item) || view.n_children[item] === 0) return "";
      return view.childrenOf.has(item) && !view.tucked.has(item) ? "−" : "+";
    }

    const isClosed = (item) => !view.isStub(item) && view.n_children[item] > 0 && !view.childrenOf.has(item);
    /** Whether an item's handle is there to be seen and clicked: a tucked stub that is drawn stands in for it. */
    function hasHandle(item) {
      if (!handleOf(item) || isDrawn(view.tucked.get(item) ?? -1)) return false;
      return item === hovered || item === selected || (isClosed(item) && radius[item] >= 3);
    }

    const handleY = (item) => py[item] + radius[item] + 8;

    function drawHandles(items) {
      for (const item of items) {
        if (!hasHandle(item)) continue;
        const sign = handleOf(item);
        const x = px[item], y = handleY(item);
        pen.fillStyle = ink.paper;
        pen.strokeStyle = ink.control;
        pen.lineWidth = 1.5;
        pen.beginPath();
        pen.arc(x, y, 6.5, 0, 2 * Math.PI);
        pen.fill();
        pen.stroke();
        pen.beginPath();
        pen.moveTo(x - 3, y);
        pen.lineTo(x + 3, y);
        if (sign === "+") { pen.moveTo(x, y - 3); pen.lineTo(x, y + 3); }
        pen.stroke();
      }
    }

    function markImportant(iteration) {
      important.fill(0);
      if (iteration) {
        for (const item of iteration.path) important[item] = 1;
        for (const item of iteration.made) important[item] = 1;
        for (const item of iteration.updated) important[item] = 1;
      }
      if (selected >= 0) important[selected] = 1;
      const best = view.itemOf(replay.chosen());
      if (best >= 0) important[best] = 1;
    }

    function draw() {
      cancelAnimationFrame(scheduled);
      scheduled = 0;
      if (!view || !readAxes() || state.t === null) return;
      const begin = performance.now();
      fitCanvas();
      pen.clearRect(0, 0, area.width, area.height);
      paintId += 1;
      const iteration = replay.iteration();
      markImportant(iteration);
      const {items, edges, tucked, skipped} = itemsOnScreen();
      pen.textBaseline = "middle";
      drawEdges(edges);
      drawPath(iteration, edges.length <= CURVES_AT_MOST);
      drawNodes(items);
      drawLabels(items);
      drawRollout(iteration);
      drawTucked(tucked);
      drawMarks(iteration);
      drawHandles(items);
      tellOfDeeper(iteration);
      mcts.phaseMarks.draw({
        pen, view, px, py, radius, area, bottom: () => legend.top(area.height), kx: scaleX(), ky: scaleY(), ink, isDrawn, hasHandle,
      }, replay);
      report = {t: state.t, milliseconds: performance.now() - begin, at: performance.now(), drawn: items.length, skipped};
      handlers.onPaint(report);
      if (mouse) hover();
    }

    /** Draw with the next frame of the screen; many calls make one picture. */
    function schedule() {
      if (!scheduled) scheduled = requestAnimationFrame(() => { scheduled = 0; draw(); });
    }

    // ---- under the mouse -------------------------------------------------------------------------------------------

    function nearest(level, x) {
      const [from] = view.between(level, axes.x0 + x / scaleX(), Infinity);
      const begin = view.level_start[level], end = view.level_start[level + 1];
      let best = -1, distance = Infinity;
      for (const step of [-1, 1]) {
        let tried = 0;
        for (let i = step < 0 ? from - 1 : from; i >= begin && i < end && tried < 6; i += step) {
          const item = view.order[i];
          if (drawnAt[item] !== paintId) { if (state.count[item] > 0) tried += 0.05; continue; }
          tried += 1;
          if (Math.abs(px[item] - x) < distance) { distance = Math.abs(px[item] - x); best = item; }
        }
      }
      return best;
    }

    function partAt(item, x, y) {
      const dx = Math.abs(px[item] - x), dy = Math.abs(py[item] - y);
      if (view.isStub(item)) {
        return dx <= Math.max(8, stubWidth[item] / 2) && dy <= 10 ? "stub" : "";
      }
      if (Math.hypot(dx, dy) <= Math.max(radius[item] + 2, 6)) return "node";
      return hasHandle(item) && Math.hypot(px[item] - x, handleY(item) - y) <= 9 ? "handle" : "";
    }

    /** {item, part: "node" | "handle" | "stub"} at a point of the plot area, or null. */
    function hit(x, y) {
      if (!view || !px) return null;
      const depth = axes.y1 + y / scaleY();
      for (const level of [Math.round(depth), Math.floor(depth), Math.ceil(depth)]) {
        if (level < 0 || level >= view.nLevels) continue;
        const item = nearest(level, x);
        if (item < 0) continue;
        const part = partAt(item, x, y);
        if (part) return {item, part};
        const stub = view.tucked.get(item);
        if (stub !== undefined && isDrawn(stub) && partAt(stub, x, y)) return {item: stub, part: "stub"};
      }
      return null;
    }

    function hitEvent(event) {
      const box = graph.getBoundingClientRect();
      const x = event.clientX - box.left - area.left, y = event.clientY - box.top - area.top;
      return x < 0 || y < 0 || x > area.width || y > area.height ? null : hit(x, y);
    }

    let pressed = null, lastClick = {item: -1, at: 0};
    let mouse = null; // the event that brought it to where it rests over the picture

    function onMove(event) {
      mouse = event.buttons ? null : event;
      if (mouse) hover();
    }

    /** Tell what lies under the mouse; each picture asks again, which may have other numbers or something else there. */
    function hover() {
      const found = mouse.target.closest && mouse.target.closest(".modebar, .mcts-legend") ? null : hitEvent(mouse);
      const item = found ? found.item : -1;
      graph.classList.toggle("mcts-pointing", item >= 0);
      if (item !== hovered) { hovered = item; schedule(); }
      handlers.onHover(item, mouse);
    }

    function onLeave() {
      mouse = null;
      if (hovered >= 0) { hovered = -1; schedule(); }
      handlers.onHover(-1, null);
    }

    function onDown(event) {
      const found = event.button === 0 ? hitEvent(event) : null;
      pressed = found && {...found, x: event.clientX, y: event.clientY};
    }

    function onUp(event) {
      const start = pressed;
      pressed = null;
      if (!start) return;
      if (Math.hypot(event.clientX - start.x, event.clientY - start.y) > CLICK.pixels) return;
      const now = performance.now();
      if (start.part === "node" && lastClick.item === start.item && now - lastClick.at < CLICK.double) {
        lastClick = {item: -1, at: 0};
        handlers.onDoubleClick(start.item);
        return;
      }
      lastClick = {item: start.item, at: now};
      handlers.onClick(start.item, start.part, event);
    }

    // ---- following Plotly ------------------------------------------------------------------------------------------

    function follow() {
      for (const name of ["plotly_relayouting", "plotly_relayout", "plotly_afterplot"]) graph.on(name, schedule);
      for (const name of ["plotly_relayouting", "plotly_relayout"]) graph.on(name, () => { if (readAxes()) wanted = ranges(); });
      graph.on("plotly_afterplot", holdRanges);
    }

    /* pane.js brings axes of its own where there is no Plotly */
    const relayout = (changes) => graph.mctsRelayout ? graph.mctsRelayout(changes) : Plotly.relayout(graph, changes);

    async function setRanges(x0, x1, y0, y1) {
      wanted = [x0, x1, y0, y1];
      moving += 1;
      try {
        await relayout({
          "xaxis.range": [x0, x1], "yaxis.range": [y0, y1], "xaxis.autorange": false, "yaxis.autorange": false,
        });
      } finally {
        moving -= 1;
      }
    }

    let moving = 0;    // ranges that were asked for and are not there yet
    let wanted = null; // ranges that a person or we have asked for last
    let fitted = null; // plot area and ranges of the last fit

    const ranges = () => [axes.x0, axes.x1, axes.y0, axes.y1];
    const isSame = (one, other) => one.every((value, i) => Math.abs(value - other[i]) < 1e-9);

    /* Dash draws its own figure again when something around it changes, and that has the ranges of the start: put back
       what was wanted. A picture that was fitted and then left alone fits its new area too (a window resized). */
    function holdRanges() {
      if (!wanted || !readAxes()) return;
      if (!isSame(wanted, ranges())) setRanges(...wanted);
      else if (fitted && isSame(fitted.ranges, wanted) && (fitted.width !== area.width || fitted.height !== area.height)) fit();
    }

    /** Show the whole width of as many levels as stand clear of each other; the rest is a drag away. */
    function fit() {
      const top = 46, left = 30, right = 64, bottom = 96;
      if (!view || !readAxes() || area.width <= left + right || area.height <= top) return Promise.resolve(); // hidden
      const ky = Math.min(Math.max((area.height - top - bottom) / Math.max(view.deepest, 1), 54), 124);
      const [first, last] = view.extent(Math.floor((area.height - top) / ky)); // of the levels that are seen
      const kx = Math.min((area.width - left - right) / Math.max(last - first, 0.1), 130);
      const x0 = (first + last) / 2 - (area.width + left - right) / 2 / kx;
      const y1 = -top / ky;
      fitted = {width: area.width, height: area.height, ranges: [x0, x0 + area.width / kx, y1 + area.height / ky, y1]};
      return setRanges(...fitted.ranges);
    }

    /** Whether the picture is as the last fit left it. */
    const isFitted = () => Boolean(fitted && wanted && isSame(fitted.ranges, wanted));

    /** Keep the scale and put an item back to where it was on screen. */
    function keepAt(item, x, y) {
      if (!readAxes()) return Promise.resolve();
      const x0 = view.x[item] - x / scaleX(), y1 = view.depth[item] - y / scaleY();
      return setRanges(x0, x0 + (axes.x1 - axes.x0), y1 + (axes.y0 - axes.y1), y1);
    }

    /** Move the picture just so far that an item is well inside it. */
    function bringIntoView(item) {
      if (!readAxes()) return Promise.resolve();
      const x = screenX(view.x[item]), y = screenY(view.depth[item]);
      const nearX = Math.max(40, Math.min(area.width - 60, x)), nearY = Math.max(40, Math.min(area.height - 50, y));
      return nearX === x && nearY === y ? Promise.resolve() : keepAt(item, nearX, nearY);
    }

    // ---- what the app calls ----------------------------------------------------------------------------------------

    function chooseColours() {
      ink = mcts.colours.named(COLOURS);
      if (!view) return;
      const scale = view.meta.scales[options.colour] || view.meta.scales.mean_value;
      colouring = {
        table: mcts.colours.table(scale.stops[options.theme], scale.categorical),
        place: mcts.colours.placer(scale),
        measure: mcts.colours.measure(scale.mode, view, view.meta),
      };
      const hasChance = Boolean(view.chance && view.chance.includes(1));
      legend.show(scale, options.theme, options.show === "icicle" ? "icicle" : options.size, {hasChance, hasPhases: view.meta.has_phases});
    }

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

    function setView(geometry, meta, newReplay) {
      view = Object.assign(geometry, {meta, gap: gaps(geometry)});
      replay = newReplay;
      state = newReplay.state;
      const n = view.nItems;
      px = new Float32Array(n);
      py = new Float32Array(n);
      radius = new Float32Array(n);
      stubWidth = new Float32Array(n);
      labelEnd = new Float32Array(n);
      drawnAt = new Int32Array(n);
      important = new Uint8Array(n);
      selected = hovered = -1;
      chooseColours();
    }

    function setOptions(part) {
      options = {...options, ...part};
      chooseColours();
      schedule();
    }

    function setTheme(theme) {
      setOptions({theme});
      return relayout({
        paper_bgcolor: ink.paper, plot_bgcolor: ink.paper, "font.color": ink.ink,
        "modebar.bgcolor": "rgba(0,0,0,0)", "modebar.color": ink.muted, "modebar.activecolor": ink.ink,
      });
    }

    /** Where an item was last drawn, in CSS pixels of the window; null when it was not. */
    function position(item) {
      if (!isDrawn(item)) return null;
      const box = graph.getBoundingClientRect();
      return {
        x: box.left + area.left + px[item], y: box.top + area.top + py[item], radius: radius[item],
        handle: {x: box.left + area.left + px[item], y: box.top + area.top + handleY(item), sign: handleOf(item)},
      };
    }

    graph.addEventListener("mousemove", onMove);
    graph.addEventListener("mouseleave", onLeave);
    graph.addEventListener("mousedown", onDown, true);
    document.addEventListener("mouseup", onUp, true);
    follow();

    return {
      canvas, setView, setOptions, setTheme, fit, isFitted, keepAt, bringIntoView, draw, schedule, hit, position, handleOf, isClosed,
      select: (item) => { selected = item; schedule(); },
      /** Whether everything is where it will stay: nothing on its way, nothing to be drawn with the next frame. */
      isStill: () => moving === 0 && scheduled === 0,
      local: (item) => isDrawn(item) ? [px[item], py[item]] : null,
      /** Draw sharper, call use(canvas), and draw for the screen again. */
      sharp(pixels, use) { sharpness = pixels; draw(); try { use(canvas); } finally { sharpness = 0; draw(); } },
      describe: (text) => canvas.setAttribute("aria-label", text),
      report: () => report,
      options: () => options,
      colourOf: (item) => { const place = fillOf(item); return place === null ? null : colouring.table.fills[place]; },
      measureOf: (item) => colouring.measure(item, state),
    };
  }

  return {create};
})();
