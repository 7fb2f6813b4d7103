"""The cursor as Python sees it: what the page looks at, read from the store that the browser publishes."""

from __future__ import annotations

from typing import NamedTuple, TypedDict

from dash.exceptions import PreventUpdate

from mcts_viz.analysis.iteration.phases import PHASES
from mcts_viz.analysis.point_of_view import Viewpoint
from mcts_viz.errors import PageError
from mcts_viz.trace.snapshot import Snapshot
from mcts_viz.trace.trace import Trace
from mcts_viz.views.view_spec import VIEWPOINTS, PageView
from mcts_viz.web.library import Library

BEFORE = PHASES[:-1]  # phases in which the tree still has the numbers before the iteration


class CursorView(TypedDict, total=False):
    """Fields of `PageView`; Python needs only these."""

    focus: int
    viewpoint: str


class Cursor(TypedDict, total=False):
    """A panel's copy of the page's cursor; what is missing or null has its first value. A panel gets a new copy when
    the page has another theme, and when the game-theoretic values are there."""

    trace: str | None  # key
    iteration: int | None
    phase: str | None
    node: int | None
    view: CursorView
    theme: str  # "light" or "dark"


class Place(NamedTuple):
    """An open trace at the cursor's iteration; at the one before it in the phases before
    backpropagation, so that the panels have the numbers that the tree shows."""

    key: str
    trace: Trace
    snapshot: Snapshot
    node: int
    theme: str = "light"
    viewpoint: str = PageView.viewpoint  # of VIEWPOINTS

    @property
    def view(self) -> Viewpoint:
        """Whose view values are shown in."""
        return VIEWPOINTS[self.viewpoint]

    @property
    def node_exists(self) -> bool:
        """Whether the selected node is in the tree at this iteration."""
        return self.node < self.snapshot.n_nodes


def phase_of(cursor: Cursor) -> str | None:
    """The phase of the iteration that the page shows, None for the iteration as a whole."""
    phase = cursor.get("phase")
    return phase if phase in PHASES else None


def theme_of(cursor: Cursor | None) -> str:
    """The theme that the page has."""
    return "dark" if (cursor or {}).get("theme") == "dark" else "light"


def viewpoint_of(cursor: Cursor | None) -> str:
    """The name of the view that values are shown in."""
    found = (view_of(cursor)).get("viewpoint")
    return found if found in VIEWPOINTS else PageView.viewpoint


def open_trace(library: Library, cursor: Cursor | None) -> tuple[str, Trace]:
    """The trace at the cursor and its key; a callback without a cursor yet does nothing. Raises MctsVizError."""
    key = (cursor or {}).get("trace")
    if not key:
        raise PreventUpdate
    if not isinstance(key, str):
        raise PageError(f"trace = {key!r}: the key of a trace is expected")
    return key, library.trace(key, _count("iteration", (cursor or {}).get("iteration")))


def place(library: Library, cursor: Cursor | None) -> Place:
    """Where the cursor is, as `open_trace`."""
    cursor = cursor or {}
    key, trace = open_trace(library, cursor)
    iteration = iteration_of(cursor, trace)
    if iteration and phase_of(cursor) in BEFORE:
        iteration -= 1
    return Place(
        key,
        trace,
        trace.at(iteration),
        _count("node", cursor.get("node")),
        theme_of(cursor),
        viewpoint_of(cursor),
    )


def iteration_of(cursor: Cursor, trace: Trace) -> int:
    """The iteration that the page is at, the trace's last one where that is an earlier one."""
    return min(_count("iteration", cursor.get("iteration")), trace.n_iterations)


def focus_of(cursor: Cursor | None) -> int:
    """The node below which the page shows the tree."""
    return _count("focus", view_of(cursor).get("focus"))


def view_of(cursor: Cursor | None) -> CursorView:
    """How the page shows the tree."""
    view = (cursor or {}).get("view") or {}
    if not isinstance(view, dict):
        raise PageError(f"view = {view!r}: its fields are expected")
    return view


def _count(name: str, found: object) -> int:
    """A number of the cursor, 0 where there is none; raises PageError for what an address can have instead."""
    if found is None:
        return 0
    if type(found) is not int or found < 0:
        raise PageError(f"{name} = {found!r}: a whole number from 0 up is expected")
    return found


def place_in_tab(library: Library, cursor: Cursor | None, shown: str | None, tab: str) -> Place:
    """Where the cursor is, for a callback that is also called when the cursor has not moved: nothing happens while its
    tab is closed, as the tab hears of the cursor when it opens."""
    if shown != tab:
        raise PreventUpdate
    return place(library, cursor)
