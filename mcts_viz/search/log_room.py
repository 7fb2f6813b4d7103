"""Room for the logs of one chunk after the other, which a consumer may keep.

They lie side by side in arrays that grow with the search: memory asked for in large pieces comes in large pages
(numpy asks for them from 4 MB on), and asked for chunk by chunk in small ones, whose faults took a fifth of the
time of a recorded search.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from mcts_viz.search.iterations import Log

MOST_BYTES = 1 << 26  # of an array
GROWTH = 4  # untouched memory costs nothing


class _Column:
    """The arrays of one column, of which only the last one has room left."""

    def __init__(self, dtype: Any) -> None:
        self._array = np.empty(0, dtype)
        self._used = 0  # of that array
        self._all = 0  # of all there were

    def room(self, n: int) -> npt.NDArray[Any]:
        """[n] numbers, any; the same ones until they are kept."""
        if self._used + n > len(self._array):
            most = MOST_BYTES // self._array.itemsize
            # a few times what is used, and no more: there may be thousands of small searches
            self._array = np.empty(max(n, min(GROWTH * self._all, most)), self._array.dtype)
            self._used = 0
        return self._array[self._used : self._used + n]

    def keep(self, n: int) -> None:
        """The first n of what was given last are in use from now on."""
        self._used += n
        self._all += n


class LogRoom:
    """Of one search, of a game of at most `max_moves` moves."""

    def __init__(self, max_moves: int, n_rollouts: int = 1, solver: bool = False) -> None:
        self._path, self._rollouts, self._solver = max_moves + 1, n_rollouts, solver
        self._columns = {
            name: _Column(dtype)
            for name, dtype in {
                "node_count": np.int32,
                "leaf": np.int32,
                "result": np.float32,
                "elapsed": np.int64,
                "update_offset": np.int32,
                "update_node": np.uint32,
                "update_value": np.float64,
                "rollout_offset": np.int32,
                "rollout_action": np.int32,
                "proven_offset": np.int32,
                "proven_node": np.int32,
                "proven_outcome": np.float32,
            }.items()
        }

    def log(self, n: int) -> Log:
        """Room for `n` iterations, the same until it is kept."""
        path = n * self._path
        lengths = _lengths(n, path, path * self._rollouts, path if self._solver else 1)
        log = Log(**{name: column.room(lengths[name]) for name, column in self._columns.items()})
        for offset in (log.update_offset, log.rollout_offset, log.proven_offset):
            offset[0] = 0
        return log

    def keep(self, log: Log, n: int) -> None:
        """The first `n` iterations of the log given last belong to somebody now."""
        lengths = _lengths(
            n, int(log.update_offset[n]), int(log.rollout_offset[n]), int(log.proven_offset[n])
        )
        for name, column in self._columns.items():
            column.keep(lengths[name])


def _lengths(n: int, updates: int, moves: int, proofs: int) -> dict[str, int]:
    """Of each column of a log of n iterations."""
    return {
        **dict.fromkeys(("leaf", "result", "elapsed"), n),
        **dict.fromkeys(("node_count", "update_offset", "rollout_offset", "proven_offset"), n + 1),
        **dict.fromkeys(("update_node", "update_value"), updates),
        "rollout_action": moves,
        **dict.fromkeys(("proven_node", "proven_outcome"), proofs),
    }
