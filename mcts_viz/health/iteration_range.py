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


class _NodeRows(NamedTuple):
    """Updates node by node, then by iteration: their keys and nodes, and one node more, which is none."""

    key: Ints  # [U] rising
    node: Ints  # [U + 1]
    order: Ints  # [U] which update each is
    first: Ints  # places of each node's first one


class Given(NamedTuple):
    """What each new node begins with, which no iteration has added."""

    visits: int
    value: float  # their sum, view of the player who moved into the node
    # whether each node has a value of its own, and perhaps visits: then nobody knows what the first visit of a new node
    # has added, and it is taken to be what the node above it got
    own: bool = False


class Views(NamedTuple):
    """In whose view values are."""

    mover: npt.NDArray[np.int8]  # [N] who moved into each node
    alone: bool
    # what two players share: a value in the view of the other one is this less the value
    both: float


class IterationRange:
    """The iterations `first` to `last`, both included.

    leaf: [T] that of each iteration. begun: [N] statistics before the first of them, which stay as they
    are until they are `passed`. given: left out of what paths add, and of updates off the path; views: whose values
    are, which has to be known where each node begins with something of its own. shared: as in the metadata.
    """

    def __init__(
        self, columns: Columns, leaf: npt.NDArray[np.int32], first: int, last: int, begun: Sums,
        given: Given | None = None, shared: str | None = None, views: Views | None = None,
    ) -> None:  # fmt: skip
        self._columns, self._begun, self._given = columns, begun, given
        self._leaf, self._shared, self._views = leaf, shared, views
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
        """Nodes that there were before each of the iterations, which may be that after the last, too."""
        return self._node_counts[iteration - self.first]

    @cached_property
    def _node_counts(self) -> Ints:
        return np.asarray(self._columns.node_count[self.first - 1 : self.last + 1], np.int64)

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
        node = columns.updates.node[rows].astype(np.int64)
        key = self.key(iteration, node)
        visits = columns.updates.visits[rows].astype(np.int64)
        value = columns.updates.value[rows]
        if np.all(np.diff(key) > 0):
            return Updates(iteration, node, visits, value, key)
        # several updates of a node, or not root first
        order = np.argsort(key, kind="stable")
        key = key[order]
        begin = np.flatnonzero(np.diff(key, prepend=-1))
        visits = np.add.reduceat(visits[order], begin)
        value = np.add.reduceat(value[order], begin)
        key = key[begin]
        iteration, node = np.divmod(key, self._n_nodes)
        return Updates(iteration + self.first, node, visits, value, key)

    @cached_property
    def root_visits(self) -> Ints:
        """[n] visits that the root gets in each iteration."""
        at = self.updates.node == 0
        visits = np.zeros(self.n, np.int64)
        visits[self.updates.iteration[at] - self.first] = self.updates.visits[at]
        return visits

    @cached_property
    def _are_paths(self) -> bool:
        """Whether each iteration updated the nodes of its path, and no others."""
        if self._given is not None or not self._columns.paths.are_plain:
            return False
        node, iteration = self.updates.node, self.updates.iteration
        begin = np.searchsorted(iteration, np.arange(self.first, self.last + 2))
        if not np.all(np.diff(begin) > 0):
            return False
        above = self._columns.nodes.parent[node].astype(np.int64)
        ends, first = begin[1:] - 1, begin[:-1]
        follows = above[1:] == node[:-1]
        follows[first[1:] - 1] = True
        return bool(
            np.all(node[first] == 0) and np.all(node[ends] == self.leaf) and np.all(follows)
        )

    @cached_property
    def steps(self) -> PathSteps:
        """Every node of every path."""
        if self._are_paths:
            iteration, node, visits, value, _ = self.updates
            is_leaf = np.append(np.diff(iteration) > 0, True)
            return PathSteps(iteration, node, is_leaf, visits, value)
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
            if self._given.own and self._views is not None:
                _as_above(new, node, visits, value, self._views)
            else:
                visits[new] -= self._given.visits
                value[new] -= self._given.value
        return PathSteps(iteration, node, is_leaf, visits, value)

    def updates_off_path(self) -> Ints:
        """Indices of updates whose node is not on the path of their iteration."""
        if self._are_paths:
            return np.zeros(0, np.int64)
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

    def before(self, node: Ints, iteration: Ints, squares: bool = False) -> Sums:
        """Of nodes as they were before the iteration, which may be that after the last, too. squares: sums of squares
        as well, where the range began with them."""
        at = node * (self.n + 1) + (iteration - self.first)
        return self._after_rows(np.searchsorted(self._rows.key, at) - 1, node, squares)

    def before_steps(self) -> Sums:
        """[S] of each step's node before its iteration."""
        return self._at_steps(0)

    def after_steps(self) -> Sums:
        """[S] of each step's node after its iteration."""
        return self._at_steps(1)

    def _at_steps(self, later: int) -> Sums:
        steps = self.steps
        if not self._are_paths:
            return self.before(steps.node, steps.iteration + later)
        row = np.empty(len(steps.node), np.int64)  # of the update that each step is
        row[self._rows.order] = np.arange(len(row))
        return self._after_rows(row - 1 + later, steps.node)

    def _after_rows(self, row: Ints, node: Ints, squares: bool = False) -> Sums:
        """Of nodes after these rows, where they are rows of theirs; else as they were before the range."""
        there = (row >= 0) & (self._rows.node[row] == node)  # row −1 belongs to no node
        visits, value_sum = self._running
        begun = self._begun
        of_squares = None
        if squares:
            assert begun.square_sum is not None
            of_squares = np.where(there, self._running_squares[row], begun.square_sum[node])
        return Sums(
            np.where(there, visits[row], begun.visits[node]),
            np.where(there, value_sum[row], begun.value_sum[node]),
            of_squares,
        )

    @cached_property
    def _rows(self) -> _NodeRows:
        updates = self.updates
        key = updates.node * (self.n + 1) + (updates.iteration - self.first)
        order = np.argsort(key)  # no two are equal
        node = updates.node[order]
        first = np.flatnonzero(np.diff(node, prepend=-1))
        return _NodeRows(key[order], np.append(node, -1), order, first)

    @cached_property
    def _running(self) -> tuple[Ints, Floats]:
        """Visits and value sums after each row, and one number more, of no node."""
        order, begun = self._rows.order, self._begun
        return (
            self._summed(self.updates.visits[order], begun.visits),
            self._summed(self.updates.value[order], begun.value_sum),
        )

    @cached_property
    def _running_squares(self) -> Floats:
        assert self._begun.square_sum is not None
        return self._summed(self.updates.value[self._rows.order] ** 2, self._begun.square_sum)

    def _summed(self, column: npt.NDArray[Any], begun: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """A column of the rows added up node by node, on top of what each began with."""
        node, first = self._rows.node, self._rows.first
        total = np.cumsum(column)
        offset = begun[node[first]] - (total[first] - column[first])
        return np.append(total + np.repeat(offset, np.diff(first, append=len(column))), 0)

    def passed(self) -> None:
        """Add what the range added to the statistics that it began with."""
        updates = self.updates
        self._begun.add(updates.node, updates.visits, updates.value)


def _as_above(new: Bools, node: Ints, visits: Ints, value: Floats, views: Views) -> None:
    """Give new nodes of paths what the node above them on the path got, each in its own view."""
    for row in np.flatnonzero(new & (node > 0)).tolist():  # from the root downwards
        above = row - 1
        visits[row], value[row] = visits[above], value[above]
        mover = views.mover[node[row]]
        if not views.alone and (mover < 0 or mover != views.mover[node[above]]):
            value[row] = visits[above] * views.both - value[above]
