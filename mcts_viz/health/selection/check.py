"""Findings about selection: which rule the search selects by, whether it is the one declared, and
the usual mistakes."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from mcts_viz.formulas.selection import SELECTION_FORMULAS
from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch, ComparedChildren
from mcts_viz.health.finding import Finding
from mcts_viz.health.selection.beyond_scale import beyond_scale
from mcts_viz.health.selection.declared_priors import priors_with_declared
from mcts_viz.health.selection.decoupled import check_decoupled
from mcts_viz.health.selection.first_choice import check_first_choice
from mcts_viz.health.selection.fit import GREEDY_BELOW, Fit, bounds_of, fit, joined
from mcts_viz.health.selection.infer import (
    AT_ROOT,
    FEW_CHOICES,
    SCALED,
    TIGHT,
    Inferred,
    Sieve,
    infer,
)
from mcts_viz.health.selection.log_priors import in_place_of_logarithms
from mcts_viz.health.selection.mistakes import best_mistake
from mcts_viz.health.selection.not_as_told import not_as_told
from mcts_viz.health.selection.other_priors import other_priors
from mcts_viz.health.selection.q_forms import first_values, right_and_wrong
from mcts_viz.health.selection.root_noise import check_recorded_noise, check_root_noise
from mcts_viz.health.selection.scores import (
    DOUBLE_LOG,
    FIRST,
    LOG_IN_PUCT,
    PARENT,
    PLAIN,
    PUCT_WITH_LOG,
    UCB1,
    WIDTHS,
    QForm,
    Rule,
    Urgency,
    constant,
    mean,
)
from mcts_viz.health.selection.siblings import check_siblings, check_untold_numbers
from mcts_viz.health.selection.stops import check_stops
from mcts_viz.health.selection.unexplained import (
    FAMILIES,
    WHOLE,
    Unexplained,
    first_unexplained,
    is_rather_a_mistake,
)
from mcts_viz.health.selection.untold_solver import beside_untold_proofs
from mcts_viz.health.selection.untried import check_untried
from mcts_viz.health.selection.weight import check_weight
from mcts_viz.health.selection.with_declared import (
    ROUNDED,
    explains_with,
    form_with_declared,
    is_tight,
)
from mcts_viz.health.selection.words import how_many, numbers, range_words, rule_words

MOST_ROWS = 200_000  # children compared, over all choices looked at
# the logarithms that people take for ln N, as c² in units of the declared one
TWICE = ": as the declared c does with 2 ln N under the root, which selection='ucb1_double_log' declares"
LOGARITHMS = (
    (1 / np.log(10.0), ": as the declared c does with log10 N in place of ln N"),
    (1 / np.log(2.0), ": as the declared c does with log2 N in place of ln N"),
    (2.0, TWICE),
    (0.5, ": as the declared c does with ln N / 2 under the root"),
)
USUAL_C = (0.4, 4.0)  # of MuZero's rule
OF_Q = ("selection-reward", "selection-sum")  # mistakes in what children are compared by
GUMBEL_MUZERO = "gumbel_muzero"
MUZERO = "muzero"  # without its numbers: PUCT whose Q is scaled and whose c grows, both of which are inferred


def check_selection(search: CheckedSearch) -> Iterator[Finding]:
    """Findings about selection."""
    foreign = search.meta.policies.selection.name
    if search.meta.policies.selection.needs_siblings:
        yield from check_siblings(search)
        return
    if foreign == GUMBEL_MUZERO:
        yield from check_untold_numbers(search)
        return
    if foreign and foreign not in SELECTION_FORMULAS and foreign != MUZERO:
        yield found(
            "selection-rule", None, None,
            f"the search says that it selects by {foreign}, a rule that is not known here{_near(foreign)}: its choices "
            "were not compared",
            rule=foreign,
        )  # fmt: skip
        return
    yield from check_recorded_noise(search)
    if not search.of_first_descents:
        yield from check_untried(search)
        yield from check_decoupled(search)
    rows = _compared(search)
    if rows is None:
        return
    yield from beside_untold_proofs(search, rows, _of_choices(search, rows))


def _of_choices(search: CheckedSearch, rows: ComparedChildren) -> Iterator[Finding]:
    """Findings about the choices, each among children that were compared."""
    foreign = search.meta.policies.selection.name
    rows, of_logarithms = in_place_of_logarithms(search, rows)
    if of_logarithms is not None:
        yield of_logarithms
    right, wrong = right_and_wrong(search, rows)
    if foreign and foreign != MUZERO and search.meta.policies.selection.c is not None:
        yield from _declared(search, right, foreign, wrong)
        return
    for form in right:
        known = infer(search, form.rows)
        if known is not None and not is_rather_a_mistake(search, form.rows, known):
            if foreign == MUZERO and _is_not_scaled(search, right, known):
                yield _not_scaled(known, form)
                return
            yield _rule_found(search, known, form.words and f"; {form.words}")
            yield from _greedy(known.fit)
            yield from beyond_scale(search, right[0], form, known.fit)
            yield from _beside_rule(search, form.rows, known.fit)
            if known.aside == AT_ROOT:
                yield from check_root_noise(search, form.rows, known.fit)
            return
    yield _unexplained(search, right, wrong, foreign)


def _near(name: str) -> str:
    """A known rule that may be meant, in words."""
    known = (*SELECTION_FORMULAS, MUZERO, GUMBEL_MUZERO)
    plain = name.lower().replace("-", "_").replace(" ", "_")
    begun = [one for one in known if one.startswith(plain) or plain.startswith(one)]
    near = [*begun, *difflib.get_close_matches(plain, known, 1)]
    return f" (did you mean {near[0]!r}?)" if near else ""


def _compared(search: CheckedSearch) -> ComparedChildren | None:
    """The choices looked at, evenly spread where there are too many; None where there are none."""
    n = search.n_comparisons
    if not n:
        return None
    at_most = max(1, int(n * min(1.0, MOST_ROWS / search.n_compared)))
    return joined(search, list(search.comparisons(at_most)))


def check_beside_own_score(search: CheckedSearch) -> Iterator[Finding]:
    """Mistakes in Q of a search that says it selects by MuZero's rule, where its own score explains the choices: that
    score is the search's, and has the same mistake."""
    if search.meta.policies.selection.name != MUZERO:
        return
    for one in check_selection(search):
        is_whole = float(one.evidence.get("share", 0.0)) >= WHOLE
        if one.check in OF_Q and one.severity == "error" and is_whole:
            yield replace(
                one, message=f"{one.message}. The score that was told has the same mistake"
            )


class _Told(NamedTuple):
    """The rule by which a search says that it selects."""

    name: str
    c: float  # of the same formula with ln N
    words: str
    exact: Fit  # with the declared c

    def times(self, search: CheckedSearch, rows: ComparedChildren) -> str:
        """How many choices it explains, in words."""
        c = search.meta.policies.selection.c or 0.0
        n = _explained_with(search, rows, self.exact.rule, c)
        return f"declared is {self.words}, which explains {n:,} of {self.exact.of:,} choices"

    def first_unexplained(
        self, search: CheckedSearch, rows: ComparedChildren
    ) -> tuple[int, int] | tuple[None, None]:
        """With any c; or, where there is none, with the declared one."""
        c = search.meta.policies.selection.c or 0.0
        with_any = first_unexplained(search, rows, self.exact)
        if with_any[0] is not None:
            return with_any
        return first_unexplained(search, rows, self.exact._replace(low=c, high=c))


def _declared(
    search: CheckedSearch, right: Sequence[QForm], name: str, wrong: Sequence[QForm]
) -> Iterator[Finding]:
    """Where the search says by which rule it selects."""
    rows = right[0].rows
    c = search.meta.policies.selection.c or 0.0
    own = _own_rule(search, name)
    fits = []
    for form in right:
        fits.append(fit(search, form.rows, own))
        if fits[-1].whole and fits[-1].includes(c):
            of_q = f"; {form.words}" if form is not right[0] else ""
            yield _rule_found(search, Inferred(fits[-1]), of_q, declared=c)
            yield from _beside_rule(search, form.rows, fits[-1], c)
            return
    by_ln = np.sqrt(2.0) if name == "ucb1_double_log" else 1.0
    told = _Told(name, c * by_ln, f"{_title(name)} with c = {c:.6g}", fits[0])
    family = [width for width in WIDTHS if width.words.startswith(FAMILIES[name])]
    sieve = Sieve(search, rows)
    alike = infer(search, rows, family, lambda one: one.includes(told.c, ROUNDED), sieve)
    alike = alike or infer(search, rows, family, sieve=sieve)
    if alike is not None and _has_logarithm(alike.fit):
        # with equal priors it is UCB1, which is plainer
        alike = infer(search, rows, [UCB1], sieve=sieve) or alike
    of_family = alike is not None and alike.fit.rule.words.startswith(FAMILIES[name])
    found_alike = [*_of_the_family(search, rows, told, alike)] if alike and of_family else []
    if found_alike:
        yield from found_alike
        return
    of_priors = _with_other_priors(search, rows, told)
    if of_priors is not None:
        yield of_priors
        return
    other = alike or infer(search, rows, sieve=sieve)
    if other is None:
        yield _unexplained(search, right, wrong, told.words)
    else:
        yield from _of_another_rule(search, rows, told, other, wrong)


def _of_the_family(
    search: CheckedSearch, rows: ComparedChildren, told: _Told, alike: Inferred
) -> Iterator[Finding]:
    """Where a rule of the declared family explains the choices, with the declared c, or one that says the same."""
    if _has_logarithm(alike.fit):
        yield _with_logarithm(search, rows, alike, told.exact, told.words)
        return
    if alike.fit.includes(told.c, ROUNDED):
        if _not_as_told(search, alike.fit):
            yield _other_urgency(search, rows, alike.fit, told.exact, told.words)
            return
        contradicted = [*not_as_told(search, rows, told.exact.rule, alike, told.words)]
        if contradicted:
            yield from contradicted
            return
        if alike.fit.includes(told.c) and alike.fit.rule.width is told.exact.rule.width:
            yield _rule_found(search, alike, declared=told.c)
        else:
            yield _rule_found(search, alike, f"; declared is {told.words}")
        yield from _beside_rule(search, rows, alike.fit)
        if alike.aside == AT_ROOT:
            yield from check_root_noise(search, rows, alike.fit)
        return
    scale = _scale_of(search, told.c, alike.fit)
    if scale is not None:
        yield found(
            "selection-not-declared", None, None,
            f"{rule_words(alike)} explains {how_many(alike.fit)} choices; declared is {told.words}, which is the same "
            f"if the search compares values scaled to {scale}, and another weight if it does not"
            f"{_uncapped(told, alike)}",
            **numbers(alike.fit),
        ).as_note()  # fmt: skip


def _uncapped(told: _Told, alike: Inferred) -> str:
    """Of UCB1-Tuned with half of the declared c: what else weighs half as much, wherever V is 1/4 or more."""
    is_half = alike.fit.low <= told.c / 2 * (1 + ROUNDED) and alike.fit.high >= told.c / 2 * (
        1 - ROUNDED
    )
    if told.exact.rule.width.words != "UCB1-Tuned" or not is_half:
        return ""
    return "; so it is, too, where min(1/4, V) stands beside the square root and not below it"


def _of_another_rule(
    search: CheckedSearch,
    rows: ComparedChildren,
    told: _Told,
    other: Inferred,
    wrong: Sequence[QForm],
) -> Iterator[Finding]:
    """Where another rule explains the choices; or a mistake does, with the declared c."""
    fits_too = other.left_out == 0 and other.fit.includes(told.c, ROUNDED)
    # another rule with the declared c, and no other c, is what the search does
    mistake = None if fits_too and _is_plain(other.fit) else best_mistake(search, rows)
    t, node = told.first_unexplained(search, rows)
    if (
        mistake is not None
        and not (fits_too and mistake.rule.check == "selection-other-prior")
        and explains_with(mistake, told.c, other.fit)
    ):
        yield found(
            mistake.rule.check, t, node,
            f"{told.times(search, rows)}; with that c, this explains {how_many(mistake)}: {mistake.rule.words}",
            **numbers(mistake),
        )  # fmt: skip
        return
    family = [width for width in WIDTHS if width.words.startswith(FAMILIES[told.name])]
    of_q = None if fits_too else form_with_declared(search, wrong, family, told.c, other.fit)
    if of_q is not None:
        one = of_q.known.fit
        yield found(
            of_q.form.check, t, node,
            f"{told.times(search, rows)}; with that c, this explains {how_many(one)}: {of_q.form.words} "
            f"(or c is another one in the code: {rule_words(other)} explains {how_many(other.fit)}, too)",
            **numbers(one),
        )  # fmt: skip
        return
    by_ln = FAMILIES[told.name] == UCB1.words
    logarithm = _logarithm_of(told.c, other.fit) if by_ln else ""
    finding = found(
        "selection-not-declared", t, node,
        f"{told.times(search, rows)}; {rule_words(other)} explains {how_many(other.fit)}{logarithm}",
        **numbers(other.fit),
    )  # fmt: skip
    yield finding.as_note() if logarithm == TWICE else finding
    yield from _greedy(other.fit)


def _with_other_priors(
    search: CheckedSearch, rows: ComparedChildren, told: _Told
) -> Finding | None:
    """The declared rule with the priors of other moves."""
    c = search.meta.policies.selection.c or 0.0
    one = priors_with_declared(search, other_priors(search, rows), rows, told.exact.rule, c)
    if one is None:
        return None
    form, known = one
    t, node = told.first_unexplained(search, rows)
    return found(
        form.check, t, node,
        f"{told.times(search, rows)}; with that c, this explains {how_many(known)}: {form.words}",
        **numbers(known),
    )  # fmt: skip


def _unexplained(
    search: CheckedSearch, right: Sequence[QForm], wrong: Sequence[QForm], declared: str | None
) -> Finding:
    rows = right[0].rows
    mistakes = [*wrong, *first_values(search, rows), *other_priors(search, rows)]
    return Unexplained(search, right, mistakes, declared=declared).finding()


def _is_not_scaled(search: CheckedSearch, right: Sequence[QForm], known: Inferred) -> bool:
    """Whether the rule that was found compares Q as it is, and none that scales it explains the choices."""
    one = known.fit
    if one.rule.value is not mean or one.of < FEW_CHOICES or one.high - one.low > TIGHT * one.high:
        return False
    if any(form.words.endswith("is scaled") and infer(search, form.rows) for form in right):
        return False
    return not any(infer(search, form.rows, suits=_is_scaled) for form in right)


def _not_scaled(known: Inferred, form: QForm) -> Finding:
    """A note where c is none that people use: with Q divided by a scale that never changes, c is that much greater."""
    one = known.fit
    usual = one.low <= USUAL_C[1] and one.high >= USUAL_C[0]
    why = (
        "and is not scaled: the least and greatest are never updated, or not used"
        if usual
        else "as with the least and greatest of an earlier search, which all values lie between"
    )
    finding = found(
        "selection-not-declared", None, None,
        "declared is MuZero's rule, whose Q is scaled to [0, 1] by the least and greatest value seen; "
        f"{rule_words(known)} explains {how_many(one)} choices{form.words and '; ' + form.words}, {why}",
        **numbers(one),
    )  # fmt: skip
    return finding if usual else finding.as_note()


def _is_scaled(one: Fit) -> bool:
    return one.rule.value in SCALED


def _logarithm_of(c: float, one: Fit) -> str:
    """Which other logarithm gives UCB1 the weight that was found, in words; empty where none does."""
    if not one.rule.words.startswith("UCB1") or one.high - one.low > TIGHT * one.high:
        return ""
    return next(
        (words for square, words in LOGARITHMS if one.includes(c * np.sqrt(square), ROUNDED)), ""
    )


def _is_plain(one: Fit) -> bool:
    """Whether it is a rule that people use, and nearly one c explains all choices."""
    return is_tight(one) and one.whole and one.rule.value is mean and one.rule.width.words in PLAIN


def _not_as_told(search: CheckedSearch, one: Fit) -> bool:
    """Whether children without visits count as something else than the search says; a number that is found is
    found but roughly."""
    told = search.meta.policies.selection.unvisited
    return told == "first" and one.rule.urgency.of is not None and one.rule.urgency.comes <= 0


def _other_urgency(
    search: CheckedSearch, rows: ComparedChildren, one: Fit, exact: Fit, said: str
) -> Finding:
    t, node = first_unexplained(search, rows, exact)
    return found(
        "selection-unvisited", t, node,
        f"declared is {said}, and that children without visits come first; {exact.of - exact.n:,} of {exact.of:,} "
        f"choices pass over such a child. {one.rule.words} explains {how_many(one)}",
        **numbers(one),
    )  # fmt: skip


def _has_logarithm(one: Fit) -> bool:
    """Whether it is PUCT with a logarithm, of enough choices."""
    return one.rule.words.startswith(PUCT_WITH_LOG) and one.of >= FEW_CHOICES


def _with_logarithm(
    search: CheckedSearch, rows: ComparedChildren, alike: Inferred, exact: Fit, said: str
) -> Finding:
    """Of a search that says it is PUCT, and has UCB1's logarithm in its exploration term."""
    t, node = first_unexplained(search, rows, exact)
    one = alike.fit
    return found(
        LOG_IN_PUCT, t, node,
        f"declared is {said}, whose exploration term is P·√N / (1 + n); {rule_words(alike)} explains {how_many(one)} "
        "choices: P·√(ln N / (1 + n)), half UCB1 and half PUCT. Exploration grows by next to nothing, and moves with "
        "low priors are given up",
        **numbers(one),
    )  # fmt: skip


def _scale_of(search: CheckedSearch, c: float, one: Fit) -> str | None:
    """The range that values would have to be scaled to for c to be the weight that was found."""
    low, high = search.value_range
    for scaled_low, scaled_high in ((0, 1), (-1, 1)):
        if one.includes(c * (high - low) / (scaled_high - scaled_low)):
            return f"[{scaled_low}, {scaled_high}]"
    return None


def _explained_with(search: CheckedSearch, rows: ComparedChildren, rule: Rule, c: float) -> int:
    """How many choices the rule explains with this very c."""
    low, high = bounds_of(search, rows, rule)
    slack = 1e-6 * max(1.0, abs(c))
    return int(((low - slack <= c) & (c <= high + slack) & (low <= high)).sum())


def _own_rule(search: CheckedSearch, name: str) -> Rule:
    """The rule as it is declared."""
    policy = search.meta.policies.selection
    urgency = FIRST
    if policy.unvisited == "parent":
        urgency = PARENT
    elif isinstance(policy.unvisited, (int, float)):
        urgency = Urgency("", constant(policy.unvisited))
    words = _title(name)
    if policy.n == "children":
        words = {"UCB1": "UCB1 (N of all children)", "PUCT": "PUCT (N of all children)"}.get(
            words, words
        )
    width = next(one for one in (DOUBLE_LOG, *WIDTHS) if one.words == words)
    return Rule("selection-rule", words, mean, width, urgency)


def _title(name: str) -> str:
    return DOUBLE_LOG.words if name == "ucb1_double_log" else FAMILIES[name]


def _rule_found(
    search: CheckedSearch, known: Inferred, more: str = "", declared: float | None = None
) -> Finding:
    rest = search.n_comparisons - known.fit.of - known.left_out
    sampled = f" looked at, evenly spread over {search.n_comparisons:,}" if rest > 0 else ""
    aside = "" if not known.aside else f"; left aside are {known.left_out:,} {known.aside}"
    weight = range_words(known.fit) if declared is None else f"the declared c = {declared:.6g}"
    text = (
        f"{known.fit.rule.words} with {weight} explains {how_many(known.fit)} choices"
        f"{sampled}{aside}{more}"
    )
    return found("selection-rule", None, None, text, **numbers(known.fit))


def _beside_rule(
    search: CheckedSearch, rows: ComparedChildren, one: Fit, declared: float | None = None
) -> Iterator[Finding]:
    """What is worth knowing of a rule that explains the choices."""
    yield from check_stops(search, one, declared)
    yield from check_weight(rows, one, declared)
    yield from check_first_choice(rows, one)


def _greedy(one: Fit) -> Iterator[Finding]:
    if one.high < GREEDY_BELOW and one.of >= FEW_CHOICES:
        yield found(
            "selection-greedy", None, None,
            f"nothing is explored: only c below {one.high:.2g} explains the {one.of:,} choices",
            **numbers(one),
        )  # fmt: skip
