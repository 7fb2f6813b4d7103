"""Simulations that start from the state of the parent are told from those that start at their leaf."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import mcts_viz as mv
from tests.health.faulty import FromParent, OtherBegins
from tests.health.unusual import (
    PRIORS,
    ByPosition,
    FourRollouts,
    Heuristic,
    Judge,
    Node,
    Rules,
    Search,
    watched,
)
from tests.variants import few

CHECK = "simulation-from-parent"


class EndsRight(Search):
    """The same, but a finished game counts as what it is."""

    def evaluate(self, leaf: Node) -> float:
        if leaf.outcome is not None:
            return leaf.outcome
        return self.rollout((leaf.parent or leaf).state)


def checks(kind: type[Search], seed: int = 1, start: Any = (4, 0), **told: Any) -> list[str]:
    trace = watched(kind(Rules("tic_tac_toe", list(start)), seed), 1_000, **told)
    return [one.check for one in trace.check() if one.severity != "note"]


@pytest.mark.parametrize("seed", few(range(1, 4)))
@pytest.mark.parametrize("outcomes", few([False, True]))
def test_simulations_of_the_parents_state_are_found(seed: int, outcomes: bool) -> None:
    assert checks(FromParent, seed, outcomes=outcomes) in (
        [CHECK],
        ["simulation-terminal", CHECK],
        [CHECK, "simulation-terminal"],
    )
    assert checks(EndsRight, seed, outcomes=outcomes) == [CHECK]


def _of(kind: type[Search], **told: Any) -> Callable[[int], list[str]]:
    return lambda seed: checks(kind, seed, **told)


@pytest.mark.parametrize("seed", few(range(1, 4)))
@pytest.mark.parametrize(
    "found",
    [
        _of(Search),
        _of(Search, start=()),
        _of(FourRollouts),
        _of(Heuristic),
        _of(ByPosition),
        _of(Judge, **PRIORS),
    ],
)
def test_those_of_the_leaf_are_not_taken_for_them(
    found: Callable[[int], list[str]], seed: int
) -> None:
    assert found(seed) == []


def test_the_message_names_both_weights() -> None:
    trace: mv.Trace = watched(EndsRight(Rules("tic_tac_toe", [4, 0]), 2), 1_000)
    (one,) = (each for each in trace.check() if each.check == CHECK)
    assert "from the state of the parent" in one.message
    assert one.evidence["parent"] > 0.6 > 0.4 > one.evidence["leaf"]


def test_simulations_of_the_root_show_at_finished_games() -> None:
    class FromRoot(Search):
        def evaluate(self, leaf: Node) -> float:
            return self.rollout(self.root.state)

    findings = watched(FromRoot(Rules("tic_tac_toe", [4, 0]), 1), 1_000).check()
    (one,) = (each for each in findings if each.check == "simulation-terminal")
    assert "rollouts seem to start elsewhere" in one.message


def test_the_wrong_first_player_is_not_taken_for_the_parents_state() -> None:
    findings = watched(OtherBegins(Rules("tic_tac_toe", [0, 4]), 1), 1_000).check()
    assert [one.check for one in findings if one.severity != "note"] == ["simulation-first-move"]
