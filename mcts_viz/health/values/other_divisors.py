"""Running means that are updated with the wrong number: q += (v − q) / N with the visits N of another node in place of
the node's own.

The result v that a step of a mean implies, q + N·(q' − q), is one number for all nodes of a path, turned by the player
who moved there, if N is the number that the search divides by. For no other back-up it is so on nearly all paths."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.iteration_range import IterationRange
from mcts_viz.health.values.kept_numbers import numbers_of
from mcts_viz.health.values.of_visits import VisitValues, show
from mcts_viz.types import Floats, Ints, Wholes

MOST = 0.98  # share of paths that one number explains
FEW_PATHS = 20
ROUNDING = 10.0  # times the slack of a value
FLOAT32 = 2.4e-7  # of a mean that is kept so, in parts of the range: what a step implies is as many times that


class _Around(NamedTuple):
    """Of each visit, V of them: numbers that a step may be divided by."""

    parent: Floats  # the parent's visits before the iteration
    siblings: Floats  # of the node and its siblings together, likewise
    root: Floats  # the root's, likewise
    below: Floats  # of the next node down on the path after the iteration; nan at a leaf
    depth: Floats


class Divisor(NamedTuple):
    """What the step of a mean is divided by."""

    words: str
    number: Callable[[_Around], Floats]


PARENT = "the visits of its parent"
ROOT = "the visits of the root, or the number of iterations,"
DIVISORS = (
    Divisor(PARENT, lambda of: of.parent + 1.0),
    Divisor(f"{PARENT} before the new one", lambda of: of.parent),
    Divisor(f"{PARENT} that went on to a child", lambda of: of.siblings + 1.0),
    Divisor(ROOT, lambda of: of.root + 1.0),
    Divisor(ROOT, lambda of: of.root),
    Divisor("the visits of its child on the path", lambda of: of.below),
    Divisor("its depth", lambda of: of.depth),
    Divisor("the length of its path", lambda of: of.depth + 1.0),
)


def wrong_divisors(search: CheckedSearch) -> Iterator[Finding]:
    """An error where means are updated with the visits of another node. To be asked where nodes of one player on a path
    get different amounts."""
    if search.meta.shared or search.is_pruned:
        return
    seen = _Implied(search)
    show(search, [seen])
    yield from seen.findings()


class _Implied:
    """On how many paths each divisor implies one result."""

    def __init__(self, search: CheckedSearch) -> None:
        self.search = search
        self.slack = ROUNDING * search.slack
        self.low, self.high = search.value_range
        self.rounding = FLOAT32 * (self.high - self.low)
        self.paths = 0  # on which the plain mean implies several
        self.agree = np.zeros(len(DIVISORS), np.int64)  # of these
        self.first: tuple[int, int] | None = None

    def look(self, part: IterationRange, values: VisitValues) -> None:
        around = self._around(part, values)
        numbers = numbers_of(values)
        step = numbers.mean_after - numbers.mean_before
        later = values.visits_before > 0  # the first result may be kept as it is
        at = values.at[later]
        several = np.bincount(at, minlength=part.n) > 1
        plain = self._implied(values, numbers.mean_before, step, numbers.n.astype(np.float64) + 1)[
            later
        ]
        apart = several & (_spread(at, plain, part.n) > self.slack)
        self.paths += int(apart.sum())
        if self.first is None and apart.any():
            row = int(np.argmax(later & apart[values.at]))
            self.first = int(values.iteration[row]), int(values.node[row])
        for place, divisor in enumerate(DIVISORS):
            by = divisor.number(around)
            told = self._implied(values, numbers.mean_before, step, by)[later]
            known = ~np.isnan(told)
            spread = _spread(at[known], told[known], part.n)
            enough = np.bincount(at[known], minlength=part.n) > 1
            slack = np.zeros(part.n)
            np.maximum.at(slack, at[known], self.slack + self.rounding * by[later][known])
            self.agree[place] += int((apart & enough & (spread <= slack)).sum())

    def _implied(self, values: VisitValues, before: Floats, step: Floats, by: Floats) -> Floats:
        """The result that each step implies; of all nodes in one player's view."""
        told = before + step * by
        if self.search.alone:
            return told
        turn: Wholes = values.player
        if (turn < 0).any():  # nobody says who moves
            turn = self.search.topology.depth[values.node] % 2
        return np.asarray(np.where(turn == 0, told, self.low + self.high - told))

    def _around(self, part: IterationRange, values: VisitValues) -> _Around:
        node, iteration = values.node, values.iteration
        parent = self.search.parent[node].astype(np.int64)
        visits = part.before(parent, iteration).visits.astype(np.float64)
        below = np.full(len(node), np.nan)
        goes_on = np.flatnonzero(iteration[1:] == iteration[:-1])
        below[goes_on] = values.visits_before[goes_on + 1] + 1
        # a leaf has a visit of its own, which went on to no child
        siblings = visits - (parent > 0)
        root = part.before(np.zeros_like(node), iteration).visits.astype(np.float64)
        depth = self.search.topology.depth[node].astype(np.float64)
        return _Around(visits, siblings, root, below, depth)

    def findings(self) -> Iterator[Finding]:
        if self.paths < FEW_PATHS or self.first is None:
            return
        best = int(self.agree.argmax())
        n = int(self.agree[best])
        if n < MOST * self.paths:
            return
        yield found(
            "value-mean", *self.first,
            f"the mean q of a node is moved to each result v by (v − q) / N with {DIVISORS[best].words} as N: it has "
            f"to be divided by the node's own visits. {_lags(best)}So each step implies one result for all nodes of a "
            f"path, on {n:,} of {self.paths:,} paths on which the plain mean implies different ones",
            paths=self.paths, agree=n,
        )  # fmt: skip


def _lags(divisor: int) -> str:
    """What comes of it."""
    larger = DIVISORS[divisor].words.startswith((PARENT, ROOT))
    return "Steps are too small, and means lag behind, near to where they began. " if larger else ""


def _spread(at: Ints, numbers: Floats, n: int) -> Floats:
    """[n] of the numbers of each iteration; 0 where there are none."""
    low, high = np.full(n, np.inf), np.full(n, -np.inf)
    np.minimum.at(low, at, numbers)
    np.maximum.at(high, at, numbers)
    return np.where(np.isfinite(low), high - low, 0.0)
