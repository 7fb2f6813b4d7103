"""Whether a leaf gets the value of the leaf before it: the search backs up what the last iteration found.

An evaluation says the same of the same position. Where the same leaf, or another one with its position, is come to
twice, both visits add the same in a correct search; in one that is an iteration late it is the two visits after them
that do."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import NamedTuple

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.outcomes.replays import sample
from mcts_viz.health.values.of_visits import values_of
from mcts_viz.types import Bools, Floats, Ints

MOST_VISITS = 100_000  # of leaves, the first ones
MOST_ASKED = 2_000  # leaves whose positions the rules tell
FEW_PAIRS = 8
FEW_KINDS = 5  # values; results of games are alike by chance
ALIKE = 0.95  # share of pairs, of the visits after them
OWN = 0.5  # the same of the visits themselves


class _Visits(NamedTuple):
    """[V] visits of leaves, one for each iteration that has one leaf."""

    iteration: Ints
    node: Ints
    value: Floats  # view of the player who moved into the node


def check_late(search: CheckedSearch) -> Iterator[Finding]:
    """A finding where leaves get the values of those before them."""
    visits = _visits(search)
    earlier, later = _pairs(search, visits.node)
    goes_on = later + 1 < len(visits.node)
    earlier, later = earlier[goes_on], later[goes_on]
    follows = visits.iteration[later + 1] == visits.iteration[later] + 1
    follows &= visits.iteration[earlier + 1] == visits.iteration[earlier] + 1
    earlier, later = earlier[follows], later[follows]
    if len(later) < FEW_PAIRS:
        return
    own = _alike(visits.value, earlier, later).mean()
    low, high = search.value_range
    turned = search.mover[visits.node] == 1
    for value in (visits.value, np.where(turned, low + high - visits.value, visits.value)):
        alike = _alike(value, earlier + 1, later + 1)
        kinds = len(np.unique(np.round(value[later + 1], 5)))
        if own > OWN or alike.mean() < ALIKE or kinds < FEW_KINDS:
            continue
        one, other = int(earlier[alike][0]), int(later[alike][0])
        t, after = int(visits.iteration[one]), int(visits.iteration[other])
        yield found(
            "simulation-late", t + 1, int(visits.node[one + 1]),
            f"iterations {t:,} and {after:,} come to the same position, and not they add the same to their leaf, but "
            f"iterations {t + 1:,} and {after + 1:,}, after them: so it is with {int(alike.sum()):,} of {len(later):,} "
            f"such pairs, and with {own:.0%} the iterations themselves do. What is backed up seems to be the value of "
            "the leaf before",
            pairs=len(later), alike=int(alike.sum()),
        )  # fmt: skip
        return


def _alike(value: Floats, one: Ints, other: Ints) -> Bools:
    return np.asarray(np.abs(value[one] - value[other]) <= 1e-6 * (1 + np.abs(value[one])))


def _visits(search: CheckedSearch) -> _Visits:
    parts: list[_Visits] = []
    n = 0
    for part in search.ranges():
        values = values_of(search, part)
        leaf = values.where(values.is_leaf)
        parts.append(_Visits(leaf.iteration, leaf.node, leaf.value))
        n += len(leaf.node)
        if n >= MOST_VISITS:
            break
    if not parts:
        none = np.zeros(0, np.int64)
        return _Visits(none, none, np.zeros(0))
    return _Visits(*(np.concatenate(column) for column in zip(*parts)))


def _pairs(search: CheckedSearch, node: Ints) -> tuple[Ints, Ints]:
    """Places of each visit and of the last one before it with the same position; the rest as long as the rules are
    asked."""
    key = _keys(search, node)
    order = np.argsort(key, kind="stable")
    same = key[order[1:]] == key[order[:-1]]
    return order[:-1][same], order[1:][same]


def _keys(search: CheckedSearch, node: Ints) -> Ints:
    """[V] the oldest leaf with the position of each, as far as it is told or the rules know it."""
    leaves, of = np.unique(node, return_inverse=True)
    oldest = leaves.copy()
    states = search.trace.columns.nodes.state
    seen: dict[Hashable, int] = {}
    for at in sample(range(len(leaves)), MOST_ASKED):
        leaf = int(leaves[at])
        text = None if states is None else states[leaf]
        if text is None and search.rules is not None:
            place = search.positions[leaf]
            if place.illegal is None and isinstance(place.state, list):
                text = str(place.state)
        if text is not None:
            oldest[at] = seen.setdefault(text, leaf)
    return oldest[of]
