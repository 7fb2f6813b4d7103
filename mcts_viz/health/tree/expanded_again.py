"""Whether nodes that were expanded are expanded again, and their children replaced by fresh ones: visits and values of
the old ones are lost.

A search whose room is limited takes out what it has not come to for long, and one that drops bad children takes out
those of little value, or dead ends. Children that are replaced by mistake all go at the
next visit of their parent, good ones as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import RANGE_ROWS, CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.types import Bools, Floats, Ints

FEW_TIMES = 10
NEARLY_ALL = 0.9  # times that a node with children gets further ones
FEW_SOON = 5  # times
FEW_PARENTS = 3  # other than the root
SOON = 3  # iterations after a visit: nothing that was visited so lately is what a tree has not come to for longest
GOOD = 0.25  # share of times; of children that are dropped because they are bad none is


class Expansions(NamedTuple):
    """Times that a node with children gets further ones, E of them."""

    parent: Ints  # [E]
    born: Ints  # [E] iteration
    last_visit: Ints  # [E] iteration of the last visit of all older children, 0: none
    lifetime: Ints  # [E] visits of the youngest of these together
    best: Floats  # [E] greatest mean of these in the end, view of who chooses
    node: Ints  # [E] the first of the further children


def check_expanded_again(search: CheckedSearch) -> Iterator[Finding]:
    """A finding where all children of a node go at once, again and again, and others take their places."""
    if not search.is_pruned:
        return
    again = _expansions(search)
    lost = (again.last_visit > 0) & (again.last_visit < again.born)
    if lost.sum() < FEW_TIMES or lost.sum() < NEARLY_ALL * len(lost):
        return
    soon = lost & (again.born - again.last_visit <= SOON)
    below = np.unique(again.parent[soon & (again.parent > 0)])  # the root may begin anew on purpose
    one = _finding(search, again, lost)
    meant = (
        len(below) < FEW_PARENTS
        or soon.sum() < FEW_SOON
        or (again.lifetime[lost] == 1).mean() < NEARLY_ALL
        or _are_good(search, again, lost).mean() < GOOD
    )
    yield one.as_note() if meant else one


def _expansions(search: CheckedSearch) -> Expansions:
    visits, total, *_ = search.statistics_after(search.T)
    mean = np.where(visits > 0, total / np.maximum(visits, 1), -np.inf)
    last = _last_visits(search)
    rows = list[tuple[int, int, int, int, float, int]]()
    for parent, begin, children in search.families.parts(RANGE_ROWS):
        for node, family in zip(parent.tolist(), np.split(children, begin[1:])):
            born = search.born[family]
            if int(born[0]) <= search.base:
                continue
            latest, best = np.maximum.accumulate(last[family]), np.maximum.accumulate(mean[family])
            for i in (np.flatnonzero(np.diff(born)) + 1).tolist():  # of each further time
                until = i - 1
                rows.append(
                    (
                        node,
                        int(born[i]),
                        int(latest[until]),
                        int(visits[family[born == born[until]]].sum()),
                        float(best[until]),
                        int(family[i]),
                    )
                )
    parents, born_at, last_visit, lifetime, greatest, nodes = zip(*rows) if rows else ((),) * 6
    return Expansions(
        np.array(parents, np.int64), np.array(born_at, np.int64), np.array(last_visit, np.int64),
        np.array(lifetime, np.int64), np.array(greatest, np.float64), np.array(nodes, np.int64),
    )  # fmt: skip


def _last_visits(search: CheckedSearch) -> Ints:
    """[N] the iteration of the last visit of each node, 0: none."""
    last = np.zeros(search.N, np.int64)
    for part in search.ranges():
        counted = part.updates.visits > 0
        np.maximum.at(last, part.updates.node[counted], part.updates.iteration[counted])
    return last


def _are_good(search: CheckedSearch, again: Expansions, lost: Bools) -> Bools:
    """[L] whether the best of the children that went is worth as much as half of the nodes are, in the view of the same
    player."""
    visits, total, *_ = search.statistics_after(search.T)
    mean, mover = total / np.maximum(visits, 1), search.mover[again.node[lost]]
    good = np.zeros(len(mover), np.bool_)
    for player in np.unique(mover).tolist():
        same = (visits > 0) & (search.mover == player)
        good |= (mover == player) & (again.best[lost] >= np.median(mean[same]))
    return good


def _present_children(search: CheckedSearch, node: int) -> Ints:
    """Those that were made last, all at once."""
    family = search.topology.children(node, search.N)
    present: Ints = family[search.born[family] == search.born[family].max()]
    return present


def _finding(search: CheckedSearch, again: Expansions, lost: Bools) -> Finding:
    visits = search.statistics_after(search.T).visits
    parents = np.unique(again.parent[lost])
    present = [_present_children(search, node) for node in parents.tolist()]
    left = np.array([int(visits[each].sum()) for each in present])
    gone = visits[parents] - left
    at = int(np.argmax(gone * (gone / np.maximum(visits[parents], 1))))  # many, and most of its own
    node = int(parents[at])
    first = int(np.argmax(lost))
    return found(
        "expansion-again", int(again.born[first]), int(again.parent[first]),
        f"all children of a node vanish at once and fresh ones take their places: so it is {int(lost.sum()):,} times "
        f"at {len(parents):,} nodes, often just after a visit of theirs. Node {node:,} has "
        f"{int(visits[node]):,} visits, and its present children {int(left[at]):,} together: the "
        "others are lost with their values. A node that was expanded is expanded again, as where it "
        "counts as not expanded while it has fewer children than wanted, and node.children = [...] replaces those "
        "that there are. Right where children are thrown away on purpose, whatever they are worth, as where room is "
        "limited",
        times=int(lost.sum()), nodes=len(parents),
    )  # fmt: skip
