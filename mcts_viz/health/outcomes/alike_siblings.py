"""Whether all children of a node get one value at their first visits: then it is the node that is evaluated."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.iteration_range import IterationRange
from mcts_viz.health.values.of_visits import VisitValues, show
from mcts_viz.types import Floats, Ints

FEW_FAMILIES = 10
FEW_KINDS = 4  # values of families at one depth
NEARLY_ALL = 0.98  # families


def check_alike_siblings(search: CheckedSearch) -> Iterator[Finding]:
    """A finding where evaluations differ from family to family, and never within one."""
    visits = _FirstVisits(search)
    show(search, [visits])
    yield from visits.findings()


class _FirstVisits:
    """What nodes get at their first visits, where these are leaves and no game is over."""

    def __init__(self, search: CheckedSearch) -> None:
        self.search = search
        # where nobody says where games end, a node below which the search never went may be such a place
        self.over = search.ended
        if not self.over.any():
            self.over = np.bincount(search.parent[1:], minlength=search.N) == 0
        self._node: list[Ints] = []
        self._iteration: list[Ints] = []
        self._value: list[Floats] = []

    def look(self, part: IterationRange, values: VisitValues) -> None:
        use = values.is_leaf & (values.visits_before == 0) & ~self.over[values.node]
        self._node.append(values.node[use])
        self._iteration.append(values.iteration[use])
        self._value.append(values.value[use])

    def findings(self) -> Iterator[Finding]:
        node = np.concatenate(self._node or [np.zeros(0, np.int64)])
        if not len(node):
            return
        value, iteration = np.concatenate(self._value), np.concatenate(self._iteration)
        order = np.argsort(self.search.parent[node], kind="stable")
        node, value, iteration = node[order], value[order], iteration[order]
        parent = self.search.parent[node]
        first = np.flatnonzero(np.diff(parent, prepend=-1))
        least, most = np.minimum.reduceat(value, first), np.maximum.reduceat(value, first)
        several = np.diff(np.append(first, len(node))) > 1
        alike = most - least <= 1e-6 * (1 + np.abs(most))
        if several.sum() < FEW_FAMILIES or alike[several].mean() < NEARLY_ALL:
            return
        depth = self.search.topology.depth[parent[first]]
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
            f"in {int((several & alike).sum()):,} of {int(several.sum()):,} families, whose values differ from one "
            "another. What is evaluated seems to be the parent, not the new leaf",
            times=int((several & alike).sum()), families=int(several.sum()),
        )  # fmt: skip
