"""Values that are few different ones, as those of games' results are, by numbers: a byte or two each, not eight."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mcts_viz.trace.deferred import DeferredColumn
from mcts_viz.trace.index.loops import number_values, run
from mcts_viz.types import Floats, Numbers

MOST = 1 << 16  # different values


class FewValues:
    """The numbers of values, until there are too many different ones."""

    def __init__(self) -> None:
        self._keys = np.zeros(4 * MOST, np.int64)
        self._numbers = np.full(4 * MOST, -1, np.int32)
        self._n = np.zeros(1, np.int64)

    def of(self, value: Floats) -> npt.NDArray[np.uint16] | None:
        """[k] the number of each; None once there are too many."""
        code, bits = np.empty(len(value), np.uint16), np.ascontiguousarray(value).view(np.int64)
        run(number_values, bits, self._keys, self._numbers, self._n, MOST, code)
        return code if self._n[0] <= MOST else None

    @property
    def values(self) -> Floats:
        """[V] by number."""
        there = np.flatnonzero(self._numbers >= 0)
        found = np.empty(len(there), np.int64)
        found[self._numbers[there]] = self._keys[there]
        return found.view(np.float64)


def by_number(code: Numbers, values: Floats) -> Floats:
    """[k] the values that have these numbers: decoded where they are read."""
    return DeferredColumn(
        len(code), np.float64, lambda rows: values[code[rows]], lambda begin, end: values[code[begin:end]]
    ).as_array  # fmt: skip
