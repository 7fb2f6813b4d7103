"""The statistics of nodes at iteration t: sums of the recorded updates, added in the order in which the search added
them, so that they are the search's own, bit for bit.

Two ways to the same numbers: `Sums` of all nodes at one time, and `node_states` of a few nodes at all times. Knows
columns, no formulas.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from mcts_viz.trace.columns import Columns
from mcts_viz.trace.growing_updates import AlongPaths
from mcts_viz.trace.index.told import iterations_of
from mcts_viz.trace.memory import pieces, roomy
from mcts_viz.trace.path_items import NO_ITEM, gather, levels, nearest_items
from mcts_viz.trace.path_loops import LOOPS
from mcts_viz.trace.sums import GameResults, NodeStates, Sums
from mcts_viz.types import Floats, Ints, Numbers, Wholes, signed_type

AT_ONCE = 1 << 16  # updates handled at once, few enough to stay in the processor's cache
MUCH = 16  # one for so many nodes, or more, are many iterations
AS_LONG = 4  # updates added one by one take as long as a compiled pass over one node, with the memory for it


def are_many(columns: Columns, after: int, until: int) -> bool:
    """Whether iterations after + 1 to `until`, see `rows_between`, are so many that a pass over all nodes is less work
    than their updates."""
    return bool(MUCH * (until - max(after, 0)) >= int(columns.node_count[until]))


def many_paths(columns: Columns, after: int, until: int) -> AlongPaths | None:
    """The same, where their updates were left to be understood; else None."""
    return columns.along_paths(after, until) if are_many(columns, after, until) else None


def add_many(sums: Sums, columns: Columns, after: int, until: int, times: int = 1) -> bool:
    """Add what many iterations have added, without their updates; false, and nothing is added, where these have to be
    added one by one. times: −1 takes it back, where sums are free of rounding."""
    if LOOPS.are_ready and sums.square_sum is None and sums.visits.dtype == np.int32:
        along = columns.along_paths(after, until)
        if along is not None:
            n_nodes, rows = int(columns.node_count[until]), rows_between(columns, after, until)
            if columns.exact_sums and rows.stop - rows.start >= AS_LONG * n_nodes:
                along.add_upwards(sums, times, n_nodes)
            else:
                along.add(sums, times)
            return True
    paths = None if sums.square_sum is not None else many_paths(columns, after, until)
    if paths is None or not columns.exact_sums:
        return False
    n_nodes = int(columns.node_count[until])
    visits, value_sum = paths.of_nodes(n_nodes)
    sums.visits[:n_nodes] += times * visits
    sums.value_sum[:n_nodes] += times * value_sum
    return True


def add_updates(sums: Sums, columns: Columns, rows: slice) -> None:
    """Add recorded updates."""
    updates = columns.updates
    squares = None if sums.square_sum is None else columns.squares(rows)
    sums.add(updates.node[rows], updates.visits[rows], updates.value[rows], squares)


def take_back(sums: Sums, columns: Columns, rows: slice) -> None:
    """Undo `add_updates`, exactly where the sums are free of rounding (`Columns.exact_sums`)."""
    updates = columns.updates
    np.subtract.at(sums.visits, updates.node[rows], updates.visits[rows])
    np.subtract.at(sums.value_sum, updates.node[rows], updates.value[rows])


def rows_between(columns: Columns, after: int, until: int) -> slice:
    """The updates of iterations after + 1 to `until`; after −1 those of the inherited tree, too."""
    offset = columns.updates.offset
    return slice(0 if after < 0 else int(offset[after]), int(offset[until]))


def sums_at(
    columns: Columns, t: int, n_nodes: int, visits: type[np.integer], squares: bool = True
) -> Sums:
    """[n_nodes] of all nodes after iteration t; memory for some updates at a time."""
    if columns.statistics is not None and n_nodes == int(columns.node_count[t]):
        return columns.statistics.whole(t, squares, visits)
    sums = Sums.zeros(n_nodes, squares=squares, visits=visits, room=roomy)
    if n_nodes == int(columns.node_count[t]) and add_many(sums, columns, -1, t):
        return sums
    end = rows_between(columns, -1, t).stop
    for begin in range(0, end, AT_ONCE):
        add_updates(sums, columns, slice(begin, min(begin + AT_ONCE, end)))
    return sums


def visits_between(columns: Columns, after: int, until: int, n_nodes: int) -> Floats:
    """[n_nodes] visits that iterations after + 1 to `until` added, see `rows_between`."""
    if columns.index is not None:
        total = np.zeros(n_nodes)
        for sign, sums in (
            (1, columns.index.whole(until)),
            (-1, columns.index.whole(after) if after >= 0 else None),
        ):
            if sums is not None:
                n = min(n_nodes, len(sums.visits))
                total[:n] += sign * sums.visits[:n]
        return total
    paths = many_paths(columns, after, until)
    if paths is not None and n_nodes >= int(columns.node_count[until]):
        return paths.of_nodes(n_nodes)[0].astype(np.float64)
    rows, updates = rows_between(columns, after, until), columns.updates
    if columns.told is not None:
        total = np.zeros(n_nodes)
        for some in pieces(rows.stop, AT_ONCE, rows.start):
            np.add.at(total, updates.node[some], updates.visits[some].astype(np.float64))
        return total
    added = np.bincount(updates.node[rows], weights=updates.visits[rows], minlength=n_nodes)
    return added.astype(np.float64)


def square_sums(columns: Columns, t: int, n_nodes: int) -> Floats:
    """[n_nodes] the sums of the squares of what was added up to iteration t."""
    if columns.statistics is not None:
        found = np.zeros(n_nodes)
        of_nodes = columns.statistics.whole(t, squares=True).with_squares[2][:n_nodes]
        found[: len(of_nodes)] = of_nodes
        return found
    rows, updates = rows_between(columns, -1, t), columns.updates
    sums = np.bincount(updates.node[rows], weights=columns.squares(rows), minlength=n_nodes)
    return sums.astype(np.float64)


class ResultCounts:
    """How the simulated games through some nodes ended: the outcome of an iteration counts for the nodes
    that it visited once. Counts at every 4,096th iteration are kept, so that a further question is about a few."""

    STEP = 4_096
    AT_ONCE = 64  # of them, which are counted together

    def __init__(
        self, nodes: npt.NDArray[np.int64], mover: npt.NDArray[np.int8], draw: float, of_games: bool
    ) -> None:
        """mover: [k] who moved into each node. draw: the outcome of a draw. of_games: outcomes are known to be results
        of games, else they are as long as all are a win, a draw or a loss."""
        self._nodes, self._mover, self._draw, self._of_games = nodes, mover, draw, of_games
        self._place = np.full(int(nodes.max(initial=0)) + 1, -1, np.int32)
        self._place[nodes] = np.arange(len(nodes))
        self._wanted = WantedNodes(nodes)
        self._knots = [np.zeros((3, len(nodes)), np.int64)]  # losses, draws, wins of player 0
        self._sizes: dict[
            float, int
        ] = {}  # of outcomes beside a draw: the iteration that had one first

    def at(self, columns: Columns, t: int) -> GameResults | None:
        """After t iterations; None where outcomes are no results."""
        if columns.index is not None:
            return columns.index.results(self._nodes, self._mover, t, self._draw, self._of_games)
        last = t // self.STEP
        while len(self._knots) <= last:
            first = len(self._knots) - 1
            until = min(first + self.AT_ONCE, last)
            for part in self._counted(columns, first * self.STEP, until * self.STEP):
                self._knots.append(self._knots[-1] + part)
        more = self._counted(columns, last * self.STEP, t).sum(axis=0)
        losses, draws, wins = self._knots[last] + more
        if not self._of_games and not 0 < sum(first <= t for first in self._sizes.values()) <= 2:
            return None
        second = self._mover == 1
        return GameResults(np.where(second, losses, wins), draws, np.where(second, wins, losses))

    def _counted(self, columns: Columns, after: int, until: int) -> npt.NDArray[np.int64]:
        """[K, 3, k] of iterations after + 1 to until, of each STEP of them by itself."""
        outcome = columns.outcome[after:until] - self._draw  # view of player 0
        if not self._of_games and len(self._sizes) <= 2:
            sizes, first = np.unique(np.abs(outcome[~np.isnan(outcome)]), return_index=True)
            known = np.flatnonzero(~np.isnan(outcome)) + after + 1
            for size, at in zip(sizes.tolist(), known[first].tolist()):
                self._sizes[size] = min(self._sizes.get(size, at), at)
        signs = np.sign(outcome)
        along = columns.along_paths(after, until)
        if along is not None:
            nearest = self._wanted.nearest(columns.nodes.parent)[along.leaf]
            use = np.flatnonzero((nearest >= 0) & ~np.isnan(signs))
            counts = self._by_step(use, signs[use], nearest[use], until - after)
            gather(counts, *self._wanted.above_and_levels(columns.nodes.parent))
            return counts
        rows, updates = rows_between(columns, after, until), columns.updates
        node = updates.node[rows]
        near = np.flatnonzero((node < len(self._place)) & (updates.visits[rows] == 1))
        place = self._place[node[near]]
        near, place = near[place >= 0], place[place >= 0]
        offset = updates.offset[after : until + 1]
        iteration = np.searchsorted(offset, near + rows.start, side="right") - 1
        told = ~np.isnan(signs[iteration])
        iteration, place = iteration[told], place[told]
        return self._by_step(iteration, signs[iteration], place, until - after)

    def _by_step(
        self, iteration: Wholes, signs: Numbers, place: Wholes, n: int
    ) -> npt.NDArray[np.int64]:
        """[K, 3, k] how often each place has each sign in each STEP of n iterations, counted from 0."""
        shape = -(-n // self.STEP), 3, len(self._nodes)
        cell = iteration // self.STEP * 3 + signs.astype(np.int64) + 1
        counts = np.bincount(cell * shape[2] + place, minlength=int(np.prod(shape)))
        return counts.reshape(shape).astype(np.int64)


class WantedNodes:
    """Some nodes, k of them, whose updates are looked for together."""

    def __init__(self, nodes: Sequence[int] | Wholes) -> None:
        self.nodes = np.asarray(nodes, np.int64)
        k = len(self.nodes)
        # places of the nodes, k for any other; the smaller type is sorted in half the time
        self._place: Numbers = np.full(
            int(self.nodes.max(initial=-1)) + 1, k, np.uint8 if k < 256 else signed_type(k)
        )
        self._place[self.nodes] = np.arange(k)
        self._nearest = np.zeros(0, np.int32)
        self._levels: tuple[int, npt.NDArray[np.int32], list[Ints]] | None = (
            None  # of so many nodes
        )

    def nearest(self, parent: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        """[N] the place of the nearest of them on the way up from each node, itself included; −1: none."""
        if len(self._nearest) < len(parent):
            own = np.full(len(parent), NO_ITEM, np.int32)
            there = np.flatnonzero(self.nodes < len(parent))
            own[self.nodes[there]] = there
            self._nearest = nearest_items(own, parent, self._nearest)
        return self._nearest

    def above(self, parent: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        """[k] the place of the nearest of them strictly above each; −1: none, or no such node yet."""
        nearest = self.nearest(parent)
        up = parent[np.where(self.nodes < len(parent), self.nodes, 0)]
        return np.where((self.nodes < len(parent)) & (up >= 0), nearest[up], NO_ITEM)

    def above_and_levels(
        self, parent: npt.NDArray[np.int32]
    ) -> tuple[npt.NDArray[np.int32], list[Ints]]:
        """What `path_items.gather` is told of them."""
        if self._levels is None or self._levels[0] < len(parent):
            above = self.above(parent)
            self._levels = len(parent), above, levels(above)
        return self._levels[1:]

    def iterations(
        self, leaf: npt.NDArray[np.int32], parent: npt.NDArray[np.int32]
    ) -> Iterator[npt.NDArray[np.intp]]:
        """For each of them the iterations, by place among these leaves, whose paths lead through it."""
        if len(self.nodes) == 1 and self.nodes[0] == 0:  # all begin at the root
            yield np.arange(len(leaf))
            return
        nearest = self.nearest(parent)[leaf].astype(signed_type(len(self.nodes)))
        order = np.argsort(nearest, kind="stable")
        ends = np.searchsorted(
            nearest[order], np.arange(len(self.nodes) + 1, dtype=nearest.dtype)
        ).tolist()
        through = [[order[begin:end]] for begin, end in itertools.pairwise(ends)]
        above, of_levels = self.above_and_levels(parent)
        for place in itertools.chain.from_iterable(each.tolist() for each in of_levels):
            through[above[place]] += through[place]
        for parts in through:
            n = sum(map(len, parts))
            if n == len(leaf):
                yield np.arange(n)
            else:
                yield parts[0] if len(parts) == 1 else np.sort(np.concatenate(parts))

    def updates(self, nodes: npt.NDArray[np.int32]) -> Iterator[npt.NDArray[np.intp]]:
        """For each node of the family the places of its updates among these, rising."""
        if len(self.nodes) == 1:
            yield np.flatnonzero(nodes == int(self.nodes[0]))  # in the type of the column
            return
        rows = np.flatnonzero(nodes < len(self._place))
        place = self._place[nodes[rows]]
        ours = place < len(self.nodes)
        if not ours.all():
            rows, place = rows[ours], place[ours]
        order = np.argsort(place, kind="stable")
        rows, place = rows[order], place[order]
        ends = np.searchsorted(place, np.arange(len(self.nodes) + 1, dtype=place.dtype)).tolist()
        for begin, end in itertools.pairwise(ends):
            yield rows[begin:end]


def node_states(
    columns: Columns,
    family: WantedNodes,
    after: int,
    until: int,
    before: Sequence[NodeStates] | None = None,
    squares: bool = False,
) -> list[NodeStates]:
    """The states of each node of a family in iterations after + 1 to `until`, see `rows_between`; `before`: those up to
    iteration `after`."""
    if columns.statistics is not None:
        begun = before or [NodeStates.none()] * len(family.nodes)
        return [
            columns.statistics.states(node, after, until, earlier, squares)
            for node, earlier in zip(family.nodes.tolist(), begun)
        ]
    rows, updates = rows_between(columns, after, until), columns.updates
    if rows.stop == 0:  # nothing was inherited
        return list(before or [NodeStates.none()] * len(family.nodes))
    first = max(after, 0)
    along = columns.along_paths(after, until)
    if along is not None and not squares:
        return _states_along(columns, along, family, first, before)
    all_visits, all_values = updates.visits[rows], updates.value[rows]
    all_squares = columns.squares(rows) if squares else all_values
    states = []
    for i, places in enumerate(family.updates(updates.node[rows])):
        earlier = NodeStates.none() if before is None else before[i]
        visits, value = all_visits[places], all_values[places]
        square_sum = np.broadcast_to(earlier.square_sum[-1:], len(value) + 1)
        if squares:
            square_sum = np.cumsum(np.concatenate((earlier.square_sum[-1:], all_squares[places])))
        states.append(
            NodeStates(
                iterations_of(columns.updates.offset, places + rows.start, first, until),
                np.cumsum(np.concatenate((earlier.visits[-1:], visits)), dtype=np.int32),
                np.cumsum(np.concatenate((earlier.value_sum[-1:], value))),
                square_sum,
                visits,
                value,
                places + rows.start,
            )
        )
    return states


def _states_along(
    columns: Columns,
    along: AlongPaths,
    family: WantedNodes,
    first: int,
    before: Sequence[NodeStates] | None,
) -> list[NodeStates]:
    """The same of iterations after `first` that leave all their updates to be understood: one visit each."""
    # of all nodes, so that those near the family are found once and not for each piece
    parent, nodes = columns.nodes.parent, family.nodes
    offset = columns.updates.offset[first:]
    states = []
    for i, (at, side, depth) in enumerate(
        zip(
            family.iterations(along.leaf, parent),
            along.paths.sides(nodes).tolist(),
            along.paths.depths(nodes).tolist(),
        )
    ):
        earlier = NodeStates.none() if before is None else before[i]
        worth = along.left.worth[:, side]
        value = worth if len(at) == len(worth) else worth[at]
        n = int(earlier.visits[-1])
        states.append(
            NodeStates(
                (at + (first + 1)).astype(np.int32),
                np.arange(n, n + len(at) + 1, dtype=np.int32),
                np.cumsum(np.concatenate((earlier.value_sum[-1:], value))),
                np.broadcast_to(earlier.square_sum[-1:], len(value) + 1),
                np.ones(len(at), np.int32),
                value,
                offset[at] + depth,
            )
        )
    return states
