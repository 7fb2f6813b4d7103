"""Which rule the search selects by, inferred from its choices.

That a child was taken among siblings is one linear inequality in c for each sibling, for any rule
whose score is value + c × width: the choice holds for an interval of c. Where all intervals meet,
that rule explains every choice; else the c that explains most is told, and the usual mistakes are
tried. Choices are gone through batch by batch, more than once where no c explains them all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from mcts_viz.analysis.health.catalogue import found
from mcts_viz.analysis.health.choice_rules import MISTAKES, RULES, ChoiceRule, logs
from mcts_viz.analysis.health.course import Comparisons, Course
from mcts_viz.analysis.health.finding import Finding
from mcts_viz.analysis.health.overlap import Census, Intervals, most_overlap
from mcts_viz.analysis.health.sightings import Sightings
from mcts_viz.analysis.health.stretch import Floats
from mcts_viz.formulas.selection import SELECTION_FORMULAS, SelectionFormula
from mcts_viz.trace.snapshot import proven_scores

FEW_CHOICES = 30  # too few to tell rules apart
LOOKED_AT = 100_000  # choices by which mistakes are told apart
NAMED_FROM = 0.98  # share of choices that a mistake must explain to be named
GREEDY_BELOW = 1e-3  # c
OTHER_RULES = 0.95  # share below which other rules are tried
DECIDED = 0.5  # share of choices in which a mistake must put some child behind the one taken


class Fit(NamedTuple):
    """The c for which a rule explains each choice."""

    rule: ChoiceRule
    intervals: Intervals

    @property
    def n(self) -> int:
        """Choices."""
        return self.intervals.n

    @property
    def whole(self) -> bool:
        """Whether some c explains them all."""
        return self.intervals.meet


class Explained(NamedTuple):
    """How well a rule explains C choices."""

    rule: ChoiceRule
    low: float  # c that explain all, or as many as possible
    high: float
    share: float  # of the choices, in [0, 1]
    n: int  # C


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
    rule = declared_rule(course)
    own = None if rule is None else fit(course, [rule])[0]
    c = float(course.policy("selection").get("c", 0.0))
    if own is not None and own.n and own.whole and _inside(c, _all(own)):
        yield _rule_found(course, _all(own), f"; declared is {c:.6g}")
        return
    likely = fit(course, RULES[: 3 if _has_priors(course) else 1])
    if not likely[0].n:
        return
    whole = _whole(likely)
    if whole is None:
        likely += fit(course, [r for r in RULES if r not in [one.rule for one in likely]])
        whole = _whole(likely)
    if own is not None:
        yield from _not_declared(course, own, whole)
        if own.whole:
            return
    if whole is not None:
        yield _rule_found(course, whole)
        yield from _greedy(course, whole)
        return
    yield from _mistake(course, explain_best(course, [one for one in likely if not one.whole]))


def _whole(likely: list[Fit]) -> Explained | None:
    """The first that explains every choice. Without exploration rules differ only in what they say
    of children without visits; then only the first, UCB1, is believed."""
    whole = (_all(one) for one in likely if one.whole)
    first = likely[0].rule
    return next((one for one in whole if one.high >= GREEDY_BELOW or one.rule is first), None)


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


def fit(course: Course, rules: Sequence[ChoiceRule], at_most: int | None = None) -> list[Fit]:
    """For each rule the c that explain the choices, or about `at_most` of them."""
    fits = [Fit(rule, Intervals()) for rule in rules]
    for rows in course.comparisons(at_most):
        for one in fits:
            one.intervals.add(*interval(course, one.rule, rows))
    return fits


def _all(one: Fit) -> Explained:
    """Of a rule that explains every choice."""
    return Explained(one.rule, max(one.intervals.low, 0.0), one.intervals.high, 1.0, one.n)


def explain_best(course: Course, fits: Sequence[Fit]) -> Explained:
    """The rule that explains most of all choices, the first of those that do."""
    doubtful = [one for one in fits if not one.intervals.kept_all]
    census = {id(one): Census(one.intervals) for one in doubtful}
    if doubtful:
        for rows in course.comparisons():
            for one in doubtful:
                census[id(one)].add(*interval(course, one.rule, rows))
    enough = max((each.at_least for each in census.values()), default=0)
    explained = []
    for one in fits:
        if one.intervals.kept_all:
            low, high, n = most_overlap(*one.intervals.kept)
        elif census[id(one)].at_most < enough:
            continue  # another one explains more
        else:
            low, n = census[id(one)].search(_intervals(course, one.rule))
            high = _end_from(low, _intervals(course, one.rule)) if n else 0.0
        explained.append(Explained(one.rule, low, high, n / one.n, one.n))
    return max(explained, key=lambda one: one.share)


def _intervals(course: Course, rule: ChoiceRule) -> Iterator[tuple[Floats, Floats]]:
    return (interval(course, rule, rows) for rows in course.comparisons())


def _end_from(at: float, stream: Iterable[tuple[Floats, Floats]]) -> float:
    """The first end of an interval at a number or above it."""
    ends = (high[(low <= high) & (high >= at)] for low, high in stream)
    return min(float(each.min(initial=np.inf)) for each in ends)


def first_unexplained(course: Course, one: Explained) -> tuple[int, int] | tuple[None, None]:
    """Iteration and parent of the first choice that the rule does not explain with its c."""
    for rows in course.comparisons():
        low, high = interval(course, one.rule, rows)
        bad = np.flatnonzero((low > one.high) | (high < one.low))
        if len(bad):
            return int(rows.iteration[bad[0]]), int(rows.parent[bad[0]])
    return None, None


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


def _not_declared(course: Course, own: Fit, whole: Explained | None) -> Iterator[Finding]:
    c = float(course.policy("selection").get("c", 0.0))
    if own.whole:
        best = _all(own)
        text = f"{_range(best)} explains all {own.n:,} choices, and declared is c = {c:.6g}"
        yield found("selection-not-declared", None, None, text, **_numbers(best))
    elif whole is not None:
        best = explain_best(course, [own])
        text = (
            f"declared is {own.rule.words}, which explains {best.share:.0%} of {own.n:,} choices at "
            f"best; {whole.rule.words} with {_range(whole)} explains all"
        )
        t, node = first_unexplained(course, best)
        yield found("selection-not-declared", t, node, text, **_numbers(best))


def _mistake(course: Course, legit: Explained) -> Iterator[Finding]:
    """The mistake that fits, else how much is not explained."""
    best = _best_mistake(course)
    t, node = first_unexplained(course, legit)
    missed = f"no c explains {1 - legit.share:.0%} of {legit.n:,} choices by {legit.rule.words}"
    if (
        best is not None
        and best.n >= FEW_CHOICES
        and best.share >= NAMED_FROM
        and best.share > legit.share
    ):
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


def _best_mistake(course: Course) -> Explained | None:
    """The mistake that explains most choices, of those that make choices at all: where all means lie
    between two whole numbers, say, rounding them makes all children alike, and whatever is taken is
    a best one."""
    fits = fit(course, MISTAKES, LOOKED_AT)
    while fits:
        best = explain_best(course, fits)
        if _decided(course, best) >= DECIDED:
            return best
        fits = [one for one in fits if one.rule is not best.rule]
    return None


def _decided(course: Course, one: Explained) -> float:
    """Share of choices in which the rule puts some child behind the one taken."""
    c = 1.0 + one.low if np.isinf(one.high) else (one.low + one.high) / 2
    n, decided = 0, 0
    for rows in course.comparisons(LOOKED_AT):
        value, width = one.rule.terms(rows)
        score = value + c * width
        best = score[rows.chosen][rows.of]
        slack = course.tolerance + 1e-9 * np.abs(best)
        behind = score < best - slack
        if one.rule.urgency is None:
            behind &= rows.visits > 0
        decided += len(np.unique(rows.of[behind]))
        n += len(rows.chosen)
    return decided / n if n else 0.0


def _untried(course: Course) -> Iterator[Finding]:
    """A choice among existing children of a node that gets another child later on."""
    seen, choices, there, more = Sightings(), 0, 0, 0
    for part in course.stretches():
        iteration, parent, _, k = course.choices(part)
        last = course.n_children(parent)
        bad = k < last
        if bad.any() and not seen.times:
            i = int(np.argmax(bad))
            there, more = int(k[i]), int(last[i] - k[i])
        choices += len(k)
        seen.add(bad, iteration, parent)
    t, node, times = seen
    if times:
        yield found(
            "selection-untried", t, node,
            f"iteration {t:,} chooses among {there} children of node {node:,}, which gets "
            f"{more} more later; {times:,} of {choices:,} choices are made while "
            "moves are untried",
            times=times, choices=choices,
        )  # fmt: skip
