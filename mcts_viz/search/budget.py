"""Budgets: when a search stops. Checked between chunks."""

from __future__ import annotations

import math
from typing import NamedTuple

from mcts_viz.errors import SearchError

DEFAULT_ITERATIONS = 1_000
MOST_ITERATIONS = 2**31 - 2  # visits are counted in int32


class Budget(NamedTuple):
    """The first limit reached ends the search; None is no limit, and at least one of them is
    set."""

    iterations: int | None
    seconds: float | None

    def left(self, done: int) -> int:
        """Iterations that may still run after `done`."""
        return (MOST_ITERATIONS if self.iterations is None else self.iterations) - done


def budget(iterations: int | None, seconds: float | None) -> Budget:
    """A checked budget: 1,000 iterations where nothing is said; raises SearchError for what cannot
    be meant."""
    if iterations is None and seconds is None:
        return Budget(DEFAULT_ITERATIONS, None)
    if iterations is not None and (
        isinstance(iterations, bool)
        or not isinstance(iterations, int)
        or not 0 < iterations <= MOST_ITERATIONS
    ):
        raise SearchError(
            f"iterations = {iterations!r} is not a whole number from 1 to {MOST_ITERATIONS:,}"
        )
    if seconds is not None and not (math.isfinite(seconds) and seconds > 0):
        raise SearchError(f"seconds = {seconds!r} is not a positive number of seconds")
    return Budget(iterations, seconds)
