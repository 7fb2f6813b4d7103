"""The dialog *Help*: keys, mouse, words."""

from __future__ import annotations

from collections.abc import Sequence

from dash import html

from mcts_viz.web.ids import Ids
from mcts_viz.web.panels.elements import Part, dialog, tour_button

MOUSE = (
    ("Click a node", "select it: its numbers and its children stand beside the tree"),
    ("Click + or − under a node, or “+k more”", "show or hide its children"),
    ("Double click a node", "make it the root of the picture; the line above the tree leads back"),
    (
        "Wheel, drag, two fingers",
        "zoom and move the picture, which shows more nodes when it is larger; both survive a step",
    ),
    ("Drag the edge of a panel", "resize it; a double click undoes that"),
    ("Point at a node", "its board and its numbers"),
    ("Click or drag in the timeline", "go to that iteration"),
    ("Drag in the timeline with Shift", "totals of these iterations"),
    ("Hold a finger", "what is there; in the timeline, hold and drag for totals"),
    ("Click a row of a table", "select that node"),
    ("Click a number", "which iterations made it"),
    (
        "Drop a file on the page",
        "open it: a trace, a snapshot's .json, events (.ndjson) or the log of another program",
    ),
)
WORDS = (
    (
        "Iteration",
        "one round of select, expand, simulate and backpropagate; t is the tree after t of them",
    ),
    ("Mean value", "value sum by visits"),
    (
        "View",
        "whose gain values count, chosen above the tree: of the mover, who moved into the node, or of one player. "
        "Selection scores are always the mover's",
    ),
    ("Selection score", "value + exploration: what selection compares among siblings"),
    ("Chosen", "the move that the final-move rule would play now"),
)


def layout() -> Part:
    """The dialog, closed. The browser, which owns the keys, writes their list."""
    return dialog(Ids.HELP, "Help", help_page(), size="auto")


def help_page() -> Part:
    """Keys, written by the browser, beside what the mouse does and what the words mean."""
    return html.Div(
        className="help",
        children=[
            html.P(
                [
                    tour_button("Take the tour", "tour-help"),
                    " One iteration of this search in five steps.",
                ],
                className="help-tour",
            ),
            html.Section([html.H3("Keys"), html.Dl(id="key-list", className="keys")]),
            html.Section(
                [html.H3("Mouse"), definitions(MOUSE), html.H3("Words"), definitions(WORDS)]
            ),
        ],
    )


def definitions(pairs: Sequence[tuple[str, str]]) -> Part:
    """A list of terms, each with its meaning beneath."""
    return html.Dl(
        [part for term, meaning in pairs for part in (html.Dt(term), html.Dd(meaning))],
        className="told",
    )
