"""Whether told rollouts that do not go by the rules from their leaf do so from the position of its parent, or of the
root: then they were played from there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.outcomes.replays import ReplayedRollout, rollouts
from mcts_viz.types import Bools

FEW = 20  # rollouts
# share of the wrong ones that are right from there: a random game is so by chance in some cases, and one of twenty such
# games after another in less than one search of a billion, even where four of five are
NEARLY_ALL = 0.98
FEW_MOVES = 2  # that a finished game leaves to tell where it began
OPPOSITE = (
    "; all that are won are recorded with the opposite result, as in the view of the other player"
)


class Elsewhere(NamedTuple):
    """What explains rollouts that do not go by the rules from their leaf."""

    what: (
        Finding | str
    )  # what to say; or to add, where they are told with moves of the tree before them
    told: list[ReplayedRollout]  # from where they were played


def begun_elsewhere(
    search: CheckedSearch, told: Sequence[ReplayedRollout], wrong: Bools
) -> Elsewhere | None:
    """None where they were not. wrong: [R] rollouts that do not go by the rules from their leaf."""
    bad = [one for one, is_wrong in zip(told, wrong.tolist(), strict=True) if is_wrong]
    if len(bad) < FEW:
        return None
    iterations = [one.iteration for one in bad if search.leaf[one.iteration - 1] > 0]
    for of_root, begin in ((False, partial(_parent, search)), (True, _root)):
        again = rollouts(search, iterations, begin)
        opposite = _fits(search, again, len(bad))
        if opposite is None:
            continue
        others = [one for one, is_wrong in zip(told, wrong.tolist(), strict=True) if not is_wrong]
        if _begin_with_the_way(search, again, of_root):
            return Elsewhere(_told_too_long(len(bad), of_root), [*others, *again])
        finding = _from(search, again[0], bad, len(told), of_root, opposite)
        return Elsewhere(finding, [*others, *again])
    return None


def _parent(search: CheckedSearch, node: int) -> int:
    return int(search.parent[node])


def _root(_leaf: int) -> int:
    return 0


def _fits(search: CheckedSearch, again: Sequence[ReplayedRollout], n: int) -> bool | None:
    """Whether the results are the opposite of those that are recorded; None where games do not go by the rules from
    there, or have other results. n: how many should."""
    result = search.trace.columns.outcome
    whole = [one for one in again if one.outcome is not None]
    if len(whole) < NEARLY_ALL * n:
        return None
    due = np.array([one.outcome for one in whole], np.float64)
    recorded = np.array([result[one.iteration - 1] for one in whole], np.float64)
    known = ~np.isnan(recorded)
    if float(np.isclose(due, recorded, atol=1e-5)[known].sum()) >= NEARLY_ALL * known.sum():
        return False
    middle = sum(search.meta.reward_range)  # a result and its opposite
    turned = np.isclose(middle - due, recorded, atol=1e-5)[known]
    return True if turned.sum() >= NEARLY_ALL * known.sum() else None


def _begin_with_the_way(
    search: CheckedSearch, again: Sequence[ReplayedRollout], of_root: bool
) -> bool:
    """Whether nearly all begin with the move into the leaf, or with all moves from the root to it."""
    played = search.trace.columns.rollout
    same = 0
    for one in again:
        node = int(search.leaf[one.iteration - 1])
        way: list[int] = []
        while node > 0 and not (way and not of_root):
            way.append(int(search.action[node]))
            node = _parent(search, node)
        begin = int(played.offset[one.iteration - 1])
        same += played.action[begin : begin + len(way)].tolist() == way[::-1]
    return same >= NEARLY_ALL * len(again)


def _told_too_long(n: int, of_root: bool) -> str:
    what = "all moves from the root to the leaf" if of_root else "the move into the leaf"
    return (
        f"All {n:,} go by the rules with {what} as their beginning, which they have: rollout= is to be given the moves "
        "after the leaf alone"
    )


def _from(
    search: CheckedSearch, first: ReplayedRollout, bad: Sequence[ReplayedRollout], looked_at: int,
    of_root: bool, opposite: bool,
) -> Finding:  # fmt: skip
    illegal = sum(one.illegal is not None for one in bad)
    place, why = "its parent", (
        "simulations start from the parent's state, and the move into the new child, the one that is tried, was not "
        "played on it"
    )  # fmt: skip
    if of_root:
        place, why = "the root", "simulations start from the root's state, whatever the leaf"
    result = "the result that is recorded"
    if opposite:
        result = "the opposite of the result that is recorded, as in the view of the other player"
    finding = found(
        "simulation-from-parent", first.iteration, int(search.leaf[first.iteration - 1]),
        f"{len(bad):,} of {looked_at:,} rollouts looked at do not go by the rules from the position of their leaf "
        f"({illegal:,} play a move that is illegal there, others do not end, or with another result), but do from "
        f"that of {place}, to {result}: {why}",
        times=len(bad), looked_at=looked_at,
    )  # fmt: skip
    return replace(finding, severity="error")  # nothing is estimated here
