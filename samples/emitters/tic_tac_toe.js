/* A whole small UCT for Tic-Tac-Toe that tells mcts_viz what it does: one JSON object an iteration, on standard output.

     node samples/emitters/tic_tac_toe.js 1000 | mcts-viz import - -o tic_tac_toe.mcts

   The page knows the game by its name and draws its boards; cells are numbered 0 to 8, row by row. What the search
   itself counted goes to standard error at the end, so that it can be compared with the trace. */
"use strict";

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

/** What was added to every node of the path, root first. */
function backUp(leaf, outcome) {
  const updates = [];
  for (let node = leaf; node !== null; node = node.parent) {
    const value = toMove(node.board) === 1 ? outcome : -outcome; // the view of the player who moved here
    node.visits += 1;
    node.value += value;
    updates.unshift({node: node.id, value});
  }
  return updates;
}

function iterate(root) {
  const new_nodes = [];
  let leaf = select(root);
  if (leaf.untried.length > 0) {
    const [action] = leaf.untried.splice(randomBelow(leaf.untried.length), 1);
    const child = makeNode(after(leaf.board, action), leaf);
    leaf.children.push(child);
    new_nodes.push({parent: leaf.id, action, outcome: result(child.board)});
    leaf = child;
  }
  const {rollout, outcome} = simulate(leaf.board);
  return {new_nodes, leaf: leaf.id, rollout, outcome, updates: backUp(leaf, outcome)};
}

const iterations = Number(process.argv[2] || 1000);
const write = (line) => process.stdout.write(JSON.stringify(line) + "\n");
write({
  format_version: 2,
  game: "tic_tac_toe",
  policies: {selection: {name: "ucb1", c: C, unvisited: "first"}, final_move: {name: "most_visits"}},
  budget: {iterations},
});
const root = makeNode(Array(9).fill(null), null);
const began = process.hrtime.bigint();
for (let i = 0; i < iterations; i++) write({...iterate(root), elapsed: Number(process.hrtime.bigint() - began)});
process.stderr.write(JSON.stringify({
  nodes: nodes.length, visits: nodes.map((node) => node.visits), value_sum: nodes.map((node) => node.value),
}) + "\n");
