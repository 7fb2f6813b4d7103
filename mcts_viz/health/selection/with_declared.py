"""A mistake that explains all choices with the c that a search declares, where the rule that it declares explains them
only with quite another c.

Values of which hardly anything is left leave the choices to visits, with the value where these are equal. So a plain
rule with a great c explains them as well, and nobody wrote that c.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.selection.fit import GREEDY_BELOW, Fit
from mcts_viz.health.selection.infer import GREAT, TIGHT, Inferred, infer, told_apart
from mcts_viz.health.selection.scores import PLAIN, QForm, Width

ROUNDED = 0.01  # part of c by which the one declared may be off: 1.4 is said for √2
FAR = 10.0  # times the declared c: nobody declares a c that is so far from the one in the code


class FormWithDeclared(NamedTuple):
    """A mistake in Q, and the rule that explains all choices by it."""

    form: QForm
    known: Inferred


def is_tight(one: Fit) -> bool:
    """Whether nearly one c explains the choices: a range that only the rule itself leaves over."""
    return bool(np.isfinite(one.high)) and one.high - one.low <= TIGHT * one.high


def explains_with(mistake: Fit, c: float, other: Fit) -> bool:
    """Whether a mistake explains the choices with the declared c, and another rule only with one that nobody wrote."""
    odd = other.high < GREEDY_BELOW or other.rule.words not in PLAIN
    # of what a search does that explores nothing, a mistake explains most, too
    odd &= mistake.share >= other.share
    return mistake.includes(c, ROUNDED) and (is_tight(mistake) or odd)


def form_with_declared(
    search: CheckedSearch, wrong: Sequence[QForm], widths: Sequence[Width], c: float, other: Fit
) -> FormWithDeclared | None:
    """widths: of the declared family; other: the rule that explains the choices with another c."""
    for form in wrong:
        known = infer(search, form.rows, widths, lambda one: one.includes(c, ROUNDED))
        if known is None or known.left_out or not told_apart(form.rows):
            continue
        if known.fit.low <= 0 or ("scaled" in form.words and "scaled" not in known.fit.rule.words):
            continue  # what is compared does not matter, or is not what is wrong
        if is_tight(known.fit) or _is_nobodys(search, c, other):
            return FormWithDeclared(form, known)
    return None


def _is_nobodys(search: CheckedSearch, c: float, other: Fit) -> bool:
    """Whether the other rule takes a c of any size from a great one on, which is not the one declared by far."""
    low, high = search.value_range
    return bool(np.isinf(other.high)) and other.low >= max(FAR * c, GREAT * (high - low))
