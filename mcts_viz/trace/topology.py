"""Who is whose child: the shape of a trace's tree, independent of the iteration.

The tree after t iterations is a prefix of the node columns, so one index serves every t.
"""

from __future__ import annotations

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
