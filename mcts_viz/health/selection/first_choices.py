"""How far a plain rule explains a search from its beginning: all choices up to an iteration, and not the next one.

So it looks where something goes wrong on the way, as when a list is put in another order than the one beside it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from mcts_viz.health.checked_search import CheckedSearch, ComparedChildren
from mcts_viz.health.selection.fit import Fit, bounds_of
from mcts_viz.health.selection.infer import plain_rules
from mcts_viz.health.selection.scores import FIRST, Rule, Urgency, constant, mean
from mcts_viz.health.selection.with_declared import ROUNDED
from mcts_viz.health.selection.words import range_words

FEW = 20  # choices that fit, with those of whole iterations
WIDE = 3.0  # greatest c that explains them, as a multiple of the least: so they do tell the rule


class FirstChoices(NamedTuple):
    """The choices that a rule explains before the first that it does not."""

    fit: Fit  # of these choices
    iteration: int  # of the first that the rule does not explain with the same c
    node: int  # its parent
    parent_visits: int

    @property
    def words(self) -> str:
        return (
            f"all {self.fit.n:,} choices up to iteration {self.iteration - 1:,} fit {self.fit.rule.words} with "
            f"{range_words(self.fit)}, and the first that does not is in iteration {self.iteration:,} at node "
            f"{self.node:,}"
        )


def from_the_first(search: CheckedSearch, rows: ComparedChildren) -> ComparedChildren | None:
    """All choices of the first iterations: these, where none was left out of them."""
    if len(rows.chosen) == search.n_comparisons:
        return rows
    return next(search.comparisons(), None)


def first_choices(
    search: CheckedSearch, rows: ComparedChildren, family: str = ""
) -> FirstChoices | None:
    """The longest such beginning; None where it is too short to tell, or the rule explains all. family: the beginning
    of the words of rules that are asked for."""
    found = [
        one
        for rule in _rules(search, rows, family)
        if (one := _explained(search, rows, rule)) is not None
    ]
    return max(found, key=lambda one: one.fit.n, default=None)


def _rules(search: CheckedSearch, rows: ComparedChildren, family: str) -> Iterable[Rule]:
    rules = plain_rules(search, rows, family)
    yield from rules
    told = search.meta.policies.selection.unvisited
    if isinstance(told, (int, float)):
        counts = Urgency(f"children without visits count as {told:g}", constant(told))
        for rule in rules:
            if rule.urgency is FIRST and rule.value is mean:
                yield rule._replace(urgency=counts, words=f"{rule.words}; {counts.words}")


def _explained(search: CheckedSearch, rows: ComparedChildren, rule: Rule) -> FirstChoices | None:
    bounds = bounds_of(search, rows, rule)
    c = search.meta.policies.selection.c
    low, high = np.maximum.accumulate(bounds.low), np.minimum.accumulate(bounds.high)
    bad = low > high
    if c is not None:
        bad |= (low > c * (1 + ROUNDED)) | (high < c * (1 - ROUNDED))
    if not bad.any():
        return None
    first = int(np.argmax(bad))
    n = int(np.searchsorted(rows.iteration, rows.iteration[first]))  # of whole iterations
    if n < FEW or not 0 < low[n - 1] <= high[n - 1] <= WIDE * low[n - 1]:
        return None
    explained = Fit(rule, float(low[n - 1]), float(high[n - 1]), n, n)
    return FirstChoices(
        explained, int(rows.iteration[first]), int(rows.parent[first]), int(rows.parent_visits[first])
    )  # fmt: skip
