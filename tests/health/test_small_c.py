"""PUCT with a small c, where the child taken first is never left: so it is where its visits are missing, too."""

from __future__ import annotations

import math

import pytest

import mcts_viz as mv
from tests.health.test_brackets import Hashed
from tests.health.unusual import Node, Rules, watched


class FirstPlayUrgency(Hashed):
    """Children without visits count as their parent less something."""

    c, less = 0.03, 0.5

    def score(self, node: Node, child: Node) -> float:
        if not self.brackets:
            return super().score(node, child)
        q = child.Q if child.N else -node.Q - self.less
        return q + self.c * child.P * math.sqrt(node.N) / (1 + child.N)


def found(search: Hashed, declared: float | None) -> dict[str, mv.Finding]:
    selection = None if declared is None else "puct"
    trace = watched(search, 300, prior="P", game=None, start=None, selection=selection, c=declared)
    return {one.check: one for one in trace.check() if one.check.startswith("selection-")}


@pytest.mark.parametrize("name", ["a", "b", "c"])
@pytest.mark.parametrize("declared", [None, 0.03])
def test_a_child_that_is_never_left_by_a_small_c_is_no_error(
    name: str, declared: float | None
) -> None:
    search = FirstPlayUrgency(Rules("tic_tac_toe", []), 1)
    search.name = name
    checks = found(search, declared)
    assert {one.severity for one in checks.values()} == {"note"}
    if "selection-no-visits" in checks:
        assert "Right where c is small: PUCT with c up to" in checks["selection-no-visits"].message


@pytest.mark.thorough
def test_a_declared_c_that_is_not_small_excuses_nothing() -> None:
    search = FirstPlayUrgency(Rules("tic_tac_toe", []), 1)
    search.brackets, search.c = False, 1.4
    (one,) = found(search, 1.4).values()
    assert (one.check, one.severity) == ("selection-no-visits", "error")
