"""Searches as RAP's (llm-reasoners): the best return from a node on, its own reward included, simulated paths that join
the tree, and a limit of the depth at which a child counts as untried however often it is visited."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest

import mcts_viz as mv
from tests.variants import few

LIMIT, WIDTH, C = 5, 3, 0.7


class Node:
    def __init__(self, guess: float = 0.0, depth: int = 0) -> None:
        self.guess, self.depth = guess, depth
        self.reward: float | None = (
            None if depth else 0.0
        )  # of the move into it, known once it is made
        self.returns: list[float] = []
        self.children: list[Node] = []

    @property
    def best(self) -> float:
        return max(self.returns, default=0.0)

    @property
    def mean(self) -> float:
        return sum(self.returns) / max(len(self.returns), 1)


class Planner:
    """kept: a mistake, each node keeps the child that was the best for eight visits; value: "best", or "mean", which is
    none where a max back-up is declared; made: children at the limit are made, too, so that they are not untried."""

    def __init__(
        self, seed: int, kept: bool = False, value: str = "best", made: bool = False
    ) -> None:
        self.random, self.root = random.Random(seed), Node()
        self.kept, self.value, self.made = kept, value, made
        self.best: dict[int, Node] = {}

    def choose(self, node: Node) -> Node:
        untried = [child for child in node.children if child.reward is None]
        if untried:
            return max(untried, key=lambda child: child.guess)
        if self.kept and id(node) in self.best and len(node.returns) % 8:
            return self.best[id(node)]
        log = math.log(len(node.returns))
        self.best[id(node)] = max(
            node.children,
            key=lambda child: (
                getattr(child, self.value) + C * math.sqrt(log / max(len(child.returns), 1))
            ),
        )
        return self.best[id(node)]

    def make(self, node: Node) -> None:
        if node.reward is None:
            node.reward = node.guess + self.random.random() / 2
        if node.depth < LIMIT:
            node.children = [Node(self.random.random() / 2, node.depth + 1) for _ in range(WIDTH)]

    def step(self) -> None:
        path = [self.root]
        while path[-1].children:
            path.append(self.choose(path[-1]))
        if path[-1].depth < LIMIT or self.made:
            self.make(path[-1])
            while path[-1].children:
                path.append(max(path[-1].children, key=lambda child: child.guess))
                self.make(path[-1])
        total = 0.0
        for node in reversed(path):
            total += node.guess if node.reward is None else node.reward
            node.returns.append(total)


def found(planner: Planner, n: int = 600, **told: Any) -> dict[str, mv.Finding]:
    with mv.record(
        root=planner.root, children="children", visits=lambda node: len(node.returns), value=planner.value,
        value_kind="mean", players=("agent",), value_range=(0, 5), **told,
    ) as rec:  # fmt: skip
        for _ in rec.steps(planner.step, n):
            pass
    return {one.check: one for one in rec.trace.check()}


@pytest.mark.parametrize("seed", few([1, 2, 3, 4]))
@pytest.mark.parametrize("made", [False, True])
@pytest.mark.parametrize(
    "told", [{"backup": "max"}, {}, {"backup": "max", "selection": "ucb1", "c": C}], ids=str
)
def test_best_returns_with_rewards_that_are_not_told_are_no_alarm(
    told: dict[str, Any], made: bool, seed: int
) -> None:
    notes = found(Planner(seed, made=made), **told)
    assert {one.severity for one in notes.values()} <= {"note"}
    assert "always the same at that node" in notes["value-backup"].message
    assert "with reward= " in notes["value-backup"].message
    if not made:
        assert "at nodes of depth 4, whose children are never expanded" in str(
            notes["selection-rule"]
        )


def test_a_mean_that_is_declared_a_max_is_named() -> None:
    assert found(Planner(1, value="mean"), backup="max")["value-not-best"].severity == "error"


def test_a_child_that_is_kept_for_some_visits_is_named_beside_a_limit_of_the_depth() -> None:
    """Where the child was chosen long ago, at all levels, it is no limit of the depth."""
    one = found(Planner(1, kept=True), backup="max", selection="ucb1", c=C)["selection-cached"]
    assert one.severity == "error"
