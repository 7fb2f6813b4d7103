"""Some iterations of a search, laid out for checking: every step of every selected path with what it
added, and what any node's statistics were before any of its iterations. Flat columns.

A step is a node on the path of an iteration. Knows nothing of what is right or wrong, and nothing
of iterations outside, beside the statistics that they leave.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mcts_viz.health.range_loops import MIXED, PATHS, RISING, note_order
from mcts_viz.health.statistics_before import (
    SortedStatistics,
    StatisticsBefore,
    StatisticsSoFar,
    SteppedStatistics,
    Updates,
)
from mcts_viz.trace.columns import Columns
from mcts_viz.trace.index.loops import run_compiled
from mcts_viz.trace.sums import Sums
from mcts_viz.types import Bools, Floats, Ints


class PathSteps(NamedTuple):
    """All steps of some iterations, S of them, iteration by iteration, root first."""

    iteration: Ints  # [S] t, from 1
    node: Ints  # [S]
    is_leaf: Bools  # [S]
    visits: Ints  # [S] added in this iteration
    value: Floats  # [S] added in this iteration, view of the player who moved into the node


class _Read(NamedTuple):
    """The updates of a range."""

    updates: Updates
    first_rows: Ints  # [n + 1] where those of each iteration begin
    order: int  # of the nodes, see `note_order`; of a short search MIXED or RISING alone


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

    leaf: [T] that of each iteration. begun: statistics before the first of them, which stay as they
    are until they are `passed`. given: left out of what paths add, and of updates off the path; views: whose values
    are, which has to be known where each node begins with something of its own. shared: as in the metadata.
    """

    def __init__(
        self, columns: Columns, leaf: npt.NDArray[np.int32], first: int, last: int, begun: StatisticsSoFar,
        given: Given | None = None, shared: str | None = None, views: Views | None = None,
        is_long: bool = False,
    ) -> None:  # fmt: skip
        """is_long: whether the search has so many iterations that loops over them are compiled."""
        self._columns, self._begun, self._given = columns, begun, given
        self._is_long = is_long
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

    @property
    def updates(self) -> Updates:
        """What was added, put together by iteration and node."""
        return self._read.updates

    @cached_property
    def keys(self) -> Ints:
        """[U] of the updates, see `key`; ascending."""
        return self.key(self.updates.iteration, self.updates.node)

    @cached_property
    def is_plain(self) -> bool:
        """Whether each iteration added one visit to each node of its path, and nothing to others."""
        if not self._may_be_paths:
            return False
        return self._adds_plainly or (self.are_paths and bool((self.updates.visits == 1).all()))

    @cached_property
    def _adds_plainly(self) -> bool:
        """The same where it is known without a look at the updates, nodes that begin with something included."""
        return self._is_long and self._columns.are_plain(self.first - 1, self.last)

    @property
    def _may_be_paths(self) -> bool:
        return self._given is None and self._columns.paths.are_plain

    @cached_property
    def _read(self) -> _Read:
        n_rows, node, visits, value = self._columns.updates_of(self.first - 1, self.last)
        iteration = np.repeat(np.arange(self.first, self.last + 1), n_rows)
        updates = Updates(iteration, node.astype(np.int64), visits.astype(np.int64), value)
        read = self._ordered(updates, np.append(0, np.cumsum(n_rows)))
        if read.order != MIXED:
            return read
        # several updates of a node, or not root first
        key = self.key(iteration, updates.node)
        order = np.argsort(key, kind="stable")
        key = key[order]
        begin = np.flatnonzero(np.diff(key, prepend=-1))
        visits = np.add.reduceat(updates.visits[order], begin)
        value = np.add.reduceat(value[order], begin)
        iteration, node = np.divmod(key[begin], self._n_nodes)
        rows = np.searchsorted(iteration, np.arange(self.n + 1))
        return self._ordered(Updates(iteration + self.first, node, visits, value), rows)

    def _ordered(self, updates: Updates, first_rows: Ints) -> _Read:
        if not self._is_long:
            rising = np.all(np.diff(self.key(updates.iteration, updates.node)) > 0)
            return _Read(updates, first_rows, RISING if rising else MIXED)
        if self._adds_plainly:
            return _Read(updates, first_rows, PATHS)
        order = np.zeros(1, np.int64)
        known = first_rows, updates.node, self.leaf, self._columns.nodes.parent
        run_compiled(note_order, known, order)
        return _Read(updates, first_rows, int(order[0]))

    @cached_property
    def root_visits(self) -> Ints:
        """[n] visits that the root gets in each iteration."""
        if self._adds_plainly:
            return np.ones(self.n, np.int64)
        at = self.updates.node == 0
        visits = np.zeros(self.n, np.int64)
        visits[self.updates.iteration[at] - self.first] = self.updates.visits[at]
        return visits

    @cached_property
    def are_paths(self) -> bool:
        """Whether each iteration updated the nodes of its path, and no others."""
        if not self._may_be_paths:
            return False
        if self._is_long:
            return self._adds_plainly or self._read.order == PATHS
        node, begin = self.updates.node, self._read.first_rows
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
        if self.are_paths:
            iteration, node, visits, value = self.updates
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
        updates, keys = self.updates, self.keys
        if len(keys):
            key = self.key(iteration, node)
            row = np.minimum(np.searchsorted(keys, key), len(keys) - 1)
            found = keys[row] == key
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
        if self.are_paths:
            return np.zeros(0, np.int64)
        key, updates = self.key(self.steps.iteration, self.steps.node), self.updates
        if not len(key):
            return np.arange(len(updates.node))
        if not self._columns.paths.are_plain:
            # below a shared node ids need not rise
            key = np.sort(np.concatenate([key, self._shared_keys()]))
        row = np.minimum(np.searchsorted(key, self.keys), len(key) - 1)
        off = key[row] != self.keys
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
        return self._statistics.before(node, iteration, squares)

    def visits_before(self, node: Ints, iteration: Ints) -> Ints:
        """The visits alone of nodes as they were before the iteration."""
        return self._statistics.visits_before(node, iteration)

    def before_steps(self) -> Sums:
        """[S] of each step's node before its iteration."""
        if self.are_paths:
            return self._statistics.before_updates()
        return self.before(self.steps.node, self.steps.iteration)

    def after_steps(self) -> Sums:
        """[S] of each step's node after its iteration."""
        if self.are_paths:
            return self._statistics.after_updates()
        return self.before(self.steps.node, self.steps.iteration + 1)

    @cached_property
    def _statistics(self) -> StatisticsBefore:
        updates, first_rows, _ = self._read
        begun = self._begun.before(self.first)
        if self._is_long:
            return SteppedStatistics(updates, self.first, first_rows, begun)
        return SortedStatistics(updates, self.first, self.n, begun)

    def passed(self) -> None:
        """Add what the range added to the statistics that it began with."""
        if self._begun.are_asked_for:
            self._statistics.pass_on()


def _as_above(new: Bools, node: Ints, visits: Ints, value: Floats, views: Views) -> None:
    """Give new nodes of paths what the node above them on the path got, each in its own view."""
    for row in np.flatnonzero(new & (node > 0)).tolist():  # from the root downwards
        above = row - 1
        visits[row], value[row] = visits[above], value[above]
        mover = views.mover[node[row]]
        if not views.alone and (mover < 0 or mover != views.mover[node[above]]):
            value[row] = visits[above] * views.both - value[above]
