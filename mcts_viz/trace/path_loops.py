"""Loops along the paths of iterations that leave their updates to be understood: what a trace that grows fast needs at
each look. Compiled by numba in a thread of their own; until they are there, the same is done by numpy.

The caller has checked every id.
"""

from __future__ import annotations

import threading

import numpy as np

from mcts_viz.trace.index.loops import Int32s, compiled
from mcts_viz.types import Floats, Numbers


def add_along(
    leaf: Int32s, worth: Floats, parent: Int32s, side: Numbers, times: int, visits: Int32s, value_sum: Floats
) -> None:  # fmt: skip
    """Add a visit and what it is worth to the nodes of each path, in the order of the search. times: 1; −1 takes it
    back."""
    for t in range(len(leaf)):
        node = leaf[t]
        first, second = times * worth[t, 0], times * worth[t, 1]
        while node >= 0:
            visits[node] += times
            value_sum[node] += second if side[node] == 1 else first
            node = parent[node]


def note_last(leaf: Int32s, before: int, parent: Int32s, last: Int32s) -> None:
    """Note the last of iterations before + 1, before + 2, … that came by each node; last: those up to `before`."""
    for t in range(len(leaf) - 1, -1, -1):
        node = leaf[t]
        while node >= 0 and last[node] <= before:  # those above one that is noted are noted, too
            last[node] = before + 1 + t
            node = parent[node]


class PathLoops:
    """The loops, once they are compiled."""

    def __init__(self) -> None:
        self.are_ready = False
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()

    def load(self) -> threading.Thread:
        """Have them compiled, or loaded where they were before: takes a second or two in a thread."""
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._load, name="mcts_viz loops", daemon=True
                )
                self._thread.start()
            return self._thread

    def _load(self) -> None:
        """Call each with nothing to do: numba compiles for the types that it is given."""
        leaf, worth = np.zeros(0, np.int32), np.zeros((0, 2))
        leaf.flags.writeable = worth.flags.writeable = False  # as those of a trace
        node, side, value = np.zeros(1, np.int32), np.zeros(1, np.int8), np.zeros(1)
        compiled(add_along)(leaf, worth, node, side, 1, node, value)
        compiled(note_last)(leaf, 0, node, node)
        self.are_ready = True

    def add_along(self, *columns: Numbers | int) -> None:
        """See the function."""
        compiled(add_along)(*columns)

    def note_last(self, *columns: Numbers | int) -> None:
        """See the function."""
        compiled(note_last)(*columns)


LOOPS = PathLoops()
