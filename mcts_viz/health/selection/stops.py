"""Descents that stop at a node with children, as none of them beats a score: the best one of the levels above, which is
not reset, or 0; or as a child that is taken is not counted.

The scores are those of the rule that explains the choices. A threshold is believed where it tells all descents that
stop from all that go on, on both sides.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch, Choices, ComparedChildren
from mcts_viz.health.finding import Finding
from mcts_viz.health.iteration_range import IterationRange
from mcts_viz.health.selection.fit import Fit, scores, unvisited
from mcts_viz.types import Bools, Floats, Ints

# descents that stop, and levels below the root at which others go on; of both together. That a threshold tells 5 from
# 95 by chance has a probability of 1e-8, and in most searches no descent stops at such a node
FEW, SOME = 5, 100
MOST_ROWS = 400_000  # children compared
NEARLY_ALL = 0.995  # of either, the others for ties and rounding
NOT_RESET = (
    "none of these beats the best score of the levels above: so it is where the best score so far, best = -inf, is set "
    "once before the descent and not again at each level"
)
FROM_ZERO = (
    "none of these has a score above 0: so it is where the best score so far begins with 0 and not with −∞, and no "
    "child is then taken"
)
NOT_COUNTED = (
    "there is a child without visits, which comes first by the rule, and it never gets a visit: so it is where "
    "an iteration returns before it counts its last node, as at a finished game, which is taken again and again"
)


class _Levels(NamedTuple):
    """Every node with children that a descent came to: K of them, in order."""

    iteration: Ints
    node: Ints
    stops: Bools  # whether it ended there
    depth: Ints
    best: Floats  # score of its best child
    above: Floats  # the best score of the levels above it; −∞ at the root


def check_stops(search: CheckedSearch, one: Fit, c: float | None = None) -> Iterator[Finding]:
    """An error where such a threshold explains where descents end. one: the rule of the search; c: the one declared."""
    if search.of_first_descents or search.has_rewards or search.meta.shared:
        return
    weights = {one.low, one.c, one.high} - {np.inf} if c is None else {c}
    for weight in sorted(weights):  # choices among nearly equal scores may ask for the very c
        parts = list(_parts(search, one, weight))
        if not parts:
            return
        levels = _Levels(*map(np.concatenate, zip(*parts)))
        if _takes_what_never_counts(search, levels):
            yield _finding(search, levels, f"At each of them {NOT_COUNTED}")
            return
        words = _threshold(search, levels)
        if words is not None:
            yield _finding(search, levels, f"In all of them, and in no other, {words}")
            return


def _takes_what_never_counts(search: CheckedSearch, levels: _Levels) -> bool:
    """Whether descents stop where a child without visits comes first, and that child never has one, though others do:
    where none has, the search may go no deeper."""
    if int(levels.stops.sum()) < SOME or not np.isposinf(levels.best[levels.stops]).all():
        return False
    visits = search.statistics_after(search.T).visits
    nodes, times = np.unique(levels.node[levels.stops], return_counts=True)
    below = [visits[search.children(np.array([node]))] for node in nodes.tolist()]
    if not all((each == 0).any() for each in below):
        return False
    others = np.array([bool((each > 0).any()) for each in below])
    return bool(times[others].sum() > times.sum() / 2)


def _threshold(search: CheckedSearch, levels: _Levels) -> str | None:
    """Which one tells descents that stop from those that go on, in words."""
    low, high = search.value_range
    slack = 1e-7 * (high - low)
    for words, least in ((NOT_RESET, levels.above), (FROM_ZERO, np.zeros(len(levels.best)))):
        tells = levels.depth >= (words is NOT_RESET)  # the root has no levels above it
        goes_on = ~levels.stops & tells
        n_stops, n_others = int(levels.stops.sum()), int(goes_on.sum())
        few = min(n_stops, n_others) < FEW or n_stops + n_others < SOME
        if few or not tells[levels.stops].all():
            continue
        as_due = (levels.best <= least + slack)[levels.stops].mean()
        goes = (levels.best > least - slack)[goes_on].mean()
        if min(as_due, goes) >= NEARLY_ALL:
            return words
    return None


def _finding(search: CheckedSearch, levels: _Levels, words: str) -> Finding:
    first, times = int(np.argmax(levels.stops)), int(levels.stops.sum())
    iterations = int(levels.iteration.max()) - search.base
    t, node = int(levels.iteration[first]), int(levels.node[first])
    return found(
        "selection-stops", t, node,
        f"{times:,} of {iterations:,} iterations end at a node that has its children, first at node {node:,} in "
        f"iteration {t:,}: the descent stops there, and the children get no visit. {words}",
        times=times, iterations=iterations,
    )  # fmt: skip


def _parts(search: CheckedSearch, one: Fit, c: float) -> Iterator[_Levels]:
    rows_left, stops = MOST_ROWS, 0
    for part in search.ranges(squares=True):
        taken, stop = _levels(search, part)
        stops += int(stop.sum())
        if not len(taken.node) or (not stops and part.last < search.T):
            continue
        rows_left -= int(taken.n_children.sum())
        rows = search.compare(part, taken)
        best = np.maximum.reduceat(_scores(search, rows, one, c), rows.first)
        above = _above(taken.iteration - part.first, rows.depth, best)
        yield _Levels(taken.iteration, taken.parent, stop, rows.depth, best, above)
        if rows_left <= 0:
            return


def _levels(search: CheckedSearch, part: IterationRange) -> tuple[Choices, Bools]:
    """The choices of all descents, those among one child, too, and those not made where a descent stops; and which
    are of the latter kind."""
    steps = part.steps
    before = part.node_count(steps.iteration)
    makes = part.node_count(steps.iteration + 1) > before
    count = search.families.count(steps.node, before)
    ends = steps.is_leaf & (count > 0) & ~makes & ~search.ended[steps.node]
    below = np.append(steps.node[1:], 0)  # the next node of the path
    goes_on = ~steps.is_leaf & (below < before)
    use = np.flatnonzero(ends | goes_on)
    node, stops, k = steps.node[use], ends[use], count[use]
    chosen = below[use]
    chosen[stops] = search.families.oldest(node[stops], np.ones(int(stops.sum()), np.int64))
    return Choices(steps.iteration[use], node, chosen, k), stops


def _scores(search: CheckedSearch, rows: ComparedChildren, one: Fit, c: float) -> Floats:
    value, width = scores(search, rows, one.rule)
    score = value + c * width
    if one.rule.urgency.of is None:
        score[unvisited(rows)] = np.inf if one.rule.urgency.comes > 0 else -np.inf
    return score


def _above(iteration: Ints, depth: Ints, best: Floats) -> Floats:
    """[K] the best score of the levels above each, of the same descent."""
    so_far = np.full(int(iteration.max(initial=0)) + 1, -np.inf)
    above = np.empty(len(best))
    for level in range(int(depth.max(initial=0)) + 1):
        at = np.flatnonzero(depth == level)
        above[at] = so_far[iteration[at]]
        so_far[iteration[at]] = np.maximum(above[at], best[at])
    return above
