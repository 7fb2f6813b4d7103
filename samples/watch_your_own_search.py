"""A search of your own, watched: plain UCT for Tic-Tac-Toe, whose code knows nothing of mcts_viz.

Run it, then look at what it did:  python samples/watch_your_own_search.py && python app.py mine.mcts
"""

import math
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # a checkout need not be installed

import mcts_viz as mv

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


class Node:
    def __init__(self, board, move=None, parent=None):
        self.board, self.move, self.parent = board, move, parent
        self.player = board.count("X") - board.count("O")  # to move: 0 is X, 1 is O
        self.children = []
        self.untried = [] if winner(board) else [i for i in range(9) if board[i] == "."]
        self.visits = 0
        self.wins = 0.0  # of the player who moved here


def winner(board):
    for a, b, c in LINES:
        if board[a] != "." and board[a] == board[b] == board[c]:
            return board[a]
    return None


def play(board, move):
    mark = "X" if board.count("X") == board.count("O") else "O"
    return board[:move] + mark + board[move + 1 :]


class Search:
    def __init__(self, seed):
        self.root = Node("." * 9)
        self.random = random.Random(seed)

    def step(self):
        node = self.root
        while not node.untried and node.children:  # select
            node = max(node.children, key=self.score)
        if node.untried:  # expand
            move = node.untried.pop(self.random.randrange(len(node.untried)))
            node.children.append(Node(play(node.board, move), move, node))
            node = node.children[-1]
        board = node.board  # simulate
        while not winner(board) and "." in board:
            board = play(board, self.random.choice([i for i in range(9) if board[i] == "."]))
        won = winner(board)
        while node is not None:  # backpropagate
            node.visits += 1
            node.wins += 0.5 if won is None else won == "XO"[1 - node.player]
            node = node.parent

    def score(self, child):
        explore = math.sqrt(math.log(child.parent.visits) / child.visits)
        return child.wins / child.visits + 1.4 * explore


search = Search(seed=1)
path = sys.argv[1] if len(sys.argv) > 1 else "mine.mcts"
with mv.record(path, root=search.root, children="children", visits="visits", value="wins",
               action="move", to_move="player", game="tic_tac_toe", value_range=(0, 1),
               selection="ucb1", c=1.4) as rec:  # fmt: skip
    for _ in rec.steps(search.step, 1000):
        pass
print(f"Step through it: python app.py {path}")
