"""Whether the value of a node is that of its best child, which may be one without visits: a best-first search that
evaluates all children when they are made. What a child without visits is worth is not in the trace, so nodes that have
such children are held against the others as a bound."""

from __future__ import annotations

import numpy as np

from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.iteration_range import IterationRange
from mcts_viz.health.tree.shape import best_child
from mcts_viz.trace.players import CHANCE
from mcts_viz.types import Bools, Floats, Ints

FEW = 30  # steps at which the best child has visits
OFTEN = 0.1  # share of steps at which it has
NEARLY_ALL = 0.98
DIGITS = 1e-6  # relative


def is_best_of_untried(search: CheckedSearch) -> bool:
    """Whether each node is worth its best child with visits, or is better for the player who chooses there and has
    children without visits."""
    equal = allowed = n = 0
    for part in search.ranges():
        node, now, best, untried = _inner_steps(search, part)
        slack = DIGITS * (1.0 + np.abs(now))
        same = np.abs(now - best) <= slack
        # in the view of the player who moved into the node, who is mostly not the one who chooses there
        better = now > best if search.alone else now < best
        equal += int(same.sum())
        allowed += int((same | (better & untried)).sum())
        n += len(node)
    return equal >= max(FEW, OFTEN * n) and allowed >= NEARLY_ALL * n


def _inner_steps(search: CheckedSearch, part: IterationRange) -> tuple[Ints, Floats, Floats, Bools]:
    """Node of steps above the leaf, where somebody chooses who did not move into the node; its value afterwards, that
    of its best child with visits, and whether it has children without."""
    steps = part.steps
    use = ~steps.is_leaf & (steps.visits > 0) & (search.to_move[steps.node] != CHANCE)
    if not search.alone:
        use &= search.mover[steps.node] != search.to_move[steps.node]
    iteration, node = steps.iteration[use], steps.node[use]
    best = best_child(search, part, iteration, node, "child")
    known = np.isfinite(best)
    iteration, node, best = iteration[known], node[known], best[known]
    after = part.before(node, iteration + 1)
    count = search.families.count(node, part.node_count(iteration + 1))
    children = search.families.oldest(node, count)
    of = np.repeat(np.arange(len(node)), count)
    unvisited = part.before(children, iteration[of] + 1).visits == 0
    untried = np.bincount(of[unvisited], minlength=len(node)) > 0
    return node, after.value_sum / np.maximum(after.visits, 1), best, untried
