"""Budgets: when a search stops. Checked between chunks."""

from __future__ import annotations

import numbers
from typing import NamedTuple

from mcts_viz.errors import SearchError

MOST_ITERATIONS = 2**31 - 2  # visits are counted in int32
MOST_SECONDS = 10**9


class Budget(NamedTuple):
    """The first limit reached ends the search; None is no limit, and at least one of them is
    set."""

    iterations: int | None
    seconds: float | None

    def left(self, done: int) -> int:
        """Iterations that may still run after `done`."""
        return (MOST_ITERATIONS if self.iterations is None else self.iterations) - done


def budget(iterations: int | None, seconds: float | None, default: int) -> Budget:
    """A checked budget: `default` iterations where nothing is said; raises SearchError for what
    cannot be meant."""
    if iterations is None and seconds is None:
        return Budget(default, None)
    if iterations is not None:
        whole = isinstance(iterations, numbers.Integral) and not isinstance(iterations, bool)
        if not whole or not 0 < iterations <= MOST_ITERATIONS:
            raise SearchError(
                f"iterations = {iterations!r} is not a whole number from 1 to {MOST_ITERATIONS:,}; "
                "give one, or seconds"
            )
        iterations = int(iterations)
    if seconds is not None:
        real = isinstance(seconds, numbers.Real) and not isinstance(seconds, bool)
        if not real or not 0 < seconds <= MOST_SECONDS:  # nan is neither
            raise SearchError(
                f"seconds = {seconds!r} is not a number of seconds above 0, at most {MOST_SECONDS:,}; "
                "give one, or iterations"
            )
        seconds = float(seconds)
    return Budget(iterations, seconds)
