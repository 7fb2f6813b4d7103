"""Rewards of moves that nobody told, as the values of paths show them."""

from __future__ import annotations

import numpy as np

from mcts_viz.health.iteration_range import IterationRange
from mcts_viz.health.values.of_visits import FEW, VisitValues

NOTHING = 1e-9  # part of the squares, which rounding leaves


class UntoldRewards:
    """Whether Δnode = r + γ·Δchild with one γ, and for each move one r, which nobody told: then what each move brings
    is a reward. Sums over the visits of each child, as what differs within them is all that is needed."""

    def __init__(self, n_nodes: int) -> None:
        self.sums = np.zeros((6, n_nodes))  # visits; Δchild, Δnode; their squares and their product

    def look(self, part: IterationRange, values: VisitValues) -> None:
        below = np.flatnonzero(values.iteration[1:] == values.iteration[:-1])
        upper, lower = values.value[below], values.value[below + 1]
        child = values.node[below + 1]
        terms = (np.ones(len(child)), lower, upper, lower**2, upper**2, lower * upper)
        for total, term in zip(self.sums, terms):
            np.add.at(total, child, term)

    @property
    def is_told(self) -> bool:
        """Whether enough visits would show rewards."""
        n = self.sums[0][self.sums[0] > 1]
        return bool(n.sum() - len(n) >= FEW)

    def discount(self) -> float | None:
        """γ; None where the law does not hold, or too few visits show it."""
        n, child, node, of_child, of_node, product = self.sums[:, self.sums[0] > 1]
        if n.sum() - len(n) < FEW:
            return None
        varies = float((of_child - child**2 / n).sum())
        gamma = float((product - child * node / n).sum()) / varies if varies > 0 else 0.0
        wanted = float((of_node - node**2 / n).sum())
        if wanted <= NOTHING * float(of_node.sum()):
            return None  # nodes get the same at each visit, whatever their children get
        left = wanted - gamma**2 * varies
        return gamma if 0 < gamma <= 1 + 1e-6 and left <= 1e-6 * wanted else None
