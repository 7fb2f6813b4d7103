"""The statistics of a tree after an iteration, computed for the nodes that are asked for."""

from __future__ import annotations

import functools

import numpy as np

from mcts_viz.trace.deferred import DeferredColumn
from mcts_viz.trace.index.told import NodeUpdates
from mcts_viz.trace.index.tree import TreeIndex
from mcts_viz.trace.sums import Sums
from mcts_viz.types import Ints, Numbers

MANY = 20  # once one node in this many has been asked for, all are computed
MANY_IN_ORDER = 200  # the same where values are added one by one
MANY_TOLD = 4  # the same where updates are told, of which all would have to be added up


def deferred_sums(index: TreeIndex | NodeUpdates, t: int, squares: bool) -> Sums:
    """Of all nodes after iteration t."""
    n, many = int(index.n_nodes_after(t)), MANY_TOLD
    if isinstance(index, TreeIndex):
        many = MANY if index.ordered is None else MANY_IN_ORDER
    whole = functools.cache(lambda: index.whole(t, squares))
    some = functools.lru_cache(4)(
        lambda wanted: index.sums(np.frombuffer(wanted, np.int64), t, squares)
    )

    at_the_end = t >= index.n_iterations

    def column(name: str, dtype: type[np.generic]) -> DeferredColumn:
        def of(rows: Ints) -> Numbers:
            if at_the_end and name == "visits":
                return index.final_visits(rows)
            if len(rows) * many > n and len(rows) > 1:
                return np.asarray(getattr(whole(), name)[rows])
            return np.array(getattr(some(rows.tobytes()), name))

        def span(begin: int, end: int) -> Numbers:
            is_known = at_the_end and name == "visits" and isinstance(index, NodeUpdates)
            if is_known or (end - begin) * many <= n:
                return of(np.arange(begin, end))
            return np.array(getattr(whole(), name)[begin:end])

        return DeferredColumn(n, dtype, of, span)

    return Sums(
        column("visits", np.int32).as_array,
        column("value_sum", np.float64).as_array,
        column("square_sum", np.float64).as_array if squares else None,
    )
