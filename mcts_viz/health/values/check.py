"""Whether backpropagation adds what the simulation was worth, to each node in the view of the player
who moved into it.

Values are checked visit by visit. Nodes that ever got a value outside the range are left out first, so
that one mistake is not reported as several. This takes two passes over the iterations, and a third one
where leaves are left out, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.outcomes.check import KnownOutcomes
from mcts_viz.health.tree.shape import (
    backup_of,
    is_best_in_place_of_sum,
    rewards_left_out_of_best,
)
from mcts_viz.health.tree.transpositions import has_visits_of_before
from mcts_viz.health.tree.weighted import average_of_children
from mcts_viz.health.values.best_above_results import best_above_results
from mcts_viz.health.values.best_behind import check_best_behind
from mcts_viz.health.values.best_of_chance import best_of_chance
from mcts_viz.health.values.best_of_search import best_of_search
from mcts_viz.health.values.best_of_untried import BestOfUntried, best_of_untried
from mcts_viz.health.values.best_with_rewards import is_best_with_rewards
from mcts_viz.health.values.kept_numbers import wrong_means
from mcts_viz.health.values.of_children import follows_children
from mcts_viz.health.values.of_visits import show
from mcts_viz.health.values.other_backups import (
    OF_MEANS,
    is_mistaken_mean,
    keeps_within,
    of_other_backup,
)
from mcts_viz.health.values.other_divisors import wrong_divisors
from mcts_viz.health.values.other_means import estimates_of_its_own, means_with_a_prior
from mcts_viz.health.values.paths import (
    Discounted,
    NotASum,
    OutOfRange,
    UnevenValues,
    ValuelessLeaf,
    ValuelessRoot,
)
from mcts_viz.health.values.players import check_players
from mcts_viz.health.values.powers import PowersOfDiscount
from mcts_viz.health.values.results import PlayerViews, ValueByOutcome
from mcts_viz.health.values.rewards import is_explained_by_rewards
from mcts_viz.health.values.steps_of_means import ConstantStep
from mcts_viz.trace.players import EVERYBODY
from mcts_viz.types import Bools

GUESSED = ("between", "mixed")  # back-ups that are told by where a value lies alone
BEST_WITH_REWARDS = (
    "the value of a node is that of its best child and a number that is always the same at that node, as where the "
    "reward of the move into it counts, too, and not a mean. Rewards were not told: with reward= values and choices "
    "are held against them"
)
BEST_OF_UNTRIED = (
    "the value of a node is that of its best child, or more than any child with visits has, where there are children "
    "without: these have values from the moment they are made, which the trace has not"
)
EVEN = (
    "the value of a node is the plain average of its children's, and perhaps of what it got itself: each child counts "
    "the same, whatever its visits, one with a single visit as much as one with a hundred. It is not the mean of its "
    "visits, sum(n·q) / N, and what selection has learnt is not carried up. Right only where that is meant"
)
SELDOM = 0.03  # share of the paths
FEW_BEYOND = 3  # nodes


def _of_untried(untried: BestOfUntried, told: str) -> Finding:
    """A maximum over all children, as declared."""
    if untried.always is None:
        return found("value-backup", None, None, BEST_OF_UNTRIED, backup=told)
    return found(
        "value-not-best", None, None,
        f"the value of a node is that of its best child with visits, or {untried.always:.6g} where there are children "
        f"without, {untried.steps:,} times, though no child with visits is as good: children that were never visited "
        f"count as {untried.always:.6g} in the maximum. Leave them out of it; right only where that is what a child is "
        "hoped to be worth",
        times=untried.steps, value=untried.always,
    ).as_warning()  # fmt: skip


def check_value(search: CheckedSearch, results: KnownOutcomes) -> Iterator[Finding]:
    """Findings about values; where the back-up keeps the best value, that alone."""
    told = search.meta.policies.backpropagation.backup
    never_changes = best_above_results(search)
    if never_changes is not None:
        yield never_changes
        return
    findings = list(_of_means(search, results))
    if search.alone and any(each.evidence.get("turned") for each in findings):
        yield from findings  # by a law that no other back-up has
        return
    # where moves bring rewards, values are checked by themselves
    odd = any(each.severity != "note" or each.evidence.get("by_parts") for each in findings)
    odd |= search.has_rewards
    if told in ("max", "minimax") or odd:
        kind = backup_of(search)
        behind = told in ("max", "minimax") or kind == "max"
        if behind and (late := [*check_best_behind(search)]):
            yield from late
            return
        if kind in GUESSED and any(each.check == "value-mean" for each in findings):
            kind = None  # results that are the same at all nodes of a path say more
        if kind:
            of_search = best_of_search(search, kind)
            if of_search is not None:
                yield of_search
                return
            left_out = rewards_left_out_of_best(search) if kind == "max" else None
            yield _kept_best(search, kind) if left_out is None else _left_out(search, *left_out)
            if kind in ("max", "minimax"):
                yield from best_of_chance(search)
            if kind == "max" and not (search.has_rewards or search.meta.step_rewards):
                yield from _kept_beyond(search)
            return
        if kind == "" and told in ("max", "minimax"):
            return
        stays = search.alone and any(each.check == "value-mean" for each in findings)
        is_best = kind is None and (stays or told in ("max", "minimax"))
        if is_best and not search.has_rewards and is_best_with_rewards(search):
            yield found("value-backup", None, None, BEST_WITH_REWARDS, backup="max")
            return
        if told in ("max", "minimax") and kind is None:
            untried = best_of_untried(search)
            if untried is not None:
                yield _of_untried(untried, told)
                return
        if told not in ("max", "minimax") and kind is None and is_explained_by_rewards(search):
            # a mean of returns, or of what a mistake makes of them, whatever it looks like beside its children's
            yield from (_as_weighted(search, each) for each in findings)
            return
        is_mean = told not in ("max", "minimax") and kind is None and _are_apart(findings)
        is_mean = is_mean and search.meta.is_foreign  # of ours it is known what is added
        average = average_of_children(search) if is_mean and _may_be_average(search) else None
        if average is not None:
            yield _kept_best(search, average)
            return
        if is_mean:
            meant = means_with_a_prior(search) or estimates_of_its_own(search, findings)
            if meant:
                yield from meant
                return
        words = follows_children(search) if _are_of_means(findings) else None
        if words is not None and told not in ("max", "minimax") and search.meta.is_foreign:
            yield found("value-backup", None, None, words, backup="of children")
            return
        if is_best_in_place_of_sum(search):
            yield found(
                "value-overwritten", None, None,
                "the value sum of a node is the best result that was found below it, and no sum. Divided by the "
                "visits, it falls with each of them. Where it is meant as the node's value, record it with "
                "value_kind='mean'",
            )  # fmt: skip
            return
        other = [] if told in ("max", "minimax") else list(of_other_backup(search, findings))
        if other:
            yield from other
            return
    if told in ("max", "minimax"):
        yield _not_best(search, told)
        return
    yield from (_as_weighted(search, each) for each in findings)


def _may_be_average(search: CheckedSearch) -> bool:
    """Whether sums stay where averages do: in the range of a visit."""
    return search.meta.watched.value_kind == "mean" or keeps_within(search)


def _as_weighted(search: CheckedSearch, beyond: Finding) -> Finding:
    """A note where the means that a search keeps itself are never outside the range: visits may have weights."""
    if (
        beyond.check != "value-out-of-range"
        or search.meta.watched.value_kind != "mean"
        or not keeps_within(search)
    ):
        return beyond
    words = (
        "; the means that the search keeps are never outside. So it is where visits have weights, or a mean is updated "
        "in steps of another size"
    )
    return beyond.as_note(beyond.message + words)


def _not_best(search: CheckedSearch, told: str) -> Finding:
    one = found(
        "value-not-best", None, None,
        f"declared is a {told} back-up, and the values of nodes are not those of their best children",
        declared=told,
    )  # fmt: skip
    if search.has_rewards or not search.meta.step_rewards:
        return one
    return one.as_note(
        f"declared is a {told} back-up, and moves bring rewards, which were not told (reward=): whether the values of "
        "nodes are those of their best children with them cannot be seen"
    )


def _are_apart(findings: Sequence[Finding]) -> bool:
    """Whether all that is wrong is that nodes of a path get different values, or some that no visit is worth: so it is
    where the value of a node is no mean."""
    wrong = {each.check for each in findings if each.severity != "note"}
    return bool(wrong) and wrong <= {"value-out-of-range", "value-uneven"}


def _are_of_means(findings: Sequence[Finding]) -> bool:
    """Whether all that is wrong says nothing of another value than a mean, and is no mistake that is known for
    certain."""
    wrong = [each for each in findings if each.severity != "note"]
    certain = any(is_mistaken_mean(each) for each in wrong)
    return bool(wrong) and not certain and all(each.check in OF_MEANS for each in wrong)


def _kept_beyond(search: CheckedSearch) -> Iterator[Finding]:
    """Kept values that no result can be, where each is to be that of a child."""
    visits, value, *_ = search.statistics_after(search.T)
    low, high = search.value_range
    mean = value / np.maximum(visits, 1)
    beyond = (visits > 0) & ((mean < low - search.slack) | (mean > high + search.slack))
    # where results themselves lie beyond, the range was not told, or too narrow
    if beyond.sum() < FEW_BEYOND or beyond[visits == 1].any():
        return
    node = int(np.argmax(np.where(beyond, np.abs(mean), -1.0)))
    yield found(
        "value-out-of-range", None, node,
        f"the value kept at node {node:,} is {mean[node]:,.6g}, and results lie from {low:g} to {high:g}; so it is "
        f"beyond at {int(beyond.sum()):,} of {int((visits > 0).sum()):,} nodes. Where values are those of best "
        "children, a sum of one of them may have been taken for its mean",
        times=int(beyond.sum()), farthest=float(mean[node]),
    )  # fmt: skip


def check_scores(search: CheckedSearch) -> Iterator[Finding]:
    """What the search says that results count."""
    if search.meta.policies.backpropagation.has_scores:
        loss, _, win = search.meta.scores
        if win < loss:
            yield found(
                "value-win-below-loss", None, None,
                f"a win counts {win:g} and a loss {loss:g}: the search looks for the way to lose",
                win=win, loss=loss,
            )  # fmt: skip


def _left_out(search: CheckedSearch, iteration: int, node: int, n: int) -> Finding:
    return found(
        "value-reward", iteration, node,
        f"the value of a node is γ times that of its best child (max back-up, γ = {search.discount:.4g}), and the "
        f"reward of the move to that child is left out: so it is at nearly all of the {n:,} steps that it would change",
        times=n, discount=search.discount,
    )  # fmt: skip


def _kept_best(search: CheckedSearch, kind: str) -> Finding:
    words = {
        "max": "the value of a node is that of its best child (max back-up)",
        "minimax": "the value of a node is that of the best child for the player who chooses (minimax)",
        "halfway": "the value of a node is moved halfway to that of its best child, (q + best) / 2, as in MCTS "
        "self-refine",
        "between": "the value of a node lies between its children's mean and the best (a power mean)",
        "average": "the value of a node is an average of its children's and of what it got itself, with weights of "
        "its own (by how good a child is, by a policy, a quantile)",
        "even": EVEN,
        "mixed": "the value of a node lies between the mean and the best of the results below it, as a mixture of both",
        "best": "the value of a node is the best result that was ever found below it",
    }[kind]
    if kind in ("max", "minimax") and search.has_chance:
        words += ", where a player chooses"
    if kind == "best" and not search.alone and not search.players_known:
        return found(
            "value-backup", None, None,
            f"{words}: it never falls. Right for a single player, players=('…',); a mistake where an opponent chooses, "
            "too",
            backup=kind,
        )  # fmt: skip
    if kind == "best" and not search.alone:
        return replace(
            found(
                "value-backup", None, None,
                f"{words}, for the player who moved there: it never falls, whatever the opponent does, who "
                "chooses, too",
                backup=kind,
            ),
            severity="error",
        )  # fmt: skip
    words += "" if kind == "even" else ", not a mean"
    return found("value-backup", None, None, words, backup=kind)


def _of_means(search: CheckedSearch, results: KnownOutcomes) -> Iterator[Finding]:
    """Of a back-up that adds up values."""
    beyond, kept, root = OutOfRange(search), NotASum(search), ValuelessRoot(search)
    discounted, powers = Discounted(search), PowersOfDiscount(search)
    show(search, [beyond, kept, root, discounted, powers])
    if not beyond.steps:
        return
    if search.alone and (search.meta.step_rewards or search.has_rewards or search.discount != 1.0):
        wrong = list(wrong_means(search))
        if wrong:
            yield from wrong
            return
    if not search.players_known or search.meta.step_rewards:
        # nodes of one path may get different values
        if not search.meta.step_rewards:
            yield from _by_turns(search, results, kept, beyond)
        else:
            yield from beyond.findings()
            if not search.has_rewards:
                yield from list(powers.findings()) or discounted.without_discount()
                yield from discounted.without_rewards()
        yield from root.findings()
        return
    if search.discount != 1.0:
        yield from list(powers.findings()) or discounted.findings()
        return
    wrong = _of_kept(search, kept)
    if wrong:
        yield from wrong
        return
    yield from beyond.findings()
    leaf, uneven, views, against = _judged(search, results, beyond.spoilt)
    leaf_left_out = list(leaf.findings())
    if leaf_left_out:
        yield from leaf_left_out
        _, uneven, views, against = _judged(search, results, beyond.spoilt, leaves=False)
    bad = list(uneven.findings())
    if bad and uneven.bad <= SELDOM * uneven.several and has_visits_of_before(search):
        bad = []  # a way that was found with its visits looks like a step of the path
    if bad:
        yield from bad
        return
    if not search.alone and not search.meta.mirrors:
        yield from check_players(search)
        return
    bad = [] if search.alone else list(views.findings())
    yield from bad
    if not bad:
        yield from against.findings()
    yield from root.findings()


def _of_kept(search: CheckedSearch, kept: NotASum) -> list[Finding]:
    """What is kept in place of a sum."""
    if not kept.shows:
        return []
    step = ConstantStep(search)
    show(search, [step])
    return list(step.findings()) or list(kept.findings()) or list(wrong_divisors(search))


def _by_turns(
    search: CheckedSearch, results: KnownOutcomes, kept: NotASum, beyond: OutOfRange
) -> Iterator[Finding]:
    """Where nobody says who moves: what holds if players move by turns, and shows that they do. Or all move at once."""
    wrong = _of_kept(search, kept)
    wrong = wrong or list(beyond.findings())
    yield from wrong
    if wrong or search.meta.policies.backpropagation.backup in ("max", "minimax"):
        return
    if (search.to_move == EVERYBODY).any():
        yield from check_players(search)
        return
    views = PlayerViews(search, results)
    show(search, [views])
    yield from views.by_turns()


def _judged(
    search: CheckedSearch, results: KnownOutcomes, spoilt: Bools | None, leaves: bool = True
) -> tuple[ValuelessLeaf, UnevenValues, PlayerViews, ValueByOutcome]:
    """Checks of the values within the range."""
    looks = (
        ValuelessLeaf(search), UnevenValues(search), PlayerViews(search, results),
        ValueByOutcome(search, results, spoilt, leaves),
    )  # fmt: skip
    show(search, looks, spoilt, leaves)
    return looks
