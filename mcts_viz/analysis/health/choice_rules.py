"""What a search may have compared when it chose a child: selection rules, and the usual mistakes in
them.

Each gives two numbers a child, so that its score is (first) + c × (second); which c, if any, makes
the children taken the best ones is for `selection` to find out. Knows no trace.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from mcts_viz.analysis.health.course import Comparisons
from mcts_viz.analysis.health.stretch import Bools, Floats
from mcts_viz.formulas.selection import SELECTION_FORMULAS, log_visits


class ChoiceRule(NamedTuple):
    """`terms` gives (value, width) of each row; rows without visits count only with an `urgency`,
    otherwise such a child comes before all others. `looks_at`: the rows that are compared at all."""

    check: str  # of the finding, where this rule explains the choices
    words: str
    terms: Callable[[Comparisons], tuple[Floats, Floats]]
    urgency: float | None = None
    looks_at: Callable[[Comparisons], Bools] | None = None
    ends_alone: bool = False  # a finished game competes by its result, without exploration


def mean(rows: Comparisons) -> Floats:
    """q."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(rows.visits > 0, rows.value_sum / rows.visits, 0.0)


def logs(counts: Any) -> Floats:
    """ln of each, 0 where there is nothing to take it of."""
    return np.nan_to_num(log_visits(np.maximum(counts, 1)))


def ucb1_width(rows: Comparisons, of: Any = None) -> Floats:
    """√(ln N / n), N being the parent's visits unless others are given."""
    counts = rows.parent_visits[rows.of] if of is None else of
    return np.sqrt(logs(counts) / np.maximum(rows.visits, 1))


def children_visits(rows: Comparisons) -> Any:
    """[R] visits of all siblings together."""
    return np.add.reduceat(rows.visits, rows.first)[rows.of]


def prior(rows: Comparisons) -> Floats:
    """P, all alike where none is recorded."""
    k = np.bincount(rows.of, minlength=len(rows.first))
    return np.where(np.isnan(rows.prior), 1.0 / k[rows.of], rows.prior)


def puct(rows: Comparisons) -> tuple[Floats, Floats]:
    """q, 0 without visits, and P·√N / (1 + n)."""
    N = rows.parent_visits[rows.of]
    return mean(rows), prior(rows) * np.sqrt(np.maximum(N, 0)) / (1.0 + rows.visits)


def puct_of_children(rows: Comparisons) -> tuple[Floats, Floats]:
    """As `puct`, N being the visits of all children."""
    return mean(rows), prior(rows) * np.sqrt(children_visits(rows)) / (1.0 + rows.visits)


def tuned(rows: Comparisons) -> tuple[Floats, Floats]:
    """UCB1-Tuned."""
    formula = SELECTION_FORMULAS["ucb1_tuned"]
    N, n = rows.parent_visits[rows.of], np.maximum(rows.visits, 1)
    value, width = formula(rows.value_sum, n, N, logs(N), rows.prior, 1.0, rows.squares)
    return value, width


# tried in this order; the first that explains every choice is taken for the search's own
RULES = [
    ChoiceRule("selection-rule", "UCB1", lambda r: (mean(r), ucb1_width(r))),
    ChoiceRule("selection-rule", "PUCT", puct, urgency=0.0),
    ChoiceRule("selection-rule", "PUCT (N of all children)", puct_of_children, urgency=0.0),
    ChoiceRule("selection-rule", "UCB1-Tuned", tuned),
    ChoiceRule(
        "selection-rule",
        "UCB1 (N counting the present visit)",
        lambda r: (mean(r), ucb1_width(r, r.parent_visits[r.of] + 1)),
    ),
    ChoiceRule(
        "selection-rule",
        "UCB1 (N of all children)",
        lambda r: (mean(r), ucb1_width(r, children_visits(r))),
    ),
]
RULES += [
    rule._replace(words=f"{rule.words} (finished games by their result alone)", ends_alone=True)
    for rule in RULES
]

MISTAKES = [
    ChoiceRule(
        "selection-argmin",
        "the child with the least UCB1 score is taken",
        lambda r: (-mean(r), -ucb1_width(r)),
    ),
    ChoiceRule(
        "selection-wrong-view",
        "the child is taken that is best for the opponent of the player who chooses",
        lambda r: (-mean(r), ucb1_width(r)),
    ),
    ChoiceRule(
        "selection-one-view",
        "both players choose what is best for player 0",
        lambda r: (np.where(r.chooser == 0, 1, -1) * mean(r), ucb1_width(r)),
    ),
    ChoiceRule(
        "selection-one-view",
        "both players choose what is best for player 1",
        lambda r: (np.where(r.chooser == 1, 1, -1) * mean(r), ucb1_width(r)),
    ),
    ChoiceRule(
        "selection-root-log",
        "the logarithm is that of the root's visits, not of the parent's",
        lambda r: (mean(r), ucb1_width(r, r.root_visits[r.of])),
    ),
    ChoiceRule(
        "selection-child-log",
        "the logarithm is that of the child's own visits, not of the parent's",
        lambda r: (mean(r), ucb1_width(r, r.visits)),
    ),
    ChoiceRule(
        "selection-no-root",
        "the exploration term is ln N / n, without its square root",
        lambda r: (mean(r), ucb1_width(r) ** 2),
    ),
    ChoiceRule(
        "selection-no-log",
        "the exploration term is √(N / n), without the logarithm",
        lambda r: (mean(r), np.sqrt(r.parent_visits[r.of] / np.maximum(r.visits, 1))),
    ),
    ChoiceRule(
        "selection-integer-mean",
        "the mean value is rounded down to a whole number",
        lambda r: (np.floor(mean(r)), ucb1_width(r)),
    ),
    ChoiceRule(
        "selection-integer-mean",
        "the mean value loses its fraction",
        lambda r: (np.trunc(mean(r)), ucb1_width(r)),
    ),
    ChoiceRule(
        "selection-sum",
        "the value sum is compared in place of the mean",
        lambda r: (r.value_sum, ucb1_width(r)),
    ),
    ChoiceRule(
        "selection-ignored-child",
        "the youngest child is never looked at",
        lambda r: (mean(r), ucb1_width(r)),
        looks_at=lambda r: ~r.is_last,
    ),
    ChoiceRule(
        "selection-ignored-child",
        "the oldest child is never looked at",
        lambda r: (mean(r), ucb1_width(r)),
        looks_at=lambda r: r.place > 0,
    ),
    ChoiceRule(
        "selection-unvisited",
        "children without visits are passed over while another one has visits",
        lambda r: (mean(r), ucb1_width(r)),
        urgency=-np.inf,
    ),
    ChoiceRule(
        "selection-unvisited",
        "children without visits count as worth 0, without exploration",
        lambda r: (mean(r), np.where(r.visits > 0, ucb1_width(r), 0.0)),
        urgency=0.0,
    ),
]
