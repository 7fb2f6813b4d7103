"""The number that lies in as many of a stream's intervals as possible, exactly, for streams of any
length: some intervals, evenly spread, say where to look, and going through the stream again says
what is there.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from mcts_viz.analysis.health.stretch import Floats, Ints

STORED = 1 << 17  # intervals kept at most


class Intervals:
    """What is kept of a stream of intervals: up to STORED of them, evenly spread, and where all of
    them meet, `low` to `high`; low > high where they do not. An interval with low > high is one
    that nothing lies in."""

    def __init__(self) -> None:
        self.n = 0
        self.low, self.high = -np.inf, np.inf
        self._parts: list[tuple[Floats, Floats]] = []
        self._every, self._kept = 1, 0

    def add(self, low: Floats, high: Floats) -> None:
        """More of the stream."""
        self.low = max(self.low, float(low.max(initial=-np.inf)))
        self.high = min(self.high, float(high.min(initial=np.inf)))
        use = slice(-self.n % self._every, None, self._every)
        self._parts.append((low[use].copy(), high[use].copy()))
        self._kept += len(low[use])
        self.n += len(low)
        while self._kept > STORED:
            low, high = self.kept
            self._parts = [(low[::2].copy(), high[::2].copy())]
            self._every, self._kept = 2 * self._every, len(low[::2])

    @property
    def meet(self) -> bool:
        """Whether some number lies in all of them."""
        return self.low <= self.high

    @property
    def kept_all(self) -> bool:
        """Whether those kept are all there were."""
        return self._every == 1

    @property
    def kept(self) -> tuple[Floats, Floats]:
        """[K] bounds of those kept, in order."""
        low, high = (np.concatenate(bound) for bound in zip(*self._parts))
        return low, high


class Meeting(NamedTuple):
    """The first stretch of numbers that lie in as many intervals as any other."""

    low: float
    high: float
    n: int  # intervals


def most_overlap(low: Floats, high: Floats) -> Meeting:
    """Of intervals that are all there; (0, 0, 0) where nothing lies in any."""
    if np.max(low) <= np.min(high):
        return Meeting(float(np.max(low)), float(np.min(high)), len(low))
    real = low <= high
    begins, ends = np.sort(low[real]), np.sort(high[real])
    if not len(begins):
        return Meeting(0.0, 0.0, 0)
    inside = np.arange(1, len(begins) + 1) - np.searchsorted(ends, begins, side="left")
    best = int(inside.argmax())
    at = float(begins[best])
    return Meeting(at, float(ends[np.searchsorted(ends, at, side="left")]), int(inside[best]))


class Census:
    """How many intervals of a stream begin and end where; the places are the bounds of those kept, E
    of them, and the gaps between: gap 0, bound 0, gap 1, bound 1, …"""

    def __init__(self, intervals: Intervals) -> None:
        low, high = intervals.kept
        real = low <= high
        self._bounds = np.unique(np.concatenate((low[real], high[real], [0.0])))
        self._begins = np.zeros(2 * len(self._bounds) + 1, np.int64)
        self._ends = np.zeros_like(self._begins)

    def add(self, low: Floats, high: Floats) -> None:
        """More of the stream."""
        real = low <= high
        self._begins += np.bincount(self._place(low[real]), minlength=len(self._begins))
        self._ends += np.bincount(self._place(high[real]), minlength=len(self._ends))

    def _place(self, numbers: Floats) -> Ints:
        right = np.searchsorted(self._bounds, numbers, side="left")
        on = np.minimum(right, len(self._bounds) - 1)
        return np.asarray(2 * right + ((right == on) & (self._bounds[on] == numbers)))

    @property
    def _inside(self) -> Ints:
        """Intervals that a number at each place lies in: exactly at bounds, at most in gaps."""
        ended = np.cumsum(self._ends) - self._ends
        return np.asarray(np.cumsum(self._begins) - ended)

    @property
    def at_least(self) -> int:
        """Intervals that some number lies in."""
        return int(self._inside[1::2].max())

    @property
    def at_most(self) -> int:
        """Intervals that no number can lie in more of."""
        return int(self._inside.max())

    def search(self, stream: Iterable[tuple[Floats, Floats]]) -> tuple[float, int]:
        """(the first number that lies in as many intervals as any other, how many), going through
        the stream again; (0, 0) where nothing lies in any."""
        inside = self._inside
        best_bound = 2 * int(inside[1::2].argmax()) + 1
        gaps = np.arange(0, len(inside), 2)
        gaps = gaps[
            (self._begins[gaps] > 0)
            & (inside[gaps] >= inside[best_bound] + (gaps > best_bound))
        ]  # fmt: skip
        begins, ends = [np.zeros(0)], [np.zeros(0)]
        wanted = np.zeros(len(inside), np.bool_)
        wanted[gaps] = True
        for low, high in stream if len(gaps) else ():
            real = low <= high
            for found, bound in ((begins, low[real]), (ends, high[real])):
                found.append(bound[wanted[self._place(bound)]])
        best = (float(self._bounds[best_bound // 2]), int(inside[best_bound]))
        found_begins, found_ends = np.sort(np.concatenate(begins)), np.sort(np.concatenate(ends))
        place_of_begin, place_of_end = self._place(found_begins), self._place(found_ends)
        for gap in gaps.tolist():
            here = found_begins[place_of_begin == gap]
            ended = np.searchsorted(found_ends[place_of_end == gap], here, side="left")
            before = int(inside[gap] - self._begins[gap])
            count = before + np.arange(1, len(here) + 1) - ended
            most = int(count.max())
            at = float(here[count.argmax()])
            if most > best[1] or (most == best[1] and at < best[0]):
                best = (at, most)
        return best if best[1] else (0.0, 0)
