"""What each visit of a stretch was worth, and who looks at it: the ground that the checks of values
stand on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from mcts_viz.analysis.health.course import Course
from mcts_viz.analysis.health.stretch import Bools, Floats, Ints, Stretch

FEW = 10  # iterations that say too little
PLAYERS = 3  # 0, 1, and who is not known


class Values(NamedTuple):
    """Steps of a stretch with visits below the root, and what each visit there was worth."""

    at: Ints  # iteration, from 0 at the stretch's first
    iteration: Ints
    node: Ints
    player: Ints  # who moved into the node; −1 unknown
    is_leaf: Bools
    value: Floats  # of one visit, view of `player`
    visits_before: Ints
    sum_before: Floats

    def where(self, mask: Any) -> Values:
        return Values(*(column[mask] for column in self))

    @property
    def key(self) -> Ints:
        """One number for each iteration and player."""
        return PLAYERS * self.at + self.player % PLAYERS


class Look(Protocol):
    """Something that is looked for in values, stretch by stretch."""

    def look(self, part: Stretch, values: Values) -> None: ...


def show(
    course: Course, looks: Sequence[Look], spoilt: Bools | None = None, leaves: bool = True
) -> None:
    """Show all values to those who look, but for those of spoilt nodes [N], and of leaves."""
    for part in course.stretches():
        values = values_of(course, part)
        if spoilt is not None:
            values = values.where(~spoilt[values.node])
        if not leaves:
            values = values.where(~values.is_leaf)
        for each in looks:
            each.look(part, values)


def values_of(course: Course, part: Stretch) -> Values:
    steps = part.steps
    use = (steps.node > 0) & (steps.visits > 0)
    iteration, node = steps.iteration[use], steps.node[use]
    visits_before, sum_before, _ = part.before(node, iteration)
    return Values(
        iteration - part.first, iteration, node, course.mover[node].astype(np.int64),
        steps.is_leaf[use], steps.value[use] / steps.visits[use], visits_before, sum_before,
    )  # fmt: skip


def spread_of(part: Stretch, values: Values, numbers: Floats) -> tuple[Floats, Ints]:
    """For each iteration and player, how far apart the numbers of that player's nodes on the path
    are, and how many nodes they are."""
    key, size = values.key, PLAYERS * part.n
    low, high = np.full(size, np.inf), np.full(size, -np.inf)
    np.minimum.at(low, key, numbers)
    np.maximum.at(high, key, numbers)
    count = np.bincount(key, minlength=size)
    return np.where(count > 1, high - low, 0.0), count
