"""PUCT whose exploration term is written wrongly: where the square root reaches, what falls with the child's visits.
Also beside a Q that is scaled or has the rewards of moves in it, and with a c that grows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from mcts_viz.health.checked_search import CheckedSearch, ComparedChildren
from mcts_viz.health.selection.fit import GREEDY_BELOW
from mcts_viz.health.selection.infer import (
    FEW_CHOICES,
    TIGHT,
    Inferred,
    has_priors,
    infer,
    told_apart,
)
from mcts_viz.health.selection.scores import (
    LOG_IN_PUCT,
    PerChild,
    QForm,
    Width,
    logs,
    of_children,
    of_parent,
    prior,
)
from mcts_viz.types import Floats

NO_ROOT, NO_VISITS = "selection-no-root", "selection-no-visits"
MOST_LEFT_OUT = 0.2  # of the choices
TOO_SLOWLY = (
    "in place of P·√N / (1 + n), so that exploration of a child falls too slowly with its visits"
)


class Term(NamedTuple):
    """A way to write the exploration term, without its prior."""

    check: str
    words: str
    of: Callable[[Floats, Floats], Floats]  # of N and n, [R] each


TERMS = (
    Term(
        NO_ROOT, f"the square root reaches 1 + n, too: P·√(N / (1 + n)) {TOO_SLOWLY}",
        lambda N, n: np.sqrt(N / (1 + n)),
    ),
    Term(
        NO_ROOT, f"the square root is that of n, too: P·√N / (1 + √n) {TOO_SLOWLY}",
        lambda N, n: np.sqrt(N) / (1 + np.sqrt(n)),
    ),
    Term(
        NO_ROOT, f"the square root reaches n, too: P·√(N / n), n at least 1, {TOO_SLOWLY}",
        lambda N, n: np.sqrt(N / np.maximum(n, 1)),
    ),
    Term(NO_ROOT, "the square root is missing: P·N / (1 + n)", lambda N, n: N / (1 + n)),
    Term(
        NO_ROOT, f"the square root is taken twice: P·√(√N / (1 + n)) {TOO_SLOWLY}",
        lambda N, n: np.sqrt(np.sqrt(N) / (1 + n)),
    ),
    Term(
        NO_ROOT, "1 + n is squared: P·√N / (1 + n)² in place of P·√N / (1 + n)",
        lambda N, n: np.sqrt(N) / (1 + n) ** 2,
    ),
    Term(
        LOG_IN_PUCT, "a logarithm stands in place of N: P·√(ln N) / (1 + n)",
        lambda N, n: np.sqrt(logs(N)) / (1 + n),
    ),
    Term(
        LOG_IN_PUCT, "a logarithm stands in place of √N: P·ln N / (1 + n)", lambda N, n: logs(N) / (1 + n),
    ),
    Term(
        NO_VISITS, "the exploration term does not fall with the child's visits: P·√N, without 1 + n",
        lambda N, n: np.sqrt(N) + 0 * n,
    ),
    Term(
        NO_VISITS, "the exploration term is divided by the parent's visits, not by the child's: P·√N / (1 + N)",
        lambda N, n: np.sqrt(N) / (1 + N) + 0 * n,
    ),
    Term(
        "selection-child-log", "N under the root is the child's own visits: P·√n / (1 + n)",
        lambda N, n: np.sqrt(n) / (1 + n) + 0 * N,
    ),
    Term(
        "selection-swapped", "N and n stand in each other's place: P·√n / (1 + N)",
        lambda N, n: np.sqrt(n) / (1 + N),
    ),
)  # fmt: skip
COUNTS: tuple[tuple[str, Callable[[ComparedChildren], Floats]], ...] = (
    ("", lambda rows: np.asarray(of_parent(rows), np.float64)),
    (" (N of all children)", lambda rows: np.asarray(of_children(rows), np.float64)),
    (" (N counting the present visit)", lambda rows: np.asarray(of_parent(rows) + 1, np.float64)),
)


def _width(term: Term, counted: str, count: Callable[[ComparedChildren], Floats]) -> Width:
    def of(rows: ComparedChildren) -> Floats:
        return prior(rows) * term.of(count(rows), rows.visits.astype(np.float64))

    per_child: PerChild = of
    return Width(f"{term.words}{counted}", per_child, at_zero=True, needs_priors=True)


WIDTHS = {_width(term, *each): term.check for term in TERMS for each in COUNTS}


class WrongTerm(NamedTuple):
    check: str
    known: Inferred
    form: QForm  # what children are compared by


def wrong_term(search: CheckedSearch, forms: Sequence[QForm]) -> WrongTerm | None:
    """The one that explains every choice with nearly one c; None where there is none, or no priors that differ. forms:
    what children may be compared by."""
    rows = forms[0].rows
    if not has_priors(rows) or np.nanmax(rows.prior) <= np.nanmin(rows.prior):
        return None
    for form in forms:
        if not told_apart(form.rows):
            continue
        known = infer(search, form.rows, list(WIDTHS))
        if known is None or known.left_out > MOST_LEFT_OUT * len(rows.chosen):
            continue
        one = known.fit
        tight = np.isfinite(one.high) and one.high - one.low <= TIGHT * one.high
        if one.low >= GREEDY_BELOW and tight and one.of >= FEW_CHOICES:
            return WrongTerm(WIDTHS[one.rule.width], known, form)
    return None
