"""The statistics of some nodes before some iterations, asked of a trace's index: for a few of many iterations, where
going through all of them takes long.

Knows nothing of paths, nor of what is right or wrong.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.trace.index.tree import TreeIndex
from mcts_viz.trace.sums import Sums
from mcts_viz.types import Bools, Ints


class IndexedStatistics:
    """Of a trace whose sums are free of rounding. Iterations that rise are asked for fastest."""

    def __init__(self, index: TreeIndex) -> None:
        self._index = index

    def before(self, node: Ints, iteration: Ints, squares: bool = False) -> Sums:
        """[k] of nodes as they were before an iteration each; none of a node that was not there yet."""
        node, iteration = np.broadcast_arrays(node, iteration)
        found = Sums.zeros(len(node), squares, visits=np.int64)
        for rows in _groups(iteration):
            known = self._index.sums(node[rows], int(iteration[rows[0]]) - 1, squares)
            found.visits[rows], found.value_sum[rows] = known.visits, known.value_sum
            if found.square_sum is not None:
                found.square_sum[rows] = known.square_sum
        return found

    def visits_before(self, node: Ints, iteration: Ints) -> Ints:
        """[k] their visits alone."""
        return np.asarray(self.before(node, iteration).visits)

    def repeats(self, parent: Ints, child: Ints, iteration: Ints) -> Bools:
        """[k] whether the last iteration before these that came by the parent took this child, too."""
        found = np.zeros(len(parent), np.bool_)
        for rows in _groups(iteration):
            last = self._index.last_visits(parent[rows], int(iteration[rows[0]]) - 1)
            for row, node, at in zip(rows.tolist(), parent[rows].tolist(), last.tolist()):
                if at:
                    taken = self._index.branch_taken(node, np.array([at]))
                    found[row] = bool(taken[0] == child[row])
        return found


def _groups(number: Ints) -> Iterator[Ints]:
    """Places of equal numbers, which are looked at together."""
    order = np.argsort(number, kind="stable")
    yield from np.split(order, np.flatnonzero(np.diff(number[order])) + 1) if len(order) else ()
