"""The searches play well: what theory says of the two games."""

import math
from typing import Any

import numpy as np
import pytest

import mcts_viz as mv
from mcts_viz.engine.search import run
from mcts_viz.formulas.final_move import most_visits, ranking
from mcts_viz.games import game
from tests.searches import prepare, tree_columns


def best_action(name: str, **options: Any) -> int:
    """The move that an unrecorded search would play."""
    tree = tree_columns(run(prepare(name, compile=True, **options)))
    children = np.flatnonzero(tree["parent"] == 0)
    best = ranking(most_visits, tree["visits"][children], tree["value_sum"][children], 1.0)[0]
    return int(tree["action"][children[best]])


def test_tic_tac_toe_self_play_is_a_draw_for_fifty_seeds() -> None:
    rules = game("tic_tac_toe")
    for seed in range(50):
        moves: list[int] = []
        while math.isnan(result := rules.rules.outcome(rules.position(moves)[0])):
            moves.append(best_action("tic_tac_toe", iterations=20_000, seed=seed, start=moves))
        assert result == 0.0, f"seed {seed}: {moves}"


@pytest.mark.parametrize("seed", range(10))
def test_connect_four_opens_in_the_centre_column(seed: int) -> None:
    trace = mv.search("connect_four", iterations=20_000, seed=seed, rollouts=False, compile=True)
    assert (trace.best_action, trace.best_action_name) == (3, "column 4")
    assert best_action("connect_four", iterations=20_000, seed=seed) == 3


@pytest.mark.parametrize("compiled", [True, False])
def test_a_win_in_one_is_played(compiled: bool) -> None:
    #  XX.   player 0 to move
    #  OO.
    #  ...
    trace = mv.search("tic_tac_toe", seed=1, start=[0, 3, 1, 4], compile=compiled)
    assert trace.best_action_name == "c3"


@pytest.mark.parametrize("compiled", [True, False])
def test_a_loss_in_two_is_averted(compiled: bool) -> None:
    #  XX.   player 1 to move
    #  O..
    #  ...
    trace = mv.search("tic_tac_toe", seed=1, start=[0, 3, 1], compile=compiled)
    assert trace.best_action_name == "c3"


def test_the_plan_of_a_search_is_checked_before_it_runs() -> None:
    plan = prepare("connect_four", start=["column 4", 3], seed=1)
    assert plan.start == (3, 3)
