"""Whether all children of a node get one value at their first visits: then it is the node that is evaluated."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.outcomes.new_leaves import NewLeaves

FEW_FAMILIES = 10
FEW_KINDS = 4  # values of families at one depth
NEARLY_ALL = 0.98  # families


def check_alike_siblings(search: CheckedSearch, leaves: NewLeaves) -> Iterator[Finding]:
    """A finding where evaluations differ from family to family, and never within one."""
    over = search.ended[leaves.node]
    if not search.ended.any():
        # where nobody says where games end, a node below which the search never went may be such a place
        over = search.n_children(leaves.node) == 0
    iteration, node, value = leaves.where(~over)
    if not len(node):
        return
    order = np.argsort(search.parent[node], kind="stable")
    node, value, iteration = node[order], value[order], iteration[order]
    parent = search.parent[node]
    first = np.flatnonzero(np.diff(parent, prepend=-1))
    least, most = np.minimum.reduceat(value, first), np.maximum.reduceat(value, first)
    several = np.diff(np.append(first, len(node))) > 1
    alike = most - least <= 1e-6 * (1 + np.abs(most))
    if several.sum() < FEW_FAMILIES or alike[several].mean() < NEARLY_ALL:
        return
    depth = search.topology.depth[parent[first]]
    kinds = [
        len(np.unique(np.round(most[several & (depth == each)], 5)))
        for each in np.unique(depth[several])
    ]
    if max(kinds) < FEW_KINDS:
        return  # results of games, or something that the depth alone decides
    at = int(first[np.argmax(several & alike)])
    yield found(
        "simulation-from-parent", int(iteration[at]), int(node[at]),
        f"the children of node {int(parent[at]):,} all get {value[at]:.6g} at their first visit; so it is "
        f"in {int((several & alike).sum()):,} of {int(several.sum()):,} families looked at, whose values differ from "
        "one another. What is evaluated seems to be the parent, not the new leaf",
        times=int((several & alike).sum()), families=int(several.sum()),
    )  # fmt: skip
