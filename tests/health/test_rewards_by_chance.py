"""Search under partial observability, as pomdp-py: what a move brings depends on what is hidden, and was not told."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field
from typing import Any

import pytest

import mcts_viz as mv

GAMMA = 0.95
MOVES = ("listen", "open left", "open right")


@dataclass
class Node:
    """`children`: by move of a node where the agent chooses, else by what is heard."""

    is_chance: bool = False
    visits: int = 0
    value: float = 0.0  # a mean
    children: dict[str, Node] = field(default_factory=dict)

    def add(self, value: float) -> None:
        self.visits += 1
        self.value += (value - self.value) / self.visits


class Tiger:
    """A tiger is behind one of two doors; listening costs 1, and is right in 85 of 100 cases."""

    def __init__(self, discount: float, seed: int) -> None:
        self.discount, self.random = discount, random.Random(seed)
        self.root = Node()

    def world(self, tiger: str, move: str) -> tuple[str, str, float]:
        if move == "listen":
            right = self.random.random() < 0.85
            return tiger, tiger if right else {"left": "right", "right": "left"}[tiger], -1.0
        reward = -100.0 if move.endswith(tiger) else 10.0
        return self.random.choice(("left", "right")), self.random.choice(("left", "right")), reward

    def simulate(self, tiger: str, node: Node, depth: int) -> float:
        if not depth:
            return 0.0
        children = node.children or {move: Node(is_chance=True) for move in MOVES}
        node.children = children
        move = max(children, key=lambda each: self.score(node, children[each]))
        after, heard, reward = self.world(tiger, move)
        chance = children[move]
        if heard in chance.children:
            rest = self.simulate(after, chance.children[heard], depth - 1)
        else:
            chance.children[heard] = Node()
            rest = self.rollout(after, depth - 1)
        total = reward + self.discount * rest
        node.add(total)
        chance.add(total)
        return total

    def score(self, node: Node, child: Node) -> float:
        if not child.visits:
            return math.inf
        return child.value + 60 * math.sqrt(math.log(node.visits) / child.visits)

    def rollout(self, tiger: str, depth: int) -> float:
        total = 0.0
        for step in range(depth):
            tiger, _, reward = self.world(tiger, self.random.choice(MOVES))
            total += self.discount**step * reward
        return total

    def step(self) -> None:
        self.simulate(self.random.choice(("left", "right")), self.root, 6)


def found(discount: float, **told: Any) -> dict[str, str]:
    """Severity by check."""
    search = Tiger(discount, 1)
    with mv.record(
        root=search.root, children="children", visits="visits", value="value", value_kind="mean",
        chance="is_chance", players=("agent",), value_range=(-600, 60), discount=GAMMA, **told,
    ) as rec:  # fmt: skip
        for _ in rec.steps(search.step, 500):
            pass
    return {finding.check: finding.severity for finding in rec.trace.check()}


@pytest.mark.parametrize("told", [{}, {"step_rewards": True}])
def test_rewards_that_depend_on_chance_are_no_missing_discount(told: dict[str, Any]) -> None:
    assert {"error", "warning"}.isdisjoint(found(GAMMA, **told).values())


@pytest.mark.parametrize("told", [{}, {"step_rewards": True}])
def test_a_discount_that_is_left_out_is_found_beside_rewards_of_chance(
    told: dict[str, Any],
) -> None:
    assert found(1.0, **told)["value-not-discounted"] == "error"
