"""Evaluations of the parent in place of the new leaf, in a tree of a few dozen nodes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.health.test_alike_siblings import judged
from tests.health.unusual import Alone, Node, Walk, watched

CHECK = "simulation-from-parent"


class Short(Walk):
    """Four moves, then three, then two."""

    name = "short"
    first = ()

    def moves(self, state: Any) -> list[int]:
        return list(range(4 - len(state))) if len(state) < 3 else []

    def play(self, state: Any, move: int) -> Any:
        return (*state, move)

    def outcome(self, state: Any) -> float | None:
        return None


class OfLeaf(Alone):
    c = 3.0

    def evaluate(self, leaf: Node) -> float:
        return judged(self.evaluated(leaf).state)

    def evaluated(self, leaf: Node) -> Node:
        return leaf


class OfParent(OfLeaf):
    """The state is that of before the expansion; a leaf that is found again is itself what is evaluated."""

    def evaluated(self, leaf: Node) -> Node:
        return leaf if leaf.N or leaf.parent is None else leaf.parent


class ButEnds(OfParent):
    """Ends are evaluated at each visit."""

    def evaluated(self, leaf: Node) -> Node:
        return leaf if len(leaf.state) == 3 else super().evaluated(leaf)


class OfDepth(OfLeaf):
    """Ends are worth what they are, and all others what their depth says."""

    def evaluate(self, leaf: Node) -> float:
        return judged(leaf.state if len(leaf.state) == 3 else len(leaf.state))


class Coarse(OfLeaf):
    """Hardly any move changes a value."""

    def evaluate(self, leaf: Node) -> float:
        return judged(tuple(move for move in leaf.state if move == 2))


@pytest.mark.parametrize(
    ("kind", "severities"),
    [(OfParent, ["warning"]), (ButEnds, ["note"]), (OfLeaf, []), (OfDepth, []), (Coarse, [])],
)
def test_siblings_that_begin_alike_are_noticed_in_a_small_tree(
    kind: type[OfLeaf], severities: list[str]
) -> None:
    trace = watched(kind(Short(), 1), 400)
    assert trace.n_nodes == 41
    found = [one for one in trace.check() if one.check == CHECK]
    assert [one.severity for one in found] == severities
    assert all("the parent, not the new leaf" in one.message for one in found)
