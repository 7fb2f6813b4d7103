// The four phases: the way from one to the next, and what is written beside the nodes.
import assert from "node:assert/strict";
import {test} from "node:test";
import {mcts} from "./load.js";

for (const [start, direction, end] of [
  [[5, null], 1, [5, "select"]], [[5, "select"], 1, [5, "expand"]],
  [[5, "expand"], 1, [5, "simulate"]], [[5, "simulate"], 1, [5, "backpropagate"]],
  [[5, "backpropagate"], 1, [6, "select"]], [[9, "backpropagate"], 1, null],
  [[0, null], 1, [1, "select"]], [[5, null], -1, [5, "backpropagate"]],
  [[5, "select"], -1, [4, "backpropagate"]], [[5, "backpropagate"], -1, [5, "simulate"]],
  [[1, "select"], -1, null], [[0, null], -1, null],
]) {
  test(`phases follow one another across iterations: ${start} ${direction}`, () => {
    const [iteration, phase] = start;
    const found = mcts.phases.next({iteration, phase}, direction, 9);
    assert.deepEqual(found, end && {iteration: end[0], phase: end[1]});
  });
}

test("a search without iterations has no phases", () => {
  assert.equal(mcts.phases.next({iteration: 0, phase: null}, 1, 0), null);
});

for (const [parts, least, text, score] of [
  [[0.61, 0.22, 0.83], 2, "0.61 + 0.22 = 0.83", "0.83"],
  [[0.614, 0.224, 0.838], 2, "0.614 + 0.224 = 0.838", "0.838"],
  [[0.61, 0.22, 0.83], 3, "0.610 + 0.220 = 0.830", "0.830"],
  [[0.61, 0.22, 0.83], 4, "0.6100 + 0.2200 = 0.8300", "0.8300"],
  [[0.61, 0.004, 0.614], 2, "0.6100 + 0.0040 = 0.6140", "0.6140"],
  [[0.5, -0.25, 0.25], 2, "0.50 − 0.25 = 0.25", "0.25"],
]) {
  test(`a sum adds up to the eye: ${text}`, () => {
    const found = mcts.phases.sumText(...parts, least);
    assert.deepEqual([found.parts.join(" "), found.score], [text, score]);
  });
}

test("the tab of the iteration comes with a phase and goes with it", () => {
  const found = [
    [null, null], ["select", "why"], ["expand", "iteration"], ["expand", "health"], [null, "health"],
    ["select", "why"], [null, "iteration"], [null, "why"],
  ].map((each) => mcts.phases.tabFor(...each));
  assert.deepEqual(found, ["children", "iteration", null, null, null, "iteration", "why", null]);
});

/** The children compared at the root, with the ways to write their scores. */
function compared(visits, values, c) {
  const n = visits.length;
  const geometry = {
    parent: [-1, ...visits.map(() => 0)], prior: new Array(n + 1).fill(NaN),
    childrenOf: new Map([[0, visits.map((_, i) => i + 1)]]),
    isStub: () => false, meta: {selection: {name: "ucb1", c}},
  };
  const sum = visits.reduce((a, b) => a + b, 0), count = new Array(n + 1).fill(1);
  const state = {t: 9, visits: [sum, ...visits], valueSum: [0, ...values], count, squareSum: null};
  const [level] = mcts.phaseMarks.comparisons(geometry, {path: [0, 1]}, state);
  return level.map((each) => ({...each, texts: mcts.phaseMarks.scoreTexts(each, state.visits[each.item])}));
}

test("ties and children without visits are said to be so", () => {
  const tied = compared([4, 4, 2], [2, 2, 0], 1);
  assert.deepEqual(tied.map((each) => [each.item, each.isTied]), [[2, true], [3, false], [1, true]]);
  assert.ok(tied.every((each) => each.texts[0].includes("tie") === each.isTied));
  const [value, exploration] = tied[2].terms;
  assert.equal(value, 0.5);
  assert.ok(Math.abs(exploration - Math.sqrt(Math.log(10) / 4)) < 1e-12);
  const first = compared([0, 5], [0, 2], 1);
  assert.deepEqual(first[1].texts[0], ["not visited"]);
  assert.ok(first[1].isChosen);
  assert.ok(!first[0].texts[0].join(" ").includes("not visited"));
});

test("scores that differ late have the decimals that tell them apart", () => {
  assert.deepEqual(compared([1000, 1000], [500, 501], 1).map((each) => each.digits), [3, 3]);
  assert.deepEqual(compared([1000, 1000], [500, 900], 1).map((each) => each.digits), [2, 2]);
});

test("phase marks know nothing of a search without a formula", () => {
  assert.deepEqual(mcts.phaseMarks.comparisons({meta: {selection: null}}, {path: [0, 1]}, {}), []);
});
