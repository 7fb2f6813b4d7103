"""A stretch of a search, laid out for checking: every step of every selected path with what it
added, and what any node's statistics were before any of its iterations. Flat columns.

A step is a node on the path of an iteration. Knows nothing of what is right or wrong, and nothing
of iterations outside, beside the statistics that they leave.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mcts_viz.trace.columns import Columns

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


class Steps(NamedTuple):
    """All steps of a stretch, S of them, iteration by iteration, root first."""

    iteration: Ints  # [S] t, from 1
    node: Ints  # [S]
    is_leaf: Bools  # [S]
    visits: Ints  # [S] added in this iteration
    value: Floats  # [S] added in this iteration, view of the player who moved into the node


class Updates(NamedTuple):
    """What the stretch added, one row for each iteration and node, U of them, in that order."""

    iteration: Ints  # [U]
    node: Ints  # [U]
    visits: Ints  # [U]
    value: Floats  # [U] view of the player who moved into the node
    key: Ints  # [U] ascending, see `Stretch.key`


class Statistics(NamedTuple):
    """Of nodes at some time; `square_sum` is the sum of the squares of what was added."""

    visits: Ints
    value_sum: Floats
    square_sum: Floats

    @staticmethod
    def none(n: int) -> Statistics:
        """Of n nodes before anything was added."""
        return Statistics(np.zeros(n, np.int64), np.zeros(n), np.zeros(n))


class Stretch:
    """The iterations `first` to `last`, both included.

    begun: [N] statistics before the first of them, which stay as they are until the stretch is
    `passed`.
    """

    def __init__(
        self, columns: Columns, depth: npt.NDArray[np.int32], first: int, last: int,
        begun: Statistics,
    ) -> None:  # fmt: skip
        self._columns, self._depth, self._begun = columns, depth, begun
        self.first, self.last = first, last
        self._n_nodes = columns.n_nodes

    @property
    def n(self) -> int:
        """Number of iterations."""
        return self.last - self.first + 1

    @property
    def leaf(self) -> Ints:
        """[n]."""
        return np.asarray(self._columns.leaf[self.first - 1 : self.last], np.int64)

    @property
    def result(self) -> Floats:
        """[n] as recorded, view of player 0; nan: none."""
        return np.asarray(self._columns.result[self.first - 1 : self.last], np.float64)

    def node_count(self, iteration: Ints) -> Ints:
        """Nodes that there were before each of the iterations."""
        return np.asarray(self._columns.node_count[iteration - 1], np.int64)

    def key(self, iteration: Ints, node: Ints) -> Ints:
        """One number for each pair, ascending by iteration, then by node."""
        return (iteration - self.first) * self._n_nodes + node

    @cached_property
    def updates(self) -> Updates:
        """What was added, put together by iteration and node."""
        columns = self._columns
        offset = columns.update_offset[self.first - 1 : self.last + 1]
        rows = slice(int(offset[0]), int(offset[-1]))
        iteration = np.repeat(np.arange(self.first, self.last + 1), np.diff(offset))
        key = self.key(iteration, columns.update_node[rows].astype(np.int64))
        visits = columns.update_visits[rows].astype(np.int64)
        value = columns.update_value[rows]
        if not np.all(np.diff(key) > 0):  # several updates of a node, or not root first
            order = np.argsort(key, kind="stable")
            key = key[order]
            begin = np.flatnonzero(np.diff(key, prepend=-1))
            visits = np.add.reduceat(visits[order], begin) if len(begin) else visits
            value = np.add.reduceat(value[order], begin) if len(begin) else value
            key = key[begin]
        iteration, node = np.divmod(key, self._n_nodes)
        return Updates(iteration + self.first, node, visits, value, key)

    @cached_property
    def steps(self) -> Steps:
        """Every node of every path."""
        leaf = self.leaf
        length = self._depth[leaf].astype(np.int64) + 1
        end = np.cumsum(length)
        node = np.zeros(int(length.sum()), np.int64)
        at, place = leaf, end - 1
        node[place] = at
        parent = self._columns.parent
        while len(at):
            above = parent[at]
            going = above >= 0
            at, place = above[going], place[going] - 1
            node[place] = at
        iteration = np.repeat(np.arange(self.first, self.last + 1), length)
        is_leaf = np.zeros(len(node), np.bool_)
        is_leaf[end - 1] = True
        visits, value = np.zeros(len(node), np.int64), np.zeros(len(node))
        updates = self.updates
        if len(updates.key):
            key = self.key(iteration, node)
            row = np.minimum(np.searchsorted(updates.key, key), len(updates.key) - 1)
            found = updates.key[row] == key
            visits[found], value[found] = updates.visits[row[found]], updates.value[row[found]]
        return Steps(iteration, node, is_leaf, visits, value)

    def updates_off_path(self) -> Ints:
        """Indices of updates whose node is not on the path of their iteration."""
        key, updates = self.key(self.steps.iteration, self.steps.node), self.updates
        if not len(key):
            return np.arange(len(updates.key))
        row = np.minimum(np.searchsorted(key, updates.key), len(key) - 1)
        return np.flatnonzero(key[row] != updates.key)

    # statistics at any time

    def before(self, node: Ints, iteration: Ints) -> Statistics:
        """Of nodes as they were before the iteration, which may be that after the last, too."""
        key, row_node, after = self._running
        row = np.searchsorted(key, node * (self.n + 1) + (iteration - self.first)) - 1
        there = (row >= 0) & (row_node[row] == node)  # row −1 is nobody's
        return Statistics(*(
            np.where(there, later[row], earlier[node])
            for later, earlier in zip(after, self._begun)
        ))  # fmt: skip

    @cached_property
    def _running(self) -> tuple[Ints, Ints, Statistics]:
        """Rows node by node, then by iteration: their keys, their nodes, and the statistics after
        them; one row more at the end, nobody's."""
        updates = self.updates
        order = np.argsort(updates.node, kind="stable")
        node = updates.node[order]
        key = node * (self.n + 1) + (updates.iteration[order] - self.first)
        first = np.flatnonzero(np.diff(node, prepend=-1))
        lengths = np.diff(first, append=len(order))

        def running(column: npt.NDArray[Any], begun: npt.NDArray[Any]) -> npt.NDArray[Any]:
            total = np.cumsum(column)
            offset = begun[node[first]] - (total[first] - column[first])
            return np.append(total + np.repeat(offset, lengths), 0)

        value = updates.value[order]
        after = Statistics(*(
            running(column, begun)
            for column, begun in zip((updates.visits[order], value, value**2), self._begun)
        ))  # fmt: skip
        return key, np.append(node, -1), after

    def passed(self) -> None:
        """Add what the stretch added to the statistics that it began with."""
        updates = self.updates
        added = (updates.visits, updates.value, updates.value**2)
        for column, more in zip(self._begun, added):
            np.add.at(column, updates.node, more)
