"""Searches in many sorted runs at once."""

from __future__ import annotations

import numpy as np

from mcts_viz.types import Ints, Numbers, Wholes


def ends_below(values: Numbers, begin: Wholes, end: Wholes, limit: Wholes) -> Ints:
    """[k] the place behind the last of values[begin:end] that is below its limit; in each of these runs they rise."""
    low, high = np.array(begin, np.int64), np.array(end, np.int64)
    limits = np.broadcast_to(np.asarray(limit, np.int64), low.shape)
    open_ = np.flatnonzero(low < high)
    while len(open_):  # halving all of them at once
        middle = (low[open_] + high[open_]) // 2
        below = values[middle] < limits[open_]
        low[open_[below]] = middle[below] + 1
        high[open_[~below]] = middle[~below]
        open_ = open_[low[open_] < high[open_]]
    return low
