"""Leaves where an iteration evaluates several: nodes that get visits, of which no child gets any."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.iteration_range import IterationRange
from mcts_viz.health.outcomes.new_leaves import NewLeaves, joined
from mcts_viz.health.tree.shape import children_of
from mcts_viz.health.values.of_visits import VisitValues


def leaves_of_batches(search: CheckedSearch, older_parents: bool = False) -> NewLeaves:
    """The first ones of a long trace, all of another. older_parents: only those whose parent was visited in an
    iteration before: what children have that are visited together with their parent may be given to them by it."""
    return joined(_by_range(search, older_parents))


def values_of_leaves(search: CheckedSearch, part: IterationRange) -> VisitValues:
    """What they get a visit in a range of iterations."""
    updates = part.updates
    below = children_of(search, part, updates.visits).total
    rows = (updates.node > 0) & (updates.visits > 0) & (below == 0)
    iteration, node, visits = updates.iteration[rows], updates.node[rows], updates.visits[rows]
    before = part.before(node, iteration)
    return VisitValues(
        iteration - part.first, iteration, node, search.mover[node].astype(np.int64),
        np.ones(len(node), np.bool_), updates.value[rows] / visits, before.visits, before.value_sum,
    )  # fmt: skip


def _by_range(search: CheckedSearch, older_parents: bool) -> Iterator[NewLeaves]:
    for part in search.ranges():
        updates = part.updates
        below = children_of(search, part, updates.visits).total
        before = part.before(updates.node, updates.iteration).visits
        new = (updates.visits == 1) & (below == 0) & (before == 0)
        if older_parents:
            parent = np.maximum(search.parent[updates.node], 0).astype(np.int64)
            new &= part.before(parent, updates.iteration).visits > 0
        yield NewLeaves(updates.iteration[new], updates.node[new], updates.value[new])
