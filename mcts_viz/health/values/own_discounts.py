"""Moves that take several steps (options: Sutton, Precup and Singh, 1999): each discounts what comes after it by a
factor of its own, Δnode = reward + γ(move)·Δchild."""

from __future__ import annotations

import numpy as np

from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.values.of_visits import steps_down

NEARLY_ALL = 0.98  # of the steps
FEW_MOVES, AGAIN, FEW_STEPS = (
    3,
    3,
    50,
)  # moves that tell, the times that each was backed up, and all of these
NEAR = 1e-4  # of the magnitudes
APART = 1e-3  # between factors


def discounts_of_moves(search: CheckedSearch) -> tuple[float, float] | None:
    """The least and the greatest of these factors, where they explain nearly all steps; None where they do not, or
    where there is one for all moves. Of one player."""
    if not search.alone or "discount" in search.meta:
        return None
    parts = []
    for part in search.ranges():
        at, _, lower, _ = steps_down(search, part)
        value = part.steps.value
        parts.append(np.stack([lower.astype(np.float64), value[at], value[at + 1]]))
    if not parts:
        return None
    child, upper_value, lower_value = np.concatenate(parts, axis=1)
    below = child.astype(np.int64)
    # of the move into the child, or of the one before it, where a node's value has that of its own move
    for node in (below, np.maximum(search.parent[below], 0)):
        reward = search.rewards[node]
        size = np.abs(upper_value) + np.abs(lower_value) + np.abs(reward)
        due, tells = upper_value - reward, np.abs(lower_value) > 1e-2 * size
        tells &= node > 0  # no move leads to the root
        ratio = np.full(search.N, np.nan)
        order = np.argsort(node[tells], kind="stable")
        which, first, times = np.unique(node[tells][order], return_index=True, return_counts=True)
        ratios = (due[tells] / lower_value[tells])[order]
        ratio[which] = [np.median(ratios[i : i + n]) for i, n in zip(first, times)]
        several = which[times >= AGAIN]
        known = tells & np.isin(node, several)
        if len(several) < FEW_MOVES or known.sum() - len(several) < FEW_STEPS:
            continue
        fits = np.abs(ratio[node] * lower_value - due)[known] <= (NEAR * size + 1e-9)[known]
        factors = ratio[several]
        if fits.mean() >= NEARLY_ALL and factors.min() > 0 and factors.max() <= 1 + NEAR:
            least, most = float(factors.min()), float(factors.max())
            return (least, most) if most - least > APART else None
    return None
