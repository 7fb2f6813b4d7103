// Marks, leaders and notes.
import assert from "node:assert/strict";
import {test} from "node:test";
import {mcts} from "./load.js";

const event = (iteration, kind = "lead") => ({iteration, kind, node: 0, text: `${kind} ${iteration}`});

test("a reign ends where the next begins", () => {
  assert.deepEqual(mcts.timelineChart.reigns([0, 1, 5, 9], [-1, 3, 3, 4]), [
    {node: 3, from: 1, to: 9}, {node: 4, from: 9, to: 9},
  ]);
});

test("the legend names the moves that led, longest first", () => {
  const stretches = [{node: 1, from: 0, to: 10}, {node: 2, from: 10, to: 80}, {node: 1, from: 80, to: 100}];
  assert.deepEqual(mcts.timelineChart.leaders(stretches), [{node: 2, share: 0.7}, {node: 1, share: 0.3}]);
});

test("the line's words say from where to where it is drawn, or its one value", () => {
  const words = "mean value", range = [0, 1];
  assert.equal(mcts.timelineChart.said({value: Float64Array.of(0.6), range, words}), "mean value, 0.60");
  assert.equal(mcts.timelineChart.said({value: new Float64Array(20).fill(0.25), range, words}), "mean value, 0.25");
  assert.equal(mcts.timelineChart.said({value: new Float64Array(20).fill(NaN), range, words}), "mean value: none");
  assert.equal(mcts.timelineChart.said({value: Float64Array.of(...Array(11).fill(0.5), 0.7), range, words}), "mean value, 0.46 to 0.74");
});

test("marks that are too near to tell apart become one", () => {
  const found = mcts.events.clusters([0, 5, 8, 9, 30].map((t) => event(t)), (t) => t);
  assert.deepEqual(found.map(({x, events}) => [x, events.length]), [[0, 3], [9, 1], [30, 1]]); // 9 is 9 pixels from 0: apart
});

test("events are told by iteration and then by kind", () => {
  const events = [event(7, "depth"), event(3), event(7, "note"), event(7, "lead")];
  assert.deepEqual(mcts.events.sorted(events).map((each) => each.text), ["lead 3", "note 7", "lead 7", "depth 7"]);
});

test("the next mark is at the nearest other iteration", () => {
  const events = [event(3), event(7), event(7, "depth"), event(9)];
  const ask = (t, way) => mcts.events.beside(events, t, way).map((each) => each.text);
  assert.deepEqual(ask(3, 1), ["lead 7", "depth 7"]);
  assert.deepEqual(ask(5, 1), ["lead 7", "depth 7"]);
  assert.deepEqual(ask(9, -1), ["lead 7", "depth 7"]);
  assert.deepEqual(ask(3, -1), []);
  assert.deepEqual(ask(9, 1), []);
});

test("the address holds what differs from the default", () => {
  const thereAndBack = (search) => {
    const {off, threshold} = mcts.events.fromQuery(search);
    return [[...off], threshold, mcts.events.toQuery({off, threshold}, "?trace=x")];
  };
  assert.deepEqual(thereAndBack("?marks-off=depth,nonsense,lead&threshold=-0.25"), [
    ["depth", "lead"], -0.25, "?trace=x&marks-off=lead,depth&threshold=-0.25",
  ]);
  assert.deepEqual(thereAndBack("?threshold=much"), [[], null, "?trace=x"]);
  assert.deepEqual(thereAndBack(""), [[], null, "?trace=x"]);
});

test("a text that the server does not have yet wins over what it has", () => {
  const saved = [{id: "a", iteration: 1, text: "old", where: "x"}, {id: "b", iteration: 2, text: "b"}];
  const unsaved = [{id: "a", iteration: 1, text: "typed"}, {id: "c", iteration: 0, text: "new"}];
  const found = mcts.noteRequests.sorted(mcts.noteRequests.merged(saved, unsaved).values());
  assert.deepEqual(found.map((n) => [n.id, n.text, n.where ?? "", Boolean(n.unsaved)]), [
    ["c", "new", "", true], ["a", "typed", "x", true], ["b", "b", "", false],
  ]);
});

test("columns without room are left out by their order", () => {
  const column = (name, drop) => ({getColId: () => name, getColDef: () => ({context: {drop}})});
  const columns = [column("visits", 0), column("share", 1), column("mean", 0), column("exploration", 2), column("note", -1)];
  const need = new Map([["visits", 50], ["share", 40], ["mean", 60], ["exploration", 60], ["note", 0]]), all = new Set(need.keys());
  const noted = new Map([...need, ["note", 30]]);
  assert.deepEqual(mcts.columns.leftOut(columns, need, 210, all), []);
  assert.deepEqual(mcts.columns.leftOut(columns, need, 200, all), ["share"]);
  assert.deepEqual(mcts.columns.leftOut(columns, need, 150, all), ["share", "exploration"]);
  assert.deepEqual(mcts.columns.leftOut(columns, need, 10, all), ["share", "exploration"]);
  assert.deepEqual(mcts.columns.leftOut(columns, noted, 210, all), ["share"]);
  all.delete("note");
  assert.deepEqual(mcts.columns.leftOut(columns, noted, 210, all), ["note"]); // an empty one
  all.delete("exploration");
  assert.deepEqual(mcts.columns.leftOut(columns, need, 1000, all), ["exploration"]); // nothing is known of it
});
