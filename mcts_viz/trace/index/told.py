"""The statistics of nodes at any iteration, from an index that has all updates by node: added in the order of the
search from the nearest update on before which their sum is known, so that they are the search's own, to the last bit.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from mcts_viz.trace.format import UpdateRows
from mcts_viz.trace.halving import ends_below
from mcts_viz.trace.index.layout import IndexFile
from mcts_viz.trace.index.loops import add_knots, run
from mcts_viz.trace.index.shape import IndexedTree
from mcts_viz.trace.memory import pieces, roomy
from mcts_viz.trace.sums import NodeStates, Sums
from mcts_viz.types import Floats, Ints, Numbers, Wholes

AT_ONCE = 1 << 18  # updates, or nodes, that are looked at together
EVERY = 64  # updates, by owner, from one of which the sums before it are known to the next


class SortedUpdates:
    """Updates by owner, k of them: each a node, or some nodes together."""

    def __init__(
        self, updates: UpdateRows, inherited: Floats, rows: npt.NDArray[np.int32], first: Ints, every: int, knots: Sums
    ) -> None:  # fmt: skip
        """inherited: the squares of the first updates, where they are not those of their values. rows: of updates, by
        owner, then rising. first: [k + 1] where those of an owner begin there. knots: sums of an owner's updates before
        those at 0, every, 2 · every, … there; no visits where each update has one."""
        self._updates, self._inherited = updates, inherited
        self._offset = updates.offset  # [T + 1]
        self._rows, self._first, self._every, self._knots = rows, first, every, knots

    @classmethod
    def of(
        cls,
        updates: UpdateRows,
        inherited: Floats,
        rows: npt.NDArray[np.int32],
        first: Ints,
        squares: bool,
    ) -> SortedUpdates:
        """Of these rows, which are added up now."""
        visits, value = updates.visits, updates.value
        knots = Sums.zeros(len(rows) // EVERY + 1, squares)
        for begin, end in itertools.pairwise(first.tolist()):
            at = np.arange(begin // EVERY * EVERY + EVERY, end, EVERY)
            if not len(at):
                continue
            some, knot, before = rows[begin:end], at // EVERY, at - begin - 1
            added = value[some]
            knots.visits[knot] = np.cumsum(visits[some])[before]
            # adding 0.0 makes 0.0 of a sum of −0.0
            knots.value_sum[knot] = np.cumsum(added)[before] + 0.0
            if knots.square_sum is not None:
                knots.square_sum[knot] = np.cumsum(squares_of(some, added, inherited))[before]
        return cls(updates, inherited, rows, first, EVERY, knots)

    # ---- which updates

    def iterations(self, rows: Wholes) -> npt.NDArray[np.int32]:
        """[k] the iteration of each of these updates; 0: of the inherited tree."""
        return np.searchsorted(self._offset, rows, side="right").astype(np.int32)

    def _ends(self, nodes: Wholes, limit: Wholes) -> Ints:
        """[k] the place in `rows` behind the last update of each node whose row is below its limit."""
        first, last = self._first[nodes], self._first[np.asarray(nodes) + 1]
        return ends_below(self._rows, first, last, limit)

    def last_rows(self, nodes: Wholes, t: int) -> Ints:
        """[k] the row of each node's last update up to iteration t; −1: there is none."""
        ends = self._ends(nodes, self._offset[t])
        there = ends > self._first[nodes]
        found = np.full(len(ends), -1, np.int64)
        found[there] = self._rows[ends[there] - 1]
        return found

    def last_visits(self, nodes: Wholes, t: int) -> npt.NDArray[np.int32]:
        """[k] the iteration up to t that updated each of these nodes last; 0: none did."""
        return self.iterations(self.last_rows(np.asarray(nodes, np.int64), t))

    # ---- statistics

    def sums(self, nodes: Wholes, t: int, squares: bool = False) -> Sums:
        """[k] statistics of owners after iteration t."""
        return self.sums_then(np.asarray(nodes, np.int64), np.full(len(nodes), t), squares)

    def sums_then(self, nodes: Ints, when: Ints, squares: bool = False) -> Sums:
        """[k] statistics of owners, each after an iteration of its own."""
        begin, end = self._first[nodes], self._ends(nodes, self._offset[when])
        knot = (end - 1) // self._every  # the last one that is among those of the node
        known = np.flatnonzero(knot * self._every > begin)
        totals = Sums.zeros(len(nodes), squares)
        starts = begin.copy()
        starts[known] = knot[known] * self._every
        totals.visits[known] = (
            self._knots.visits[knot[known]]
            if len(self._knots.visits)
            else starts[known] - begin[known]
        )
        totals.value_sum[known] = self._knots.value_sum[knot[known]]
        if totals.square_sum is not None and self._knots.square_sum is not None:
            totals.square_sum[known] = self._knots.square_sum[knot[known]]
        n = end - starts
        for some in pieces(len(nodes), max(1, AT_ONCE // self._every)):
            rest = n[some]
            at = np.arange(rest.sum()) + np.repeat(starts[some] - np.cumsum(rest) + rest, rest)
            self._add(totals, np.repeat(np.arange(some.start, some.stop), rest), self._rows[at])
        return totals

    def _add(self, totals: Sums, which: Ints, rows: Wholes) -> None:
        """Add some updates to these sums."""
        updates, value = self._updates, self._updates.value[rows]
        squares = None if totals.square_sum is None else self.squares(rows, value)
        totals.add(which, updates.visits[rows], value, squares)

    def squares(self, rows: Wholes, value: Floats) -> Floats:
        """[k] as `Columns.squares`, of updates in any rows, with these values."""
        return squares_of(rows, value, self._inherited)


class NodeUpdates(SortedUpdates):
    """Of T iterations, N nodes and U updates. For several threads."""

    def __init__(
        self, file: IndexFile, tree: IndexedTree, updates: UpdateRows, inherited: Floats
    ) -> None:
        """inherited: the squares of the first updates, where they are not those of their values."""
        knots = Sums(
            file.get("knot_visits", np.zeros(0, np.int32)),
            file["knot_values"],
            file.find("knot_squares"),
        )
        super().__init__(
            updates, inherited, file["rows"], file["first"], file.about["every"], knots
        )
        self.n_iterations, self._tree = tree.n_iterations, tree
        self._final = file.find("visits")  # [N] in the end; None where each update is one visit

    def n_nodes_after(self, t: Wholes | int) -> Ints:
        """[k] nodes after each of these numbers of iterations."""
        return self._tree.n_nodes_after(t)

    def rows(self, node: int, after: int, until: int) -> Ints:
        """[m] the rows, rising, of a node's updates in iterations after + 1 to until; after −1: of the inherited tree,
        too."""
        begin, end = self._first[node : node + 2].tolist()
        rows = self._rows[begin:end]
        # another type would copy the column
        ends = [np.int32(0 if after < 0 else self._offset[after]), np.int32(self._offset[until])]
        return rows[slice(*np.searchsorted(rows, ends).tolist())].astype(np.int64)

    def n_updates(self, node: int, t: int) -> int:
        """Updates of a node up to iteration t; up to 0: those of the inherited tree."""
        ends = self._ends(np.array([node]), self._offset[np.array([t])])
        return int(ends[0] - self._first[node])

    def pieces_of(self, node: int, t: int) -> Iterator[tuple[npt.NDArray[np.int32] | None, Floats]]:
        """The updates of a node in iterations 1 to t, in their order, some at a time: visits, None where each is one,
        and values."""
        begin, inherited = int(self._first[node]), self.n_updates(node, 0)
        for some in pieces(self.n_updates(node, t), AT_ONCE, inherited):
            rows = self._rows[begin + some.start : begin + some.stop]
            visits = None if self._final is None else self._updates.visits[rows]
            yield visits, self._updates.value[rows]

    def states(
        self, node: int, after: int, until: int, earlier: NodeStates, squares: bool
    ) -> NodeStates:
        """The states of a node in iterations after + 1 to until; earlier: those before."""
        is_there = node < self._tree.n_nodes
        rows = self.rows(node, after, until) if is_there else np.zeros(0, np.int64)
        visits, value = self._updates.visits[rows], self._updates.value[rows]
        square_sum = np.broadcast_to(earlier.square_sum[-1:], len(value) + 1)
        if squares:
            of_each = self.squares(rows, value)
            square_sum = np.cumsum(np.concatenate((earlier.square_sum[-1:], of_each)))
        return NodeStates(
            iterations_of(self._offset, rows, max(after, 0), until),
            np.cumsum(np.concatenate((earlier.visits[-1:], visits)), dtype=np.int32),
            np.cumsum(np.concatenate((earlier.value_sum[-1:], value))),
            square_sum, visits, value, rows,
        )  # fmt: skip

    def merged(self, nodes: Ints, owner: Wholes, squares: bool) -> SortedUpdates:
        """The updates of some nodes by owner; owner: [k] of each, from 0 on."""
        begin = self._first[nodes]
        n = self._first[nodes + 1] - begin
        at = np.arange(n.sum()) + np.repeat(begin - np.cumsum(n) + n, n)
        key = np.repeat(np.asarray(owner, np.int64), n) << 32 | self._rows[at]
        key.sort()
        n_owners = int(np.max(owner, initial=-1)) + 1
        first = np.searchsorted(key, np.arange(n_owners + 1) << 32)
        rows = (key & (1 << 32) - 1).astype(np.int32)
        return SortedUpdates.of(self._updates, self._inherited, rows, first, squares)

    def final_visits(self, nodes: Ints) -> Numbers:
        """[k] visits of nodes after the last iteration."""
        if self._final is None:
            return (self._first[nodes + 1] - self._first[nodes]).astype(np.int32)
        return self._final[nodes]

    def whole(self, t: int, squares: bool = False, visits: type[np.integer] = np.int32) -> Sums:
        """Statistics of all nodes after iteration t: takes 20 bytes a node, 20 ns an update. visits: their type."""
        updates = self._updates
        sums = Sums.zeros(int(self.n_nodes_after(t)), squares, visits=visits, room=roomy)
        for rows in pieces(int(self._offset[t]), AT_ONCE):
            value = updates.value[rows]
            of_squares = self.squares(np.arange(rows.start, rows.stop), value) if squares else None
            sums.add(updates.node[rows], updates.visits[rows], value, of_squares)
        return sums

    def course(self, node: int, when: Ints) -> tuple[Ints, Numbers, Floats]:
        """Statistics of a node at these iterations: which, visits, value sums."""
        found = self.sums_then(np.full(len(when), node), when)
        return when, found.visits, found.value_sum


def iterations_of(
    offset: Wholes, rows: npt.NDArray[np.intp], first: int = 0, last: int | None = None
) -> npt.NDArray[np.int32]:
    """[k] the iteration of each of these updates, rising, which is one from `first` to `last`; 0: inherited. offset:
    [T + 1] of updates."""
    offset = offset[first : None if last is None else last + 1]
    if len(rows) == len(offset) - 1 and np.array_equal(rows, offset[:-1]):
        return np.arange(
            first + 1, first + len(offset), dtype=np.int32
        )  # the root's, one an iteration
    rows = rows.astype(offset.dtype)  # another type would copy the column
    return (np.searchsorted(offset, rows, side="right") + first).astype(np.int32)


def add_by_owner(
    rows: npt.NDArray[np.int32],
    first: Wholes,
    of: Callable[[npt.NDArray[np.int32]], Numbers],
    knots: Numbers,
) -> None:
    """Add numbers of updates up to every EVERYth one of these rows, which are by owner: those of the owner before it.
    first: [k + 1] where those of each owner begin; of: the numbers of some."""
    owner, total = np.zeros(1, np.int64), np.zeros(1)
    for some in pieces(len(rows), AT_ONCE):
        added = np.asarray(of(rows[some]), np.float64)
        run(add_knots, added, some.start, first, EVERY, owner, total, knots)


def squares_of(rows: Wholes, value: Floats, known: Floats) -> Floats:
    """[k] the squares of updates in these rows, with these values; known: those of the first rows."""
    squares = value**2
    first = np.flatnonzero(np.asarray(rows) < len(known))
    squares[first] = known[rows[first]]
    return squares
