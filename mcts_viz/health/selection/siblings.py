"""Selection of MuZero and Gumbel MuZero, whose scores depend on siblings: choices, sequential halving, noise."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator

import numpy as np

from mcts_viz.formulas.among_siblings import (
    SIBLING_RULES as RULES,
)
from mcts_viz.formulas.among_siblings import (
    SiblingNumbers,
    SiblingRule,
    gumbel_muzero,
    halving_schedule,
    muzero,
)
from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.selection.sibling_variants import (
    GUMBEL_VARIANTS,
    MUZERO_VARIANTS,
    WRONG_VIEW,
    Rule,
    Terms,
)
from mcts_viz.health.values.rewards import includes_own_reward
from mcts_viz.trace.sibling_choices import ScoredChoice, SiblingChoice, compared, sibling_choices
from mcts_viz.trace.sibling_terms import EVALUATION, GUMBEL

MOST_ITERATIONS = 2_000  # looked at
FEW_CHOICES = 30
WHOLE_POLICY = 0.999  # sum of priors
TO_TELL = (
    'policies={"selection": {"name": "gumbel_muzero", "siblings": {"actions": …, "considered": …, '
    '"simulations": …}}}'
)
BY_ACTIONS = (
    "the score of a child is looked up by the number of its action, not by its place among the children, so that each "
    "move has the score of another one"
)
OWN_REWARD = (
    ". The value of a node has the reward of the move into it already: leave out reward=, so that scores are shown as "
    "the search has them"
)
VARYING_DISCOUNT = (
    "compares reward + γ·mean, and γ varies from move to move: to have that compared, let value= have the reward of "
    "the move into a node, and leave out reward="
)
RARE = 0.02  # share of choices that may have other reasons: rounding in float32, ties


def check_siblings(search: CheckedSearch) -> Iterator[Finding]:
    """Findings about such a rule, where the trace names one with its numbers."""
    selection = search.meta.policies.selection
    if selection.siblings is None:
        return
    rule = selection.siblings.rule
    columns, name = search.trace.columns, selection.name or ""
    if EVALUATION not in columns.numbers(columns.n_iterations):
        yield found(
            "selection-rule", None, None,
            f"the search says that it selects by {name}, whose scores need the evaluator's value of each node "
            "(evaluation=): its choices were not compared",
            rule=name,
        )  # fmt: skip
        return
    has_own = columns.nodes.reward is not None and bool(includes_own_reward(search))
    if columns.nodes.reward is not None and not has_own and search.discount is None:
        yield _not_compared(VARYING_DISCOUNT, name)
        return
    choices = list(sibling_choices(search.meta, columns, MOST_ITERATIONS, not has_own))
    if name == "gumbel_muzero":
        yield from _noise_below(search)
        broken = _off_schedule(rule, choices)
        if broken is not None:
            yield broken
            choices = [
                choice for choice in choices if choice.node
            ]  # the root goes by another schedule
    formula = gumbel_muzero if name == "gumbel_muzero" else muzero
    misses = _misses(choices, functools.partial(formula, rule))
    if len(misses) <= RARE * len(choices):
        if choices and not misses:
            yield found(
                "selection-rule", None, None,
                f"{name} explains all {len(choices):,} choices compared{OWN_REWARD if has_own else ''}",
                rule=name, choices=len(choices), share=1.0,
            )  # fmt: skip
        return
    yield _by_means(search, functools.partial(formula, rule), name) or _unexplained(
        search, rule, choices, misses, name, _by_settings(rule)
    )


def _by_means(
    search: CheckedSearch, terms: Callable[[SiblingNumbers], Terms], name: str
) -> Finding | None:
    """Where rewards are told, and means without them explain the choices."""
    columns = search.trace.columns
    if columns.nodes.reward is None:
        return None
    choices = list(sibling_choices(search.meta, columns, MOST_ITERATIONS, with_rewards=False))
    if len(_misses(choices, terms)) > RARE * len(choices):
        return None
    return found(
        "selection-reward", None, None,
        f"{name} explains the {len(choices):,} choices compared, if the reward of a move is left out of Q, which is to "
        "be reward + γ·mean",
    )  # fmt: skip


def check_untold_numbers(search: CheckedSearch) -> Iterator[Finding]:
    """The same of Gumbel MuZero without its numbers: choices below the root, by the numbers of mctx."""
    columns = search.trace.columns
    if EVALUATION not in columns.numbers(columns.n_iterations):
        yield _not_compared(
            f"needs the evaluator's value of each node (evaluation=), and its numbers: {TO_TELL}"
        )
        return
    if columns.nodes.reward is not None and search.discount is None:
        yield _not_compared(VARYING_DISCOUNT)
        return
    choices = [one for one in sibling_choices(search.meta, columns, MOST_ITERATIONS) if one.node]
    terms = functools.partial(_by_usual_numbers, gumbel_muzero)
    misses = _misses(choices, terms)
    if not choices:
        yield _not_compared(f"has numbers, which were not told: {TO_TELL}")
    elif len(misses) <= RARE * len(choices):
        yield found(
            "selection-rule", None, None,
            f"gumbel_muzero with the numbers of mctx (value_scale 0.1, visit_offset 50) explains "
            f"{len(choices) - len(misses):,} of {len(choices):,} choices below the root. To have those at the root "
            f"compared, too, tell its numbers: {TO_TELL}",
            rule="gumbel_muzero", choices=len(choices), share=1 - len(misses) / len(choices),
        )  # fmt: skip
    else:
        usual = SiblingRule(actions=max(len(one.children) for one in choices))
        finding = _unexplained(search, usual, choices, misses, "gumbel_muzero", _by_usual_numbers)
        if finding.evidence["instead"] in (BY_ACTIONS, WRONG_VIEW.words):
            yield finding
        elif finding.evidence["instead"]:  # a setting of the rule, which was not told
            yield finding.as_note(f"{finding.message}. If it is meant, tell it: {TO_TELL}")
        else:
            yield _not_compared(f"has other numbers than mctx's, or was changed: {TO_TELL}")


def _not_compared(why: str, name: str = "gumbel_muzero") -> Finding:
    return found(
        "selection-rule", None, None,
        f"the search says that it selects by {name}, which {why}. Its choices were not compared",
        rule=name,
    )  # fmt: skip


def _by_usual_numbers(rule: Rule, of: SiblingNumbers) -> Terms:
    """By mctx's numbers; moves that have no child are left where the priors say that there are some."""
    k = len(of.visits)
    return rule(SiblingRule(actions=k + bool(of.prior.sum() < WHOLE_POLICY)), of)


def _by_settings(settings: SiblingRule) -> Callable[[Rule, SiblingNumbers], Terms]:
    return lambda rule, of: rule(settings, of)


def _misses(
    choices: list[SiblingChoice], terms: Callable[[SiblingNumbers], Terms]
) -> list[ScoredChoice]:
    found_ = (compared(choice, terms) for choice in choices)
    return [each for each in found_ if not each.is_explained]


def _unexplained(
    search: CheckedSearch, rule: SiblingRule, choices: list[SiblingChoice], misses: list[ScoredChoice], name: str,
    scored: Callable[[Rule, SiblingNumbers], Terms],
) -> Finding:  # fmt: skip
    """scored: the terms of a rule, by the numbers that the search has."""
    first = misses[0]
    choice, label = first.choice, search.trace.at(misses[0].choice.iteration).short_label
    taken, best = choice.children[choice.taken], choice.children[first.best]
    numbers = [f"{float(first.scores[at]):.4g}" for at in (choice.taken, first.best)]
    text = (
        f"{len(misses):,} of {len(choices):,} choices ({len(misses) / len(choices):.1%}) are not those of {name}: in "
        f"iteration {choice.iteration:,} node {choice.node:,} goes to {label(taken)} (node {taken:,}), whose score is "
        f"{numbers[0]}, and {label(best)} (node {best:,}) has {numbers[1]}"
    )
    words, check = "", "selection-not-declared"
    for variant in GUMBEL_VARIANTS if name == "gumbel_muzero" else MUZERO_VARIANTS:
        left = _misses(choices, functools.partial(scored, variant.rule))
        if len(left) <= RARE * len(choices):
            words, check = variant.words, variant.check
            text += f"; all are explained if {words}"
            break
    if not words and _go_by_actions(search, choices, functools.partial(scored, RULES[name])):
        words = BY_ACTIONS
        text += f"; all below the root are explained if {words}"
    return found(
        check, choice.iteration, choice.node, text,
        times=len(misses), choices=len(choices), instead=words,
    )  # fmt: skip


def _go_by_actions(
    search: CheckedSearch, choices: list[SiblingChoice], terms: Callable[[SiblingNumbers], Terms]
) -> bool:
    """Whether each choice below the root takes the child whose action is the place of the best score, and numbers past
    the last place read 0, or nothing."""
    n, explained, tells = 0, [0, 0], 0
    for choice in choices:
        if not choice.node:
            continue
        scores = compared(choice, terms).scores
        k, action = len(scores), search.action[choice.children]
        if (action < 0).any():
            return False
        there = scores[np.minimum(action, k - 1)]
        n, tells = n + 1, tells + int(action[choice.taken] != choice.taken)
        for which, beyond in enumerate((0.0, -np.inf)):
            looked_up = ScoredChoice(choice, np.where(action < k, there, beyond))
            explained[which] += looked_up.is_explained
    return n >= FEW_CHOICES and max(explained) >= (1 - RARE) * n and tells > n / 2


def _off_schedule(rule: SiblingRule, choices: list[SiblingChoice]) -> Finding | None:
    """Where the root's visits are not those of sequential halving."""
    schedule = halving_schedule(rule.considered, rule.simulations)
    wrong = []
    for choice in choices:
        total = int(choice.of.visits.sum())
        visits = int(choice.of.visits[choice.taken, 0])
        if choice.node == 0 and (total >= len(schedule) or visits != schedule[total]):
            wrong.append((choice, visits, int(schedule[total]) if total < len(schedule) else None))
    if not wrong:
        return None
    choice, visits, wanted = wrong[0]
    said = "the search is over by then" if wanted is None else f"one with {wanted:,} is due"
    return found(
        "selection-halving", choice.iteration, choice.children[choice.taken],
        f"{len(wrong):,} simulations visit a move out of turn: in simulation {choice.iteration:,} the one taken has "
        f"{visits:,} visits, and {said}, where {rule.simulations:,} simulations begin with {rule.considered:,} moves",
        times=len(wrong), considered=rule.considered, simulations=rule.simulations,
    )  # fmt: skip


def _noise_below(search: CheckedSearch) -> Iterator[Finding]:
    """Gumbel noise belongs to the root alone."""
    columns = search.trace.columns
    noise = columns.numbers(columns.n_iterations).get(GUMBEL)
    if noise is None:
        return
    below = np.flatnonzero((np.nan_to_num(noise) != 0) & (columns.nodes.parent[: len(noise)] > 0))
    if len(below):
        node = int(below[0])
        yield found(
            "selection-noise-below", int(columns.nodes.born[node]), node,
            f"{len(below):,} nodes below the root's children have Gumbel noise: node {node:,} has {noise[node]:.4g}",
            times=len(below),
        )  # fmt: skip
