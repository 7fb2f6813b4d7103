"""Memory that arrays take."""

from __future__ import annotations

import numpy as np
import pytest

from mcts_viz.trace import memory


@pytest.mark.parametrize("n", [0, 5, memory.LARGE_PAGES_FROM // 8, memory.LARGE_PAGES_FROM])
def test_zeros_are_numbers_like_others(n: int) -> None:
    made, another = memory.zeros(n, np.float64), memory.zeros(n, np.float64)
    assert made.dtype == np.float64
    assert made.shape == (n,)
    assert not made.any()
    made += 1.0
    assert made.sum() == n
    assert not another.any()  # no two share memory
    made.flags.writeable = False
    assert made[: n // 2].copy().flags.writeable
