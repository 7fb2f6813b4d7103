"""A board to click: the picture of a position, and over it a button for each legal move. What a click asks for is the
caller's, in data attributes of the buttons."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import quote

from dash import html

from mcts_viz.games.position import Target
from mcts_viz.games.rules import Board
from mcts_viz.views.board import board_svg, cell_box, move_box
from mcts_viz.web.panels.elements import Attributes, Part, aria


class BoardScene(NamedTuple):
    """A position to look at, and what can be played there."""

    board: Board | None  # None: a game without a picture, whose moves are buttons alone
    title: str
    players: Sequence[str]
    to_move: int | None  # player
    targets: Mapping[int, Target]  # by action; none where nothing may be clicked


class BoardRoom(NamedTuple):
    """How large a board may be."""

    cell: float  # pixels
    highest: float  # percent of the window's height


def clickable_board(
    scene: BoardScene, theme: str, room: BoardRoom, asks: Callable[[int], Attributes]
) -> Part:
    """The board. `asks`: the attributes of the button of an action."""
    buttons = [_button(scene, target, asks(action)) for action, target in scene.targets.items()]
    return html.Div(
        className=f"match-board player-{scene.to_move}",
        role="group",
        **aria(f"{scene.title}: choose a move" if buttons else scene.title),
        children=[_picture(scene, theme, room), *buttons],
    )


def _picture(scene: BoardScene, theme: str, room: BoardRoom) -> Part:
    """No larger than it needs to be, and of its size also before the browser has drawn it."""
    board = scene.board
    if board is None:
        return None
    svg = board_svg(board, title=scene.title, players=scene.players, theme=theme)
    cell = cell_box(board, 0)
    shape = cell.height / cell.width  # width of the picture by its height
    width = f"min({room.cell * board.columns:g}px, {room.highest * shape:.4f}vh)"
    return html.Img(
        src=f"data:image/svg+xml,{quote(svg)}",
        alt=scene.title,
        style={"width": width, "aspectRatio": f"{shape:.6f}"},
    )


def _button(scene: BoardScene, target: Target, asks: Attributes) -> Part:
    """What one clicks to make a move; it shows where the mark would go."""
    board, (name, cell) = scene.board, target
    if cell is None or board is None:
        return html.Button(name, type="button", className="match-named", **asks)
    box, mark = move_box(board, cell), cell_box(board, cell)
    ghost = {
        "top": f"{100 * (mark.top - box.top) / box.height:.3f}%",
        "height": f"{100 * mark.height / box.height:.3f}%",
    }
    return html.Button(
        html.Span(scene.players[scene.to_move or 0], className="ghost", style=ghost),
        type="button",
        style={side: f"{100 * share:.3f}%" for side, share in box._asdict().items()},
        title=name,
        className="match-cell",
        **asks,
        **aria(name),
    )
