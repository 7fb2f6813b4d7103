"""A simulation to step through: its positions on the board, its moves, its result. The browser steps
(`assets/panels/rollout.js`); each position is a picture of its own."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

from dash import html

from mcts_viz.trace.trace import Trace
from mcts_viz.web.library import Library
from mcts_viz.web.panels.elements import POLITE, Part, aria, data, glyph
from mcts_viz.web.words import plural

STEPS = (
    ("first", "first", "where the simulation begins"),
    ("-1", "back", "one move back"),
    ("1", "on", "one move on"),
    ("last", "last", "the end of the simulation"),
)


def player(
    library: Library, key: str, t: int, number: int, start: str, result: str, theme: str
) -> Part:
    """Simulation `number`, from 0, of iteration t, which has one; it begins after the move `start`."""
    trace = library.trace(key)
    moves = (trace.rollouts(t) or [])[number]
    address = f"api/trace/{quote(key)}/rollout/{t}/{number}/"
    query = f".svg?theme={theme}"
    return html.Div(
        key=address + query,
        className="rollout",
        role="group",
        **aria(f"simulation of iteration {t:,}"),
        **data("address", address),
        **data("query", query),
        **data("at", "0"),
        children=[
            html.Div(
                [board(library, trace, key, t, number, address + "0" + query), steps(len(moves))]
            ),
            html.Div(
                className="rollout-told",
                children=[
                    html.P(result, className="rollout-result"),
                    html.P(f"{plural(len(moves), 'move')} from {start}", className="dim"),
                    html.Ol([move_button(trace, i, each) for i, each in enumerate(moves, 1)]),
                ],
            ),
        ],
    )


def board(library: Library, trace: Trace, key: str, t: int, number: int, address: str) -> Part:
    """The picture of the first position; words where there is none."""
    if library.rollout_svg(key, t, number, 0) is None:
        return html.P(
            "This trace's game is not known here: its moves, without a board.",
            className="dim rollout-boardless",
        )
    return html.Img(src=address, alt="position in the simulation", className="rollout-board")


def steps(n_moves: int) -> Part:
    """The buttons below the board, and where they are."""
    buttons = [
        html.Button(
            glyph(icon), title=words, type="button", disabled=n_moves == 0 or step in ("first", "-1"),
            **aria(words), **data("rollout-step", step),
        )
        for step, icon, words in STEPS
    ]  # fmt: skip
    place = html.Span(f"0 / {n_moves}", className="rollout-place", **POLITE)
    return html.Div([*buttons[:2], place, *buttons[2:]], className="rollout-steps")


def move_button(trace: Trace, number: int, action: int) -> Part:
    """A move; goes to the position after it."""
    return html.Li(
        html.Button(
            trace.action_name(action), type="button", title=f"move {number}",
            **data("rollout-at", str(number)),
        )
    )  # fmt: skip


def no_simulation(words: str) -> Part:
    """The hint shown where there is no simulation."""
    return html.P(words, className="empty")


def numbered(players: Sequence[Part]) -> list[Part]:
    """Several simulations of one leaf, each under its number."""
    if len(players) == 1:
        return list(players)
    heads = [html.H3(f"Simulation {i} of {len(players)}") for i in range(1, len(players) + 1)]
    return [part for pair in zip(heads, players) for part in pair]
