"""TraceComparisons for the page: two traces are matched once, and looked at after any iterations of theirs."""

from __future__ import annotations

from typing import NamedTuple, TypedDict

from dash.exceptions import PreventUpdate

from mcts_viz.analysis.comparison.first_difference import resumed_at
from mcts_viz.analysis.comparison.trees import Matched, TreeComparison, compare_at, match
from mcts_viz.views.comparison_figure import Union, union_layout
from mcts_viz.web.cache import Cache
from mcts_viz.web.cursor import Cursor, iteration_of, open_trace
from mcts_viz.web.library import Library

PAIRS_KEPT = 3  # of traces; each keeps both of them in memory
LAYOUTS_KEPT = 12


class ComparisonChoice(TypedDict, total=False):
    """What is chosen on the page; what is missing or null is not chosen."""

    b: str | None  # key of the other trace
    at: int | None  # its iteration; None: in step with the first
    selected: int | None  # union id
    colour: str | None
    rank: str | None


class _Pair(NamedTuple):
    matched: Matched
    layouts: Cache  # by selected node


class Compared(NamedTuple):
    """What the page looks at."""

    comparison: TreeComparison
    union: Union
    at_b: int  # B's iteration
    selected: int | None  # union id


class TraceComparisons:
    """Matched traces and their layouts, the last few. Thread-safe."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._pairs = Cache(PAIRS_KEPT)

    def at(self, cursor: Cursor | None, wanted: ComparisonChoice | None) -> Compared:
        """The trace at the cursor beside the one wanted; a callback while nothing is compared does nothing. Raises
        MctsVizError."""
        other = wanted.get("b") if wanted else None
        if not cursor or not wanted or not other:
            raise PreventUpdate
        (_, a), b = open_trace(self._library, cursor), self._library.trace(other)
        # the pair keeps both traces in memory, so no other trace gets their ids
        version = (id(a), a.n_iterations, id(b), b.n_iterations)
        matched, layouts = self._pairs.get(version, lambda: _Pair(match(a, b), Cache(LAYOUTS_KEPT)))
        at_a = iteration_of(cursor, a)
        at = wanted.get("at")
        asked = in_step(matched, at_a) if at is None else int(at)
        at_b = max(0, min(asked, b.n_iterations))
        selected = wanted.get("selected")
        if not (isinstance(selected, int) and 0 <= selected < len(matched.tree.parent)):
            selected = None
        union = layouts.get(None, lambda: union_layout(matched))
        if selected is not None and selected not in union.visible.node[: union.visible.n_nodes]:
            union = layouts.get(selected, lambda: union_layout(matched, selected))
        return Compared(compare_at(matched, at_a, at_b), union, at_b, selected)


def in_step(matched: Matched, at_a: int) -> int:
    """B's iteration when as many have run as in A; a resumed search has had some before its first."""
    return at_a + resumed_at(matched.a.meta) - resumed_at(matched.b.meta)
