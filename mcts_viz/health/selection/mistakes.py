"""Which mistake explains the choices of a search that no usual rule explains."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from mcts_viz.health.checked_search import CheckedSearch, ComparedChildren
from mcts_viz.health.selection.fit import GREEDY_BELOW, Fit, decided, fit, spread
from mcts_viz.health.selection.infer import (
    ALWAYS,
    FEW_CHOICES,
    FIRST_LOOK,
    GREAT,
    NAMED_FROM,
    NEARLY_ALL,
    NO_VALUE,
    TIGHT,
    has_priors,
)
from mcts_viz.health.selection.kept_terms import kept_terms
from mcts_viz.health.selection.scores import (
    FIRST,
    FIXED,
    MISTAKES,
    PUCT,
    PUCT_OF_CHILDREN,
    UCB1,
    UCB1_OF_CHILDREN,
    Mistake,
    PerChild,
    Rule,
    Urgency,
    Width,
    constant,
    mean,
    mistakes_of_one_side,
    of_children,
    parent_mean,
    prior,
    urgencies,
)

DECIDED = 0.5  # share of choices in which a mistake must put some child behind the one taken
# share of the choices looked at first, below which a mistake does not explain nearly all
HOPELESS = 0.9
ABOVE_ALL = 1e12  # a score
OF_ONE_CHILD = (
    "selection-unvisited",
    "selection-no-visits",
)  # they show where others have no visits
Preference = tuple[float, bool, bool, bool, bool]


def best_mistake(search: CheckedSearch, rows: ComparedChildren) -> Fit | None:
    """The mistake that explains most choices, of those that make choices at all; None where none
    explains nearly all of them, or where it takes c = 0."""
    found = _Mistakes(search, rows)
    for rule in _mistaken_rules(search, rows):
        found.look(rule)
    return found.named()


class _Mistakes:
    """Those that explain nearly all choices, and which of them is believed."""

    def __init__(self, search: CheckedSearch, rows: ComparedChildren) -> None:
        self._search, self._rows = search, rows
        self._few = spread(rows, FIRST_LOOK)
        low, high = search.value_range
        self._range = high - low
        self._declared = search.meta.policies.selection.c
        n_visited = np.bincount(rows.of[rows.visits > 0], minlength=len(rows.chosen))
        # one child with visits says nothing of how values are compared
        self._compared = int((n_visited > 1).sum()) >= FEW_CHOICES
        self._by_priors = not self._compared and _takes_highest_prior(rows)
        self._best: Fit | None = None
        self._other: Fit | None = None  # another mistake that fits as well
        # all that leave the child's visits out of the exploration term
        self._without_visits: list[Fit] = []

    def look(self, rule: Rule) -> None:
        """Whether a mistake explains the choices, and better than those before it."""
        if not self._compared and rule.check not in OF_ONE_CHILD:
            return
        if not _needs_all(rule) and fit(self._search, self._few, rule).share < HOPELESS:
            return
        found = fit(self._search, self._rows, rule)
        best = self._best
        if best is not None and self._preference(found) < self._preference(best):
            return
        if not self._explains(found):
            return
        if rule.check == "selection-no-visits":
            self._without_visits.append(found)
        if best is None or self._preference(found) > self._preference(best):
            self._best, self._other = found, None
        elif self._other is None and found.rule.check != best.rule.check:
            self._other = found

    def _explains(self, found: Fit) -> bool:
        """Whether it explains nearly all choices, and decides them."""
        rule = found.rule
        if found.share < NAMED_FROM or found.high < GREEDY_BELOW or found.of < FEW_CHOICES:
            return False
        # where most children have no visits, what these begin with explains most choices beside any kept term
        if _is_kept(rule) and (found.share < NEARLY_ALL or found.low <= 0):
            return False
        if _needs_all(rule) and np.isinf(found.high):
            return False  # the exploration term alone decides, and nearly any logarithm does
        term_alone = rule.value is mean and not rule.width.words
        if term_alone and self._compared and found.low == 0:
            return False  # with c = 0 the mean alone explains as much, whatever the term is
        if found.low >= NO_VALUE * self._range and rule.check != "selection-no-value":
            return False
        return decided(self._search, self._rows, found) >= DECIDED

    def _preference(self, one: Fit) -> Preference:
        """Which of two mistakes is believed: see `_plainness`, and what is likely here."""
        share, *plain = _plainness(one, self._range, self._declared)
        likely = self._search.has_costs and one.rule.check == "selection-minus"
        # without priors, of children of which hardly two are ever visited, brackets say no more than an urgency
        likely |= (
            not (self._compared or has_priors(self._rows))
            and one.rule.check == "selection-unvisited"
        )
        # the highest prior first, and none after it: of two that pass over others, the one that says which
        first = one.rule.check == "selection-no-visits" and self._by_priors
        usual, as_declared, any_c = (each or first for each in plain)
        return share, likely, usual, as_declared, any_c

    def named(self) -> Fit | None:
        """The one that is believed, with another one that fits as well in its words."""
        if not self._compared:
            return self._of_one_child()
        search, rows = self._search, self._rows
        best = self._best or _mistake_of_one_side(search, rows, self._few)
        if best is None or best.low >= GREAT * self._range:
            return _without_values(search, rows) or best
        if best.rule.check == "selection-argmin" and np.isinf(best.high):
            # the least score is that of the child taken most, so that whichever is always taken has it
            always = _without_values(search, rows, FIXED[:2])
            if always is not None and always.share >= best.share:
                return always
        words = "" if self._other is None or best is not self._best else _or(self._other)
        if search.has_costs and best.rule.check == "selection-minus":
            words = f": of costs, the least of which is best, it has to be taken off, and is added{words}"
        return _with_words(best, words)

    def _of_one_child(self) -> Fit | None:
        """The same where hardly two children of a node ever have visits."""
        best = self._best
        if best is None:
            return None
        if best.rule.check == "selection-no-visits":
            return _plainest(self._without_visits, best.share, self._range, self._declared)
        always_first = not self._rows.place[self._rows.chosen].any()
        if best.rule.check == "selection-unvisited" and always_first:
            also = "".join(f"; or {one.rule.words}" for one in self._without_visits[-1:])
            words = f" (or, which is the same here: the first child is always taken, whatever the values{also})"
            return _with_words(best, words)
        return best if self._other is None else _with_words(best, _or(self._other))


def _needs_all(rule: Rule) -> bool:
    """Whether it looks at each child's first choice."""
    return rule.check == "selection-stale-log"


def _is_kept(rule: Rule) -> bool:
    """Whether PUCT's term is kept in the child."""
    return rule.check == "selection-stale-log" and rule.width.needs_priors


def _or(other: Fit) -> str:
    return f" (or, which fits as well: {other.rule.words})"


def _with_words(one: Fit, more: str) -> Fit:
    return one._replace(rule=one.rule._replace(words=one.rule.words + more))


def _plainest(fits: Sequence[Fit], share: float, width: float, declared: float | None) -> Fit:
    """Of mistakes by which the same child is taken again and again, and which explain that share of the choices: the
    plainest, with the next one in its words. Where children with visits are hardly ever compared, several fit."""
    fits = [one for one in fits if one.share >= share]
    usual = GREAT * width
    best = max(fits, key=lambda one: (*_plainness(one, width, declared), min(0.0, usual - one.low)))
    others = [one for one in fits if not _is_same_in_words(one, best)]
    if not others or best.low >= usual:
        return best
    other = min(others, key=lambda one: one.low)
    words = (
        f"{best.rule.words} (or, which fits as well with c ≥ {other.low:.4g}: {other.rule.words})"
    )
    return best._replace(rule=best.rule._replace(words=words))


def _is_same_in_words(one: Fit, other: Fit) -> bool:
    """Whether two mistakes differ in nothing but their N."""
    short, long = sorted((one.rule.words, other.rule.words), key=len)
    return long.startswith(short)


def _mistake_of_one_side(
    search: CheckedSearch, rows: ComparedChildren, few: ComparedChildren
) -> Fit | None:
    """One that is made where one of two players chooses; it has to explain all but all, with nearly one c."""
    low, high = search.value_range
    priors = has_priors(rows)
    for mistake in () if search.alone else mistakes_of_one_side():
        for urgency in urgencies(low, high)[: 3 if priors else 1]:
            width = _own_width(mistake)
            rule = Rule(mistake.check, mistake.words, mistake.value, width, urgency)
            if (mistake.at_zero and not priors) or fit(search, few, rule).share < HOPELESS:
                continue
            found = fit(search, rows, rule)
            is_one_c = GREEDY_BELOW <= found.low <= found.high <= (1 + TIGHT) * found.low
            if found.share >= NEARLY_ALL and found.of >= FEW_CHOICES and is_one_c:
                return found
    return None


def _without_values(
    search: CheckedSearch, rows: ComparedChildren, mistakes: Sequence[Mistake] = FIXED
) -> Fit | None:
    """A child that is taken for its place, or for its visits, whatever the values."""
    for mistake in mistakes:
        rule = Rule(mistake.check, mistake.words, mistake.value, _own_width(mistake), FIRST)
        found = fit(search, rows, rule)
        if found.share >= NAMED_FROM and found.of >= FEW_CHOICES and not _best_at_first(rows):
            return found if decided(search, rows, found) >= DECIDED else None
    return None


def _best_at_first(rows: ComparedChildren) -> bool:
    """Whether the first choice at each node, where all children have as many visits, takes the best one: it may then
    be kept."""
    least = np.minimum.reduceat(rows.visits, rows.first)
    most = np.maximum.reduceat(rows.visits, rows.first)
    q = mean(rows)
    best, worst = np.maximum.reduceat(q, rows.first), np.minimum.reduceat(q, rows.first)
    use = (least == most) & (least > 0) & (best > worst)
    return bool(use.any()) and float((q[rows.chosen] == best)[use].mean()) > ALWAYS


def _priors_differ(rows: ComparedChildren) -> bool:
    return has_priors(rows) and bool(np.nanmax(rows.prior) > np.nanmin(rows.prior))


def _takes_highest_prior(rows: ComparedChildren) -> bool:
    """Whether nearly always the child with the highest prior is taken, where they differ."""
    if not _priors_differ(rows):
        return False
    highest = np.maximum.reduceat(prior(rows), rows.first)
    return float((prior(rows)[rows.chosen] == highest).mean()) >= ALWAYS


def _plainness(one: Fit, width: float, declared: float | None) -> tuple[float, bool, bool, bool]:
    """Which of two mistakes is believed: the one that explains more, then the one that needs no odd c, then the one
    that fits with the declared c, then the one that fits with any c."""
    as_declared = declared is not None and one.low <= declared <= one.high
    return one.share, one.low < GREAT * width, as_declared, one.low == 0 and np.isinf(one.high)


def _mistaken_rules(search: CheckedSearch, rows: ComparedChildren) -> Iterator[Rule]:
    priors = has_priors(rows)
    widths = (PUCT, PUCT_OF_CHILDREN, UCB1) if priors else (UCB1,)
    low, high = search.value_range
    usual = urgencies(low, high)
    for mistake in MISTAKES:
        starts = usual[: 3 if priors else 2 if mistake.without_priors else 1]
        if (mistake.two_players and search.alone) or (mistake.without_priors and priors):
            continue
        if mistake.two_players and np.array_equal(mistake.value(rows), mean(rows)):
            continue  # as by depth, where players take turns
        of_priors = mistake.needs_priors or mistake.check == "selection-other-prior"
        if of_priors and not _priors_differ(rows):
            continue
        for width in widths if mistake.width is None else (_own_width(mistake),):
            # a prior beside the value is there without visits, too
            beside = mistake.check == "selection-prior-in-value"
            for urgency in (Urgency("", prior),) if beside else starts:
                words = (
                    f"{mistake.words} ({width.words})"
                    if priors and mistake.width is None
                    else mistake.words
                )
                yield Rule(mistake.check, words, mistake.value, width, urgency, mistake.compares)
    if priors:
        yield from kept_terms()
    for width in widths:
        for urgency in _mistaken_urgencies(search, width):
            yield Rule(urgency.check, urgency.words, mean, width, urgency)
    for urgency in _after_one_visit(search):
        for width in (UCB1, UCB1_OF_CHILDREN):
            yield Rule(urgency.check, urgency.words, mean, width, urgency)


def _own_width(mistake: Mistake) -> Width:
    assert mistake.width is not None
    return Width("", mistake.width, mistake.at_zero)


def _after_one_visit(search: CheckedSearch) -> Iterator[Urgency]:
    """Children without visits come first, but not beside one that has one: ln 1 is 0."""

    def number(of: float) -> PerChild:
        return lambda rows: np.where(of_children(rows) <= 1, of, ABOVE_ALL)

    for least in dict.fromkeys((0.0, search.value_range[0])):
        words = (
            f"beside a child with one visit, where ln N is 0, children without visits count as worth {least:g}, so "
            "that it may be taken again; everywhere else they come first"
        )
        yield Urgency(words, number(least), 0, "selection-unvisited")


def _mistaken_urgencies(search: CheckedSearch, width: Width) -> Iterator[Urgency]:
    low, high = search.value_range
    check = "selection-unvisited"
    yield Urgency(
        "children without visits are passed over while another one has visits", None, -1, check
    )
    if width is UCB1:
        for number in sorted({0.0, low}):
            words = f"children without visits count as worth {number:g}, without exploration"
            yield Urgency(words, constant(number), 0, check)
    yield Urgency(
        "children without visits count as their parent in the wrong player's view",
        lambda rows: low + high - parent_mean(rows), 0, check,
    )  # fmt: skip
