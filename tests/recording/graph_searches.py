"""A search whose nodes are shared: one object for each position, whatever moves lead there (transpositions)."""

from __future__ import annotations

import math
import random

from tests.recording.searches import play, winner


class Position:
    """A node that several parents may have as a child."""

    def __init__(self, board: str) -> None:
        self.board = board
        self.player = board.count("X") - board.count("O")
        self.children: dict[int, Position] = {}
        self.untried = [] if winner(board) else [i for i in range(9) if board[i] == "."]
        self.visits = 0
        self.wins = 0.0  # of the player who moved here
        self.parents: list[Position] = []


class GraphUCT:
    """UCT over a table of positions, one leaf an iteration; only the path is updated.

    fault: "stale parent": back-up goes up over the parent that a node got last; "first parent": over the one it got
    first; "all parents": over all of them."""

    def __init__(self, seed: int = 1, shares: bool = True, fault: str = "") -> None:
        self.root = Position("." * 9)
        self.table = {self.root.board: self.root}
        self.random, self.shares, self.fault = random.Random(seed), shares, fault
        self.path: list[tuple[Position, int]] = []  # of the last iteration: position and move

    def child(self, node: Position, move: int) -> Position:
        board = play(node.board, move)
        found = self.table.get(board) if self.shares else None
        if found is None:
            found = self.table[board] = Position(board)
        return found

    def step(self) -> None:
        node, path = self.root, [self.root]
        self.path = []
        while node.children and not node.untried:
            move = max(
                node.children, key=lambda each: self.score(path[-1], path[-1].children[each])
            )
            self.path.append((node, move))
            node = node.children[move]
            path.append(node)
        if node.untried:
            move = node.untried.pop(self.random.randrange(len(node.untried)))
            node.children[move] = self.child(node, move)
            node.children[move].parents.append(node)
            self.path.append((node, move))
            node = node.children[move]
            path.append(node)
        board = node.board
        while not winner(board) and "." in board:
            board = play(board, self.random.choice([i for i in range(9) if board[i] == "."]))
        won = winner(board)
        for each in self.updated(path):
            each.visits += 1
            each.wins += 0.5 if won is None else float(won == "XO"[1 - each.player])

    def updated(self, path: list[Position]) -> list[Position]:
        """The nodes that the back-up comes to."""
        if not self.fault:
            return path
        found = [path[-1]]
        for node in found:
            parents = {"stale parent": node.parents[-1:], "first parent": node.parents[:1]}
            found += parents.get(self.fault, node.parents)
        return found

    @staticmethod
    def score(parent: Position, child: Position) -> float:
        return child.wins / child.visits + 1.4 * math.sqrt(math.log(parent.visits) / child.visits)
