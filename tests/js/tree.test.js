// Filters, the layout of the icicle, and what the colours show.
import assert from "node:assert/strict";
import {test} from "node:test";
import {mcts} from "./load.js";

for (const [view, words] of [
  [{}, ""],
  [{least: 1}, "at least 1 visit"],
  [{least: 1000, top: 3}, "at least 1,000 visits, 3 most visited children"],
  [{top: 1, levels: 1}, "most visited child, 1 level"],
  [{levels: 4, pv: 1}, "4 levels, principal variation"],
]) {
  test(`a filter is told in words: ${words}`, () => {
    assert.equal(mcts.filter.words({...mcts.cursor.VIEW, ...view}), words);
  });
}

//      10
//     /  \
//   11    12      12 has children that are not shown
//   / stub
//  13
function toggled(view, nChildren = [2, 3, 5, 0]) {
  const nNodes = 4, geometry = {
    node: [10, 11, 12, 13, 11], n_children: nChildren, isStub: (item) => item >= nNodes,
    childrenOf: new Map([[0, [1, 2]], [1, [3, 4]]]),
  };
  return mcts.filter.toggledSubtree({opened: [], closed: [], whole: [], ...view}, geometry, 0);
}

test("a subtree that hides something is opened as a whole", () => {
  assert.deepEqual(toggled({closed: [12, 99]}), {whole: [10], closed: [99]});
});

test("a subtree of which only a child is shut is opened again", () => {
  assert.deepEqual(toggled({closed: [12], whole: [10]}), {whole: [10], closed: []});
});

test("an open subtree collapses with every child", () => {
  const found = toggled({opened: [11, 99], whole: [10]}, [2, 3, 0, 0]);
  assert.deepEqual(found, {closed: [10, 11], opened: [99, 10], whole: []}); // when it opens again, with all of them
});

test("an icicle's children stand side by side under their parent", () => {
  const geometry = {nItems: 6, order: [0, 2, 1, 4, 3, 5], parent: [-1, 0, 0, 1, 2, 1]};
  const {left, taken, total} = mcts.icicleLayout.spans(geometry, [10, 3, 6, 1, 5, 1]);
  // 2 (six visits) stands before 1 (three); one visit ended at the topmost node
  assert.deepEqual([Array.from(left), Array.from(taken), total], [[0, 6, 0, 6, 0, 7], [9, 2, 5, 0, 0, 0], 10]);
});

for (const [levels, height, rows] of [
  [3, 400, [56, 3]], [20, 400, [20, 20]], [1000, 400, [14, 28]], [0, 400, [56, 1]],
]) {
  test(`an icicle's rows stay readable: ${levels} levels`, () => {
    const found = mcts.icicleLayout.rows(levels, height);
    assert.deepEqual([found.height, found.seen], rows);
  });
}

for (const [mode, shown] of [
  ["prior", [NaN, 0.25, 0.75]],
  ["player", [NaN, 0, 1]],
  ["last_visit", [1, 3, NaN]],
  ["visits", [9, 6, NaN]],
  ["uct", [NaN, NaN, NaN]],
]) {
  test(`what a colour shows: ${mode}`, () => {
    const geometry = {parent: [-1, 0, 0], mover: [-1, 0, 1], prior: [NaN, 0.25, 0.75]};
    const state = {t: 9, visits: [9, 6, 0], valueSum: [4, 3, 0], lastVisit: [9, 7, 0], squareSum: null};
    const measure = mcts.colours.measure(mode, geometry, {value_range: [0, 1], selection: null});
    assert.deepEqual([0, 1, 2].map((item) => measure(item, state)), shown);
  });
}

test("categories do not shade into each other", () => {
  const {fills} = mcts.colours.table(["#2f7fc1", "#d9730d"], true);
  assert.deepEqual(new Set(fills), new Set(["rgb(47,127,193)", "rgb(217,115,13)"]));
});

test("an edge has a width whatever the visits of a faulty search are", () => {
  const view = {parent: [-1, 0], gap: [1, 1]}, widthOf = (visits, ofParent) =>
    mcts.treeEdges.widthOf({view, state: {visits: [ofParent, visits]}, radius: [9, 9], kx: 100}, 1);
  assert.equal(widthOf(50, 0), widthOf(50, 50)); // a root that is not counted
  assert.equal(widthOf(70, 60), widthOf(60, 60)); // a state that two moves lead to
  assert.equal(widthOf(-5, 60), 0);
});

// ---- the marks of an iteration ---------------------------------------------------------------------------------------

test("a result stands where it covers nothing: below, to a side, further down, or beside its node", () => {
  const p = {frame: {width: 400}, bottom: 300}, node = {y: 250, away: 20};
  const place = (...taken) => {
    const {x, y} = mcts.iterationMarks.freePlace(p, 200, 270, node, 25, taken);
    return [x, y];
  };
  const box = (left, right, top, bottom) => ({left, right, top, bottom});
  assert.deepEqual(place(), [200, 270]);
  assert.deepEqual(place(box(170, 190, 260, 285)), [218, 270]); // a little to the right
  assert.deepEqual(place(box(210, 230, 260, 285)), [182, 270]); // or to the left
  assert.deepEqual(place(box(150, 250, 260, 275)), [200, 286]); // or further down
  assert.deepEqual(place(box(150, 250, 260, 310)), [245, 250]); // or beside the node
  assert.deepEqual(place(box(0, 400, 225, 310)), [197, 212]); // or the nearest place that is free
  assert.equal(mcts.iterationMarks.freePlace(p, 200, 270, node, 25, [box(0, 400, 0, 400)]), null); // or nowhere
  assert.equal(mcts.iterationMarks.freePlace(p, 5, 270, node, 25, []).x, 27); // inside the picture
});

test("the ring of a new node goes around the whole “+k more” that it is in", () => {
  const drawn = [], pen = {
    setLineDash() {}, beginPath() {}, stroke() {},
    roundRect: (...where) => drawn.push(["pill", ...where]), arc: (x, y, r) => drawn.push(["ring", x, y, r]),
  };
  const p = {pen, ink: {new: "green"}, px: [50, 100], py: [40, 80], radius: [10, 4], stubWidth: [0, 60], view: {isStub: (item) => item === 1}};
  mcts.iterationMarks.newMark(p, 0);
  mcts.iterationMarks.newMark(p, 1);
  p.stubWidth[1] = 0; // three dots alone
  mcts.iterationMarks.newMark(p, 1);
  assert.deepEqual(drawn, [["ring", 50, 40, 14], ["pill", 67, 69, 66, 22, 11], ["ring", 100, 80, 9]]);
});
