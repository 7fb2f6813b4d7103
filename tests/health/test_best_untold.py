"""The best result that was found below a node: right for one player, whom nobody has to tell of."""

from __future__ import annotations

import math
import random
from typing import Any

import mcts_viz as mv


class Node:
    def __init__(self, depth: int) -> None:
        self.depth, self.visits, self.best = depth, 0, 0.0
        self.children: list[Node] = []


class Climb:
    """Keeps the best of all results below each node."""

    def __init__(self) -> None:
        self.random, self.root = random.Random(1), Node(0)

    def step(self) -> None:
        path = [self.root]
        while path[-1].children and all(child.visits for child in path[-1].children):
            node = path[-1]
            log = math.log(node.visits)
            path.append(
                max(node.children, key=lambda child: child.best + math.sqrt(log / child.visits))
            )
        node = path[-1]
        if not node.children and node.depth < 6:
            node.children = [Node(node.depth + 1) for _ in range(3)]
        if node.children:
            path.append(next(child for child in node.children if not child.visits))
        result = self.random.random()
        for node in path:
            node.visits += 1
            node.best = max(node.best, result)


def found(**told: Any) -> mv.Finding:
    search = Climb()
    with mv.record(
        root=search.root, children="children", visits="visits", value="best", value_kind="mean", **told
    ) as rec:  # fmt: skip
        for _ in rec.steps(search.step, 500):
            pass
    (one,) = [each for each in rec.trace.check() if each.check == "value-backup"]
    return one


def test_where_players_are_not_told_it_may_be_meant() -> None:
    one = found()
    assert one.severity == "note"
    assert "Right for a single player" in one.message


def test_where_an_opponent_chooses_too_it_is_an_error() -> None:
    assert found(to_move=lambda node: node.depth % 2).severity == "error"
    assert found(players=("climber",)).severity == "note"
