"""The mistake that PUCT's exploration term is kept in the child: it is computed where the child is updated, and a
sibling that is passed over keeps that of an older N (RocAlphaGo, and what was made from it). Needs all choices of a
search: the first one after a child's visit tells which N that visit left."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.health.checked_search import ComparedChildren
from mcts_viz.health.selection.scores import (
    FIRST,
    PerChild,
    Rule,
    Urgency,
    Width,
    constant,
    count_since_visit,
    mean,
    prior,
)
from mcts_viz.types import Floats

CHECK = "selection-stale-log"
WORDS = (
    "PUCT's exploration term is kept in each child from its last visit on, where back-up computes it{when}: N under "
    "the root is what the parent had then, so that the term of a sibling that is passed over does not grow{new}"
)
EARLY = " before it counts the parent's visit"
AS_ZERO = Urgency("", constant(0.0))  # Q of a child without visits


def kept_terms() -> Iterator[Rule]:
    """With N after the visit, or before it, and with what a child without visits begins with."""
    for less, when in ((0, ""), (1, EARLY)):
        term = _kept(less)
        for new, urgency in (
            ("; a new child begins with its prior alone, without c and N", Urgency("", prior)),
            ("; a new child begins with 0", AS_ZERO),
            ("", FIRST),
        ):
            yield _rule(Width("", term, needs_priors=True), urgency, when, new)
        for new, first in (
            ("; a new child begins with c·P", prior),
            ("; a new child has the term of when it was made", term),
        ):
            yield _rule(Width("", _beginning_with(first, term), True, True), AS_ZERO, when, new)


def _rule(width: Width, urgency: Urgency, when: str, new: str) -> Rule:
    return Rule(CHECK, WORDS.format(when=when, new=new), mean, width, urgency)


def _kept(less: int) -> PerChild:
    """P·√(N − less) / (1 + n), with the N that the parent had when the child's term was computed."""
    return lambda rows: (
        prior(rows) * np.sqrt(np.maximum(count_since_visit(rows) - less, 0)) / (1.0 + rows.visits)
    )


def _beginning_with(first: PerChild, later: PerChild) -> PerChild:
    def term(rows: ComparedChildren) -> Floats:
        return np.where(rows.visits > 0, later(rows), first(rows))

    return term
