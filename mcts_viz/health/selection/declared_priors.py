"""PUCT with priors that are looked up at the wrong place, where hardly two siblings are ever visited: many rules fit
such choices, and the first one at each node says by which priors it was made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from mcts_viz.health.checked_search import CheckedSearch, ComparedChildren
from mcts_viz.health.selection.fit import GREEDY_BELOW, Fit, fit
from mcts_viz.health.selection.infer import GREAT
from mcts_viz.health.selection.other_priors import CHECK
from mcts_viz.health.selection.scores import (
    PUCT,
    PUCT_OF_CHILDREN,
    QForm,
    Rule,
    mean,
    urgencies,
)
from mcts_viz.health.selection.with_declared import ROUNDED

FEW_FIRST = 10  # choices: that the wrong priors say all of them by chance has one chance in 1,000


def priors_with_declared(
    search: CheckedSearch, forms: Sequence[QForm], rows: ComparedChildren, rule: Rule, c: float
) -> tuple[QForm, Fit] | None:
    """The wrong priors with which the declared rule and c explain every choice, where the right ones do not, and say
    something else of many first choices: children without visits differ in nothing but their priors."""
    fits = _fits(search, forms, rows, [rule])
    return next(((form, one) for form, one in fits if one.includes(c, ROUNDED)), None)


def priors_with_puct(
    search: CheckedSearch, forms: Sequence[QForm], rows: ComparedChildren
) -> tuple[QForm, Fit] | None:
    """The same with a rule that nobody has declared, and a c that people use."""
    low, high = search.value_range
    rules = [
        Rule("selection-rule", "; ".join(w for w in (width.words, urgency.words) if w), mean, width, urgency)
        for width in (PUCT, PUCT_OF_CHILDREN)
        for urgency in urgencies(low, high)
    ]  # fmt: skip
    usual = (
        (form, one)
        for form, one in _fits(search, forms, rows, rules)
        if one.high >= GREEDY_BELOW and one.low < GREAT * (high - low)
    )
    return next(usual, None)


def _fits(
    search: CheckedSearch,
    forms: Sequence[QForm],
    rows: ComparedChildren,
    rules: Iterable[Rule],
) -> Iterator[tuple[QForm, Fit]]:
    if not any(form.check == CHECK for form in forms) or _against_priors(rows) < FEW_FIRST:
        return
    for form in forms:
        if form.check == CHECK and not _against_priors(form.rows):
            fits = (fit(search, form.rows, rule) for rule in rules)
            yield from ((form, one) for one in fits if one.whole)


def _against_priors(rows: ComparedChildren) -> int:
    """First choices at a node that take a child whose prior is not the highest."""
    first = np.maximum.reduceat(rows.visits, rows.first) == 0
    highest = np.maximum.reduceat(rows.prior, rows.first)
    return int((first & (rows.prior[rows.chosen] < highest)).sum())
