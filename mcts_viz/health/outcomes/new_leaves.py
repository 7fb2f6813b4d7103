"""What nodes get at their first visits, where these are leaves; the checks of it look at the same ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.values.of_visits import values_of
from mcts_viz.types import Bools, Floats, Ints

MOST = 500_000  # leaves, some more: what is looked for is in all of them or in none


class NewLeaves(NamedTuple):
    """[L] in the order in which they are made."""

    iteration: Ints
    node: Ints
    value: Floats  # view of the player who moved into the node

    def where(self, mask: Bools) -> NewLeaves:
        """Those of the mask [L]."""
        return NewLeaves(self.iteration[mask], self.node[mask], self.value[mask])


def new_leaves(search: CheckedSearch) -> NewLeaves:
    """The first ones of a long trace, all of another."""
    return joined(_by_range(search))


def joined(parts: Iterable[NewLeaves]) -> NewLeaves:
    """Those of all parts, until they are many."""
    none = np.zeros(0, np.int64)
    taken, n = [NewLeaves(none, none, np.zeros(0))], 0
    for part in parts:
        taken.append(part)
        n += len(part.node)
        if n >= MOST:
            break
    return NewLeaves(
        np.concatenate([part.iteration for part in taken]),
        np.concatenate([part.node for part in taken]),
        np.concatenate([part.value for part in taken]),
    )


def _by_range(search: CheckedSearch) -> Iterator[NewLeaves]:
    for part in search.ranges():
        values = values_of(search, part)
        new = values.where(values.is_leaf & (values.visits_before == 0))
        yield NewLeaves(new.iteration, new.node, new.value)
