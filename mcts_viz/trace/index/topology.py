"""Who is whose child, by the index of a trace: nothing is built, nothing is kept."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mcts_viz.trace.deferred import DeferredColumn
from mcts_viz.trace.index.shape import IndexedTree
from mcts_viz.trace.topology import Topology
from mcts_viz.types import Wholes


class IndexedTopology(Topology):
    """Children and depths of all nodes of a trace that will not grow."""

    def __init__(self, tree: IndexedTree) -> None:
        self.tree, self._parent, self.n_nodes = tree, tree.parent, tree.n_nodes
        self._tree = tree

    @property
    def depth(self) -> npt.NDArray[np.int32]:
        """[N] from the root, computed when they are read."""
        return self.first_depths(self.n_nodes)

    def first_depths(self, n_nodes: int) -> npt.NDArray[np.int32]:
        """[n_nodes] depths of the first nodes, computed when they are read."""
        depth = self._tree.depth
        return DeferredColumn(
            n_nodes, np.int32,
            lambda nodes: depth[nodes].astype(np.int32), lambda begin, end: depth[begin:end].astype(np.int32),
        ).as_array  # fmt: skip

    def depths_between(self, begin: int, end: int) -> Wholes:
        """Depths of neighbouring nodes, as they stand in the index."""
        return self._tree.depth[begin:end]

    def children(self, node: int, n_nodes: int) -> npt.NDArray[np.int32]:
        """Ids of the children of `node` among the first `n_nodes` nodes, ascending."""
        return self._tree.children(node, n_nodes)

    def subtree(self, node: int, n_nodes: int) -> npt.NDArray[np.int32]:
        """Ids of `node` and of all below it among the first `n_nodes` nodes, level by level."""
        return self._tree.subtree(node, n_nodes)
