/* The nodes of the tree, and the handles that open and close them. */
mcts.treeNodes = (() => {
  /** Grey behind the smallest marks, which have no outline, so that pale ones can be seen. @param {TreePicture} p @param {number[]} items */
  function backTinyNodes({pen, px, py, radius, view, ink}, items) {
    Object.assign(pen, {fillStyle: ink.muted, globalAlpha: 0.45});
    for (const item of items) {
      const r = radius[item] + 0.6;
      if (r < 2.8 && !view.isStub(item)) pen.fillRect(px[item] - r, py[item] - r, 2 * r, 2 * r);
    }
    pen.globalAlpha = 1;
  }

  /** Where chance decides. @param {Pen} pen @param {number} x @param {number} y @param {number} r */
  function diamond(pen, x, y, r) {
    pen.moveTo(x, y - r);
    pen.lineTo(x + r, y);
    pen.lineTo(x, y + r);
    pen.lineTo(x - r, y);
    pen.closePath();
  }

  /** What failed: a triangle. @param {Pen} pen @param {number} x @param {number} y @param {number} r */
  function triangle(pen, x, y, r) {
    pen.moveTo(x, y - r);
    pen.lineTo(x + r, y + r * 0.75);
    pen.lineTo(x - r, y + r * 0.75);
    pen.closePath();
  }

  /** @param {TreePicture} p @param {number[]} items */
  function draw(p, items) {
    const {pen, px, py, radius, view} = p;
    backTinyNodes(p, items);
    pen.lineWidth = 1;
    for (const item of items) {
      if (view.isStub(item)) continue;
      const place = mcts.treePicture.fillOf(p, item), x = px[item], y = py[item], r = radius[item];
      pen.fillStyle = place === null ? view.meta.unvisited[p.options.theme] : p.colouring.table.fills[place];
      if (r < 2.2) {
        pen.fillRect(x - r, y - r, 2 * r, 2 * r);
        continue;
      }
      pen.beginPath();
      if (view.chance && view.chance[item]) diamond(pen, x, y, r * 1.15);
      else if (view.failed && view.failed[item]) triangle(pen, x, y, r * 1.1);
      else if (Number.isNaN(view.outcome[item])) pen.arc(x, y, r, 0, 2 * Math.PI);
      else pen.rect(x - r * 0.9, y - r * 0.9, r * 1.8, r * 1.8); // the game is over here
      pen.fill();
      pen.strokeStyle = p.ink.muted;
      pen.stroke();
    }
  }

  /** @param {TreePicture} p @param {number[]} items */
  function drawHandles(p, items) {
    const {pen} = p;
    for (const item of items) {
      if (!mcts.treePicture.hasHandle(p, item)) continue;
      const x = p.px[item], y = mcts.treePicture.handleY(p, item);
      Object.assign(pen, {fillStyle: p.ink.paper, strokeStyle: p.ink.control, lineWidth: 1.5});
      pen.beginPath();
      pen.arc(x, y, 6.5, 0, 2 * Math.PI);
      pen.fill();
      pen.stroke();
      pen.beginPath();
      pen.moveTo(x - 3, y);
      pen.lineTo(x + 3, y);
      if (mcts.treePicture.handleOf(p.view, item) === "+") { pen.moveTo(x, y - 3); pen.lineTo(x, y + 3); }
      pen.stroke();
    }
  }

  return {draw, drawHandles};
})();
