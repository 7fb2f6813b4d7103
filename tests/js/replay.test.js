// The statistics of the items in view, moved along windows of iterations.
import assert from "node:assert/strict";
import {test} from "node:test";
import {mcts} from "./load.js";

/** Two items, two iterations: both go to item 0, the first one to item 1 as well. */
const twoSteps = (base) => ({
  ...base, base_count: [1, 1], node_count: [2, 2, 2], update_offset: [0, 2, 3], update_item: [0, 1, 0],
  update_visits: [1, 1, 1], update_value: [0.1, 0.9, 0.3], new_offset: [0, 0, 0], new_item: [],
});

const never = () => new Promise(() => {});

function replayOf(nIterations, from, columns) {
  const replay = mcts.replay.create({
    nIterations, nItems: 2, parent: [-1, 0], fetchWindow: never, onMove() {}, onError() {},
  });
  replay.keep(mcts.replay.windowOf(nIterations), {meta: {from, to: nIterations}, columns});
  return replay;
}

test("the sum of squares goes forward and back with the windows", () => {
  const replay = replayOf(2, 0, twoSteps({
    base_visits: [2, 1], base_value_sum: [1, 0.5], base_square_sum: [0.5, 0.25],
  }));
  const found = [0, 2, 1, 0, 1].map((t) => {
    replay.seek(t);
    return Array.from(replay.state.squareSum);
  });
  const one = [0.5 + 0.1 * 0.1, 0.25 + 0.9 * 0.9];
  assert.deepEqual(found, [[0.5, 0.25], [one[0] + 0.3 * 0.3, one[1]], one, [0.5, 0.25], one]);
});

test("the last visit goes forward and back with the windows", () => {
  const replay = replayOf(1026, 1024, twoSteps({
    base_visits: [2, 1], base_value_sum: [1, 0.5], base_last_visit: [40, 7],
  }));
  const found = [1026, 1025, 1026, 1025].map((t) => {
    replay.seek(t);
    return Array.from(replay.state.lastVisit);
  });
  assert.deepEqual(found, [[1026, 1025], [1025, 1025], [1026, 1025], [1025, 1025]]);
});

test("an answer that comes after a later one is not shown", async () => {
  const moves = [], answers = [];
  const replay = mcts.replay.create({
    nIterations: 20_000, nItems: 1, parent: [-1],
    fetchWindow: (from, to) => new Promise((done) => {
      const zeros = new Int32Array(to - from + 1);
      answers.push(() => done({meta: {from, to}, columns: {
        base_visits: [from], base_value_sum: [0], base_count: [1], node_count: zeros, update_offset: zeros,
        update_item: [], update_visits: [], update_value: [], new_offset: zeros, new_item: [],
      }}));
    }),
    onMove: (t) => moves.push(t), onError: (error) => moves.push(String(error)),
  });
  const settle = () => new Promise((done) => setTimeout(done, 5));
  replay.seek(2000);
  replay.seek(5000); // the hand is moving when the first answer comes
  answers[0]();
  await settle();
  replay.seek(9000); // so two are asked for at once
  assert.equal(answers.length, 3);
  answers[2]();
  await settle();
  answers[1]();
  await settle();
  assert.deepEqual(moves, [2000, 9000]);
  assert.equal(answers.length, 4); // where the hand rests the whole window is loaded, once
  answers[3]();
  await settle();
  assert.deepEqual([moves.at(-1), replay.isWaiting(), replay.state.t], [9000, false, 9000]);
});

test("a hand that draws the slider on sees what it passes", async () => {
  const moves = [], asked = [];
  const replay = mcts.replay.create({
    nIterations: 20_000, nItems: 1, parent: [-1],
    fetchWindow: async (from, to) => {
      asked.push([from, to]);
      await null;
      const zeros = new Int32Array(to - from + 1);
      return {meta: {from, to}, columns: {
        base_visits: [from], base_value_sum: [0], base_count: [1], node_count: zeros, update_offset: zeros,
        update_item: [], update_visits: [], update_value: [], new_offset: zeros, new_item: [],
      }};
    },
    onMove: (t) => moves.push([t, replay.wanted()]), onError: (error) => moves.push(String(error)),
  });
  for (const t of [5000, 5100, 9000]) replay.seek(t); // the hand moves on at once
  while (moves.length < 1) await null;
  replay.seek(13_000); // and on, while the second answer is on its way
  while (replay.isWaiting()) await new Promise((done) => setTimeout(done, 5));
  assert.deepEqual(moves, [[5000, 9000], [9000, 13_000], [13_000, 13_000], [13_000, 13_000]]);
  const whole = [4096, 5120], passed = [[8999, 9000], [12_999, 13_000]];
  assert.deepEqual(asked.slice(0, 4), [whole, ...passed, [12_288, 13_312]]); // where it rests, all of it at last
  assert.deepEqual([replay.state.t, replay.state.visits[0]], [13_000, 12_288]);
});
