"""A whole trace in memory: flat columns that grow at the end, never change and never move under a
reader.

One writer may append while others read: a row counts only once it is whole. Arrays handed out
earlier stay as they were, for growing makes new ones.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import numpy.typing as npt

from mcts_viz.trace.format import Rows, StateChange

NODE_COLUMNS = ("parent", "action", "to_move", "prior", "outcome")
ITERATION_COLUMNS = ("leaf", "result", "elapsed")
EXACT_BELOW = 2.0**42  # magnitude up to which float64 tells multiples of 1/1024 apart, to be sure
MOST_ROOM = 1 << 25  # values that room is made for on an estimate
LONG, MUCH_LONGER = 1 << 20, 16  # values; so many times as much room is made for so many of them
EXACT_AT_ONCE = 1 << 16  # updates; what is made of so many stays in the cache
UPDATE_COLUMNS = ("update_node", "update_visits", "update_value")


class _Growing:
    """One column: what was appended waits in parts until somebody looks, so that a recording costs
    the search nothing here. At least doubled when it has no more room, so that joining costs O(1) a
    value on average."""

    def __init__(self, dtype: Any, first: list[Any]) -> None:
        self._values: npt.NDArray[Any] = np.array(first, dtype)  # with room to spare
        self._n = len(first)  # values in it
        self._waiting: list[npt.NDArray[Any]] = []
        self._lock = threading.Lock()

    def extend(self, more: npt.NDArray[Any]) -> None:
        """Append values, which must not change any more."""
        self._waiting.append(more)

    def first(self, n: int) -> npt.NDArray[Any]:
        """The first n values, not to be written to."""
        if n > self._n:
            self.join()
        view = self._values[:n]
        view.flags.writeable = False
        return view

    def join(self, room: float = 1.0) -> None:
        """Move what waits to where it belongs; `room`: so many times as many values are to be expected
        in the end. (Room that is never used is never given memory.)"""
        with self._lock:
            parts = self._waiting[:]  # more may come meanwhile
            end = self._n + sum(len(part) for part in parts)
            if end > len(self._values):
                expected = int(min(end * room, MOST_ROOM))
                n = len(self._values)
                # memory is taken when it is written to, and taking it is what takes the time: a long
                # column is seldom moved, the room behind it costs nothing
                longer = min(MUCH_LONGER * n, n + MOST_ROOM) if n >= LONG else 0
                n = max(end, 2 * n, expected, longer)
                larger = np.empty(n, self._values.dtype)
                larger[: self._n] = self._values[: self._n]
                self._values = larger
            start = self._n
            for part in parts:
                self._values[start : start + len(part)] = part
                start += len(part)
            self._n = end  # last: from here on they are found
            del self._waiting[: len(parts)]


class Columns:
    """Columns of a trace of T iterations, N nodes and U updates; node 0, the root, is there from
    the start.

    parent, action, to_move, prior, outcome, born: [N]. node_count: [T + 1] nodes after t
    iterations. leaf, result (nan: none), elapsed: [T]. update_offset: [T + 1]; the updates of
    iteration t, from 1, are rows update_offset[t − 1] to update_offset[t] of update_node,
    update_visits, update_value. rollout_offset, rollout_action likewise, None where no rollout was
    recorded. changed_states: positions seen to be others than before, `row` counting from iteration
    1. proven_node, proven_outcome, proven_at (iteration): what a solver has proven, in order.

    Where the tree before the first iteration was inherited from an earlier search, the first row
    appended holds it: node_count[0] and update_offset[0] count what it brought.
    """

    def __init__(
        self, root_to_move: int, root_outcome: float = np.nan, root_label: str | None = None,
        root_state: str | None = None, inherits: bool = False,
    ) -> None:  # fmt: skip
        self._inherits = inherits  # and the row has not come yet
        self._node = {
            "parent": _Growing(np.int32, [-1]),
            "action": _Growing(np.int32, [-1]),
            "to_move": _Growing(np.int8, [root_to_move]),
            "prior": _Growing(np.float32, [np.nan]),
            "outcome": _Growing(np.float32, [root_outcome]),
            "born": _Growing(np.int32, [0]),
        }
        self._iteration = {
            "leaf": _Growing(np.int32, []),
            "result": _Growing(np.float32, []),
            "elapsed": _Growing(np.int64, []),
        }
        self._update = {
            "update_node": _Growing(np.int32, []),
            "update_visits": _Growing(np.int32, []),
            "update_value": _Growing(np.float64, []),
        }
        self._node_count = _Growing(np.int32, [1])
        self._update_offset = _Growing(np.int64, [0])
        self._rollout_offset: _Growing | None = _Growing(np.int64, [0])
        self._rollout_action = _Growing(np.int32, [])
        self._proven = {
            "proven_node": _Growing(np.int32, []),
            "proven_outcome": _Growing(np.float32, []),
            "proven_at": _Growing(np.int32, []),
        }
        self._n_proven = 0
        self.label: list[str | None] = [root_label]  # [N]
        self.state: list[str | None] = [root_state]  # [N]
        self.has_texts = root_label is not None or root_state is not None
        self.changed_states: list[StateChange] = []
        self._n_nodes, self._n_updates, self._n_moves = 1, 0, 0  # appended
        self._exact_sums = True
        self._exact_updates = 0  # how many updates that has been asked of
        self._exact_total = 0.0  # of the magnitudes of their values
        self.n_iterations = 0

    def append(self, rows: Rows) -> None:
        """Add iterations at the end; the rows' arrays must not change any more."""
        if self._inherits and rows.n:
            self._inherits = False
            self._inherit(split(rows, 0, 1))
            rows = split(rows, 1, rows.n)
        for name in NODE_COLUMNS:
            self._node[name].extend(getattr(rows, name))
        born = np.arange(self.n_iterations + 1, self.n_iterations + rows.n + 1, dtype=np.int32)
        self._node["born"].extend(np.repeat(born, np.diff(rows.new_offset)))
        if rows.label is not None or rows.state is not None or self.has_texts:
            self._append_texts(rows, self._n_nodes)
        for name in UPDATE_COLUMNS:
            self._update[name].extend(getattr(rows, name))
        for name in ITERATION_COLUMNS:
            self._iteration[name].extend(getattr(rows, name))
        if rows.rollout_offset is None or rows.rollout_action is None:
            self._rollout_offset = None
        elif self._rollout_offset is not None:
            self._rollout_action.extend(rows.rollout_action)
            self._rollout_offset.extend(rows.rollout_offset[1:] + np.int64(self._n_moves))
            self._n_moves += len(rows.rollout_action)
        self._update_offset.extend(rows.update_offset[1:] + np.int64(self._n_updates))
        self._n_updates += len(rows.update_node)
        if (
            rows.proven_offset is not None
            and rows.proven_node is not None
            and rows.proven_outcome is not None
        ):
            at = np.arange(self.n_iterations + 1, self.n_iterations + rows.n + 1, dtype=np.int32)
            self._proven["proven_node"].extend(rows.proven_node)
            self._proven["proven_outcome"].extend(rows.proven_outcome)
            self._proven["proven_at"].extend(np.repeat(at, np.diff(rows.proven_offset)))
            self._n_proven += len(rows.proven_node)
        self.changed_states += [
            each._replace(row=self.n_iterations + each.row) for each in rows.changed_states or ()
        ]
        self._node_count.extend(rows.new_offset[1:] + np.int32(self._n_nodes))
        self._n_nodes += len(rows.parent)
        self.n_iterations += rows.n  # last: from here on the rows count

    def _inherit(self, rows: Rows) -> None:
        """The tree before the first iteration, as one row."""
        for name in NODE_COLUMNS:
            self._node[name].extend(getattr(rows, name))
        self._node["born"].extend(np.zeros(len(rows.parent), np.int32))
        if rows.label is not None or rows.state is not None or self.has_texts:
            self._append_texts(rows, self._n_nodes)
        for name in UPDATE_COLUMNS:
            self._update[name].extend(getattr(rows, name))
        if rows.proven_node is not None and rows.proven_outcome is not None:
            self._proven["proven_node"].extend(rows.proven_node)
            self._proven["proven_outcome"].extend(rows.proven_outcome)
            self._proven["proven_at"].extend(np.zeros(len(rows.proven_node), np.int32))
            self._n_proven += len(rows.proven_node)
        self._n_updates = len(rows.update_node)
        self._n_nodes = 1 + len(rows.parent)
        self._update_offset = _Growing(np.int64, [self._n_updates])
        self._node_count = _Growing(np.int32, [self._n_nodes])

    def join(self, room: float = 1.0) -> None:
        """Let go of the arrays that were appended: their values are in the columns, in which so many
        times as many are to be expected in the end."""
        groups = (self._node, self._iteration, self._update, self._proven)
        for column in (column for group in groups for column in group.values()):
            column.join(room)
        for column in (self._node_count, self._update_offset, self._rollout_action):
            column.join(room)
        if self._rollout_offset is not None:
            self._rollout_offset.join(room)

    def _append_texts(self, rows: Rows, first_node: int) -> None:
        self.has_texts = True
        for mine, theirs in ((self.label, rows.label), (self.state, rows.state)):
            mine.extend([None] * (first_node - len(mine)))
            mine.extend([None] * len(rows.parent) if theirs is None else theirs)

    @property
    def exact_sums(self) -> bool:
        """Whether every sum of values so far is free of rounding, so that it can be undone."""
        values = self.update_value
        while self._exact_sums and self._exact_updates < len(values):
            new = values[self._exact_updates : self._exact_updates + EXACT_AT_ONCE]
            with np.errstate(over="ignore"):
                self._exact_total += float(np.abs(new).sum())
            self._exact_sums = self._exact_total < EXACT_BELOW and _dyadic(new)
            self._exact_updates += len(new)
        return self._exact_sums

    @property
    def n_nodes(self) -> int:
        """N, the root included."""
        return int(self.node_count[-1])

    @property
    def node_count(self) -> npt.NDArray[np.int32]:
        """[T + 1]."""
        return self._node_count.first(self.n_iterations + 1)

    @property
    def update_offset(self) -> npt.NDArray[np.int64]:
        """[T + 1]."""
        return self._update_offset.first(self.n_iterations + 1)

    @property
    def rollout_offset(self) -> npt.NDArray[np.int64] | None:
        """[T + 1], None where rollouts were not recorded."""
        if self._rollout_offset is None:
            return None
        return self._rollout_offset.first(self.n_iterations + 1)

    @property
    def rollout_action(self) -> npt.NDArray[np.int32] | None:
        """Moves of all rollouts, None where they were not recorded."""
        offset = self.rollout_offset
        return None if offset is None else self._rollout_action.first(int(offset[-1]))

    parent = property(lambda self: self._nodes("parent"))
    action = property(lambda self: self._nodes("action"))
    to_move = property(lambda self: self._nodes("to_move"))
    prior = property(lambda self: self._nodes("prior"))
    outcome = property(lambda self: self._nodes("outcome"))
    born = property(lambda self: self._nodes("born"))
    leaf = property(lambda self: self._iteration["leaf"].first(self.n_iterations))
    result = property(lambda self: self._iteration["result"].first(self.n_iterations))
    elapsed = property(lambda self: self._iteration["elapsed"].first(self.n_iterations))
    update_node = property(lambda self: self._updates("update_node"))
    update_visits = property(lambda self: self._updates("update_visits"))
    update_value = property(lambda self: self._updates("update_value"))

    proven_node = property(lambda self: self._proven["proven_node"].first(self._n_proven))
    proven_outcome = property(lambda self: self._proven["proven_outcome"].first(self._n_proven))
    proven_at = property(lambda self: self._proven["proven_at"].first(self._n_proven))

    def proven(self, t: int) -> npt.NDArray[np.float32]:
        """[nodes after t iterations] the result that each was proven to have by then, finished games
        included, view of player 0; nan: none. Not to be written to."""
        proven: npt.NDArray[np.float32] = self.outcome[: int(self.node_count[t])]
        if self._n_proven == 0:
            return proven
        proven = proven.copy()
        n = int(np.searchsorted(self.proven_at, t, side="right"))
        proven[self.proven_node[:n]] = self.proven_outcome[:n]
        return proven

    def _nodes(self, name: str) -> npt.NDArray[Any]:
        return self._node[name].first(self.n_nodes)

    def _updates(self, name: str) -> npt.NDArray[Any]:
        return self._update[name].first(int(self.update_offset[-1]))


def split(rows: Rows, first: int, last: int) -> Rows:
    """The rows from `first` to just before `last`."""
    parts: dict[str, Any] = {}
    for offset, names in (
        ("new_offset", (*NODE_COLUMNS, "label", "state")),
        ("update_offset", UPDATE_COLUMNS),
        ("rollout_offset", ("rollout_action",)),
        ("proven_offset", ("proven_node", "proven_outcome")),
    ):
        ends = getattr(rows, offset)
        if ends is None:
            continue
        begin, end = int(ends[first]), int(ends[last])
        parts[offset] = ends[first : last + 1] - ends[first]
        for name in names:
            column = getattr(rows, name)
            parts[name] = None if column is None else column[begin:end]
    for name in ITERATION_COLUMNS:
        parts[name] = getattr(rows, name)[first:last]
    changes = [
        each._replace(row=each.row - first)
        for each in rows.changed_states or ()
        if first <= each.row < last
    ]
    return rows._replace(**parts, changed_states=changes or None)


def _dyadic(values: npt.NDArray[np.float64]) -> bool:
    """Whether all are multiples of 1/1024: sums and differences below 2⁴³ are then exact in
    float64."""
    scaled = values * 1024.0
    return bool(np.all(scaled == np.rint(scaled)))
