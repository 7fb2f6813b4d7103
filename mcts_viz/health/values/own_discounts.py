"""Moves that take several steps (options: Sutton, Precup and Singh, 1999): each discounts what comes after it by a
factor of its own, Δnode = reward + γ(move)·Δchild."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.values.of_visits import first_steps, steps_down
from mcts_viz.types import Floats, Ints

NEARLY_ALL = 0.98  # of the steps
FEW_MOVES = 3  # that tell
AGAIN = 3  # the times that each was backed up, at least
FEW_STEPS = 50  # of all of these
NEAR = 1e-4  # of the magnitudes
APART = 1e-3  # between factors


class DiscountSteps(NamedTuple):
    """Steps of paths [S] from a node down to its child: what each of the two gets."""

    child: Ints
    upper: Floats
    lower: Floats


def discounts_of_moves(search: CheckedSearch) -> tuple[float, float] | None:
    """The least and the greatest of these factors, where they explain nearly all steps; None where they do not, or
    where there is one for all moves. Of one player. The factors are taken from the first steps."""
    if not search.alone or "discount" in search.meta:
        return None
    first = first_steps(DiscountSteps, _steps(search))
    if first is None:
        return None
    for above in (False, True):
        factors = _factors(search, first, above)
        if factors is None:
            continue
        known = factors[~np.isnan(factors)]
        least, most = float(known.min()), float(known.max())
        if least > 0 and most <= 1 + NEAR and _hold(search, factors, above):
            return (least, most) if most - least > APART else None
    return None


def _steps(search: CheckedSearch) -> Iterator[DiscountSteps]:
    """All of a search, range by range."""
    for part in search.ranges():
        at, _, child, _ = steps_down(search, part)
        value = part.steps.value
        yield DiscountSteps(child, value[at], value[at + 1])


class _Ratios:
    """Of each step, whose move it is, what is due below it, and whether the two tell its factor."""

    def __init__(self, search: CheckedSearch, steps: DiscountSteps, above: bool) -> None:
        # of the move into the child, or of the one before it, where a node's value has that of its own move
        self.move = np.maximum(search.parent[steps.child], 0) if above else steps.child
        reward = search.rewards[self.move]
        self.size = np.abs(steps.upper) + np.abs(steps.lower) + np.abs(reward)
        self.lower, self.due = steps.lower, steps.upper - reward
        self.tells = np.abs(steps.lower) > 1e-2 * self.size
        self.tells &= self.move > 0  # none leads to the root


def _factors(search: CheckedSearch, steps: DiscountSteps, above: bool) -> Floats | None:
    """That of each move [N] that was backed up several times; NaN of others, None where these are few."""
    ratios = _Ratios(search, steps, above)
    tells = ratios.tells
    order = np.argsort(ratios.move[tells], kind="stable")
    moves, first, times = np.unique(
        ratios.move[tells][order], return_index=True, return_counts=True
    )
    each = (ratios.due[tells] / ratios.lower[tells])[order]
    several = times >= AGAIN
    if several.sum() < FEW_MOVES or times[several].sum() - several.sum() < FEW_STEPS:
        return None
    factors = np.full(search.N, np.nan)
    factors[moves[several]] = [
        np.median(each[i : i + n]) for i, n in zip(first[several], times[several])
    ]
    return factors


def _hold(search: CheckedSearch, factors: Floats, above: bool) -> bool:
    """Whether nearly all steps of these moves are so."""
    n = n_right = 0
    for steps in _steps(search):
        ratios = _Ratios(search, steps, above)
        factor = factors[ratios.move]
        known = ratios.tells & ~np.isnan(factor)
        fits = np.abs(factor * ratios.lower - ratios.due) <= NEAR * ratios.size + 1e-9
        n, n_right = n + int(known.sum()), n_right + int((fits & known).sum())
    return n_right >= NEARLY_ALL * n
