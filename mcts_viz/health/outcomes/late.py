"""Whether a leaf gets the value of the leaf before it: the search backs up what the last iteration found.

An evaluation says the same of the same position. Where the same leaf, or another one with its position, is come to
twice, both visits add the same in a correct search; in one that is an iteration late it is the two visits after them
that do. Where the value is left as it was at the ends of games alone, these tell: they get what the leaf before got."""

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
FEW_LATE = 20  # visits of ends
VARIED = 0.5  # share of ends with several values


class _Visits(NamedTuple):
    """[V] visits of leaves, one for each iteration that has one leaf."""

    iteration: Ints
    node: Ints
    value: Floats  # view of the player who moved into the node


def check_late(search: CheckedSearch) -> Iterator[Finding]:
    """A finding where leaves, or ends of games alone, get the values of those before them."""
    visits = _visits(search)
    turned = search.mover[visits.node] == 1
    low, high = search.value_range
    of_player0 = visits._replace(value=np.where(turned, low + high - visits.value, visits.value))
    views = (visits, of_player0)
    everywhere = list(_everywhere(search, views))
    yield from everywhere or _at_ends(search, views)


def _everywhere(search: CheckedSearch, views: tuple[_Visits, _Visits]) -> Iterator[Finding]:
    visits = views[0]
    earlier, later = _pairs(search, visits.node)
    goes_on = later + 1 < len(visits.node)
    earlier, later = earlier[goes_on], later[goes_on]
    follows = visits.iteration[later + 1] == visits.iteration[later] + 1
    follows &= visits.iteration[earlier + 1] == visits.iteration[earlier] + 1
    earlier, later = earlier[follows], later[follows]
    if len(later) < FEW_PAIRS:
        return
    own = _alike(visits.value, earlier, later).mean()
    for value in (each.value for each in views):
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


def _at_ends(search: CheckedSearch, views: tuple[_Visits, _Visits]) -> Iterator[Finding]:
    """A finding where nodes without children get, after their first visit, what the leaf of the iteration before got,
    so that the same node gets this and that."""
    visits = views[0]
    first = np.zeros(len(visits.node), np.bool_)
    first[np.unique(visits.node, return_index=True)[1]] = True
    # after another leaf: the same one again is alike in any search
    follows = (np.diff(visits.iteration) == 1) & (np.diff(visits.node) != 0)
    at = np.flatnonzero(follows & ~first[1:] & search.childless()[visits.node[1:]]) + 1
    if len(at) < FEW_LATE:
        return
    node, of, times = np.unique(visits.node[at], return_inverse=True, return_counts=True)
    for value in (each.value for each in views):
        least, most = np.full(len(node), np.inf), np.full(len(node), -np.inf)
        np.minimum.at(least, of, value[at])
        np.maximum.at(most, of, value[at])
        varied = (most - least > search.slack)[times > 1]
        kinds = len(np.unique(np.round(value[at], 5)))
        alike = _alike(value, at, at - 1)
        if alike.mean() < ALIKE or kinds < FEW_KINDS or not len(varied) or varied.mean() < VARIED:
            continue
        row = at[int(np.argmax((most - least)[of] * alike))]
        t, end = int(visits.iteration[row]), int(visits.node[row])
        of_end = visits.value[at[visits.node[at] == end]]
        yield found(
            "simulation-late", t, end,
            f"{_ends(search, visits, first, at)} what the leaf of the iteration before got: node {end:,} gets "
            f"{visits.value[row]:.4g} in iteration {t:,}, as much as node {int(visits.node[row - 1]):,} in iteration "
            f"{t - 1:,}, and from {of_end.min():.4g} to {of_end.max():.4g} at others of its visits. So it is with "
            f"{int(alike.sum()):,} of {len(at):,} such visits of {len(node):,} nodes. The value is left over from the "
            "last evaluation (an attribute, a variable of the loop): where the game is over it is not computed anew, "
            "and is to be the result at each visit",
            times=int(alike.sum()), looked_at=len(at),
        )  # fmt: skip
        return


def _ends(search: CheckedSearch, visits: _Visits, first: Bools, at: Ints) -> str:
    """In words: what the nodes of the visits are, and whether they get their results at first."""
    if not search.ended[visits.node[at]].all():
        return "nodes without children get at later visits"
    of_ends = first & search.ended[visits.node]
    low, high = search.value_range
    node = visits.node[of_ends]
    share = search.share(search.known_outcome[node], search.mover[node])
    right = np.abs(visits.value[of_ends] - low - (high - low) * (1 + share) / 2) <= search.slack
    if right.mean() >= ALIKE:
        return "finished games get their result at their first visit alone, and later"
    return "finished games get at later visits"


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
