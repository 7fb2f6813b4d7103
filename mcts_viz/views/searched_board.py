"""A position with what a search knows of each legal move in its cell, and a line of moves numbered on the board.

A disc as large as the move's share of the visits and in the colour of its mean value, its numbers on it; marks for the
move that leads, for the next selection, and for what is known by perfect play. Knows no search: it is given the words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mcts_viz.games.rules import Board
from mcts_viz.views.board import CELL, INK, board_svg, centre
from mcts_viz.views.markup import xml_text
from mcts_viz.views.theme import CHOSEN, PAPER

LARGEST, LEAST = 0.47, 0.16  # radius of a disc, of a cell
MANY = 8  # columns, beyond which a cell has room for one number
NEXT = {"light": "#c2187a", "dark": "#ff6fb5"}  # as the selected path of the tree
BADGE = {
    "W": "#135a9c",
    "D": "#727c88",
    "L": "#b35806",
}  # by perfect play, for the player who chooses


class SearchedMove(NamedTuple):
    """What is drawn in the cell of a legal move."""

    cell: int
    share: float = 0.0  # of the visits, in [0, 1]
    fill: str = ""  # colour of the mean value; "" for a move that was not tried
    lines: tuple[str, ...] = ()  # numbers, the most important first
    is_next: bool = False  # would be selected next
    is_chosen: bool = False  # leads, or would be played
    truth: str = ""  # "W", "D" or "L" for the player who chooses; "" where not known


def searched_board_svg(
    board: Board,
    moves: Sequence[SearchedMove],
    title: str,
    players: Sequence[str],
    theme: str,
    numbers: bool = True,
) -> str:
    """The position with its moves as an <svg> element; without `numbers`, discs and marks alone."""
    most = max((move.share for move in moves), default=0.0) or 1.0
    over = [
        part for move in moves for part in _drawn(board, move, (move.share / most) ** 0.5, theme, numbers)
    ]  # fmt: skip
    return board_svg(board, title, players, theme=theme, over=over)


def line_svg(
    board: Board, cells: Sequence[int], title: str, players: Sequence[str], theme: str
) -> str:
    """The position at the end of a line, its moves numbered in their cells."""
    over = []
    for number, cell in enumerate(cells, 1):
        x, y = centre(board, cell)
        over.append(
            f'<circle cx="{x:g}" cy="{y:g}" r="11" fill="{PAPER[theme]}" stroke="{INK[theme]}"/>'
            + _text(x, y, str(number), 13, INK[theme])
        )
    return board_svg(board, title, players, theme=theme, over=over)


def _drawn(
    board: Board, move: SearchedMove, size: float, theme: str, numbers: bool
) -> Iterator[str]:
    x, y = centre(board, move.cell)
    if not move.fill:
        yield (
            f'<circle cx="{x:g}" cy="{y:g}" r="3" fill="none" stroke="{INK[theme]}" '
            'stroke-opacity="0.55" stroke-dasharray="2 2" class="untried"/>'
        )
        return
    radius = CELL * (LEAST + (LARGEST - LEAST) * size)
    edge = CHOSEN[theme] if move.is_chosen else INK[theme]
    yield (
        f'<circle cx="{x:g}" cy="{y:g}" r="{radius:.3g}" fill="{move.fill}" stroke="{edge}" '
        f'stroke-width="{3 if move.is_chosen else 0.8}" class="searched"/>'
    )
    if numbers:
        yield from _numbers(x, y, move.lines[:1] if board.columns > MANY else move.lines, theme)
    if move.is_chosen:
        yield _text(x - CELL * 0.36, y - CELL * 0.36, "★", 12, CHOSEN[theme], theme)
    if move.is_next:
        yield _text(x + CELL * 0.36, y - CELL * 0.36, "→", 13, NEXT[theme], theme)
    if move.truth and numbers:
        at = x + CELL * 0.37, y + CELL * 0.37
        yield f'<circle cx="{at[0]:g}" cy="{at[1]:g}" r="6.5" fill="{BADGE[move.truth]}"/>'
        yield _text(*at, move.truth, 9, "#ffffff")


def _numbers(x: float, y: float, lines: Sequence[str], theme: str) -> Iterator[str]:
    high = 10.5
    for row, line in enumerate(lines):
        size = min(11.0 if row == 0 else 9.5, 1.55 * (CELL - 3) / max(len(line), 1))
        yield _text(x, y + (row - (len(lines) - 1) / 2) * high, line, size, INK[theme], theme)


def _text(x: float, y: float, text: str, size: float, ink: str, seam: str = "") -> str:
    """Centred; with a seam of the theme's paper where it lies over colours."""
    look = (
        f' style="paint-order:stroke;stroke:{PAPER[seam]};stroke-width:2.6px;stroke-linejoin:round"'
        if seam
        else ""
    )
    return (
        f'<text x="{x:g}" y="{y:g}" dy="0.36em" font-size="{size:.3g}" font-weight="650" '
        f'fill="{ink}"{look}>{xml_text(text)}</text>'
    )
