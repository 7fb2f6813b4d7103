"""Mistakes of searches in which one plays: costs that are sought, distributions that are swapped, points that are left
out; and playouts on a node's own position."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest

import mcts_viz as mv

DEPTH, MOVES = 5, 4


class Node:
    """A plan so far, of moves that bring points."""

    def __init__(self, plan: tuple[int, ...] = (), parent: Node | None = None) -> None:
        self.plan, self.parent = list(plan), parent
        self.untried = list(range(MOVES)) if len(plan) < DEPTH else []
        self.is_over = len(plan) == DEPTH
        self.children: list[Node] = []
        self.visits, self.total = 0, 0.0


def points(plan: list[int]) -> float:
    """From 0 to 1."""
    worth = [(3 * move * (k + 2) + move * move + k) % 7 for k, move in enumerate(plan)]
    return sum(worth) / (6 * DEPTH)


class Planner:
    """UCT for the plan with the most points."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.root = Node()

    def score(self, node: Node, child: Node) -> float:
        return child.total / child.visits + 0.3 * math.sqrt(math.log(node.visits) / child.visits)

    def worth(self, leaf: Node, rest: list[int]) -> float:
        return points([*leaf.plan, *rest])

    def step(self) -> None:
        node = self.root
        while not node.untried and node.children:
            node = max(node.children, key=lambda child: self.score(node, child))
        if node.untried:
            move = node.untried.pop(self.random.randrange(len(node.untried)))
            node.children.append(Node((*node.plan, move), node))
            node = node.children[-1]
        rest = [self.random.randrange(MOVES) for _ in range(DEPTH - len(node.plan))]
        worth = self.worth(node, rest)
        above: Node | None = node
        while above is not None:
            above.visits, above.total = above.visits + 1, above.total + worth
            above = above.parent


class Costly(Planner):
    """The greatest cost is sought; told is minus the cost."""

    def score(self, node: Node, child: Node) -> float:
        cost = 1 - child.total / child.visits
        return cost + 0.3 * math.sqrt(math.log(node.visits) / child.visits)


class Thompson(Planner):
    def score(self, node: Node, child: Node) -> float:
        return self.random.betavariate(1 + child.total, 1 + child.visits - child.total)


class Swapped(Planner):
    """Successes in place of failures."""

    def score(self, node: Node, child: Node) -> float:
        return self.random.betavariate(1 + child.visits - child.total, 1 + child.total)


class PlayoutAlone(Planner):
    """What the moves in the tree bring is left out."""

    def worth(self, leaf: Node, rest: list[int]) -> float:
        return points([*leaf.plan, *rest]) - points(leaf.plan)


class OwnPosition(Planner):
    """The playout makes its moves on the node's own plan, not on a copy of it."""

    def worth(self, leaf: Node, rest: list[int]) -> float:
        leaf.plan += rest
        return points(leaf.plan[:DEPTH])


def findings(search: Planner, seed_of: str, **told: Any) -> list[mv.Finding]:
    known: dict[str, Any] = {"players": ("planner",), "value_range": (0, 1)}
    with mv.record(
        root=search.root, children="children", visits="visits", value="total", **{**known, **told}
    ) as rec:
        for _ in rec.steps(search.step, 900):
            pass
    return [one for one in rec.trace.check() if one.check == seed_of]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_cost_that_is_sought_is_told_in_words_of_one_player(seed: int) -> None:
    (one,) = findings(Costly(seed), "selection-wrong-view")
    assert one.severity == "note"
    assert "the child with the lowest mean value is preferred" in one.message
    assert "the greatest cost is chosen" in one.message
    assert "opponent" not in one.message
    assert not findings(Planner(seed), "selection-wrong-view")


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_search_by_a_rule_of_its_own_that_prefers_the_worst_is_a_note(seed: int) -> None:
    (one,) = findings(Swapped(seed), "selection-wrong-view", selection="thompson")
    assert one.severity == "note"
    assert "successes and failures of a distribution are swapped" in one.message
    assert not findings(Thompson(seed), "selection-wrong-view", selection="thompson")


def ended(node: Node) -> float | None:
    return points(node.plan) if node.is_over else None


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_finished_plans_that_add_nothing_are_a_warning(seed: int) -> None:
    told: dict[str, Any] = {"outcome": ended, "reward_range": (0, 1)}
    (one,) = findings(PlayoutAlone(seed), "simulation-terminal", **told)
    assert one.severity == "warning"
    assert "what was collected on the way to the leaf" in one.message
    assert not findings(Planner(seed), "simulation-terminal", **told)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_playout_on_the_nodes_own_position_is_a_warning(seed: int) -> None:
    told = {"state": lambda node: " ".join(map(str, node.plan[:DEPTH]))}
    (one,) = findings(OwnPosition(seed), "expansion-state-changes", **told)
    assert one.severity == "warning"
    assert "the playout is played on the node's own position" in one.message
    assert not findings(Planner(seed), "expansion-state-changes", **told)
