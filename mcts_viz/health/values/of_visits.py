"""The value of each visit in a range of iterations, for the checks of values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.iteration_range import IterationRange
from mcts_viz.health.tree.shape import children_of
from mcts_viz.trace.players import MOST_PLAYERS
from mcts_viz.types import Bools, Floats, Ints

FEW = 10  # iterations, too few for a finding
NEARLY_ALL = 0.98
ENOUGH = 20_000  # updates that are looked at
ENOUGH_STEPS = 500_000  # from which a law is taken
PLAYERS = MOST_PLAYERS + 1  # and unknown
Columns = TypeVar(
    "Columns", bound="tuple[npt.NDArray[np.generic], ...]"
)  # a named tuple, [… S] each


class VisitValues(NamedTuple):
    """The visited steps below the root in a range of iterations, and the value of one visit there."""

    at: Ints  # iteration, from 0 at the range's first
    iteration: Ints
    node: Ints
    player: Ints  # who moved into the node; −1 unknown
    is_leaf: Bools
    value: Floats  # of one visit, view of `player`
    visits_before: Ints
    sum_before: Floats

    def where(self, mask: Any) -> VisitValues:
        if mask.dtype == np.bool_:
            if mask.all():
                return self
            mask = np.flatnonzero(mask)  # rows are read faster than by a mask
        return VisitValues(*(column[mask] for column in self))

    @property
    def key(self) -> Ints:
        """One number for each iteration and player."""
        return PLAYERS * self.at + self.player % PLAYERS


class ValueCheck(Protocol):
    """A check of values, which sees them range by range."""

    def look(self, part: IterationRange, values: VisitValues) -> None: ...


def show(
    search: CheckedSearch,
    looks: Sequence[ValueCheck],
    spoilt: Bools | None = None,
    leaves: bool = True,
) -> None:
    """Pass all values to the checks, except those of spoilt nodes [N] and, on request, of leaves."""
    for part in search.ranges():
        values = values_of(search, part)
        if spoilt is not None:
            values = values.where(~spoilt[values.node])
        if not leaves:
            values = values.where(~values.is_leaf)
        for each in looks:
            each.look(part, values)


def values_of(search: CheckedSearch, part: IterationRange) -> VisitValues:
    steps = part.steps
    use = (steps.node > 0) & (steps.visits > 0)
    if len(search.valueless):
        use &= ~np.isin(steps.node, search.valueless)
    if search.meta.shared:  # what is found anew may have been visited from outside this tree
        born, above = search.born, np.maximum(search.parent[steps.node], 0)
        new = born[steps.node] == steps.iteration
        use &= ~new | ((steps.visits == 1) & (born[above] < steps.iteration))
    both = search.of_both_players
    if both is not None:  # a path that comes by such a node has another player there than the node
        by_both = np.zeros(part.n, np.bool_)
        by_both[steps.iteration[both[steps.node]] - part.first] = True
        use &= ~by_both[steps.iteration - part.first]
    rows = np.flatnonzero(use)  # which are read faster than by a mask
    iteration, node = steps.iteration[rows], steps.node[rows]
    before = part.before_steps()
    return VisitValues(
        iteration - part.first, iteration, node, search.mover[node].astype(np.int64),
        steps.is_leaf[rows], steps.value[rows] / steps.visits[rows], before.visits[rows],
        before.value_sum[rows],
    )  # fmt: skip


def spread_of(part: IterationRange, values: VisitValues, numbers: Floats) -> tuple[Floats, Ints]:
    """For each iteration and player: the spread of the numbers of that player's nodes on the path, and
    the number of these nodes."""
    key, size = values.key, PLAYERS * part.n
    low, high = np.full(size, np.inf), np.full(size, -np.inf)
    np.minimum.at(low, key, numbers)
    np.maximum.at(high, key, numbers)
    count = np.bincount(key, minlength=size)
    return np.where(count > 1, high - low, 0.0), count


class StepsDown(NamedTuple):
    """Steps of a range from a node to its child, both of which got one visit: K of them."""

    at: Ints  # row of the node among the range's steps; its child is the next one
    node: Ints
    child: Ints
    turn: (
        Floats  # −1 where another player moved into the child: its value counts the other way round
    )


def steps_down(search: CheckedSearch, part: IterationRange) -> StepsDown:
    """Those of plain trees."""
    steps = part.steps
    upper, lower = steps.node[:-1], steps.node[1:]
    use = (steps.iteration[:-1] == steps.iteration[1:]) & (search.parent[lower] == upper)
    at = np.flatnonzero(use & (steps.visits[:-1] == 1) & (steps.visits[1:] == 1))
    node, child = upper[at], lower[at]
    same = search.alone | (search.mover[node] == search.mover[child])
    return StepsDown(at, node, child, np.where(same, 1.0, -1.0))


def first_steps(kind: Callable[..., Columns], parts: Iterable[Columns]) -> Columns | None:
    """The first steps of a search that comes range by range, in one, about ENOUGH_STEPS of them; None where there are
    none. kind: the class of the parts."""
    some, n = list[Columns](), 0
    for part in parts:
        some.append(part)
        n += part[0].shape[-1]
        if n >= ENOUGH_STEPS:
            break
    return kind(*(np.concatenate(each, axis=-1) for each in zip(*some))) if n else None


def values_turn(search: CheckedSearch) -> bool:
    """Whether a node all of whose visits came through its children, of the other player, got the opposite of theirs."""
    middle, n, opposite = sum(search.value_range) / 2, 0, 0
    for part in search.ranges():
        updates = part.updates
        above = np.maximum(search.parent[updates.node], 0)
        other = search.mover[updates.node] != search.mover[above]
        visits = children_of(search, part, updates.visits * other).total
        value = updates.value - middle * updates.visits
        theirs = children_of(search, part, value * other).total
        far = (visits == updates.visits) & (visits > 0) & (np.abs(value) > search.slack)
        far &= updates.node > 0  # a root may keep none
        n += int(far.sum())
        opposite += int((np.abs(value + theirs)[far] <= 2 * search.slack).sum())
        if n >= ENOUGH:
            break
    return n > 0 and opposite >= NEARLY_ALL * n
