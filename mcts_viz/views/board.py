"""A position as a picture (SVG).

Draws whatever says which symbol is in which cell; knows no rules and no game. The picture scales, takes its ink from
the page (`currentColor`), so that it suits a light and a dark one, and tells the players apart by shape or letter as
well as by colour. A page may set the CSS variables --mcts-player-0 and --mcts-player-1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from mcts_viz.games.rules import Board
from mcts_viz.views.board_text import check_board, column_names, row_names
from mcts_viz.views.markup import xml_text

# blue and orange can be told apart with every common kind of colour blindness, and these two stand out
# (contrast at least 3 to 1) on white and on dark grey alike
PLAYER_COLOURS = ("#2f7fc1", "#d9730d")
INK = {"light": "#1f2226", "dark": "#e8e8e6"}  # for pictures that no page colours

USUAL = ("X", "O")  # symbols of player 0 and player 1
CELL = 40.0
MARGIN = 20.0  # of coordinates
EDGE = 4.0


class Paint(NamedTuple):
    """The colours of one picture, as CSS."""

    ink: str
    players: tuple[str, str]

    def of(self, symbol: str, players: Sequence[str]) -> str:
        """The colour of a symbol: its player's, or the ink colour where it has no player."""
        symbols = players[:2] if symbol in players[:2] else USUAL  # names need be no symbols
        return self.players[symbols.index(symbol)] if symbol in symbols else self.ink


class Box(NamedTuple):
    """A part of a picture, in shares of its width and height."""

    left: float
    top: float
    width: float
    height: float


class Frame(NamedTuple):
    """What surrounds the cells, in units of the picture."""

    left: float  # of the first cell
    width: float  # of the whole picture
    height: float


def board_svg(
    board: Board,
    title: str,
    players: Sequence[str] = USUAL,
    coordinates: bool = True,
    theme: str | None = None,
    over: Iterable[str] = (),
) -> str:
    """The position as an <svg> element without a size of its own; `over`: more to draw, from `centre` on.

    `title` is what a screen reader says. `players` are the symbols of player 0 and player 1. With a
    theme, "light" or "dark", the colours are fixed: for an <img> or a file, which no page can colour.
    """
    check_board(board)
    left, width, height = _frame(board, coordinates)
    paint = _paint(theme)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" role="img" '
        f'aria-label="{xml_text(title)}" class="mcts-board" font-family="system-ui, sans-serif" '
        f'text-anchor="middle" style="color:{paint.ink}">',
        f"<title>{xml_text(title)}</title>",
        f'<g transform="translate({left:g} {EDGE:g})">',
        *_DRAWING[board.style](board, paint, players),
        *(_coordinates(board) if coordinates else ()),
        *over,
        "</g></svg>",
    ]
    return "".join(parts)


def cell_box(board: Board, cell: int, coordinates: bool = True) -> Box:
    """Where the picture of `board_svg` has a cell."""
    left, width, height = _frame(board, coordinates)
    row, column = divmod(cell, board.columns)
    return Box(
        (left + column * CELL) / width, (EDGE + row * CELL) / height, CELL / width, CELL / height
    )


def move_box(board: Board, cell: int, coordinates: bool = True) -> Box:
    """Where one points to play into a cell: at the whole column where discs are dropped."""
    box = cell_box(board, cell, coordinates)
    if board.style != "discs":
        return box
    first = cell_box(board, cell % board.columns, coordinates)
    return Box(box.left, first.top, box.width, board.rows * box.height)


def _frame(board: Board, coordinates: bool) -> Frame:
    margin = MARGIN if coordinates and column_names(board)[0] else 0.0
    left = margin if row_names(board)[0] else 0.0
    return Frame(
        left=left + EDGE,
        width=left + board.columns * CELL + 2 * EDGE,
        height=board.rows * CELL + margin + 2 * EDGE,
    )


def _paint(theme: str | None) -> Paint:
    if theme is None:
        first, second = (f"var(--mcts-player-{n}, {c})" for n, c in enumerate(PLAYER_COLOURS))
        return Paint("currentColor", (first, second))
    return Paint(INK[theme], PLAYER_COLOURS)


def centre(board: Board, cell: int) -> tuple[float, float]:
    """The middle of a cell, in units of the picture from the first cell's corner."""
    row, column = divmod(cell, board.columns)
    return (column + 0.5) * CELL, (row + 0.5) * CELL


def _grid(board: Board, paint: Paint, players: Sequence[str]) -> Iterator[str]:
    wide, high = board.columns * CELL, board.rows * CELL
    for cell in sorted({*board.line} | ({board.last} if board.last is not None else set())):
        x, y = centre(board, cell)
        strength = 0.34 if cell in board.line else 0.16
        yield (
            f'<rect x="{x - CELL / 2:g}" y="{y - CELL / 2:g}" width="{CELL:g}" height="{CELL:g}" '
            f'style="fill:{paint.of(board.symbols[cell], players)}" fill-opacity="{strength}"/>'
        )
    lines = [f"M{x * CELL:g} 0V{high:g}" for x in range(board.columns + 1)]
    lines += [f"M0 {y * CELL:g}H{wide:g}" for y in range(board.rows + 1)]
    yield (
        f'<path d="{"".join(lines)}" fill="none" stroke="currentColor" stroke-opacity="0.45" '
        'stroke-width="1.5" stroke-linecap="square"/>'
    )
    for cell, symbol in enumerate(board.symbols):
        if symbol:
            yield _mark(*centre(board, cell), symbol, paint, players, cell in board.line)
    if board.last is not None:
        x, y = centre(board, board.last)
        yield (
            f'<circle cx="{x + CELL / 2 - 5:g}" cy="{y - CELL / 2 + 5:g}" r="2.8" '
            'fill="currentColor" class="mcts-last"/>'
        )


def _blocks(board: Board, paint: Paint, players: Sequence[str]) -> Iterator[str]:
    """Nine local boards: what was won is tinted and wears its owner's mark, the one to play in is
    framed."""
    side = 3 * CELL
    for block, owner in enumerate(board.owners):
        if owner:
            x, y = block % 3 * side, block // 3 * side
            yield (
                f'<rect x="{x:g}" y="{y:g}" width="{side:g}" height="{side:g}" '
                f'style="fill:{paint.of(owner, players)}" fill-opacity="0.14"/>'
            )
    yield from _grid(board, paint, players)
    for block, owner in enumerate(board.owners):
        if owner:
            x, y = (block % 3 + 0.5) * side, (block // 3 + 0.5) * side
            yield (
                f'<g transform="translate({x:g} {y:g}) scale(2.6)" opacity="0.6" class="mcts-owner">'
                f"{_mark(0, 0, owner, paint, players, False)}</g>"
            )
    wide = board.columns * CELL
    lines = "".join(f"M{n * side:g} 0V{wide:g}M0 {n * side:g}H{wide:g}" for n in (1, 2))
    yield f'<path d="{lines}" fill="none" stroke="currentColor" stroke-width="4"/>'
    if board.region:
        row, column = divmod(min(board.region), board.columns)
        yield (
            f'<rect x="{column * CELL + 3:g}" y="{row * CELL + 3:g}" width="{side - 6:g}" '
            f'height="{side - 6:g}" rx="4" fill="currentColor" fill-opacity="0.08" '
            'stroke="currentColor" stroke-width="4" stroke-dasharray="10 6" class="mcts-region"/>'
        )


def _mark(
    x: float, y: float, symbol: str, paint: Paint, players: Sequence[str], winning: bool
) -> str:
    stroke = (
        f'fill="none" style="stroke:{paint.of(symbol, players)}" '
        f'stroke-width="{7 if winning else 5}" stroke-linecap="round"'
    )
    arm = CELL * 0.24
    if symbol in ("X", "x"):
        start, end = f"M{x - arm:g} {y - arm:g}l{2 * arm:g} {2 * arm:g}", f"m0 {-2 * arm:g}"
        return f'<path d="{start}{end}l{-2 * arm:g} {2 * arm:g}" {stroke}/>'
    if symbol in ("O", "o"):
        return f'<circle cx="{x:g}" cy="{y:g}" r="{CELL * 0.27:g}" {stroke}/>'
    return _letter(x, y, symbol, CELL * 0.5, f"fill:{paint.of(symbol, players)}")


def _discs(board: Board, paint: Paint, players: Sequence[str]) -> Iterator[str]:
    radius = CELL * 0.4
    wide, high = board.columns * CELL, board.rows * CELL
    holes = "".join(
        f"M{x - radius:g} {y:g}a{radius:g} {radius:g} 0 1 0 {2 * radius:g} 0"
        f"a{radius:g} {radius:g} 0 1 0 {-2 * radius:g} 0z"
        for x, y in (centre(board, cell) for cell in range(len(board.symbols)))
    )
    yield (
        f'<path d="M5 -3H{wide - 5:g}q8 0 8 8V{high - 5:g}q0 8 -8 8H5q-8 0 -8 -8V5q0 -8 8 -8z{holes}" '
        'fill="currentColor" fill-opacity="0.18" fill-rule="evenodd"/>'
    )
    for cell, symbol in enumerate(board.symbols):
        if not symbol:
            continue
        x, y = centre(board, cell)
        yield (
            f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" '
            f'style="fill:{paint.of(symbol, players)}"/>'
        )
        yield _letter(x, y, symbol, CELL * 0.34, "fill:#fff")
        if cell in board.line:
            yield (
                f'<circle cx="{x:g}" cy="{y:g}" r="{radius - 0.5:g}" fill="none" '
                'stroke="currentColor" stroke-width="3.5"/>'
            )
        if cell == board.last:
            yield (
                f'<circle cx="{x:g}" cy="{y:g}" r="{radius * 0.74:g}" fill="none" '
                'stroke="#fff" stroke-width="2.5" class="mcts-last"/>'
            )


_DRAWING = {"grid": _grid, "discs": _discs, "blocks": _blocks}


def _letter(x: float, y: float, symbol: str, size: float, style: str) -> str:
    return (
        f'<text x="{x:g}" y="{y:g}" dy="0.36em" font-size="{size / max(1, len(symbol) ** 0.7):.3g}" '
        f'font-weight="600" style="{style}">{xml_text(symbol)}</text>'
    )


def _coordinates(board: Board) -> Iterator[str]:
    bottom = board.rows * CELL + MARGIN * 0.75
    columns, rows = column_names(board), row_names(board)
    places = [((n + 0.5) * CELL, bottom, name) for n, name in enumerate(columns)]
    places += [(-MARGIN / 2, (n + 0.5) * CELL + 4.5, name) for n, name in enumerate(rows) if name]
    yield '<g fill="currentColor" fill-opacity="0.7" font-size="14">'
    yield from (f'<text x="{x:g}" y="{y:g}">{name}</text>' for x, y, name in places)
    yield "</g>"
