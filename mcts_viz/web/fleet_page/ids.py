"""Ids of the components of the page on a fleet; those that both pages have are in `web/ids.py`. The JavaScript in
`assets/fleet` uses the same names.
"""

from __future__ import annotations

from enum import Enum


class FleetIds(str, Enum):
    """A component's id. Python 3.10 has no StrEnum; the value is the string."""

    ASKED = "fleet-asked"  # store: what is shown, as `Asked.read` takes it
    PICKED = "fleet-picked"  # store: the searches beside one another, and the theme
    TABLE = "fleet-table"
    COUNT = "fleet-count"
    CLEAR = "fleet-clear"
    COLUMNS = "fleet-columns"
    TABS = "fleet-tabs"
    QUESTIONS = "fleet-questions"
    ANSWER = "fleet-answer"
    ANSWER_FIGURE = "fleet-answer-figure"
    ANSWER_KEYS = "fleet-answer-keys"  # store: what identifies each row of the answer
    BOARDS = "fleet-boards"
    CURVES = "fleet-curves"
    CURVES_NOTE = "fleet-curves-note"
    TREES = "fleet-trees"

    def __str__(self) -> str:
        return self.value


def bar_column(place: int) -> str:
    """Id of the box that says of which column a histogram is."""
    return f"fleet-bars-{place}"


def bar_figure(place: int) -> str:
    """Id of the histogram itself."""
    return f"fleet-histogram-{place}"
