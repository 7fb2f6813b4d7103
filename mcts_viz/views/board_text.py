"""A board as lines of text, and the names of its rows and columns. Knows no picture."""

from __future__ import annotations

import string

from mcts_viz.errors import GameError
from mcts_viz.games.rules import Board

STYLES = ("grid", "discs", "blocks")  # that can be drawn


def board_text(board: Board) -> str:
    """The position as lines of text with coordinates; [X] is the last move, (X) are winning cells, an
    empty cell that the next move may go to is : where it must go to one local board."""
    check_board(board)
    rows, columns = board.rows, board.columns
    wide = max(1, *(len(symbol) for symbol in board.symbols), *map(len, column_names(board)))
    names = row_names(board)
    indent = max(len(name) for name in names)
    lines: list[str] = []
    for row in range(rows):
        cells = []
        if board.style == "blocks" and row in (3, 6):
            lines.append(" " * (indent + 1) + "+".join(["-" * 3 * (wide + 2)] * 3))
        for cell in range(row * columns, (row + 1) * columns):
            if board.style == "blocks" and cell % columns in (3, 6):
                cells.append("|")
            opening, closing = "[]" if cell == board.last else "()" if cell in board.line else "  "
            empty = ":" if cell in board.region else "."
            cells.append(f"{opening}{(board.symbols[cell] or empty).center(wide)}{closing}")
        lines.append(f"{names[row]:>{indent}} {''.join(cells)}".rstrip())
    heads = "".join(f" {name.center(wide)} " for name in column_names(board))
    if heads.strip():
        lines.append(f"{'':>{indent}} {heads}".rstrip())
    return "\n".join(lines)


def check_board(board: Board) -> None:
    """Raise GameError where the board's cells do not fit its size."""
    cells = board.rows * board.columns
    if board.rows < 1 or board.columns < 1 or len(board.symbols) != cells:
        raise GameError(
            f"a board of {board.rows} × {board.columns} has {cells} cells, "
            f"but the game gave {len(board.symbols)} symbols"
        )
    if board.style not in STYLES:
        raise GameError(f"a board cannot be drawn as {board.style!r}; {', '.join(STYLES)} can")
    if board.style == "blocks" and (board.rows, board.columns) != (9, 9):
        raise GameError(f"a board of {board.rows} × {board.columns} cannot be drawn as blocks")
    for cell in [*board.line, *board.region, *([] if board.last is None else [board.last])]:
        if not 0 <= cell < cells:
            raise GameError(f"cell {cell} is marked on a board that has cells 0 to {cells - 1}")


def column_names(board: Board) -> list[str]:
    """Columns are numbered where discs are dropped, and lettered on a grid: a, b, …, z, aa, …; a board
    of blocks has no coordinates, for its moves are named by board and cell."""
    if board.style == "blocks":
        return [""] * board.columns
    if board.style == "discs":
        return [str(column + 1) for column in range(board.columns)]
    letters = string.ascii_lowercase
    return [
        (letters[column // 26 - 1] if column >= 26 else "") + letters[column % 26]
        for column in range(board.columns)
    ]


def row_names(board: Board) -> list[str]:
    """Rows are numbered from the bottom, as on a chess board; discs and blocks need none."""
    if board.style != "grid":
        return [""] * board.rows
    return [str(board.rows - row) for row in range(board.rows)]
