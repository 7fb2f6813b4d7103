"""Whether new leaves get the evaluations that were told of their siblings (evaluation=), as where a judge's votes are
asked of the unfinished children of a node, and are taken by the place among all of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.outcomes.new_leaves import NewLeaves
from mcts_viz.trace.sibling_terms import EVALUATION
from mcts_viz.types import Bools, Floats, Ints

FEW_WRONG, FEW_OF_SIBLINGS = 8, 5  # leaves with another value, and of those that have a sibling's
KINDS = 10  # different evaluations: of few, two siblings often have the same
SOME = 0.15  # of the leaves with another value: others may have one that fills up a list
NEARLY_ALL = 0.9  # of those of which all siblings were told, too
MOST = 5_000  # leaves that are looked at, the first ones
BY_CHANCE = 4.0  # times as many as get an equal number from a family of as many siblings elsewhere
SHOWN = 1e-5


class Votes(NamedTuple):
    """[L] of leaves at which the game goes on and whose evaluations were told."""

    node: Ints
    iteration: Ints
    value: Floats  # at the first visit
    due: Floats  # what was told, view of who moved there
    sibling: Ints  # a sibling whose evaluation it has; −1 none


def check_votes_of_siblings(search: CheckedSearch, leaves: NewLeaves) -> Iterator[Finding]:
    """An error of games of one, or of two where what one gains the other loses, without rewards on the way."""
    told = search.trace.columns.numbers(search.T).get(EVALUATION)
    low, high = search.value_range
    if told is None or search.has_rewards or search.meta.step_rewards:
        return
    if not search.alone and (low != -high or not search.meta.mirrors):
        return
    votes = _votes(search, leaves, told[: search.N].astype(np.float64))
    wrong = np.abs(votes.value - votes.due) > search.slack + SHOWN
    of_sibling = wrong & (votes.sibling >= 0)
    if wrong.sum() < FEW_WRONG or of_sibling.sum() < FEW_OF_SIBLINGS:
        return
    if len(np.unique(np.round(votes.due, 5))) < KINDS:
        return
    # of others it is not known what all their siblings were told
    all_told = wrong & np.array([_all_told(search, each, told) for each in votes.node.tolist()])
    if of_sibling.sum() < SOME * wrong.sum():
        return
    if (of_sibling & all_told).sum() < NEARLY_ALL * all_told.sum():
        return
    if of_sibling.sum() < BY_CHANCE * max(1.0, _by_chance(search, votes, wrong)):
        return
    yield _finding(search, votes, wrong, of_sibling)


def _votes(search: CheckedSearch, leaves: NewLeaves, told: Floats) -> Votes:
    use = (leaves.node > 0) & ~search.ended[leaves.node] & ~np.isnan(told[leaves.node])
    some = leaves.where(use & (np.cumsum(use) <= MOST))
    due = _seen_by_mover(search, some.node, told)
    sibling = np.full(len(some.node), -1)
    for at in np.flatnonzero(np.abs(some.value - due) > search.slack + SHOWN).tolist():
        node, value = int(some.node[at]), float(some.value[at])
        family = _siblings(search, node)
        same = np.abs(_seen_by_mover(search, family, told) - value) <= SHOWN
        others = family[same & (family != node)]
        if len(others):
            sibling[at] = others[np.argmin(np.abs(others - node))]
    return Votes(some.node, some.iteration, some.value, due, sibling)


def _seen_by_mover(search: CheckedSearch, node: Ints, told: Floats) -> Floats:
    """Evaluations are told for the player to move."""
    turned = (not search.alone) & (search.to_move[node] != search.mover[node])
    return np.asarray(np.where(turned, -told[node], told[node]), np.float64)


def _siblings(search: CheckedSearch, node: int) -> Ints:
    """All children of the node's parent, in order of creation."""
    parent = np.array([int(search.parent[node])])
    return search.families.oldest(parent, search.n_children(parent))


def _all_told(search: CheckedSearch, node: int, told: Floats) -> bool:
    return not np.isnan(told[_siblings(search, node)]).any()


def _by_chance(search: CheckedSearch, votes: Votes, wrong: Bools) -> float:
    """How many of the wrong values are expected to be among the evaluations of as many leaves as they have siblings."""
    kinds, times = np.unique(np.round(votes.due, 5), return_counts=True)
    share = dict(zip(kinds.tolist(), (times / times.sum()).tolist()))
    parents = search.parent[votes.node[wrong]].astype(np.int64)
    siblings = search.n_children(parents) - 1
    values = np.round(votes.value[wrong], 5).tolist()
    return float(sum(n * share.get(value, 0.0) for n, value in zip(siblings.tolist(), values)))


def _finding(search: CheckedSearch, votes: Votes, wrong: Bools, of_sibling: Bools) -> Finding:
    at = int(np.argmax(of_sibling))
    node, other = int(votes.node[at]), int(votes.sibling[at])
    behind = np.array([_is_behind_an_end(search, each) for each in votes.node.tolist()])
    why = "answers and children are put together in another order, or by a wrong index"
    if behind[wrong].all():
        right = int((~wrong & ~behind).sum())
        why = (
            f"all {int(wrong.sum()):,} stand behind a finished sibling, and all {right:,} that stand behind none get "
            "their own: evaluations are asked for the unfinished children, and taken by the place among all of them, "
            "so that they are shifted behind a finished one"
        )
    rest = votes.value[wrong & ~of_sibling]
    filled = ""
    if len(rest):
        kinds, times = np.unique(np.round(rest, 5), return_counts=True)
        filled = f", and {int(times.max()):,} get {float(kinds[np.argmax(times)]):g}, as of a list that is filled up"
    return found(
        "simulation-late", int(votes.iteration[at]), node,
        f"new nodes get the evaluations of their siblings: node {node:,} gets {votes.value[at]:.4g} at its first "
        f"visit, which is what was told of node {other:,}, and not its own, {votes.due[at]:.4g}. Of {len(wrong):,} new "
        f"nodes {int(wrong.sum()):,} get another value than was told of them, {int(of_sibling.sum()):,} of these that "
        f"of a sibling{filled}; {why}",
        times=int(of_sibling.sum()), wrong=int(wrong.sum()), looked_at=len(wrong),
    )  # fmt: skip


def _is_behind_an_end(search: CheckedSearch, node: int) -> bool:
    family = _siblings(search, node)
    return bool(search.ended[family[family < node]].any())
