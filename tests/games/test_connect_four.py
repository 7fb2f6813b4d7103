import math

import numpy as np
import pytest

from mcts_viz.errors import GameError
from mcts_viz.games import game
from tests.games.boards import ascii_board, connect_four_state, drawn

GAME = game("connect_four")


def lines(rows: int, columns: int) -> list[list[tuple[int, int]]]:
    """Every four in a row, by brute force: (row from the top, column)."""
    found = []
    for row in range(rows):
        for column in range(columns):
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                cells = [(row + i * down, column + i * right) for i in range(4)]
                if all(0 <= r < rows and 0 <= c < columns for r, c in cells):
                    found.append(cells)
    return found


def state_with(cells: list[tuple[int, int]], player: int, rows: int, columns: int) -> list[int]:
    """Only these discs, floating perhaps, and so many moves that `player` has made the last one."""
    bits = sum(1 << (c * (rows + 1) + rows - 1 - r) for r, c in cells)
    return [bits, 0, 9] if player == 0 else [0, bits, 10]


SIZES = [(6, 7), (7, 7), (4, 4), (4, 12), (10, 5)]


@pytest.mark.parametrize(("rows", "columns"), SIZES)
def test_every_four_in_a_row_wins(rows: int, columns: int) -> None:
    rules = game(f"connect_four:{rows},{columns}").rules
    for cells in lines(rows, columns):
        assert rules.outcome(state_with(cells, 0, rows, columns)) == 1.0, cells
        assert rules.outcome(state_with(cells, 1, rows, columns)) == -1.0, cells


@pytest.mark.parametrize(("rows", "columns"), SIZES)
def test_three_in_a_row_and_a_stray_disc_never_win(rows: int, columns: int) -> None:
    rules = game(f"connect_four:{rows},{columns}").rules
    choose = np.random.default_rng(1)
    all_lines = [set(line) for line in lines(rows, columns)]
    for cells in lines(rows, columns):
        others = [(r, c) for r in range(rows) for c in range(columns) if (r, c) not in cells]
        three = [cells[i] for i in choose.permutation(4)[:3]]
        stray = others[choose.integers(len(others))]
        if {*three, stray} not in all_lines:
            assert math.isnan(rules.outcome(state_with([*three, stray], 0, rows, columns)))


@pytest.mark.parametrize(("rows", "columns"), SIZES)
def test_no_line_wraps_into_the_next_column(rows: int, columns: int) -> None:
    """Four neighbours in the order of the bits are a line only within one column."""
    rules = game(f"connect_four:{rows},{columns}").rules
    order = [(r, c) for c in range(columns) for r in range(rows - 1, -1, -1)]
    for first in range(len(order) - 3):
        cells = order[first : first + 4]
        won = not math.isnan(rules.outcome(state_with(cells, 0, rows, columns)))
        assert won == (len({c for _, c in cells}) == 1), cells
    sideways = [(r, c) for r in range(rows) for c in range(columns)]
    for first in range(len(sideways) - 3):
        cells = sideways[first : first + 4]
        won = not math.isnan(rules.outcome(state_with(cells, 0, rows, columns)))
        assert won == (len({r for r, _ in cells}) == 1), cells


def test_a_draw_is_a_full_board_without_a_line() -> None:
    state = connect_four_state("""
        OOXXOOX
        XXOOXXO
        OOXXOOX
        XXOOXXO
        OOXXOOX
        XXOOXXO
    """)
    assert state[2] == 42
    assert GAME.rules.outcome(state) == 0.0
    assert GAME.legal(state) == []


def test_a_full_column_takes_no_disc() -> None:
    state = connect_four_state("""
        O......
        X......
        O......
        X......
        O......
        X......
    """)
    assert GAME.legal(state) == [1, 2, 3, 4, 5, 6]
    _, actions = GAME.position([6] * 6)
    with pytest.raises(
        GameError, match=r"move 7 .*'column 7'.* is not legal.*column 1, .*column 6"
    ):
        GAME.position([*actions, "column 7"])


def test_the_topmost_disc_of_a_column_counts() -> None:
    state = connect_four_state("""
        XXXX...
        OOXO...
        XXOX...
        OOXO...
        XXOX...
        OOXO...
    """)
    state[2] = 23
    assert GAME.rules.outcome(state) == 1.0


def test_discs_fall_to_the_lowest_empty_cell() -> None:
    moves = [3, 3, 3, 0, 6, 6]
    board = ascii_board("""
        .......
        .......
        .......
        ...X...
        ...O..O
        O..X..X
    """)
    assert drawn(GAME, moves) == board
    assert GAME.position(moves)[0] == connect_four_state(board)


def test_the_board_marks_the_last_move_and_the_winning_line() -> None:
    board = GAME.board([0, 1, 1, 2, 2, 3, 2, 3, 4, 3, 3])
    assert board.last == 2 * 7 + 3
    assert list(board.line) == [2 * 7 + 3, 3 * 7 + 2, 4 * 7 + 1, 5 * 7 + 0]
    assert (board.rows, board.columns, board.style) == (6, 7, "discs")


@pytest.mark.parametrize("size", [(6, 7), (7, 7), (4, 5), (4, 12)])
def test_the_drawing_and_the_bits_agree_throughout_random_games(size: tuple[int, int]) -> None:
    played = game(f"connect_four:{size[0]},{size[1]}")
    choose = np.random.default_rng(2)
    for _ in range(20):
        state, actions = played.start_state(), list[int]()
        while legal := played.legal(state):
            actions.append(int(choose.choice(legal)))
            played.rules.play(state, actions[-1])
            assert connect_four_state(drawn(played, actions)) == state
            won = played.rules.outcome(state) in (1.0, -1.0)
            assert won == bool(played.board(actions).line)
        assert len(actions) <= played.max_moves


def test_the_size_is_part_of_the_name() -> None:
    assert game("connect_four:6,7").name == game("connect_four").name == "connect_four"
    seven = game("connect_four:7,7")
    assert (seven.name, seven.n_actions, seven.max_moves) == ("connect_four:7,7", 7, 49)
    assert dict(seven.parameters) == {"rows": 7, "columns": 7}
