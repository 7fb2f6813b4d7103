"""Values that are no plain means, and meant: means with visits of a prior, (w + a) / (n + k), and estimates of a single
player that are worked out anew."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.iteration_range import IterationRange
from mcts_viz.health.occurrences import ValueCounts
from mcts_viz.health.values.of_visits import VisitValues, show
from mcts_viz.health.values.steps_of_means import Neighbours

MOST = 0.95  # share of pairs that show one k
FEW_PAIRS = 10
APART = 1e-4  # of the range of values: changes that are nearer say nothing of k
SAME = 0.01  # of k
LEAST, GREATEST = 0.05, 100.0  # k


class VisitsOfAPrior:
    """How many visits of a prior a mean counts beside its own. Of two nodes on a path that get the same result,
    (n + 1 + k)·q' − (n + k)·q is the same."""

    def __init__(self, search: CheckedSearch) -> None:
        self.pairs = Neighbours(search)
        low, high = search.value_range
        self.apart = APART * (high - low)
        self.k = ValueCounts()

    def look(self, part: IterationRange, values: VisitValues) -> None:
        old, pairs = self.pairs.of(values)
        n, total = old.visits_before, old.sum_before
        change = (total + old.value) / (n + 1) - total / np.maximum(n, 1)  # of the mean
        gained, moved = np.diff(old.value)[pairs], -np.diff(change)[pairs]
        told = np.abs(moved) > self.apart
        self.k.add(np.round(gained[told] / moved[told], 4))

    def findings(self) -> Iterator[Finding]:
        """A note."""
        if self.k.total < FEW_PAIRS:
            return
        k = self.k.median()
        near = self.k.count(np.abs(self.k.numbers - k) <= SAME * max(1.0, k))
        if LEAST < k < GREATEST and near >= MOST * self.k.total:
            yield found(
                "value-backup", None, None,
                f"the mean of a node is (w + a) / (n + {k:.3g}), of {k:.3g} visits more than it has: visits of a prior",
                backup="prior", visits=k,
            )  # fmt: skip


def means_with_a_prior(search: CheckedSearch) -> list[Finding]:
    """A note where they are."""
    looking = VisitsOfAPrior(search)
    show(search, [looking])
    return list(looking.findings())


def estimates_of_its_own(search: CheckedSearch, wrong: Sequence[Finding]) -> list[Finding]:
    """Of one player who records means: what does not add up to a mean may be an estimate of another kind. wrong: what
    is wrong with it as a mean."""
    if (
        not search.alone
        or search.meta.watched.value_kind != "mean"
        or search.discount not in (None, 1.0)
    ):
        return []
    low, high = search.value_range
    visits, value_sum, *_ = search.statistics_after(search.T)
    mean = value_sum[visits > 0] / visits[visits > 0]
    if mean.min(initial=low) < low - search.slack or mean.max(initial=high) > high + search.slack:
        return []
    one = wrong[0]
    text = (
        f"the value of a node is not the mean of what its visits brought: {one.message}. Right where it is an "
        "estimate of another kind, a quantile, the best few, marks worked out anew; else the mean is updated wrongly"
    )
    kept = found("value-backup", one.iteration, one.node, text, backup="own").as_note()
    return [kept]
