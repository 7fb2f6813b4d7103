"""The field *Start position* and the board under it: a click plays a legal move, and the text says the same moves."""

from __future__ import annotations

import dash_mantine_components as dmc
from dash import Dash, Input, Output, State, html, no_update
from dash._no_update import NoUpdate

from mcts_viz.errors import GameError
from mcts_viz.games import game as game_named
from mcts_viz.games.position import StartPosition
from mcts_viz.web.ids import Ids, field
from mcts_viz.web.panels.board import BoardRoom, BoardScene, clickable_board
from mcts_viz.web.panels.elements import Attributes, Content, Part, data
from mcts_viz.web.panels.forms.controls import moves_of
from mcts_viz.web.words import plural

WIDEST, LARGEST_CELL, HIGHEST = 300.0, 34.0, 34.0  # pixels, pixels, percent of the window


def start_board(form: str) -> Part:
    """The place of the board; a callback fills it."""
    return html.Div(id=field(form, "start-board"), className="start-board")


def shows_start(app: Dash, form: str, text: str, games: tuple[str, ...], opened: Input) -> None:
    """Callback of the board. text: id of the field; games: ids of the fields that name the game, the first
    that is filled counts; opened: whether the form is in sight, or "hidden" where it is not."""

    @app.callback(
        Output(field(form, "start-board"), "children"),
        inputs={
            "state": opened,
            "moves": Input(text, "value"),
            "names": [Input(each, "value") for each in games],
        },
        state={"theme": State(Ids.PROVIDER, "forceColorScheme")},
        prevent_initial_call=True,
    )
    def shown(
        state: bool | None, moves: str | None, names: list[str | None], theme: str | None
    ) -> Content | NoUpdate:
        if bool(state) == (opened.component_property == "hidden"):
            return no_update
        name = next((each.strip() for each in names if each and each.strip()), "")
        return start_shown(text, name, moves_of(moves), theme or "light")


def start_shown(text: str, game: str, moves: tuple[str, ...], theme: str) -> Content:
    """The board after the moves, as far as they are legal, and what they are called there; nothing for a
    game without a board."""
    try:
        played = game_named(game)
    except GameError:  # half typed: the form shows the error
        return []
    if played.board is None:
        return []
    start, n = StartPosition(played), 0
    while n < len(moves):
        try:
            start = StartPosition(played, moves[: n + 1])
        except GameError:
            break
        n += 1
    names = [played.action_labels[action] for action in start.actions]
    board = played.board(start.actions)
    mover = None if not start.legal else start.to_move(start.state())
    title = f"{played.title} after {plural(n, 'move')}"

    def asks(action: int) -> Attributes:
        return _sets(text, [*names, played.action_labels[action]])

    room = BoardRoom(min(LARGEST_CELL, WIDEST / board.columns), HIGHEST)
    scene = BoardScene(board, title, played.players, mover, start.targets)
    told = [
        html.Span([" · " if i else "", html.B(f"{played.players[i % 2]} "), name])
        for i, name in enumerate(names)
    ]
    rest = plural(len(moves) - n, "move")
    return [
        clickable_board(scene, theme, room, asks),
        html.Div(
            className="start-told",
            children=[
                html.Div(
                    told or "Click on the board to play the moves before the search.", role="status"
                ),
                html.Div(f"{rest} more cannot be played from here.", className="form-error")
                if n < len(moves)
                else None,
                html.Div(_turn(played.players, mover), className="dim"),
                dmc.Group(
                    [
                        _button("Undo", text, names[:-1], not moves),
                        _button("Clear", text, [], not moves),
                    ],
                    gap=6,
                ),
            ],
        ),
    ]


def _turn(players: tuple[str, str], mover: int | None) -> str:
    return "The game is over there." if mover is None else f"{players[mover]} to move."


def _sets(text: str, names: list[str]) -> Attributes:
    """What lets a script put moves into the field."""
    return {**data("start", ", ".join(names)), **data("of", text)}


def _button(words: str, text: str, names: list[str], disabled: bool) -> Part:
    return dmc.Button(
        words, size="compact-xs", variant="default", disabled=disabled, **_sets(text, names)
    )
