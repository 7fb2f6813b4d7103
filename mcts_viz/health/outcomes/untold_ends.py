"""Nodes at which games end, as far as visits show it where nobody tells."""

from __future__ import annotations

import numpy as np

from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.iteration_range import IterationRange
from mcts_viz.health.values.of_visits import VisitValues, show
from mcts_viz.types import Bools

AGAIN = 3  # visits, at least, of a node that is taken for an end
MOST_NODES = 2_000_000  # numbers of each are kept


class LeafValues:
    """[N] the least and the greatest value of visits that ended at each node, view of the player who moved there; and
    how many there were."""

    def __init__(self, search: CheckedSearch) -> None:
        n = search.N
        self.least, self.greatest = np.full(n, np.inf), np.full(n, -np.inf)
        self.times = np.zeros(n, np.int64)
        show(search, [self])

    def look(self, part: IterationRange, values: VisitValues) -> None:
        at = values.is_leaf & (values.player >= 0)
        np.minimum.at(self.least, values.node[at], values.value[at])
        np.maximum.at(self.greatest, values.node[at], values.value[at])
        np.add.at(self.times, values.node[at], 1)


def seem_over(search: CheckedSearch, values: LeafValues) -> Bools:
    """[N] nodes that are visited again and again, always with the same value, and get no children."""
    constant = values.greatest - values.least <= search.slack
    over: Bools = (values.times >= AGAIN) & constant & search.childless()
    return over
