"""Whether siblings get one value at their first visits in a tree so small that it has but a few families; in a larger
one `alike_siblings` sees it.

Were what leaves get independent of their parents, siblings would be alike as often as leaves of any two families are.
Siblings may resemble one another by right, so that this alone is a note. It is a warning where nodes without children,
which later visits find the same each time, got something else at first: what was evaluated then was not the node."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.outcomes.alike_siblings import (
    FirstValues,
    first_values,
    is_that_of_parent,
    may_go_on,
)
from mcts_viz.health.outcomes.first_of_ends import LEAST_VISITS, visits_of_childless
from mcts_viz.health.outcomes.new_leaves import NewLeaves
from mcts_viz.types import Bools, Ints

FEW_FAMILIES = 4  # of several children
FEW_KINDS = 4  # values of families at one depth, so that it is not the depth that decides
# logarithm of the chance that siblings are as alike as they are, where leaves of two families are as seldom
UNLIKELY = -18.0
FEW_ENDS = 2  # without children, whose first visit alone differs


def check_few_families(search: CheckedSearch, leaves: NewLeaves) -> Iterator[Finding]:
    """A finding where all of a few families are alike, and hardly two of them have the same value."""
    leaves = leaves.where(leaves.node > 0)
    at = may_go_on(search, leaves)
    if not len(at.node):
        return
    families = first_values(search, at)
    several = families.size > 1
    if several.sum() < FEW_FAMILIES or not families.alike[several].all():
        return
    again = int((families.size[several] - 1).sum())
    everywhere = first_values(search, leaves)
    if again * _chance_of_two(everywhere) > UNLIKELY:
        return
    if _kinds_at_a_depth(search, families, several) < 2:
        return  # something that the depth alone decides
    if _kinds_at_a_depth(search, everywhere, everywhere.size > 0) < FEW_KINDS:
        return
    inherited = is_that_of_parent(search, leaves, families.parent[families.first], families.most)
    if inherited[several].all():
        return  # handed down: a value that most moves leave as it is
    one = int(families.first[np.argmax(several)])
    n, children = int(several.sum()), int(families.size[several].sum())
    words = (
        f"the children of node {int(families.parent[one]):,} all get {families.value[one]:.6g} at their first visit; "
        f"so it is in all {n:,} families with several that the search went on below, of {children:,} children in all, "
        "whose values differ from one another. What is evaluated seems to be the parent, not the new leaf: siblings "
        "begin with the same value, whatever their move"
    )
    odd, constant = _other_at_first(search)
    finding = found(
        "simulation-from-parent", int(families.iteration[one]), int(families.node[one]),
        f"{words}. Nodes that the search never went below tell the same: {odd:,} of {constant:,} that have one value "
        "at each later visit, when they are found again, had another one at first",
        times=n, families=n, ends=odd,
    )  # fmt: skip
    if odd >= FEW_ENDS and odd == constant:
        yield finding
    else:
        yield finding.as_note(
            f"{words}. Right where moves from one position are hardly ever worth different values"
        )


def _chance_of_two(families: FirstValues) -> float:
    """Logarithm of the chance that leaves of two families have the same value."""
    value = np.round(families.value[families.first], 5)
    share = np.unique(value, return_counts=True)[1] / len(value)
    return float(np.log((share**2).sum()))


def _kinds_at_a_depth(search: CheckedSearch, families: FirstValues, use: Bools) -> int:
    """How many values the families of one depth have, where these are most."""
    depth = search.topology.depth[families.parent[families.first]][use]
    most = np.round(families.most[use], 5)
    return max(len(np.unique(most[depth == each])) for each in np.unique(depth))


def _other_at_first(search: CheckedSearch) -> tuple[int, int]:
    """Of nodes without children that have one value at each of several later visits: how many had another one at
    first, and how many there are."""
    visits = visits_of_childless(search)
    odd = constant = 0
    begin: Ints = np.flatnonzero(np.diff(visits.node, prepend=-1))
    for value in np.split(visits.value, begin[1:]):
        if len(value) >= LEAST_VISITS and np.ptp(value[1:]) <= search.slack:
            constant += 1
            odd += bool(abs(value[0] - value[1]) > search.slack)
    return odd, constant
