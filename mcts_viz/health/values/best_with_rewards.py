"""Whether the value of a node is that of its best child and a number that is always the same at that node: a max
back-up that counts the node's own reward, which was not told."""

from __future__ import annotations

import numpy as np

from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.iteration_range import IterationRange
from mcts_viz.health.tree.shape import best_child
from mcts_viz.trace.players import CHANCE
from mcts_viz.types import Bools, Floats, Ints

FEW = 10  # steps at which the best child is worth another value than at first
NEARLY_ALL = 0.98
DIGITS = 1e-6  # relative


def is_best_with_rewards(search: CheckedSearch) -> bool:
    """Whether each node is worth its best child and its own constant: at each visit; or whenever its value rises, where
    it never falls and what it got itself may be the best (the best return found)."""
    always, rising = _Constant(search.N), _Constant(search.N)
    falls = less = n = 0
    for part in search.ranges():
        node, was, now, best = _inner_steps(search, part)
        slack = DIGITS * (1.0 + np.abs(now))
        rises = now > was + slack
        always.add(node, now, best, slack)
        rising.add(node[rises], now[rises], best[rises], slack[rises])
        falls += int((now < was - slack).sum())
        less += int((now < best + rising.first[0][node] - slack).sum())
        n += len(node)
    grows = rising.holds and not falls and less <= (1 - NEARLY_ALL) * n
    return always.holds or grows


class _Constant:
    """What nodes are worth beside their best children, as far as these change."""

    def __init__(self, n_nodes: int) -> None:
        self.first = np.full((2, n_nodes), np.nan)  # the difference, and the best child's value
        self.n = self.same = 0

    def add(self, node: Ints, now: Floats, best: Floats, slack: Floats) -> None:
        """Some steps, in order."""
        new, at = np.unique(node, return_index=True)
        unknown = np.isnan(self.first[0][new])
        new, at = new[unknown], at[unknown]
        self.first[0][new], self.first[1][new] = (now - best)[at], best[at]
        lacks, of_first = self.first[:, node]
        tells: Bools = np.abs(best - of_first) > slack
        self.n += int(tells.sum())
        self.same += int((np.abs(now - best - lacks) <= slack)[tells].sum())

    @property
    def holds(self) -> bool:
        """Whether enough steps tell, and nearly all say so."""
        return self.n >= FEW and self.same >= NEARLY_ALL * self.n


def _inner_steps(
    search: CheckedSearch, part: IterationRange
) -> tuple[Ints, Floats, Floats, Floats]:
    """Node of steps above the leaf, where somebody chooses; the node's value before, −∞ without visits,
    and after; the best child's, discounted, afterwards."""
    steps = part.steps
    use = ~steps.is_leaf & (steps.visits > 0) & (search.to_move[steps.node] != CHANCE)
    iteration, node = steps.iteration[use], steps.node[use]
    best = best_child(search, part, iteration, node, "discounted")
    before, after = part.before(node, iteration), part.before(node, iteration + 1)
    was = np.where(before.visits > 0, before.value_sum / np.maximum(before.visits, 1), -np.inf)
    now = after.value_sum / np.maximum(after.visits, 1)
    known = np.isfinite(best)
    return node[known], was[known], now[known], best[known]
