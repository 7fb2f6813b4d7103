"""The live tree of a search, by a route of its own: one iteration a chunk, copied after each."""

from typing import Any
from unittest import mock

import numpy as np
import numpy.typing as npt

from mcts_viz.engine import search as engine
from mcts_viz.engine.search import Chunk, Search, run
from tests.searches import tree_columns

Column = npt.NDArray[Any]


def live_trees(plan: Search) -> list[dict[str, Column]]:
    """[T] the rows in use of the tree's columns after iteration 1, 2, …"""
    trees: list[dict[str, Column]] = []

    def copy(chunk: Chunk) -> None:
        assert (chunk.n, chunk.first) == (1, len(trees))
        columns = tree_columns(chunk.tree)
        trees.append({name: column.copy() for name, column in columns.items()})

    with mock.patch.object(engine, "MOST_CHUNK", 1), mock.patch.object(engine, "FIRST_CHUNK", 1):
        run(plan, copy)
    return trees


def branch_into(tree: dict[str, Column], node: int) -> int:
    """The branch that leads into a node: the root's own, or the one whose child it is."""
    (branch,) = [0] if node == 0 else np.flatnonzero(tree["branch_child"] == node).tolist()
    return int(branch)


def same(a: Any, b: Any) -> bool:
    """Equal in type, shape and every value; nan equals nan."""
    a, b = np.asarray(a), np.asarray(b)
    return a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
