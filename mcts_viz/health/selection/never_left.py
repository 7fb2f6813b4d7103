"""PUCT with a small c, by which the child that is taken first is never left: as if its visits were missing in the
exploration term."""

from __future__ import annotations

from mcts_viz.health.checked_search import CheckedSearch, ComparedChildren
from mcts_viz.health.selection.fit import fit
from mcts_viz.health.selection.infer import has_priors
from mcts_viz.health.selection.scores import (
    PUCT,
    PUCT_OF_CHILDREN,
    Rule,
    Urgency,
    mean,
    parent_mean,
)

OF_ONE_CHILD = ("selection-no-visits", "selection-unvisited")  # mistakes that look so
# in halves of the range of values, as for results from −1 to 1
LEAST_C = 0.02
MOST_REDUCED = 0.5  # by which a child without visits counts less than its parent; lc0 and KataGo have 0.2 to 0.45


def never_left_by(search: CheckedSearch, rows: ComparedChildren) -> str | None:
    """The rule in words, where one with numbers that people use explains every choice; None where none does."""
    if not has_priors(rows):
        return None
    low, high = search.value_range
    half = (high - low) / 2
    less = MOST_REDUCED * half
    urgency = Urgency("", lambda rows: parent_mean(rows) - less)
    declared = search.meta.policies.selection.c
    for width in (PUCT, PUCT_OF_CHILDREN):
        found = fit(search, rows, Rule("selection-rule", width.words, mean, width, urgency))
        fits = found.high >= LEAST_C * half if declared is None else found.includes(declared)
        if found.whole and fits:
            return (
                f"{width.words} with c up to {found.high:.2g}, where children without visits count as their parent "
                f"less {less:g}"
            )
    return None
