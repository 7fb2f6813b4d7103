"""A search of your own, UCT for Tic-Tac-Toe, which docs/pytest.md tests and docs/bench.md measures."""

import math
import random

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
FIELDS = {
    "children": "children",
    "visits": "visits",
    "value": "value",
    "action": "move",
    "to_move": "player",
    "game": "tic_tac_toe",
    "selection": "ucb1",
    "c": 1.4,
}


class Node:
    def __init__(self, board, parent=None, move=None):
        self.board, self.parent, self.move = board, parent, move  # board: who has taken which cell
        self.children, self.visits, self.value = [], 0, 0.0
        self.player = len(board) % 2
        won = [p for p in (0, 1) if any(all(board.get(c) == p for c in line) for line in LINES)]
        self.outcome = 1 - 2 * won[0] if won else 0 if len(board) == 9 else None
        self.untried = [] if self.outcome is not None else [c for c in range(9) if c not in board]

    def after(self, move):
        return Node({**self.board, move: self.player}, self, move)


class Search:
    def __init__(self, moves=(), seed=1):
        self.random = random.Random(seed)
        self.root = Node({move: number % 2 for number, move in enumerate(moves)})

    def step(self):
        node = self.root
        while not node.untried and node.children:
            log = math.log(node.visits)
            node = max(
                node.children, key=lambda n: n.value / n.visits + 1.4 * math.sqrt(log / n.visits)
            )
        if node.untried:
            move = node.untried.pop(self.random.randrange(len(node.untried)))
            node.children.append(node.after(move))
            node = node.children[-1]
        end = node
        while end.outcome is None:
            end = end.after(self.random.choice(end.untried))
        while node is not None:
            node.visits += 1
            node.value += end.outcome if node.player == 1 else -end.outcome  # of who moved here
            node = node.parent


def make_search(position, seed, iterations):
    """What `mcts-viz bench` asks for: the root, the function that does one iteration, and the fields of a node."""
    search = Search(list(position), seed)
    return search.root, search.step, FIELDS
