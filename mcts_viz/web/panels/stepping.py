"""Stepping through iterations: buttons, speed, and the timeline. All of it acts in the browser."""

from __future__ import annotations

from typing import Any

import dash_mantine_components as dmc
from dash import ALL, ClientsideFunction, Dash, Input, html

from mcts_viz.web.attributes import aria
from mcts_viz.web.ids import Ids, step_button
from mcts_viz.web.library import Library
from mcts_viz.web.panels.bar import glyph, icon_button, tip

STEPS = (
    ("first", "first", "Before the first iteration ( Home )"),
    ("-100", "back3", "100 back ( Ctrl ← )"),
    ("-10", "back2", "10 back ( Shift ← )"),
    ("-1", "back", "One back ( ← )"),
    ("1", "on", "One on ( → )"),
    ("10", "on2", "10 on ( Shift → )"),
    ("100", "on3", "100 on ( Ctrl → )"),
    ("last", "last", "After the last iteration ( End )"),
)
SPEEDS = (1, 2, 5, 10, 30, 60, 300, 1_000, 10_000)


def layout() -> Any:
    """Controls above the timeline."""
    before, after = STEPS[:4], STEPS[4:]
    return html.Footer(
        className="stepping",
        children=[
            html.Div(
                className="controls",
                children=[
                    *(icon_button(icon, step_button(step), label) for step, icon, label in before),
                    tip(
                        dmc.ActionIcon(
                            glyph("play"), id=Ids.PLAY.value, size="lg", variant="filled",
                            **aria("play"),
                        ),
                        "Play or pause ( space )",
                    ),
                    *(icon_button(icon, step_button(step), label) for step, icon, label in after),
                    html.Div(
                        className="readout",
                        children=[html.Span("iteration "), html.Span(id=Ids.READOUT.value)],
                    ),
                    tip(
                        dmc.Select(
                            id=Ids.SPEED.value,
                            data=[{"value": str(s), "label": f"{s:,} a second"} for s in SPEEDS],
                            value="10", allowDeselect=False, size="xs", w=140,
                            **aria("speed"),
                        ),
                        "Iterations a second while playing ( + − )",
                    ),
                    html.Div(id=Ids.DECISION.value, className="decision"),
                ],
            ),
            html.Div(id=Ids.TIMELINE.value, className="timeline"),
        ],
    )  # fmt: skip


def register(app: Dash, library: Library) -> None:
    """Callbacks of the buttons."""
    for function, input_ in (
        ("step", Input({"type": "step-button", "step": ALL}, "n_clicks")),
        ("togglePlay", Input(Ids.PLAY.value, "n_clicks")),
        ("setSpeed", Input(Ids.SPEED.value, "value")),
    ):
        app.clientside_callback(
            ClientsideFunction("mcts", function), input_, prevent_initial_call=True
        )
