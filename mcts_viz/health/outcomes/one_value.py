"""Whether all leaves of a batch get the value of one of them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.tree.shape import own_visits

FEW = 20  # iterations
FEW_LEAVES = 3  # of an iteration, where the game goes on
ALWAYS = 0.95  # share of the iterations
KINDS = 10  # different values
MOST_OF_ONE = 0.5  # share of the iterations: results of games come again and again


def check_one_value(search: CheckedSearch) -> Iterator[Finding]:
    """Values are compared by their distance from the middle of the range: signs may be turned for each leaf, or not."""
    middle = sum(search.value_range) / 2
    iterations = same = first = 0
    values: list[float] = []  # of iterations whose leaves all get one
    for part in search.ranges():
        updates = part.updates
        leaf = (own_visits(search, part) == 1) & (updates.visits == 1) & (updates.node > 0)
        leaf &= ~search.ended[updates.node]
        at = updates.iteration[leaf] - part.first
        parent = search.parent[updates.node[leaf]]
        size = np.abs(updates.value[leaf] - middle)
        n = np.bincount(at, minlength=part.n)
        begin = np.flatnonzero(np.diff(at, prepend=-1))
        if not len(begin):
            continue
        which = at[begin]
        spread = np.maximum.reduceat(size, begin) - np.minimum.reduceat(size, begin)
        apart = np.maximum.reduceat(parent, begin) > np.minimum.reduceat(parent, begin)
        use = (n[which] >= FEW_LEAVES) & apart
        equal = use & (spread <= search.slack)
        iterations, same = iterations + int(use.sum()), same + int(equal.sum())
        if equal.any() and not first:
            first = part.first + int(which[np.argmax(equal)])
        values += np.round(size[begin][equal], 9).tolist()
    if iterations < FEW or same < ALWAYS * iterations:
        return
    kinds, times = np.unique(values, return_counts=True)
    if len(kinds) < KINDS or times.max() > MOST_OF_ONE * len(values):
        return
    yield found(
        "batch-one-value", first, None,
        f"all leaves of an iteration get the same value, or its opposite, in {same:,} of {iterations:,} iterations "
        f"with {FEW_LEAVES} leaves or more below several nodes, and another one in each: the value of one leaf seems "
        "to be backed up for the whole batch",
        times=same, iterations=iterations,
    )  # fmt: skip
