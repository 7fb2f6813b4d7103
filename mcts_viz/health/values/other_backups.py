"""Back-ups of other kinds than a mean, of a search that keeps each node's value itself: medians, quantiles, averages of
weighted results, power means. Taken as means of their visits, such values change as if visits were worth any number.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.iteration_range import IterationRange
from mcts_viz.health.values.of_visits import PLAYERS, VisitValues, show

OF_MEANS = (  # what is wrong of a mean, and says nothing of another value
    "value-out-of-range", "value-uneven", "value-mean", "value-overwritten", "value-discount", "value-leaf",
    "value-not-the-result",
)  # fmt: skip
FEW = 3  # paths that tell
NEARLY_ALL = 0.99
APART = 0.1  # of the range: what visits of one path seem to be worth, less than which may be noise on a mean
OFTEN = 0.05  # share of steps
HALF = 0.5
FEW_MOVES = 10  # of nodes above the leaf
MEANS = (None, "mean", "sum", "average")  # names of back-ups that are one


def of_other_backup(search: CheckedSearch, findings: list[Finding]) -> Iterator[Finding]:
    """In place of findings about a mean: a note on what the values are. Nothing where they should be means."""
    if search.meta.watched.value_kind != "mean":
        return
    if any(each.severity == "error" and each.check not in OF_MEANS for each in findings):
        return
    kept = _Kept(search)
    show(search, [kept])
    if kept.beyond:
        return
    mistaken = any(is_mistaken_mean(each) for each in findings)
    words = kept.words(mistaken)
    if words:
        yield found("value-backup", None, None, words, backup="other")


def is_mistaken_mean(one: Finding) -> bool:
    """Whether it is a mistaken mean that was recognised; values that stay as they were are none yet."""
    return one.check == "value-overwritten" or (
        one.check == "value-mean" and "visits" not in one.evidence
    )


def keeps_within(search: CheckedSearch) -> bool:
    """Whether no value that the search keeps was ever outside the range."""
    kept = _Kept(search)
    show(search, [kept])
    return not kept.beyond


class _Kept:
    """How values that are kept move with each visit."""

    def __init__(self, search: CheckedSearch) -> None:
        self.search = search
        self.low, self.high = search.value_range
        self.slack = search.slack
        self.depth = search.topology.depth
        self.beyond = False  # whether a value is itself outside the range
        # several ways lead there, each with a part of the node's numbers
        self.has_ways = np.zeros(search.N, np.bool_)
        if search.same_as is not None:
            further = np.flatnonzero(search.same_as[: search.N] >= 0)
            self.has_ways[further] = self.has_ways[search.same_as[further]] = True
        self.told = self.agree = self.apart = self.paths = 0
        self.odd = self.steps = self.inner = self.still = 0

    def look(self, part: IterationRange, values: VisitValues) -> None:
        later = values.where(values.visits_before > 0)
        n = later.visits_before
        before, after = later.sum_before / n, (later.sum_before + later.value) / (n + 1)
        first = values.value[(values.visits_before == 0) & ~self.has_ways[values.node]]
        both_ends = np.concatenate((after[~self.has_ways[later.node]], first))
        outside = (both_ends < self.low - self.slack) | (both_ends > self.high + self.slack)
        self.beyond |= bool(outside.any())
        self.steps += len(n)
        odd = (later.value < self.low - self.slack) | (later.value > self.high + self.slack)
        self.odd += int(odd.sum())
        moves = np.abs(after - before) > self.slack
        self.still += int((~moves).sum())
        self.inner += int((moves & ~later.is_leaf).sum())
        key = self._one_view(later, before, after)
        size = (PLAYERS * 2) * part.n
        least, most = np.full(size, np.inf), np.full(size, -np.inf)  # of the result of a path
        up, down = after > before + self.slack, after < before - self.slack
        np.maximum.at(most, key[up], after[up])
        np.minimum.at(least, key[down], after[down])
        told = np.isfinite(least) & np.isfinite(most)
        self.told += int(told.sum())
        self.agree += int((most[told] <= least[told] + self.slack).sum())
        low, high = np.full(size, np.inf), np.full(size, -np.inf)
        np.minimum.at(low, key, later.value)
        np.maximum.at(high, key, later.value)
        several = np.bincount(key, minlength=size) > 1
        self.paths += int(several.sum())
        self.apart += int(((high - low)[several] > APART * (self.high - self.low)).sum())

    def _one_view(self, later: VisitValues, before: np.ndarray, after: np.ndarray) -> np.ndarray:
        """A number for each iteration and player; where what one player gains the other loses, for each iteration, and
        the values are turned to the first one's view."""
        search = self.search
        if search.alone:
            return np.asarray(2 * PLAYERS * later.at)
        if search.players_known and search.meta.mirrors:
            for column in (before, after, later.value):
                column[later.player == 1] = self.low + self.high - column[later.player == 1]
            return np.asarray(2 * PLAYERS * later.at)
        turn = np.where(later.player < 0, self.depth[later.node] % 2, 0)
        return np.asarray(2 * later.key + turn)

    def words(self, mistaken: bool) -> str | None:
        """What is said of such values; mistaken: they are those of a mean that is updated wrongly."""
        name = self.search.meta.policies.backpropagation.name
        if name not in MEANS:
            return f'the back-up is declared as "{name}": values are not asked to be means of what visits are worth'
        if mistaken:
            return None
        towards = self.told >= FEW and self.agree >= NEARLY_ALL * self.told
        # noise on a mean moves every node, and by little
        no_noise = self.apart >= HALF * self.paths or self.still >= HALF * self.steps
        if towards and no_noise and self.inner >= FEW_MOVES:
            return (
                "the value of a node is moved towards each result, and is no mean of them: as medians, quantiles and "
                f"weighted averages are. So it is on {self.agree:,} of {self.told:,} paths that tell"
            )
        if self.odd >= OFTEN * self.steps:
            return (
                "the values of nodes are within their range, and change as if visits were worth more or less than it "
                f"has, at {self.odd:,} of {self.steps:,} steps: another back-up than a mean, which could be declared "
                'by its name, policies={"backpropagation": {"name": "…"}}'
            )
        return None
