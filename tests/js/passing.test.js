// Steps through the iterations of one node alone.
import assert from "node:assert/strict";
import {test} from "node:test";
import {mcts} from "./load.js";

const {iterationsOf, stepIn} = mcts.passing;

test("bits are told as iterations, the lowest bit of the first byte being iteration 0", () => {
  assert.deepEqual([...iterationsOf(Uint8Array.of(0b10000010, 0, 0b00000001), 3)], [1, 7, 16]);
  assert.deepEqual([...iterationsOf(Uint8Array.of(), 0)], []);
});

test("a step goes to the next one of the list, several as far as there are", () => {
  const list = [3, 8, 9, 20];
  assert.deepEqual([0, 3, 5, 9, 20, 30].map((t) => stepIn(list, t, 1)), [3, 8, 8, 20, 20, 30]);
  assert.deepEqual([0, 3, 5, 9, 20, 30].map((t) => stepIn(list, t, -1)), [0, 3, 3, 8, 9, 20]);
  assert.deepEqual([stepIn(list, 0, 2), stepIn(list, 0, 10), stepIn(list, 30, -2), stepIn(list, 30, -10)], [8, 20, 9, 3]);
  assert.equal(stepIn([], 4, 1), 4);
});

test("without a filter a step is a step", () => {
  assert.equal(mcts.passing.from(7, -10), -3);
  assert.ok(mcts.passing.has(7));
});

test("a span has its first iteration first, and none before 1", () => {
  assert.deepEqual(mcts.timelineChart.spanOf(9, 4), [4, 9]);
  assert.deepEqual(mcts.timelineChart.spanOf(0, 4), [1, 4]);
});
