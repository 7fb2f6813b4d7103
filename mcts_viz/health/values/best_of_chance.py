"""A back-up of the best child (max, minimax) at nodes of chance, where nobody chooses: their value is to be the mean of
the outcomes, by their probabilities or visits (expectimax; MaxUCT, Keller and Helmert 2013)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.tree.shape import KEPT, best_child, mean_of_children
from mcts_viz.trace.players import CHANCE

FEW = 10  # steps whose outcomes differ
NEARLY_ALL = 0.98
DIGITS = 1e-6  # relative


def best_of_chance(search: CheckedSearch) -> Iterator[Finding]:
    """An error where the value of nodes of chance is that of their best outcome, wherever outcomes differ."""
    if not search.has_chance:
        return
    n, first = 0, (0, 0)
    equal = np.zeros(len(KEPT), np.int64)
    for part in search.ranges():
        steps = part.steps
        use = ~steps.is_leaf & (steps.visits > 0) & (search.to_move[steps.node] == CHANCE)
        iteration, node = steps.iteration[use], steps.node[use]
        if not len(node):
            continue
        visits, value_sum, *_ = part.before(node, iteration + 1)
        mean = value_sum / np.maximum(visits, 1)
        slack = DIGITS * (1.0 + np.abs(mean))
        best = best_child(search, part, iteration, node, KEPT[0])
        differ = best - mean_of_children(search, part, iteration, node)
        apart = np.abs(differ) > 2 * slack
        if apart.any() and not n:
            row = int(np.argmax(apart))
            first = int(iteration[row]), int(node[row])
        n += int(apart.sum())
        for i, way in enumerate(KEPT):
            best = best_child(search, part, iteration, node, way)
            equal[i] += int((apart & (np.abs(mean - best) <= slack)).sum())
    if n < FEW or equal.max() < NEARLY_ALL * n:
        return
    t, where = first
    yield found(
        "value-not-best", t, where,
        f"at nodes of chance, too, the value is that of the best outcome, as if somebody chose it: so it is at "
        f"{int(equal.max()):,} of {n:,} steps whose outcomes differ, first at node {where:,} in iteration {t:,}. The "
        "max back-up is for nodes of decision; the value of a node of chance is the mean of its outcomes, by "
        "probabilities or visits",
        times=int(equal.max()), steps=n,
    )  # fmt: skip
