"""PUCT with numbers of its author's own: priors to a power, another number beside n, a factor of N that is not √N.

With the shape P^a / (k + n) of the exploration term, each choice bounds what it is multiplied by. Where that may be
any number that does not fall with N, choices at equal N bound the same one; the usual factors are then tried on these
bounds, so that the finding can say which number it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from mcts_viz.health.checked_search import CheckedSearch, ComparedChildren
from mcts_viz.health.selection.fit import (
    GREEDY_BELOW,
    Bounds,
    bounds_of,
    most_overlap,
    only,
    spread,
)
from mcts_viz.health.selection.infer import NEARLY_ALL, has_priors, readings, told_apart
from mcts_viz.health.selection.scores import (
    Rule,
    Urgency,
    Width,
    mean,
    of_children,
    of_parent,
    prior,
    urgencies,
)
from mcts_viz.types import Floats

FIRST_LOOK = 300  # choices
FEW_CHOICES = 100
BESIDE_N = (2.0, 3.0, 0.5, 4.0, 5.0, 0.1, 10.0)  # k of k + n
POWERS = np.round(np.arange(0.3, 3.01, 0.1), 2)  # of priors
ROOTS = (0.25, 0.3, 1 / 3, 0.4, 0.45, 0.55, 0.6, 2 / 3, 0.7, 0.75, 0.8)  # powers of N
ADDED = (0.1, 0.2, 0.25, 0.3, 0.5, 1.0, 2.0, -0.1, -0.25, -0.5)  # to √N
ANOTHER = "another factor"
SHOWN = (2, 10, 100)  # N
GROWN = 1.5  # times, from the least to the greatest of these
COUNTS: tuple[tuple[str, Callable[[ComparedChildren], Floats]], ...] = (
    ("N", of_parent), ("N of all children", of_children),
)  # fmt: skip


class OwnNumbers(NamedTuple):
    """What explains the choices."""

    words: str
    left_out: int
    aside: str
    of: int
    named: bool  # whether the number is known, and not only that some factor of N would do
    # priors to a power, scaled to sum to 1: a temperature of the policy, which is usual
    as_policy: bool
    grows: bool  # whether exploration goes on as N grows


def own_numbers(search: CheckedSearch, rows: ComparedChildren) -> OwnNumbers | None:
    """None where no number explains nearly all choices."""
    if not has_priors(rows) or not told_apart(rows):
        return None
    for reading in readings(search, rows):
        part = rows if reading.use.all() else only(rows, reading.use)
        if len(part.chosen) < FEW_CHOICES:
            continue
        found = _explaining(search, part)
        if found is not None:
            words, as_policy, grows = found
            left_out = int((~reading.use).sum())
            named = ANOTHER not in words
            return OwnNumbers(
                words, left_out, reading.aside, len(part.chosen), named, as_policy, grows
            )
    return None


def _explaining(search: CheckedSearch, rows: ComparedChildren) -> tuple[str, bool, bool] | None:
    """Words, whether it is a temperature of the policy, and whether exploration grows with N."""
    few = spread(rows, FIRST_LOOK)
    starts = urgencies(*search.value_range)[1:4]
    for urgency in starts:
        for power, scaled in _powers(search, few, urgency):
            if power == 1:
                continue
            of = _with_priors(power, scaled)
            c = _whole(search, rows, of, urgency)
            if c is not None:
                sums = ", scaled to sum to 1" if scaled else ""
                words = f"PUCT with priors to the power {power:.3g}{sums}, and c = {c:.4g}"
                return _and(words, urgency), scaled, True
        for k in BESIDE_N:
            c = _whole(search, rows, _beside(k), urgency)
            if c is not None:
                words = f"PUCT with {k:g} + n in place of 1 + n, and c = {c:.4g}"
                return _and(words, urgency), False, True
        for name, count in COUNTS:
            factor, grows = _factor(search, rows, count, urgency)
            if factor:
                words = f"PUCT with {factor.format(N=name)} in place of c·√N"
                return _and(words, urgency), False, grows
    return None


def _and(words: str, urgency: Urgency) -> str:
    return f"{words}; {urgency.words}" if urgency.words else words


def _with_priors(power: float, scaled: bool) -> Callable[[ComparedChildren], Floats]:
    def term(rows: ComparedChildren) -> Floats:
        p = prior(rows) ** power
        if scaled:
            p = p / np.add.reduceat(p, rows.first)[rows.of]
        return np.asarray(p * np.sqrt(of_parent(rows)) / (1.0 + rows.visits))

    return term


def _beside(k: float) -> Callable[[ComparedChildren], Floats]:
    return lambda rows: np.asarray(prior(rows) * np.sqrt(of_parent(rows)) / (k + rows.visits))


def _bounds(
    search: CheckedSearch,
    rows: ComparedChildren,
    of: Callable[[ComparedChildren], Floats],
    urgency: Urgency,
) -> Bounds:
    width = Width("", of, True, True)
    return bounds_of(search, rows, Rule("selection-rule", "", mean, width, urgency))


def _whole(
    search: CheckedSearch,
    rows: ComparedChildren,
    of: Callable[[ComparedChildren], Floats],
    urgency: Urgency,
) -> float | None:
    """The c with which a term explains all but all choices; None where there is none, or it is no certain one."""
    low, high, n = most_overlap(_bounds(search, rows, of, urgency))
    certain = low > GREEDY_BELOW and high < 2 * low
    return (low + high) / 2 if n >= NEARLY_ALL * len(rows.chosen) and certain else None


def _powers(
    search: CheckedSearch, rows: ComparedChildren, urgency: Urgency
) -> Iterator[tuple[float, bool]]:
    """The power of priors that explains most of a few choices, with the priors scaled and without."""
    for scaled in (True, False):

        def explained(power: float, scaled: bool = scaled) -> int:
            return most_overlap(_bounds(search, rows, _with_priors(power, scaled), urgency))[2]

        best, step = 1.0, 0.1
        tried = POWERS
        for _ in range(3):
            counts = [explained(power) for power in tried.tolist()]
            best = float(np.median(tried[np.array(counts) == max(counts)]))
            step /= 5
            tried = np.round(best + step * np.arange(-5, 6), 4)
        if max(counts) >= NEARLY_ALL * len(rows.chosen):
            yield from ((each, scaled) for each in (round(best, 1), round(best, 2), best))


def _factor(
    search: CheckedSearch,
    rows: ComparedChildren,
    count: Callable[[ComparedChildren], Floats],
    urgency: Urgency,
) -> tuple[str, bool]:
    """What P / (1 + n) is multiplied by, in words, and whether it grows with N; empty where nothing that does not fall
    with N explains the choices."""
    bounds = _bounds(
        search, rows, lambda part: np.asarray(prior(part) / (1.0 + part.visits)), urgency
    )
    N, of = np.unique(np.maximum(count(rows)[rows.chosen], 0), return_inverse=True)
    low, high = np.zeros(len(N)), np.full(len(N), np.inf)
    np.maximum.at(low, of, bounds.low)
    np.minimum.at(high, of, bounds.high)
    if (np.maximum.accumulate(low) > high * (1 + 1e-9)).any() or np.isinf(high).all():
        return "", False
    N = N.astype(np.float64)
    use = N > 0
    for power in ROOTS:
        c = _scale(low[use], high[use], N[use] ** power)
        if c is not None:
            return f"{c:.3g}·{{N}}^{power:.3g}", True
    for more in ADDED:
        c = _scale(low[use], high[use], np.sqrt(N[use]) + more)
        if c is not None:
            return f"{c:.3g}·(√{{N}} {'+' if more > 0 else '−'} {abs(more):g})", True
    least, most = np.maximum.accumulate(low), np.minimum.accumulate(high[::-1])[::-1]
    near = [int(np.argmin(np.abs(N - shown))) for shown in SHOWN]
    shown = [(N[i], (least[i] + most[i]) / 2) for i in dict.fromkeys(near) if np.isfinite(most[i])]
    values = [f"{one:.3g} at {n:.0f}" for n, one in shown]
    grows = bool(shown) and shown[-1][1] > GROWN * shown[0][1]
    return f"{ANOTHER} of {{N}} (about {', '.join(values)})", grows


def _scale(low: Floats, high: Floats, factor: Floats) -> float | None:
    """The c for which c·factor lies within all bounds."""
    use = factor > 0
    least = (low[use] / factor[use]).max(initial=0)
    most = (high[use] / factor[use]).min(initial=np.inf)
    certain = GREEDY_BELOW < least <= most * (1 + 1e-9) and most < 2 * least
    return float((least + most) / 2) if certain else None
