/* A whole small UCT for Tic-Tac-Toe that tells mcts_viz what it does.

     c++ -std=c++17 -O2 -o tic_tac_toe samples/writers/tic_tac_toe.cpp
     ./tic_tac_toe 1000 - | mcts-viz import - -o tic_tac_toe.mcts

   The page knows the game by its name and draws its boards; cells are numbered 0 to 8, row by row. With `counts` behind
   the path, what the search itself counted goes to standard error at the end, to be compared with the trace. */
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "mcts_viz.hpp"

using Board = std::array<int, 9>;  // 0, 1, or -1: empty
constexpr int LINES[8][3] = {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {0, 3, 6}, {1, 4, 7}, {2, 5, 8}, {0, 4, 8}, {2, 4, 6}};
constexpr double C = 1.4;
constexpr int GOES_ON = 2;

std::uint64_t seed = 12345;
int random_below(int n) {  // splitmix64
  std::uint64_t z = (seed += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return static_cast<int>((z ^ (z >> 31)) % static_cast<std::uint64_t>(n));
}

std::vector<int> empty_cells(const Board& board) {
  std::vector<int> cells;
  for (int cell = 0; cell < 9; ++cell)
    if (board[cell] < 0) cells.push_back(cell);
  return cells;
}

int to_move(const Board& board) { return (9 - static_cast<int>(empty_cells(board).size())) % 2; }

/* 1 when player 0 has won, -1 when player 1 has, 0 for a draw. */
int outcome_of(const Board& board) {
  for (const auto& line : LINES)
    if (board[line[0]] >= 0 && board[line[0]] == board[line[1]] && board[line[1]] == board[line[2]])
      return board[line[0]] == 0 ? 1 : -1;
  return empty_cells(board).empty() ? 0 : GOES_ON;
}

struct TreeNode {
  int id;
  Board board;
  TreeNode* parent;
  std::vector<int> untried;
  std::vector<TreeNode*> children;
  int visits = 0;
  double value = 0;  // view of the player who moved here
};

std::vector<std::unique_ptr<TreeNode>> nodes;
TreeNode* make_node(const Board& board, TreeNode* parent) {
  auto untried = outcome_of(board) == GOES_ON ? empty_cells(board) : std::vector<int>{};
  nodes.push_back(std::make_unique<TreeNode>(TreeNode{static_cast<int>(nodes.size()), board, parent, untried, {}}));
  return nodes.back().get();
}

double ucb1(const TreeNode& node) {
  return node.value / node.visits + C * std::sqrt(std::log(node.parent->visits) / node.visits);
}

TreeNode* select(TreeNode* node) {
  while (node->untried.empty() && !node->children.empty()) {
    TreeNode* best = node->children.front();
    for (TreeNode* child : node->children)
      if (ucb1(*child) > ucb1(*best)) best = child;
    node = best;
  }
  return node;
}

void back_up(TreeNode* leaf, int outcome, mcts_viz::Writer* trace) {
  std::vector<TreeNode*> path;
  for (TreeNode* node = leaf; node != nullptr; node = node->parent) path.push_back(node);
  for (auto node = path.rbegin(); node != path.rend(); ++node) {
    const double value = to_move((*node)->board) == 1 ? outcome : -outcome;
    (*node)->visits += 1;
    (*node)->value += value;
    if (trace) trace->update((*node)->id, value);
  }
}

void iterate(TreeNode* root, mcts_viz::Writer* trace) {
  TreeNode* leaf = select(root);
  if (!leaf->untried.empty()) {
    const auto place = leaf->untried.begin() + random_below(static_cast<int>(leaf->untried.size()));
    const int action = *place;
    leaf->untried.erase(place);
    Board after = leaf->board;
    after[action] = to_move(leaf->board);
    TreeNode* child = make_node(after, leaf);
    leaf->children.push_back(child);
    if (trace) {
      mcts_viz::Node known;
      if (outcome_of(after) != GOES_ON) known.outcome = outcome_of(after);
      trace->node(leaf->id, action, known);
    }
    leaf = child;
  }
  Board board = leaf->board;
  while (outcome_of(board) == GOES_ON) {
    const auto cells = empty_cells(board);
    const int cell = cells[random_below(static_cast<int>(cells.size()))];
    board[cell] = to_move(board);
    if (trace) trace->rollout(cell);
  }
  back_up(leaf, outcome_of(board), trace);
  if (trace) trace->iteration(leaf->id, outcome_of(board));
}

int main(int argc, char** argv) {
  const int iterations = argc > 1 ? std::atoi(argv[1]) : 1000;
  const std::string path = argc > 2 ? argv[2] : "-";  // "" records nothing
  std::unique_ptr<mcts_viz::Writer> trace;
  if (!path.empty())
    trace = std::make_unique<mcts_viz::Writer>(path, R"({"game": "tic_tac_toe", "policies": {
      "selection": {"name": "ucb1", "c": 1.4, "unvisited": "first"}, "final_move": {"name": "most_visits"}}})");
  Board empty;
  empty.fill(-1);
  TreeNode* root = make_node(empty, nullptr);
  const auto began = std::chrono::steady_clock::now();
  for (int i = 0; i < iterations; ++i) iterate(root, trace.get());
  if (trace) trace->close();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - began;
  if (trace && !trace->good()) return std::cerr << "the trace could not be written\n", 1;
  if (argc <= 3 || argv[3] != std::string("counts")) return 0;
  std::cerr << "{\"seconds\": " << seconds.count() << ", \"visits\": [";
  for (const auto& node : nodes) std::cerr << (node->id ? ", " : "") << node->visits;
  std::cerr << "], \"value_sum\": [";
  for (const auto& node : nodes) std::cerr << (node->id ? ", " : "") << node->value;
  std::cerr << "]}\n";
}
