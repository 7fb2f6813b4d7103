"""How often chance drew each of its events. Where an iteration adds one visit to each node of one path, that is the
number of visits. Else visits are no draws: a leaf whose children are all evaluated counts several for one descent, and
of these children none was drawn; a batch has several descents.

Knows nothing of probabilities."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mcts_viz.health.checked_search import RANGE_ROWS, CheckedSearch
from mcts_viz.health.iteration_range import IterationRange
from mcts_viz.health.levels import NEVER
from mcts_viz.trace.players import CHANCE
from mcts_viz.types import Bools, Ints

NEARLY_ALL = 0.9  # families whose children are all evaluated at once
STEADY = 0.95  # share of the iterations that have as many descents as most


class Draws(NamedTuple):
    """What chance drew."""

    times: Ints  # [N] draws of each node below a node of chance
    are_visits: bool  # whether each visit is a draw
    may_lack: bool  # whether batches have more descents at one time than at another, as where some are not counted


def draws_of_chance(search: CheckedSearch) -> Draws:
    """Draws after `base`, where visits are no draws; else all visits."""
    visits = search.statistics_after(search.T).visits.astype(np.int64)
    looked = None if search.same_as is not None else _Paths(search)
    if looked is None or looked.are_single:
        return Draws(visits, True, False)
    return looked.counted()


class _Rows(NamedTuple):
    """Nodes that got visits, iteration by iteration, R of them."""

    iteration: Ints  # [R]
    node: Ints  # [R]
    visits: Ints  # [R] more than 0
    above: Ints  # [R] the row of the parent in the same iteration, −1: none
    fresh: Bools  # [R] whether these are the first visits of the node
    ends: Bools  # [R] whether several children got their first visits, and no others any


class _Paths:
    """Whether iterations go one path each, and what each descent adds."""

    def __init__(self, search: CheckedSearch) -> None:
        self.search = search
        begun = search.statistics_after(search.base).visits
        self.since = np.where(begun > 0, search.base, NEVER).astype(np.int64)  # [N] first visits
        self.unit = 0  # of what any node gets in an iteration: as many visits as a descent adds
        self.are_single, self.one_descent = True, True
        for part in search.ranges():
            rows = self._rows(part)
            if not len(rows.node):
                continue
            self.unit = int(np.gcd(self.unit, np.gcd.reduce(rows.visits)))
            branches = np.bincount(rows.above[rows.above >= 0], minlength=len(rows.node)) > 1
            self.are_single &= not branches.any() and bool((rows.visits == 1).all())
            self.one_descent &= not (branches & ~rows.ends).any()

    def counted(self) -> Draws:
        """How often each node was drawn."""
        search = self.search
        times, at_once = np.zeros(search.N, np.int64), self._at_once()
        of_root = [np.zeros(0, np.int64)]
        for part in search.ranges():
            rows = self._rows(part)
            if not len(rows.node):
                continue
            descents = self._descents(rows, at_once)
            of_root.append(descents[rows.node == 0])
            drawn = (rows.above >= 0) & (search.to_move[search.parent[rows.node]] == CHANCE)
            np.add.at(times, rows.node[drawn], descents[drawn])
        several = np.concatenate(of_root)
        unsteady = bool(len(several)) and np.mean(several == np.median(several)) < STEADY
        return Draws(times, False, bool(unsteady))

    def _descents(self, rows: _Rows, at_once: bool) -> Ints:
        """[R] through each node; 0 for the children of a leaf that are all evaluated."""
        several, inner = at_once or self.one_descent, rows.above >= 0
        evaluated = inner & rows.ends[rows.above] & several
        if self.one_descent:
            return np.where(evaluated, 0, 1)
        below = np.zeros(len(rows.node), np.int64)
        np.add.at(below, rows.above[inner], rows.visits[inner])
        descents = np.maximum(rows.visits - below, 0) // self.unit
        least = np.full(len(rows.node), NEVER, np.int64)  # visits of any child
        np.minimum.at(least, rows.above[inner], rows.visits[inner])
        depth = self.search.topology.depth[rows.node]
        for level in range(int(depth.max()), -1, -1):
            here = np.flatnonzero(depth == level)
            if several:
                leaves = here[rows.ends[here]]
                descents[leaves] = np.maximum(least[leaves] // self.unit, 1)
            up = here[inner[here]]
            np.add.at(descents, rows.above[up], descents[up])
        return np.where(evaluated, 0, descents)

    def _at_once(self) -> bool:
        """Whether all children of a leaf are evaluated in one iteration."""
        families = together = 0
        for _, first, children in self.search.families.parts(RANGE_ROWS):
            since = self.since[children]
            low, high = np.minimum.reduceat(since, first), np.maximum.reduceat(since, first)
            several = (np.diff(first, append=len(children)) > 1) & (low > self.search.base)
            families += int((several & (low < NEVER)).sum())
            together += int((several & (low == high) & (low < NEVER)).sum())
        return families > 0 and together >= NEARLY_ALL * families

    def _rows(self, part: IterationRange) -> _Rows:
        updates = part.updates
        use = updates.visits > 0
        iteration, node, visits = updates.iteration[use], updates.node[use], updates.visits[use]
        key = part.keys[use]
        np.minimum.at(self.since, node, iteration)
        parent = self.search.parent[node].astype(np.int64)
        asked = part.key(iteration, np.maximum(parent, 0))
        row = np.minimum(np.searchsorted(key, asked), max(len(key) - 1, 0))
        above = np.where((parent >= 0) & (key[row] == asked), row, -1) if len(key) else row
        fresh = self.since[node] == iteration
        below = above[above >= 0]
        children = np.bincount(below, minlength=len(node))
        new = np.bincount(above[(above >= 0) & fresh], minlength=len(node))
        return _Rows(iteration, node, visits, above, fresh, (children > 1) & (children == new))
