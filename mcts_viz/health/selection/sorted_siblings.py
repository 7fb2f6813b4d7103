"""Priors in an array beside a list of children that is sorted in place: from then on each child is compared with the
prior of the one that stood at its place before."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from mcts_viz.health.checked_search import CheckedSearch, ComparedChildren
from mcts_viz.health.selection.first_choices import FirstChoices
from mcts_viz.health.selection.fit import Fit, fit, only
from mcts_viz.health.selection.infer import plain_rules
from mcts_viz.health.selection.scores import Rule, mean
from mcts_viz.types import Floats

FEW = 50  # choices
MOST_AT_ROOT = 400  # choices that tell when children are sorted
NAMED_FROM = 0.98  # share of all choices explained
AT_FIRST = 0.9  # share of those at the root, in the first look
# visits after which a search may sort, beside small numbers
OFTEN = (100, 128, 200, 250, 256, 500, 512, 1_000)
SMALL = 64
BY_VISITS, BY_VALUE = "visits", "value"


class Order(NamedTuple):
    """When the children of a node are sorted, and by what."""

    by: str
    every: int  # visits of the node
    later: int  # 1: the root counts its visits from 1

    @property
    def words(self) -> str:
        when = "before each choice" if self.every == 1 else f"at every {self.every:,}th visit"
        return f"the children of a node are sorted in place by their {self.by}, the greatest first, {when}"


class SortedSiblings(NamedTuple):
    """An order that explains the choices, with the priors that children have by it."""

    order: Order
    fit: Fit


def sorted_siblings(
    search: CheckedSearch, rows: ComparedChildren, begun: FirstChoices | None
) -> SortedSiblings | None:
    """None where no such order explains the choices. rows: all of the first iterations; begun: what a rule explains
    before the children are sorted first, None: they are sorted from the beginning on."""
    if len(rows.chosen) < FEW or np.isnan(rows.prior).any() or _come_late(search, rows):
        return None
    if begun is not None and not begun.fit.rule.width.needs_priors:
        return None
    rules = [begun.fit.rule] if begun is not None else _of_priors(search, rows)
    root = np.flatnonzero(rows.parent == 0)[:MOST_AT_ROOT]
    if len(root) < FEW or not rules:
        return None
    at_root = only(rows, np.isin(np.arange(len(rows.chosen)), root))
    best, explains = None, AT_FIRST
    for order in _orders(begun):
        sorted_rows = at_root._replace(prior=priors_by(order, at_root))
        for one in (fit(search, sorted_rows, each) for each in rules):
            if one.share > explains and _is_as_begun(one, begun):
                best, explains = order, one.share
    if best is None:
        return None
    sorted_rows = rows._replace(prior=priors_by(best, rows))
    found = max((fit(search, sorted_rows, rule) for rule in rules), key=lambda one: one.n)
    is_whole = found.share >= NAMED_FROM and _is_as_begun(found, begun)
    return SortedSiblings(best, found) if is_whole else None


def priors_by(order: Order, rows: ComparedChildren) -> Floats:
    """[R] the prior that each child is compared with."""
    prior = rows.prior.copy()
    ends = np.append(rows.first[1:], len(rows.of))
    key = rows.visits if order.by == BY_VISITS else mean(rows)
    places: dict[int, list[int]] = {}  # of each node: its children, as they stand in the list now
    turns: dict[int, int] = {}
    for choice, (node, N) in enumerate(zip(rows.parent.tolist(), rows.parent_visits.tolist())):
        own = slice(int(rows.first[choice]), int(ends[choice]))
        now = places.setdefault(node, list(range(own.stop - own.start)))
        turn = (N + order.later) // order.every
        if turn != turns.get(node, 0):
            value = key[own].tolist()
            places[node] = now = sorted(now, key=lambda child: -value[child])
            turns[node] = turn
        prior[own][now] = rows.prior[own]
    return prior


def _orders(begun: FirstChoices | None) -> Iterator[Order]:
    """With those that are not before the first choice that needs another order."""
    numbers = [1] if begun is None else [*range(1, SMALL + 1), *OFTEN]
    if begun is not None and not begun.node:
        N = begun.parent_visits + 1
        numbers = [n for n in {*numbers, N - 1} if 0 < n <= N]
    for by in (BY_VISITS, BY_VALUE):
        for every in sorted(numbers):
            for later in (0, 1)[: 1 if every == 1 else 2]:
                yield Order(by, every, later)


def _of_priors(search: CheckedSearch, rows: ComparedChildren) -> list[Rule]:
    return [rule for rule in plain_rules(search, rows) if rule.width.needs_priors]


def _come_late(search: CheckedSearch, rows: ComparedChildren) -> bool:
    """Whether some children came after their siblings, so that the list is not known."""
    born = search.born[rows.node]
    return bool((born != born[rows.first][rows.of]).any())


def _is_as_begun(one: Fit, begun: FirstChoices | None) -> bool:
    """Whether it is the same c as before."""
    return begun is None or (one.low <= begun.fit.high and begun.fit.low <= one.high)
