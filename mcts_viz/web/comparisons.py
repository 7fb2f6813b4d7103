"""Comparisons for the page: two traces are matched once, and looked at after any iterations of theirs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from dash.exceptions import PreventUpdate

from mcts_viz.analysis.comparison import Matched, TreeComparison, compare_at, match
from mcts_viz.analysis.first_difference import resumed_at
from mcts_viz.views.comparison_figure import Union, union_layout
from mcts_viz.web.library import Library
from mcts_viz.web.view_routes import Cache

PAIRS_KEPT = 3  # of traces; each keeps both of them in memory
LAYOUTS_KEPT = 12


class _Pair(NamedTuple):
    matched: Matched
    layouts: Cache  # by selected node


class Compared(NamedTuple):
    """What the page looks at."""

    told: TreeComparison
    union: Union
    at_b: int  # B's iteration
    selected: int | None  # union id


class Comparisons:
    """Matched traces and their layouts, the last few. Thread-safe."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._pairs = Cache(PAIRS_KEPT)

    def at(self, cursor: Mapping[str, Any] | None, wanted: Mapping[str, Any] | None) -> Compared:
        """The trace at the cursor beside the one wanted; a callback while nothing is compared does nothing. Raises
        MctsVizError."""
        if not cursor or not cursor.get("trace") or not wanted or not wanted.get("b"):
            raise PreventUpdate
        a, b = self._library.trace(cursor["trace"]), self._library.trace(wanted["b"])
        # the pair keeps both traces, so that their ids are nobody else's
        version = (id(a), a.n_iterations, id(b), b.n_iterations)
        matched, layouts = self._pairs.get(version, lambda: _Pair(match(a, b), Cache(LAYOUTS_KEPT)))
        at_a = min(int(cursor.get("iteration") or 0), a.n_iterations)
        asked = in_step(matched, at_a) if wanted.get("at") is None else int(wanted["at"])
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
