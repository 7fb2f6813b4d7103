"""Whether evaluations of one player's search are the two ends of their range alone, and nearly all the lower one, as
scores are that an integer division has cut: 7 // 10 is 0, and only 10 // 10 is 1."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.analysis.node.branch import SCORE
from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.values.of_visits import values_of
from mcts_viz.trace.sibling_terms import EVALUATION
from mcts_viz.types import Bools, Floats, Ints

FEW_LEAVES, FEW_HIGH = 60, 3  # new ones; visits of leaves with the upper value
# of the new leaves, and of all visits of leaves, get the lower one; a search comes back to the others
NEARLY_ALL, MOSTLY = 0.8, 0.7
MOST = 100_000  # visits looked at, the first ones
FEW_TOLD, KINDS = 40, 5  # leaves whose told score has a fraction, and different ones
SCALES = (1.0, 5.0, 10.0, 100.0)  # what scores are out of
AS_CUT = 0.98  # of these, that get the whole part
SHOWN = 1e-5


def check_two_values(search: CheckedSearch) -> Iterator[Finding]:
    """A note, as a task may be solved or not, and nothing between."""
    low, high = search.value_range
    rewarded = search.has_rewards or search.meta.step_rewards
    if not search.alone or rewarded or (low, high) != (0.0, 1.0) or search.rules is not None:
        return
    if search.trace.columns.rollout.recorded:
        return
    node, value, iteration, is_new = _of_leaves(search)
    upper = np.abs(value - 1.0) <= search.slack
    if not (upper | (np.abs(value) <= search.slack)).all():
        return
    if is_new.sum() < FEW_LEAVES or upper.sum() < FEW_HIGH:
        return
    if upper[is_new].mean() > 1 - NEARLY_ALL or upper.mean() > 1 - MOSTLY:
        return
    told = _as_told(search, node[is_new], upper[is_new])
    if (
        search.has_chance
        or search.ended[node[upper]].all()
        or not (told or _vary(search, node, upper))
    ):
        return  # results of episodes
    at = int(np.argmax(upper))
    yield found(
        "value-fraction", int(iteration[at]), int(node[at]),
        f"{int((~upper).sum()):,} of {len(node):,} visits of leaves are worth exactly 0, the others exactly 1, and "
        f"none lies between{told}. So it is where a score is cut to a whole number on its way "
        "to the range from 0 to 1, as by an integer division, 7 // 10, or by int(): only the highest one counts, and "
        "the search is guided by hardly anything. Right where a task is solved or not, and nothing between counts",
        times=int((~upper).sum()), visits=len(node),
    ).as_note()  # fmt: skip


def _of_leaves(search: CheckedSearch) -> tuple[Ints, Floats, Ints, Bools]:
    """Node, value and iteration of visits of leaves, and whether they are first ones."""
    none = np.zeros(0, np.int64)
    parts = [(none, np.zeros(0), none, none > 0)]
    n = 0
    for part in search.ranges():
        values = values_of(search, part)
        leaves = values.where(values.is_leaf)
        parts.append((leaves.node, leaves.value, leaves.iteration, leaves.visits_before == 0))
        n += len(leaves.node)
        if n >= MOST:
            break
    node, value, iteration, is_new = (np.concatenate(column) for column in zip(*parts))
    return node, value, iteration, is_new


def _vary(search: CheckedSearch, node: Ints, upper: Bools) -> bool:
    """Whether some of the nodes that get the upper value get the lower one as well, or have children: where a task is
    solved it is over."""
    solved = np.unique(node[upper])
    return bool((search.n_children(solved) > 0).any() or np.isin(solved, node[~upper]).any())


def _as_told(search: CheckedSearch, node: Ints, upper: Bools) -> str:
    """In words, what was told of the scores of new leaves, where the values are their whole parts."""
    numbers = search.trace.columns.numbers(search.T)
    for name in (EVALUATION, SCORE):
        told = numbers.get(name)
        if told is None:
            continue
        own = told[node]
        for scale in SCALES:
            share = own / scale
            between = (share > SHOWN) & (share < 1 - SHOWN)
            if between.sum() < FEW_TOLD or len(np.unique(np.round(share[between], 5))) < KINDS:
                continue
            cut = np.floor(share + SHOWN) == upper
            if cut[~np.isnan(own)].mean() >= AS_CUT:
                return (
                    f"; what was told of them ({name}) does at {int(between.sum()):,}, and the value is its whole part"
                    + ("" if scale == 1 else f" when divided by {scale:g}")
                )
    return ""
