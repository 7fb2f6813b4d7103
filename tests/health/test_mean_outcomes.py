"""Means of several rollouts are tested as means: fair ones pass, and those of one side that plays well are told."""

import random

import pytest

import mcts_viz as mv
from mcts_viz.games import game
from tests.variants import few


def found(trace: mv.Trace) -> list[str]:
    return [each.message for each in trace.check() if each.check == "simulation-not-random"]


@pytest.mark.parametrize("n_rollouts", [2, 5])
@pytest.mark.parametrize("seed", few([1, 2, 3]))
def test_means_of_random_rollouts_are_no_finding(n_rollouts: int, seed: int) -> None:
    trace = mv.search("connect_four", iterations=150, seed=seed, n_rollouts=n_rollouts)
    assert found(trace) == []


@pytest.mark.parametrize("n_rollouts", [2, 3])
def test_means_of_rollouts_in_which_one_side_plays_well_are_told(n_rollouts: int) -> None:
    rules, draw = game("tic_tac_toe").rules, random.Random(1)

    def wins_with_x(state: list[int], legal: list[int]) -> int:
        for action in legal if rules.to_move(state) == 0 else ():
            after = list(state)
            rules.play(after, action)
            if rules.outcome(after) == 1:
                return action
        return draw.choice(legal)

    trace = mv.search(
        "tic_tac_toe", iterations=200, seed=1, simulation=wins_with_x, n_rollouts=n_rollouts
    )
    (told,) = found(trace)
    assert told.startswith(f"the mean of {n_rollouts} rollouts a leaf is 0.")
    assert "in random play from the same positions" in told
