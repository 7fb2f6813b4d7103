"""The rule that a search selects by, inferred from its choices: first what people write on purpose,
then what they write by mistake."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from mcts_viz.health.checked_search import CheckedSearch, ComparedChildren
from mcts_viz.health.selection.fit import (
    GREEDY_BELOW,
    Bounds,
    Fit,
    Growing,
    Numbers,
    among_visited,
    bounds_of,
    decided,
    fit,
    growing,
    has_ends,
    most_overlap,
    only,
    reduced_urgencies,
    roughly_reduced,
    without,
)
from mcts_viz.health.selection.scores import (
    FIRST,
    PLAIN,
    UCB1,
    WIDTHS,
    PerChild,
    Rule,
    Urgency,
    Width,
    cautious_mean,
    constant,
    mean,
    scaled_mean,
    scaled_mean_with_root,
    scaled_parents,
    urgencies,
)
from mcts_viz.types import Bools

NAMED_FROM = 0.98  # share of choices that a mistake must explain to be named
ALWAYS = 0.95  # share of choices
NEARLY_ALL = 0.999  # share of choices, where a reduction is known but to rounding
GREAT = 2.0  # c, in ranges of values, that hardly anybody uses
MOST_SCALED = 20.0  # c of Q scaled to [0, 1], beyond which the value hardly counts
RELUCTANT = (
    0.02  # c, in ranges of values, with which a child that counts as a loss is hardly ever taken
)
FEW_CHOICES = 30  # too few to tell rules apart
NO_VALUE = 1e3  # c, in ranges of values, from which on the value term no longer counts
MOST_LEFT_OUT = 0.5  # share of choices that a reading may leave aside
TIGHT = 0.1  # of c: a range that only the rule itself leaves over
FIRST_LOOK = 300  # choices that tell most rules from the search's own
AT_ROOT = "choices at the root, whose priors seem to have noise added to them"
# the value compared beside the exploration term, and the words for a search that does so
VALUES: tuple[tuple[PerChild, str], ...] = (
    (mean, ""),
    (scaled_mean, "Q scaled to [0, 1] by the tree's least and greatest"),
    (scaled_mean_with_root, "Q scaled to [0, 1] by the tree's least and greatest, the root's too"),
    (cautious_mean, "Q as W / (1 + n)"),
)

SCALED = (scaled_mean, scaled_mean_with_root)


class Inferred(NamedTuple):
    """A rule that explains the choices looked at."""

    fit: Fit
    aside: str = ""  # which choices are left aside, and why
    left_out: int = 0  # how many


class Sieve:
    """What a few of the choices say of each rule, worked out once for all readings: most rules fail there."""

    def __init__(self, search: CheckedSearch, rows: ComparedChildren) -> None:
        self.search = search
        n = len(rows.chosen)
        self.at = np.unique(np.linspace(0, n - 1, min(n, FIRST_LOOK)).astype(np.int64))
        use = np.zeros(n, np.bool_)
        use[self.at] = True
        self.few = only(rows, use)
        self._bounds: dict[tuple[PerChild, str, bool], Bounds] = {}
        self._numbers: Numbers = {}

    def _of(self, rule: Rule, use: Bools) -> tuple[Bounds, Bools]:
        key = (rule.value, rule.width.words, rule.ends_alone)
        known = self._bounds.get(key)
        if known is None:
            known = among_visited(self.search, self.few, rule, self._numbers)
            self._bounds[key] = known
        of = use[self.at]
        return Bounds(known.low[of], known.high[of]), of

    def explains(self, rule: Rule, use: Bools) -> bool:
        """Whether the rule explains those of the few that a reading looks at, as far as children with visits are
        compared."""
        bounds, of = self._of(rule, use)
        return most_overlap(bounds)[2] == int(of.sum())

    def grows(self, rule: Rule, use: Bools) -> bool:
        """The same with a c that grows with the parent's visits, as long as the value counts."""
        bounds, of = self._of(rule, use)
        found = growing(self.few.parent_visits[of], bounds)
        return found is not None and found.low < _most(self.search, rule.value)


class ChoicesLookedAt(NamedTuple):
    """Choices that are looked at in one way."""

    use: Bools  # [C]
    aside: str = ""
    with_priors: bool = False  # makes sense for rules with priors alone


def infer(
    search: CheckedSearch,
    rows: ComparedChildren,
    widths: Sequence[Width] | None = None,
    suits: Callable[[Fit], bool] = lambda found: True,
    sieve: Sieve | None = None,
) -> Inferred | None:
    """The first rule that explains every choice; None where there is none. suits: which may be taken. sieve: of the
    same choices, where they are asked again."""
    sieve = sieve or Sieve(search, rows)
    tried = usual_widths(search, rows) if widths is None else widths
    for reading in readings(search, rows):
        part = rows if reading.use.all() else only(rows, reading.use)
        left_out = int((~reading.use).sum())
        suited = [width for width in tried if width.needs_priors or not reading.with_priors]
        greedy: Fit | None = None  # of two rules, the one that explores is the plainer one
        for found in _explained(search, part, suited, sieve, reading.use):
            if not suits(found):
                continue
            if found.high >= GREEDY_BELOW:
                return Inferred(found, reading.aside, left_out)
            greedy = greedy or found
        if greedy is not None:
            return Inferred(greedy, reading.aside, left_out)
    return _without_finished(search, rows, tried, suits)


def _without_finished(
    search: CheckedSearch,
    rows: ComparedChildren,
    widths: Sequence[Width],
    suits: Callable[[Fit], bool],
) -> Inferred | None:
    """The rule of a search that never goes back to what it has searched to the end."""
    done = search.finished_since[rows.node] < rows.iteration[rows.of]
    if not done.any() or done[rows.chosen].any():
        return None
    for found in _explained(search, without(rows, done), widths):
        if not suits(found):
            continue
        words = f"{found.rule.words}, among the children that are not yet searched to the end"
        return Inferred(found._replace(rule=found.rule._replace(words=words)))
    return None


def usual_widths(search: CheckedSearch, rows: ComparedChildren) -> list[Width]:
    """The rules worth trying; without priors PUCT comes last, with equal priors."""
    if has_priors(rows):
        return list(WIDTHS)
    return sorted(WIDTHS, key=lambda width: width.needs_priors)


def has_priors(rows: ComparedChildren) -> bool:
    """Whether any child compared has a prior."""
    return not bool(np.isnan(rows.prior).all())


def readings(search: CheckedSearch, rows: ComparedChildren) -> Iterator[ChoicesLookedAt]:
    """All choices; then without those that a special case may have decided."""
    everything = np.ones(len(rows.chosen), np.bool_)
    yield ChoicesLookedAt(everything)
    for reading in _special_cases(search, rows):
        use = reading.use
        if not use.all() and use.mean() >= 1 - MOST_LEFT_OUT and use.sum() >= FEW_CHOICES:
            yield reading


def _special_cases(search: CheckedSearch, rows: ComparedChildren) -> Iterator[ChoicesLookedAt]:
    won = search.best_outcome_for_chooser(rows.node, rows.chooser)[rows.chosen]
    yield ChoicesLookedAt(~won, "choices of a move that wins at once")
    proven = search.lead_to_proven(rows)
    yield ChoicesLookedAt(
        ~proven, "choices at nodes with a child whose game-theoretic value the tree proves"
    )
    known = ~np.isnan(rows.proven)
    if known.any() and not search.meta.has_solver:  # proofs are told, and may not be heeded
        none = np.bincount(rows.of[known], minlength=len(rows.chosen)) == 0
        yield ChoicesLookedAt(none, "choices at nodes with a child whose result is proven")
    if has_priors(rows) and np.nanmin(rows.prior) >= 0:
        yield ChoicesLookedAt(rows.parent != 0, AT_ROOT, with_priors=True)


def kept_choices(search: CheckedSearch, rows: ComparedChildren) -> Fit | None:
    """The rule that explains every choice in which the child changes, where nearly all others take
    the child taken the last time; None where there is none."""
    changes = ~rows.repeats
    if changes.sum() < FEW_CHOICES:
        best = best_share(search, rows)
        always = len(changes) >= FEW_CHOICES and changes.mean() < 1 - ALWAYS
        return best if always and best.share < ALWAYS else None
    part = only(rows, changes)
    for found in _explained(search, part, usual_widths(search, rows)):
        bounds = bounds_of(search, rows, found.rule)
        whole = fit(search, rows, found.rule)
        for low, high in ((found.low, found.high), (whole.low, whole.high)):
            missed = (bounds.low > high) | (bounds.high < low) | (bounds.low > bounds.high)
            if missed.mean() > 1 - NAMED_FROM and bool(rows.repeats[missed].all()):
                return Fit(found.rule, low, high, int((~missed).sum()), len(missed))
    return None


def _explained(
    search: CheckedSearch,
    rows: ComparedChildren,
    widths: Sequence[Width],
    sieve: Sieve | None = None,
    use: Bools | None = None,
) -> Iterator[Fit]:
    """Rules that explain every choice, the plainest first. sieve, use: of what choices these are a part, and which."""
    if sieve is None or use is None:
        sieve, use = Sieve(search, rows), np.ones(len(rows.chosen), np.bool_)
    low, high = search.value_range
    usual = urgencies(low, high)
    for ends_alone in (False, True) if has_ends(search, rows) else (False,):
        for value, title in VALUES:
            of_value = _rules(search, rows, widths, value, title, ends_alone)
            sifted = (rule for rule in of_value if sieve.explains(rule, use))
            candidates = list(_candidates(search, rows, sifted))
            tried = (*usual, *scaled_parents()) if value in SCALED else usual
            for rule in candidates:
                for urgency in sorted(tried, key=lambda one: (one is not FIRST, not one.loses)):
                    found = fit(search, rows, _with(rule, urgency))
                    if urgency.loses and not rule.width.at_zero:
                        if found.whole:
                            return  # never visited while another child is worth anything: a mistake
                        continue
                    never = urgency.loses and found.high < RELUCTANT * (high - low)
                    if found.whole and not never and _explores(search, rows, found):
                        yield found
            for rule in candidates:
                c = most_overlap(among_visited(search, rows, rule))
                weight = c[0] + 1.0 if np.isinf(c[1]) else (c[0] + c[1]) / 2
                for urgency in reduced_urgencies(search, rows, _with(rule, urgency=_ZERO), weight):
                    found = fit(search, rows, _with(rule, urgency))
                    if found.share >= NEARLY_ALL and _explores(search, rows, found):
                        yield found
        if has_priors(rows):
            yield from _growing(search, rows, widths, usual, ends_alone, sieve, use)


_ZERO = Urgency("", constant(0.0))


def _explores(search: CheckedSearch, rows: ComparedChildren, found: Fit) -> bool:
    """Without exploration rules differ only in children without visits; then only UCB1 is believed, and only where
    values differ. Where nothing but exploration counts, the value is missing."""
    low, high = search.value_range
    rule = found.rule
    most = MOST_SCALED if rule.value in SCALED else NO_VALUE * (high - low)
    if found.low >= most or found.high >= GREEDY_BELOW:
        return found.low < most
    return rule.width is UCB1 and decided(search, rows, found) > 0


def _most(search: CheckedSearch, value: PerChild) -> float:
    """The c from which on the value hardly counts."""
    low, high = search.value_range
    return MOST_SCALED if value in SCALED else NO_VALUE * (high - low)


def _rules(
    search: CheckedSearch,
    rows: ComparedChildren,
    widths: Sequence[Width],
    value: PerChild,
    title: str,
    ends_alone: bool,
) -> Iterator[Rule]:
    """Those with a value term."""
    if value is not mean and not has_priors(rows):
        return
    for width in widths:
        words = ", ".join(part for part in (width.words, title) if part)
        if ends_alone:
            words += ", finished games by their outcome alone"
        yield Rule("selection-rule", words, value, width, FIRST, ends_alone=ends_alone)


def _candidates(
    search: CheckedSearch, rows: ComparedChildren, rules: Iterable[Rule]
) -> Iterator[Rule]:
    """Rules that explain every choice among visited children."""
    for rule in rules:
        low, high, n = most_overlap(among_visited(search, rows, rule))
        if n < len(rows.chosen) or low >= _most(search, rule.value):
            continue
        if high >= GREEDY_BELOW or rule.width is UCB1:
            yield rule


def _with(rule: Rule, urgency: Urgency) -> Rule:
    words = f"{rule.words}; {urgency.words}" if urgency.words else rule.words
    return rule._replace(urgency=urgency, words=words)


def _growing(
    search: CheckedSearch,
    rows: ComparedChildren,
    widths: Sequence[Width],
    usual: Sequence[Urgency],
    ends_alone: bool,
    sieve: Sieve,
    use: Bools,
) -> Iterator[Fit]:
    """PUCT whose c grows with the parent's visits."""
    for value, title in VALUES:
        for width in widths:
            if not width.needs_priors:
                continue
            words = ", ".join(part for part in (width.words, title) if part)
            plain = Rule("selection-rule", words, value, width, FIRST, ends_alone=ends_alone)
            if not sieve.grows(plain, use):
                continue
            all_ = growing(rows.parent_visits, among_visited(search, rows, plain))
            if all_ is None or all_.low >= _most(search, value):
                continue
            for urgency in (*usual, *scaled_parents()) if value in SCALED else usual:
                rule = _with(plain, urgency)
                found = growing(rows.parent_visits, bounds_of(search, rows, rule))
                most = _most(search, value)
                if found is not None and found.high > GREEDY_BELOW and found.low < most:
                    words = f"{rule.words}; {found.words}"
                    n = len(rows.chosen)
                    yield Fit(rule._replace(words=words), found.low, found.high, n, n)


def told_apart(rows: ComparedChildren) -> bool:
    """Whether enough choices compare children with visits to say how these are compared."""
    n_visited = np.bincount(rows.of[rows.visits > 0], minlength=len(rows.chosen))
    taken = rows.visits[rows.chosen] > 0
    return int((taken & (n_visited > 1)).sum()) >= FEW_CHOICES


def known_among_visited(
    search: CheckedSearch, rows: ComparedChildren, sieve: Sieve | None = None
) -> Fit | None:
    """The rule that explains every choice as far as children with visits are compared, with nearly one c; None
    where there is none. What children without visits count as is then a number of the search's own. sieve: of the same
    choices, where they are asked again."""
    if not told_apart(rows):
        return None
    sieve, everything = sieve or Sieve(search, rows), np.ones(len(rows.chosen), np.bool_)
    for value, title in VALUES:
        most = _most(search, value)
        of_value = _rules(search, rows, usual_widths(search, rows), value, title, False)
        sifted = (rule for rule in of_value if sieve.explains(rule, everything))
        for rule in _candidates(search, rows, sifted):
            low, high, n = most_overlap(among_visited(search, rows, rule))
            if low >= GREEDY_BELOW and high < min(most, np.inf) and high - low <= TIGHT * high:
                return Fit(rule, low, high, n, n)
    return None


class Grown(NamedTuple):
    """A rule with priors whose c grows with the parent's visits, as far as children with visits are compared."""

    words: str
    growth: Growing
    # what children without visits count as, in words; empty where it is no usual number
    unvisited: str
    aside: str
    left_out: int
    of: int


def known_to_grow(search: CheckedSearch, rows: ComparedChildren) -> Grown | None:
    """The rule that explains every choice among children with visits with a c that grows at any pace; None where there
    is none."""
    if not has_priors(rows) or not told_apart(rows):
        return None
    for reading in readings(search, rows):
        part = rows if reading.use.all() else only(rows, reading.use)
        for value, title in VALUES:
            for width in WIDTHS:
                if not width.needs_priors:
                    continue
                words = ", ".join(one for one in (width.words, title) if one)
                rule = Rule("selection-rule", words, value, width, _ZERO)
                bounds = among_visited(search, part, rule)
                low, high, n = most_overlap(bounds)
                # one c for all nodes is the least growth
                constant_c = Growing(np.inf, 0.0, low, high) if n == len(part.chosen) else None
                growth = constant_c or growing(part.parent_visits, bounds, True)
                if (
                    growth is None
                    or not growth.high > GREEDY_BELOW
                    or growth.low >= _most(search, value)
                ):
                    continue
                c = growth.at(np.maximum(part.parent_visits, 0))[part.of]
                unvisited = roughly_reduced(search, part, rule, c) or ""
                left_out = int((~reading.use).sum())
                return Grown(words, growth, unvisited, reading.aside, left_out, len(part.chosen))
    return None


def best_share(search: CheckedSearch, rows: ComparedChildren, family: str = "") -> Fit:
    """Of the plain rules, the one that explains most of all choices. family: the beginning of the words of those that
    are asked for."""
    fits = [fit(search, rows, rule) for rule in plain_rules(search, rows, family)]
    return max(fits, key=lambda one: one.share)


def plain_rules(search: CheckedSearch, rows: ComparedChildren, family: str = "") -> list[Rule]:
    """Those that people use, each with the usual numbers of children without visits."""
    low, high = search.value_range
    priors = has_priors(rows)
    return [
        _with(Rule("selection-rule", width.words, mean, width, FIRST), urgency)
        for width in WIDTHS
        if width.words in PLAIN and width.words.startswith(family)
        if priors or family or not width.needs_priors
        for urgency in urgencies(low, high)[:3]
        if width.at_zero or not urgency.loses
    ]
