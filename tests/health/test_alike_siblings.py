"""Evaluations of the parent in place of the new leaf: all children of a node get the same."""

from __future__ import annotations

import math
import zlib
from typing import Any

import pytest

from tests.health.unusual import (
    PRIORS,
    Alone,
    EveryChildEvaluated,
    Judge,
    Node,
    Puct,
    Rewarded,
    Rules,
    Search,
    Walk,
    watched,
)
from tests.variants import few

CHECK = "simulation-from-parent"


class OfParent(Puct):
    """The network is asked about the state of the node that was selected."""

    def evaluate(self, leaf: Node) -> float:
        if leaf.outcome is not None or leaf.parent is None:
            return super().evaluate(leaf)
        return super().evaluate(leaf.parent)


class JudgeOfParent(Alone):
    """An agent's judge reads the text of the parent."""

    def evaluate(self, leaf: Node) -> float:
        path = str((leaf.parent or leaf).state).encode()
        return (1 + math.sin(len(path) + zlib.crc32(path) % 97)) / 2


class OfDepth(Alone):
    """A score that the depth alone decides is no mistake."""

    def evaluate(self, leaf: Node) -> float:
        depth = 0
        while leaf.parent is not None:
            leaf, depth = leaf.parent, depth + 1
        return 1 / (1 + depth)


def checks(search: Search, **told: Any) -> list[str]:
    return [one.check for one in watched(search, 600, **told).check() if one.severity != "note"]


@pytest.mark.parametrize("game", few(["tic_tac_toe", "connect_four"]))
@pytest.mark.parametrize("told", [{}, {"game": None, "start": None}])
def test_evaluations_of_the_parent_are_found(game: str, told: dict[str, Any]) -> None:
    assert checks(OfParent(Rules(game, [0, 4]), 1), **PRIORS, **told) == [CHECK]


def test_so_are_those_of_an_agents_judge() -> None:
    assert checks(JudgeOfParent(Walk(), 1)) == [CHECK]


@pytest.mark.parametrize("kind", [Puct, Judge])
def test_those_of_the_leaf_are_not_taken_for_them(kind: type[Puct]) -> None:
    assert checks(kind(Rules("tic_tac_toe", [0, 4]), 1), **PRIORS) == []


@pytest.mark.parametrize("kind", [OfDepth, Alone])
def test_nor_are_other_scores(kind: type[Alone]) -> None:
    assert checks(kind(Walk(), 1)) == []


def judged(state: object) -> float:
    text = str(state).encode()
    return (1 + math.sin(len(text) + zlib.crc32(text) % 97)) / 2


class Thoughts(Walk):
    """Two steps of eight proposals each, and an answer."""

    name = "thoughts"
    first = ()

    def moves(self, state: Any) -> list[int]:
        return list(range(8 if len(state) < 2 else 3)) if len(state) < 3 else []

    def play(self, state: Any, move: int) -> Any:
        return (*state, move)

    def outcome(self, state: Any) -> float | None:
        return None if len(state) < 3 else float(sum(state) % 2)


class JudgedThoughts(Alone):
    of_parent = False

    def evaluate(self, leaf: Node) -> float:
        if leaf.outcome is not None:
            return leaf.outcome
        asked = leaf.parent if self.of_parent and leaf.parent is not None else leaf
        return judged(asked.state)


class ThoughtsOfParent(JudgedThoughts):
    of_parent = True


@pytest.mark.parametrize("kind", [JudgedThoughts, ThoughtsOfParent])
def test_a_few_large_families_are_enough(kind: type[JudgedThoughts]) -> None:
    found = checks(kind(Thoughts(), 1), outcome="outcome", selection="ucb1", c=1.4)
    assert found == [CHECK] * kind.of_parent


class Paid(Rewarded):
    """Each move brings a reward of its own, and a judge says what is still to come."""

    c = 8.0
    of_parent = False

    def add(self, node: Node, move: int) -> Node:
        child = super().add(node, move)
        child.reward = judged((child.state, "reward"))
        return child

    def evaluate(self, leaf: Node) -> float:
        return judged((leaf.parent if self.of_parent and leaf.parent else leaf).state)


class PaidOfParent(Paid):
    of_parent = True


class Beside(Paid):
    """The reward stands beside the node's value."""

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        value = outcome
        for node in reversed(path):
            node.N += 1
            node.W += value
            value = node.reward + self.gamma * value

    def score(self, node: Node, child: Node) -> float:
        q = child.reward + (self.gamma - 1) * child.Q
        return q + super().score(node, child)


class BesideOfParent(Beside):
    of_parent = True


@pytest.mark.parametrize("kind", [Paid, PaidOfParent, Beside, BesideOfParent])
@pytest.mark.parametrize("top", [8.0, 1.5], ids=["range right", "range too narrow"])
def test_rewards_of_moves_are_told_from_what_is_to_come(kind: type[Paid], top: float) -> None:
    told = {"reward": "reward", "discount": 0.9, "value_range": (-0.5, top)}
    found = checks(kind(Walk(), 1), step_rewards=True, **told)
    assert (CHECK in found) == kind.of_parent
    assert set(found) <= {CHECK, "value-out-of-range"}
    assert ("value-out-of-range" in found) == (top < 2)


class AllJudged(EveryChildEvaluated):
    """All children of a leaf are judged in the iteration that makes them."""

    def evaluate(self, leaf: Node) -> float:
        return leaf.outcome if leaf.outcome is not None else 2 * judged(leaf.state) - 1


class AllJudgedAsParent(AllJudged):
    def evaluate(self, leaf: Node) -> float:
        if leaf.outcome is not None or leaf.parent is None:
            return super().evaluate(leaf)
        return super().evaluate(leaf.parent)


@pytest.mark.parametrize("told", [{}, {"game": None, "start": None}])
@pytest.mark.parametrize("kind", [AllJudged, AllJudgedAsParent])
def test_children_that_are_judged_at_once_are_looked_at_as_well(
    kind: type[AllJudged], told: dict[str, Any]
) -> None:
    found = checks(kind(Rules("tic_tac_toe", [0, 4]), 1), **told)
    assert found == [CHECK] * (kind is AllJudgedAsParent)


class HandedDown(JudgeOfParent):
    """The root's children are judged; all below them have the value that their parent began with."""

    def evaluate(self, leaf: Node) -> float:
        while leaf.parent is not None and leaf.parent.parent is not None:
            leaf = leaf.parent
        return judged((leaf.state, leaf.move))


class Wide(Walk):
    def moves(self, state: Any) -> list[int]:
        return list(range(6)) if state[0] < 10 else []


def test_a_value_that_is_handed_down_is_that_of_the_parent() -> None:
    (one,) = [each for each in watched(HandedDown(Wide(), 1), 900).check() if each.check == CHECK]
    assert "the value that the parent began with" in one.message
    (other,) = [
        each for each in watched(JudgeOfParent(Walk(), 1), 600).check() if each.check == CHECK
    ]
    assert "the value that the parent began with" not in other.message
