"""Stepping through iterations: buttons, speed, and the timeline. All of it acts in the browser."""

from __future__ import annotations

from typing import Any

import dash_mantine_components as dmc
from dash import ALL, ClientsideFunction, Dash, Input, dcc, html

from mcts_viz.analysis.phases import PHASES
from mcts_viz.web.attributes import aria, data
from mcts_viz.web.ids import Ids, phase_button, step_button
from mcts_viz.web.library import Library
from mcts_viz.web.panels import live, what_if
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
# what each phase is called on its button, and does
PHASE_WORDS = {
    "select": ("select", "which children were compared on the way down"),
    "expand": ("expand", "which nodes were added"),
    "simulate": ("simulate", "how the simulation went, move by move"),
    "backpropagate": ("back-up", "visits and values before and after"),
}
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
                    *(step_control(*step) for step in before),
                    tip(
                        dmc.ActionIcon(
                            glyph("play"), id=Ids.PLAY.value, size="lg", variant="filled",
                            **aria("play"), **data("needs", "steps"),
                        ),
                        "Play or pause ( space )",
                    ),
                    *(step_control(*step) for step in after),
                    html.Div(
                        className="readout",
                        children=[html.Span("iteration "), html.Span(id=Ids.READOUT.value)],
                    ),
                    live.switch(),
                    html.Div(
                        [phase_control(phase) for phase in PHASES],
                        className="phases", role="group", **aria("phase of the iteration"),
                    ),
                    tip(
                        dmc.Select(
                            id=Ids.SPEED.value,
                            data=[{"value": str(s), "label": f"{s:,} / s"} for s in SPEEDS],
                            value="10", allowDeselect=False, size="xs", w=96,
                            **aria("speed"),
                        ),
                        "Iterations a second while playing ( + − )",
                    ),
                    html.Div(id=Ids.DECISION.value, className="decision"),
                    what_if.button(),
                ],
            ),
            html.Div(id=Ids.TIMELINE.value, className="timeline"),
            html.Div(id=Ids.TRUTH_STRIP.value, className="truth-strip", hidden=True),
            dcc.Store(id=Ids.FINDINGS.value),
        ],
    )  # fmt: skip


def step_control(step: str, icon: str, label: str) -> Any:
    """A step button; the browser turns it off where there is nothing to step through."""
    return icon_button(icon, step_button(step), label, **data("needs", "steps"))


def phase_control(phase: str) -> Any:
    """The button that shows a phase, or leaves it; the browser marks the one shown."""
    name, words = PHASE_WORDS[phase]
    pressed: dict[str, Any] = {"aria-pressed": "false"}
    button = html.Button(
        name, id=phase_button(phase), type="button", className="phase",
        **data("phase", phase), **data("needs", "phases"), **pressed,
    )  # fmt: skip
    return tip(button, f"{name.capitalize()}: {words} ( ↑ ↓ )")


def register(app: Dash, library: Library) -> None:
    """Callbacks of the buttons."""
    for function, input_ in (
        ("step", Input({"type": "step-button", "step": ALL}, "n_clicks")),
        ("togglePhase", Input({"type": "phase-button", "phase": ALL}, "n_clicks")),
        ("togglePlay", Input(Ids.PLAY.value, "n_clicks")),
        ("setSpeed", Input(Ids.SPEED.value, "value")),
        ("showFindings", Input(Ids.FINDINGS.value, "data")),
    ):
        app.clientside_callback(
            ClientsideFunction("mcts", function), input_, prevent_initial_call=True
        )
