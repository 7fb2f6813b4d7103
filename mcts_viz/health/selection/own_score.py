"""Whether the search takes the children that are best by the score of its own author, as the recording compared them
choice by choice."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.types import Bools, Ints

NEXT_TO_NOTHING = 5e-3  # part of the range of values
SELDOM = 0.05  # share of the choices
LOOKED_AT = 5_000  # choices
RARE = 0.01  # share of the choices, below which a search may have its reasons: noise, a counter of its own


class ScoreCounts(NamedTuple):
    """How the choices of a search go with its author's score."""

    rule: str  # name of the selection rule, as the words take it; empty where it has none
    choices: int
    unexplained: int
    of_going_on: int  # choices left out: of iterations that expand the node chosen before once more
    # choices that are explained as such: the score counts for children with visits
    first_visits: int = 0


def is_explained(search: CheckedSearch) -> bool:
    """Whether no other rule is to be looked for: the author's own score explains every choice that was compared."""
    compared = _compared(search)
    return bool(compared.choices and not compared.unexplained)


def check_own_score(search: CheckedSearch) -> Iterator[Finding]:
    """Findings about the author's own score, where one was given."""
    name, compared, unexplained, going_on, first_visits = _compared(search)
    if not compared:
        return
    if not unexplained:
        words = f"the score that its author tells explains all {compared:,} choices compared{name}"
        if going_on:
            words += (
                f"; {going_on:,} others are of iterations that give the node chosen before one more child: the search "
                "chooses once for several of them"
            )
        if first_visits:
            words += (
                f", as far as children with visits are compared; at {first_visits:,} a child without visits is taken "
                "first, whatever its score. To have these compared, too, let score= give math.inf for such a child"
            )
        yield found("selection-rule", None, None, words, rule="score=", choices=compared, share=1.0)
        return
    first = search.trace.columns.asides.misses[0]
    taken, best = (
        "infinite" if score is None else f"{score:.6g}" for score in (first.score, first.best_score)
    )
    label = search.trace.at(first.row + 1).short_label
    finding = found(
        "selection-own-score", first.row + 1, first.node,
        f"{unexplained:,} of {compared:,} choices ({unexplained / compared:.1%}) are not those of the author's own "
        f"score: in iteration {first.row + 1:,} node {first.node:,} goes to {label(first.child)} (node "
        f"{first.child:,}), whose score is {taken}, and {label(first.best)} (node {first.best:,}) has {best}",
        times=unexplained, choices=compared, score=first.score, best_score=first.best_score,
    )  # fmt: skip
    if unexplained < SELDOM * compared and _are_nearly_equal(search):
        text = (
            f"{finding.message}. So near are all that were looked at, as where the score goes by a number that has "
            "moved on by the next iteration, such as a c that falls with time"
        )
        yield finding.as_note(text)
    else:
        rare = unexplained < RARE * compared
        yield finding.as_warning() if rare else finding


def _are_nearly_equal(search: CheckedSearch) -> bool:
    """Whether the scores of children that were taken are next to the best ones."""
    low, high = search.meta.value_range
    return all(
        one.score is not None
        and one.best_score is not None
        and one.best_score - one.score <= NEXT_TO_NOTHING * (high - low)
        for one in search.trace.columns.asides.misses
    )


def _compared(search: CheckedSearch) -> ScoreCounts:
    columns = search.trace.columns
    if columns.compared is None or columns.unexplained is None:
        return ScoreCounts("", 0, 0, 0)
    name = search.meta.policies.selection.name
    compared, unexplained = (np.maximum(of, 0) for of in (columns.compared, columns.unexplained))
    left_out = _goes_on(search)
    if not unexplained[left_out].any() or unexplained[~left_out].any():
        left_out[:] = False
    first_visits = 0
    if not left_out.any() and _are_first_visits(search, unexplained):
        first_visits = int(unexplained.sum())
        unexplained = np.zeros_like(unexplained)
    return ScoreCounts(
        f" ({name})" if name else "",
        int(compared[~left_out].sum()),
        int(unexplained[~left_out].sum()),
        int(compared[left_out].sum()),
        first_visits,
    )


def _are_first_visits(search: CheckedSearch, unexplained: Ints) -> bool:
    """Whether all choices that the score does not explain are of a child that has no visits yet: it comes before those
    that have, where the search looks for it first and asks for scores later."""
    if not unexplained.any() or unexplained.max() > 1:
        return False
    if any(one.child != search.leaf[one.row] for one in search.trace.columns.asides.misses):
        return False
    for part in search.ranges():
        iteration = np.arange(part.first, part.last + 1)
        iteration = iteration[unexplained[iteration - 1] > 0]
        leaf = search.leaf[iteration - 1].astype(np.int64)
        if part.before(leaf, iteration).visits.any():
            return False
    for rows in search.comparisons(at_most=LOOKED_AT):
        waits = np.add.reduceat((rows.visits == 0).astype(np.int64), rows.first) > 0
        if (rows.visits[rows.chosen[waits]] > 0).any():
            return False  # children without visits do not always come first
    return True


def _goes_on(search: CheckedSearch) -> Bools:
    """[T] whether an iteration gives a new child to the node that got one in the iteration before: a search may choose
    a node once and expand it several times (TreeQuest's queue of samples, agents that try k actions)."""
    leaf = search.leaf.astype(np.int64)
    above = search.parent[leaf].astype(np.int64)
    is_new = search.born[leaf] == np.arange(1, search.T + 1)
    goes_on = np.zeros(search.T, np.bool_)
    goes_on[1:] = is_new[1:] & is_new[:-1] & (above[1:] == above[:-1])
    return goes_on
