"""The cursor as Python sees it: what the page looks at, read from the store that the browser publishes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from dash.exceptions import PreventUpdate

from mcts_viz.analysis.phases import PHASES
from mcts_viz.trace.snapshot import Snapshot
from mcts_viz.trace.trace import Trace
from mcts_viz.web.library import Library

BEFORE = PHASES[:-1]  # phases in which the tree still has the numbers before the iteration


class Place(NamedTuple):
    """An open trace at the cursor's iteration; at the one before it in the phases before
    backpropagation, so that the panels have the numbers that the tree shows."""

    key: str
    trace: Trace
    snapshot: Snapshot
    node: int

    @property
    def node_exists(self) -> bool:
        """Whether the selected node is in the tree at this iteration."""
        return self.node < self.snapshot.n_nodes


def phase_of(cursor: Mapping[str, Any]) -> str | None:
    """The phase of the iteration that the page shows, None for the iteration as a whole."""
    phase = cursor.get("phase")
    return phase if phase in PHASES else None


def place(library: Library, cursor: Mapping[str, Any] | None) -> Place:
    """Where the cursor is; a callback without a cursor yet does nothing. Raises MctsVizError."""
    if not cursor or not cursor.get("trace"):
        raise PreventUpdate
    trace = library.trace(cursor["trace"])
    iteration = min(int(cursor.get("iteration") or 0), trace.n_iterations)
    if iteration and phase_of(cursor) in BEFORE:
        iteration -= 1
    return Place(cursor["trace"], trace, trace.at(iteration), int(cursor.get("node") or 0))
