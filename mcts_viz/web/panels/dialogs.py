"""Small dialogs: help."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dash_mantine_components as dmc
from dash import Dash, html

from mcts_viz.web.ids import Ids
from mcts_viz.web.library import Library


def layout() -> Any:
    """All of them, closed."""
    return html.Div(
        [
            dmc.Modal(
                id=Ids.HELP.value,
                title="Help",
                size="auto",
                closeButtonProps={"aria-label": "close"},
                children=help_page(),
            ),
        ]
    )


MOUSE = (
    ("Click a node", "select it: its numbers and its children stand beside the tree"),
    ("Click + or − under a node, or “+k more”", "show or hide its children"),
    ("Double click a node", "make it the root of the picture; the line above the tree leads back"),
    ("Wheel, drag", "zoom and move the picture; both survive a step"),
    ("Point at a node", "its board and its numbers"),
    ("Click or drag in the timeline", "go to that iteration"),
    ("Click a row of a table", "select that node"),
    ("Drop a .mcts or .json file on the page", "open it"),
)
WORDS = (
    (
        "Iteration",
        "one round of select, expand, simulate and backpropagate; t is the tree after t of them",
    ),
    ("Mean value", "value sum by visits, in the view of the player who moved into the node"),
    ("UCT score", "value + exploration: what selection compares among siblings"),
    ("Chosen", "the move that the final-move rule would play now"),
)


def help_page() -> Any:
    """Keys, written by the browser, beside what the mouse does and what the words mean."""
    return html.Div(
        className="help",
        children=[
            html.Section([html.H3("Keys"), html.Dl(id="key-list", className="keys")]),
            html.Section(
                [html.H3("Mouse"), definitions(MOUSE), html.H3("Words"), definitions(WORDS)]
            ),
        ],
    )


def definitions(pairs: Sequence[tuple[str, str]]) -> Any:
    """A list of terms, each with its meaning beneath."""
    return html.Dl(
        [part for term, told in pairs for part in (html.Dt(term), html.Dd(told))],
        className="told",
    )


def register(app: Dash, library: Library) -> None:
    """None: the list of keys is written by the browser, which owns the keys."""
