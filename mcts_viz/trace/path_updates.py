"""The updates of iterations of which a file says no more than where they ended and what their visit was worth: one
visit for each node from the root to the leaf. A plain search does nothing else, and nine tenths of a recording were
updates.

Knows rows, no file.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mcts_viz.trace.depths import fill_depths
from mcts_viz.trace.format import NodeRows, Rows, UpdateRows
from mcts_viz.trace.memory import Room, pieces, room_for
from mcts_viz.trace.path_loops import LOOPS, add_along, add_upwards, note_last
from mcts_viz.trace.players import CHANCE, movers_into
from mcts_viz.trace.sums import Sums
from mcts_viz.types import Bools, Floats, Ints, Numbers, Wholes

PATH_VALUES = ("path_value_0", "path_value_1")  # columns
BYTES = 16  # in memory, of an update
MOST = (1 << 31) - 1  # updates of one batch, whose offsets are int32
FIRST_ROOM = 1 << 10  # nodes
AT_ONCE = 1 << 16  # nodes handled at once, few enough to stay in the processor's cache


class LeftUpdates(NamedTuple):
    """The updates of T iterations that leave some or all of them to be understood."""

    leaf: npt.NDArray[np.int32]  # [T]
    worth: Floats  # [T, 2] what a visit is worth to either player; nan: its updates are told
    told: UpdateRows  # of T lists

    @property
    def along(self) -> Bools:
        """[T] which of them leave their updates to be understood."""
        return ~np.isnan(self.worth[:, 0])


def left_of(rows: Rows) -> LeftUpdates | None:
    """The updates of rows; None where all are told."""
    along = is_along_path(rows)
    if along is None:
        return None
    worth = np.stack([rows.values[name] for name in PATH_VALUES], axis=1)
    return LeftUpdates(rows.leaf, worth, rows.updates)


def understood(rows: Rows, updates: UpdateRows) -> Rows:
    """The rows with these updates in place of what stood for them."""
    values = {field.name: rows.values[field.name] for field in Rows.fields}
    return Rows(rows.asides, **{**values, **dict.fromkeys(PATH_VALUES), "updates": updates})


def is_along_path(rows: Rows) -> Bools | None:
    """[T] which of these iterations leave their updates to be understood; None: none of them."""
    first = rows.path_value_0
    along = None if first is None else ~np.isnan(first)
    return along if along is not None and along.any() else None


def wrong_path_values(rows: Rows) -> str | None:
    """What is impossible in what rows leave to be understood, in words; None where nothing is."""
    first, second = rows.path_value_0, rows.path_value_1
    if first is None and second is None:
        return None
    if first is None or second is None or np.any(np.isnan(first) != np.isnan(second)):
        return "path_value_0 and path_value_1: an iteration must have both or none"
    if np.any(np.isinf(first)) or np.any(np.isinf(second)):
        return "path_value_0 and path_value_1: must be finite numbers"
    if np.any(np.diff(rows.updates.offset)[~np.isnan(first)]):
        return "updates: must be empty where path_value_0 says what each node of the path got"
    if rows.player_sums.recorded and not np.all(np.isnan(first)):
        return "path_value_0: must be null where player_sums has numbers for each update"
    return None


class _ByDepth(NamedTuple):
    """Some nodes with successive ids, by depth."""

    first: int  # id of the first of them
    order: npt.NDArray[np.int32]  # [k] ids, by depth
    ends: list[int]  # of those of each depth, in it


class PathUpdates:
    """Writes the updates out that rows leave to be understood: of the rows of one trace, from its first one on."""

    def __init__(self, root_to_move: int, n_players: int) -> None:
        self._to_move = np.full(FIRST_ROOM, root_to_move, np.int8)
        self._parent = np.full(FIRST_ROOM, -1, np.int32)
        self._depth = np.zeros(FIRST_ROOM, np.int32)
        self._side = np.zeros(FIRST_ROOM, np.int8)  # 1: its value is in the view of player 1
        self._rooms = {name: Room() for name in ("_to_move", "_parent", "_depth", "_side")}
        self._n_players, self._n = n_players, 1
        self._runs: tuple[_ByDepth, ...] = ()
        self._take_sides(0, 1)

    def take(self, nodes: NodeRows) -> None:
        """Take the new nodes of rows, before those rows are asked for."""
        first, end = self._n, self._n + len(nodes)
        if end > len(self._parent):
            n = room_for(end, len(self._parent), self._parent.itemsize)
            for name, room in self._rooms.items():
                setattr(self, name, room.longer(getattr(self, name)[:first], n))
        new = slice(first, end)
        self._parent[new], self._to_move[new] = nodes.parent, nodes.to_move
        fill_depths(self._parent, first, end, self._depth)
        self._side[new] = self._to_move.take(self._parent[new])
        self._take_sides(first, end)
        self._n = end

    def _take_sides(self, first: int, end: int) -> None:
        """Of nodes of which it is known who is to move above them."""
        above = self._side[first:end]
        if self._n_players != 2 or first == 0 or (above == CHANCE).any():
            nodes = np.arange(first, end, dtype=np.int32)
            above = movers_into(nodes, self._parent, self._to_move, self._n_players)
        self._side[first:end] = above == 1

    def count(self, rows: Rows) -> int:
        """Updates that these rows leave to be understood."""
        along = is_along_path(rows)
        if along is None:
            return 0
        leaf = rows.leaf if along.all() else rows.leaf[along]
        return len(leaf) + int(self._depth.take(leaf).sum(dtype=np.int64))

    def lengths(self, left: LeftUpdates) -> Ints:
        """[T] how many updates each iteration has."""
        along = left.along
        if along.all():
            return self._depth.take(left.leaf).astype(np.int64) + 1
        n_rows = np.diff(left.told.offset).astype(np.int64)
        n_rows[along] = self._depth[left.leaf[along]] + 1
        return n_rows

    def written_out(self, rows: Rows) -> Rows:
        """The rows with all their updates; their nodes were taken before."""
        left = left_of(rows)
        return rows if left is None else understood(rows, self.updates(left))

    def updates(self, left: LeftUpdates) -> UpdateRows:
        """All updates of the iterations, whose nodes were taken before."""
        along, told = left.along, left.told
        offset = np.zeros(len(left.leaf) + 1, np.int32)
        n_rows = self.lengths(left)
        np.cumsum(n_rows, out=offset[1:])
        node, visits = np.empty(offset[-1], np.int32), np.broadcast_to(np.int32(1), offset[-1])
        there = np.repeat(~along, n_rows) if len(told) else None
        if there is not None:
            node[there] = told.node
        if along.any():
            self._walk_up(left.leaf[along], n_rows[along] - 1, offset[1:][along] - 1, node)
        which = np.repeat(np.arange(0, 2 * len(along), 2, dtype=np.int32), n_rows)
        which += self._side.take(node)
        value = left.worth.ravel().take(which)
        if there is not None:
            visits = visits.copy()
            visits[there], value[there] = told.visits, told.value
        return UpdateRows(offset, node=node, visits=visits, value=value)

    def totals(self, left: LeftUpdates, n_nodes: int) -> tuple[npt.NDArray[np.int32], Floats]:
        """[n_nodes] visits and values that iterations add which leave all their updates to be understood. A node gets
        what its children get, and what ended at it: that is as much work as there are nodes, where updates are ten
        times as many. Values are added in another order than the search did: exact where sums are free of rounding."""
        first, second = left.worth.transpose()
        both = first + second
        # of a game in which one gains what the other one loses, the sum of one player's values tells the other's
        is_constant_sum = bool(np.all(both == both[:1]))
        visits, of_first = np.zeros(n_nodes, np.int32), np.zeros(n_nodes, np.float64)
        of_second = of_first if is_constant_sum else np.zeros(n_nodes, np.float64)
        sums: list[Numbers] = (
            [visits, of_first] if is_constant_sum else [visits, of_first, of_second]
        )
        np.add.at(visits, left.leaf, 1)
        for total, more in zip(sums[1:], (first, second)):
            np.add.at(total, left.leaf, more)
        for nodes, above in self._upwards(visits):
            for total in sums:
                np.add.at(total, above, total.take(nodes))
        for part in pieces(n_nodes, AT_ONCE):
            if is_constant_sum:
                others = float(both[0]) * visits[part] - of_first[part]
            else:
                others = of_second[part]
            np.copyto(of_first[part], others, where=self._side[part] == 1)
        return visits, of_first

    def add(self, left: LeftUpdates, sums: Sums, times: int) -> None:
        """Add what iterations add which leave all their updates to be understood, in the order of the search; −1 times:
        take it back. `LOOPS` are ready."""
        columns = left.leaf, left.worth, self._parent, self._side
        LOOPS.run(add_along, *columns, times, sums.visits, sums.value_sum)

    def add_upwards(self, left: LeftUpdates, sums: Sums, times: int, n_nodes: int) -> None:
        """The same in another order, of many iterations, after which there are n_nodes."""
        columns = left.leaf, left.worth, self._parent, self._side
        room = np.zeros(n_nodes, np.int32), np.zeros(n_nodes), np.zeros(n_nodes)
        LOOPS.run(add_upwards, *columns, times, sums.visits, sums.value_sum, *room)

    def note_last(
        self, leaf: npt.NDArray[np.int32], before: int, last: npt.NDArray[np.int32]
    ) -> None:
        """Note in last [N] the last of iterations before + 1, before + 2, …, which ended there, that came by each node.
        `LOOPS` are ready."""
        LOOPS.run(note_last, leaf, before, self._parent, last)

    def last_visits(
        self, leaf: npt.NDArray[np.int32], iteration: Wholes, n_nodes: int
    ) -> npt.NDArray[np.int32]:
        """[n_nodes] the last of these iterations, which rise and ended there, that came by each node; 0: none."""
        last = np.zeros(n_nodes, np.int32)
        last[leaf] = iteration
        for nodes, above in self._upwards(last):
            np.maximum.at(last, above, last.take(nodes))
        return last

    def sides(self, nodes: Wholes) -> npt.NDArray[np.int8]:
        """[k] 1: their values are in the view of player 1; 0: of the other one."""
        return self._side.take(nodes)

    def depths(self, nodes: Wholes) -> npt.NDArray[np.int32]:
        """[k] their distance from the root."""
        return self._depth.take(nodes)

    def _upwards(self, value: Numbers) -> Iterator[tuple[Ints, npt.NDArray[np.int32]]]:
        """Some nodes below the root after the other, those that have a value, not 0, once all below them were given,
        and their parents. value: [n_nodes]."""
        n_nodes = len(value)
        for run in reversed(self._runs_of(n_nodes)):
            for begin, end in reversed([*itertools.pairwise(run.ends)]):
                nodes = run.order[begin:end]
                if run.first + len(run.order) > n_nodes:
                    nodes = nodes[nodes < n_nodes]
                nodes = nodes[value.take(nodes) != 0]
                yield nodes, self._parent.take(nodes)

    def _runs_of(self, n_nodes: int) -> tuple[_ByDepth, ...]:
        """Runs that have the first n_nodes nodes but the root, and maybe more; what is there is kept."""
        runs = self._runs
        begin = runs[-1].first + len(runs[-1].order) if runs else 1
        if begin >= n_nodes:
            return runs
        # runs that are no longer than what comes after them are sorted again with it: so there are never many
        while runs and len(runs[-1].order) <= n_nodes - begin:
            begin, runs = runs[-1].first, runs[:-1]
        depth = self._depth[begin:n_nodes]
        order = _order(depth).astype(np.int32)
        ends = np.cumsum(np.bincount(depth)).tolist()
        found = (*runs, _ByDepth(begin, order + np.int32(begin), [0, *ends]))
        self._runs = found
        return found

    def _walk_up(
        self,
        leaf: npt.NDArray[np.int32],
        depth: Numbers,
        last: npt.NDArray[np.int32],
        node: Numbers,
    ) -> None:
        """Write the paths to these leaves, of these depths, each of which ends at its place in `node`: of all at once
        the nodes of one height above the leaf, for there are some ten heights and thousands of leaves."""
        # the longest paths first, so that those which go on are the first ones
        order = _order(depth.max() - depth)
        going = len(leaf) - np.cumsum(np.bincount(depth))
        at, place = leaf.take(order), last.take(order)
        for n in (len(leaf), *going[:-1].tolist()):
            at, place = at[:n], place[:n]
            node[place] = at
            at, place = self._parent.take(at), place - 1


def _order(depth: Numbers) -> Ints:
    """The places of these depths, rising: numpy sorts small numbers in linear time."""
    small = np.int16 if int(depth.max()) < 1 << 15 else np.int32
    return np.argsort(depth.astype(small), kind="stable")
