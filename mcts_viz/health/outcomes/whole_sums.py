"""Whether sums of values lose the fractions that are added to them, where no outcome is told: `W[i] += v` on an array
of integers keeps the whole part of each new sum, trunc(W + v).

Such sums are whole numbers. Of a sum above 0 the fraction is cut off downwards, of one below 0 upwards, so that one v
changes the sums of a path by amounts that differ by one, and which one it is goes by the sign of the sum. A correct sum
grows by v at every node of a path, or by −v for the other player."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.iteration_range import IterationRange
from mcts_viz.health.values.of_visits import VisitValues, values_of
from mcts_viz.types import Bools, Floats, Ints

# paths whose amounts differ: where amounts are off by one for another reason, the signs of the sums tell which are on
# hardly one path of four
FEW_APART = 10
NEARLY_ALL = 0.98
FEW_SUMS = 20  # below 0, and above: a sum that is kept from falling below 0 has none
KINDS = 4  # different amounts; of results, a loss may cost one and a win bring nothing


def check_whole_sums(search: CheckedSearch) -> Iterator[Finding]:
    """An error of searches whose iterations go one path each."""
    rewarded = search.meta.step_rewards or search.has_rewards or search.discount not in (None, 1)
    if rewarded or search.meta.watched.value_kind == "mean" or search.meta.shared:
        return
    low, high = search.meta.reward_range
    if not search.alone and (low != -high or not search.meta.mirrors):
        return
    sums = _WholeSums(search)
    for part in search.ranges():
        sums.look(part, values_of(search, part))
        if not sums.whole:
            return
    yield from sums.findings()


class _WholeSums:
    """What one value of a visit, cut off or rounded down, explains of the amounts on each path."""

    def __init__(self, search: CheckedSearch) -> None:
        self.alone, self.slack = search.alone, search.slack
        self.whole = True  # whether all amounts are whole numbers
        # paths whose amounts differ, and those that trunc(W + v) explains
        self.apart = self.cut_off = 0
        self.below = self.above = 0  # sums
        # paths of two players; with floor(v); of these, with a fraction
        self.both = self.rounded = self.less = 0
        self.kinds: set[float] = set()
        self.first: tuple[int, Ints, Floats, float, float] | None = None

    def look(self, part: IterationRange, values: VisitValues) -> None:
        self.whole &= bool((np.abs(values.value - np.rint(values.value)) <= self.slack).all())
        if not self.whole:
            return
        added, after = np.rint(values.value), np.rint(values.sum_before + values.value)
        own = np.asarray((values.player == 0) | self.alone)
        least, most = _extremes(values.at, np.where(own, added, -added), part.n)
        apart = most > least
        self.apart += int(apart.sum())
        self.below += int((after < 0).sum())
        self.above += int((after > 0).sum())
        low, high = _values_cut_off(values.at, added, after, own, part.n)
        explained = apart & (low < high)
        self.cut_off += int(explained.sum())
        if self.first is None and explained.any():
            at = int(np.argmax(explained))
            rows = np.flatnonzero(values.at == at)
            turned = np.where(own, added, -added)[rows]
            rows = rows[[int(turned.argmin()), int(turned.argmax())]]
            self.first = (
                part.first + at, values.node[rows], added[rows], float(low[at]), float(high[at]),
            )  # fmt: skip
        if not self.alone:
            self._look_at_players(part, values, added, own)

    def _look_at_players(
        self, part: IterationRange, values: VisitValues, added: Floats, own: Bools
    ) -> None:
        """Of each rounded down by itself, floor(v) and floor(−v): together −1 where v has a fraction."""
        first, first_most = _extremes(values.at[own], added[own], part.n)
        other, other_most = _extremes(values.at[~own], added[~own], part.n)
        both = np.isfinite(first) & np.isfinite(other)
        even = both & (first == first_most) & (other == other_most)
        less = even & (first + other == -1)
        self.both += int(both.sum())
        self.rounded += int((even & (first + other == 0)).sum()) + int(less.sum())
        self.less += int(less.sum())
        self.kinds |= set(np.unique(first[less]).tolist())

    def findings(self) -> Iterator[Finding]:
        if not self.whole or self.first is None:
            return
        t, nodes, added, low, high = self.first
        down = self.less >= FEW_APART and self.rounded >= NEARLY_ALL * self.both
        if down and len(self.kinds) >= KINDS:
            yield self._found(
                f"value sums are whole numbers, and what the two players get is together −1 on {self.less:,} of "
                f"{self.both:,} paths, and 0 on the others: so it is where what is added, or the new sum, is rounded "
                "down (// or floor, or an array of integers)"
            )
            return
        enough = self.apart >= FEW_APART and min(self.below, self.above) >= FEW_SUMS
        if enough and self.cut_off >= NEARLY_ALL * self.apart:
            yield self._found(
                f"value sums are whole numbers, and iteration {t:,} adds {added[0]:g} to node {nodes[0]:,} and "
                f"{added[1]:g} to node {nodes[1]:,}, each in the view of who moved there, which no one value of "
                f"a visit does. One between {low:g} and {high:g} does (view of player 0) if each new sum is cut "
                f"off, trunc(W + v); so it is on {self.cut_off:,} of {self.apart:,} paths whose amounts differ. So it "
                "is where sums are in an array of integers: W[i] += v keeps the whole part, and of a slight advantage "
                "nothing. Make it an array of floats"
            )

    def _found(self, words: str) -> Finding:
        assert self.first is not None
        t, nodes, added, *_ = self.first
        finding = found(
            "value-fraction", t, int(nodes[0]), words, times=self.apart, value=float(added[0])
        )
        return replace(finding, severity="error")  # nothing is estimated here


def _values_cut_off(
    at: Ints, added: Floats, after: Floats, own: Bools, n: int
) -> tuple[Floats, Floats]:
    """[n] the values of a visit, between which and which, that trunc(W + v) makes all amounts of a path of; in the view
    of the first player. None where the first is not below the second."""
    low, high = np.where(after > 0, added, added - 1.0), np.where(after < 0, added, added + 1.0)
    low, high = np.where(own, low, -high), np.where(own, high, -low)
    greatest, least = np.full(n, -np.inf), np.full(n, np.inf)
    np.maximum.at(greatest, at, low)
    np.minimum.at(least, at, high)
    return greatest, least


def _extremes(at: Ints, numbers: Floats, n: int) -> tuple[Floats, Floats]:
    """[n] the least and the greatest number of each iteration; inf and −inf where there is none."""
    least, most = np.full(n, np.inf), np.full(n, -np.inf)
    np.minimum.at(least, at, numbers)
    np.maximum.at(most, at, numbers)
    return least, most
