"""The whole tree at once, as an icicle: a level a row, a node as wide as its visits at the iteration shown.

Of a run of iterations the nodes are chosen that are at least a pixel wide in one of them; the children left out of a
node are one stub, so that no visit is lost. Knows neither pixels on a screen nor colours: the browser turns visits into
widths, at every iteration.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from mcts_viz.errors import PageError
from mcts_viz.trace.index.told import NodeUpdates
from mcts_viz.trace.index.tree import TreeIndex
from mcts_viz.trace.statistics import visits_between
from mcts_viz.types import Ints
from mcts_viz.views.layout import depths, levels
from mcts_viz.views.view_nodes import visible_in
from mcts_viz.views.view_spec import ViewSpec
from mcts_viz.views.visible import Visible, nearest_mark, visible_items
from mcts_viz.views.window import (
    Window,
    item_totals,
    last_visits,
    last_visits_of_items,
    window_of,
)

if TYPE_CHECKING:
    from mcts_viz.trace.columns import Columns
    from mcts_viz.trace.snapshot import Snapshot

ITEMS_AT_MOST = 20_000
MAX_WIDTH = 8_192  # pixels


class Icicle(NamedTuple):
    """V nodes and S stubs, and what they do in a run of n iterations."""

    visible: Visible
    window: Window
    order: npt.NDArray[np.int32]  # [V + S] by level, then from left to right
    level_start: npt.NDArray[np.int32]  # [D + 2] where each level begins in `order`
    n_below: npt.NDArray[np.int32]  # [n + 1] nodes of the focus' subtree, itself included
    least: int  # visits that a node needs at the end of the run to be here


def icicle(
    columns: Columns,
    base: Snapshot,
    last: int,
    final_visits: npt.NDArray[np.int32],
    focus: int = 0,
    width: int = 1_024,
    lasts: bool = False,
) -> Icicle:
    """The icicle of iterations `base.iteration` to `last`, `width` pixels wide, with `focus` as its topmost node.

    `final_visits` [N] put siblings in the order in which the tree has them. With `lasts` the window tells the last
    visits, which costs a pass over all updates before it. Raises PageError for an unknown focus.
    """
    first = base.iteration
    if not 0 <= focus < len(final_visits):
        raise PageError(
            f"focus={focus}: no such node in this trace, whose nodes are 0 to {len(final_visits) - 1}"
        )
    if not 1 <= width <= MAX_WIDTH:
        raise PageError(f"width={width}: choose a number of pixels from 1 to {MAX_WIDTH:,}")
    before = int(base.visits[focus]) if focus < len(base) else 0
    least = max(1, -(-before // width))
    spec, n_nodes = (
        ViewSpec(budget=ITEMS_AT_MOST, focus=focus, least=least),
        int(columns.node_count[last]),
    )
    tree, statistics = columns.tree, columns.statistics
    if tree is None or statistics is None:
        visits = _visits_at_end(columns, base, last, max(n_nodes, focus + 1))
        visible = visible_items(columns.nodes.parent, visits, spec)
    else:
        visits_then = functools.partial(_visits_then, statistics, last)
        visible = visible_in(tree, max(n_nodes, focus + 1), visits_then, spec)
    weight = np.concatenate(
        [final_visits[visible.node[: visible.n_nodes]], np.full(len(visible) - visible.n_nodes, -1)]
    )
    order, level_start = levels(visible.parent, depths(visible.parent), weight.astype(np.int64))
    totals = item_totals(visible, base)
    if lasts:
        found = last_visits_of_items(visible, last_visits(columns, first))
        totals = totals._replace(last_visit=found)
    window = window_of(columns, visible, visible.tracked, totals, first, last)
    n_below = _sizes(columns, focus, first, last)
    return Icicle(visible, window, order, level_start, n_below, least)


def _visits_at_end(
    columns: Columns, base: Snapshot, last: int, n_nodes: int
) -> npt.NDArray[np.int32]:
    """[n_nodes] visits after iteration `last`."""
    visits = visits_between(columns, base.iteration, last, n_nodes).astype(np.int32)
    visits[: len(base)] += base.visits
    return visits


def _visits_then(statistics: TreeIndex | NodeUpdates, t: int, nodes: Ints) -> npt.NDArray[np.int32]:
    """[k] visits of nodes after iteration t."""
    return statistics.sums(nodes, t).visits.astype(np.int32)


def _sizes(columns: Columns, focus: int, first: int, last: int) -> npt.NDArray[np.int32]:
    """[last - first + 1] nodes in the focus' subtree after each iteration."""
    n_existing = columns.node_count[first : last + 1]
    if focus == 0:
        return n_existing.astype(np.int32)
    tree = columns.tree
    if tree is not None:
        place = int(tree.place[focus])
        below = np.sort(tree.node[place : place + int(tree.size[place])])
        return np.searchsorted(below, n_existing).astype(np.int32)
    mark = np.zeros(int(n_existing[-1]), np.int8)
    if focus >= len(mark):
        return np.zeros(len(n_existing), np.int32)
    mark[focus] = 1
    inside = nearest_mark(mark, columns.nodes.parent[: len(mark)])
    return np.concatenate([[0], np.cumsum(inside, dtype=np.int32)])[n_existing].astype(np.int32)
