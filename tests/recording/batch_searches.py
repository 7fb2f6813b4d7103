"""UCT that evaluates several leaves at once, kept apart by a virtual loss."""

from __future__ import annotations

import math
import random

from tests.recording.searches import Node, PlainUCT, play, winner


class BatchNode(Node):
    """A node that counts the paths through it that are on their way."""

    virtual = 0


class BatchUCT(PlainUCT):
    """Visits and wins hold the virtual losses while paths are on their way.

    late: children are made once a leaf has been evaluated, so that a batch may come to a leaf again. fault: "left": the
    leaf's is not taken back; "lost": now and then the visits of a path are lost; "won": the virtual loss is a
    win."""

    def __init__(self, size: int = 8, late: bool = False, fault: str = "", seed: int = 1) -> None:
        super().__init__(seed)
        self.root, self.size, self.late, self.fault = BatchNode(), size, late, fault
        self.random = random.Random(seed)

    def descend(self) -> list[BatchNode]:
        """A path to a leaf, with a virtual loss at each node."""
        path: list[BatchNode] = [self.root]  # type: ignore[list-item]
        while not path[-1].untried and path[-1].children:
            path.append(max(path[-1].children, key=self.upper))  # type: ignore[arg-type]
        node = path[-1]
        if node.untried and not self.late:
            move = node.untried.pop(self.random.randrange(len(node.untried)))
            node.children.append(BatchNode(play(node.board, move), move, node))
            path.append(node.children[-1])  # type: ignore[arg-type]
        for each in path:
            each.visits += 1  # and no win
            each.wins += self.fault == "won"
            each.virtual += 1
        return path

    @staticmethod
    def upper(child: Node) -> float:
        assert child.parent is not None
        if not child.visits:
            return math.inf
        explore = math.sqrt(math.log(child.parent.visits + 1) / child.visits)
        return child.wins / child.visits + 1.4 * explore

    def batch(self) -> int:
        """Evaluate a batch; returns how many leaves there were."""
        paths = [self.descend() for _ in range(self.size)]
        for path in paths:
            self.back_up(path)
        return len(paths)

    def back_up(self, path: list[BatchNode]) -> None:
        """What a simulation from the end of a path is worth."""
        leaf = path[-1]
        won = self.playout(leaf.board)
        is_lost = self.fault == "lost" and self.random.random() < 0.1
        for each in path:
            left = self.fault == "left" and each is leaf
            each.virtual -= not left
            each.visits -= is_lost
            each.wins -= self.fault == "won"
            if not is_lost:
                each.wins += 0.5 if won is None else float(won == "XO"[1 - each.player])
        while self.late and leaf.untried:
            move = leaf.untried.pop()
            leaf.children.append(BatchNode(play(leaf.board, move), move, leaf))

    def playout(self, board: str) -> str | None:
        while not winner(board) and "." in board:
            board = play(board, self.random.choice([i for i in range(9) if board[i] == "."]))
        return winner(board)


class BatchPUCT(BatchUCT):
    """By PUCT with uneven priors, a child without visits counting as 0."""

    def __init__(self, fault: str = "") -> None:
        super().__init__(late=True, fault=fault)

    @staticmethod
    def prior(node: Node) -> float:
        beside = node.parent.children if node.parent else [node]
        weight = {id(each): 1 + 7 * (each.move or 0) % 5 for each in beside}
        return weight[id(node)] / sum(weight.values())

    @staticmethod
    def upper(child: Node) -> float:
        assert child.parent is not None
        prior = BatchPUCT.prior(child)
        mean = 2 * child.wins / child.visits - 1 if child.visits else 0.0
        return mean + 1.5 * prior * math.sqrt(child.parent.visits) / (1 + child.visits)
