"""A whole trace in memory: flat columns that grow at the end, never change and never move under a
reader.

One writer may append while others read: a row counts only once it is whole. Arrays handed out
earlier stay as they were, for growing makes new ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from mcts_viz.trace.format import Rows

NODE_COLUMNS = ("parent", "action", "to_move", "prior", "outcome")
ITERATION_COLUMNS = ("leaf", "result", "elapsed")
EXACT_BELOW = 2.0**42  # magnitude up to which float64 tells multiples of 1/1024 apart, to be sure
UPDATE_COLUMNS = ("update_node", "update_visits", "update_value")


class _Growing:
    """One column with room to spare; at most doubled, so that appending costs O(1) a value on
    average."""

    def __init__(self, dtype: Any, first: list[Any]) -> None:
        self.values: npt.NDArray[Any] = np.array(first, dtype)
        self.n = len(first)

    def extend(self, more: npt.NDArray[Any]) -> None:
        end = self.n + len(more)
        if end > len(self.values):
            larger = np.empty(max(end, 2 * len(self.values), 1024), self.values.dtype)
            larger[: self.n] = self.values[: self.n]
            self.values = larger
        self.values[self.n : end] = more
        self.n = end

    def first(self, n: int) -> npt.NDArray[Any]:
        """The first n values, not to be written to."""
        view = self.values[:n]
        view.flags.writeable = False
        return view


class Columns:
    """Columns of a trace of T iterations, N nodes and U updates; node 0, the root, is there from
    the start.

    parent, action, to_move, prior, outcome, born: [N]. node_count: [T + 1] nodes after t
    iterations. leaf, result (nan: none), elapsed: [T]. update_offset: [T + 1]; the updates of
    iteration t, from 1, are rows update_offset[t − 1] to update_offset[t] of update_node,
    update_visits, update_value. rollout_offset, rollout_action likewise, None where no rollout was
    recorded.
    """

    def __init__(
        self, root_to_move: int, root_outcome: float = np.nan, root_label: str | None = None,
        root_state: str | None = None,
    ) -> None:  # fmt: skip
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
        self.label: list[str | None] = [root_label]  # [N]
        self.state: list[str | None] = [root_state]  # [N]
        self.has_texts = root_label is not None or root_state is not None
        self._exact_total = 0.0  # of the magnitudes of all values, while their sums are exact
        self.exact_sums = (
            True  # every sum of values so far is free of rounding, so that it can be undone
        )
        self.n_iterations = 0

    def append(self, rows: Rows) -> None:
        """Add iterations at the end."""
        first_node = int(self.node_count[-1])
        new = len(rows.parent)
        for name in NODE_COLUMNS:
            self._node[name].extend(getattr(rows, name))
        born = np.arange(self.n_iterations + 1, self.n_iterations + rows.n + 1, dtype=np.int32)
        self._node["born"].extend(np.repeat(born, np.diff(rows.new_offset)))
        if rows.label is not None or rows.state is not None or self.has_texts:
            self._append_texts(rows, first_node)
        for name in UPDATE_COLUMNS:
            self._update[name].extend(getattr(rows, name))
        if self.exact_sums:
            with np.errstate(over="ignore"):
                self._exact_total += float(np.abs(rows.update_value).sum())
            self.exact_sums = self._exact_total < EXACT_BELOW and _dyadic(rows.update_value)
        for name in ITERATION_COLUMNS:
            self._iteration[name].extend(getattr(rows, name))
        if rows.rollout_offset is None or rows.rollout_action is None:
            self._rollout_offset = None
        elif self._rollout_offset is not None:
            moves = self._rollout_action.n
            self._rollout_action.extend(rows.rollout_action)
            self._rollout_offset.extend(rows.rollout_offset[1:].astype(np.int64) + moves)
        updates = int(self._update_offset.values[self._update_offset.n - 1])
        self._update_offset.extend(rows.update_offset[1:].astype(np.int64) + updates)
        self._node_count.extend(rows.new_offset[1:] + np.int32(first_node))
        assert self._node["parent"].n == first_node + new
        self.n_iterations += rows.n  # last: from here on the rows count

    def _append_texts(self, rows: Rows, first_node: int) -> None:
        self.has_texts = True
        for mine, theirs in ((self.label, rows.label), (self.state, rows.state)):
            mine.extend([None] * (first_node - len(mine)))
            mine.extend([None] * len(rows.parent) if theirs is None else theirs)

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

    def _nodes(self, name: str) -> npt.NDArray[Any]:
        return self._node[name].first(self.n_nodes)

    def _updates(self, name: str) -> npt.NDArray[Any]:
        return self._update[name].first(int(self.update_offset[-1]))


def _dyadic(values: npt.NDArray[np.float64]) -> bool:
    """Whether all are multiples of 1/1024: sums and differences below 2⁴³ are then exact in
    float64."""
    scaled = values * 1024.0
    return bool(np.all(scaled == np.rint(scaled)))
