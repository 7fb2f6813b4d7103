"""Choices that look like a mistake, and are those of a solver which tells no proofs (`proven=`): once the finished
games in the tree prove a child to be won, it alone is taken, and children proven otherwise are looked at no more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from mcts_viz.health.checked_search import CheckedSearch, ComparedChildren
from mcts_viz.health.finding import Finding
from mcts_viz.health.selection.infer import FEW_CHOICES, TIGHT, infer
from mcts_viz.health.selection.proven_children import proven_worth
from mcts_viz.health.selection.words import how_many, rule_words
from mcts_viz.types import Bools

OFF = 0.01  # part of c by which the one declared may be off


def beside_untold_proofs(
    search: CheckedSearch, rows: ComparedChildren, findings: Iterable[Finding]
) -> Iterator[Finding]:
    """The same findings, as notes where a solver would choose so."""
    solver: str | None = None
    for one in findings:
        if one.check == "selection-unexplained" and (unheeded := _without_heed(search, rows)):
            yield replace(one.as_note(unheeded), check="selection-rule")
            continue
        if one.severity != "note":
            solver = _as_a_solver(search, rows) if solver is None else solver
        yield one.as_note(f"{one.message}. {solver}") if one.severity != "note" and solver else one


def _as_a_solver(search: CheckedSearch, rows: ComparedChildren) -> str:
    """How a solver explains all choices, in words; empty where it does not. That a won child is taken at each choice
    that has one is what another search, which explores, does not do."""
    if not np.isnan(rows.proven).all():
        return ""  # proofs are told
    since, result = search.follows
    known = since[rows.node] < rows.iteration[rows.of]
    proven = np.where(known, result[rows.node], np.nan)
    by_proofs = rows._replace(proven=proven)
    won = proven_worth(search, by_proofs) >= search.meta.scores[2]
    has_won = np.bitwise_or.reduceat(won, rows.first)
    n = int(has_won.sum())
    if n < FEW_CHOICES or not won[rows.chosen][has_won].all() or not _is_news(rows, won, has_won):
        return ""
    c = search.meta.policies.selection.c
    rule = infer(search, by_proofs, suits=lambda one: c is None or one.includes(c, OFF))
    if rule is None or rule.aside:
        return ""
    return (
        f"Right in a solver: at {n:,} of {len(rows.chosen):,} choices finished games in the tree prove a child to be "
        f"won, which is taken each time, and {rule.fit.rule.words} explains the others. What is proven can be told by "
        "proven="
    )


def _without_heed(search: CheckedSearch, rows: ComparedChildren) -> str:
    """The rule by which all children are compared, whatever is proven of them, in words; empty where there is none."""
    if np.isnan(rows.proven).all() or search.meta.has_solver:
        return ""
    c = search.meta.policies.selection.c
    nothing = rows._replace(proven=np.full(len(rows.of), np.nan))
    rule = infer(search, nothing, suits=lambda one: c is None or one.includes(c, OFF))
    if rule is None or rule.aside or rule.fit.high - rule.fit.low > TIGHT * rule.fit.high:
        return ""
    return (
        f"{rule_words(rule)} explains {how_many(rule.fit)} choices, by visits and values alone: what is proven of "
        "children is not heeded where the search chooses"
    )


def _is_news(rows: ComparedChildren, won: Bools, has_won: Bools) -> bool:
    """Whether another child stands beside a won one, so that there is something to choose."""
    beside = np.bincount(rows.of[~won], minlength=len(rows.chosen)) > 0
    return int((beside & has_won).sum()) >= FEW_CHOICES
