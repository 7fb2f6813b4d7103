"""Values of nodes that are an average of their children's, and not the mean of all visits: with weights by how good a
child is, by a policy, by chances that are known, or a quantile."""

from __future__ import annotations

import numpy as np

from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.iteration_range import IterationRange
from mcts_viz.types import Floats, Ints

NEARLY_ALL = 0.995  # of the steps
FEW = 100  # steps at which the average is another than the mean
APART = 0.1  # likewise, share of the steps


def average_of_children(search: CheckedSearch) -> str | None:
    """ "average" where the value of each node lies among its children's and what it got itself at its first visit, and
    is often not their mean by visits; "even" where each of these counts the same, whatever its visits."""
    own = np.full(search.N, np.nan)  # what a node got as a new leaf
    n = inside = apart = 0
    even = np.zeros(2, np.int64)  # of those apart: with what a node got itself, and without
    for part in search.ranges():
        steps = part.steps
        new = steps.is_leaf & (steps.visits > 0) & (part.before_steps().visits == 0)
        own[steps.node[new]] = steps.value[new] / steps.visits[new]
        use = ~steps.is_leaf & (steps.visits > 0) & (steps.node > 0)
        use &= _nodes_of(search, steps.node) == steps.node  # ways have no children of their own
        if not use.any():
            continue
        iteration, node = steps.iteration[use], steps.node[use]
        low, high, by_visits, evenly = _of_children(search, part, iteration, node, own[node])
        visits, value_sum, *_ = part.before(node, iteration + 1)
        mean = value_sum / np.maximum(visits, 1)
        slack = 1e-5 * (1.0 + np.abs(mean))
        among = (low - slack <= mean) & (mean <= high + slack)
        n += len(node)
        inside += int(among.sum())
        is_apart = among & (np.abs(mean - by_visits) > slack)
        apart += int(is_apart.sum())
        even += (is_apart & (np.abs(mean - evenly) <= slack)).sum(axis=1)
    if search.meta.shared and inside == n:
        # only where values came by other ways, too, it is not the mean
        return "average" if apart > 0 else None
    if apart < max(FEW, APART * n) or inside < NEARLY_ALL * n:
        return None
    return "even" if even.max() >= NEARLY_ALL * apart else "average"


def _nodes_of(search: CheckedSearch, rows: Ints) -> Ints:
    """The nodes themselves, where some are further ways to nodes that are shared and have one value."""
    if search.same_as is None or search.meta.shared != "nodes":
        return rows
    first = search.same_as[rows].astype(np.int64)
    return np.where(first >= 0, first, rows)


def _of_children(
    search: CheckedSearch, part: IterationRange, iteration: Ints, node: Ints, own: Floats
) -> tuple[Floats, Floats, Floats, Floats]:
    """[K] least and greatest of the means of each node's children and its own first value, and their mean by visits;
    [2, K] their mean with the same weight for each, with the own value and without. After the iteration and in the view
    of the player who moved into the node."""
    count = search.families.count(node, part.node_count(iteration + 1))
    children = _nodes_of(search, search.families.oldest(node, count))
    of = np.repeat(np.arange(len(node)), count)
    visits, value_sum, *_ = part.before(children, iteration[of] + 1)
    seen = visits > 0
    children, of, visits, value_sum = children[seen], of[seen], visits[seen], value_sum[seen]
    if not search.alone:
        opponent = search.mover[children] != search.mover[node][of]
        value_sum = np.where(opponent, visits * sum(search.value_range) - value_sum, value_sum)
    has_own = ~np.isnan(own)
    low, high = np.where(has_own, own, np.inf), np.where(has_own, own, -np.inf)
    np.minimum.at(low, of, value_sum / visits)
    np.maximum.at(high, of, value_sum / visits)
    total = np.bincount(of, value_sum, len(node)) + np.where(has_own, own, 0.0)
    by_visits = total / np.maximum(np.bincount(of, visits, len(node)) + has_own, 1)
    means, several = (
        np.bincount(of, value_sum / visits, len(node)),
        np.bincount(of, minlength=len(node)),
    )
    with_own = (means + np.where(has_own, own, 0.0)) / np.maximum(several + has_own, 1)
    return low, high, by_visits, np.stack([with_own, means / np.maximum(several, 1)])
