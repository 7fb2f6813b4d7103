import math

import pytest

from mcts_viz.games import game
from mcts_viz.games.tic_tac_toe import LINES
from tests.games.boards import ascii_board, drawn, tic_tac_toe_state

GAME = game("tic_tac_toe")


def outcome(text: str) -> float:
    return GAME.rules.outcome(tic_tac_toe_state(text))


def test_there_are_three_rows_three_columns_and_two_diagonals() -> None:
    assert len({tuple(sorted(line)) for line in LINES}) == 8


@pytest.mark.parametrize("line", LINES)
def test_every_line_wins_for_the_player_who_has_just_completed_it(line: tuple[int, ...]) -> None:
    others = [cell for cell in range(9) if cell not in line]
    for loser_cells in ((others[0], others[1]), (others[2], others[5])):
        first = [line[0], loser_cells[0], line[1], loser_cells[1], line[2]]
        state, _ = GAME.position(first)
        assert GAME.rules.outcome(state) == 1.0  # player 0 wins
        assert list(GAME.board(first).line) == sorted(line)
    spare = next(
        cells
        for cells in ((others[0], others[1], others[3]), (others[0], others[2], others[5]))
        if tuple(sorted(cells)) not in LINES
    )
    second = [spare[0], line[0], spare[1], line[1], spare[2], line[2]]
    state, _ = GAME.position(second)
    assert GAME.rules.outcome(state) == -1.0  # player 1 wins
    assert GAME.legal(state) == []


def test_a_full_board_without_a_line_is_a_draw() -> None:
    board = """
        XOX
        XOO
        OXX
    """
    assert outcome(board) == 0.0
    assert GAME.legal(tic_tac_toe_state(board)) == []


def test_a_line_on_the_last_move_wins_rather_than_draws() -> None:
    assert (
        outcome("""
        XXX
        OOX
        XOO
    """)
        == 1.0
    )


def test_no_line_wraps_into_the_next_row() -> None:
    board = """
        .XX
        XO.
        O..
    """
    assert math.isnan(outcome(board))


def test_an_action_is_a_cell_row_by_row_from_the_top() -> None:
    assert drawn(GAME, [0, 4, 2, 1, 7]) == ascii_board("""
        XOX
        .O.
        .X.
    """)
    assert GAME.legal(GAME.position([0, 4, 2, 1, 7])[0]) == [3, 5, 6, 8]


def test_moves_are_named_as_in_chess() -> None:
    assert GAME.action_labels == ("a3", "b3", "c3", "a2", "b2", "c2", "a1", "b1", "c1")
    assert GAME.position(["a3", "B2", " c1 ", "1"])[1] == [0, 4, 8, 1]


def test_the_board_marks_the_last_move_and_the_winning_line() -> None:
    board = GAME.board([0, 3, 1, 4, 2])
    assert (board.rows, board.columns, board.last, list(board.line)) == (3, 3, 2, [0, 1, 2])
    assert GAME.board([]).last is None
    assert list(GAME.board([0, 3, 1, 4]).line) == []


def test_two_lines_completed_at_once_are_both_marked() -> None:
    #  XXX   the corner completes the top row and the left column
    #  XOO
    #  XOO
    board = GAME.board([1, 4, 2, 5, 3, 7, 6, 8, 0])
    assert list(board.line) == [0, 1, 2, 3, 6]
