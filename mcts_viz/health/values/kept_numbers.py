"""What a search may keep in place of a sum, or as a mean that is updated wrongly: how the result of a visit follows
from the node's numbers before and after it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.iteration_range import IterationRange
from mcts_viz.health.values.of_visits import VisitValues, show
from mcts_viz.health.values.untold_rewards import UntoldRewards
from mcts_viz.types import Floats, Ints


class Numbers(NamedTuple):
    """Of each visit, V of them: the visits n of its node before it, and its sum and mean."""

    n: Ints
    before: Floats
    after: Floats
    mean_before: Floats  # 0 without visits
    mean_after: Floats


class Way(NamedTuple):
    """A way to keep a number. Where it is the search's, `result` gives the same for all nodes of one player."""

    check: str  # of the finding
    words: str
    result: Callable[[Numbers], Floats]
    of_means: bool = False  # whether it says how a mean is updated
    at_first: bool = True  # whether the first visit of a node says what its result was


def numbers_of(values: VisitValues) -> Numbers:
    """Before and after each visit."""
    n, before = values.visits_before, values.sum_before
    after = before + values.value
    return Numbers(n, before, after, before / np.maximum(n, 1), after / (n + 1))


def moved(more: int, below: int, exact: bool = True) -> Callable[[Numbers], Floats]:
    """v of a mean that becomes ((n + more)·q + v) / (n + below), where a right one has 0 and 1; exact: the first
    result is kept as it is."""

    def result(of: Numbers) -> Floats:
        later = (of.n + below) * of.mean_after - (of.n + more) * of.mean_before
        return np.where(of.n > 0, later, of.mean_after) if exact else np.asarray(later)

    return result


NO_MEAN = "divided by the visits, its mean, is moved halfway to each result, (q + v) / 2"
COUNTED = (
    "divided by the visits, its mean q, is moved to each result v by (v − q) / (n + 1) with the visits n that count "
    "the new one already: it has to be divided by n, so every mean is too near to {}"
)
WAYS = (
    Way("value-overwritten", "is the last result alone", lambda of: of.after),
    Way(
        "value-mean",
        "moves like a mean of the results, not like their sum",
        lambda of: (of.after - of.before) * (of.n + 1) + of.before,
    ),
    Way(
        "value-overwritten",
        "divided by the visits, its mean, is the last result alone",
        lambda of: of.mean_after,
        True,
    ),
    Way(
        "value-mean",
        f"{NO_MEAN}: it is no mean of them",
        lambda of: np.where(of.n > 0, 2 * of.mean_after - of.mean_before, of.mean_after),
        True,
    ),
    Way(
        "value-mean",
        f"{NO_MEAN}, from 0 on: it is no mean of them",
        lambda of: 2 * of.mean_after - of.mean_before,
        True,
    ),
    Way(
        "value-mean",
        "divided by the visits, its mean, is (n·q + v) / n with the visits n before the new one: it has to be divided "
        "by n + 1",
        moved(0, 0),
        True,
    ),
    Way("value-mean", COUNTED.format("0"), moved(1, 2, exact=False), True),
    Way("value-mean", COUNTED.format("the first result"), moved(1, 2), True),
    Way(
        "value-mean",
        "divided by the visits, its mean q, is moved to each result v by (v − q) / n with the visits n before the new "
        "one: it has to be divided by n + 1, so the second result takes the place of the first",
        moved(-1, 0),
        True,
    ),
    Way(
        "value-mean",
        "divided by the visits, its mean, is (n·q + v) / (n + 2) with the visits n before the new one: it has to be "
        "divided by n + 1",
        moved(0, 2),
        True,
    ),
    Way(
        "value-mean",
        "divided by the visits, its mean, is (n·q + v) / (n + 2) with the visits n before the new one, the first one "
        "too: it has to be divided by n + 1",
        moved(0, 2, exact=False),
        True,
    ),
    Way(
        "value-mean",
        "divided by the visits, its mean, is (n·q + v) / n with the visits n that count the new one already: it has to "
        "be ((n − 1)·q + v) / n",
        moved(1, 1),
        True,
    ),
    Way(
        "value-mean",
        "divided by the visits, its mean, is the sum of the results, which was never divided. Where the search divides "
        "it, record it without value_kind='mean'",
        lambda of: of.mean_after - of.mean_before,
        True,
    ),
    Way(
        "value-leaf",
        "lacks the first result of each node, which adds 0",
        lambda of: of.after - of.before,
        at_first=False,
    ),
)


class ByRewards:
    """Whether results that follow from the numbers kept in one way obey Δnode = r + γ·Δchild, with one r for each
    move, as they do where moves bring rewards."""

    def __init__(self, search: CheckedSearch, way: Way) -> None:
        self.way, self.law = way, UntoldRewards(search.N)

    def look(self, part: IterationRange, values: VisitValues) -> None:
        self.law.look(part, values._replace(value=self.way.result(numbers_of(values))))


def wrong_means(search: CheckedSearch) -> Iterator[Finding]:
    """Of a search of one player whose moves bring rewards, or that discounts: a mean that is updated wrongly. With it
    values obey the law that they do not obey as they are."""
    plain = UntoldRewards(search.N)
    show(search, [plain])
    if not plain.is_told or plain.discount() is not None:
        return
    for way in WAYS:
        if not way.of_means:
            continue
        one = ByRewards(search, way)
        show(search, [one])
        gamma = one.law.discount()
        if gamma is not None:
            yield found(
                way.check, None, None,
                f"the value sum {way.words}. With it, what a node gets is the reward of the move and {gamma:.4g} times "
                "what its child gets, at all steps",
                discount=gamma,
            )  # fmt: skip
            return
