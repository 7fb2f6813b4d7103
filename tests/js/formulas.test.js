// What the browser computes itself, against Python's answers.
import assert from "node:assert/strict";
import {test} from "node:test";
import {cases, mcts} from "./load.js";

function assertClose(found, expected, relative = 1e-12) {
  assert.equal(found.length, expected.length);
  found.forEach((value, i) => {
    const off = Math.abs(value - expected[i]);
    assert.ok(off <= relative * Math.max(1, Math.abs(expected[i])), `${found} is not ${expected}`);
  });
}

test("the browser's formulas agree with Python's", () => {
  for (const {selection, given, expected} of cases.formulas) {
    const terms = mcts.formulas.terms(selection);
    assert.ok(terms, `the page cannot colour by ${selection.name}`);
    given.forEach((numbers, i) => assertClose(terms(...numbers), expected[i]));
  }
});

test("every formula's unvisited child without an urgency is explored first", () => {
  for (const {selection} of cases.formulas) {
    const [, exploration] = mcts.formulas.terms({...selection, unvisited: "first"})(0, 0, 50, 0.25, 0);
    assert.equal(exploration, Infinity);
  }
});

test("an unvisited child may count as its parent, in the view of who chooses", () => {
  const geometry = {parent: [-1, 0, 1, 1], mover: [1, 0, 1, 0], prior: [NaN, 0.5, 0.25, 0.25]};
  const s = {t: 4, visits: [4, 4, 0, 0], valueSum: [-1, 1, 0, 0]}, players = ["a", "b"];
  const selection = {name: "puct", c: 2, unvisited: "parent"};
  const turned = mcts.formulas.ofItems(geometry, {selection, players, mirrors: true, value_range: [0, 1]});
  assert.deepEqual(turned(2, s), [0.75, 1]);
  assert.deepEqual(turned(3, s), [0.25, 1]); // the same player moves again
  const unknown = mcts.formulas.ofItems({...geometry, mover: [-1, -1, -1, -1]}, {selection, players, mirrors: true, value_range: [0, 1]});
  assert.ok(Number.isNaN(unknown(2, s)[0]));
  const alone = mcts.formulas.ofItems({...geometry, mover: [0, 0, 0, 0]}, {selection, players: ["a"], mirrors: false, value_range: [0, 1]});
  assert.deepEqual(alone(2, s), [0.25, 1]);
});

test("the browser's colours agree with Python's", () => {
  for (const {scale, values, expected} of cases.colours) {
    const table = mcts.colours.table(scale.stops.dark), place = mcts.colours.placer(scale);
    values.forEach((value, i) => {
      const channels = table.fills[place(value)].match(/\d+/g).map(Number);
      channels.forEach((channel, j) => assert.ok(Math.abs(channel - expected[i][j]) <= 4, `${scale.mode} at ${value}`));
    });
  }
});

test("every colour has a measure; exact results are drawn in the browser alone", () => {
  assert.deepEqual(Object.keys(mcts.colours.MEASURES), [...cases.modes, "true_value"]);
});

test("binary columns arrive with type and value", () => {
  const {buffer} = Uint8Array.from(Buffer.from(cases.message, "base64"));
  const {meta, columns} = mcts.binary.unpack(buffer);
  assert.deepEqual(meta, {text: "é – ♟"});
  assert.deepEqual(columns.a, Int8Array.of(1, -2, 3));
  assert.deepEqual(columns.b, new Int32Array(0));
  assert.deepEqual(columns.c, Float64Array.of(0.1, Infinity, NaN));
  assert.deepEqual(columns.d, Float32Array.of(1.5));
});

test("an unknown formula gives no terms and an unvisited child an infinite one", () => {
  assert.equal(mcts.formulas.terms({name: "secret"}), null);
  assert.equal(mcts.formulas.terms(null), null);
  assert.equal(mcts.formulas.terms({name: "ucb1", c: 1})(0, 0, 5, NaN)[1], Infinity);
});

test("a proven item competes with its result alone from its proof on", () => {
  const geometry = {parent: [-1, 0], prior: [NaN, NaN], proven_at: [2147483647, 7], proven_score: [NaN, 0.5]};
  const score = mcts.formulas.ofItems(geometry, {selection: {name: "ucb1", c: 1}});
  const at = (t) => score(1, {t, valueSum: [9, 3], visits: [10, 4], squareSum: null});
  assertClose(at(6), [0.75, Math.sqrt(Math.log(10) / 4)]);
  assert.deepEqual([at(7), at(8)], [[0.5, 0], [0.5, 0]]);
  assert.equal(mcts.formulas.ofItems(geometry, {selection: null}), null);
});
