"""What a search says of children without visits (`unvisited=`) and of N (`n=`), and its choices contradict, though the
declared rule explains them otherwise."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch, ComparedChildren
from mcts_viz.health.finding import Finding
from mcts_viz.health.selection.fit import Fit, fit, only, unvisited
from mcts_viz.health.selection.infer import NEARLY_ALL, Inferred, readings
from mcts_viz.health.selection.scores import Rule
from mcts_viz.health.selection.unexplained import first_unexplained
from mcts_viz.health.selection.words import how_many, numbers, rule_words, unvisited_words

FEW = 5  # choices, which a tie or a rounded prior may decide otherwise
BY_CHILDREN = ("N of all children", "N without the parent's own visit")  # in the words of rules


def not_as_told(
    search: CheckedSearch, rows: ComparedChildren, own: Rule, alike: Inferred, said: str
) -> Iterator[Finding]:
    """own: the rule as it is declared; alike: the one that explains the choices; said: what is declared, in words.
    Nothing where both explain them."""
    for reading in readings(search, rows):
        if reading.aside == alike.aside:
            rows = rows if reading.use.all() else only(rows, reading.use)
    exact = fit(search, rows, own)
    missed = exact.of - exact.n
    if missed < FEW or exact.share >= NEARLY_ALL:
        return
    policy, rule = search.meta.policies.selection, alike.fit.rule
    wrong = []
    if policy.unvisited is not None and _differs(rows, own, alike.fit):
        wrong.append(unvisited_words(policy.unvisited))
    if policy.n is not None and policy.n != _counts(rule):
        wrong.append(f"n={policy.n!r}")
    if wrong:
        t, node = first_unexplained(search, rows, exact)
        yield found(
            "selection-not-declared", t, node,
            f"declared is {said}, and {' and '.join(wrong)}, with which no c explains {missed:,} of {exact.of:,} "
            f"choices; {rule_words(alike)} explains {how_many(alike.fit)}{_of_zero(rule)}",
            **numbers(alike.fit),
        ).as_warning()  # fmt: skip


def _counts(rule: Rule) -> str:
    """What N is, as `n=` has it."""
    return "children" if any(words in rule.width.words for words in BY_CHILDREN) else "parent"


def _of_zero(rule: Rule) -> str:
    """What children without visits count as, where the words of the rule do not say it."""
    if rule.urgency.words or (rule.urgency.of is None and rule.urgency.comes <= 0):
        return ""
    counts = "come first" if rule.urgency.of is None else "count as 0"
    return f"; children without visits {counts}"


def _differs(rows: ComparedChildren, own: Rule, one: Fit) -> bool:
    """Whether children without visits count as something else than is declared, as far as that is known."""
    here, there = own.urgency, one.rule.urgency
    if here.of is None or there.of is None:
        return (here.of is None) != (there.of is None) or here.comes != there.comes
    untried = unvisited(rows)
    declared, counted = here.of(rows)[untried], there.of(rows)[untried]
    known = ~np.isnan(declared) & ~np.isnan(counted)
    return bool(known.all()) and not np.allclose(declared, counted)
