import math

import numpy as np
import pytest

from mcts_viz.games import game
from mcts_viz.games.mnk import HEADER
from tests.games.boards import ascii_board, drawn

SIZES = [(3, 3, 3), (5, 4, 3), (4, 5, 4), (7, 3, 3), (15, 15, 5), (3, 1, 2)]


def test_three_in_a_row_on_three_by_three_is_tic_tac_toe() -> None:
    mine, known = game("mnk:3,3,3"), game("tic_tac_toe")
    choose = np.random.default_rng(3)
    assert mine.action_labels == known.action_labels
    for _ in range(200):
        actions: list[int] = []
        while legal := known.legal(known.position(actions)[0]):
            assert mine.legal(mine.position(actions)[0]) == legal
            actions.append(int(choose.choice(legal)))
        assert mine.rules.outcome(mine.position(actions)[0]) == known.rules.outcome(
            known.position(actions)[0]
        )
        assert mine.board(actions) == known.board(actions)


@pytest.mark.parametrize("size", SIZES)
def test_every_line_of_k_wins_and_no_line_of_k_less_one(size: tuple[int, int, int]) -> None:
    m, n, k = size
    played = game(f"mnk:{m},{n},{k}")
    for row in range(n):
        for column in range(m):
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                line = [(row + i * down, column + i * right) for i in range(k)]
                if not all(0 <= r < n and 0 <= c < m for r, c in line):
                    continue
                for last in range(k):  # whichever of the cells comes last
                    state = played.start_state()
                    for i, (r, c) in enumerate(line):
                        if i != last:
                            state[m * n + HEADER + (r + 2) * (m + 1) + 2 + c] = 1
                    assert math.isnan(played.rules.outcome(state))
                    played.rules.play(state, line[last][0] * m + line[last][1])
                    assert played.rules.outcome(state) == 1.0, (line, last)


def test_a_line_does_not_wrap_round_the_edge() -> None:
    played = game("mnk:4,4,3")
    state, _ = played.position(["c4", "a1", "d4", "b1", "a3"])
    assert math.isnan(played.rules.outcome(state))


def test_a_draw_is_a_full_board_without_a_line() -> None:
    played = game("mnk:3,2,3")
    state, _ = played.position(["a2", "b2", "c2", "a1", "b1", "c1"])
    assert played.rules.outcome(state) == 0.0
    assert played.legal(state) == []


def test_more_than_k_in_a_row_wins_as_well_and_all_of_it_is_marked() -> None:
    played = game("mnk:6,2,3")
    moves = ["a2", "a1", "b2", "c1", "d2", "d1", "e2", "f1", "c2"]
    state, actions = played.position(moves)
    assert drawn(played, actions) == ascii_board("""
        XXXXX.
        O.OO.O
    """)
    assert played.rules.outcome(state) == 1.0
    board = played.board(actions)
    assert list(board.line) == [0, 1, 2, 3, 4]
    assert (board.last, board.style) == (2, "grid")


def test_columns_are_lettered_and_rows_numbered_from_the_bottom() -> None:
    played = game("mnk:15,15,5")
    assert [played.action_labels[a] for a in (0, 14, 210, 224)] == ["a15", "o15", "a1", "o1"]
    assert dict(played.parameters) == {"m": 15, "n": 15, "k": 5}
    assert played.title == "5 in a row on 15×15"
