"""PUCT whose exploration term is computed where a child is updated, and kept until it is visited again."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from tests.health.unusual import INFINITY, PRIORS, Node, Puct, Rules, Walk, watched
from tests.variants import few, in_turn

CHECK = "selection-stale-log"
# what a new child begins with, and how a finding says it
FIRST: dict[str, Callable[[float, float], float]] = {
    "begins with its prior alone": lambda c, prior: prior,
    "begins with c·P": lambda c, prior: c * prior,
    "each child": lambda c, prior: INFINITY,  # those without visits come first, as they should
}


class Kept(Puct):
    """As RocAlphaGo: `update` computes u."""

    c = 5.0
    early = False
    begins = staticmethod(FIRST["begins with its prior alone"])

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        super().backpropagate(path, outcome)
        for node, child in pairwise(path):
            N = node.N - 1 if self.early else node.N
            child.u = self.c * child.P * math.sqrt(N) / (1 + child.N)  # type: ignore[attr-defined]

    def score(self, node: Node, child: Node) -> float:
        if not child.N:
            return self.begins(self.c, child.P)
        return child.Q + child.u  # type: ignore[attr-defined,no-any-return]


class KeptCosts(Kept):
    """Of one player, whose values are below 0, where a new child begins with a term of 0."""

    c = 0.5
    begins = staticmethod(lambda c, prior: 0.0)

    def worth(self, node: Node, outcome: float) -> float:
        return (outcome - 3) / 4


class Fresh(Kept):
    """The same, with a term that is computed where it is compared."""

    def score(self, node: Node, child: Node) -> float:
        return Puct.score(self, node, child)


def messages(search: Puct, **told: Any) -> list[str]:
    told = PRIORS | {"game": None, "start": None} | told
    trace = watched(search, 500, **told)
    return [one.message for one in trace.check() if one.check == CHECK and one.severity == "error"]


@pytest.mark.thorough
@pytest.mark.parametrize(("begins", "early"), in_turn(FIRST, [False, True]))
@pytest.mark.parametrize("told", [{}, {"selection": "puct", "c": 5.0}])
def test_a_term_that_is_kept_since_the_last_visit_is_named(
    begins: str, early: bool, told: dict[str, Any]
) -> None:
    search = Kept(Rules("connect_four", [3, 3, 2, 2]), 1)
    search.begins, search.early = FIRST[begins], early  # type: ignore[assignment]
    (message,) = messages(search, **told)
    assert "PUCT's exploration term is kept in each child" in message
    assert begins in message
    assert ("before it counts the parent's visit" in message) == early


def test_so_is_one_that_begins_with_nothing() -> None:
    told = {"value_range": (-1.0, 0.0), "selection": "puct", "c": 0.5}
    (message,) = messages(KeptCosts(Walk(), 1), **told)
    assert "a new child begins with 0" in message


@pytest.mark.parametrize("kind", few([Fresh, Puct]))
@pytest.mark.parametrize("told", [{}, {"selection": "puct", "c": 5.0}])
def test_one_that_is_computed_at_each_choice_is_not(kind: type[Puct], told: dict[str, Any]) -> None:
    assert messages(kind(Rules("connect_four", [3, 3, 2, 2]), 1), **told) == []
