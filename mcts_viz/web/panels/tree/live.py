"""Following a recording: the switch beside the iteration, and the line that says what has become of it."""

from __future__ import annotations

import dash_mantine_components as dmc
from dash import Dash, Input, html

from mcts_viz.web.ids import Ids
from mcts_viz.web.library import Library
from mcts_viz.web.panels.elements import Part, in_browser, tip


def switch() -> Part:
    """Rides at the end of a growing trace while it is on; hidden for one that does not grow."""
    return tip(
        dmc.Button(
            "Follow", id=Ids.FOLLOW, size="xs", variant="default",
            leftSection=html.Span(className="live-dot"),
        ),
        "Stay at the last iteration while the search goes on",
        "g",
    )  # fmt: skip


def line() -> Part:
    """What a person should know of the file: a new recording in it, say. Filled in by the browser."""
    return html.Div(id=Ids.LIVE_NOTE, className="trace-note", role="status")


def register(app: Dash, library: Library) -> None:
    """The switch acts in the browser."""
    in_browser(app, "mcts.toggleFollow", Input(Ids.FOLLOW, "n_clicks"))
