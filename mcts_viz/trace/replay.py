"""Replays a trace: the visits and value sums of all nodes at any iteration.

One mutable position with a few keyframes behind it. A neighbouring iteration costs O(path); a far
one costs the updates since the nearest keyframe. Updates are added in the order in which the search
added them, so the sums come out as the search's own, bit for bit.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mcts_viz.trace.columns import Columns
from mcts_viz.trace.memory import room_for
from mcts_viz.trace.statistics import add_many, add_updates, rows_between, take_back
from mcts_viz.trace.sums import Sums
from mcts_viz.types import Floats

KEYFRAME_UPDATES = 1 << 19  # between two keyframes, to begin with
MOST_KEYFRAMES = 24  # beyond it every other one is dropped
LARGE = 1 << 19  # nodes; in a larger tree a keyframe takes as long as adding this many updates


class Replay:
    """Statistics at iteration `t`, for the nodes there are then. Not thread-safe: its owner holds
    the lock."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._sums = Sums.zeros(1)  # with room to spare
        self._keyframes: dict[int, Sums] = {}
        self._keyframe_updates = KEYFRAME_UPDATES
        self._n_inherited = 0  # updates of the tree before the first iteration that were added
        self.t = 0

    @property
    def n_nodes(self) -> int:
        """Nodes there are after t iterations."""
        return int(self._columns.node_count[self.t])

    @property
    def visits(self) -> npt.NDArray[np.int32]:
        """[n_nodes], changed by the next `seek`."""
        return self._sums.visits[: self.n_nodes]

    @property
    def value_sum(self) -> Floats:
        """[n_nodes], changed by the next `seek`."""
        return self._sums.value_sum[: self.n_nodes]

    def sums(self) -> Sums:
        """A copy of both."""
        return Sums(self.visits, self.value_sum).of_more(self.n_nodes)

    def seek(self, t: int) -> None:
        """Go to iteration `t`, which must be one the trace has."""
        self._make_room()
        if self._n_inherited != int(self._columns.updates.offset[0]):
            self._restore(0)
        if (
            t < self.t
            and self._columns.exact_sums
            and self._n_updates(t, self.t) <= self._rebuild_cost(t)
        ):
            self._undo(t)
            return
        start = max((k for k in self._keyframes if k <= t), default=0)
        if not start <= self.t <= t:
            self._restore(start)
        self._leap(t)
        while self.t < t:
            self._advance(min(t, self._next_keyframe()))

    def _leap(self, t: int) -> None:
        """Go to iteration t at once, where that can be done without its updates and those before it; keyframes on the
        way are made when somebody looks there. One is kept here only where a copy of all sums is no more work than
        going this way again: a trace that grows fast is looked at at its end, each time at another one."""
        if self.t >= t or not add_many(self._sums, self._columns, self.t, t):
            return
        self.t = t
        if t - max((k for k in self._keyframes if k <= t), default=0) >= self.n_nodes:
            self._keep()

    def _make_room(self) -> None:
        n = self._columns.n_nodes
        if n > len(self._sums.visits):
            there = self._sums.value_sum
            self._sums = self._sums.of_more(room_for(n, len(there), there.itemsize))
        while self._keyframe_updates < n and n > LARGE:
            self._thin_out()

    def _n_updates(self, start: int, end: int) -> int:
        offset = self._columns.updates.offset
        return int(offset[end] - offset[start])

    def _rebuild_cost(self, t: int) -> int:
        start = max((k for k in self._keyframes if k <= t), default=0)
        inherited = 0 if start else self._n_inherited
        return self._n_updates(start, t) + inherited + self._columns.n_nodes // 4

    def _advance(self, t: int) -> None:
        add_updates(self._sums, self._columns, rows_between(self._columns, self.t, t))
        self.t = t
        if t == self._next_keyframe(t - 1):
            self._keep()

    def _undo(self, t: int) -> None:
        if not add_many(self._sums, self._columns, t, self.t, times=-1):
            take_back(self._sums, self._columns, rows_between(self._columns, t, self.t))
        self.t = t

    def _next_keyframe(self, after: int | None = None) -> int:
        """The first iteration beyond `after` (now) that ends a further `_keyframe_updates`
        updates."""
        offset = self._columns.updates.offset
        done = int(offset[self.t if after is None else after])
        goal = (done // self._keyframe_updates + 1) * self._keyframe_updates
        return int(np.searchsorted(offset, goal))

    def _keep(self) -> None:
        if self.t in self._keyframes:
            return
        self._keyframes[self.t] = self.sums()
        if len(self._keyframes) > MOST_KEYFRAMES:
            self._thin_out()

    def _thin_out(self) -> None:
        self._keyframe_updates *= 2
        for k in sorted(self._keyframes)[::2]:
            del self._keyframes[k]

    def _restore(self, t: int) -> None:
        room = len(self._sums.visits)
        if t:
            self._sums = self._keyframes[t].of_more(room)
        else:
            self._sums = Sums.zeros(room)
            inherited = rows_between(self._columns, -1, 0)
            self._n_inherited = inherited.stop
            add_updates(self._sums, self._columns, inherited)
        self.t = t
