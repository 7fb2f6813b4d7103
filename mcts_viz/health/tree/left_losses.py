"""Whether the virtual losses that stay are those of descents to finished games.

A trace tells how many visits of virtual losses the nodes of an iteration carry after it, all together. If each descent
to a finished game leaves its own on every node of its path, and no other descent does, that number is known. Where it
is not told, they count as visits, and so do those of the root that are more than leaves.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.iteration_range import IterationRange
from mcts_viz.health.tree.shape import own_visits
from mcts_viz.types import Bools, Ints

MOST_ITERATIONS = 2_000  # the first ones, whose descents are followed
FEW = 10  # descents of either kind
FEW_LEAVES = 50  # visits of them
NEARLY_ALL = 0.98  # iterations


class Descents(NamedTuple):
    """Where the descents of an iteration ended, and all nodes of their paths."""

    node: Ints
    ends: Ints  # the leaves, each once
    times: Ints  # descents to each of them


def only_to_ends(search: CheckedSearch) -> str:
    """What is to be said, where it is so; else nothing."""
    told = search.trace.columns.virtual
    assert told is not None
    iterations = list(_descents(search))
    recorded = np.asarray(told[search.base : search.base + len(iterations)], np.int64)
    finished = _finished(search)
    to_ends, others = _number(iterations, finished), _number(iterations, ~finished)
    if min(to_ends, others) < FEW:
        return ""
    if any(_explains(due, recorded) for due in _carried(search, iterations, finished)):
        return _words(to_ends, others)
    return ""


def only_of_ends(search: CheckedSearch) -> str:
    """The same where virtual losses are not told, and leaves are."""
    told = search.trace.columns.leaves
    assert told is not None
    finished = _finished(search)
    apart = more = others = 0
    for part in search.ranges():
        updates, own = part.updates, own_visits(search, part)
        to_ends = np.zeros(part.n, np.int64)  # each of which brings a visit, and leaves one
        at = finished[updates.node]
        np.add.at(to_ends, updates.iteration[at] - part.first, own[at] // 2)
        leaves = told[part.first - 1 : part.last]
        apart += int((to_ends[leaves >= 0] != (part.root_visits - leaves)[leaves >= 0]).sum())
        more += int(to_ends.sum())
        others += int((leaves - to_ends)[leaves >= 0].sum())
    wrong = apart > (1 - NEARLY_ALL) * (search.T - search.base)
    return "" if wrong or min(more, others) < FEW else _words(more, others)


def check_left_on_leaves(search: CheckedSearch) -> Iterator[Finding]:
    """An error where leaves are told, several an iteration, and visits add up once half of what each leaf gets is left
    out: a virtual loss that is taken back from all nodes of the path but the leaf."""
    told = search.trace.columns.leaves
    if told is None or search.same_as is not None or float(np.median(told[: search.T])) <= 1:
        return
    ends = 0
    first: tuple[int, int] | None = None
    for part in search.ranges():
        own = _with_a_further_one(search, part)
        if own is None:
            return
        ends += int(own.sum())
        if first is None and own.any():
            row = int(np.argmax(own > 0))
            first = int(part.updates.iteration[row]), int(part.updates.node[row])
    if first is None or ends < FEW_LEAVES:
        return
    yield found(
        "virtual-loss-left", *first,
        f"each of {ends:,} visits of a leaf leaves a further one there, and at no node above it: a virtual loss that "
        "is taken back from the path without its last node, path[:-1], and stays at the leaf",
        times=ends,
    )  # fmt: skip


def _with_a_further_one(search: CheckedSearch, part: IterationRange) -> Ints | None:
    """[U] how often each node was the leaf, if every time left a further visit there alone; None where they do not add
    up so. From the deepest nodes up: a node's visits are those that went on below it, and two for each of its own."""
    updates = part.updates
    told = search.trace.columns.leaves
    assert told is not None
    below = np.zeros(len(updates.node), np.int64)  # descents that went on
    own = np.zeros(len(updates.node), np.int64)
    depth = search.topology.depth[updates.node]
    of_parent = part.key(updates.iteration, search.parent[updates.node].astype(np.int64))
    above = np.searchsorted(part.keys, of_parent)
    if (part.keys[above] != of_parent)[updates.node > 0].any():
        return None  # off the paths
    for level in range(int(depth.max(initial=0)), -1, -1):
        rows = np.flatnonzero(depth == level)
        twice = updates.visits[rows] - below[rows]
        if (twice < 0).any() or (twice % 2).any():
            return None
        own[rows] = twice // 2
        if level:
            np.add.at(below, above[rows], below[rows] + own[rows])
    at_root = updates.node == 0
    due = told[part.first - 1 : part.last][updates.iteration[at_root] - part.first]
    return own if np.array_equal((below + own)[at_root], due) else None


def _words(to_ends: int, others: int) -> str:
    return (
        f". All of them are on the way to finished games: each of the {to_ends:,} descents that ended in one has left "
        f"its own, and none of the {others:,} to other leaves. So it is where a descent to the end of a game is backed "
        "up by itself, in a branch of its own that does not take them back"
    )


def _number(iterations: list[Descents], to: Bools) -> int:
    """How many descents ended at some nodes [N]."""
    return sum(int(each.times[to[each.ends]].sum()) for each in iterations)


def _descents(search: CheckedSearch) -> Iterator[Descents]:
    left = MOST_ITERATIONS
    for part in search.ranges():
        updates, own = part.updates, own_visits(search, part)
        begin = np.searchsorted(updates.iteration, np.arange(part.first, part.last + 2))
        for first, end in zip(begin[: min(part.n, left)].tolist(), begin[1:].tolist()):
            node, times = updates.node[first:end], own[first:end]
            yield Descents(node, node[times > 0], times[times > 0])
        left -= part.n
        if left <= 0:
            return


def _finished(search: CheckedSearch) -> Bools:
    """[N] where the game is over; where nothing tells, what never got a child, which is the same where the first visit
    of a node makes its children."""
    if search.ended.any():
        return search.ended
    return np.asarray(search.childless() & (search.statistics_after(search.T).visits > 0))


def _carried(search: CheckedSearch, iterations: list[Descents], finished: Bools) -> Ints:
    """[4, T] what the nodes of each iteration carry after it, if each descent to a finished game has left one on every
    node of its path; on all but the root; on all but the leaf; on neither."""
    carried = np.zeros(search.N, np.int64)
    due = np.zeros((4, len(iterations)), np.int64)
    for at, each in enumerate(iterations):
        for leaf, times in zip(each.ends.tolist(), each.times.tolist()):
            above = leaf if finished[leaf] else -1
            while above >= 0:
                carried[above] += times
                above = int(search.parent[above])
        kept = carried[each.node]
        below, inner = each.node > 0, ~finished[each.node]
        due[:, at] = kept.sum(), kept[below].sum(), kept[inner].sum(), kept[below & inner].sum()
    return due


def _explains(due: Ints, recorded: Ints) -> bool:
    """Whether it is what was recorded, [T], in nearly all iterations."""
    some = (recorded > 0) & (due > 0)
    if not some.any():
        return False
    weight = round(float(np.median(recorded[some] / due[some])))  # visits of one loss
    return weight > 0 and bool(np.mean(weight * due == recorded) >= NEARLY_ALL)
