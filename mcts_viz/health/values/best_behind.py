"""Whether a max back-up goes the wrong way along the path, from the root to the leaf: a node then takes the best value
that its children had before the iteration."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.occurrences import Occurrences
from mcts_viz.health.tree.shape import best_child
from mcts_viz.trace.players import CHANCE

FEW = 10  # steps
NEARLY_ALL = 0.95
DIGITS = 1e-6  # relative


def check_best_behind(search: CheckedSearch) -> Iterator[Finding]:
    """An error where the best value of a node's children changes, and the node gets the one from before."""
    seen, right = Occurrences(), 0
    for part in search.ranges():
        steps = part.steps
        use = ~steps.is_leaf & (steps.visits > 0) & (search.to_move[steps.node] != CHANCE)
        # a new leaf had its value before any back-up came by
        use[:-1] &= part.before_steps().visits[1:] > 0
        iteration, node = steps.iteration[use], steps.node[use]
        after = best_child(search, part, iteration, node, "child")
        before = best_child(search, part, iteration - 1, node, "child")
        sums = part.before(node, iteration + 1)
        now = sums.value_sum / np.maximum(sums.visits, 1)
        slack = DIGITS * (1.0 + np.abs(now))
        moved = np.isfinite(before) & np.isfinite(after) & (np.abs(after - before) > slack)
        right += int((moved & (np.abs(now - after) <= slack)).sum())
        seen.add(moved & (np.abs(now - before) <= slack), iteration, node)
    t, node_, times = seen
    if times >= FEW and times >= NEARLY_ALL * (times + right):
        yield found(
            "value-not-best", t, node_,
            f"{times:,} of {times + right:,} times that the best value among a node's children changes, the node gets "
            f"the one from before, first node {node_:,} in iteration {t:,}: values lag an iteration behind at each "
            "level. So it is where the back-up goes along the path from the root to the leaf. It has to begin at the "
            "leaf: `for node in reversed(path)`",
            times=times,
        )  # fmt: skip
