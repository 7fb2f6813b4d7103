"""The updates of iterations of which a file says no more than where they ended and what their visit was worth: one
visit for each node from the root to the leaf. A plain search does nothing else, and nine tenths of a recording were
updates.

Knows rows, no file.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mcts_viz.trace.depths import new_depths
from mcts_viz.trace.format import NodeRows, Rows, UpdateRows
from mcts_viz.trace.players import CHANCE, movers_into
from mcts_viz.types import Bools, Numbers

PATH_VALUES = ("path_value_0", "path_value_1")  # columns
BYTES = 16  # in memory, of an update
MOST = (1 << 31) - 1  # updates of one batch, whose offsets are int32
FIRST_ROOM = 1 << 10  # nodes


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


class PathUpdates:
    """Writes the updates out that rows leave to be understood: of the rows of one trace, from its first one on."""

    def __init__(self, root_to_move: int, n_players: int) -> None:
        self._to_move = np.full(FIRST_ROOM, root_to_move, np.int8)
        self._parent = np.full(FIRST_ROOM, -1, np.int32)
        self._depth = np.zeros(FIRST_ROOM, np.int32)
        self._side = np.zeros(FIRST_ROOM, np.int8)  # 1: its value is in the view of player 1
        self._n_players, self._n = n_players, 1
        self._take_sides(np.zeros(1, np.int32))

    def take(self, nodes: NodeRows) -> None:
        """Take the new nodes of rows, before those rows are asked for."""
        first, end = self._n, self._n + len(nodes)
        if end > len(self._parent):
            room = max(end, 2 * len(self._parent))
            for name in ("_to_move", "_parent", "_depth", "_side"):
                setattr(self, name, _longer(getattr(self, name), room))
        new = slice(first, end)
        self._parent[new], self._to_move[new] = nodes.parent, nodes.to_move
        self._take_sides(np.arange(first, end, dtype=np.int32))
        self._depth[new] = new_depths(nodes.parent, self._depth[:first])
        self._n = end

    def _take_sides(self, nodes: npt.NDArray[np.int32]) -> None:
        above = self._to_move.take(self._parent[nodes])
        if self._n_players != 2 or (nodes[:1] == 0).any() or (above == CHANCE).any():
            above = movers_into(nodes, self._parent, self._to_move, self._n_players)
        self._side[nodes] = above == 1

    def count(self, rows: Rows) -> int:
        """Updates that these rows leave to be understood."""
        along = is_along_path(rows)
        return 0 if along is None else int((self._depth[rows.leaf[along]] + 1).sum(dtype=np.int64))

    def written_out(self, rows: Rows) -> Rows:
        """The rows with all their updates; their nodes were taken before."""
        along = is_along_path(rows)
        if along is None:
            return rows
        n_rows = np.diff(rows.updates.offset)
        n_rows[along] = self._depth[rows.leaf[along]] + 1
        offset = np.zeros(rows.n + 1, np.int32)
        np.cumsum(n_rows, out=offset[1:])
        node, visits = np.empty(offset[-1], np.int32), np.broadcast_to(np.int32(1), offset[-1])
        there = np.repeat(~along, n_rows) if len(rows.updates) else None
        if there is not None:
            node[there] = rows.updates.node
        self._walk_up(rows.leaf[along], n_rows[along] - 1, offset[1:][along] - 1, node)
        worth = np.stack([rows.values[name] for name in PATH_VALUES], axis=1).ravel()
        which = np.repeat(np.arange(0, 2 * rows.n, 2, dtype=np.int32), n_rows)
        which += self._side.take(node)
        value = worth.take(which)
        if there is not None:
            visits = visits.copy()
            visits[there], value[there] = rows.updates.visits, rows.updates.value
        updates = UpdateRows(offset, node=node, visits=visits, value=value)
        values = {field.name: rows.values[field.name] for field in Rows.fields}
        return Rows(rows.asides, **{**values, **dict.fromkeys(PATH_VALUES), "updates": updates})

    def _walk_up(
        self,
        leaf: npt.NDArray[np.int32],
        depth: Numbers,
        last: npt.NDArray[np.int32],
        node: Numbers,
    ) -> None:
        """Write the paths to these leaves, of these depths, each of which ends at its place in `node`: of all at once
        the nodes of one height above the leaf, for there are some ten heights and thousands of leaves."""
        deepest = int(depth.max())
        # the longest paths first, so that those which go on are the first ones; numpy sorts small numbers in linear
        # time
        small = np.int16 if deepest < 1 << 15 else np.int32
        order = np.argsort((deepest - depth).astype(small), kind="stable")
        going = len(leaf) - np.cumsum(np.bincount(depth))
        at, place = leaf.take(order), last.take(order)
        for n in (len(leaf), *going[:-1].tolist()):
            at, place = at[:n], place[:n]
            node[place] = at
            at, place = self._parent.take(at), place - 1


def _longer(column: Numbers, n: int) -> Numbers:
    longer = np.empty(n, column.dtype)
    longer[: len(column)] = column
    return longer
