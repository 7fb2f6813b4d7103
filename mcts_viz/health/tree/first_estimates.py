"""Nodes that begin with one visit and an estimate as its value: a heuristic's word counts as one game already played
(equivalent experience of 1; Gelly and Silver 2007).

One visit too many is also what a mistake leaves. What tells them apart is the value: an estimate is a number of the
node's own, where a visit that is counted twice brings nothing, or the result once more, and one that is given to all
siblings brings each of them the same.
"""

from __future__ import annotations

import numpy as np

from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.iteration_range import Given
from mcts_viz.types import Bools, Floats, Ints

MANY = 0.1  # share of the new nodes
MOST_KINDS = 20  # results: more are those of an evaluation
FEW = 10  # nodes, or families, that say too little
LEAST_FAMILY = 2  # siblings, whose values can be compared
DIGITS = 1e-6  # of a value: less is rounding


def estimates_of_siblings(parent: Ints, iteration: Ints, visits: Ints, value: Floats) -> bool:
    """Whether nodes that iterations made several at a time begin with one visit and a value of their own: siblings
    differ in it, and no more than one of them has a second visit, of the path that was taken.

    Each of [K] nodes with the visits and the value that it got in its first iteration, in that order.
    """
    if not np.isin(visits, (1, 2)).all():
        return False
    _, family = np.unique(np.column_stack((iteration, parent)), axis=0, return_inverse=True)
    family = family.reshape(-1)
    n = int(family.max(initial=-1)) + 1
    if np.bincount(family, visits == 2, n).max(initial=0) > 1:
        return False
    once = visits == 1
    least, most = np.full(n, np.inf), np.full(n, -np.inf)
    np.minimum.at(least, family[once], value[once])
    np.maximum.at(most, family[once], value[once])
    several = np.bincount(family[once], minlength=n) >= LEAST_FAMILY
    return int((several & (most - least > DIGITS)).sum()) >= FEW


def estimates_as_visits(search: CheckedSearch, games: int = 1) -> Given | None:
    """Where an iteration makes one child, which begins with so many games: all other nodes of the path get one visit,
    and what the child gets beside the result is a number of its own, not nothing, nor the result once more."""
    if search.meta.step_rewards or search.has_rewards:
        return None
    if not (_has_one_view(search) or _mirrors(search)):
        return None
    own = _OwnValues(0.0 if _has_one_view(search) else sum(search.value_range))
    for part in search.ranges():
        steps = part.steps
        new = search.born[steps.node] == steps.iteration
        if (steps.visits != np.where(new, games + 1, 1)).any():
            return None
        at = steps.iteration - part.first
        value = _one_view(search, steps.node, steps.value, steps.visits)
        old = ~new & (steps.node > 0)  # a root may keep no value
        result = np.full(part.n, np.nan)
        result[at[old]] = value[old]
        if (np.abs(value[old] - result[at[old]]) > search.slack + DIGITS).any():
            return None  # no one result an iteration
        known = new & ~np.isnan(result[at])
        own.add(value[known] - result[at[known]], result[at[known]], games)
    return Given(games, own.median, True) if own.are_estimates else None


class _OwnValues:
    """What new nodes get beside the results of their iterations, in the view of the first player."""

    def __init__(self, both: float) -> None:
        """both: what the two players' views of a result add up to; 0 with one player."""
        self._both = both
        self._values: list[Floats] = []
        self._apart: list[Floats] = []  # those of a game that no mistake leaves
        self._kinds: Floats = np.zeros(0)  # of results, as long as they are few
        self._n = 0

    def add(self, values: Floats, results: Floats, games: int) -> None:
        """Of one range of iterations."""
        self._values.append(values)
        self._n += len(values)
        of_game = values / games
        self._apart.append(of_game[_from_mistakes(of_game, results, self._both) > DIGITS])
        if len(self._kinds) <= MOST_KINDS:
            self._kinds = np.unique(np.concatenate((self._kinds, np.round(results, 6))))

    @property
    def median(self) -> float:
        """Of all."""
        return float(np.median(np.concatenate(self._values)))

    @property
    def are_estimates(self) -> bool:
        """Whether many are numbers that no mistake leaves: neither nothing, nor the result once more, nor where results
        are of few kinds (a win, a draw, a loss) that of another game."""
        apart = np.concatenate(self._apart) if self._apart else np.zeros(0)
        if len(self._kinds) <= MOST_KINDS:
            other = np.concatenate((self._kinds, self._both - self._kinds))
            apart = apart[~np.isin(np.round(apart, 6), np.round(other, 6))]
        return len(apart) >= max(FEW, MANY * self._n)


def _from_mistakes(own: Floats, result: Floats, both: float) -> Floats:
    """How far each is from nothing, and from the result, in the view of either player."""
    mistakes = (np.zeros_like(own), result, np.full_like(own, both), both - result)
    return np.asarray(np.min([np.abs(own - each) for each in mistakes], axis=0))


def _has_one_view(search: CheckedSearch) -> bool:
    """Whether values are all in one view, as far as is known: where nobody told who moves, the nodes of a path have to
    agree as they are."""
    return search.alone or not search.players_known


def _mirrors(search: CheckedSearch) -> bool:
    """Whether what one of two players gains the other loses, and it is known who moves."""
    return search.players_known and search.meta.mirrors and bool((search.mover >= 0).all())


def _one_view(search: CheckedSearch, node: Ints, value: Floats, visits: Ints) -> Floats:
    """Values in the view of the first player."""
    if _has_one_view(search):
        return value
    turned: Bools = search.mover[node] != 0
    return np.where(turned, visits * sum(search.value_range) - value, value)
