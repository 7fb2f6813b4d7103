"""Whether the first visit of a finished game adds something else than all later ones: what is simulated for a new node
then starts elsewhere, and only later visits find the end.

Needs no rules. A node without children that adds the same at every later visit is an end. Were it none, each visit
would be a draw of its own, and later ones would differ as often as first ones do."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.values.of_visits import values_of
from mcts_viz.types import Floats, Ints

FEW_ENDS = 5  # whose first visit differs
LEAST_VISITS = 4  # of a node
CHOSEN = 10.0  # times as often as among all, as a lucky first visit makes a search come back
UNSEEN = 3  # changes that may be due where none was seen, at 95 %
FEW_UNLUCKY = (
    3  # whose first visit alone is worse than all later ones: no search comes back for that
)
UNLIKELY = 0.005  # chance that so many changes are all after first visits
MOSTLY = 0.5  # share of first values that are results of games, where simulations are
MOST = 500_000  # visits looked at, the first ones


class Visits(NamedTuple):
    """Of nodes without children, V visits: node by node, each node's in order."""

    node: Ints
    value: Floats  # view of who moved there
    iteration: Ints
    before: Ints  # visits of the node


def check_first_of_ends(search: CheckedSearch) -> Iterator[Finding]:
    """A warning where many nodes add something else at their first visit alone. Of games whose rules are known there
    are `FinishedGames` and `check_origins`."""
    if search.rules is not None or search.meta.shared or search.is_pruned:
        return
    visits = visits_of_childless(search)
    begin = np.flatnonzero(np.diff(visits.node, prepend=-1))
    size = np.diff(begin, append=len(visits.node))
    changes = np.abs(np.diff(visits.value, append=np.nan)) > search.slack  # to the next one
    changes[begin + size - 1] = False
    first = changes[begin].copy()
    changes[begin] = False
    often = (size >= LEAST_VISITS) & (visits.before[begin] == 0)
    if not often.any():
        return
    later = np.add.reduceat(changes.astype(np.int64), begin)
    odd = np.flatnonzero(often & first & (later == 0))
    n_later = int((size[often] - 1).sum())
    due = int(often.sum()) * (int(later[often].sum()) + UNSEEN) / n_later
    sure = len(odd) >= max(FEW_ENDS, CHOSEN * due)
    worse = visits.value[begin[odd]] < visits.value[begin[odd] + 1]
    if not sure and not (worse.all() and _is_unlikely(len(odd), later[often], size[often])):
        return
    at, alike = int(begin[odd[0]]), int((often & (later == 0)).sum())
    node, value, then = int(visits.node[at]), float(visits.value[at]), float(visits.value[at + 1])
    words = (
        f"node {node:,} adds {value:.6g} at its first visit and {then:.6g} at each of {int(size[odd[0]]) - 1:,} later "
        f"ones, as the end of a game does; so the first visit alone differs at {len(odd):,} of {alike:,} such nodes"
    )
    numbers = {"times": len(odd), "ends": alike}
    low, high = search.value_range
    ends = np.append(visits.value[begin[often & (later == 0)] + 1], (low, (low + high) / 2, high))
    is_result = np.isin(np.round(visits.value[begin[odd]], 6), np.round(ends, 6))
    if is_result.mean() >= MOSTLY:
        finding = found(
            "simulation-from-parent", int(visits.iteration[at]), node,
            f"{words}. The simulation of a new node seems to start from the state of the parent, or before the node's "
            "move is made, so that what a new node gets does not depend on its move",
            **numbers,
        )  # fmt: skip
        yield finding if sure else finding.as_note()
        return
    if not sure:
        return
    finding = found(
        "simulation-terminal", int(visits.iteration[at]), node,
        f"{words}. New nodes seem to be evaluated before anybody asks whether the game is over there",
        **numbers,
    )  # fmt: skip
    yield finding.as_warning()


def _is_unlikely(odd: int, later: Ints, size: Ints) -> bool:
    """Whether it hardly happens by chance that changes are all after the first visits of nodes. later, size: of each
    node, changes after later visits and all visits."""
    if odd < FEW_UNLUCKY or later.any():
        return False
    return math.comb(len(size), odd) <= UNLIKELY * math.comb(int(size.sum()), odd)


def visits_of_childless(search: CheckedSearch) -> Visits:
    childless = search.childless()
    parts: list[Visits] = []
    n = 0
    for part in search.ranges():
        values = values_of(search, part)
        ends = values.where(values.is_leaf & childless[values.node])
        parts.append(Visits(ends.node, ends.value, ends.iteration, ends.visits_before))
        n += len(ends.node)
        if n >= MOST:
            break
    if not parts:
        none = np.zeros(0, np.int64)
        return Visits(none, np.zeros(0), none, none)
    node, value, iteration, before = (np.concatenate(column) for column in zip(*parts))
    order = np.argsort(node, kind="stable")
    return Visits(node[order], value[order], iteration[order], before[order])
