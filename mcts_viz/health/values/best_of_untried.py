"""Whether the value of a node is that of its best child, which may be one without visits: a best-first search that
evaluates all children when they are made. What a child without visits is worth is not in the trace, so nodes that have
such children are held against the others as a bound."""

from __future__ import annotations

from typing import NamedTuple

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
FEW_NODES = 10


class BestOfUntried(NamedTuple):
    """A back-up of the best child, which may be one without visits."""

    steps: int  # at which one without visits has to be the best
    always: float | None  # what it is worth then, where that is one number at many nodes


def best_of_untried(search: CheckedSearch) -> BestOfUntried | None:
    """Whether each node is worth its best child with visits, or is better for the player who chooses there and has
    children without visits; None where it is not so."""
    equal = allowed = n = 0
    beyond = [np.zeros((0, 2))]  # node, value
    for part in search.ranges():
        node, now, best, untried = _inner_steps(search, part)
        slack = DIGITS * (1.0 + np.abs(now))
        same = np.abs(now - best) <= slack
        # in the view of the player who moved into the node, who is mostly not the one who chooses there
        better = (now > best if search.alone else now < best) & untried & ~same
        equal += int(same.sum())
        allowed += int((same | better).sum())
        n += len(node)
        beyond.append(np.unique(np.column_stack((node, now))[better], axis=0))
    if equal < max(FEW, OFTEN * n) or allowed < NEARLY_ALL * n:
        return None
    nodes, values = np.concatenate(beyond).T
    one = len(np.unique(nodes)) >= FEW_NODES and np.ptp(values) <= DIGITS
    return BestOfUntried(allowed - equal, float(values[0]) + 0.0 if one else None)


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
