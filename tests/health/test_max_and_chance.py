"""Max back-ups beside nodes of chance (MaxUCT): the best action's value where the agent decides, the mean of the
outcomes where chance does."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest

import mcts_viz as mv

LENGTH, GOAL = 8, 3


class Node:
    """A place on a line, or an action there, whose outcome chance decides."""

    def __init__(self, place: int, left: int, move: int | None = None) -> None:
        self.place, self.left, self.move, self.is_chance = place, left, move, move is not None
        self.children: list[Node] = []
        self.N, self.V = 0, -float(min(left, abs(place - GOAL)))
        self.chance = 1.0

    @property
    def action(self) -> int:
        return self.place if self.move is None else self.move


class MaxUct:
    """Each step costs 1; three times of four an action goes where it is meant to."""

    def __init__(self, seed: int) -> None:
        self.random, self.root = random.Random(seed), Node(0, LENGTH)

    def step(self) -> None:
        self.decide(self.root)

    def decide(self, node: Node) -> None:
        node.N += 1
        if node.place == GOAL or not node.left:
            node.V = 0.0
            return
        if node.N == 1 and node is not self.root:
            return
        if not node.children:
            node.children = [Node(node.place, node.left, move) for move in (-1, 0, 1)]
        new = [child for child in node.children if not child.N]
        self.act(new[0] if new else max(node.children, key=lambda one: self.score(node, one)))
        node.V = self.decided([child for child in node.children if child.N])

    def score(self, node: Node, child: Node) -> float:
        return child.V + 3.0 * math.sqrt(math.log(node.N) / child.N)

    def act(self, node: Node) -> None:
        node.N += 1
        assert node.move is not None
        goes = self.random.random() < 0.75
        place = node.place + (node.move if goes else -node.move)
        after = [child for child in node.children if child.place == place]
        if not after:
            after = [Node(place, node.left - 1)]
            after[0].chance = 1.0 if not node.move else 0.75 if goes else 0.25
            node.children += after
        self.decide(after[0])
        node.V = self.by_chance(node)

    def decided(self, actions: list[Node]) -> float:
        return max(child.V for child in actions)

    def by_chance(self, node: Node) -> float:
        return sum(child.N * (child.V - 1.0) for child in node.children) / node.N


class ByProbabilities(MaxUct):
    def by_chance(self, node: Node) -> float:
        seen = sum(child.chance for child in node.children)
        return sum(child.chance * (child.V - 1.0) for child in node.children) / seen


class Hopes(MaxUct):
    """A mistake: the best outcome is taken at nodes of chance, too."""

    def by_chance(self, node: Node) -> float:
        return max(child.V - 1.0 for child in node.children)


class Averages(MaxUct):
    """Not what is declared: means at decisions."""

    def decided(self, actions: list[Node]) -> float:
        return sum(child.N * child.V for child in actions) / sum(child.N for child in actions)


class HeuristicVisits(ByProbabilities):
    """Actions are made with a place, evaluated by a heuristic, and begin with the visit of that (DP-UCT of PROST)."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.open(self.root)

    def open(self, node: Node) -> None:
        node.N = 1
        if node.place != GOAL and node.left:
            node.children = [Node(node.place, node.left, move) for move in (-1, 0, 1)]
            for number, child in enumerate(node.children):
                child.N, child.V = 1, child.V - 0.1 * number
            node.V = self.decided(node.children)

    def decide(self, node: Node) -> None:
        if not node.N:
            self.open(node)
        elif node.children:
            node.N += 1
            self.act(max(node.children, key=lambda one: self.score(node, one)))
            node.V = self.decided(node.children)
        else:
            node.N += 1


def findings(kind: type[MaxUct], rewards: bool, **told: Any) -> list[mv.Finding]:
    search = kind(1)
    if rewards:  # told at the outcomes alone: an action by itself brings none
        told["reward"] = lambda node: None if node.is_chance or node is search.root else -1.0
    watched = mv.record(
        None, root=search.root, children="children", visits="N", value="V", value_kind="mean", action="action",
        chance="is_chance", players=("agent",), step_rewards=True, value_range=(-LENGTH, 0), **told,
    )  # fmt: skip
    with watched as recording:
        for _ in recording.steps(search.step, 600):
            pass
    return recording.trace.check()


@pytest.mark.parametrize("kind", [MaxUct, ByProbabilities])
@pytest.mark.parametrize("told", [{"backup": "max"}, {}], ids=["declared", "not told"])
def test_max_where_the_agent_decides_and_means_where_chance_does_are_right(
    kind: type[MaxUct], told: dict[str, Any]
) -> None:
    found = findings(kind, True, **told)
    assert [str(one) for one in found if one.severity != "note"] == []
    (backup,) = (one for one in found if one.check == "value-backup")
    assert "best child (max back-up), where a player chooses" in backup.message


def test_actions_that_begin_with_a_visit_are_no_reused_tree() -> None:
    found = findings(HeuristicVisits, False, backup="max")
    assert [str(one) for one in found if one.severity != "note"] == []
    assert "visits-off-path" in [one.check for one in found]


@pytest.mark.parametrize("told", [{"backup": "max"}, {}], ids=["declared", "not told"])
def test_the_best_outcome_of_chance_is_an_error(told: dict[str, Any]) -> None:
    (found,) = (one for one in findings(Hopes, True, **told) if one.severity != "note")
    assert found.check == "value-not-best"
    assert "at nodes of chance, too, the value is that of the best outcome" in found.message


def test_means_where_a_maximum_is_declared_are_an_error() -> None:
    found = findings(Averages, True, backup="max")
    assert "value-not-best" in [one.check for one in found if one.severity == "error"]
