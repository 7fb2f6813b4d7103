"""Leaves that are discounted by their depth, and then by back-up again."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import pytest

import mcts_viz as mv
from tests.variants import few

Place = tuple[int, int]
GAMMA = 0.8
MOVES = {"n": (-1, 0), "s": (1, 0), "w": (0, -1), "e": (0, 1)}
SIZE, GOAL, PIT = 4, (3, 3), (1, 2)


class Node:
    def __init__(self, place: Place, reward: float = 0.0, parent: Node | None = None) -> None:
        self.place, self.reward, self.parent = place, reward, parent
        self.depth: int = parent.depth + 1 if parent else 0
        self.children: dict[str, Node] = {}
        self.N, self.W = 0, 0.0


class Walk:
    """UCT on a square with a goal and a pit. own: whether a node's value has the reward of the move into it."""

    own = True
    cost = -1.0
    noise = 0.0
    limit = 0  # steps of a whole episode; 0: of the simulation alone

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.root = Node((0, 0))

    def step(self, place: Place, move: str) -> tuple[Place, float]:
        to = (place[0] + MOVES[move][0], place[1] + MOVES[move][1])
        to = to if 0 <= to[0] < SIZE and 0 <= to[1] < SIZE else place
        paid = 9.0 if to == GOAL else -7.0 if to == PIT else self.cost
        return to, paid + self.noise * self.random.gauss(0.0, 1.0)

    def worth(self, node: Node) -> float:
        """Of a new leaf, from there on."""
        place, total, weight = node.place, 0.0, self.first_weight(node)
        for _ in range(self.limit - node.depth if self.limit else 12):
            if place in (GOAL, PIT):
                break
            place, reward = self.step(place, self.random.choice([*MOVES]))
            total, weight = total + weight * reward, weight * GAMMA
        return total

    def first_weight(self, node: Node) -> float:
        return 1.0

    def iterate(self) -> None:
        node = self.root
        while len(node.children) == len(MOVES):
            parent = node
            node = max(node.children.values(), key=lambda one: self.score(parent, one))
        if node.place not in (GOAL, PIT) and not (self.limit and node.depth >= self.limit):
            move = self.random.choice([one for one in MOVES if one not in node.children])
            place, reward = self.step(node.place, move)
            node.children[move] = node = Node(place, reward, node)
        self.back_up(node, self.worth(node))

    def score(self, parent: Node, child: Node) -> float:
        q = child.W / child.N
        q = q if self.own else child.reward + GAMMA * q
        return q + 4 * math.sqrt(math.log(parent.N) / child.N)

    def back_up(self, node: Node | None, value: float) -> None:
        while node is not None:
            back = node.reward + GAMMA * value
            node.N, node.W = node.N + 1, node.W + (back if self.own else value)
            value, node = back, node.parent


class Twice(Walk):
    def first_weight(self, node: Node) -> float:
        return float(GAMMA**node.depth)


class TwiceBeside(Twice):
    own = False


class Beside(Walk):
    own = False


class TwiceByEvaluation(Twice):
    """A guess by the place, with no simulation."""

    def worth(self, node: Node) -> float:
        away = abs(node.place[0] - GOAL[0]) + 1.3 * abs(node.place[1] - GOAL[1])
        return (5.0 - away) * self.first_weight(node) if node.place not in (GOAL, PIT) else 0.0


class ByEvaluation(TwiceByEvaluation):
    def first_weight(self, node: Node) -> float:
        return 1.0


class Limited(Walk):
    """A fixed number of steps from the root."""

    limit = 10


class LimitedBeside(Limited):
    own = False


class Noisy(Walk):
    noise = 1.0


class GoalAlone(Walk):
    cost = 0.0


def checked(kind: type[Walk], seed: int = 1) -> list[mv.Finding]:
    search = kind(seed)
    state: Callable[[Node], str] = lambda node: f"at {node.place}"  # noqa: E731
    with mv.record(
        root=search.root, children="children", visits="N", value="W", reward="reward", state=state,
        players=("agent",), discount=GAMMA, step_rewards=True, value_range=(-20.0, 10.0),
    ) as rec:  # fmt: skip
        for _ in rec.steps(search.iterate, 800):
            pass
    return rec.trace.check()


@pytest.mark.parametrize("kind", [Twice, TwiceBeside, TwiceByEvaluation])
@pytest.mark.parametrize("seed", few([1, 2, 3]))
def test_a_leaf_that_is_discounted_by_its_depth_is_named(kind: type[Walk], seed: int) -> None:
    [finding] = [one for one in checked(kind, seed) if one.severity != "note"]
    assert (finding.check, finding.severity) == ("simulation-discounted", "error")
    assert "the discount is applied twice" in finding.message
    assert "multiplied by γ^depth (γ = 0.8)" in finding.message


@pytest.mark.parametrize(
    "kind", [Walk, Beside, ByEvaluation, Limited, LimitedBeside, Noisy, GoalAlone]
)
@pytest.mark.parametrize("seed", few([1, 2, 3]))
def test_leaves_that_back_up_alone_discounts_are_right(kind: type[Walk], seed: int) -> None:
    assert "simulation-discounted" not in {one.check for one in checked(kind, seed)}
