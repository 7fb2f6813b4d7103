"""The foot of a dialog that starts something long: what is wrong with the form, progress, Stop and the button that
begins."""

from __future__ import annotations

from typing import Any, NamedTuple

import dash_mantine_components as dmc
from dash import html

from mcts_viz.web.attributes import aria
from mcts_viz.web.ids import Ids

HIDE, SHOW = {"display": "none"}, {"display": "block"}
TICK = 250  # milliseconds between two looks at what runs


class FootIds(NamedTuple):
    """Its parts."""

    error: Ids
    bar: Ids
    progress: Ids
    stop: Ids
    start: Ids


def foot(ids: FootIds, begin: str, what: str) -> list[Any]:
    """`begin`: the button's word; `what` runs, for screen readers."""
    return [
        html.Div(id=ids.error.value, className="form-error", role="alert"),
        dmc.Progress(id=ids.bar.value, value=0, style=HIDE, **aria(f"progress of the {what}")),
        dmc.Group(
            justify="flex-end",
            wrap="nowrap",
            children=[
                html.Div(id=ids.progress.value, className="dim grow", role="status"),
                dmc.Button("Stop", id=ids.stop.value, variant="default", disabled=True),
                dmc.Button(begin, id=ids.start.value),
            ],
        ),
    ]
