"""Whether values with an entry for each player, which begin with a node's own player, are rolled the wrong way on the
way up: each level above the leaf gets the result of another player then, one level in n the right one.

Knows the result of each iteration for each player, and the turns: by levels, who gets whose is the same everywhere."""

from __future__ import annotations

import math

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.values.of_visits import FEW, VisitValues
from mcts_viz.types import Bools, Floats, Ints

ALWAYS = 0.98  # share of values
FEW_LEVELS = 3  # above the leaf and with it


class RolledEntries:
    """By how many players each value is off, at each height above the leaf."""

    def __init__(self, search: CheckedSearch) -> None:
        self.search = search
        n = search.meta.n_players
        self.levels = int(search.topology.depth[: search.N].max()) + 1
        self.seen = np.zeros(self.levels, np.int64)  # values that tell whose they are
        self.fits = np.zeros(
            (self.levels, n), np.int64
        )  # by level: of the player so many after the right one
        self.first = (0, 0)  # iteration and node

    def look(self, values: VisitValues, due: Floats, fits: Bools) -> None:
        """due: [K, P] results; fits: [K, P] whether a value is that of each player."""
        search, n = self.search, self.search.meta.n_players
        depth = search.topology.depth
        leaf = search.leaf[values.iteration - 1]
        height = (depth[leaf] - depth[values.node]).astype(np.int64)
        tells = (values.player >= 0) & (fits.sum(axis=1) < n) & ~np.isnan(due).any(axis=1)
        tells &= (height >= 0) & (values.player < n)
        player, height = values.player[tells].astype(np.int64), height[tells]
        self.seen += np.bincount(height, minlength=self.levels)
        for after in range(n):
            other = fits[tells][np.arange(len(player)), (player + after) % n]
            self.fits[:, after] += np.bincount(height[other], minlength=self.levels)
        wrong = np.flatnonzero(~fits[tells][np.arange(len(player)), player])
        if len(wrong) and not self.first[0]:
            at = np.flatnonzero(tells)[wrong[0]]
            self.first = int(values.iteration[at]), int(values.node[at])

    def finding(self) -> Finding | None:
        """An error where values are off by as many players more with each level."""
        n = self.search.meta.n_players
        levels = np.flatnonzero(self.seen >= FEW)
        step = self._step(levels)
        if n <= 2 or step is None:
            return None
        told, right = int(self.seen[levels].sum()), int(self.fits[levels, 0].sum())
        if right >= ALWAYS * told:
            return None  # partners have the same results
        period = n // math.gcd(n, step)
        return found(
            "value-wrong-player", *self.first,
            f"nodes get the result of another player, by level: a leaf gets that of its own, the node above it that of "
            f"the player {step} places after its own in the order of turns, and with each level it is {step} more, so "
            f"that only one in {period} levels is right: {right:,} of "
            f"{told:,} values that tell are the right player's. So it is where vectors begin with a node's own player, "
            "and on the way up they are rolled the wrong way round, as np.roll(v, -1) in place of np.roll(v, 1), or by "
            "another number of places",
            step=step, values=told,
        )  # fmt: skip

    def _step(self, levels: Ints) -> int | None:
        """By how many players values are off more with each level; None where no number explains them."""
        n = self.search.meta.n_players
        if len(levels) < FEW_LEVELS or levels[0] != 0 or (np.diff(levels) != 1).any():
            return None
        for step in range(2, n):  # by 1, all get the result of who moved into the leaf
            explained = self.fits[levels, (levels * step) % n]
            if (explained >= ALWAYS * self.seen[levels]).all():
                return step
        return None
