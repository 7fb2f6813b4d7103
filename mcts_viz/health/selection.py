"""Findings about selection: which rule the search selects by, whether it is the one declared, and
the usual mistakes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from mcts_viz.formulas.selection import SELECTION_FORMULAS
from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch, ComparedChildren
from mcts_viz.health.finding import Finding
from mcts_viz.health.iteration_range import IterationRange
from mcts_viz.health.occurrences import Occurrences
from mcts_viz.health.selection_fit import GREEDY_BELOW, Fit, bounds_of, fit, joined
from mcts_viz.health.selection_infer import (
    FEW_CHOICES,
    GREAT,
    NO_VALUE,
    TIGHT,
    Inferred,
    Sieve,
    best_mistake,
    best_share,
    has_priors,
    infer,
    kept_choices,
    known_among_visited,
)
from mcts_viz.health.selection_random import Draw, children_come_late, drawn, drawn_now_and_then
from mcts_viz.health.selection_rewards import right_and_wrong
from mcts_viz.health.selection_scores import (
    DOUBLE_LOG,
    FIRST,
    PARENT,
    PLAIN,
    WIDTHS,
    QForm,
    Rule,
    Urgency,
    constant,
    mean,
)
from mcts_viz.health.siblings import check_siblings
from mcts_viz.trace.asides import PRIORS_CHANGE
from mcts_viz.types import Bools, Ints

SELDOM = 0.15  # share of choices
MANY_LEFT_OUT, WHOLE = (
    0.2,
    0.9995,
)  # of choices left aside, and of those that a mistake explains then
MANY_CHILDREN, LATE = (
    5,
    0.5,
)  # of a root that goes on getting some: its last one after this share of the iterations
FEWER = 1 / 3  # of the choices that a rule leaves unexplained, which a mistake may leave
ROUNDED = 0.01  # part of c by which the one declared may be off: 1.4 is said for √2
MOST_ROWS = 200_000  # children compared, over all choices looked at
MUZERO = "muzero"  # without its numbers: PUCT whose Q is scaled and whose c grows, both of which are inferred
FAMILIES = {"ucb1": "UCB1", "ucb1_double_log": "UCB1", "ucb1_tuned": "UCB1-Tuned", "puct": "PUCT"}


def check_selection(search: CheckedSearch) -> Iterator[Finding]:
    """Findings about selection."""
    foreign = search.meta.policies.selection.name
    if search.meta.policies.selection.needs_siblings:
        yield from check_siblings(search)
        return
    if foreign and foreign not in SELECTION_FORMULAS and foreign != MUZERO:
        yield found(
            "selection-rule", None, None,
            f"the search says that it selects by {foreign}, a rule that is not known here: its choices "
            "were not compared",
            rule=foreign,
        )  # fmt: skip
        return
    yield from _untried(search)
    rows = _compared(search)
    if rows is None:
        return
    right, wrong = right_and_wrong(search, rows)
    if foreign and foreign != MUZERO:
        yield from _declared(search, right, foreign, wrong)
        return
    for form in right:
        known = infer(search, form.rows)
        if known is not None and not _is_rather_a_mistake(search, form.rows, known):
            yield _rule_found(search, known, form.words and f"; {form.words}")
            yield from _greedy(known.fit)
            return
    yield from _unexplained(search, right, wrong, declared=foreign)


def _is_rather_a_mistake(search: CheckedSearch, rows: ComparedChildren, known: Inferred) -> bool:
    """Whether a rule explains the choices only with many of them left aside, and a mistake explains them all."""
    if not known.aside or known.left_out < MANY_LEFT_OUT * len(rows.chosen):
        return False
    mistake = best_mistake(search, rows)
    return mistake is not None and mistake.share >= WHOLE


def _compared(search: CheckedSearch) -> ComparedChildren | None:
    """The choices looked at, evenly spread where there are too many; None where there are none."""
    n = search.n_comparisons
    if not n:
        return None
    at_most = max(1, int(n * min(1.0, MOST_ROWS / search.n_compared)))
    return joined(list(search.comparisons(at_most)))


def _declared(
    search: CheckedSearch, right: Sequence[QForm], name: str, wrong: Sequence[QForm]
) -> Iterator[Finding]:
    """Where the search says by which rule it selects."""
    rows = right[0].rows
    policy_c = c = search.meta.policies.selection.c or 0.0
    said = f"{_title(name)} with c = {c:.6g}"
    exact = fit(search, rows, _own_rule(search, name))
    if exact.whole and _inside(c, exact):
        yield _rule_found(search, Inferred(exact), declared=c)
        return
    if name == "ucb1_double_log":
        c *= np.sqrt(2.0)  # of the same formula with ln N
    family = [width for width in WIDTHS if width.words.startswith(FAMILIES[name])]
    sieve = Sieve(search, rows)
    alike = infer(search, rows, family, lambda one: _inside(c, one, ROUNDED), sieve)
    alike = alike or infer(search, rows, family, sieve=sieve)
    if alike is not None and _inside(c, alike.fit, ROUNDED):
        if _not_as_told(search, alike.fit):
            yield _other_urgency(search, rows, alike.fit, exact, said)
        else:
            yield _rule_found(search, alike, f"; declared is {said}")
        return
    scale = None if alike is None else _scale_of(search, c, alike.fit)
    if alike is not None and scale is not None:
        yield replace(
            found(
                "selection-not-declared", None, None,
                f"{_words(alike)} explains {_how_many(alike.fit)} choices; declared is {said}, which is the same if "
                f"the search compares values scaled to {scale}, and another weight if it does not",
                **_numbers(alike.fit),
            ),
            severity="note",
        )  # fmt: skip
        return
    other = alike or infer(search, rows, sieve=sieve)
    mistake = None if other is None else best_mistake(search, rows)
    if other is not None and mistake is not None and _with_declared(mistake, c, other.fit):
        t, node = _first_unexplained(search, rows, exact)
        yield found(
            mistake.rule.check, t, node,
            f"declared is {said}, which explains {_explained_with(search, rows, exact.rule, policy_c):,} of "
            f"{exact.of:,} choices; with that c, this explains {_how_many(mistake)}: {mistake.rule.words}",
            **_numbers(mistake),
        )  # fmt: skip
        return
    if other is not None:
        t, node = _first_unexplained(search, rows, exact)
        yield found(
            "selection-not-declared", t, node,
            f"declared is {said}, which explains {_explained_with(search, rows, exact.rule, policy_c):,} of "
            f"{exact.of:,} choices; "
            f"{_words(other)} explains {_how_many(other.fit)}",
            **_numbers(other.fit),
        )  # fmt: skip
        yield from _greedy(other.fit)
        return
    yield from _unexplained(search, right, wrong, declared=said)


def _with_declared(mistake: Fit, c: float, other: Fit) -> bool:
    """Whether a mistake explains the choices with the declared c, and another rule only with one that nobody wrote."""
    tight = mistake.high - mistake.low <= TIGHT * mistake.high
    odd = other.high < GREEDY_BELOW or other.rule.words not in PLAIN
    return _inside(c, mistake, ROUNDED) and (tight or odd)


def _not_as_told(search: CheckedSearch, one: Fit) -> bool:
    """Whether children without visits count as something else than the search says; a number that is found is
    found but roughly."""
    told = search.meta.policies.selection.unvisited
    return told == "first" and one.rule.urgency.of is not None and one.rule.urgency.comes <= 0


def _other_urgency(
    search: CheckedSearch, rows: ComparedChildren, one: Fit, exact: Fit, said: str
) -> Finding:
    t, node = _first_unexplained(search, rows, exact)
    return found(
        "selection-unvisited", t, node,
        f"declared is {said}, and that children without visits come first; {exact.of - exact.n:,} of {exact.of:,} "
        f"choices pass over such a child. {one.rule.words} explains {_how_many(one)}",
        **_numbers(one),
    )  # fmt: skip


def _scale_of(search: CheckedSearch, c: float, one: Fit) -> str | None:
    """The range that values would have to be scaled to for c to be the weight that was found."""
    low, high = search.value_range
    for scaled_low, scaled_high in ((0, 1), (-1, 1)):
        if _inside(c * (high - low) / (scaled_high - scaled_low), one):
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


def _inside(c: float, one: Fit, part: float = 1e-6) -> bool:
    """Whether c is among those found; part: by which share of itself it may be off."""
    slack = part * max(abs(c), min(1.0, 1e-6 / part))
    return one.low - slack <= c <= one.high + slack


def _range(one: Fit) -> str:
    name = "init" if "init" in one.rule.words else "c"
    if np.isinf(one.high):
        return f"{name} ≥ {one.low:.4g}" if one.low > 0 else f"any {name}"
    low, high = f"{one.low:.4g}", f"{one.high:.4g}"
    return f"{name} = {low}" if low == high else f"{name} in [{low}, {high}]"


def _numbers(one: Fit) -> dict[str, Any]:
    high = None if np.isinf(one.high) else one.high
    return {"rule": one.rule.words, "c_low": one.low, "c_high": high, "share": one.share,
            "choices": one.of}  # fmt: skip


def _how_many(one: Fit) -> str:
    return f"all {one.of:,}" if one.n == one.of else f"{one.n:,} of {one.of:,}"


def _words(known: Inferred) -> str:
    return f"{known.fit.rule.words}, with {_range(known.fit)},"


def _rule_found(
    search: CheckedSearch, known: Inferred, more: str = "", declared: float | None = None
) -> Finding:
    rest = search.n_comparisons - known.fit.of - known.left_out
    sampled = f" looked at, evenly spread over {search.n_comparisons:,}" if rest > 0 else ""
    aside = "" if not known.aside else f"; left aside are {known.left_out:,} {known.aside}"
    weight = _range(known.fit) if declared is None else f"the declared c = {declared:.6g}"
    text = (
        f"{known.fit.rule.words} with {weight} explains {_how_many(known.fit)} choices"
        f"{sampled}{aside}{more}"
    )
    return found("selection-rule", None, None, text, **_numbers(known.fit))


def _greedy(one: Fit) -> Iterator[Finding]:
    if one.high < GREEDY_BELOW and one.of >= FEW_CHOICES:
        yield found(
            "selection-greedy", None, None,
            f"nothing is explored: only c below {one.high:.2g} explains the {one.of:,} choices",
            **_numbers(one),
        )  # fmt: skip


def _first_unexplained(
    search: CheckedSearch, rows: ComparedChildren, one: Fit
) -> tuple[int, int] | tuple[None, None]:
    """Iteration and parent of the first choice that the rule does not explain with its c."""
    bad = np.flatnonzero(_unexplained_choices(search, rows, one))
    if len(bad):
        return int(rows.iteration[bad[0]]), int(rows.parent[bad[0]])
    return None, None


def _unexplained_choices(search: CheckedSearch, rows: ComparedChildren, one: Fit) -> Bools:
    """[C] those that the rule does not explain with its c."""
    low, high = bounds_of(search, rows, one.rule)
    return np.asarray((low > one.high) | (high < one.low) | (low > high))


def _unexplained(
    search: CheckedSearch, right: Sequence[QForm], wrong: Sequence[QForm], declared: str | None
) -> Iterator[Finding]:
    """The mistake that fits, else how much is not explained."""
    rows = right[0].rows
    legit = best_share(search, rows)
    t, node = _first_unexplained(search, rows, legit)
    missed = _missed(legit)
    among = [one for form in right if (one := known_among_visited(search, form.rows))]
    visited = next((one for one in among if _as_policy_says(search, rows, one)), None)
    for form in () if visited else wrong:
        known = infer(search, form.rows)
        if known is None or ("scaled" in form.words and "scaled" not in known.fit.rule.words):
            continue
        if not _is_rather_a_mistake(search, rows, known):
            yield found(
                form.check, t, node,
                f"{missed}; but this explains {_how_many(known.fit)}: {form.words}; {_words(known)[:-1]}",
                **_numbers(known.fit),
            )  # fmt: skip
            return
    mistake = best_mistake(search, rows)
    if visited is not None and mistake is not None:
        # a mistake in how children with visits are compared would show there
        about_others = mistake.rule.check == "selection-unvisited" or mistake.whole
        mistake = mistake if about_others else None
    if visited is not None and mistake is None:
        yield _own_urgency(search, rows, visited)
        return
    if not among and (mistake is None or not mistake.whole):
        for form in wrong:
            seen = known_among_visited(search, form.rows)
            if seen is not None and ("scaled" not in form.words or "scaled" in seen.rule.words):
                yield found(
                    form.check, t, node,
                    f"{missed}; but as far as children with visits are compared, this explains all: {form.words}; "
                    f"{seen.rule.words}, with {_range(seen)}",
                    **_numbers(seen),
                )  # fmt: skip
                return
    low, high = search.value_range
    kept = None
    odd = mistake is not None and mistake.low >= GREAT * (high - low) and not _is_no_value(mistake)
    # a child that is taken again and again, as it is kept, or as others are avoided
    again = mistake is not None and mistake.rule.check == "selection-minus"
    again = again and mistake is not None and mistake.high > 2 * mistake.low  # no certain c
    if mistake is None or odd or again:
        kept = kept_choices(search, rows)
    always = (~rows.repeats).sum() < FEW_CHOICES
    explores = kept is not None and kept.high >= GREEDY_BELOW
    all_of_it = mistake is not None and mistake.whole and np.isfinite(mistake.high)
    if kept is not None and (mistake is None or explores or (always and not all_of_it)):
        yield found(
            "selection-cached", t, node,
            f"{kept.rule.words} with {_range(kept)} explains {kept.n:,} of {kept.of:,} choices; in all "
            "others the child taken the last time is taken again, though another has the higher score",
            **_numbers(kept),
        )  # fmt: skip
        return
    no_value = legit.low >= NO_VALUE * (high - low)
    fewer = mistake is not None and 1 - mistake.share <= FEWER * (1 - legit.share)
    if mistake is not None and (fewer or no_value or legit.whole):
        yield found(
            mistake.rule.check, t, node,
            f"{missed}; but this explains {mistake.share:.1%}: {mistake.rule.words}, with {_range(mistake)}",
            **_numbers(mistake),
        )  # fmt: skip
        return
    draw = drawn(search, rows, legit)
    great = legit.low >= GREAT * (high - low)  # such a c says that another rule is at work
    now_and_then = drawn_now_and_then(search, rows, legit) if draw is None and not great else None
    if draw is not None or (now_and_then is not None and declared):
        finding = _random(draw or now_and_then, legit, t, node)
        if not declared and children_come_late(search):
            late = (
                "; or each iteration chooses among others, as where hidden cards are dealt anew (ISMCTS): children "
                "came after choices among their siblings"
            )
            yield replace(finding, severity="note", message=finding.message + late)
            return
        yield finding if declared else replace(finding, severity="warning")
        return
    discounted = search.alone and search.discount not in (None, 1.0)
    not_told = (search.meta.step_rewards or discounted) and not search.rewards.any()
    moving = any(each.text == PRIORS_CHANGE for each in search.trace.columns.asides.remarks)
    expected = declared or (has_priors(rows) and not moving)
    severity = "warning" if expected and not not_told else "note"
    unvisited = _at_unvisited(search, rows, legit)
    text = f"{missed}{unvisited}, nor a usual mistake; {_range(legit)} fits most"
    if not_told:
        text += "; moves bring rewards, which belong to Q and were not told (reward=)"
    if moving:
        text += "; priors change as the search goes on, and these are the first ones"
    if now_and_then is not None:
        text += f"; in {now_and_then.share:.0%} of the choices a child seems to be drawn {now_and_then.words}"
    if not declared:
        text += (
            ". What the search selects by can be declared: selection=, c=, unvisited=, n=, or score= for a "
            "rule of its own"
        )
    yield replace(
        found("selection-unexplained", t, node, text, **_numbers(legit)), severity=severity
    )


def _as_policy_says(search: CheckedSearch, rows: ComparedChildren, one: Fit) -> bool:
    """Whether the search declares nothing else: no other c, and nothing of children without visits that is known."""
    policy = search.meta.policies.selection
    if policy.unvisited is not None and not _lacks_parents(search, rows):
        return False
    c = policy.c
    if c is not None and policy.name == "ucb1_double_log":
        c *= np.sqrt(2.0)
    return c is None or policy.name not in FAMILIES or _inside(c, one, ROUNDED)


def _lacks_parents(search: CheckedSearch, rows: ComparedChildren) -> bool:
    """Whether children without visits count as their parent, whose value for the player who chooses is not known."""
    return search.meta.policies.selection.takes_parent and bool(np.isnan(rows.parent_mean).any())


def _own_urgency(search: CheckedSearch, rows: ComparedChildren, one: Fit) -> Finding:
    """The rule is known; what children without visits count as is not."""
    n = int(np.add.reduceat(rows.visits == 0, rows.first).astype(np.bool_).sum())
    why = (
        "is none of the usual numbers: an estimate or an evaluation of their own. To have these compared, too, declare "
        "unvisited= or score="
    )
    if _lacks_parents(search, rows):
        why = (
            "is their parent's value for the player who chooses, which is not in the trace. To have these compared, "
            "too, give value= with an entry for each player"
        )
    return found(
        "selection-rule", None, None,
        f"{one.rule.words} with {_range(one)} explains all choices as far as children with visits are compared; what "
        f"those without count as, at {n:,} of {one.of:,} choices, {why}",
        **_numbers(one), of_children_without_visits=n,
    )  # fmt: skip


def _missed(legit: Fit) -> str:
    rule = legit.rule.words
    if legit.whole:
        return f"{rule} would explain the {legit.of:,} choices, but only with {_range(legit)}"
    return f"{legit.of - legit.n:,} of {legit.of:,} choices fit no c of {rule}"


def _random(draw: Draw | None, legit: Fit, t: int | None, node: int | None) -> Finding:
    assert draw is not None
    if draw.share < 1:
        text = (
            f"in {draw.share:.0%} of {legit.of:,} choices a child is drawn {draw.words} (ε-greedy); "
            f"{legit.rule.words} with {_range(legit)} explains the others"
        )
    else:
        text = (
            f"the {legit.of:,} choices are random draws among the children, {draw.words}: means, visits and "
            f"ages of those taken are what such draws give, within {draw.deviations:.1f} standard deviations"
        )
    return found("selection-random", t, node, text, share=draw.share, choices=legit.of)


def _at_unvisited(search: CheckedSearch, rows: ComparedChildren, one: Fit) -> str:
    """Where the choices are that a rule does not explain, if all are of one kind."""
    bad = _unexplained_choices(search, rows, one)
    untried = np.zeros(len(rows.chosen), np.bool_)
    untried[rows.of[rows.visits == 0]] = True
    for kind, words in (
        (untried, "all of them where a child has no visits yet"),
        (~untried, "all of them where every child has visits"),
    ):
        if bad.any() and kind[bad].all() and not kind.all():
            return f" ({words})"
    return ""


def _is_no_value(one: Fit) -> bool:
    return one.rule.check == "selection-no-value"


def _untried(search: CheckedSearch) -> Iterator[Finding]:
    """A choice among existing children of a node that gets another child later on."""
    seen, choices, there, more = Occurrences(), 0, 0, 0
    widening = Widening(search)
    for part in search.ranges():
        iteration, parent, _, k, _ = search.choices(part)
        last = search.n_children(parent)
        bad = k < last
        if bad.any() and not seen.times:
            i = int(np.argmax(bad))
            there, more = int(k[i]), int(last[i] - k[i])
        choices += len(k)
        seen.add(bad, iteration, parent)
        widening.look(part, iteration[bad], parent[bad], k[bad])
    t, node, times = seen
    if not times:
        return
    law = widening.law()
    if law is not None:
        yield found("selection-widening", None, None, f"progressive widening: {law}", times=times)
        return
    text = (
        f"iteration {t:,} chooses among {there} children of node {node:,}, which gets {more} more later; "
        f"{times:,} of {choices:,} choices are made while moves are untried"
    )
    meant = None
    if not np.isnan(search.trace.columns.nodes.prior[1 : search.N]).all():
        meant = "a search with priors may make each child when it first chooses it"
    elif search.rules is None and times < SELDOM * choices:
        meant = (
            "so do searches whose moves depend on chance or on what is hidden: declare chance= for nodes of "
            'chance, or selection= with a name, such as "open-loop UCT" or "ISMCTS"'
        )
    elif search.rules is None and search.alone:  # an agent's moves may have no end
        meant = "so do searches that decide by themselves when a node gets a further child, such as AB-MCTS"
    untried = found(
        "selection-untried", t, node, text if meant is None else f"{text}; {meant}", times=times,
        choices=choices,
    )  # fmt: skip
    yield untried if meant is None else replace(untried, severity="note")


class Widening:
    """Whether the number of children follows from the visits of their parent alone (progressive
    widening, Coulom 2007): with k children a further one is made from a certain visit on, and never
    before it."""

    def __init__(self, search: CheckedSearch) -> None:
        self.search = search
        # by number of children: most visits at which one was chosen, least at which one was made
        self.chosen: dict[int, int] = {}
        self.made: dict[int, int] = {}

    def look(self, part: IterationRange, iteration: Ints, parent: Ints, k: Ints) -> None:
        """Choices among k children, while more were still to be made."""
        visits, _, _ = part.before(parent, iteration).with_squares
        for children in np.unique(k).tolist():
            most = int(visits[k == children].max())
            self.chosen[children] = max(self.chosen.get(children, 0), most)
        born = self.search.born
        first, last = np.searchsorted(born, (part.first, part.last + 1))
        node = np.arange(max(first, 1), last)
        above = self.search.parent[node].astype(np.int64)
        at = born[node].astype(np.int64)
        count = self.search.families.count(above, node)
        visits, _, _ = part.before(above, at).with_squares
        for children in np.unique(count).tolist():
            if children:
                least = int(visits[count == children].min())
                self.made[children] = min(self.made.get(children, least), least)

    def law(self) -> str | None:
        """In words; None where there is none."""
        both = sorted(self.chosen.keys() & self.made.keys())
        if len(both) < 2 or any(self.chosen[k] >= self.made[k] for k in both):
            return None
        visits = np.array([self.made[k] for k in both], np.float64)
        slope, start = np.polyfit(np.log(np.maximum(visits, 1)), np.log(np.array(both) + 1.0), 1)
        return (
            f"a node gets a further child from a certain visit on, some {np.exp(start):.2g}·N^{slope:.2g} "
            "children at N visits"
        )
