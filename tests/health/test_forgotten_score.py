"""Rollouts that count only what comes after their leaf."""

from __future__ import annotations

from typing import Any

import pytest

import mcts_viz as mv
from tests.health.unusual import Alone, Search, watched


class Harvest:
    """One player: six trees, each of which is picked (its apples, by how early it is), shaken or left. A state is the
    trees done and the apples in the basket."""

    first: Any = (0, 0)
    trees = 6

    def moves(self, state: Any) -> list[int]:
        return [] if state[0] == self.trees else [0, 1, 2]

    def play(self, state: Any, move: int) -> Any:
        done, apples = state
        return done + 1, apples + (0, 2, 5)[move] * (done % 3 + 1)

    def player(self, state: Any) -> int:
        return 0

    def outcome(self, state: Any) -> float | None:
        return None if state[0] < self.trees else self.worth(state[1])

    def worth(self, apples: int) -> float:
        return apples / 60


class WithCosts(Harvest):
    """Apples are what is spent."""

    def worth(self, apples: int) -> float:
        return -apples / 60


class WithThieves(Harvest):
    """Where a tree is left, half of the basket is gone."""

    def play(self, state: Any, move: int) -> Any:
        done, apples = super().play(state, move)
        return done, apples // 2 if move == 0 else apples


class OfWhatComes(Alone):
    def evaluate(self, leaf: Any) -> float:
        if leaf.outcome is not None:
            return leaf.outcome
        return super().rollout((leaf.state[0], 0))


def told(kind: type[Search], rules: Harvest, **other: Any) -> list[mv.Finding]:
    span = (-1.0, 0.0) if isinstance(rules, WithCosts) else (0.0, 1.0)
    given: dict[str, Any] = {
        "state": lambda node: f"tree {node.state[0]}, basket {node.state[1]}",
        "outcome": "outcome", "value_range": span, "reward_range": span,
    }  # fmt: skip
    trace = watched(kind(rules, 1), 1_200, **(given | other))
    return [one for one in trace.check() if one.severity != "note"]


@pytest.mark.parametrize("rules", [Harvest(), WithCosts()])
def test_what_a_rollout_leaves_out_is_named_by_the_number_in_the_position(rules: Harvest) -> None:
    (one,) = told(OfWhatComes, rules)
    assert one.check == "simulation-outcome"
    assert one.severity == "warning"
    assert "leaves out what was collected before" in one.message
    assert "the number after “basket”" in one.message
    assert "the sum of a rollout begins with 0" in one.message
    assert one.evidence["times"] >= 0.5 * one.evidence["looked_at"]


@pytest.mark.parametrize("rules", [Harvest(), WithCosts(), WithThieves()])
def test_rollouts_that_count_all_are_right(rules: Harvest) -> None:
    assert told(Alone, rules) == []


def test_where_something_may_be_lost_again_nothing_is_said() -> None:
    assert told(OfWhatComes, WithThieves()) == []


def test_without_positions_nothing_is_said() -> None:
    assert told(OfWhatComes, Harvest(), state=None) == []
