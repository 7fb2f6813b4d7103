"""`sensitivity` of a search with functions of the user's own, of which a trace has but the names."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

import mcts_viz as mv


def middle(state: object, legal: Sequence[int]) -> int:
    return legal[len(legal) // 2]


def even(state: object, legal: Sequence[int]) -> tuple[list[float], float]:
    return [1 / len(legal)] * len(legal), 0.25


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_rollout_policy_of_ones_own_is_used(jobs: int) -> None:
    found = mv.sensitivity(
        "tic_tac_toe", simulation=middle, c=[1.0], seeds=[1, 2], iterations=60, jobs=jobs
    )
    moves = [
        mv.search("tic_tac_toe", simulation=middle, c=1.0, seed=seed, iterations=60)
        .at(60)
        .best_action
        for seed in (1, 2)
    ]
    assert found.chosen.ravel().tolist() == moves
    trace = mv.search("tic_tac_toe", simulation=middle, c=1.0, iterations=60)
    again = mv.sensitivity(trace, simulation=middle, c=[1.0], seeds=[1, 2], jobs=jobs)
    assert again.chosen.ravel().tolist() == moves


def test_so_is_an_evaluator() -> None:
    found = mv.sensitivity(
        "tic_tac_toe", "alphazero", evaluator=even, c=[1.0], seeds=1, iterations=20
    )
    assert found.chosen.size == 1


def test_a_trace_alone_does_not_know_the_function() -> None:
    trace = mv.search("tic_tac_toe", simulation=middle, iterations=20)
    with pytest.raises(mv.errors.SearchError, match="give it again, simulation=middle"):
        mv.sensitivity(trace, seeds=1)
