"""A match as the page shows it: the board to click, whose turn it is, what an engine is doing, the moves.

What can be clicked says in data attributes what it asks for; the browser sends that with an id of its own
(assets/panels/match.js).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import dash_mantine_components as dmc
from dash import html, no_update

from mcts_viz.runs.match import Move
from mcts_viz.web.jobs.matches import LiveMatch, Thinking
from mcts_viz.web.library import Library
from mcts_viz.web.panels.board import BoardRoom, BoardScene, clickable_board
from mcts_viz.web.panels.elements import Content, Part, aria, data
from mcts_viz.web.panels.forms.running import STARTING, time_left, waiting
from mcts_viz.web.words import count, number, percent, plural

ROOM = BoardRoom(cell=76, highest=44)


def table(library: Library, live: LiveMatch, theme: str, shown: object) -> tuple[object, ...]:
    """Everything that `watch` writes; what the browser has already is left as it is."""
    thinking, scene = live.thinking, live.scene  # in this order: a scene follows a search
    version = f"{live.number} {scene.version} {thinking is not None} {theme}"
    trace = {"match": live.number, "key": newest_trace(library, live)}
    changing = thinking is None and live.explaining is None, live_line(live, thinking)
    if version == shown:
        return (*changing, *[no_update] * 4, trace)
    return (
        *changing,
        position(live, theme, clickable=thinking is None and not live.engine_moves),
        status(library, live, thinking),
        moves(library, live),
        version,
        trace,
    )


def newest_trace(library: Library, live: LiveMatch) -> str | None:
    """Key of the trace that decided the last engine's move."""
    traces = [move.trace for move in live.scene.standing.moves if move.trace is not None]
    return library.key_of(live.match.folder / traces[-1]) if traces else None


def position(live: LiveMatch, theme: str, clickable: bool) -> Part:
    """The board, with a button for each move that may be made."""
    scene, n = live.scene, len(live.scene.standing.moves)
    title = f"{live.match.title} after {plural(n, 'move')}"
    shown = BoardScene(
        scene.board,
        title,
        live.match.players,
        scene.standing.to_move,
        scene.targets if clickable else {},
    )
    return clickable_board(
        shown,
        theme,
        ROOM,
        lambda action: {**data("move", str(action)), **data("moves", str(n))},
    )


def status(library: Library, live: LiveMatch, thinking: Thinking | None) -> Content:
    """Whose turn it is, or who has won, and what the last engine played."""
    standing, match = live.scene.standing, live.match
    last = standing.moves[-1] if standing.moves else None
    played = ""
    if last is not None and last.search is not None:
        played = f"{match.players[last.player]} played {last.name}. "
    if live.scene.result is not None:
        result = live.scene.result
        return [played, html.B(f"{result[0].upper()}{result[1:]}."), *mistake_hint(library, live)]
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


def mistake_hint(library: Library, live: LiveMatch) -> list[Part]:
    """The mistake that lost the game: a button that opens its search."""
    found = live.scene.mistake
    if found is None or found.move.trace is None:
        return []
    key = library.key_of(live.match.folder / found.move.trace)
    return [
        html.Button(
            f"{found}.",
            type="button",
            className="match-hint",
            title="open its search",
            **data("trace", key),
        )
    ]


def live_line(live: LiveMatch, thinking: Thinking | None) -> list[Part]:
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
    """The percentage for the progress bar."""
    engine = live.match.sides[live.scene.standing.to_move or 0]
    if engine is None:
        return 100.0
    if engine.seconds is not None:
        return min(100.0, 100 * (time.monotonic() - thinking.began) / engine.seconds)
    return 100.0 * thinking.iterations / (engine.iterations or thinking.iterations or 1)


def progress_text(live: LiveMatch, thinking: Thinking) -> str:
    """The progress in words."""
    if thinking.place is not None and thinking.place.ahead:
        return waiting(thinking.place.ahead)
    if thinking.iterations == 0:
        return STARTING
    best = f" · best so far: {thinking.best}" if thinking.best else ""
    left = time_left(percent_done(live, thinking) / 100, time.monotonic() - thinking.began)
    return (
        f"{plural(thinking.iterations, 'iteration')}, {plural(thinking.nodes, 'node')}{best}{left}"
    )


def actions(live: LiveMatch | None, is_thinking: bool = False) -> Part:
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
) -> Part:
    """A button that asks for something."""
    return dmc.Button(
        text,
        size=size,
        variant=variant,
        disabled=disabled,
        className=class_name,
        **data("do", what),
    )


def moves(library: Library, live: LiveMatch) -> Content:
    """The moves, those of engines with their searches; then the searches of moves taken back."""

    def row(move: Move) -> Part:
        return html.Li(move_row(live, move, key_of))

    def key_of(trace: str) -> str:
        return library.key_of(live.match.folder / trace)

    standing = live.scene.standing
    back = [move for move in standing.taken_back if move.trace is not None]
    parts: list[Part] = [html.Ol([row(move) for move in standing.moves])]
    if back:
        parts += [html.H3("Taken back"), html.Ol([row(move) for move in back], className="back")]
    return parts


def move_row(live: LiveMatch, move: Move, key_of: Callable[[str], str]) -> Part:
    """A move: a button that opens its trace where an engine has made it."""
    cells: Sequence[Part] = [
        html.Span(f"{move.number}.", className="match-number"),
        html.Span(live.match.players[move.player], className=f"match-player player-{move.player}"),
        html.B(move.name),
    ]
    if move.search is None or move.trace is None:
        return html.Div([*cells, html.Span("a person", className="dim")], className="match-move")
    found = move.search
    share = percent(found.visits / found.iterations)
    visits = f"{count(found.visits)} of {plural(found.iterations, 'visit')}"
    return html.Button(
        [*cells, html.Span([share, " · ", number(found.mean_value, 2)], className="dim")],
        className="match-move",
        title=f"open its search: {visits}, mean {number(found.mean_value)}",
        **data("trace", key_of(move.trace)),
    )
