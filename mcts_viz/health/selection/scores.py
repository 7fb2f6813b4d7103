"""What a search may compare when it chooses among children: value terms, exploration terms, what a
child without visits counts as, and the usual mistakes in each.

A score is value + c × width. Every function here takes the compared children and gives a number for
each; which c fits the choices is for `fit` to find out. Knows no trace.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from mcts_viz.formulas.selection import SELECTION_FORMULAS, log_visits
from mcts_viz.health.checked_search import ComparedChildren, Extremes
from mcts_viz.types import Bools, Floats, Ints

PerChild = Callable[[ComparedChildren], Floats]  # [R] a number for each child compared
LOG_IN_PUCT = "selection-puct-log"  # half UCB1, half PUCT
PUCT_WITH_LOG = "PUCT with a logarithm"  # how the words of such rules begin


class Width(NamedTuple):
    """An exploration term without its weight c."""

    words: str
    of: PerChild
    at_zero: bool = False  # whether it is defined for a child without visits
    needs_priors: bool = False


class Urgency(NamedTuple):
    """What a child without visits counts as; `of` None: it comes before all others (+1) or after
    them (−1)."""

    words: str
    of: PerChild | None
    comes: int = 0
    check: str = ""  # of the finding, where it is a mistake
    loses: bool = False  # whether it is the least value there is


class Rule(NamedTuple):
    """A way to score children. `check` names the finding that it makes."""

    check: str
    words: str
    value: PerChild
    width: Width
    urgency: Urgency
    compares: Callable[[ComparedChildren], Bools] | None = None  # the children looked at; None: all
    ends_alone: bool = False  # a finished game competes by its outcome, without exploration


class QForm(NamedTuple):
    """A way to make Q, with choices whose sums and extremes are those of Q."""

    words: str
    rows: ComparedChildren
    check: str = "selection-reward"  # of the finding, where it is a mistake


# counts


def logs(counts: Any) -> Floats:
    """ln of each, 0 where there is nothing to take it of."""
    return np.nan_to_num(log_visits(np.maximum(counts, 1)))


def of_parent(rows: ComparedChildren) -> Any:
    """[R] visits of the parent."""
    return np.maximum(rows.parent_visits[rows.of], 0)


def of_children(rows: ComparedChildren) -> Any:
    """[R] visits of all siblings together."""
    return np.add.reduceat(rows.visits, rows.first)[rows.of]


def of_grandparent(rows: ComparedChildren) -> Any:
    """[R] visits of the parent's parent; of the root's own at the root."""
    return np.maximum(rows.grandparent_visits[rows.of], 0)


# value terms


def mean(rows: ComparedChildren) -> Floats:
    """q in the view of the player who chooses; 0 without visits."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(rows.visits > 0, rows.value_sum / rows.visits, 0.0)


def scaled_mean(rows: ComparedChildren) -> Floats:
    """q scaled to [0, 1] by the least and greatest mean of the tree so far (MuZero, Schrittwieser et
    al. 2020); 0 without visits."""
    return scaled(rows, mean(rows), Extremes.BUT_ROOT)


def scaled_mean_with_root(rows: ComparedChildren) -> Floats:
    """The same, with the root's mean among those of the tree, as in MuZero's pseudocode."""
    return scaled(rows, mean(rows), Extremes.ALL_NODES)


def scaled(rows: ComparedChildren, numbers: Floats, which: int) -> Floats:
    """[R] numbers scaled to [0, 1] by one of the `Extremes`; 0 without visits."""
    return np.where(rows.visits > 0, _scaled(rows, numbers, which), 0.0)


def _scaled(rows: ComparedChildren, numbers: Floats, which: int) -> Floats:
    low, high = rows.extremes.of(which)[rows.of].T
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(high > low, (numbers - low) / (high - low), numbers)


def cautious_mean(rows: ComparedChildren) -> Floats:
    """W / (1 + n), which is 0 without visits (Minigo)."""
    return np.asarray(rows.value_sum / (1.0 + rows.visits))


def scaled_sum(rows: ComparedChildren) -> Floats:
    """The sum, scaled among the siblings."""
    low = np.minimum.reduceat(rows.value_sum, rows.first)[rows.of]
    high = np.maximum.reduceat(rows.value_sum, rows.first)[rows.of]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(high > low, (rows.value_sum - low) / (high - low), 0.0)


def parent_mean(rows: ComparedChildren) -> Floats:
    """The parent's own mean in the view of the player who chooses."""
    return rows.parent_mean[rows.of]


# exploration terms


def prior(rows: ComparedChildren) -> Floats:
    """The prior P, equal for all children where none is recorded."""
    k = np.bincount(rows.of, minlength=len(rows.first))
    return np.where(np.isnan(rows.prior), 1.0 / k[rows.of], rows.prior)


def ucb1(counts: Callable[[ComparedChildren], Any], more: int = 0, below: int = 0) -> PerChild:
    """√(ln(N + more) / (n + below))."""
    return lambda rows: np.sqrt(logs(counts(rows) + more) / np.maximum(rows.visits + below, 1))


def puct(counts: Callable[[ComparedChildren], Any], more: int = 0) -> PerChild:
    """P·√(N + more) / (1 + n)."""
    return lambda rows: (
        prior(rows) * np.sqrt(np.maximum(counts(rows) + more, 0)) / (1.0 + rows.visits)
    )


def tuned(rows: ComparedChildren) -> Floats:
    """Exploration term of UCB1-Tuned with c = 1."""
    N, n = of_parent(rows), np.maximum(rows.visits, 1)
    formula = SELECTION_FORMULAS["ucb1_tuned"]
    _, width = formula(rows.value_sum, n, N, logs(N), rows.prior, 1.0, rows.squares)
    return np.asarray(width)


def tuned_with(variance: Callable[[Floats, Floats, Floats], Floats]) -> PerChild:
    """UCB1-Tuned with another V than the variance of the child's values and √(2 ln N / n), at most 1/4; variance: V of
    that variance, ln N and n."""

    def width(rows: ComparedChildren) -> Floats:
        n, log = np.maximum(rows.visits, 1), logs(of_parent(rows))
        varies = np.maximum(rows.squares / n - (rows.value_sum / n) ** 2, 0.0)
        return np.asarray(np.sqrt(log / n * np.maximum(variance(varies, log, n), 0.0)))

    return width


def _tuned_without_squares(rows: ComparedChildren) -> Floats:
    """UCB1-Tuned with values in place of their squares, right only where these are 0 or 1."""
    n, log = np.maximum(rows.visits, 1), logs(of_parent(rows))
    mean_value = rows.value_sum / n
    bound = mean_value - mean_value**2 + np.sqrt(2 * log / n)
    return np.asarray(np.sqrt(log / n * np.maximum(np.minimum(0.25, bound), 0.0)))


UCB1 = Width("UCB1", ucb1(of_parent))
UCB1_OF_CHILDREN = Width("UCB1 (N of all children)", ucb1(of_children))
DOUBLE_LOG = Width("UCB1 with 2 ln N", lambda rows: np.sqrt(2.0) * ucb1(of_parent)(rows))
PUCT = Width("PUCT", puct(of_parent), True, True)
PUCT_OF_CHILDREN = Width("PUCT (N of all children)", puct(of_children), True, True)
WIDTHS = (
    UCB1,
    PUCT,
    PUCT_OF_CHILDREN,
    Width("PUCT (N of all children, and 1)", puct(of_children, 1), True, True),
    Width("PUCT (N counting the present visit)", puct(of_parent, 1), True, True),
    Width("PUCT (N without the parent's own visit)", puct(of_parent, -1), True, True),
    Width("UCB1-Tuned", tuned),
    Width("UCB1 (N counting the present visit)", ucb1(of_parent, 1)),
    UCB1_OF_CHILDREN,
    Width("UCB1 (N of all children, and 1)", ucb1(of_children, 1)),
    Width("UCB1 (n at least 1)", ucb1(of_parent), True),
    Width("UCB1 (N + 1, n at least 1)", ucb1(of_parent, 1), True),
    Width("UCB1 (n + 1)", ucb1(of_parent, 0, 1), True),
    Width("UCB1 (N + 1, n + 1)", ucb1(of_parent, 1, 1), True),
    Width("UCB1 (N of all children, n + 1)", ucb1(of_children, 0, 1), True),
    Width("UCB1 (N of all children and 1, n + 1)", ucb1(of_children, 1, 1), True),
    Width(
        PUCT_WITH_LOG,
        lambda rows: prior(rows) * np.sqrt(logs(of_parent(rows)) / (1.0 + rows.visits)),
        True, True,
    ),
    Width(
        "PUCT (n at least 1)",
        lambda rows: prior(rows) * np.sqrt(of_parent(rows)) / np.maximum(rows.visits, 1), True, True,
    ),
    Width(
        "√N / (1 + n), without the priors",
        lambda rows: np.sqrt(of_parent(rows)) / (1.0 + rows.visits), True, True,
    ),
    Width(
        f"{PUCT_WITH_LOG} (n alone)",
        lambda rows: prior(rows) * ucb1(of_parent)(rows), False, True,
    ),
    Width(
        "PUCT (n alone)",
        lambda rows: prior(rows) * np.sqrt(of_parent(rows)) / np.maximum(rows.visits, 1), False, True,
    ),
    Width(
        "PUCT (N of all children, n alone)",
        lambda rows: prior(rows) * np.sqrt(of_children(rows)) / np.maximum(rows.visits, 1), False, True,
    ),
)  # fmt: skip
PLAIN = ("UCB1", "PUCT", "PUCT (N of all children)", "UCB1-Tuned")


# children without visits


def constant(number: float) -> PerChild:
    return lambda rows: np.full(len(rows.of), number)


def prior_of_none(rows: ComparedChildren) -> Floats:
    """The prior that each child would have if all were equal."""
    return np.asarray(1.0 / np.bincount(rows.of)[rows.of])


def visited_prior(rows: ComparedChildren) -> Floats:
    """[R] the priors of the visited siblings together."""
    there = np.where(rows.visits > 0, prior(rows), 0.0)
    return np.add.reduceat(there, rows.first)[rows.of]


def siblings_mean(rows: ComparedChildren) -> Floats:
    """[R] mean of all visits of the siblings together, 0 without any."""
    visits = np.add.reduceat(rows.visits, rows.first)
    total = np.add.reduceat(rows.value_sum, rows.first)
    return (total / np.maximum(visits, 1))[rows.of]


FIRST = Urgency("", None, 1)
PARENT = Urgency("children without visits count as their parent", parent_mean)
SIBLINGS = Urgency("children without visits count as the mean of those with visits", siblings_mean)


def scaled_parents() -> tuple[Urgency, ...]:
    """The parent's mean, scaled as those of its children are: by each of the `Extremes` of means."""
    words = PARENT.words + ", whose mean is scaled as theirs are"
    return (
        Urgency(words, lambda rows: _scaled(rows, parent_mean(rows), Extremes.BUT_ROOT)),
        Urgency(words, lambda rows: _scaled(rows, parent_mean(rows), Extremes.ALL_NODES)),
    )


def urgencies(low: float, high: float) -> tuple[Urgency, ...]:
    """Those that are tried; low, high: the range of values."""
    zero = Urgency("", constant(0.0), loses=low >= 0.0)
    others = (
        Urgency("children without visits count as a loss", constant(low), loses=True),
        Urgency("children without visits count as a win", constant(high)),
        Urgency("children without visits count as the middle", constant((low + high) / 2)),
        SIBLINGS,
    )
    return (FIRST, zero, PARENT, *others)


# mistakes: (check, words, value term, exploration term or None for those of correct rules)


class Mistake(NamedTuple):
    check: str
    words: str
    value: PerChild = mean
    width: PerChild | None = None  # None: that of a correct rule
    at_zero: bool = False  # whether that term is defined for a child without visits
    needs_priors: bool = False  # whether it is another rule where priors are equal
    two_players: bool = False  # no mistake where one plays
    compares: Callable[[ComparedChildren], Bools] | None = None
    without_priors: bool = False  # a rule without any, whose children without visits may count 0


def _frozen_count(rows: ComparedChildren) -> Any:
    """The visits that the parent had when its last child was made: one for each child."""
    return np.bincount(rows.of, minlength=len(rows.first))[rows.of]


def _first_count(rows: ComparedChildren) -> Any:
    """The visits that the parent had when each child was first compared with others."""
    first = np.full(int(rows.node.max(initial=0)) + 1, np.iinfo(np.int64).max)
    np.minimum.at(first, rows.node, of_parent(rows))
    return first[rows.node]


def count_since_visit(rows: ComparedChildren) -> Ints:
    """The visits that the parent had when each child was first compared after its own last visit."""
    n = int(rows.visits.max(initial=0)) + 1
    _, which = np.unique(rows.node.astype(np.int64) * n + rows.visits, return_inverse=True)
    first = np.full(int(which.max(initial=0)) + 1, np.iinfo(np.int64).max)
    np.minimum.at(first, which, of_parent(rows))
    return np.asarray(first[which])


def _count_at_visit(less: int) -> Callable[[ComparedChildren], Ints]:
    """The visits that the parent had after each child's last visit, less some. A child with one visit had it when it
    was made; any other was chosen at its last visit, which counted once until it was compared again."""

    def count(rows: ComparedChildren) -> Ints:
        at_first = _count_when_made(rows) + 1
        return np.asarray(np.where(rows.visits > 1, count_since_visit(rows), at_first) - less)

    return count


def _floor_log(times: float) -> PerChild:
    return lambda rows: np.sqrt(
        np.floor(times * logs(of_parent(rows)) / np.maximum(rows.visits, 1)) / times
    )


def _count_when_made(rows: ComparedChildren) -> Any:
    """The visits that the parent had when each child was made, where it gets a child a visit: a node but the root was
    visited once before its first one."""
    return rows.place + (rows.depth > 0)[rows.of]


def _of_root(rows: ComparedChildren) -> Ints:
    return rows.root_visits[rows.of]


# never right, but met with where values are compared in the wrong view, too
UCB1_OF_ROOT = Width("UCB1, the logarithm that of the root's visits", ucb1(_of_root))


def _prior_at(
    place_of: Callable[[Ints, Ints], Ints],
) -> Callable[[ComparedChildren, PerChild], Floats]:
    """PUCT's term with the prior of another child: of which place, from a child's own and the number of siblings."""

    def term(rows: ComparedChildren, above: PerChild) -> Floats:
        k = np.bincount(rows.of, minlength=len(rows.first))[rows.of]
        first = rows.first[rows.of]
        other = first + place_of(np.arange(len(rows.of)) - first, k)
        return np.asarray(prior(rows)[other] * np.sqrt(above(rows)) / (1.0 + rows.visits))

    return term


def _published(rows: ComparedChildren) -> Floats:
    """[R] by how much MuZero's published c, 1.25 + ln((N + 19,653) / 19,652), has grown."""
    return np.asarray(1.0 + np.log((of_parent(rows) + 19_653.0) / 19_652.0) / 1.25)


def _no_exploration(rows: ComparedChildren) -> Floats:
    return np.zeros(len(rows.of))


def _own(rows: ComparedChildren) -> Ints:
    return rows.visits


def _of_either(
    check: str,
    words: str,
    width: Callable[[ComparedChildren, PerChild], Floats],
    needs_priors: bool = False,
    value: PerChild = mean,
) -> tuple[Mistake, Mistake]:
    """A mistake in the term of PUCT, or beside it, with N of the parent and with that of all its children."""
    return (
        Mistake(check, words, value, width=lambda r: width(r, of_parent), at_zero=True, needs_priors=needs_priors),
        Mistake(
            check, f"{words}, N of all children", value, width=lambda r: width(r, of_children), at_zero=True,
            needs_priors=needs_priors,
        ),
    )  # fmt: skip


MISTAKES = (
    Mistake(
        "selection-argmin",
        "the child with the least score is taken",
        lambda r: -mean(r),
        lambda r: -ucb1(of_parent)(r),
    ),
    Mistake(
        "selection-argmin",
        "the child with the least PUCT score is taken",
        lambda r: -mean(r),
        lambda r: -puct(of_parent)(r),
        at_zero=True,
    ),
    Mistake(
        "selection-argmin",
        "the child with the least PUCT score is taken, N of all children",
        lambda r: -mean(r),
        lambda r: -puct(of_children)(r),
        at_zero=True,
    ),
    Mistake(
        "selection-sum",
        "the value sum is compared in place of the mean",
        lambda r: np.asarray(r.value_sum),
    ),
    Mistake(
        "selection-sum",
        "the value sum, scaled among the siblings, is compared in place of the mean",
        scaled_sum,
    ),
    Mistake(
        "selection-minus",
        "the exploration term is taken off the value, not added",
        width=lambda r: -ucb1(of_parent)(r),
    ),
    Mistake(
        "selection-minus",
        "the exploration term of PUCT is taken off the value, not added",
        width=lambda r: -puct(of_parent)(r),
        at_zero=True,
    ),
    Mistake(
        "selection-wrong-view",
        "the child is taken that is best for the opponent of the player who chooses",
        lambda r: -mean(r),
    ),
    Mistake(
        "selection-one-view",
        "both players choose what is best for player 0",
        lambda r: np.where(r.chooser == 0, 1, -1) * mean(r),
        two_players=True,
    ),
    Mistake(
        "selection-one-view",
        "both players choose what is best for player 1",
        lambda r: np.where(r.chooser == 1, 1, -1) * mean(r),
        two_players=True,
    ),
    Mistake(
        "selection-wrong-view",
        "whose choice it is goes by the depth of the node, though a player may move twice",
        lambda r: (
            np.where(r.chooser == r.chooser[0] ^ ((r.depth - r.depth[0]) % 2)[r.of], 1, -1)
            * mean(r)
        ),
        two_players=True,
    ),
    Mistake(
        "selection-root-log",
        "the logarithm is that of the root's visits, not of the parent's",
        width=ucb1(_of_root),
    ),
    Mistake(
        "selection-root-log",
        "N under the root is the visits of the tree's root, not of the parent",
        width=puct(_of_root),
        at_zero=True,
    ),
    Mistake(
        "selection-parent-log",
        "N is the visits of the grandparent, one step up the path, not of the parent",
        width=ucb1(of_grandparent),
    ),
    Mistake(
        "selection-parent-log",
        "N under the root is the visits of the grandparent, one step up the path, not of the parent",
        width=puct(of_grandparent),
        at_zero=True,
    ),
    Mistake(
        "selection-child-log",
        "the logarithm is that of the child's own visits, not of the parent's",
        width=ucb1(_own),
    ),
    Mistake(
        "selection-child-log",
        "the logarithm is that of the child's own visits and 1, not of the parent's",
        width=ucb1(_own, 1),
    ),
    *_of_either(
        "selection-child-log",
        "N under the root is the child's own visits, not the parent's, where the child has any",
        lambda r, above: (
            prior(r) * np.sqrt(np.where(r.visits > 0, r.visits, above(r))) / (1.0 + r.visits)
        ),
        needs_priors=True,
    ),
    Mistake(
        "selection-child-log",
        "N under the root is the child's own visits, not the parent's",
        width=puct(_own),
        at_zero=True,
    ),
    Mistake(
        "selection-child-log",
        "N under the root is the child's own visits and 1, not the parent's",
        width=puct(_own, 1),
        at_zero=True,
    ),
    Mistake(
        "selection-stale-log",
        "the logarithm is that of the visits the parent had when its last child was made",
        width=ucb1(_frozen_count),
    ),
    Mistake(
        "selection-stale-log",
        "the logarithm is that of the visits the parent had when each child was first compared",
        width=ucb1(_first_count),
    ),
    Mistake(
        "selection-stale-log",
        "the logarithm is that of the visits the parent had when each child was made",
        width=ucb1(_count_when_made),
    ),
    Mistake(
        "selection-stale-log",
        "the logarithm is that of the visits the parent had when each child was made, and 1",
        width=ucb1(_count_when_made, 1),
    ),
    Mistake(
        "selection-stale-log",
        "each child's score is kept until it is visited again: the logarithm is that of the visits the parent had when "
        "the child was first compared after its last visit",
        width=ucb1(count_since_visit),
    ),
    Mistake(
        "selection-stale-log",
        "each child's score is kept in the child from its last visit on, where back-up computes it: the logarithm is "
        "that of the visits the parent had then, and siblings that were not visited keep an old score",
        width=ucb1(_count_at_visit(0)),
    ),
    Mistake(
        "selection-stale-log",
        "each child's score is kept in the child from its last visit on, where back-up computes it before it counts "
        "the parent's visit: the logarithm is that of the visits the parent had then, and siblings that were not "
        "visited keep an old score",
        width=ucb1(_count_at_visit(1)),
    ),
    Mistake(
        "selection-swapped",
        "N and n stand in each other's place: the exploration term is √(ln n / N)",
        width=lambda r: np.sqrt(logs(r.visits) / np.maximum(of_parent(r), 1)),
    ),
    Mistake(
        "selection-swapped",
        "N and n stand in each other's place: the exploration term is √(ln(n + 1) / N)",
        width=lambda r: np.sqrt(logs(r.visits + 1) / np.maximum(of_parent(r), 1)),
    ),
    Mistake(
        "selection-swapped",
        "N and n stand in each other's place: the exploration term is P·√n / (1 + N)",
        width=lambda r: prior(r) * np.sqrt(r.visits) / (1.0 + of_parent(r)),
        at_zero=True,
    ),
    *(
        each
        for words, place_of in (
            ("the prior is that of the next child", lambda place, k: (place + 1) % k),
            ("the prior is that of the child before", lambda place, k: (place - 1) % k),
            (
                "the priors are in the opposite order of the children",
                lambda place, k: k - 1 - place,
            ),
            ("every child counts with the prior of the first one", lambda place, k: 0 * place),
        )
        for each in _of_either("selection-other-prior", words, _prior_at(place_of))
    ),
    *_of_either(
        "selection-prior-in-value",
        "the prior is added to the value, and not a factor of the exploration term: q + P + c·√N / (1 + n)",
        lambda r, above: np.sqrt(above(r)) / (1.0 + r.visits),
        needs_priors=True,
        value=lambda r: mean(r) + prior(r),
    ),
    *_of_either(
        "selection-prior-in-value",
        "the prior is added to the scaled Q, too: q + P + c·P·√N / (1 + n)",
        lambda r, above: _published(r) * prior(r) * np.sqrt(above(r)) / (1.0 + r.visits),
        needs_priors=True,
        value=lambda r: scaled_mean_with_root(r) + prior(r),
    ),
    Mistake(
        "selection-product",
        "value and exploration term are multiplied, not added",
        lambda r: mean(r) * ucb1(of_parent)(r),
        _no_exploration,
    ),
    Mistake(
        "selection-product",
        "value and exploration term of PUCT are multiplied, not added",
        lambda r: mean(r) * puct(of_parent)(r),
        _no_exploration,
        at_zero=True,
    ),
    Mistake(
        "selection-sign-lost",
        "the sign of the value is lost: |q| is compared",
        lambda r: np.abs(mean(r)),
    ),
    Mistake(
        "selection-no-root",
        "the exploration term is ln N / n, without its square root",
        width=lambda r: ucb1(of_parent)(r) ** 2,
    ),
    Mistake(
        "selection-root-of-log",
        "the exploration term is √(ln N) / n: the square root does not reach n",
        width=lambda r: np.sqrt(logs(of_parent(r))) / np.maximum(r.visits, 1),
    ),
    *(
        Mistake("selection-variance", f"of UCB1-Tuned, {words}", width=tuned_with(variance))
        for words, variance in (
            (
                "min(1/4, V) stands beside the square root and not below it",
                lambda v, log, n: np.minimum(0.25, v + np.sqrt(2 * log / n)) ** 2,
            ),
            (
                "√(2 ln N) / n is added to the variance: the square root does not reach n",
                lambda v, log, n: np.minimum(0.25, v + np.sqrt(2 * log) / n),
            ),
            (
                "√(ln N / n) is added to the variance, without the 2",
                lambda v, log, n: np.minimum(0.25, v + np.sqrt(log / n)),
            ),
            ("nothing is added to the variance", lambda v, log, n: np.minimum(0.25, v)),
            (
                "the variance and √(2 ln N / n) are not kept to 1/4 at most",
                lambda v, log, n: v + np.sqrt(2 * log / n),
            ),
            (
                "the greater one of 1/4 and the variance is taken, not the least",
                lambda v, log, n: np.maximum(0.25, v + np.sqrt(2 * log / n)),
            ),
            (
                "the standard deviation stands in place of the variance",
                lambda v, log, n: np.minimum(0.25, np.sqrt(v) + np.sqrt(2 * log / n)),
            ),
        )
    ),
    Mistake(
        "selection-variance",
        "of UCB1-Tuned, values are summed up in place of their squares: the variance is q − q²",
        width=_tuned_without_squares,
    ),
    Mistake(
        "selection-no-log",
        "the exploration term is √(N / n), without the logarithm",
        width=lambda r: np.sqrt(of_parent(r) / np.maximum(r.visits, 1)),
    ),
    Mistake(
        "selection-no-log",
        "the exploration term is √N / n, without the logarithm: the square root does not reach n",
        width=lambda r: np.sqrt(of_parent(r)) / np.maximum(r.visits, 1),
    ),
    Mistake(
        "selection-integer-log",
        "ln N is rounded down to a whole number",
        width=lambda r: np.sqrt(np.floor(logs(of_parent(r))) / np.maximum(r.visits, 1)),
    ),
    Mistake(
        "selection-integer-log",
        "ln N / n is rounded down to a whole number before its root is taken",
        width=_floor_log(1.0),
    ),
    Mistake(
        "selection-integer-log",
        "2 ln N / n is rounded down to a whole number before its root is taken",
        width=_floor_log(2.0),
    ),
    Mistake(
        "selection-no-root",
        "the exploration term is P·N / (1 + n), without its square root",
        width=lambda r: prior(r) * of_parent(r) / (1.0 + r.visits),
        at_zero=True,
    ),
    Mistake(
        "selection-no-root",
        "the exploration term is P·N / (1 + n) with N of all children, without its square root",
        width=lambda r: prior(r) * of_children(r) / (1.0 + r.visits),
        at_zero=True,
    ),
    *_of_either(
        "selection-no-root",
        "the square root reaches 1 + n, too: P·√(N / (1 + n))",
        lambda r, above: prior(r) * np.sqrt(above(r) / (1.0 + r.visits)),
        needs_priors=True,
    ),
    *(
        mistake
        for more, of_log in ((0, "ln N"), (1, "ln(N + 1)"))
        for mistake in _of_either(
            LOG_IN_PUCT,
            f"PUCT with UCB1's logarithm in place of N: P·√({of_log}) / (1 + n)",
            lambda r, above, more=more: (  # type: ignore[misc]
                prior(r) * np.sqrt(logs(above(r) + more)) / (1.0 + r.visits)
            ),
            needs_priors=True,
        )
    ),
    *_of_either(
        "selection-other-prior",
        "every child counts with the same prior, 1 / the number of children, and the priors are not used",
        lambda r, above: prior_of_none(r) * np.sqrt(above(r)) / (1.0 + r.visits),
    ),
    *_of_either(
        "selection-other-prior",
        "the prior is left out of the exploration term where the child has visits: √N / (1 + n)",
        lambda r, above: (
            np.where(r.visits > 0, 1.0, prior(r)) * np.sqrt(above(r)) / (1.0 + r.visits)
        ),
        needs_priors=True,
    ),
    *_of_either(
        "selection-no-visits",
        "the exploration term is divided by the parent's visits, not by the child's: P·√N / (1 + N)",
        lambda r, above: prior(r) * np.sqrt(above(r)) / (1.0 + above(r)),
        needs_priors=True,
    ),
    Mistake(
        "selection-no-visits",
        "the exploration term does not fall with the child's visits: P·√N, without 1 + n",
        width=lambda r: prior(r) * np.sqrt(of_parent(r)),
        at_zero=True,
    ),
    Mistake(
        "selection-no-visits",
        "the exploration term does not fall with the child's visits: P·√N with N of all children, without 1 + n",
        width=lambda r: prior(r) * np.sqrt(of_children(r)),
        at_zero=True,
    ),
    *_of_either(
        "selection-no-visits",
        "there are no brackets around 1 + n: c·P·√N / 1 + n is (c·P·√N / 1) + n, so that a child's own visits are "
        "added to its score, and the one that was taken once is taken again and again",
        lambda r, above: prior(r) * np.sqrt(above(r)),
        needs_priors=True,
        value=lambda r: mean(r) + r.visits,
    ),
    Mistake(
        "selection-no-visits",
        "there are no brackets around 1 + n: √(ln N / 1 + n) is √((ln N / 1) + n), so that the exploration term grows "
        "with the child's own visits",
        width=lambda r: np.sqrt(logs(of_parent(r)) + r.visits),
        at_zero=True,
        without_priors=True,
    ),
    Mistake(
        "selection-integer-mean",
        "the mean value is rounded down to a whole number",
        lambda r: np.floor(mean(r)),
    ),
    Mistake(
        "selection-integer-mean",
        "the mean value loses its fraction",
        lambda r: np.trunc(mean(r)),
    ),
    Mistake(
        "selection-parent-mean",
        "the value sum is divided by the parent's visits, not by the child's own",
        lambda r: r.value_sum / np.maximum(of_parent(r), 1),
    ),
    Mistake(
        "selection-no-value",
        "the value is not in the score: only the exploration term is compared",
        constant(0.0),
    ),
    Mistake(
        "selection-ignored-child",
        "the youngest child is never looked at",
        compares=lambda r: ~r.is_last,
    ),
    Mistake(
        "selection-ignored-child",
        "the oldest child is never looked at",
        compares=lambda r: r.place > 0,
    ),
)


# rules without values, which come last: a child that another mistake prefers is the most visited one, too
FIXED = (
    Mistake(
        "selection-fixed",
        "the same child is taken again and again, whatever the values: the first one, or the most visited one, which "
        "is then the same",
        lambda r: -r.place.astype(np.float64),
        _no_exploration,
    ),
    Mistake(
        "selection-fixed",
        "the last child is always taken, whatever the values",
        lambda r: r.place.astype(np.float64),
        _no_exploration,
    ),
    Mistake(
        "selection-fixed",
        "the most visited child is always taken, whatever the values",
        lambda r: r.visits.astype(np.float64),
        _no_exploration,
    ),
)


def _for_one(player: int, term: PerChild) -> PerChild:
    """A term that counts the wrong way round where that player chooses."""
    return lambda rows: np.where(rows.chooser == player, -1.0, 1.0) * term(rows)


def mistakes_of_one_side() -> Iterator[Mistake]:
    """What goes wrong where one side is taken to minimise."""
    for player, name in enumerate(("first", "second")):
        where = f"where the {name} player is to choose"
        for words, term, at_zero in (
            ("", ucb1(of_parent), False),
            (" of PUCT", puct(of_parent), True),
            (" of PUCT (N of all children)", puct(of_children), True),
        ):
            wrong = _for_one(player, term)
            yield Mistake(
                "selection-minus",
                f"{where}, the exploration term{words} is taken off the value, not added: as where the least of value "
                "and exploration together is taken",
                mean, wrong, at_zero, two_players=True,
            )  # fmt: skip
            yield Mistake(
                "selection-argmin",
                f"{where}, the child with the least score{words} is taken",
                _for_one(player, mean), wrong, at_zero, two_players=True,
            )  # fmt: skip
