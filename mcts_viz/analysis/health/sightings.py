"""What a check keeps of what it sees, stretch by stretch: how often and where first, and numbers of
which the middle one will be asked for. As little as possible, whatever the length of the trace.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.analysis.health.stretch import Bools, Floats, Ints

MOST_NUMBERS = 1 << 16  # different ones that are told apart


class Sightings:
    """How often something was seen, and where first; unpacks as (iteration, node, times), with
    iteration and node 0 while it never was."""

    def __init__(self) -> None:
        self.iteration = self.node = self.times = 0

    def add(self, mask: Bools, iteration: Ints, node: Ints) -> None:
        """Seen where the mask says so, at these iterations and nodes."""
        times = int(mask.sum())
        if times and not self.times:
            first = int(np.argmax(mask))
            self.iteration, self.node = int(iteration[first]), int(node[first])
        self.times += times

    def __iter__(self) -> Iterator[int]:
        return iter((self.iteration, self.node, self.times))


class Tally:
    """Numbers and how often each came. Exact for up to MOST_NUMBERS different ones; of more,
    neighbours are taken together, and the median is one close by."""

    def __init__(self) -> None:
        self.numbers, self.times = np.zeros(0), np.zeros(0, np.int64)  # [K] ascending

    @property
    def total(self) -> int:
        """How many numbers came."""
        return int(self.times.sum())

    def add(self, numbers: Floats) -> None:
        """More of them."""
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
        """How many of the numbers came where the mask [K] says so."""
        return int(self.times[mask].sum())
