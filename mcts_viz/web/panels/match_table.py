"""A match as the page shows it: the board to click, whose turn it is, what an engine is doing, the moves.

What can be clicked says in data attributes what it asks for; the browser sends that with an id of its own
(assets/match.js).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import quote

import dash_mantine_components as dmc
from dash import html, no_update

from mcts_viz.views.board import Board, board_svg, cell_box, move_box
from mcts_viz.web.attributes import aria
from mcts_viz.web.library import Library
from mcts_viz.web.matches import LiveMatch, Thinking
from mcts_viz.web.panels.running import time_left
from mcts_viz.web.services import Move
from mcts_viz.web.words import count, number, percent, plural

CELL = 76  # pixels, where the panel has room for it
HIGHEST = 44  # percent of the window's height that a board may take


def table(library: Library, live: LiveMatch, theme: str, shown: Any) -> tuple[Any, ...]:
    """Everything that `watch` writes; what the browser has already is left as it is."""
    thinking, scene = live.thinking, live.scene  # in this order: a scene follows a thought
    version = f"{live.number} {scene.version} {thinking is not None} {theme}"
    trace = {"match": live.number, "key": newest_trace(library, live)}
    changing = thinking is None, live_line(live, thinking)
    if version == shown:
        return (*changing, *[no_update] * 4, trace)
    return (
        *changing,
        position(live, theme, clickable=thinking is None and not live.engine_moves),
        status(live, thinking),
        moves(library, live),
        version,
        trace,
    )


def newest_trace(library: Library, live: LiveMatch) -> str | None:
    """Key of the trace that decided the last engine's move."""
    traces = [move.trace for move in live.scene.standing.moves if move.trace is not None]
    return library.key_of(live.match.folder / traces[-1]) if traces else None


def position(live: LiveMatch, theme: str, clickable: bool) -> Any:
    """The board's picture, and over it a button for each legal move; without a picture the buttons
    alone."""
    scene = live.scene
    n = len(scene.standing.moves)
    title = f"{live.match.title} after {plural(n, 'move')}"
    mover = scene.standing.to_move
    buttons = (
        [cell_button(live, action, name, cell, n) for action, (name, cell) in scene.targets.items()]
        if clickable
        else []
    )
    return html.Div(
        className=f"match-board player-{mover}",
        role="group",
        **aria(f"{title}: choose a move" if buttons else title),
        children=[picture(live, scene.board, title, theme), *buttons],
    )


def picture(live: LiveMatch, board: Board | None, title: str, theme: str) -> Any:
    """The board, no larger than it needs to be, and of its size also before the browser has drawn it."""
    if board is None:
        return None
    svg = board_svg(board, title=title, players=live.match.players, theme=theme)
    cell = cell_box(board, 0)
    shape = cell.height / cell.width  # width of the picture by its height
    width = f"min({CELL * board.columns}px, {HIGHEST * shape:.4f}vh)"
    return html.Img(
        src=f"data:image/svg+xml,{quote(svg)}",
        alt=title,
        style={"width": width, "aspectRatio": f"{shape:.6f}"},
    )


def cell_button(live: LiveMatch, action: int, name: str, cell: int | None, n: int) -> Any:
    """What one clicks to make a move; it shows where the mark would go."""
    data: Any = {"data-move": str(action), "data-moves": str(n)}
    board = live.scene.board
    if cell is None or board is None:
        return html.Button(name, className="match-named", **data)
    box, mark = move_box(board, cell), cell_box(board, cell)
    ghost = {
        "top": f"{100 * (mark.top - box.top) / box.height:.3f}%",
        "height": f"{100 * mark.height / box.height:.3f}%",
    }
    symbol = live.match.players[live.scene.standing.to_move or 0]
    return html.Button(
        html.Span(symbol, className="ghost", style=ghost),
        style={side: f"{100 * share:.3f}%" for side, share in box._asdict().items()},
        title=name,
        className="match-cell",
        **data,
        **aria(name),
    )


def status(live: LiveMatch, thinking: Thinking | None) -> Any:
    """Whose turn it is, or who has won, and what the last engine played."""
    standing, match = live.scene.standing, live.match
    last = standing.moves[-1] if standing.moves else None
    played = ""
    if last is not None and last.thought is not None:
        played = f"{match.players[last.player]} played {last.name}. "
    if live.scene.result is not None:
        result = live.scene.result
        return [played, html.B(f"{result[0].upper()}{result[1:]}.")]
    assert standing.to_move is not None
    player, side = match.players[standing.to_move], match.sides[standing.to_move]
    if live.error is not None:
        return [played, html.B(f"The search of {player} broke off: {live.error}")]
    if side is None:
        alone = match.sides[1 - standing.to_move] is not None
        return [played, html.B(f"Your turn: {player}." if alone else f"{player} to move.")]
    if thinking is None:
        return [played, html.B(f"Stopped. {player} ({side.title}) is to move.")]
    return [played, html.B(f"{player} ({side.title}) is thinking …")]


def live_line(live: LiveMatch, thinking: Thinking | None) -> list[Any]:
    """How far the engine is, and the buttons."""
    if thinking is None:
        return [actions(live)]
    return [
        dmc.Progress(
            value=percent_done(live, thinking), size="sm", **aria("progress of the search")
        ),
        html.Div(progress_text(live, thinking), className="dim match-progress"),
        actions(live, is_thinking=True),
    ]


def percent_done(live: LiveMatch, thinking: Thinking) -> float:
    """For the bar."""
    engine = live.match.sides[live.scene.standing.to_move or 0]
    if engine is None:
        return 100.0
    if engine.seconds is not None:
        return min(100.0, 100 * (time.monotonic() - thinking.began) / engine.seconds)
    return 100.0 * thinking.iterations / (engine.iterations or thinking.iterations or 1)


def progress_text(live: LiveMatch, thinking: Thinking) -> str:
    """For the person."""
    if thinking.iterations == 0:
        return "Starting … (the first large search of a game is compiled first, a few seconds)"
    best = f" · best so far: {thinking.best}" if thinking.best else ""
    left = time_left(percent_done(live, thinking) / 100, time.monotonic() - thinking.began)
    return f"{count(thinking.iterations)} iterations, {plural(thinking.nodes, 'node')}{best}{left}"


def actions(live: LiveMatch | None, is_thinking: bool = False) -> Any:
    """The buttons under the board; without a match only the one for a new one."""
    new = asking("New game", "new")
    if live is None:
        return dmc.Group([new], gap=6)
    waits = not is_thinking and live.engine_moves
    return dmc.Group(
        gap=6,
        children=[
            asking("Go on", "on", variant="filled") if waits else None,
            asking("Stop", "stop", variant="filled")
            if is_thinking
            else asking("Undo", "undo", disabled=not live.scene.standing.moves),
            new,
            asking("Export", "export"),
        ],
    )


def asking(
    text: str,
    what: str,
    variant: str = "default",
    size: str = "compact-sm",
    class_name: str = "",
    disabled: bool = False,
) -> Any:
    """A button that asks for something."""
    return dmc.Button(
        text,
        size=size,
        variant=variant,
        disabled=disabled,
        className=class_name,
        **{"data-do": what},
    )


def moves(library: Library, live: LiveMatch) -> Any:
    """The moves, those of engines with their searches; then the searches of moves taken back."""

    def row(move: Move) -> Any:
        return html.Li(move_row(live, move, key_of))

    def key_of(trace: str) -> str:
        return library.key_of(live.match.folder / trace)

    standing = live.scene.standing
    back = [move for move in standing.taken_back if move.trace is not None]
    parts: list[Any] = [html.Ol([row(move) for move in standing.moves])]
    if back:
        parts += [html.H3("Taken back"), html.Ol([row(move) for move in back], className="back")]
    return parts


def move_row(live: LiveMatch, move: Move, key_of: Callable[[str], str]) -> Any:
    """A move: a button that opens its trace where an engine has made it."""
    cells: Sequence[Any] = [
        html.Span(f"{move.number}.", className="match-number"),
        html.Span(live.match.players[move.player], className=f"match-player player-{move.player}"),
        html.B(move.name),
    ]
    if move.thought is None or move.trace is None:
        return html.Div([*cells, html.Span("a person", className="dim")], className="match-move")
    thought = move.thought
    opens: Any = {"data-trace": key_of(move.trace)}
    share = percent(thought.visits / thought.iterations)
    told = f"{count(thought.visits)} of {count(thought.iterations)} visits"
    return html.Button(
        [*cells, html.Span([share, " · ", number(thought.mean_value, 2)], className="dim")],
        className="match-move",
        title=f"open its search: {told}, mean {number(thought.mean_value)}",
        **opens,
    )
