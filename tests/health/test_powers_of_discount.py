"""A discount that is raised to a power at each step back, and rewards of one player."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

import mcts_viz as mv
from tests.variants import few

GAMMA, DEEPEST = 0.9, 12


@dataclass
class Node:
    """`value` is a sum or a mean, as the search has it."""

    depth: int = 0
    reward: float = 0.0
    visits: int = 0
    value: float = 0.0
    children: dict[int, Node] = field(default_factory=dict)


Power = Callable[[int, Node, Node], int]  # of steps back from the leaf, the node and its child
POWERS: dict[str, Power] = {
    "1 at its parent": lambda back, node, child: back,
    "0 at its parent": lambda back, node, child: back - 1,
    "the depth of the child": lambda back, node, child: child.depth,
}


def once(back: int, node: Node, child: Node) -> int:
    return 1


class Swimmer:
    """A chain of places, in which it is hard to go to the right; what a sequence of moves brings is sampled anew each
    time, or stands at the node (`fixed`)."""

    def __init__(self, power: Power, of_mean: bool, fixed: bool, with_own: bool, seed: int) -> None:
        self.power, self.of_mean, self.fixed, self.with_own = power, of_mean, fixed, with_own
        self.random, self.root = random.Random(seed), Node()

    def move(self, place: int, move: int) -> tuple[int, float]:
        if move == 0:
            return max(0, place - 1), 0.0 if place else 0.2
        there = min(5, place + (self.fixed or self.random.random() < 0.6))
        return there, float(there == 5)

    def step(self) -> None:
        place, node, path, rewards = 3, self.root, [self.root], [0.0]
        new = False
        while node.depth < DEEPEST and not new:
            free = [move for move in (0, 1) if move not in node.children]
            new = bool(free)
            move = self.random.choice(free) if free else self.best(node)
            place, reward = self.move(place, move)
            node = node.children.setdefault(move, Node(node.depth + 1, reward))
            path.append(node)
            rewards.append(reward)
        rest = 0.0
        for k in range(DEEPEST - node.depth):
            place, reward = self.move(place, self.random.randrange(2))
            rest += GAMMA**k * reward
        self.back_up(path, rewards, rest)

    def back_up(self, path: list[Node], rewards: list[float], rest: float) -> None:
        for i in range(len(path) - 1, -1, -1):
            node, below = path[i], path[i + 1 :]
            if below:
                factor = GAMMA ** self.power(len(below), node, below[0])
                rest = (rewards[i] if self.with_own else rewards[i + 1]) + factor * rest
            elif self.with_own:
                rest = rewards[i] + GAMMA * rest
            node.visits += 1
            node.value += (rest - node.value) / node.visits if self.of_mean else rest

    def best(self, node: Node) -> int:
        def score(move: int) -> float:
            child = node.children[move]
            mean = child.value if self.of_mean else child.value / child.visits
            if self.fixed and not self.with_own:
                mean = child.reward + GAMMA * mean
            return mean + 2 * math.sqrt(math.log(node.visits) / child.visits)

        return max(node.children, key=score)


def findings(search: Swimmer, **told: Any) -> list[mv.Finding]:
    """Those of a mistake."""
    kind = "mean" if search.of_mean else "sum"
    with mv.record(
        root=search.root, children="children", visits="visits", value="value", value_kind=kind,
        players=("swimmer",), value_range=(0, 10), discount=GAMMA, **told,
    ) as rec:  # fmt: skip
        for _ in rec.steps(search.step, 800):
            pass
    return [one for one in rec.trace.check() if one.severity != "note"]


OF_MEAN = pytest.mark.parametrize("of_mean", [False, True], ids=["sum", "mean"])
WITH_OWN = pytest.mark.parametrize("with_own", [False, True], ids=["next reward", "own reward"])


@OF_MEAN
@WITH_OWN
@pytest.mark.parametrize("power", few(POWERS, 2))
def test_a_power_of_the_discount_is_named_where_rewards_are_not_told(
    power: str, with_own: bool, of_mean: bool
) -> None:
    search = Swimmer(POWERS[power], of_mean, fixed=False, with_own=with_own, seed=1)
    (one,) = findings(search, step_rewards=True)
    assert one.check == "value-not-discounted"
    assert one.severity == "error"
    assert power in one.message
    assert one.evidence["share"] >= 0.98


@OF_MEAN
def test_a_power_is_named_where_nothing_is_said_of_rewards(of_mean: bool) -> None:
    search = Swimmer(POWERS["1 at its parent"], of_mean, fixed=False, with_own=True, seed=1)
    (one,) = findings(search)
    assert "1 at its parent" in one.message


@OF_MEAN
@WITH_OWN
@pytest.mark.parametrize("power", few(POWERS, 2))
def test_a_power_of_the_discount_is_named_where_rewards_are_told(
    power: str, with_own: bool, of_mean: bool
) -> None:
    search = Swimmer(POWERS[power], of_mean, fixed=True, with_own=with_own, seed=1)
    (one,) = findings(search, reward="reward")
    assert one.check == "value-reward"
    assert f"not by γ at each step: i {'is' if 'depth' in power else 'counts'}" in one.message
    assert power in one.message


@OF_MEAN
@WITH_OWN
@pytest.mark.parametrize("seed", few([1, 2]))
@pytest.mark.parametrize("fixed", [False, True], ids=["sampled", "fixed"])
def test_a_discount_at_each_step_is_right(
    fixed: bool, seed: int, with_own: bool, of_mean: bool
) -> None:
    told: tuple[dict[str, Any], ...] = ({"step_rewards": True}, {})
    for each in (*told, {"reward": "reward"}) if fixed else told:
        assert findings(Swimmer(once, of_mean, fixed, with_own, seed), **each) == []
