"""What follows for each node from all that is below it: from the deepest nodes up, level by level."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from mcts_viz.health.families import Families, grouped
from mcts_viz.trace.memory import pieces, roomy
from mcts_viz.types import Bools, Floats, Ints

NEVER = np.iinfo(np.int32).max
Int32s = npt.NDArray[np.int32]


def levels(depth: Int32s) -> Iterator[Ints]:
    """The nodes of each level, the deepest first; without the root."""
    order, start = grouped(depth, 0, int(depth.max()) + 1)
    for level in range(len(start) - 2, 0, -1):
        yield order[start[level] : start[level + 1]].astype(np.int64)


def greatest_below(number: Int32s, parent: Int32s, depth: Int32s) -> None:
    """Let the number of each node, [N], be the greatest of its own and of all that are below it."""
    for nodes in levels(depth):
        np.maximum.at(number, parent[nodes], number[nodes])


def minimax(
    families: Families, parent: Int32s, depth: Int32s, mover: npt.NDArray[np.int8],
    since: Int32s, outcome: Floats, best_and_worst: tuple[float, float],
) -> tuple[Int32s, Floats]:  # fmt: skip
    """[N] the iteration since which a node's game-theoretic value follows from the finished games below it, NEVER for
    none, and the value, view of player 0.

    A win follows from one child; all else needs all the children that there are in the end. since: [N] when each node
    was made; outcome: [N] of finished games, else nan; best_and_worst: of outcomes, for player 0."""
    high, low = best_and_worst
    n = len(parent)
    at, value = roomy(n, np.int32), roomy(n, np.float64)
    for some in pieces(n):
        value[some] = outcome[some]
        at[some] = np.where(np.isnan(value[some]), NEVER, since[some])
    for nodes in levels(depth):
        above = parent[nodes]
        known = nodes[(at[nodes] < NEVER) & (above > 0) & (at[above] == NEVER)]
        if not len(known):
            continue
        parents, of = np.unique(parent[known], return_inverse=True)
        is_first = mover[known] == 0
        sign = np.where(is_first, 1.0, -1.0)  # whoever chooses among them
        won = np.full(len(parents), NEVER, np.int32)
        wins = value[known] == np.where(is_first, high, low)
        np.minimum.at(won, of[wins], at[known[wins]])
        last, best = np.zeros(len(parents), np.int32), np.full(len(parents), -np.inf)
        np.maximum.at(last, of, at[known])
        np.maximum.at(best, of, sign * value[known])
        chooser = np.empty(len(parents))
        chooser[of] = sign
        complete = np.bincount(of) == families.count(parents, np.full(len(parents), n))
        follows: Bools = (won < NEVER) | complete
        at[parents[follows]] = np.where(won < NEVER, won, last)[follows]
        value[parents[follows]] = (chooser * best)[follows]
    return at, value
