"""Stepping through iterations: buttons, speed, and the timeline. All of it acts in the browser."""

from __future__ import annotations

import dash_mantine_components as dmc
from dash import ALL, Dash, Input, dcc, html

from mcts_viz.analysis.iteration.phases import PHASES
from mcts_viz.web.ids import Ids, phase_button, step_button
from mcts_viz.web.library import Library
from mcts_viz.web.panels.elements import (
    UNPRESSED,
    Part,
    aria,
    data,
    glyph,
    icon_button,
    in_browser,
    tip,
)
from mcts_viz.web.panels.forms import what_if
from mcts_viz.web.panels.tree import live

STEPS = (
    ("first", "first", "Before the first iteration", "Home"),
    ("-100", "back3", "100 back", "ctrl ArrowLeft"),
    ("-10", "back2", "10 back", "shift ArrowLeft"),
    ("-1", "back", "One back", "ArrowLeft"),
    ("1", "on", "One on", "ArrowRight"),
    ("10", "on2", "10 on", "shift ArrowRight"),
    ("100", "on3", "100 on", "ctrl ArrowRight"),
    ("last", "last", "After the last iteration", "End"),
)
# what each phase is called on its button, and does
PHASE_WORDS = {
    "select": ("select", "which children were compared on the way down"),
    "expand": ("expand", "which nodes were added"),
    "simulate": ("simulate", "how the simulation went, move by move"),
    "backpropagate": ("back-up", "visits and values before and after"),
}
SPEEDS = (1, 2, 5, 10, 30, 60, 300, 1_000, 10_000)


def layout() -> Part:
    """Controls above the timeline."""
    before, after = STEPS[:4], STEPS[4:]
    return html.Footer(
        className="stepping",
        **aria("stepping"),
        children=[
            html.Div(
                className="controls",
                children=[
                    *(step_control(*step) for step in before),
                    tip(
                        dmc.ActionIcon(
                            glyph("play"), id=Ids.PLAY, size="lg", variant="filled",
                            **aria("play"), **data("needs", "steps"),
                        ),
                        "Play or pause",
                        " ",
                    ),
                    *(step_control(*step) for step in after),
                    html.Div(
                        className="readout",
                        children=[
                            html.Span("iteration ", className="readout-word"),
                            html.Span(id=Ids.READOUT),
                        ],
                    ),
                    live.switch(),
                    html.Div(
                        [phase_control(phase) for phase in PHASES],
                        className="phases", role="group", **aria("phase of the iteration"),
                    ),
                    tip(
                        dmc.Select(
                            id=Ids.SPEED,
                            data=[{"value": str(s), "label": f"{s:,} / s"} for s in SPEEDS],
                            value="10", allowDeselect=False, size="xs", w=96,
                            **aria("speed"),
                        ),
                        "Iterations a second while playing ( + − )",
                    ),
                    html.Div(id=Ids.DECISION, className="decision"),
                    what_if.button(),
                ],
            ),
            html.Div(id=Ids.TIMELINE, className="timeline"),
            html.Div(id=Ids.WORKER_LANES, className="worker-lanes", hidden=True),
            html.Div(id=Ids.TRUTH_STRIP, className="truth-strip", hidden=True),
            dcc.Store(id=Ids.FINDINGS),
            dcc.Store(id=Ids.ACCEPTED),
            dcc.Store(id=Ids.ACCEPT_CLICK),
        ],
    )  # fmt: skip


def step_control(step: str, icon: str, label: str, key: str) -> Part:
    """A step button; the browser turns it off where there is nothing to step through."""
    return icon_button(icon, step_button(step), label, key, **data("needs", "steps"))


def phase_control(phase: str) -> Part:
    """The button that shows a phase, or leaves it; the browser marks the one shown."""
    name, words = PHASE_WORDS[phase]
    button = html.Button(
        name, id=phase_button(phase), type="button", className="phase",
        **data("phase", phase), **data("needs", "phases"), **UNPRESSED,
    )  # fmt: skip
    return tip(button, f"{name.capitalize()}: {words}", "ArrowUp,ArrowDown")


def register(app: Dash, library: Library) -> None:
    """Callbacks of the buttons."""
    for function, input_ in (
        ("step", Input({"type": "step-button", "step": ALL}, "n_clicks")),
        ("togglePhase", Input({"type": "phase-button", "phase": ALL}, "n_clicks")),
        ("togglePlay", Input(Ids.PLAY, "n_clicks")),
        ("setSpeed", Input(Ids.SPEED, "value")),
        ("showFindings", Input(Ids.FINDINGS, "data")),
    ):
        in_browser(app, f"mcts.{function}", input_)
