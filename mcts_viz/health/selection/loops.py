"""Mistakes in the loop that looks for the best child: the second best is taken, or the best so far is not kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from mcts_viz.health.checked_search import CheckedSearch, ComparedChildren
from mcts_viz.health.selection.fit import Fit, fit, scores, spread
from mcts_viz.health.selection.infer import FEW_CHOICES, FIRST_LOOK, has_priors
from mcts_viz.health.selection.mistakes import HOPELESS
from mcts_viz.health.selection.scores import (
    FIRST,
    PUCT,
    PUCT_OF_CHILDREN,
    UCB1,
    Rule,
    Urgency,
    constant,
    mean,
)
from mcts_viz.types import Bools, Floats

WHOLE = 0.995  # of the choices
HALF = 0.5  # of these, that say something
MANY_DEVIATIONS, OF_DRAWS = 5.0, 0.05  # standard deviations of draws, and a share of them
# c that people take, those that most take first
WEIGHTS = (
    1.4, 2**0.5, 1.0, 1.41, 2.0, 0.5, 0.5**0.5, 1.25, 1.5, *(each / 10 for each in range(1, 20)), 2.5, 3.0, 4.0, 5.0,
)  # fmt: skip


class LoopMistake(NamedTuple):
    """What explains the choices, with one c."""

    check: str
    words: str
    rule: str
    c: float
    n: int  # choices it explains
    of: int


class LoopReading(NamedTuple):
    check: str
    words: str
    fits: Bools  # [C] whether a choice is as they say
    told: Bools  # [C] whether it says something
    least: float  # share of the choices that have to


def drawn_from_list(search: CheckedSearch, rows: ComparedChildren, known: Fit) -> bool:
    """Whether the best child is taken as often as draws from a list would take it that has each child which was better
    than all before it."""
    value, width = scores(search, rows, known.rule)
    score = value + known.c * width
    ends = np.append(rows.first[1:], len(score))
    best, chance = 0, list[float]()
    for begin, end, chosen in zip(rows.first.tolist(), ends.tolist(), rows.chosen.tolist()):
        own = score[begin:end]
        so_far = np.maximum.accumulate(own)
        best += bool(score[chosen] >= so_far[-1] - search.tolerance)
        chance.append(1 / len(np.unique(so_far)))
    expected, n = sum(chance), len(chance)
    deviation = sum(each * (1 - each) for each in chance) ** 0.5
    return bool(abs(best - expected) <= MANY_DEVIATIONS * deviation + OF_DRAWS * n)


def loop_mistake(search: CheckedSearch, rows: ComparedChildren) -> LoopMistake | None:
    """The first that explains nearly all choices, of one that goes by all scores."""
    return first_reading(search, rows, _explanations)


def first_reading(
    search: CheckedSearch,
    rows: ComparedChildren,
    explanations: Callable[[ComparedChildren, Floats], Iterator[LoopReading]],
) -> LoopMistake | None:
    """The first reading of the scores that explains nearly all choices, by the plain rules and the c that people
    take, or the one that explains most."""
    declared = search.meta.policies.selection.c
    some = spread(rows, FIRST_LOOK)  # enough to tell most c from the search's own
    zero = Urgency("", constant(0.0))
    widths = ((PUCT, zero), (PUCT_OF_CHILDREN, zero)) if has_priors(rows) else ((UCB1, FIRST),)
    for width, urgency in widths:
        rule = Rule("", width.words, mean, width, urgency)
        for c in _weights(search, rows, rule) if declared is None else (declared,):
            at_first = explanations(some, _score(search, some, rule, c))
            if not any(one.fits.mean() >= HOPELESS for one in at_first):
                continue
            for one in explanations(rows, _score(search, rows, rule, c)):
                told = int(one.told.sum())
                if told >= max(FEW_CHOICES, one.least * len(one.fits)) and one.fits.mean() >= WHOLE:
                    n = int(one.fits.sum())
                    return LoopMistake(one.check, one.words, width.words, c, n, len(one.fits))
    return None


def _weights(search: CheckedSearch, rows: ComparedChildren, rule: Rule) -> tuple[float, ...]:
    """Those that people take, then the one that explains most choices."""
    most = fit(search, rows, rule)
    return WEIGHTS if np.isinf(most.high) else (*WEIGHTS, most.c)


def _score(search: CheckedSearch, rows: ComparedChildren, rule: Rule, c: float) -> Floats:
    value, term = scores(search, rows, rule)
    return np.where((rows.visits == 0) & (rule.urgency is FIRST), np.inf, value + c * term)


def _explanations(rows: ComparedChildren, score: Floats) -> Iterator[LoopReading]:
    n, of = len(rows.chosen), rows.of
    taken = score[rows.chosen]
    slack = 1e-9 * (1 + np.abs(np.where(np.isfinite(taken), taken, 0.0)))
    count = np.bincount(of, minlength=n)
    better = np.bincount(of[score > (taken + slack)[of]], minlength=n)
    equal = np.bincount(of[np.abs(score - taken[of]) <= slack[of]], minlength=n) > 1
    yield LoopReading(
        "selection-argmin",
        "the child with the second highest score is taken, as where the last but one of a sorted list is, or its [1]",
        (better == 1) | equal, count > 2, HALF,
    )  # fmt: skip
    place, high = rows.place[rows.chosen], score > 0
    any_high = np.bincount(of[high], minlength=n) > 0
    several = np.bincount(of[high], minlength=n) > 1
    last, first = np.full(n, -1), np.full(n, np.iinfo(np.int64).max)
    np.maximum.at(last, of[high], rows.place[high])
    np.minimum.at(first, of[high], rows.place[high])
    for at, which, why in (
        (last, "last", "the best score so far is not kept in the loop"),
        (first, "first", "the loop over the children ends at the first that is better than the start"),
    ):  # fmt: skip
        words = f"of the children with scores above 0 the {which} one is taken, whatever the scores: {why}"
        yield LoopReading("selection-fixed", words, (place == at) | ~any_high, several, HALF)
