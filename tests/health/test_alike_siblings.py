"""Evaluations of the parent in place of the new leaf: all children of a node get the same."""

from __future__ import annotations

import math
import zlib
from typing import Any

import pytest

from tests.health.unusual import PRIORS, Alone, Judge, Node, Puct, Rules, Search, Walk, watched

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


@pytest.mark.parametrize("game", ["tic_tac_toe", "connect_four"])
@pytest.mark.parametrize("told", [{}, {"game": None, "start": None}])
def test_evaluations_of_the_parent_are_found(game: str, told: dict[str, Any]) -> None:
    assert checks(OfParent(Rules(game, [0, 4]), 1), **PRIORS, **told) == [CHECK]


def test_so_are_those_of_an_agents_judge() -> None:
    assert checks(JudgeOfParent(Walk(), 1)) == [CHECK]


@pytest.mark.parametrize("kind", [Puct, Judge])
def test_those_of_the_leaf_are_not_taken_for_them(kind: type[Puct]) -> None:
    assert checks(kind(Rules("connect_four", [0, 4]), 1), **PRIORS) == []


@pytest.mark.parametrize("kind", [OfDepth, Alone])
def test_nor_are_other_scores(kind: type[Alone]) -> None:
    assert checks(kind(Walk(), 1)) == []
