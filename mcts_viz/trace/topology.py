"""Who is whose child: the shape of a trace's tree, independent of the iteration.

The tree after t iterations is a prefix of the node columns, so one index serves every t.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt


class Topology:
    """Children and depths of N nodes from their parents' ids (root: −1, parent < child). Built in
    O(N log depth)."""

    def __init__(self, parent: npt.NDArray[np.int32]) -> None:
        self.n_nodes = len(parent)
        self._parent = parent
        # stable: the children of a node stand in the order of their ids, so that a prefix of them
        # is enough for any t
        self._order = np.argsort(parent, kind="stable").astype(np.int32)
        counts = np.bincount(parent + 1, minlength=self.n_nodes + 1)
        self._start = np.concatenate(([0], np.cumsum(counts)))
        self.depth = depths(parent)  # [N] int32, root 0

    def children(self, node: int, n_nodes: int) -> npt.NDArray[np.int32]:
        """Ids of the children of `node` among the first `n_nodes` nodes, ascending."""
        ids = self._order[self._start[node + 1] : self._start[node + 2]]
        return ids[: np.searchsorted(ids, n_nodes)]

    def count_children(
        self, nodes: npt.NDArray[np.integer], n_nodes: npt.NDArray[np.integer]
    ) -> npt.NDArray[np.int64]:
        """[K] how many children each of K nodes has among the first `n_nodes` (one number a node)
        nodes."""
        begin, high = self._start[nodes + 1], self._start[nodes + 2]
        low = begin.copy()
        open_ = np.flatnonzero(low < high)
        while len(open_):  # halving all intervals at once
            middle = (low[open_] + high[open_]) // 2
            older = self._order[middle] < n_nodes[open_]
            low[open_[older]] = middle[older] + 1
            high[open_[~older]] = middle[~older]
            open_ = open_[low[open_] < high[open_]]
        return np.asarray(low - begin)

    def first_children(
        self, nodes: npt.NDArray[np.integer], counts: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.int32]:
        """The oldest children of each of K nodes, as many as its count says, ids ascending, one node
        after another."""
        first = self._start[nodes + 1] - np.cumsum(counts) + counts
        return np.asarray(self._order[np.arange(int(counts.sum())) + np.repeat(first, counts)])

    def families(
        self, most: int
    ) -> Iterator[tuple[npt.NDArray[np.int32], npt.NDArray[np.int64], npt.NDArray[np.int32]]]:
        """(parents [K], where the children of each begin [K], children) part by part, with up to
        `most` children unless one node has more; parents ascending, children of each too."""
        begin = 1  # the root, whose parent is −1, comes first
        while begin < self.n_nodes:
            end = min(begin + most, self.n_nodes)
            if end < self.n_nodes:  # whole families only
                last = int(self._parent[self._order[end]])
                end = int(self._start[last + 1])
                if end == begin:  # a single large one
                    end = int(self._start[last + 2])
            children = self._order[begin:end]
            parent = self._parent[children]
            first = np.flatnonzero(np.diff(parent, prepend=-1))
            yield parent[first], first, children
            begin = end

    def subtree(self, node: int, n_nodes: int) -> npt.NDArray[np.int32]:
        """Ids of `node` and of all below it among the first `n_nodes` nodes, level by level; costs as
        much as the subtree is large and deep."""
        levels = [np.array([node], np.int32)]
        while levels[-1].size:
            start, end = self._start[levels[-1] + 1], self._start[levels[-1] + 2]
            n = end - start
            places = np.arange(n.sum()) + np.repeat(start - np.cumsum(n) + n, n)
            below = self._order[places]
            levels.append(below[below < n_nodes])
        return np.concatenate(levels)

    def path(self, node: int) -> list[int]:
        """Ids from the root to `node`."""
        path = [node]
        while path[-1] != 0:
            path.append(int(self._parent[path[-1]]))
        return path[::-1]


def depths(parent: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """[N] distance from the root, by pointer jumping: log₂(depth) passes over all nodes, no
    recursion."""
    ancestor = parent.copy()
    depth = (ancestor >= 0).astype(np.int32)
    unfinished = np.flatnonzero(ancestor >= 0)
    while unfinished.size:
        above = ancestor[unfinished]
        depth[unfinished] += depth[above]
        ancestor[unfinished] = ancestor[above]
        unfinished = unfinished[ancestor[unfinished] >= 0]
    return depth
