"""Choices that no correct rule explains: the mistake that does, chance, or how much is left unexplained."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch, ComparedChildren
from mcts_viz.health.finding import Finding
from mcts_viz.health.selection.declared_priors import priors_with_puct
from mcts_viz.health.selection.depth_of_choices import limit_of_untried, may_be_untried_at_limit
from mcts_viz.health.selection.first_choices import FirstChoices, first_choices, from_the_first
from mcts_viz.health.selection.fit import GREEDY_BELOW, Fit, bounds_of, lost_by_choice, up_to_chosen
from mcts_viz.health.selection.infer import (
    FEW_CHOICES,
    GREAT,
    NO_VALUE,
    TIGHT,
    Inferred,
    Sieve,
    best_share,
    has_priors,
    infer,
    kept_choices,
    known_among_visited,
    known_to_grow,
)
from mcts_viz.health.selection.log_priors import has_logarithms
from mcts_viz.health.selection.loops import LoopMistake, drawn_from_list, loop_mistake
from mcts_viz.health.selection.mistakes import best_mistake
from mcts_viz.health.selection.never_left import OF_ONE_CHILD, never_left_by
from mcts_viz.health.selection.oddities import is_far_fetched
from mcts_viz.health.selection.other_terms import wrong_term
from mcts_viz.health.selection.own_numbers import OwnNumbers, own_numbers
from mcts_viz.health.selection.random_choices import (
    Draw,
    children_come_late,
    drawn,
    drawn_now_and_then,
)
from mcts_viz.health.selection.scores import LOG_IN_PUCT, UCB1_OF_ROOT, QForm
from mcts_viz.health.selection.soft_draws import soft_draw
from mcts_viz.health.selection.sorted_siblings import sorted_siblings
from mcts_viz.health.selection.start_score import below_the_start
from mcts_viz.health.selection.untried import keeps_rollouts
from mcts_viz.health.selection.whole_tree import best_of_tree
from mcts_viz.health.selection.with_declared import ROUNDED
from mcts_viz.health.selection.words import (
    how_many,
    missed_words,
    numbers,
    range_words,
    rule_words,
    unvisited_words,
)
from mcts_viz.trace.asides import PRIORS_CHANGE
from mcts_viz.trace.sibling_terms import GUMBEL
from mcts_viz.types import Bools

FROM_THERE = (
    "the rule, or a number in it, is another from there on, or changes as the search goes on"
)
NO_C = 1e-6  # of the range of values: less is none
MOST_STRAY = 0.001  # share of choices whose way may be another one, where nodes are shared
MANY_LEFT_OUT = 0.2  # of the choices, left aside by a rule that explains the others
# choices left aside by a rule that fits with c = 0: one child takes nearly all visits, and many rules say so
SOME_LEFT_OUT = 100
WHOLE = 0.9995  # of the choices, which a mistake explains that is named in place of such a rule
FEWER = 1 / 3  # of the choices that a rule leaves unexplained, which a mistake may leave
MOST_OF_LIST = 0.9  # of the choices, which a rule explains that takes the best of all children
MOST_FIRST = 0.9  # of the choices, which take the first child: such a list says nothing
FEW_TIES = 0.03  # of the choices, in which a search may take a child whose score is lower by next to nothing
FEW_OF_ROLLOUTS = 0.1  # of the choices
MOST_WITH_BOUNDS = 0.8  # of the choices
NEXT_TO_NOTHING = 1e-3  # part of the range of values: scores that are rounded to three digits
# mistakes in what the mean is made of
OF_MEANS = ("selection-divided-twice", "selection-prior-in-value")
OF_PRIORS = ("puct", "muzero")
FAMILIES = {"ucb1": "UCB1", "ucb1_double_log": "UCB1", "ucb1_tuned": "UCB1-Tuned", "puct": "PUCT"}
BOUNDS_OF_SOLVER = (
    "draws are proven, and where a solver keeps bounds it may leave aside children that cannot become better than "
    "another one, which are not proven themselves"
)


class Unexplained:
    """What may explain the choices, the likeliest first."""

    def __init__(
        self,
        search: CheckedSearch,
        right: Sequence[QForm],
        wrong: Sequence[QForm],
        declared: str | None,
    ) -> None:
        """right, wrong: what children may be compared by, and by mistake; declared: the rule in words, where the
        search says one."""
        self.search, self.right, self.wrong, self.declared = search, right, wrong, declared
        self.rows = right[0].rows
        families = {**FAMILIES, "muzero": FAMILIES["puct"]}
        self._family = families.get(search.meta.policies.selection.name or "", "")
        self.legit = best_share(search, self.rows, self._family)
        self.t: int | None
        self.node: int | None
        self.t, self.node = first_unexplained(search, self.rows, self.legit)
        self.missed = missed_words(self.legit)
        self.among_visited = [
            one for form in right if (one := known_among_visited(search, form.rows))
        ]
        # the one of these that is in keeping with what the search declares
        self.visited = next(
            (one for one in self.among_visited if _as_policy_says(search, self.rows, one)), None
        )

    def finding(self) -> Finding:
        """The one finding about these choices."""
        for explanation in (
            self._untried_at_limit,
            self._wrong_form,
            self._wrong_priors,
            self._own_urgency,
            self._wrong_form_among_visited,
            self._best_of_tree,
            self._below_the_start,
            self._wrong_term,
            self._sorted_siblings,
            self._cached_choice,
            self._mistake,
            self._loop,
            self._list_not_emptied,
            self._grown,
            self._own_numbers,
            self._chance,
        ):
            finding = explanation()
            if finding is not None:
                return finding
        return self._nothing()

    @cached_property
    def mistake(self) -> Fit | None:
        """The mistake that explains most."""
        mistake = best_mistake(self.search, self.rows)
        if self.visited is None or mistake is None:
            return mistake
        # a mistake in how children with visits are compared would show there
        about_others = mistake.rule.check == "selection-unvisited" or mistake.whole
        return mistake if about_others else None

    @cached_property
    def _small(self) -> str | None:
        """A rule with a small c that explains every choice, in words."""
        return never_left_by(self.search, self.rows)

    @cached_property
    def width(self) -> float:
        """Of the range of values."""
        low, high = self.search.value_range
        return high - low

    def _wrong_form(self) -> Finding | None:
        # two mistakes at once come last
        for widths in () if self.visited else (None, (UCB1_OF_ROOT,)):
            for form, sieve in self._sifted:
                if form.check in OF_MEANS and not self._compares_means:
                    continue
                known = infer(self.search, form.rows, widths, sieve=sieve)
                if known is None or not _is_in_keeping(form, known.fit) or self._small:
                    continue
                if self._needs_no_exploration(known.fit) or self._is_plainer(known.fit):
                    continue
                if not is_rather_a_mistake(self.search, self.rows, known):
                    # with the c that is known now
                    t, node = first_unexplained(self.search, self.rows, known.fit)
                    t, node = (self.t, self.node) if t is None else (t, node)
                    return self._of_form(form, found(
                        form.check, t, node,
                        f"{self.missed}; but this explains {how_many(known.fit)}: {form.words}; "
                        f"{rule_words(known)[:-1]}",
                        **numbers(known.fit),
                    ))  # fmt: skip
        return None

    def _wrong_priors(self) -> Finding | None:
        """Those of other moves, which show in the first choices at nodes."""
        one = None if self.declared else priors_with_puct(self.search, self.wrong, self.rows)
        if one is None:
            return None
        form, known = one
        t, node = first_unexplained(self.search, self.rows, known)
        t, node = (self.t, self.node) if t is None else (t, node)
        return found(
            form.check, t, node,
            f"{self.missed}; but this explains {how_many(known)}: {form.words}; {known.rule.words} with "
            f"{range_words(known)}",
            **numbers(known),
        )  # fmt: skip

    @cached_property
    def _sifted(self) -> list[tuple[QForm, Sieve]]:
        """The mistakes, each with what a few choices say of rules by it."""
        return [(form, Sieve(self.search, form.rows)) for form in self.wrong]

    def _needs_no_exploration(self, found: Fit) -> bool:
        """Whether a rule fits without any exploration, too, and a mistake that explains as much needs some."""
        mistake = self.mistake if found.low <= 0 else None
        return mistake is not None and mistake.whole and mistake.low > 0

    def _is_plainer(self, found: Fit) -> bool:
        """Whether one mistake in a plain rule explains all that another one does with an odd rule."""
        if not is_far_fetched(self.search, found):
            return False
        mistake = self.mistake
        return (
            mistake is not None
            and mistake.share >= WHOLE
            and not is_far_fetched(self.search, mistake)
        )

    @cached_property
    def _compares_means(self) -> bool:
        """Whether several children with visits are compared: one alone says nothing of what Q is made of."""
        rows = self.rows
        n_visited = np.bincount(rows.of[rows.visits > 0], minlength=len(rows.chosen))
        return int((n_visited > 1).sum()) >= FEW_CHOICES

    def _of_form(self, form: QForm, finding: Finding) -> Finding:
        """A note where it may be meant: what is told as the prior may be an evaluation that counts beside the value."""
        meant = form.check == "selection-prior-in-value" and not self.declared
        return finding.as_note() if meant else finding

    def _own_urgency(self) -> Finding | None:
        """The rule is known; what children without visits count as is not."""
        one, rows = self.visited, self.rows
        if one is None or self.mistake is not None:
            return None
        n = int(np.add.reduceat(rows.visits == 0, rows.first).astype(np.bool_).sum())
        why = (
            "is none of the usual numbers: an estimate or an evaluation of their own. To have these compared, too, "
            "declare unvisited= or score="
        )
        if _lacks_parents(self.search, rows):
            why = (
                "is their parent's value for the player who chooses, which is not in the trace. To have these "
                "compared, too, give value= with an entry for each player"
            )
        return found(
            "selection-rule", None, None,
            f"{one.rule.words} with {range_words(one)} explains all choices as far as children with visits are "
            f"compared; what those without count as, at {n:,} of {one.of:,} choices, {why}",
            **numbers(one), of_children_without_visits=n,
        )  # fmt: skip

    def _wrong_form_among_visited(self) -> Finding | None:
        if self.among_visited or (self.mistake is not None and self.mistake.whole):
            return None
        for form, sieve in self._sifted:
            seen = known_among_visited(self.search, form.rows, sieve)
            if seen is not None and _is_in_keeping(form, seen):
                return self._of_form(form, found(
                    form.check, self.t, self.node,
                    f"{self.missed}; but as far as children with visits are compared, this explains all: "
                    f"{form.words}; {seen.rule.words}, with {range_words(seen)}",
                    **numbers(seen),
                ))  # fmt: skip
        return None

    @cached_property
    def _begun(self) -> FirstChoices | None:
        """What a plain rule explains from the first choice on."""
        rows = from_the_first(self.search, self.rows)
        return None if rows is None else first_choices(self.search, rows, self._family)

    def _sorted_siblings(self) -> Finding | None:
        """Priors that belong to the children in the order of before."""
        rows = from_the_first(self.search, self.rows)
        if rows is None or self.legit.share >= MOST_OF_LIST:
            return None
        one, begun = sorted_siblings(self.search, rows, self._begun), self._begun
        if one is None:
            return None
        t, node = (self.t, self.node) if begun is None else (begun.iteration, begun.node)
        before = "" if begun is None else f": {begun.words}"
        return found(
            "selection-other-prior", t, node,
            f"{self.missed}{before}; but this explains {how_many(one.fit)} looked at, with {range_words(one.fit)}: "
            f"{one.order.words}, and their priors are not, so that a child is selected with the prior of the sibling "
            "that was made at its present place. So it is where priors stand in an array beside the list of children: "
            "sort a copy, or keep the prior in the child",
            **numbers(one.fit), every=one.order.every,
        )  # fmt: skip

    def _cached_choice(self) -> Finding | None:
        """A child that is taken again, though another has the higher score by now."""
        mistake, rows = self.mistake, self.rows
        if mistake is not None:
            odd = mistake.low >= GREAT * self.width and mistake.rule.check != "selection-no-value"
            # a child that is taken again and again, as it is kept, or as others are avoided
            no_certain_c = mistake.high > 2 * mistake.low
            again = (
                mistake.rule.check == "selection-minus"
                and no_certain_c
                and not self.search.has_costs
            )
            if not (odd or again):
                return None
        kept = kept_choices(self.search, rows)
        if kept is None:
            return None
        if mistake is not None and kept.high < GREEDY_BELOW:
            always = (~rows.repeats).sum() < FEW_CHOICES
            if not always or (mistake.whole and np.isfinite(mistake.high)):
                return None
        again = mistake is not None and mistake.rule.check == "selection-minus" and mistake.whole
        minus = (
            f". As well, this explains all: {mistake.rule.words}, with {range_words(mistake)}"
            if mistake is not None and again
            else ""
        )
        cached = found(
            "selection-cached", self.t, self.node,
            f"{kept.rule.words} with {range_words(kept)} explains {kept.n:,} of {kept.of:,} choices; in all "
            f"others the child taken the last time is taken again, though another has the higher score{minus}",
            **numbers(kept),
        )  # fmt: skip
        if not self.declared and kept.high < GREEDY_BELOW and mistake is None:
            # no formula that is known
            text = f"{cached.message}. So it is as well where moves are tried by turns, as by sequential halving"
            return cached.as_note(text)
        return cached

    def _untried_at_limit(self) -> Finding | None:
        """A rule that holds everywhere but where children are never expanded."""
        if not may_be_untried_at_limit(self.search, self.rows):
            return None
        for form in self.right:
            kept = kept_choices(self.search, form.rows)
            if kept is None:
                continue
            bad = _unexplained_choices(self.search, form.rows, kept)
            limit = limit_of_untried(self.search, form.rows, bad)
            if limit is not None:
                return found(
                    "selection-rule", None, None,
                    f"{kept.rule.words} with {range_words(kept)} explains {kept.n:,} of {kept.of:,} choices; the "
                    f"others are all at nodes of depth {limit}, whose children are never expanded. There the child "
                    "taken the last time is taken again, beside others without visits: so it is where a child at the "
                    "limit of the depth counts as untried however often it is visited, as in llm-reasoners, whose "
                    "states are made when a child is expanded",
                    **numbers(kept), depth=limit,
                )  # fmt: skip
        return None

    def _best_of_tree(self) -> Finding | None:
        """A note where no rule is declared, or nothing is explored: a best-first search is meant so."""
        if self.mistake is not None and self.mistake.share >= WHOLE:
            return None
        one = best_of_tree(self.search, self.search.meta.policies.selection.c)
        if one is None:
            return None
        t, node = first_unexplained(
            self.search, self.rows, self.legit._replace(low=one.low, high=one.high)
        )
        finding = found(
            "selection-whole-tree", t, node,
            f"{self.missed}; but in {one.n:,} of {one.of:,} iterations looked at, the node that gets children is the "
            f"one with the highest score {one.among}, by {one.rule} with c in [{one.low:.4g}, {one.high:.4g}]: so it "
            "is where the best of a list of all nodes is taken, and not the best child level by level down to a leaf. "
            "Scores below different parents do not compare: what they say is which sibling to try",
            rule=one.rule, c_low=one.low, c_high=one.high, share=one.n / one.of, choices=one.of,
        )  # fmt: skip
        meant = f"{finding.message}. Right where a best-first search of the whole tree is meant"
        return finding if self.declared and one.low > 0 else finding.as_note(meant)

    def _below_the_start(self) -> Finding | None:
        one = below_the_start(self.search, self.rows)
        if one is not None and self.mistake is not None and self.mistake.share >= one.n / one.of:
            return None
        return self._of_loop(one)

    def _wrong_term(self) -> Finding | None:
        """An exploration term that is written wrongly, beside any Q, and with any c."""
        if self.among_visited or (self.mistake is not None and self.mistake.share >= WHOLE):
            return None
        one = wrong_term(self.search, self.right)
        if one is None:
            return None
        of_q = f"; {one.form.words}" if one.form.words else ""
        finding = found(
            one.check, self.t, self.node,
            f"{self.missed}; but this explains {how_many(one.known.fit)}: {rule_words(one.known)[:-1]}{of_q}",
            **numbers(one.known.fit),
        )  # fmt: skip
        return self._half_ucb1(finding) if one.check == LOG_IN_PUCT else finding

    def _loop(self) -> Finding | None:
        return self._of_loop(loop_mistake(self.search, self.rows))

    def _of_loop(self, one: LoopMistake | None) -> Finding | None:
        """A mistake in the loop that looks for the best child."""
        if one is None or one.n / one.of <= self.legit.share:
            return None
        return found(
            one.check, self.t, self.node,
            f"{self.missed}; but by {one.rule} with c = {one.c:.4g} this explains {one.n / one.of:.1%}: {one.words}",
            rule=one.rule, c_low=one.c, c_high=one.c, share=one.n / one.of, choices=one.of,
        )  # fmt: skip

    def _list_not_emptied(self) -> Finding | None:
        """A child that is better than those before it in the list of children, not than those after it."""
        before = up_to_chosen(self.rows)
        one = best_share(self.search, before)
        tight = np.isfinite(one.high) and one.high - one.low <= TIGHT * one.high
        known = one.share >= WHOLE and one.low > 0 and tight
        first = self.rows.chosen == self.rows.first
        lost = lost_by_choice(self.search, self.rows, one.rule, one.c) > self.search.tolerance
        lost &= self.rows.visits[self.rows.chosen] > 0
        said = int((~first & lost).sum())  # choices that say something
        if (
            not known
            or self.legit.share > MOST_OF_LIST
            or said < FEW_CHOICES
            or first.mean() > MOST_FIRST
            or not drawn_from_list(self.search, self.rows, one)
        ):
            return None
        return found(
            "selection-random", self.t, self.node,
            f"{self.missed}; but each child taken is better than all before it in the list of children, and not than "
            f"those after it, by {one.rule.words} with {range_words(one)}: so it is at {how_many(one)} choices. So it "
            "is where one of the best is drawn at random from a list that is not emptied when a better child comes",
            **numbers(one),
        )  # fmt: skip

    def _mistake(self) -> Finding | None:
        mistake, legit = self.mistake, self.legit
        if mistake is None:
            return None
        no_value = legit.low >= NO_VALUE * self.width
        fewer = 1 - mistake.share <= FEWER * (1 - legit.share)
        if not (fewer or no_value or legit.whole):
            return None
        if mistake.rule.check == "selection-no-visits" and has_logarithms(self.rows):
            return found(
                "expansion-priors", self.t, self.node,
                f"{self.missed}; but PUCT with the recorded priors as P does, and these are below 0: logarithms of "
                "probabilities, or logits, of which no softmax was taken. What has no visits is passed over with them",
                **numbers(mistake),
            )  # fmt: skip
        finding = found(
            mistake.rule.check, self.t, self.node,
            f"{self.missed}; but this explains {mistake.share:.1%}: {mistake.rule.words}, with "
            f"{range_words(mistake)}",
            **numbers(mistake),
        )  # fmt: skip
        if mistake.rule.check == LOG_IN_PUCT:
            return self._half_ucb1(finding)
        if finding.check in OF_ONE_CHILD and self._small:
            text = f"{finding.message}. Right where c is small: {self._small}, explains all of them, too"
            # the first child, whatever the priors, is what nobody means
            is_first = finding.check == "selection-unvisited"
            return (
                replace(finding, message=text).as_warning() if is_first else finding.as_note(text)
            )
        # some of them are taken before others that have visits: each may count as much as its own evaluation says
        told = self.declared and self.search.meta.policies.selection.unvisited is not None
        some = mistake.rule.check == "selection-unvisited" and mistake.share < WHOLE
        return finding.as_note() if some and not told else finding

    def _half_ucb1(self, finding: Finding) -> Finding:
        """PUCT with a logarithm, which is published as well: a note where nobody says that it is PUCT."""
        most = float(self.rows.parent_visits.max())
        finding = replace(
            finding,
            message=f"{finding.message}. Exploration grows by next to nothing: at {most:,.0f} visits √(ln N) is "
            f"{np.sqrt(np.log(most)):.2g}, and √N is {np.sqrt(most):.2g}",
        )
        meant = f"{finding.message}. Right where P-UCB is meant (Zhang et al. 2023)"
        return finding if self.declared else finding.as_note(meant)

    def _grown(self) -> Finding | None:
        """A c that grows with N at a pace of its own, as in lc0 and KataGo."""
        policy = self.search.meta.policies.selection
        if self.declared and policy.name != "puct":
            return None
        one = known_to_grow(self.search, self.rows)
        if one is None:
            return None
        slack = ROUNDED * one.growth.high
        if (
            policy.c is not None
            and not one.growth.low - slack <= policy.c <= one.growth.high + slack
        ):
            return None
        own = self._numbers_of_its_own if one.aside else None
        if own is not None and own.named and own.left_out < one.left_out:
            return None  # it explains more
        unvisited = (
            one.unvisited or "what children without visits count as is none of the usual numbers"
        )
        aside = f"; left aside are {one.left_out:,} {one.aside}" if one.aside else ""
        is_same = one.growth.slope == 0
        text = (
            f"{one.words} explains all {one.of:,} choices as far as children with visits are compared; "
            f"{one.growth.words}, {'c' if is_same else 'with init'} ≈ {one.growth.low:.4g}; {unvisited}{aside}"
        )
        if is_same and policy.c is not None and policy.unvisited is not None:
            return found(
                "selection-not-declared", self.t, self.node,
                f"declared is {self.declared}, and {unvisited_words(policy.unvisited)}, which does not fit. {text}. To "
                "have these compared, too, give score=",
                rule=one.words, share=1.0,
            ).as_warning()  # fmt: skip
        return found("selection-rule", None, None, text, rule=one.words, share=1.0)

    @cached_property
    def _numbers_of_its_own(self) -> OwnNumbers | None:
        return own_numbers(self.search, self.rows)

    def _own_numbers(self) -> Finding | None:
        """PUCT with a number that is not the usual one. A temperature of the policy is usual; others are suspicious
        where another rule was told, or where exploration does not grow with N."""
        if self.declared and self.search.meta.policies.selection.name != "puct":
            return None
        one = self._numbers_of_its_own
        if one is None:
            return None
        aside = f"; left aside are {one.left_out:,} {one.aside}" if one.aside else ""
        if one.as_policy and not self.declared:
            return found(
                "selection-rule", None, None,
                f"{one.words} explains the {one.of:,} choices: so does a "
                f"temperature of the policy{aside}",
                rule=one.words, share=1.0,
            )  # fmt: skip
        finding = found(
            "selection-unexplained", self.t, self.node,
            f"{self.missed}, nor a usual mistake; but this explains them: {one.words}{aside}. Where that number is "
            "meant, tell it by score=, an attribute of the child or a function of parent and child",
            **numbers(self.legit), explained_by=one.words,
        )  # fmt: skip
        meant = one.grows and not self.declared
        return finding.as_note() if meant else finding

    @cached_property
    def _always_drawn(self) -> Draw | None:
        return drawn(self.search, self.rows, self.legit)

    @cached_property
    def _drawn_now_and_then(self) -> Draw | None:
        # so great a c says that another rule is at work
        if self._always_drawn is not None or self.legit.low >= GREAT * self.width:
            return None
        return drawn_now_and_then(self.search, self.rows, self.legit)

    def _chance(self) -> Finding | None:
        """Children that are drawn at random, always or now and then."""
        draw = self._always_drawn or (self._drawn_now_and_then if self.declared else None)
        if draw is None:
            return None
        finding = found(
            "selection-random", self.t, self.node, _draw_words(draw, self.legit),
            share=draw.share, choices=self.legit.of,
        )  # fmt: skip
        if self.search.is_pruned:  # children that are gone by now are compared, too
            return finding.as_note()
        if self.declared:
            return finding
        if not np.isnan(self.rows.prior).all():  # so there is a rule, and it may be to draw by them
            return replace(finding, severity="note" if draw.by_priors else "warning")
        if not children_come_late(self.search):
            own = (
                ". A rule of its own may choose alike where it goes by numbers that are not recorded: say "
                "which it is by selection=, or by score= what it compares"
            )
            return finding.as_note(finding.message + own)
        late = (
            "; or each iteration chooses among others, as where hidden cards are dealt anew (ISMCTS): children "
            "came after choices among their siblings"
        )
        return finding.as_note(finding.message + late)

    def _nothing(self) -> Finding:
        """Neither a rule nor a mistake explains the choices."""
        search, rows, legit = self.search, self.rows, self.legit
        discounted = search.alone and search.discount not in (None, 1.0)
        not_told = (search.meta.step_rewards or discounted) and not search.has_rewards
        moving = any(each.text == PRIORS_CHANGE for each in search.trace.columns.asides.remarks)
        # noise of its moves tells that it searches as Gumbel MuZero does, which was not told whole
        has_noise = GUMBEL in search.trace.columns.numbers(search.T)
        # MuZero's rule has many kinds: what Q is scaled by, what children without visits count as
        promised = self.declared and not (
            search.meta.policies.selection.name == "muzero"
            and search.meta.policies.selection.c is None
        )
        # PUCT with priors that were not told is compared with equal ones
        no_priors = search.meta.policies.selection.name in OF_PRIORS and not has_priors(rows)
        soft = None if moving or has_noise or not_told or no_priors else soft_draw(search, rows)
        if soft is not None:
            drawn = found(
                "selection-random", self.t, self.node,
                f"{self.missed}, nor a usual mistake; children seem to be drawn {soft.words}: a temperature within "
                "the tree. How often each is drawn, and the same one twice running, is as such draws give, within "
                f"{soft.deviations:.1f} standard deviations",
                share=1.0, choices=legit.of,
            )  # fmt: skip
            return drawn.as_warning() if promised else drawn.as_note()
        lost = self._lost_by_rounding
        stray = bool(search.meta.shared) and legit.of - legit.n <= MOST_STRAY * legit.of
        reasons = (
            (not_told, "moves bring rewards, which belong to Q and were not told (reward=)"),
            (no_priors, "no priors are in the trace, so that equal ones are compared: give prior="),
            (moving, "priors change as the search goes on, and these are the first ones"),
            (self._has_bounds, BOUNDS_OF_SOLVER),
            (
                stray,
                "which of several ways to a node an iteration went may not be told by its visits",
            ),
            (
                search.is_pruned,
                "children were taken out of the tree, and count here with their last numbers",
            ),
        )
        words = [
            f"{self.missed}{_at_unvisited(search, rows, legit)}, nor a usual mistake",
            f"{'no exploration' if legit.high < NO_C * search.meta.value_width else range_words(legit)} fits most",
            *[text for holds, text in reasons if holds],
            *self._now_and_then_words(lost),
            *([f"{self._begun.words}: {FROM_THERE}"] if self._begun is not None else []),
        ]
        what_to_do = ""
        if has_noise and not self.declared:
            what_to_do = (
                '. Gumbel noise was recorded: with policies={"selection": {"name": "gumbel_muzero", "siblings": …}} '
                "its rule is compared"
            )
        elif self._of_rollouts and not no_priors:
            words.append(
                "rollouts stay in the tree, and one that comes by a node of an earlier one goes on at random"
            )
        elif not self.declared:
            what_to_do = (
                ". What the search selects by can be declared: selection=, c=, unvisited=, n=, or score= for a "
                "rule of its own"
            )
        elif not no_priors:
            of_puct = "" if has_priors(rows) else "; of PUCT, give prior= and selection='puct'"
            what_to_do = (
                f". Of a rule of its own, score= has every choice compared with it{of_puct}"
            )
        text = "; ".join(words) + what_to_do
        t, node = self.t, self.node
        if self._begun is not None:
            t, node = self._begun.iteration, self._begun.node
        finding = found("selection-unexplained", t, node, text, **numbers(legit))
        # a rule of its own is no mistake, with priors, too, as long as it was not said to be another
        excused = (
            not_told
            or no_priors
            or self._of_rollouts
            or self._has_bounds
            or search.is_pruned
            or stray
            or lost is not None
        )
        return finding if promised and not excused else finding.as_note()

    def _now_and_then_words(self, lost: float | None) -> list[str]:
        """What is known of the choices that no rule explains, where it explains most."""
        if lost is not None:
            return [
                f"each child taken there has a score that is lower than the best one by {lost:.2g} at most: so it is "
                "where scores are rounded before they are compared, or have a little noise added to break ties"
            ]
        draw = self._drawn_now_and_then
        if draw is None:
            return []
        return [f"in {draw.share:.0%} of the choices a child seems to be drawn {draw.words}"]

    @cached_property
    def _has_bounds(self) -> bool:
        """Whether a solver has proven draws above the ends of games, and most choices are explained, so that the others
        may be among fewer children (score-bounded search, Cazenave and Saffidine 2010)."""
        search, proven = self.search, self.search.trace.columns.proven
        inner = np.isnan(search.known_outcome[proven.node])
        low, high = search.meta.reward_range
        between = (proven.outcome > low) & (proven.outcome < high)
        return bool((inner & between).any()) and self.legit.share >= MOST_WITH_BOUNDS

    @cached_property
    def _of_rollouts(self) -> bool:
        """Whether the few choices left may be steps of rollouts, which stay in the tree."""
        return self.legit.share > 1.0 - FEW_OF_ROLLOUTS and keeps_rollouts(self.search)

    @cached_property
    def _lost_by_rounding(self) -> float | None:
        """By how much the scores of children taken are below the best ones at most, where that is next to nothing and
        seldom."""
        if self.legit.share < 1.0 - FEW_TIES or not np.isfinite(self.legit.high):
            return None
        # c within reach: what is inferred from choices among nearly equal scores is a little off
        weights = [self.legit.low, self.legit.c, self.legit.high]
        declared = self.search.meta.policies.selection.c
        if declared is not None and self.legit.includes(declared, ROUNDED):
            weights.append(declared)
        most = min(
            float(lost_by_choice(self.search, self.rows, self.legit.rule, c).max(initial=0.0))
            for c in weights
        )
        return most if 0.0 < most <= NEXT_TO_NOTHING * self.width else None


def is_rather_a_mistake(search: CheckedSearch, rows: ComparedChildren, known: Inferred) -> bool:
    """Whether a rule explains the choices only with many of them left aside, or with some and without any exploration,
    and a mistake explains them all."""
    many = known.left_out >= MANY_LEFT_OUT * len(rows.chosen)
    without_c = known.fit.low <= 0 and known.left_out >= SOME_LEFT_OUT
    if not known.aside or not (many or without_c):
        return False
    mistake = best_mistake(search, rows)
    return mistake is not None and mistake.share >= WHOLE


def first_unexplained(
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


def _is_in_keeping(form: QForm, one: Fit) -> bool:
    """Whether Q is scaled in the rule found, where that is what is wrong with it."""
    return "scaled" not in form.words or "scaled" in one.rule.words


def _as_policy_says(search: CheckedSearch, rows: ComparedChildren, one: Fit) -> bool:
    """Whether the search declares nothing else: no other c, and nothing of children without visits that is known."""
    policy = search.meta.policies.selection
    if policy.unvisited is not None and not _lacks_parents(search, rows):
        return False
    c = policy.c
    if c is not None and policy.name == "ucb1_double_log":
        c *= np.sqrt(2.0)
    return c is None or policy.name not in FAMILIES or one.includes(c, ROUNDED)


def _lacks_parents(search: CheckedSearch, rows: ComparedChildren) -> bool:
    """Whether children without visits count as their parent, whose value for the player who chooses is not known."""
    return search.meta.policies.selection.takes_parent and bool(np.isnan(rows.parent_mean).any())


def _draw_words(draw: Draw, legit: Fit) -> str:
    if draw.share < 1:
        return (
            f"in {draw.share:.0%} of {legit.of:,} choices a child is drawn {draw.words} (ε-greedy); "
            f"{legit.rule.words} with {range_words(legit)} explains the others"
        )
    return (
        f"the {legit.of:,} choices are random draws among the children, {draw.words}: means, visits and "
        f"ages of those taken are what such draws give, within {draw.deviations:.1f} standard deviations"
    )


def _at_unvisited(search: CheckedSearch, rows: ComparedChildren, one: Fit) -> str:
    """Where the choices are that a rule does not explain, if all are of one kind."""
    bad = _unexplained_choices(search, rows, one)
    untried = np.zeros(len(rows.chosen), np.bool_)
    untried[rows.of[rows.visits == 0]] = True
    after = search.trace.columns.node_count[rows.iteration].astype(np.int64)
    expands = search.families.count(rows.parent, after) > np.bincount(
        rows.of, minlength=len(untried)
    )
    for kind, words in (
        (
            expands,
            "all of them in iterations that give the node further children: so it is where an expansion goes on to a "
            "child that was there before",
        ),
        (untried, "all of them where a child has no visits yet"),
        (~untried, "all of them where every child has visits"),
    ):
        if bad.any() and kind[bad].all() and not kind.all():
            return f" ({words})"
    return ""
