"""Whether all children of a node get one value at their first visits: then it is the node that is evaluated."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.outcomes.new_leaves import NewLeaves
from mcts_viz.health.values.rewards import includes_own_reward
from mcts_viz.types import Bools, Floats, Ints

FEW_FAMILIES = 10
# or so many families with so many children, beside the first of each
FEW_LARGE, FEW_SIBLINGS = 6, 30
FEW_KINDS = 4  # values of families at one depth
NEARLY_ALL = 0.98  # families


class FirstValues(NamedTuple):
    """What the L new leaves below F nodes get at first, beside the rewards of their moves: family by family."""

    iteration: Ints  # [L]
    node: Ints  # [L]
    value: Floats  # [L]
    parent: Ints  # [L]
    first: Ints  # [F] first leaf of each family
    size: Ints  # [F]
    most: Floats  # [F] the greatest value
    alike: Bools  # [F] whether all values are the same


def first_values(search: CheckedSearch, leaves: NewLeaves) -> FirstValues:
    """Of at least one leaf."""
    iteration, node, value = leaves
    if search.has_rewards and includes_own_reward(search):
        value = value - search.rewards[node]
    order = np.argsort(search.parent[node], kind="stable")
    node, value, iteration = node[order], value[order], iteration[order]
    parent = search.parent[node].astype(np.int64)
    first = np.flatnonzero(np.diff(parent, prepend=-2))
    least, most = np.minimum.reduceat(value, first), np.maximum.reduceat(value, first)
    size = np.diff(np.append(first, len(node)))
    alike = most - least <= 1e-6 * (1 + np.abs(most))
    return FirstValues(iteration, node, value, parent, first, size, most, alike)


def may_go_on(search: CheckedSearch, leaves: NewLeaves) -> NewLeaves:
    """Those where no game seems to be over."""
    over = search.ended[leaves.node]
    if not search.ended.any():
        # where nobody says where games end, a node below which the search never went may be such a place
        over = search.n_children(leaves.node) == 0
    return leaves.where(~over)


def check_alike_siblings(search: CheckedSearch, leaves: NewLeaves) -> Iterator[Finding]:
    """A finding where evaluations differ from family to family, and never within one."""
    at = may_go_on(search, leaves)
    if not len(at.node):
        return
    iteration, node, value, parent, first, size, most, alike = first_values(search, at)
    several = size > 1
    if not _are_enough(size) or alike[several].mean() < NEARLY_ALL:
        return
    depth = search.topology.depth[parent[first]]
    kinds = [
        len(np.unique(np.round(most[several & (depth == each)], 5)))
        for each in np.unique(depth[several])
    ]
    if max(kinds) < FEW_KINDS:
        return  # results of games, or something that the depth alone decides
    one = int(first[np.argmax(several & alike)])
    inherited = is_that_of_parent(search, leaves, parent[first], most)[several & alike]
    what = (
        f"It is the value that the parent began with, in {int(inherited.sum()):,} of them: the parent is evaluated in "
        "place of the new leaf, or its value is handed down"
        if inherited.mean() >= NEARLY_ALL
        else "What is evaluated seems to be the parent, not the new leaf"
    )
    yield found(
        "simulation-from-parent", int(iteration[one]), int(node[one]),
        f"the children of node {int(parent[one]):,} all get {value[one]:.6g} at their first visit{_beside(search)}; so "
        f"it is in {int((several & alike).sum()):,} of {int(several.sum()):,} families looked at, whose values differ "
        f"from one another. {what}: siblings begin with the same value, whatever their move",
        times=int((several & alike).sum()), families=int(several.sum()),
    )  # fmt: skip


def _are_enough(size: Ints) -> bool:
    """Of families with so many new leaves each."""
    several = size[size > 1]
    large = len(several) >= FEW_LARGE and (several - 1).sum() >= FEW_SIBLINGS
    return len(several) >= FEW_FAMILIES or bool(large)


def is_that_of_parent(
    search: CheckedSearch, leaves: NewLeaves, parent: Ints, value: Floats
) -> Bools:
    """Whether the value of each family is what its parent got at its own first visit, in either player's view."""
    own = np.full(search.N, np.nan)
    own[leaves.node] = leaves.value
    other = sum(search.value_range) - value if not search.alone else value
    near = 1e-6 * (1 + np.abs(value))
    return np.asarray((np.abs(own[parent] - value) <= near) | (np.abs(own[parent] - other) <= near))


def _beside(search: CheckedSearch) -> str:
    return ", beside the rewards of their moves" if search.has_rewards else ""
