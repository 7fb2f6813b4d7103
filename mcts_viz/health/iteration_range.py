"""Some iterations of a search, laid out for checking: every step of every selected path with what it
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
from mcts_viz.trace.sums import Sums
from mcts_viz.types import Bools, Floats, Ints


class PathSteps(NamedTuple):
    """All steps of some iterations, S of them, iteration by iteration, root first."""

    iteration: Ints  # [S] t, from 1
    node: Ints  # [S]
    is_leaf: Bools  # [S]
    visits: Ints  # [S] added in this iteration
    value: Floats  # [S] added in this iteration, view of the player who moved into the node


class Updates(NamedTuple):
    """What the iterations added, one row for each iteration and node, U of them, in that order."""

    iteration: Ints  # [U]
    node: Ints  # [U]
    visits: Ints  # [U]
    value: Floats  # [U] view of the player who moved into the node
    key: Ints  # [U] ascending, see `IterationRange.key`


class Given(NamedTuple):
    """What each new node begins with, which no iteration has added."""

    visits: int
    value: float  # their sum, view of the player who moved into the node


class IterationRange:
    """The iterations `first` to `last`, both included.

    leaf: [T] that of each iteration. begun: [N] statistics before the first of them, which stay as they
    are until they are `passed`. given: left out of what paths add, and of updates off the path. shared: as in the
    metadata.
    """

    def __init__(
        self, columns: Columns, leaf: npt.NDArray[np.int32], first: int, last: int, begun: Sums,
        given: Given | None = None, shared: str | None = None,
    ) -> None:  # fmt: skip
        self._columns, self._begun, self._given = columns, begun, given
        self._leaf, self._shared = leaf, shared
        self.first, self.last = first, last
        self._n_nodes = columns.n_nodes

    @property
    def n(self) -> int:
        """Number of iterations."""
        return self.last - self.first + 1

    @property
    def leaf(self) -> Ints:
        """[n]."""
        return np.asarray(self._leaf[self.first - 1 : self.last], np.int64)

    @property
    def result(self) -> Floats:
        """[n] as recorded, view of player 0; nan: none."""
        return np.asarray(self._columns.outcome[self.first - 1 : self.last], np.float64)

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
        offset = columns.updates.offset[self.first - 1 : self.last + 1]
        rows = slice(int(offset[0]), int(offset[-1]))
        iteration = np.repeat(np.arange(self.first, self.last + 1), np.diff(offset))
        key = self.key(iteration, columns.updates.node[rows].astype(np.int64))
        visits = columns.updates.visits[rows].astype(np.int64)
        value = columns.updates.value[rows]
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
    def steps(self) -> PathSteps:
        """Every node of every path."""
        at, paths = self.leaf, self._columns.paths
        iteration = np.arange(self.first, self.last + 1)
        row, length = paths.begin(iteration, at), np.ones(self.n, np.int64)
        rounds = [(iteration, at)]  # from the leaves upwards
        while len(at):
            at, row = paths.above(iteration, at, row)
            going = at >= 0
            iteration, at, row = iteration[going], at[going], row[going]
            length[iteration - self.first] += 1
            rounds.append((iteration, at))
        end = np.cumsum(length)
        node, place = np.zeros(int(length.sum()), np.int64), end - 1
        for iteration, at in rounds:
            node[place[iteration - self.first]] = at
            place[iteration - self.first] -= 1
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
        if self._given is not None:
            new = self._columns.nodes.born[node] == iteration
            visits[new] -= self._given.visits
            value[new] -= self._given.value
        return PathSteps(iteration, node, is_leaf, visits, value)

    def updates_off_path(self) -> Ints:
        """Indices of updates whose node is not on the path of their iteration."""
        key, updates = self.key(self.steps.iteration, self.steps.node), self.updates
        if not len(key):
            return np.arange(len(updates.key))
        if not self._columns.paths.are_plain:
            # below a shared node ids need not rise
            key = np.sort(np.concatenate([key, self._shared_keys()]))
        row = np.minimum(np.searchsorted(key, updates.key), len(key) - 1)
        off = key[row] != updates.key
        if self._given is not None:
            off &= self._columns.nodes.born[updates.node] != updates.iteration
        return np.flatnonzero(off)

    def _shared_keys(self) -> Ints:
        """Of nodes that paths came to by a further way, and that have numbers of their own."""
        same_as, steps = self._columns.same_as, self.steps
        if same_as is None or self._shared != "nodes":
            return np.zeros(0, np.int64)
        further = np.flatnonzero(same_as[steps.node] >= 0)
        return self.key(steps.iteration[further], same_as[steps.node[further]].astype(np.int64))

    # statistics at any time

    def before(self, node: Ints, iteration: Ints) -> Sums:
        """Of nodes as they were before the iteration, which may be that after the last, too."""
        key, row_node, after = self._running
        row = np.searchsorted(key, node * (self.n + 1) + (iteration - self.first)) - 1
        there = (row >= 0) & (row_node[row] == node)  # row −1 belongs to no node
        return Sums(*(
            np.where(there, later[row], earlier[node])
            for later, earlier in zip(after.with_squares, self._begun.with_squares)
        ))  # fmt: skip

    @cached_property
    def _running(self) -> tuple[Ints, Ints, Sums]:
        """Rows node by node, then by iteration: their keys, their nodes, and the statistics after
        them; one more row at the end, of no node."""
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
        after = Sums(*(
            running(column, begun)
            for column, begun in zip((updates.visits[order], value, value**2), self._begun.with_squares)
        ))  # fmt: skip
        return key, np.append(node, -1), after

    def passed(self) -> None:
        """Add what the range added to the statistics that it began with."""
        updates = self.updates
        self._begun.add(updates.node, updates.visits, updates.value)
