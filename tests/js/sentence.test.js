// The sentence under the picture.
import assert from "node:assert/strict";
import {test} from "node:test";
import {mcts} from "./load.js";

const {parts, told} = mcts.sentence, two = {players: ["X", "O"], has_results: true, noun: "position"};
const did = (more) => told(parts(two, {t: 1250, labels: ["c4"], made: ["d5"], n: 1, outcome: 1, ...more}));

test("an iteration is told by what it added and how it ended", () => {
  assert.equal(did({}), "Each circle is a position; iteration 1,250 went down the thick line and added d5; its result: X wins.");
  assert.equal(did({outcome: 0, made: []}), "Each circle is a position; iteration 1,250 went down the thick line and added a position; its result: draw.");
  assert.equal(did({n: 7, outcome: NaN}), "Each circle is a position; iteration 1,250 went down the thick line and added 7 positions.");
  assert.equal(did({n: 0, outcome: 0.1667}), "Each circle is a position; iteration 1,250 went down the thick line; its result: +0.167 for X.");
  assert.equal(did({n: 0, outcome: NaN}), "Each circle is a position; iteration 1,250 went down the thick line.");
});

test("who plays alone has rewards", () => {
  const {result} = parts({players: ["robot"], has_results: true}, {t: 1, labels: [], made: [], n: 0, outcome: 1});
  assert.equal(result, "+1");
});

test("an evaluation of 0 is no draw", () => {
  const {result} = parts({players: ["X", "O"], has_results: false}, {t: 1, labels: [], made: [], n: 0, outcome: 0});
  assert.equal(result, "0 for X");
});

test("a node is what its trace says: a position, a state, a step of an agent", () => {
  const agent = {players: ["agent"], has_results: false, noun: "step"};
  const said = told(parts(agent, {t: 3, labels: [], made: [], n: 2, outcome: NaN}));
  assert.equal(said, "Each circle is a step; iteration 3 went down the thick line and added 2 steps.");
});
