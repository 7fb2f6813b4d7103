"""What a check counts while it goes through a trace: how often something occurs and where first, and
the median of many numbers, in little memory whatever the length of the trace.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.types import Bools, Floats, Ints

MOST_NUMBERS = 1 << 16  # different ones that are counted one by one


class Occurrences:
    """How often something occurs, and where first; unpacks as (iteration, node, times), all 0 while it
    has not occurred."""

    def __init__(self) -> None:
        self.iteration = self.node = self.times = 0

    def add(self, mask: Bools, iteration: Ints, node: Ints) -> None:
        """Count the entries of the mask, at these iterations and nodes."""
        times = int(mask.sum())
        if times and not self.times:
            first = int(np.argmax(mask))
            self.iteration, self.node = int(iteration[first]), int(node[first])
        self.times += times

    def __iter__(self) -> Iterator[int]:
        return iter((self.iteration, self.node, self.times))


class ValueCounts:
    """Numbers and how often each occurs. Exact for up to MOST_NUMBERS different ones; with more,
    neighbours are merged, and the median is approximate."""

    def __init__(self) -> None:
        self.numbers, self.times = np.zeros(0), np.zeros(0, np.int64)  # [K] ascending

    @property
    def total(self) -> int:
        """Count of all numbers."""
        return int(self.times.sum())

    def add(self, numbers: Floats) -> None:
        """Count these, too."""
        if not len(numbers):
            return
        everything = np.concatenate((self.numbers, numbers))
        weights = np.concatenate((self.times, np.ones(len(numbers), np.int64)))
        order = np.argsort(everything, kind="stable")
        everything, weights = everything[order], weights[order]
        first = np.flatnonzero(np.concatenate(([True], np.diff(everything) != 0)))
        self.numbers, self.times = everything[first], np.add.reduceat(weights, first)
        while len(self.numbers) > MOST_NUMBERS:
            pairs = np.arange(0, len(self.numbers), 2)
            self.numbers, self.times = self.numbers[pairs], np.add.reduceat(self.times, pairs)

    def median(self) -> float:
        """As `numpy.median` gives it; there must be a number."""
        ends = np.cumsum(self.times)
        ranks = np.array([(self.total - 1) // 2, self.total // 2])
        return float(np.mean(self.numbers[np.searchsorted(ends, ranks, side="right")]))

    def count(self, mask: Bools) -> int:
        """Count of the numbers that the mask [K] selects."""
        return int(self.times[mask].sum())
