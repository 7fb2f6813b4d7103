/* A whole small UCT for Tic-Tac-Toe that tells mcts_viz what it does.

     node samples/writers/tic_tac_toe.mjs 1000 - | mcts-viz import - -o tic_tac_toe.mcts

   The page knows the game by its name and draws its boards; cells are numbered 0 to 8, row by row. With
   `counts` behind the path, what the search itself counted goes to standard error at the end, to be compared with
   the trace. */
import {closeSync, openSync, writeSync} from "node:fs";
import {Writer} from "./mcts_viz.mjs";

const LINES = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];
const C = 1.4;

let seed = 12345;
function randomBelow(n) { // mulberry32
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) % n;
}

const toMove = (board) => board.filter((cell) => cell !== null).length % 2;

/** 1 when player 0 has won, -1 when player 1 has, 0 for a draw, null while the game goes on. */
function result(board) {
  for (const [a, b, c] of LINES) {
    if (board[a] !== null && board[a] === board[b] && board[b] === board[c]) return board[a] === 0 ? 1 : -1;
  }
  return board.includes(null) ? null : 0;
}

const legal = (board) => result(board) === null ? [...board.keys()].filter((cell) => board[cell] === null) : [];
const after = (board, cell) => board.with ? board.with(cell, toMove(board)) : Object.assign([...board], {[cell]: toMove(board)});

const nodes = [];
function makeNode(board, parent) {
  nodes.push({id: nodes.length, board, parent, children: [], untried: legal(board), visits: 0, value: 0});
  return nodes[nodes.length - 1];
}

function ucb1(node) {
  return node.value / node.visits + C * Math.sqrt(Math.log(node.parent.visits) / node.visits);
}

function select(root) {
  let node = root;
  while (node.untried.length === 0 && node.children.length > 0) {
    node = node.children.reduce((best, child) => ucb1(child) > ucb1(best) ? child : best);
  }
  return node;
}

function simulate(board) {
  const rollout = [];
  for (let cells = legal(board); cells.length > 0; cells = legal(board)) {
    rollout.push(cells[randomBelow(cells.length)]);
    board = after(board, rollout[rollout.length - 1]);
  }
  return {rollout, outcome: result(board)};
}

function backUp(leaf, outcome) {
  const path = [];
  for (let node = leaf; node !== null; node = node.parent) path.unshift(node);
  for (const node of path) {
    const value = toMove(node.board) === 1 ? outcome : -outcome; // the view of the player who moved here
    node.visits += 1;
    node.value += value;
    trace?.update(node.id, value);
  }
}

function iterate(root) {
  let leaf = select(root);
  if (leaf.untried.length > 0) {
    const [action] = leaf.untried.splice(randomBelow(leaf.untried.length), 1);
    const child = makeNode(after(leaf.board, action), leaf);
    leaf.children.push(child);
    trace?.node(leaf.id, action, {outcome: result(child.board)});
    leaf = child;
  }
  const {rollout, outcome} = simulate(leaf.board);
  for (const move of rollout) trace?.rollout(move);
  backUp(leaf, outcome);
  trace?.iteration(leaf.id, outcome);
}

const iterations = Number(process.argv[2] || 1000), path = process.argv[3] ?? "-"; // "" records nothing
const file = path === "-" ? 1 : path && openSync(path, "w");
const trace = file === "" ? null : new Writer((text) => { writeSync(file, text); }, {
  game: "tic_tac_toe",
  policies: {selection: {name: "ucb1", c: C, unvisited: "first"}, final_move: {name: "most_visits"}},
});
const root = makeNode(Array(9).fill(null), null), began = performance.now();
for (let i = 0; i < iterations; i++) iterate(root);
trace?.close();
if (typeof file === "number" && file !== 1) closeSync(file);
if (process.argv[4] === "counts") process.stderr.write(JSON.stringify({
  seconds: (performance.now() - began) / 1e3,
  visits: nodes.map((node) => node.visits), value_sum: nodes.map((node) => node.value),
}) + "\n");
