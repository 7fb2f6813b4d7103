// What the page's small functions give: addresses, labels, words, keys.
import assert from "node:assert/strict";
import {test} from "node:test";
import {mcts} from "./load.js";

test("an address restores the cursor and keeps foreign parameters", () => {
  const part = mcts.cursor.fromQuery("?trace=a%2Fb&iteration=0&node=7&budget=50&opened=1,5&colour=uct");
  assert.deepEqual(part, {
    trace: "a/b", iteration: 0, node: 7, view: {budget: 50, opened: [1, 5], colour: "uct"},
  });
  const query = mcts.cursor.toQuery({...part, view: {...mcts.cursor.VIEW, ...part.view}}, "?theme=dark&budget=9");
  assert.equal(query, "?theme=dark&trace=a%2Fb&iteration=0&node=7&budget=50&colour=uct&opened=1,5");
});

test("the address keeps a phase and ignores what is none", () => {
  assert.equal(mcts.cursor.fromQuery("?phase=simulate").phase, "simulate");
  assert.deepEqual(mcts.cursor.fromQuery("?iteration=x&node="), {view: {}});
  assert.equal(mcts.cursor.fromQuery("?iteration=-5").iteration, 0);
  assert.equal(mcts.cursor.fromQuery("?phase=__proto__").phase, null);
  const part = mcts.cursor.fromQuery("?trace=a&iteration=3&phase=expand");
  assert.equal(mcts.cursor.toQuery({...part, node: 0}, "?phase=x"), "?trace=a&iteration=3&phase=expand");
});

for (const [labels, short] of [
  [["root", "column 4", "column 5"], ["root", "4", "5"]],
  [["root", "a", "b"], ["root", "a", "b"]],
  [["root", "e2 e4", "e2 e3"], ["root", "e4", "e3"]],
  [["root", "only"], ["root", "only"]],
  [["root", "a".repeat(40)], ["root", "a".repeat(40)]],
  [["root", "a".repeat(41)], ["root", `${"a".repeat(39)}…`]],
  [["root", `go ${"𝔸".repeat(41)}`, "go b"], ["root", `${"𝔸".repeat(39)}…`, "b"]],
]) {
  test(`labels lose the words they share: ${labels}`, () => assert.deepEqual(mcts.geometry.shortened(labels), short));
}

test("every key has a meaning in words", () => {
  const keys = mcts.app.keys();
  assert.ok(keys.some(({key, needs, text}) => key === " " && needs === "" && text === "play or pause"));
  assert.ok(keys.every((key) => key.text));
});

for (const [direction, found] of [
  [[1, 0], 1], // the next in the row, not the nearer one below it
  [[0, 1], 2],
  [[-1, 0], -1],
  [[0, -1], -1],
  [null, 0], // by distance alone
]) {
  test(`an arrow goes to the nearest cell that way: ${direction}`, () => {
    assert.equal(mcts.match.nearest([0, 0], [[0, 0], [40, 0], [20, 20]], direction), found);
  });
}

for (const [step, at, to] of [
  ["first", 3, 0], ["last", 0, 5], ["1", 0, 1], ["1", 5, 5], ["-1", 3, 2], ["-1", 0, 0],
]) {
  test(`the steps of a simulation stay in it: ${step} at ${at}`, () => assert.equal(mcts.rollout.after(step, at, 5), to));
}

for (const refused of [false, true]) {
  test(`what cannot be copied is shown to be copied by hand: ${refused}`, async (t) => {
    const writeText = () => refused ? Promise.reject(new Error("no")) : Promise.resolve();
    const before = Object.getOwnPropertyDescriptor(globalThis, "navigator");
    Object.defineProperty(globalThis, "navigator", {value: {clipboard: {writeText}}, configurable: true});
    t.after(() => Object.defineProperty(globalThis, "navigator", before));
    const byHand = "The browser does not let this page copy. The moves are: a1, b2";
    assert.equal(await mcts.clipboard.copy("a1, b2"), refused ? byHand : "Copied: a1, b2");
  });
}

test("the address of a fleet shows the same again, and leaves out what is as at the beginning", () => {
  const {fromQuery, toQuery, nothing} = mcts.fleetAddress;
  assert.deepEqual(fromQuery(""), nothing());
  assert.equal(toQuery(nothing()), "");
  const asked = {
    filter: {run: {filterType: "text", type: "equals", filter: "a&b=\"c, d\""}}, sort: [{colId: "ply", sort: "desc"}, {colId: "c", sort: "asc"}],
    columns: ["search_id", "ply"], bars: ["c"], question: "blunders", brush: [{game: "go", ply: null}], check: "low-budget",
    picked: ["a,b.many#1", "ü"], tab: "picked",
  };
  assert.deepEqual(fromQuery(toQuery(asked)), asked);
});

test("an address that says nothing of a fleet shows all of it", () => {
  const {fromQuery, nothing} = mcts.fleetAddress;
  for (const query of ["?filter=[1]&brush={}&picked=5&tab=x", "?filter={&brush=null&sort=,&columns="]) assert.deepEqual(fromQuery(query), nothing());
});

test("bars that are chosen become the condition on their column", () => {
  const {conditionOf} = mcts.fleetAddress;
  assert.deepEqual(conditionOf([[3]], true), {filterType: "number", type: "equals", filter: 3});
  assert.deepEqual(conditionOf([["go"], [true]], false).conditions.map(({filter}) => filter), ["go", "true"]);
  assert.deepEqual(conditionOf([[1, 2], [2, 3]], true).conditions.map(({type, filter}) => [type, filter]), [["greaterThanOrEqual", 1], ["lessThan", 3]]);
  assert.deepEqual(conditionOf([[null, 2]], true), {filterType: "number", type: "lessThan", filter: 2});
  assert.equal(conditionOf([[null, 2], [2, null]], true), null);
});

test("a document's button opens it, closes it, and compares it with the parent's or another node's", () => {
  const {afterClick, afterCompare} = mcts.documents, here = {trace: "run", node: 7};
  const opened = afterClick({name: null, compared: null, kept: null}, "code");
  assert.deepEqual(opened, {name: "code", compared: null, kept: null});
  assert.equal(afterCompare(opened, "parent", here).compared, "parent");
  assert.equal(afterCompare(afterCompare(opened, "parent", here), "parent", here).compared, null);
  const kept = afterCompare(opened, "keep", here);
  assert.deepEqual(kept, {name: "code", compared: "kept", kept: here});
  assert.deepEqual(afterCompare(kept, "parent", here), {...kept, compared: "parent"});
  assert.deepEqual(afterCompare(kept, "keep", {trace: "run", node: 8}).kept, {trace: "run", node: 8});
  assert.deepEqual(afterCompare(kept, "keep", here), opened);
  assert.equal(afterClick(opened, "code").name, null);
});

test("while each look finds more, panels are told the more seldom the longer it takes, right after one; once nothing comes, soon", (t) => {
  t.mock.timers.enable({apis: ["setTimeout"]});
  globalThis.history ??= {replaceState() {}, pushState() {}, state: null};
  globalThis.cancelAnimationFrame ??= () => {};
  globalThis.requestAnimationFrame ??= (draw) => { draw(); return 0; };
  let another = false; // whether panels were told that another picture comes
  const told = [], cursor = mcts.cursor.create(({iteration}, isNew, goesOn) => { told.push(iteration); another = goesOn; });
  cursor.set({trace: "a", iteration: 1}, true);
  assert.equal(another, false);
  cursor.setCalm(true);
  cursor.noteLook(500, true);
  cursor.set({iteration: 2});
  t.mock.timers.tick(5999);
  cursor.noteLook(500, true); // too early
  cursor.set({iteration: 3});
  assert.deepEqual(told, [1]);
  t.mock.timers.tick(1);
  assert.deepEqual(told, [1]); // a look is under way
  cursor.set({iteration: 4});
  cursor.noteLook(500, true);
  assert.deepEqual(told, [1, 4]); // what is shown by then
  assert.equal(another, true);
  cursor.noteLook(90_000, true);
  cursor.set({iteration: 5});
  t.mock.timers.tick(9999);
  cursor.noteLook(90_000, true);
  assert.deepEqual(told, [1, 4]);
  t.mock.timers.tick(1);
  cursor.noteLook(90_000, true);
  assert.deepEqual(told, [1, 4, 5]); // no longer than that
  cursor.set({iteration: 6});
  t.mock.timers.tick(10_000);
  cursor.setCalm(false); // nobody follows any more: it rests
  t.mock.timers.tick(120);
  assert.deepEqual(told, [1, 4, 5, 6]);
  cursor.setCalm(true);
  cursor.set({iteration: 7});
  cursor.noteLook(20, false); // nothing new
  t.mock.timers.tick(700);
  assert.deepEqual(told, [1, 4, 5, 6, 7]);
  assert.equal(another, false);
  cursor.noteLook(1000, true);
  cursor.set({iteration: 8});
  cursor.renew(); // the recording has ended
  assert.deepEqual(told, [1, 4, 5, 6, 7, 8]);
});

/** Marks that take so many milliseconds each time, and a clock: after how many iterations they were asked for. */
function marksOf(t, server) {
  let clock = 0;
  t.mock.timers.enable({apis: ["setTimeout"]});
  t.mock.method(performance, "now", () => clock);
  const asked = [];
  t.mock.method(mcts.binary, "fetchJson", async (url) => {
    const found = /marks\?n_iterations=(\d+)/.exec(url);
    if (found) { asked.push(Number(found[1])); clock += server.took; }
    if (url.endsWith("findings")) server.checked += 1;
    return {events: [], found: {}, hidden: {}, marks: null};
  });
  const pass = async (milliseconds) => {
    clock += milliseconds;
    t.mock.timers.tick(milliseconds);
    for (let i = 0; i < 9; i++) await null;
  };
  return {asked, pass, source: mcts.marksSource.create(() => {}, () => {})};
}

test("marks of a trace that grows are asked for seldom, and at once when it rests", async (t) => {
  const server = {took: 100, checked: 0}, {asked, pass, source} = marksOf(t, server);
  source.set("a", 1, true, null);
  await pass(0);
  source.set("a", 2, false, null);
  await pass(899);
  assert.deepEqual(asked, [1]);
  server.took = 1000;
  source.set("a", 3, false, null);
  await pass(1);
  assert.deepEqual(asked, [1, 3]);
  source.set("a", 4, false, null);
  await pass(1199);
  assert.deepEqual(asked, [1, 3]);
  await pass(1);
  assert.deepEqual(asked, [1, 3, 4]);
});

test("a trace whose looks take long does not rest between two of them: neither marks nor findings are asked for", async (t) => {
  const server = {took: 1000, checked: 0}, {asked, pass, source} = marksOf(t, server);
  source.set("a", 1, true, null);
  await pass(0);
  source.noteLook(2000, true);
  source.set("a", 2, false, null);
  await pass(2100);
  source.noteLook(2100, true);
  source.set("a", 3, false, null);
  await pass(5399);
  assert.deepEqual([asked, server.checked], [[1], 0]);
  await pass(1);
  assert.deepEqual([asked, server.checked], [[1, 3], 1]);
  source.set("a", 4, false, null);
  source.noteLook(20, false); // nothing more came
  source.set("a", 5, false, null);
  await pass(1200);
  assert.deepEqual(asked, [1, 3, 5]);
});

test("between marks lie 25 looks that find more: those come first", async (t) => {
  const server = {took: 10, checked: 0}, {asked, pass, source} = marksOf(t, server);
  source.set("a", 1, true, null);
  await pass(0);
  for (let n = 2; n <= 15; n++) {
    source.noteLook(300, true);
    source.set("a", n, false, null);
    await pass(500);
  }
  assert.deepEqual(asked, [1]);
  await pass(499);
  assert.deepEqual(asked, [1]);
  await pass(1);
  assert.deepEqual(asked, [1, 15]);
});

for (const [item, mean] of [[0, NaN], [1, 0.25], [2, NaN]]) {
  test(`moves that collect visits alone have no mean: item ${item}`, () => {
    const items = {node: [0, 1, 2], mover: [1, 0, 1], isStub: () => false};
    const meta = {players: ["X", "O"], mirrors: true, value_range: [-1, 1], collects: 0};
    const state = {visits: [8, 4, 2], valueSum: [0, 1, 0]};
    assert.equal(mcts.viewpoint.mean(items, meta, state, item, "mover"), mean);
    assert.ok(!Number.isNaN(mcts.viewpoint.mean(items, {...meta, collects: null}, state, item, "mover")));
  });
}
