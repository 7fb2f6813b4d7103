"""Which rule the search selects by, inferred from its choices.

That a child was taken among siblings is one linear inequality in c for each sibling, for any rule
whose score is value + c × width: the choice holds for an interval of c. Where all intervals meet,
that rule explains every choice; else the c that explains most is told, and the usual mistakes are
tried.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from mcts_viz.analysis.health.catalogue import found
from mcts_viz.analysis.health.choice_rules import MISTAKES, RULES, ChoiceRule, logs
from mcts_viz.analysis.health.course import Comparisons, Course, Floats, Ints
from mcts_viz.analysis.health.finding import Finding
from mcts_viz.formulas.selection import SELECTION_FORMULAS, SelectionFormula
from mcts_viz.trace.snapshot import proven_scores

FEW_CHOICES = 30  # too few to tell rules apart
LOOKED_AT = 100_000  # choices by which mistakes are told apart
NAMED_FROM = 0.98  # share of choices that a mistake must explain to be named
GREEDY_BELOW = 1e-3  # c
OTHER_RULES = 0.95  # share below which other rules are tried


class Explained(NamedTuple):
    """How well a rule explains C choices."""

    rule: ChoiceRule
    low: float  # c that explain all, or as many as possible
    high: float
    share: float  # of the choices, in [0, 1]
    n: int  # C
    first_bad: tuple[int, int] | None  # iteration and parent of the first choice not explained


def check_selection(course: Course) -> Iterator[Finding]:
    """Findings about selection."""
    foreign = str(course.policy("selection").get("name", ""))
    if foreign and foreign not in SELECTION_FORMULAS:
        yield found(
            "selection-rule", None, None,
            f"the search says that it selects by {foreign}, a rule that is not known here: its choices "
            "were not compared",
            rule=foreign,
        )  # fmt: skip
        return
    yield from _untried(course)
    own = declared_rule(course)
    best = None if own is None else explain(course, [own])[0]
    if own is not None and best is not None and best.n:
        c = float(course.policy("selection").get("c", 0.0))
        if best.share == 1.0 and _inside(c, best):
            yield _rule_found(course, best, f"; declared is {c:.6g}")
            return
    likely = explain(course, RULES[: 3 if _has_priors(course) else 1])
    if not likely[0].n:
        return
    whole = _whole(likely)
    if whole is None:
        likely += explain(course, [r for r in RULES if r not in [one.rule for one in likely]])
        whole = _whole(likely)
    if own is not None and best is not None:
        yield from _not_declared(course, best, whole)
        if best.share == 1.0:
            return
    if whole is not None:
        yield _rule_found(course, whole)
        yield from _greedy(course, whole)
        return
    doubted = [one for one in likely if one.share < 1.0]
    yield from _mistake(course, max(doubted, key=lambda one: one.share))


def _whole(likely: list[Explained]) -> Explained | None:
    """The first that explains every choice. Without exploration rules differ only in what they say
    of children without visits; then only the first, UCB1, is believed."""
    whole = (one for one in likely if one.share == 1.0)
    return next((one for one in whole if one.high >= GREEDY_BELOW or one is likely[0]), None)


def declared_rule(course: Course) -> ChoiceRule | None:
    """The rule that the trace says its search used; None where it says none that is known, or where
    its numbers are not in the trace."""
    policy = course.policy("selection")
    formula = SELECTION_FORMULAS.get(policy.get("name", ""))
    whole = course.base or course.meta.get("inherited")
    if formula is None or (formula.needs_squares and whole):
        return None
    urgency = policy.get("unvisited")
    number = float(urgency) if isinstance(urgency, (int, float)) else None

    def terms(rows: Comparisons) -> tuple[Floats, Floats]:
        return _formula_terms(formula, number, rows)

    return ChoiceRule("selection-rule", _words(policy["name"]), terms, urgency=number)


def _words(name: str) -> str:
    return {
        "ucb1": "UCB1", "ucb1_double_log": "UCB1 with 2 ln N", "ucb1_tuned": "UCB1-Tuned",
        "puct": "PUCT",
    }.get(name, name)  # fmt: skip


def _formula_terms(
    formula: SelectionFormula, urgency: float | None, rows: Comparisons
) -> tuple[Floats, Floats]:
    N, n = rows.parent_visits[rows.of], np.maximum(rows.visits, 1)
    value, width = formula(rows.value_sum, n, N, logs(N), rows.prior, 1.0, rows.squares)
    if urgency is not None:
        first, wide = formula.unvisited(N, logs(N), rows.prior, 1.0, urgency)
        value = np.where(rows.visits > 0, value, first)
        width = np.where(rows.visits > 0, width, wide)
    return np.asarray(value), np.asarray(width)


# intervals of c


def explain(
    course: Course, rules: Iterable[ChoiceRule], at_most: int | None = None
) -> list[Explained]:
    """How well each rule explains the choices, or about `at_most` of them."""
    rules = list(rules)
    intervals: list[list[tuple[Floats, Floats]]] = [[] for _ in rules]
    places: list[tuple[Ints, Ints]] = []
    for rows in course.comparisons(at_most):
        places.append((rows.iteration, rows.parent))
        for rule, of_rule in zip(rules, intervals):
            of_rule.append(interval(course, rule, rows))
    if not places:
        return [Explained(rule, 0.0, np.inf, 1.0, 0, None) for rule in rules]
    iteration, parent = (np.concatenate(column) for column in zip(*places))
    result = []
    for rule, of_rule in zip(rules, intervals):
        low, high = (np.concatenate(bound) for bound in zip(*of_rule))
        best_low, best_high, n = most_overlap(low, high)
        bad = np.flatnonzero((low > best_high) | (high < best_low))
        first = (int(iteration[bad[0]]), int(parent[bad[0]])) if len(bad) else None
        result.append(Explained(rule, best_low, best_high, n / len(low), len(low), first))
    return result


def interval(course: Course, rule: ChoiceRule, rows: Comparisons) -> tuple[Floats, Floats]:
    """(low, high) of the c from 0 up for which each choice takes the best child; low > high where
    there is none."""
    value, width = (np.array(term, np.float64) for term in rule.terms(rows))
    unvisited = rows.visits == 0
    known = ~np.isnan(rows.proven)
    if known.any():
        value[known] = proven_scores(
            course.meta, rows.proven[known].astype(np.float32), rows.chooser[known].astype(np.int8)
        )
        width[known], unvisited = 0.0, unvisited & ~known
    if rule.ends_alone:
        width[course.ended[rows.node] & (rows.visits > 0)] = 0.0
    of, chosen = rows.of, rows.chosen
    compared = np.ones(len(of), np.bool_)
    if rule.looks_at is not None:
        compared = rule.looks_at(rows)
    fits = compared[chosen]
    if rule.urgency is None:  # a child without visits comes before all others
        any_unvisited = np.bincount(of[unvisited & compared], minlength=len(chosen)) > 0
        fits &= ~any_unvisited | unvisited[chosen]
        compared &= ~any_unvisited[of]
    elif np.isneginf(rule.urgency):
        any_visited = np.bincount(of[~unvisited], minlength=len(chosen)) > 0
        fits &= ~any_visited | ~unvisited[chosen]
        compared &= ~unvisited
    gain = value[chosen][of] - value  # of the child taken
    more = width[chosen][of] - width
    slack = course.tolerance + 1e-12 * (np.abs(value) + np.abs(value[chosen][of]))
    flat = np.abs(more) <= 1e-13 * (np.abs(width) + np.abs(width[chosen][of])) + 1e-300
    with np.errstate(divide="ignore", invalid="ignore"):
        bound = -gain / more
        room = np.abs(slack / more) + 1e-9 * np.abs(bound)
        low = np.where(compared & ~flat & (more > 0), bound - room, 0.0)
        high = np.where(compared & ~flat & (more < 0), bound + room, np.inf)
    lost = compared & flat & (gain < -slack)
    low, high = np.maximum.reduceat(low, rows.first), np.minimum.reduceat(high, rows.first)
    low = np.maximum(low, 0.0)
    fits &= np.bincount(of[lost], minlength=len(chosen)) == 0
    return np.where(fits, low, np.inf), np.where(fits, high, -np.inf)


def most_overlap(low: Floats, high: Floats) -> tuple[float, float, int]:
    """The numbers that lie in as many of the intervals as possible, and in how many they lie; of
    several such stretches the first."""
    if np.max(low) <= np.min(high):
        return float(np.max(low)), float(np.min(high)), len(low)
    real = low <= high
    begins, ends = np.sort(low[real]), np.sort(high[real])
    if not len(begins):
        return 0.0, 0.0, 0
    inside = np.arange(1, len(begins) + 1) - np.searchsorted(ends, begins, side="left")
    best = int(inside.argmax())
    at = float(begins[best])
    return at, float(ends[np.searchsorted(ends, at, side="left")]), int(inside[best])


# what to say


def _inside(c: float, found_: Explained) -> bool:
    slack = 1e-6 * max(1.0, abs(c))
    return found_.low - slack <= c <= found_.high + slack


def _range(one: Explained) -> str:
    if np.isinf(one.high):
        return f"c ≥ {one.low:.4g}" if one.low > 0 else "any c"
    return f"c in [{one.low:.4g}, {one.high:.4g}]"


def _numbers(one: Explained) -> dict[str, Any]:
    high = None if np.isinf(one.high) else one.high
    return {"rule": one.rule.words, "c_low": one.low, "c_high": high, "share": one.share,
            "choices": one.n}  # fmt: skip


def _rule_found(course: Course, one: Explained, more: str = "") -> Finding:
    text = f"{one.rule.words} with {_range(one)} explains all {one.n:,} choices{more}"
    return found("selection-rule", None, None, text, **_numbers(one))


def _greedy(course: Course, one: Explained) -> Iterator[Finding]:
    if one.high < GREEDY_BELOW and one.n >= FEW_CHOICES:
        yield found(
            "selection-greedy", None, None,
            f"nothing is explored: only c below {one.high:.2g} explains the {one.n:,} choices",
            **_numbers(one),
        )  # fmt: skip


def _has_priors(course: Course) -> bool:
    return not bool(np.isnan(course.trace.columns.prior[1:]).all())


def _not_declared(course: Course, own: Explained, whole: Explained | None) -> Iterator[Finding]:
    c = float(course.policy("selection").get("c", 0.0))
    if own.share == 1.0:
        text = f"{_range(own)} explains all {own.n:,} choices, and declared is c = {c:.6g}"
        yield found("selection-not-declared", None, None, text, **_numbers(own))
    elif whole is not None:
        text = (
            f"declared is {own.rule.words}, which explains {own.share:.0%} of {own.n:,} choices at "
            f"best; {whole.rule.words} with {_range(whole)} explains all"
        )
        t, node = own.first_bad or (None, None)
        yield found("selection-not-declared", t, node, text, **_numbers(own))


def _mistake(course: Course, legit: Explained) -> Iterator[Finding]:
    """The mistake that fits, else how much is not explained."""
    tried = explain(course, MISTAKES, LOOKED_AT)
    best = max(tried, key=lambda one: one.share)
    t, node = legit.first_bad or (None, None)
    missed = f"no c explains {1 - legit.share:.0%} of {legit.n:,} choices by {legit.rule.words}"
    if best.n >= FEW_CHOICES and best.share >= NAMED_FROM and best.share > legit.share:
        yield found(
            best.rule.check, t, node,
            f"{missed}; but this explains {best.share:.1%}: {best.rule.words}, with {_range(best)}",
            **_numbers(best),
        )  # fmt: skip
        return
    yield found(
        "selection-unexplained", t, node,
        f"{missed}, nor does a usual mistake; the best c lies in {_range(legit)}",
        **_numbers(legit),
    )  # fmt: skip


def _untried(course: Course) -> Iterator[Finding]:
    """A choice among existing children of a node that gets another child later on."""
    iteration, node, k = course.choices()
    parent = course.parent[node]
    last = course.n_children(parent, course.N)
    bad = np.flatnonzero(k < last)
    if len(bad):
        i = bad[0]
        t, at = int(iteration[i]), int(parent[i])
        yield found(
            "selection-untried", t, at,
            f"iteration {t:,} chooses among {int(k[i])} children of node {at:,}, which gets "
            f"{int(last[i] - k[i])} more later; {len(bad):,} of {len(k):,} choices are made while "
            "moves are untried",
            times=len(bad), choices=len(k),
        )  # fmt: skip
