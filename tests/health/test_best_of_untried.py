"""Best-first searches that evaluate all children when they are made: a node may be worth a child without visits."""

from __future__ import annotations

import math
import random

import pytest

import mcts_viz as mv
from tests.health.unusual import Rules


class Node:
    def __init__(self, rules: Rules, state: list[int], move: int = -1) -> None:
        self.state, self.move, self.player = state, move, rules.player(state)
        self.children: list[Node] = []
        self.visits = 0
        outcome = rules.outcome(state)
        self.over = outcome is not None
        if outcome is None:
            outcome = math.tanh(math.sin(sum((i + 1) * int(x) for i, x in enumerate(state))))
        self.value = outcome if self.player == 1 else -outcome  # of the player who moved into it


class Minimax:
    """mistaken: a node is worth its worst child."""

    def __init__(self, mistaken: bool) -> None:
        self.rules = Rules("connect_four", [])
        self.root = Node(self.rules, self.rules.first)
        self.best_of = min if mistaken else max

    def step(self) -> None:
        path = [self.root]
        while path[-1].children:
            path.append(max(path[-1].children, key=lambda child: self.score(path[-1], child)))
        leaf = path[-1]
        if not leaf.over:
            leaf.children = [
                Node(self.rules, self.rules.play(leaf.state, move), move)
                for move in self.rules.moves(leaf.state)
            ]
        for node in reversed(path):
            node.visits += 1
            if node.children:
                node.value = -self.best_of(child.value for child in node.children)

    def score(self, node: Node, child: Node) -> float:
        return child.value + math.sqrt(math.log(node.visits + 1) / (child.visits + 1))


def found(mistaken: bool) -> dict[str, mv.Finding]:
    search = Minimax(mistaken)
    with mv.record(
        root=search.root, children="children", visits="visits", value="value", value_kind="mean", action="move",
        to_move="player", value_range=(-1, 1), backup="minimax",
    ) as rec:  # fmt: skip
        for _ in rec.steps(search.step, 500):
            pass
    return {one.check: one for one in rec.trace.check()}


def test_a_best_child_without_visits_is_no_alarm() -> None:
    said = found(mistaken=False)
    assert [one for one in said.values() if one.severity != "note"] == []
    assert "more than any child with visits has" in said["value-backup"].message


def test_a_worst_child_is_an_error() -> None:
    assert found(mistaken=True)["value-not-best"].severity == "error"


class Route:
    """A way of a synthesis, whose steps cost something."""

    def __init__(self, left: int, cost: float) -> None:
        self.left, self.cost = left, cost
        self.children: list[Route] = []
        self.visits, self.value = 0, 0.0


class BestRoute:
    """Max back-up of one who plays alone; all children are made at once, and evaluated at their first visit.
    from_root: the back-up goes the wrong way."""

    def __init__(self, all_children: bool, from_root: bool = False) -> None:
        self.random, self.root, self.all_children = random.Random(1), Route(6, 0.0), all_children
        self.from_root = from_root

    def step(self) -> None:
        path = [self.root]
        while path[-1].children:
            node = path[-1]
            path.append(max(node.children, key=lambda child: self.score(node, child)))
        leaf = path[-1]
        leaf.value = -leaf.cost - 0.3 * leaf.left * self.random.random() - 0.01
        if leaf.left:
            leaf.children = [
                Route(leaf.left - 1, leaf.cost + self.random.random()) for _ in range(3)
            ]
        leaf.visits += 1
        for node in path[:-1] if self.from_root else reversed(path[:-1]):
            node.visits += 1
            among = [child for child in node.children if child.visits or self.all_children]
            node.value = max(child.value for child in among)

    def score(self, node: Route, child: Route) -> float:
        mean = child.value if child.visits else node.value
        return mean + 0.6 * math.sqrt(node.visits) / (1 + child.visits)


def complaints(search: BestRoute) -> list[mv.Finding]:
    with mv.record(
        root=search.root, children="children", visits="visits", value="value", value_kind="mean",
        players=("chemist",), value_range=(-9, 0), backup="max",
    ) as rec:  # fmt: skip
        for _ in rec.steps(search.step, 600):
            pass
    return [one for one in rec.trace.check() if one.severity != "note"]


def test_a_back_up_from_the_root_to_the_leaf_is_named() -> None:
    (one,) = complaints(BestRoute(all_children=False, from_root=True))
    assert one.check == "value-not-best"
    assert "values lag an iteration behind" in one.message


@pytest.mark.parametrize("all_children", [True, False])
def test_children_without_visits_that_count_in_the_maximum_are_named(all_children: bool) -> None:
    said = complaints(BestRoute(all_children))
    assert [one.check for one in said] == (["value-not-best"] if all_children else [])
    assert (
        not said or "children that were never visited count as 0 in the maximum" in said[0].message
    )
