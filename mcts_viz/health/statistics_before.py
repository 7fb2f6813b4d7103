"""What the statistics of nodes were before any of some iterations, from what these add and what there was before them.
In two ways: one for a few iterations, and one by compiled loops, for a long search.

Knows nothing of paths, nor of what is right or wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np

from mcts_viz.health.range_loops import add_each, look_up_sums, note_sums
from mcts_viz.trace.index.loops import run_compiled
from mcts_viz.trace.sums import Sums
from mcts_viz.types import Floats, Ints, Numbers


class Updates(NamedTuple):
    """What some iterations added, one row for each iteration and node, U of them, in that order."""

    iteration: Ints  # [U]
    node: Ints  # [U]
    visits: Ints  # [U]
    value: Floats  # [U] view of the player who moved into the node


class StatisticsSoFar:
    """Those of all nodes, while a check goes through the iterations; many a check never asks for them."""

    def __init__(self, after: Callable[[int], Sums]) -> None:
        """after: gives them after so many iterations, to be written to."""
        self._after = after
        self._sums: Sums | None = None

    @property
    def are_asked_for(self) -> bool:
        """Whether iterations that are passed have to be added."""
        return self._sums is not None

    def before(self, iteration: int) -> Sums:
        """[N] before the first iteration that was not passed."""
        if self._sums is None:
            self._sums = self._after(iteration - 1)
        return self._sums


class StatisticsBefore(Protocol):
    """Of the iterations of some updates; `begun`: [N] what there was before the first of them."""

    def before(self, node: Ints, iteration: Ints, squares: bool) -> Sums:
        """Of nodes as they were before the iteration, which may be that after the last, too; squares: sums of squares
        as well, which `begun` has."""

    def visits_before(self, node: Ints, iteration: Ints) -> Ints:
        """Their visits alone."""

    def before_updates(self) -> Sums:
        """[U] of each update's node before it."""

    def after_updates(self) -> Sums:
        """[U] of each update's node after it."""

    def pass_on(self) -> None:
        """Add the updates to `begun`."""


class _NodeRows(NamedTuple):
    """Updates node by node, then by iteration: their keys and nodes, and one node more, which is none."""

    key: Ints  # [U] rising
    node: Ints  # [U + 1]
    order: Ints  # [U] which update each is
    first: Ints  # places of each node's first one


class SortedStatistics:
    """By sorting the updates by node: takes no time to load."""

    def __init__(self, updates: Updates, first: int, n: int, begun: Sums) -> None:
        """first, n: the first iteration, and how many there are."""
        self._updates, self._first, self._n, self._begun = updates, first, n, begun

    def before(self, node: Ints, iteration: Ints, squares: bool) -> Sums:
        at = node * (self._n + 1) + (iteration - self._first)
        return self._after_rows(np.searchsorted(self._rows.key, at) - 1, node, squares)

    def visits_before(self, node: Ints, iteration: Ints) -> Ints:
        return self.before(node, iteration, squares=False).visits

    def before_updates(self) -> Sums:
        return self._after_rows(self._row_of_update - 1, self._updates.node)

    def after_updates(self) -> Sums:
        return self._after_rows(self._row_of_update, self._updates.node)

    def pass_on(self) -> None:
        self._begun.add(self._updates.node, self._updates.visits, self._updates.value)

    @property
    def _row_of_update(self) -> Ints:
        row = np.empty(len(self._updates.node), np.int64)
        row[self._rows.order] = np.arange(len(row))
        return row

    def _after_rows(self, row: Ints, node: Ints, squares: bool = False) -> Sums:
        """Of nodes after these rows, where they are rows of theirs; else as they were before all of them."""
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
        updates = self._updates
        key = updates.node * (self._n + 1) + (updates.iteration - self._first)
        order = np.argsort(key)  # no two are equal
        node = updates.node[order]
        first = np.flatnonzero(np.diff(node, prepend=-1))
        return _NodeRows(key[order], np.append(node, -1), order, first)

    @cached_property
    def _running(self) -> tuple[Ints, Floats]:
        """Visits and value sums after each row, and one number more, of no node."""
        order, begun = self._rows.order, self._begun
        return (
            self._summed(self._updates.visits[order], begun.visits),
            self._summed(self._updates.value[order], begun.value_sum),
        )

    @cached_property
    def _running_squares(self) -> Floats:
        assert self._begun.square_sum is not None
        return self._summed(self._updates.value[self._rows.order] ** 2, self._begun.square_sum)

    def _summed(self, column: Numbers, begun: Numbers) -> Numbers:
        """A column of the rows added up node by node, on top of what each began with."""
        node, first = self._rows.node, self._rows.first
        total = np.cumsum(column)
        offset = begun[node[first]] - (total[first] - column[first])
        return np.append(total + np.repeat(offset, np.diff(first, append=len(column))), 0)


class SteppedStatistics:
    """By going through the updates in their order, with compiled loops. Once something is asked, `begun` has the
    updates already; nobody else reads it before they are passed on."""

    def __init__(self, updates: Updates, first: int, first_rows: Ints, begun: Sums) -> None:
        """first: the first iteration; first_rows: [n + 1] where the updates of each begin."""
        self._updates, self._first, self._first_rows, self._begun = (
            updates, first, first_rows, begun,
        )  # fmt: skip

    def before(self, node: Ints, iteration: Ints, squares: bool) -> Sums:
        found = self._look_up(self._columns[: 3 if squares else 2], node, iteration)
        return Sums(found[0], found[1], found[2] if squares else None)

    def visits_before(self, node: Ints, iteration: Ints) -> Ints:
        return self._look_up(self._columns[:1], node, iteration)[0]

    def _look_up(
        self, columns: Sequence[_RunningSum], node: Ints, iteration: Ints
    ) -> list[Numbers]:
        node, iteration = np.broadcast_arrays(node, iteration)
        asked, rows = node.ravel(), self._first_rows[iteration.ravel() - self._first]
        if np.all(rows[1:] >= rows[:-1]):
            return [column.look_up(asked, rows).reshape(node.shape) for column in columns]
        order = np.argsort(rows, kind="stable")
        place = np.argsort(order, kind="stable")
        in_order = (column.look_up(asked[order], rows[order]) for column in columns)
        return [found[place].reshape(node.shape) for found in in_order]

    def before_updates(self) -> Sums:
        visits, value_sum = self._columns[:2]
        return Sums(visits.before, value_sum.before)

    def after_updates(self) -> Sums:
        visits, value_sum = self._columns[:2]
        return Sums(visits.before + visits.added, value_sum.before + value_sum.added)

    def pass_on(self) -> None:
        for column in self._columns:
            column.pass_on()

    @cached_property
    def _columns(self) -> tuple[_RunningSum, ...]:
        """Visits, value sums, and sums of squares where `begun` has them."""
        (_, node, visits, value), begun = self._updates, self._begun
        columns = _RunningSum(node, visits, begun.visits), _RunningSum(node, value, begun.value_sum)
        if begun.square_sum is None:
            return columns
        return *columns, _RunningSum(node, value**2, begun.square_sum)


class _RunningSum:
    """One of the sums of each node. node, added: [U] of updates; sums: [N] before them, behind them once `before` is
    known."""

    def __init__(self, node: Ints, added: Numbers, sums: Numbers) -> None:
        self._node, self.added, self._sums = node, added, sums

    @cached_property
    def before(self) -> Numbers:
        """[U] of each update's node before it."""
        before = np.empty(len(self._node), self._sums.dtype)
        run_compiled(note_sums, (self._node, self.added), self._sums, before)
        return before

    def pass_on(self) -> None:
        """Have them in `sums`."""
        if "before" not in self.__dict__:
            run_compiled(add_each, (self._node, self.added), self._sums)

    def look_up(self, node: Ints, rows: Ints) -> Numbers:
        """[k] of nodes, each before a row; these rise."""
        found = np.empty(len(node), self._sums.dtype)
        known = self._node, self.added, self.before, node, rows
        run_compiled(look_up_sums, known, self._sums, found)
        return found
