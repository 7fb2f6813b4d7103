// The page's scripts without a page, for tests of what needs no element. pytest says which they are, and what Python's
// functions answer, in the file that MCTS_VIZ_CASES names (test_functions.py).
import {readFileSync} from "node:fs";
import {join} from "node:path";
import {runInThisContext} from "node:vm";

const ASSETS = join(import.meta.dirname, "..", "..", "mcts_viz", "web", "assets");
export const cases = JSON.parse(readFileSync(process.env.MCTS_VIZ_CASES, "utf-8"));

const ignore = () => {};
const element = () => ({dataset: {}, style: {}, addEventListener: ignore, append: ignore, setAttribute: ignore});
Object.assign(globalThis, {
  window: globalThis,
  addEventListener: ignore,
  document: {addEventListener: ignore, createElement: element, documentElement: element()},
  location: {search: "", pathname: "/", hash: ""},
  performance,
});

runInThisContext(cases.settings); // what the page's HTML says before the scripts
for (const name of cases.scripts) {
  const filename = join(ASSETS, name);
  runInThisContext(`"use strict"; ${readFileSync(filename, "utf-8")}`, {filename});
}

export const {mcts} = globalThis;
