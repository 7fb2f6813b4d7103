"""Value sums in an array of integers, W[i] += v, where neither outcomes nor evaluations are told."""

from __future__ import annotations

import math
from typing import Any

import pytest

import mcts_viz as mv
from tests.health.unusual import Node, Rules, Search, Walk, watched
from tests.variants import each

START = [3, 3, 2, 2]
UNTOLD: dict[str, Any] = {"game": None, "start": None, "to_move": None}


class Evaluated(Search):
    """Leaves are evaluated in steps of 0.35, finished games count most; sums are kept as floats."""

    most = 3.0
    scale = 1.0

    def evaluate(self, leaf: Node) -> float:
        if leaf.outcome is not None:
            return self.most * leaf.outcome
        told = 0.35 * round(6 * math.sin(sum((i + 2) * x for i, x in enumerate(leaf.state))))
        return max(-self.most, min(self.most, told))

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        for node in path:
            node.N, node.W = node.N + 1, self.added(node.W, self.worth(node, outcome))

    def added(self, total: float, value: float) -> float:
        return total + value


class CutOff(Evaluated):
    def added(self, total: float, value: float) -> float:
        return float(int(total + value))


class RoundedDown(Evaluated):
    def added(self, total: float, value: float) -> float:
        return (total + value) // 1


class Small(CutOff):
    most = 1.0


class Rounded(Evaluated):
    """The evaluation itself has whole numbers."""

    def evaluate(self, leaf: Node) -> float:
        return float(round(super().evaluate(leaf)))


class CutOffAlone(CutOff):
    def worth(self, node: Node, outcome: float) -> float:
        return outcome


class RoundedAlone(Rounded):
    def worth(self, node: Node, outcome: float) -> float:
        return outcome


def wrong(kind: type[Evaluated], rules: Any = None, **told: Any) -> list[mv.Finding]:
    trace = watched(
        kind(rules or Rules("connect_four", START), 1), 1_500, value_range=(-kind.most, kind.most),
        policies={"simulation": {"name": "value"}}, **told,
    )  # fmt: skip
    return [one for one in trace.check() if one.severity != "note"]


@pytest.mark.parametrize(
    ("kind", "told"),
    each(2, [(CutOff, UNTOLD), (CutOff, {}), (Small, {}), (Small, UNTOLD), (RoundedDown, UNTOLD), (RoundedDown, {})]),
)  # fmt: skip
def test_sums_that_lose_fractions_are_named(kind: type[Evaluated], told: dict[str, Any]) -> None:
    (one,) = wrong(kind, **told)
    assert (one.check, one.severity) == ("value-fraction", "error")
    assert "array of integers" in one.message
    assert ("trunc(W + v)" in one.message) == (kind is not RoundedDown)


def test_so_it_is_of_one_player() -> None:
    (one,) = wrong(CutOffAlone, Walk())
    assert one.check == "value-fraction"
    assert wrong(RoundedAlone, Walk()) == []


@pytest.mark.parametrize(
    ("kind", "told"), each(2, [(Evaluated, UNTOLD), (Rounded, UNTOLD), (Evaluated, {}), (Rounded, {})])
)  # fmt: skip
def test_sums_of_floats_and_of_whole_evaluations_are_right(
    kind: type[Evaluated], told: dict[str, Any]
) -> None:
    assert wrong(kind, **told) == []
