"""Positions as ASCII boards: what a test writes, and what a game's own drawing says.

`X` is player 0, `O` player 1, `.` an empty cell; rows from the top.
"""

import textwrap
from collections.abc import Sequence

from mcts_viz.games import FlatGame


def drawn(game: FlatGame, actions: Sequence[int]) -> str:
    """The game's own picture of the position after these actions."""
    board = game.board(actions)
    cells = [symbol or "." for symbol in board.symbols]
    rows = [cells[i * board.columns : (i + 1) * board.columns] for i in range(board.rows)]
    return "\n".join("".join(row) for row in rows)


def ascii_board(text: str) -> str:
    """A board as written in a test, without its indentation."""
    return textwrap.dedent(text).strip()


def tic_tac_toe_state(text: str) -> list[int]:
    """The state of a position that may stand in the middle of a game, or of none."""
    cells = ascii_board(text).replace("\n", "")
    return [_bits(cells, "X"), _bits(cells, "O"), 9 - cells.count(".")]


def connect_four_state(text: str) -> list[int]:
    """The same for Connect Four of any size."""
    rows = ascii_board(text).split("\n")[::-1]  # from the bottom
    columns = [[row[c] for row in rows] for c in range(len(rows[0]))]
    cells = "".join("".join(column) + "." for column in columns)  # the topmost bit stays empty
    return [_bits(cells, "X"), _bits(cells, "O"), cells.count("X") + cells.count("O")]


def _bits(cells: str, symbol: str) -> int:
    return sum(1 << i for i, cell in enumerate(cells) if cell == symbol)
