"""Selection formulas: how much a child is worth to the player who chooses among siblings.

Every formula returns its two terms apart: (value term, exploration term); the search takes the
argmax of their sum and the page prints the same two numbers. A formula works on scalars (in the
search, interpreted or compiled by numba) and on arrays (in a snapshot), and gives the same bits in
both, for it uses only operations that IEEE 754 rounds exactly; the one logarithm comes in from
outside (`log_visits`), always computed by `math.log`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from mcts_viz.errors import SearchError
from mcts_viz.types import Floats, Wholes

Term: TypeAlias = Any  # a float in a search, an array of them in a snapshot
ChildTerms: TypeAlias = Callable[[Term, Term, Term], tuple[Term, Term]]
ParentWeight: TypeAlias = Callable[[Term, Term, float], Term]
Exploration: TypeAlias = Callable[[Term, Term, Term, Term, float], Term]
UnvisitedWidth: TypeAlias = Callable[[Term], Term]


def weighted_width(weight: Term, width: Term, value: Term, squares: Term, c: float) -> Term:
    """weight × width."""
    return weight * width


def no_width(prior: Term) -> Term:
    """0: a child without visits has no exploration term of its own."""
    return 0.0


class SelectionFormula(NamedTuple):
    """score = value term + exploration term; unless it says otherwise, the exploration term is
    weight × width.

    The parts that a child and its parent bring along are apart, so that a search computes each once
    a visit and compares children by one multiplication and one addition.
    """

    # (value_sum, visits, prior) of a child -> (value term, width). value_sum is in the view of the
    # player who chooses; visits are at least 1
    child_terms: ChildTerms
    # (visits of the parent, their log, c) -> weight
    parent_weight: ParentWeight
    # (weight, width, value term, sum of the squares of the child's values, c) -> exploration term
    exploration: Exploration = weighted_width
    # prior of a child without visits -> its width, where such a child has a value (first-play
    # urgency) and so can be compared
    unvisited_width: UnvisitedWidth = no_width
    needs_squares: bool = False
    needs_priors: bool = False

    def __call__(
        self,
        value_sum: Term,
        visits: Term,
        parent_visits: Term,
        log_parent_visits: Term,
        prior: Term,
        c: float,
        squares: Term = 0.0,
    ) -> tuple[Term, Term]:
        """(value term, exploration term) of a child."""
        value, width = self.child_terms(value_sum, visits, prior)
        weight = self.parent_weight(parent_visits, log_parent_visits, c)
        return value, self.exploration(weight, width, value, squares, c)

    def unvisited(
        self, parent_visits: Term, log_parent_visits: Term, prior: Term, c: float, urgency: Term
    ) -> tuple[Term, Term]:
        """(value term, exploration term) of a child without visits whose first-play urgency is
        that value."""
        weight = self.parent_weight(parent_visits, log_parent_visits, c)
        width = self.unvisited_width(prior)
        return urgency, self.exploration(weight, width, urgency, 0.0, c)


def mean_and_root(value_sum: Term, visits: Term, prior: Term) -> tuple[Term, Term]:
    """q and 1/√n."""
    return value_sum / visits, 1.0 / np.sqrt(visits)


def mean_and_inverse(value_sum: Term, visits: Term, prior: Term) -> tuple[Term, Term]:
    """q and 1/n."""
    return value_sum / visits, 1.0 / visits


def mean_and_prior(value_sum: Term, visits: Term, prior: Term) -> tuple[Term, Term]:
    """q and P / (1 + n)."""
    return value_sum / visits, prior / (1.0 + visits)


def own_prior(prior: Term) -> Term:
    """P, which is P / (1 + n) at n = 0."""
    return prior * np.float64(1.0)


def root_of_log(parent_visits: Term, log_parent_visits: Term, c: float) -> Term:
    """c·√(ln N)."""
    return c * np.sqrt(log_parent_visits)


def root_of_double_log(parent_visits: Term, log_parent_visits: Term, c: float) -> Term:
    """c·√(2 ln N)."""
    return c * np.sqrt(2.0 * log_parent_visits)


def log_alone(parent_visits: Term, log_parent_visits: Term, c: float) -> Term:
    """ln N."""
    return log_parent_visits


def root_of_visits(parent_visits: Term, log_parent_visits: Term, c: float) -> Term:
    """c·√N."""
    return c * np.sqrt(1.0 * parent_visits)


def variance_bound(weight: Term, width: Term, value: Term, squares: Term, c: float) -> Term:
    """c·√(ln N / n · min(1/4, V)); V is the variance of the child's values plus √(2 ln N / n)."""
    rate = weight * width
    # rounding alone could make the variance negative
    variance = np.maximum(squares * width - value * value, 0.0) + np.sqrt(2.0 * rate)
    return c * np.sqrt(rate * np.minimum(0.25, variance))


SELECTION_FORMULAS: dict[str, SelectionFormula] = {
    # q + c·√(ln N / n): Auer, Cesa-Bianchi and Fischer 2002; UCT of Kocsis and Szepesvári 2006 with
    # c = √2
    "ucb1": SelectionFormula(mean_and_root, root_of_log),
    # q + c·√(2 ln N / n): ucb1 with √2·c, so that c = 1 is the formula of Auer et al.
    "ucb1_double_log": SelectionFormula(mean_and_root, root_of_double_log),
    # q + c·√(ln N / n · min(1/4, V)): Auer et al. 2002, UCB1-Tuned, with c = 1; 1/4 is the greatest
    # variance of values in [0, 1]
    "ucb1_tuned": SelectionFormula(mean_and_inverse, log_alone, variance_bound, needs_squares=True),
    # q + c·P·√N / (1 + n): Rosin 2011 in the form of AlphaGo Zero, Silver et al. 2017
    "puct": SelectionFormula(
        mean_and_prior, root_of_visits, unvisited_width=own_prior, needs_priors=True
    ),
}


def selection_formula(name: str) -> SelectionFormula:
    """The formula of that name; raises SearchError with the names there are."""
    if not isinstance(name, str) or name not in SELECTION_FORMULAS:
        raise SearchError(
            f"selection policy {name!r} is not known; choose one of: {', '.join(SELECTION_FORMULAS)}"
        )
    return SELECTION_FORMULAS[name]


def log_visits(visits: Wholes) -> Floats:
    """ln of each count, by `math.log` as in the search (numpy's own log may differ in the last
    bit); ln 0 is nan."""
    if visits.size == 0:
        return np.zeros(visits.shape)
    least, most = int(visits.min()), int(visits.max())
    if visits.ndim == 1 and least > 0 and bool((visits[1:] > visits[:-1]).all()):
        return _logs(visits.tolist())
    if least > 0 and most - least < 2 * visits.size:  # close together: no need to sort them
        place = (visits - least).astype(np.intp)
        logs = np.zeros(most - least + 1)
        logs[place] = 1.0
        there = np.flatnonzero(logs)  # of most trees the few nodes near the root have most counts
        logs[there] = _logs((there + least).tolist())
        return logs[place]
    distinct, where = np.unique(visits, return_inverse=True)
    return _logs(distinct.tolist())[where].reshape(visits.shape)


def _logs(counts: Sequence[int]) -> Floats:
    if len(counts) and counts[0] > 0:  # rising
        return np.fromiter(map(math.log, counts), np.float64, len(counts))
    return np.array([math.log(n) if n > 0 else math.nan for n in counts])
