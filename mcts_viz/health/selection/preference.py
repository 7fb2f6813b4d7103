"""Which of its children a search visits most: those that are better for the player who chooses, whatever its rule is.

Knows visits and means at the end, no rule of selection.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.trace.players import CHANCE
from mcts_viz.types import Bools, Ints

LEAST_VISITS = 20  # of a node, before its children differ by more than chance
MORE = 1.5  # times the visits of the others that the most visited child has
NEARLY_ALL = 0.85  # of the nodes; of 125 correct searches 0.25 is the most
SURE = 3.5  # standard deviations from half of the nodes
FEW = 3  # nodes of one player


def check_preference(search: CheckedSearch) -> Iterator[Finding]:
    """Values in the wrong view, where it is not known what the search selects by."""
    if search.alone or not search.meta.mirrors or search.meta.step_rewards:
        return
    node, worse = _preferred(search)
    n, n_worse = len(node), int(worse.sum())
    if not n or n_worse < NEARLY_ALL * n or n_worse - n / 2 < SURE * np.sqrt(n) / 2:
        return
    parent = search.parent[node]
    for player in (0, 1):
        own = worse[search.mover[node] == player]
        if len(own) >= FEW and own.mean() < 2 / 3:
            return
    first = int(np.argmax(worse))
    yield found(
        "selection-wrong-view", None, int(parent[first]),
        f"whatever the search selects by, at {n_worse:,} of {n:,} nodes the child with the most visits is worse "
        "for the player who chooses than its siblings are: the values are in the other player's view "
        "(value_view=), or the search takes what is best for the opponent",
        nodes=n, worse=n_worse,
    ).as_warning()  # fmt: skip


def _preferred(search: CheckedSearch) -> tuple[Ints, Bools]:
    """The child with clearly the most visits of each node that has it, and whether its mean is below that of its
    siblings; without those that are equal."""
    after = search.statistics_after(search.T)
    visits = after.visits[: search.N]
    parent = search.parent.astype(np.int64)
    child = np.flatnonzero((visits > 0) & (parent >= 0))
    above = parent[child]
    child = child[(visits[above] >= LEAST_VISITS) & (search.to_move[above] != CHANCE)]
    above = parent[child]
    mean = after.value_sum[child] / visits[child]
    order = np.lexsort((-visits[child], above))  # the most visited child of each node first
    child, above, mean = child[order], above[order], mean[order]
    first = np.flatnonzero(np.diff(above, prepend=-1))
    if not len(first):
        return child, np.zeros(0, np.bool_)
    n_others = np.diff(first, append=len(child)) - 1
    of_others = np.maximum(n_others, 1)
    others = (np.add.reduceat(mean, first) - mean[first]) / of_others
    others_visits = (np.add.reduceat(visits[child], first) - visits[child[first]]) / of_others
    best = mean[first]
    apart = np.abs(best - others) > search.slack
    use = (n_others > 0) & apart & (visits[child[first]] > MORE * others_visits)
    return child[first[use]], (best < others)[use]
