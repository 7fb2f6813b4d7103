"""Means that are moved by the same part of the way to each result, q += α·(v − q): exponential averages, whose latest
results weigh most. Written on purpose for players or worlds that change. A step may begin as 1 / n, so that the first
visits have their plain mean.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.iteration_range import IterationRange
from mcts_viz.health.occurrences import ValueCounts
from mcts_viz.health.values.of_visits import VisitValues, show
from mcts_viz.types import Bools, Floats, Ints

MOST = 0.98  # share of pairs that one step explains
SOME = 0.2  # share of pairs that show the step itself
APART = 1e-3  # of the range of values: means that are nearer say nothing of the step
FEW_PAIRS = 10
ENOUGH_PAIRS = 30  # of fewer, all have to show it
SAME = 1e-3  # by which the steps of two pairs may differ
USUAL_STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.3)
HALFWAY = 0.5  # a step that is a mistake: (q + v) / 2


class Neighbours:
    """Neighbours on a path that the same player moved into. They get the same result."""

    def __init__(self, search: CheckedSearch) -> None:
        self.depth = search.topology.depth
        low, high = search.value_range
        self.apart = APART * (high - low)

    def of(self, values: VisitValues, new: bool = False) -> tuple[VisitValues, Ints]:
        """The visits, ordered, and where the first of each pair is; the second is the next one. new: with nodes that
        have their first visit."""
        old = values if new else values.where(values.visits_before > 0)
        # where nobody says who moves, players may move by turns
        turn = np.where(old.player < 0, self.depth[old.node] % 2, 0)
        order = np.lexsort((old.node, turn, old.key))
        alike: Bools = (np.diff(old.key[order]) == 0) & (np.diff(turn[order]) == 0)
        return old.where(order), np.flatnonzero(alike)


class ConstantStep:
    """The step from the differences of two means, before a result and after it: the result drops out, and 1 − α is
    left."""

    def __init__(self, search: CheckedSearch) -> None:
        self.search, self.pairs = search, Neighbours(search)
        self.of_means, self.of_sums = ValueCounts(), ValueCounts()
        # the same with first visits, which move a mean from 0, or give it the result itself
        self.from_0, self.from_first = ValueCounts(), ValueCounts()

    def look(self, part: IterationRange, values: VisitValues) -> None:
        old, pairs = self.pairs.of(values)
        n, total = old.visits_before, old.sum_before
        after = total + old.value
        for counts, was, is_now in (
            (self.of_means, total / n, after / (n + 1)),
            (self.of_sums, total, after),
        ):
            before = np.diff(was)[pairs]
            told = np.abs(before) > self.pairs.apart
            counts.add(np.round(np.diff(is_now)[pairs][told] / before[told], 4))
        self._look_at_first(values)

    def _look_at_first(self, values: VisitValues) -> None:
        both, pairs = self.pairs.of(values, new=True)
        n = both.visits_before
        was = both.sum_before / np.maximum(n, 1)
        is_now = (both.sum_before + both.value) / (n + 1)
        before = np.diff(was)[pairs]
        told = np.abs(before) > self.pairs.apart
        self.from_0.add(np.round(np.diff(is_now)[pairs][told] / before[told], 4))
        one, other = pairs, pairs + 1
        for old, new in ((one, other), (other, one)):
            use = (n[old] > 0) & (n[new] == 0)
            way = is_now[new[use]] - was[old[use]]  # from the mean to the result
            told = np.abs(way) > self.pairs.apart
            moved = (is_now[old[use]] - was[old[use]])[told]
            self.from_first.add(np.round(1.0 - moved / way[told], 4))

    def findings(self) -> Iterator[Finding]:
        """To be asked where nodes of one player get different amounts: where a sum is kept, they do not."""
        step, share = _step(self.of_means)
        if step is None:  # hardly any node has many visits
            for counts in (self.from_0, self.from_first):
                first_step, first_share = _step(counts)
                if first_step is not None and first_share >= MOST:
                    step, share = first_step, first_share
        if step is None:  # or too few of the later ones are on one path
            for each in USUAL_STEPS:
                usual = StepOfLaterVisits(self.search, self.pairs, each)
                show(self.search, [usual])
                if usual.explains and usual.shows >= FEW_PAIRS:
                    step, share = each, 0.0
                    break
        if step is not None:
            later = StepOfLaterVisits(self.search, self.pairs, step)
            if share < MOST:
                show(self.search, [later])
            if share >= MOST or later.explains:
                at_first = "" if share >= MOST else ", and by 1 / n at first"
                yield found(
                    "value-backup", None, None,
                    f"the mean of a node is moved by {step:.3g} of the way to each result, q += {step:.3g}·(v − q)"
                    f"{at_first}: an exponential average, in which the latest results weigh most, and no mean of all "
                    "of them",
                    backup="exponential", step=step,
                )  # fmt: skip
                return
        step, share = _step(self.of_sums)
        if step is not None and share >= MOST:
            yield found(
                "value-mean", None, None,
                f"the value sum is moved by {step:.3g} of the way to each result, W += {step:.3g}·(v − W): it is an "
                "exponential average, and no sum, which is divided by the visits once more. Where the search does not "
                "divide it, record it with value_kind='mean'",
                step=step,
            )  # fmt: skip


class StepOfLaterVisits:
    """Whether a step that is 1 / n until it comes to α gives both nodes of a pair the same result."""

    def __init__(self, search: CheckedSearch, pairs: Neighbours, step: float) -> None:
        self.pairs, self.step, self.slack = pairs, step, max(search.slack, pairs.apart)
        self.n = self.agree = 0
        self.shows = (
            0  # pairs of which one moves, and has so many visits that 1 / n is less than the step
        )

    def look(self, part: IterationRange, values: VisitValues) -> None:
        old, pairs = self.pairs.of(values)
        n = old.visits_before
        before: Floats = old.sum_before / n
        after = (old.sum_before + old.value) / (n + 1)
        result = before + (after - before) / np.maximum(self.step, 1 / (n + 1))
        self.n += len(pairs)
        shows = (1 / (n + 1) <= self.step) & (np.abs(after - before) > self.pairs.apart)
        self.shows += int((shows[pairs] | shows[pairs + 1]).sum())
        self.agree += int((np.abs(np.diff(result)[pairs]) <= self.slack).sum())

    @property
    def explains(self) -> bool:
        return self.agree >= MOST * self.n


def _step(left: ValueCounts) -> tuple[float | None, float]:
    """The α that most pairs show, and what share of them does; None where hardly any do."""
    if left.total < FEW_PAIRS:
        return None, 0.0
    most = float(left.numbers[left.times.argmax()])
    share = left.count(np.abs(left.numbers - most) <= SAME) / left.total
    step = 1.0 - most
    usual = SAME < step < 1.0 - SAME and abs(step - HALFWAY) > SAME
    least = SOME if left.total >= ENOUGH_PAIRS else 1.0
    return (step, share) if usual and share >= least else (None, share)
