"""A move of a random simulation, drawn without a list of the legal ones."""

import math

import numpy as np
import pytest

from mcts_viz.games import game
from mcts_viz.games.rules import draw_from_list
from tests.games.test_mnk import SIZES

GAMES = [
    "tic_tac_toe", "connect_four", "connect_four:4,5", "connect_four:8,6",
    "sudo_tic_tac_toe", "ultimate_tic_tac_toe", *(f"mnk:{m},{n},{k}" for m, n, k in SIZES),
]  # fmt: skip


@pytest.mark.parametrize("name", GAMES)
def test_it_is_the_one_drawn_from_the_list(name: str) -> None:
    played, choose = game(name), np.random.default_rng(5)
    rules, buffer = played.rules, [0] * played.n_actions
    assert rules.draw is not None
    for _ in range(3):
        state = played.start_state()
        while math.isnan(rules.outcome(state)):
            legal = rules.legal_actions(state, buffer)
            shares = np.append(np.arange(legal) / legal, choose.random(5))
            for share in [float(np.nextafter(1.0, 0.0)), *shares.tolist()]:
                before = list(state)
                from_list = draw_from_list(state, share, buffer, rules.legal_actions)
                drawn = rules.draw(state, share, buffer, rules.legal_actions)
                assert (drawn, type(drawn), state) == (from_list, int, before)
            rules.play(state, from_list)


def test_a_board_with_more_columns_than_a_column_has_bits_draws_from_the_list() -> None:
    assert game("connect_four:4,12").rules.draw is None
