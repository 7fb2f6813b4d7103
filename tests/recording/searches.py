"""Searches to watch, which know nothing of the package: one that works, and one with any fault."""

import math
import random
from collections.abc import Callable
from typing import Any

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


class Node:
    """A node of plain UCT."""

    def __init__(self, board: str = "." * 9, move: Any = None, parent: "Node | None" = None):
        self.board, self.move, self.parent = board, move, parent
        self.player = board.count("X") - board.count("O")
        self.children: list[Node] = []
        self.untried = [] if winner(board) else [i for i in range(9) if board[i] == "."]
        self.visits = 0
        self.wins = 0.0  # of the player who moved here


def winner(board: str) -> str | None:
    for a, b, c in LINES:
        if board[a] != "." and board[a] == board[b] == board[c]:
            return board[a]
    return None


def play(board: str, move: int) -> str:
    mark = "X" if board.count("X") == board.count("O") else "O"
    return board[:move] + mark + board[move + 1 :]


class PlainUCT:
    """Tic-Tac-Toe, win 1, draw ½, loss 0, view of the player who moved into a node."""

    def __init__(self, seed: int = 1):
        self.root = Node()
        self.random = random.Random(seed)
        self.result = 0.0  # of the last simulation, view of X
        self.rollout: list[int] = []

    def step(self) -> None:
        node = self.root
        while not node.untried and node.children:
            node = max(node.children, key=self.score)
        if node.untried:
            move = node.untried.pop(self.random.randrange(len(node.untried)))
            node.children.append(Node(play(node.board, move), move, node))
            node = node.children[-1]
        board, self.rollout = node.board, []
        while not winner(board) and "." in board:
            self.rollout.append(self.random.choice([i for i in range(9) if board[i] == "."]))
            board = play(board, self.rollout[-1])
        won = winner(board)
        self.result = 0.0 if won is None else 1.0 if won == "X" else -1.0
        at: Node | None = node
        while at is not None:
            at.visits += 1
            at.wins += 0.5 if won is None else float(won == "XO"[1 - at.player])
            at = at.parent

    @staticmethod
    def score(child: Node) -> float:
        assert child.parent is not None
        explore = math.sqrt(math.log(child.parent.visits) / child.visits)
        return child.wins / child.visits + 1.4 * explore


Tree = list[tuple[Any, int, float, int]]  # move, visits, value, children; in preorder


def whole_tree(root: Node) -> Tree:
    """Everything a search has found out, to compare two of them."""
    found: Tree = []
    nodes = [root]
    while nodes:
        node = nodes.pop()
        found.append((node.move, node.visits, node.wins, len(node.children)))
        nodes.extend(node.children)
    return found


class FaultyNode:
    """A node to which anything may happen."""

    def __init__(self, move: int, player: int):
        self.move, self.player = move, player
        self.visits = 0
        self.value = 0.0
        self.children: list[FaultyNode] = []


class FaultySearch:
    """Adds any visits and any values along random paths; loses, reorders and brings back children.

    With `anywhere`, it also changes nodes off the path and hangs one node below two parents.
    """

    def __init__(self, seed: int, values: Callable[[random.Random], float], anywhere: bool = False):
        self.random, self.values, self.anywhere = random.Random(seed), values, anywhere
        self.root = FaultyNode(-1, self.random.randrange(2))
        self.n_moves = 0
        self.lost: dict[int, list[FaultyNode]] = {}

    def step(self) -> None:
        path = [self.root]
        while path[-1].children and self.random.random() < 0.8:
            path.append(self.random.choice(path[-1].children))
        for node in path:
            node.visits += self.random.choice([1, 1, 1, 2, 5, -1])
            node.value += self.values(self.random)
        self._grow(path[-1])
        if self.random.random() < 0.3:
            self._shuffle(self.random.choice(path))
        if self.anywhere:
            self._meddle(path)

    def _grow(self, node: FaultyNode) -> None:
        for _ in range(self.random.randrange(4)):
            child = FaultyNode(self.n_moves, self.random.randrange(2))
            self.n_moves += 1
            child.visits = self.random.randrange(3)
            child.value = self.values(self.random) if child.visits else 0.0
            node.children.insert(self.random.randint(0, len(node.children)), child)

    def _shuffle(self, node: FaultyNode) -> None:
        lost = self.lost.setdefault(id(node), [])
        if lost and self.random.random() < 0.5:
            node.children.append(lost.pop())
        elif node.children:
            lost.append(node.children.pop(self.random.randrange(len(node.children))))
        self.random.shuffle(node.children)

    def _meddle(self, path: list[FaultyNode]) -> None:
        node = self.root
        while node.children and self.random.random() < 0.9:
            node = self.random.choice(node.children)
        node.visits += self.random.randrange(2)
        node.value += self.values(self.random)
        leaf = FaultyNode(self.n_moves, 0)
        self.n_moves += 1
        for parent in {id(node): node, id(path[-1]): path[-1]}.values():
            parent.children.append(leaf)
