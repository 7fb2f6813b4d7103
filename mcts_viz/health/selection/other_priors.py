"""Priors that a search looks up at the wrong place: those of other actions of a position, or of another position.

All actions of a position with their priors are known by its children. What a wrong index finds there is known, too; an
action without a child is illegal, and has the prior 0 where those of the children add up to 1.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.health.checked_search import CheckedSearch, ComparedChildren
from mcts_viz.health.selection.fit import only, without
from mcts_viz.health.selection.infer import FEW_CHOICES
from mcts_viz.health.selection.scores import QForm
from mcts_viz.types import Bools, Floats, Ints

CHECK = "selection-other-prior"
WHOLE_POLICY = 0.999  # sum of priors
MOST_UNKNOWN = 0.5  # share of the choices whose priors may not be known
BY_PLACE = (
    "the prior of a child is looked up by its place among the legal moves, not by its action (P[i] for P[a]), so that "
    "each has the prior of another move wherever a move is missing"
)
SHIFTED = "the prior of a child is that of the action {}, as where actions are counted from 0 here and from 1 there"
OF_BEFORE = "the prior of a child is that of the same action at the position before, one move up"


def other_priors(search: CheckedSearch, rows: ComparedChildren) -> list[QForm]:
    """The mistakes, with the priors that they give to the children compared."""
    action = search.action[rows.node].astype(np.int64)
    if np.isnan(rows.prior).any() or (rows.prior < 0).any() or (action < 0).any():
        return []
    if len(np.unique(np.stack([rows.of, action]), axis=1).T) < len(action):
        return []  # two children of one action
    forms = []
    for words, prior in _looked_up(search, rows, action):
        form = _form(rows, words, prior)
        if form is not None:
            forms.append(form)
    return forms


def _looked_up(
    search: CheckedSearch, rows: ComparedChildren, action: Ints
) -> Iterator[tuple[str, Floats]]:
    """Each mistake in words, and the prior [R] that it finds; nan where nobody knows it."""
    order = np.lexsort((action, rows.of))
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order)) - rows.first[rows.of][order]
    for index in (place, rows.place):
        yield BY_PLACE, _of_siblings(rows, action, np.asarray(index))
    yield SHIFTED.format("after it"), _of_siblings(rows, action, action + 1)
    yield SHIFTED.format("before it"), _of_siblings(rows, action, action - 1)
    yield OF_BEFORE, _of_position_before(search, rows, action)


def _of_siblings(rows: ComparedChildren, action: Ints, index: Ints) -> Floats:
    """[R] the prior of the sibling whose action is the index."""
    found = _find(rows.of, action, rows.prior, rows.of, index)
    whole = np.add.reduceat(rows.prior, rows.first) >= WHOLE_POLICY
    return np.where(np.isnan(found) & whole[rows.of], 0.0, found)


def _of_position_before(search: CheckedSearch, rows: ComparedChildren, action: Ints) -> Floats:
    """[R] the prior of the same action among the siblings of the parent; its own at the root."""
    prior = search.trace.columns.nodes.prior[: search.N].astype(np.float64)
    above = search.parent[rows.parent].astype(np.int64)
    node = np.flatnonzero(np.isin(search.parent, above[above >= 0]))
    found = _find(
        search.parent[node].astype(np.int64), search.action[node].astype(np.int64), prior[node],
        above[rows.of], action,
    )  # fmt: skip
    return np.where((rows.depth == 0)[rows.of], rows.prior, found)


def _find(group: Ints, action: Ints, prior: Floats, asked: Ints, index: Ints) -> Floats:
    """The prior of each action asked for in its group; nan where it is not there."""
    if not len(group):
        return np.full(len(asked), np.nan)
    n = int(max(action.max(initial=0), index.max(initial=0))) + 2
    key = group * n + action
    order = np.argsort(key, kind="stable")
    wanted = asked * n + np.maximum(index, 0)
    row = order[np.minimum(np.searchsorted(key[order], wanted), len(key) - 1)]
    there: Bools = (key[row] == wanted) & (index >= 0)
    return np.where(there, prior[row], np.nan)


def _form(rows: ComparedChildren, words: str, prior: Floats) -> QForm | None:
    """The choices with these priors; None where they hardly differ from the right ones, or are hardly known."""
    known = ~np.isnan(prior)
    differs = np.bincount(rows.of[known & (prior != rows.prior)], minlength=len(rows.chosen)) > 0
    use = known[rows.chosen]
    if int((differs & use).sum()) < FEW_CHOICES or use.mean() < MOST_UNKNOWN:
        return None
    changed = rows._replace(prior=prior)
    if not known.all():
        changed = only(changed, use)
        changed = without(changed, np.isnan(changed.prior))
        several = np.bincount(changed.of, minlength=len(changed.chosen)) > 1
        changed = only(changed, several)
        words = f"{words} (as far as these priors are known)"
    return QForm(words, changed, CHECK)
