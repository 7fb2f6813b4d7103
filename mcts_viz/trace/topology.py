"""Who is whose child: the shape of a trace's tree, independent of the iteration.

The tree after t iterations is a prefix of the node columns, so one index serves every t.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from mcts_viz.trace.depths import fill_depths
from mcts_viz.types import Wholes

if TYPE_CHECKING:
    from mcts_viz.trace.index.shape import IndexedTree

MOST_SORTED_AGAIN = 1 << 18  # nodes: what a growing tree may sort anew for one that has come
FEW = 128  # questions, for which looking through all nodes takes less time than sorting them


class _ByParent(NamedTuple):
    """Some nodes by parent."""

    order: npt.NDArray[np.int32]  # [k] ids, by parent, those of one parent rising
    parent: npt.NDArray[np.int32]  # [k] of each of these, so that a search finds its children


class _Run:
    """Some nodes with successive ids. They are sorted by parent once that costs less than looking through them: of a
    trace that grows fast, hardly anything is asked before it has grown again."""

    def __init__(self, parent: npt.NDArray[np.int32], first: int) -> None:
        """The nodes from `first` on."""
        self.first = first
        self._above = parent[first:]
        self._n_looked_through = 0  # times
        self._sorted: _ByParent | None = None

    def children(self, node: int) -> npt.NDArray[np.int32]:
        """Ids of the children of `node`, rising."""
        if self._sorted is None and self._n_looked_through < FEW:
            self._n_looked_through += 1
            found = np.flatnonzero(self._above == node) + self.first
            return found.astype(np.int32)
        run = self.by_parent
        # another type would copy the column
        start, end = run.parent.searchsorted(np.array([node, node + 1], np.int32))
        return run.order[start:end]

    @property
    def by_parent(self) -> _ByParent:
        """The nodes, sorted."""
        if self._sorted is None:
            # stable: the children of a node stand in the order of their ids, so that a prefix of them is
            # enough for any t
            order = np.argsort(self._above, kind="stable").astype(np.int32)
            self._sorted = _ByParent(order + np.int32(self.first), self._above[order])
        return self._sorted


class Topology:
    """Children and depths of N nodes from their parents' ids (root: −1, parent < child). Built in
    O(N), or O(N log N) once much is asked; never changes, a longer one comes of `grown`."""

    tree: IndexedTree | None = None  # of a long trace, by its index

    def __init__(self, parent: npt.NDArray[np.int32]) -> None:
        self._take(parent, (_Run(parent, 0),), None)

    def grown(self, parent: npt.NDArray[np.int32]) -> Topology:
        """The one of more nodes, the first N of which are these: costs as much as there are new ones."""
        topology = Topology.__new__(Topology)
        runs, first = list(self._runs), self.n_nodes
        # runs as long as what comes after them are sorted again with it: so there are never many
        while runs and len(parent) - runs[-1].first <= MOST_SORTED_AGAIN:
            if first - runs[-1].first > len(parent) - first:
                break
            first = runs.pop().first
        runs.append(_Run(parent, first))
        topology._take(parent, tuple(runs), self._depth)
        return topology

    def _take(
        self,
        parent: npt.NDArray[np.int32],
        runs: tuple[_Run, ...],
        depth: npt.NDArray[np.int32] | None,
    ) -> None:
        self.n_nodes = len(parent)
        self._parent, self._runs = parent, runs
        self._depth = depth  # of the first nodes, as far as they were asked for

    @property
    def depth(self) -> npt.NDArray[np.int32]:
        """[N] from the root, which has 0; worked out when it is asked for, from where it was asked for last."""
        found = self._depth
        if found is None or len(found) < self.n_nodes:
            known = np.zeros(1, np.int32) if found is None else found
            found = np.zeros(self.n_nodes, np.int32)
            found[: len(known)] = known
            fill_depths(self._parent, len(known), self.n_nodes, found)
            self._depth = found
        return found

    def children(self, node: int, n_nodes: int) -> npt.NDArray[np.int32]:
        """Ids of the children of `node` among the first `n_nodes` nodes, ascending."""
        found = [run.children(node) for run in self._runs if run.first < n_nodes]
        ids = found[0] if len(found) == 1 else np.concatenate(found)
        return ids[: np.searchsorted(ids, n_nodes)]

    def subtree(self, node: int, n_nodes: int) -> npt.NDArray[np.int32]:
        """Ids of `node` and of all below it among the first `n_nodes` nodes, level by level; costs as
        much as the subtree is large and deep."""
        levels = [np.array([node], np.int32)]
        while levels[-1].size:
            below = np.concatenate([_below(run.by_parent, levels[-1]) for run in self._runs])
            levels.append(below[below < n_nodes])
        return np.concatenate(levels)

    def first_depths(self, n_nodes: int) -> npt.NDArray[np.int32]:
        """[n_nodes] depths of the first nodes."""
        return self.depth[:n_nodes]

    def depths_between(self, begin: int, end: int) -> Wholes:
        """Depths of neighbouring nodes, in the type that they are kept in: for who looks through all."""
        return self.depth[begin:end]

    def path(self, node: int) -> list[int]:
        """Ids from the root to `node`."""
        path = [node]
        while path[-1] != 0:
            path.append(int(self._parent[path[-1]]))
        return path[::-1]


def _below(run: _ByParent, nodes: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """Children of these nodes in a run."""
    start = run.parent.searchsorted(nodes)
    n = run.parent.searchsorted(nodes, side="right") - start
    places = np.arange(n.sum()) + np.repeat(start - np.cumsum(n) + n, n)
    below: npt.NDArray[np.int32] = run.order[places]
    return below
