"""Discounts that are raised to a power: `ret = reward + gamma**i * ret`, where i counts something that differs from
step to step of one path. The discount is a power of itself already where it is multiplied by once a step."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.iteration_range import IterationRange
from mcts_viz.health.occurrences import Occurrences, ValueCounts
from mcts_viz.health.values.of_visits import VisitValues
from mcts_viz.types import Ints

POWERS: Mapping[str, Callable[[Ints, Ints], Ints]] = {
    # of the steps back from the leaf to the node, at least 1, and of the node's depth
    "i counts the steps back from the leaf, 1 at its parent": lambda back, depth: back,
    "i counts the steps back from the leaf, 0 at its parent": lambda back, depth: back - 1,
    "i counts the steps back from the leaf, 2 at its parent": lambda back, depth: back + 1,
    "i is the depth of the node": lambda back, depth: depth,
    "i is the depth of the child": lambda back, depth: depth + 1,
}
MOST_REWARDS = 12  # different ones that moves bring
FEW = 60  # steps that tell
FEW_OF_ONE = 10  # of these, with one power
FEW_POWERS = 3
OFTEN = 20  # steps for each reward
NEARLY_ALL = 0.98  # of the steps that tell
MOST = 0.9  # of these, that one discount for each step may explain by chance: paths come again
KINDS = 5  # times as many numbers as with the power
APART = 1e-3  # of the range of values: what two laws say of a step that tells
DIGITS = 6  # of rewards, as parts of the range


class PowersOfDiscount:
    """Whether Δnode − γ^i·Δchild is one of few numbers, as moves bring rewards that nobody told, and neither
    Δnode − γ·Δchild nor Δnode − Δchild is."""

    def __init__(self, search: CheckedSearch) -> None:
        self.search, self.discount = search, search.discount
        low, high = search.value_range
        self.range, self.depth = high - low, search.topology.depth
        self.looks = (
            search.alone
            and not search.has_rewards  # else `check_rewards` compares these laws
            and self.discount not in (None, 0.0, 1.0)
            and not search.has_chance
        )
        self.laws = {words: _OneLaw() for words in POWERS}

    def look(self, part: IterationRange, values: VisitValues) -> None:
        if not self.looks or self.discount is None:
            return
        at = np.flatnonzero(values.iteration[1:] == values.iteration[:-1])
        upper, lower = values.value[at] / self.range, values.value[at + 1] / self.range
        node, iteration = values.node[at], values.iteration[at]
        back = steps_back(values.iteration)[at]
        for words, power in POWERS.items():
            i = power(back, self.depth[node].astype(np.int64))
            factor = self.discount**i
            tells = np.abs(lower) * np.abs(factor - self.discount) > APART
            tells &= np.abs(lower) * np.abs(factor - 1.0) > APART
            law = self.laws[words]
            law.seen.add(tells, iteration, node)
            law.powers.add(i[tells].astype(np.float64))
            for counts, by in (
                (law.left, factor[tells]),
                (law.declared, self.discount),
                (law.plain, 1.0),
            ):
                counts.add(np.round(upper[tells] - by * lower[tells], DIGITS))

    def findings(self) -> Iterator[Finding]:
        for words, law in self.laws.items():
            if not law.holds:
                continue
            t, node, times = law.seen
            share, declared = _share_of_few(law.left), _share_of_few(law.declared)
            yield found(
                "value-not-discounted", t, node,
                f"from a node's child to the node a value is multiplied by γ^i, γ = {self.discount:g}, in place of by "
                f"γ: {words}. So it is at {share:.0%} of {times:,} steps that tell the two apart, where what is left "
                f"is one of few numbers, as moves bring rewards; γ at each step explains {declared:.0%}. Discounts "
                "compound by themselves: with γ^i, nodes near the root lose what comes later. Multiply by γ once a "
                "step, `ret = reward + gamma * ret`",
                times=times, share=share, discount=self.discount,
            )  # fmt: skip
            return


def steps_back(iteration: Ints) -> Ints:
    """[K] of steps ordered by iteration and towards the leaf, how many there are from each to the leaf of its
    iteration."""
    end = np.searchsorted(iteration, iteration, side="right")
    return np.asarray(end - 1 - np.arange(len(end)))


class _OneLaw:
    """What is left of what nodes get by a power, and by one discount, at the steps at which these differ."""

    def __init__(self) -> None:
        self.seen = Occurrences()
        self.powers = ValueCounts()
        self.left, self.declared, self.plain = ValueCounts(), ValueCounts(), ValueCounts()

    @property
    def holds(self) -> bool:
        several = (self.powers.times >= FEW_OF_ONE).sum() >= FEW_POWERS
        if not several or self.seen.times < FEW or _share_of_few(self.left) < NEARLY_ALL:
            return False
        return all(
            _share_of_few(other) <= MOST and len(other.numbers) >= KINDS * len(self.left.numbers)
            for other in (self.declared, self.plain)
        )


def _share_of_few(counts: ValueCounts) -> float:
    """The share of those that are one of few numbers, each of which comes again and again."""
    often = np.sort(counts.times[counts.times >= OFTEN])[::-1][:MOST_REWARDS]
    return float(often.sum()) / max(counts.total, 1)
