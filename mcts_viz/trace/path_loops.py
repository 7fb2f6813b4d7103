"""Loops along the paths of iterations that leave their updates to be understood: what a trace that grows fast needs at
each look; and those over an index that whoever scrubs through a long trace asks for with each picture. Compiled by
numba in a thread of their own; until they are there, the same is done by numpy.

The caller has checked every id.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np

from mcts_viz.trace.index.loops import Int32s, compiled, read_only
from mcts_viz.types import Bools, Floats, Ints, Numbers

BITS, IN_ONE = 16, 4  # of a count that stands with others in a number of 64 bits, and how many do
MOST_IN_ONE = (1 << BITS) - 1


def add_along(
    leaf: Int32s, worth: Floats, parent: Int32s, side: Numbers, times: int, visits: Int32s, value_sum: Floats
) -> None:  # fmt: skip
    """Add a visit and what it is worth to the nodes of each path, in the order of the search. times: 1; −1 takes it
    back."""
    for t in range(len(leaf)):
        node = leaf[t]
        first, second = times * worth[t, 0], times * worth[t, 1]
        while node >= 0:
            visits[node] += times
            value_sum[node] += second if side[node] == 1 else first
            node = parent[node]


def add_upwards(
    leaf: Int32s, worth: Floats, parent: Int32s, side: Numbers, times: int, visits: Int32s, value_sum: Floats,
    ended: Int32s, of_first: Floats, of_second: Floats,
) -> None:  # fmt: skip
    """The same in another order, for sums that are free of rounding: each node hands on to its parent what it got, so
    that one is looked at once, however many iterations came by. ended, of_first, of_second: [N] room, zeros."""
    for t in range(len(leaf)):
        node = leaf[t]
        ended[node] += times
        of_first[node] += times * worth[t, 0]
        of_second[node] += times * worth[t, 1]
    for node in range(len(ended) - 1, -1, -1):
        if ended[node] != 0:
            visits[node] += ended[node]
            value_sum[node] += of_second[node] if side[node] == 1 else of_first[node]
            above = parent[node]
            if above >= 0:
                ended[above] += ended[node]
                of_first[above] += of_first[node]
                of_second[above] += of_second[node]


def note_last(leaf: Int32s, before: int, parent: Int32s, last: Int32s) -> None:
    """Note the last of iterations before + 1, before + 2, … that came by each node; last: those up to `before`."""
    for t in range(len(leaf) - 1, -1, -1):
        node = leaf[t]
        while node >= 0 and last[node] <= before:  # those above one that is noted are noted, too
            last[node] = before + 1 + t
            node = parent[node]


def count_depths(parent: Int32s, first: int, end: int, depth: Int32s) -> None:
    """How far from the root the nodes from `first` to just before `end` are, as is known of those before."""
    for node in range(first, end):
        depth[node] = depth[parent[node]] + 1


def hand_down(parent: Int32s, first: int, item: Int32s) -> None:
    """Give each node from `first` on that has no item, −1, that of the node above it."""
    for node in range(max(first, 1), len(parent)):
        if item[node] < 0:
            item[node] = item[parent[node]]


def count_ends(
    leaf: Int32s, worth: Floats, item_of_node: Int32s, every: int, before: int, sums: Numbers, last: Int32s
) -> None:  # fmt: skip
    """Add up by item what ended at it, in each run of `every` iterations after `before`. sums: [3, K, M] visits and
    what they are worth to either player; last: [K, M] the last of these iterations, or [K, 0]."""
    for t in range(len(leaf)):
        item = item_of_node[leaf[t]]
        if item >= 0:
            run = t // every
            sums[0, run, item] += 1
            sums[1, run, item] += worth[t, 0]
            sums[2, run, item] += worth[t, 1]
            if last.shape[1] > 0:
                last[run, item] = before + 1 + t


def note_children(parent: Int32s, is_there: Bools, is_child: Bools) -> None:
    """Note which nodes are children of those that are there."""
    for node in range(1, len(parent)):
        if is_there[parent[node]]:
            is_child[node] = True


def count_kinds(
    when: Int32s, kind: Numbers, begin: Ints, end: Ints, t: int, counts: Numbers, last: Int32s
) -> None:
    """Count the rows of each range that are of iterations up to t, by their kinds, and note the last of them, 0: none.
    counts: [C, k]."""
    # all of one type, so that several rows are looked at together
    until, none = np.int32(t), np.int32(0)
    if len(counts) > IN_ONE:
        n = np.zeros(len(counts), np.int64)
        for k in range(len(begin)):
            n[:] = 0
            latest = none
            for row in range(begin[k], end[k]):
                is_then = when[row] <= until  # added, not asked: what comes next cannot be guessed
                n[kind[row]] += is_then
                latest = max(latest, when[row] * np.int32(is_then))
            counts[:, k] = n
            last[k] = latest
        return
    # the kinds are counted side by side in one number
    one, bits, mask = np.uint64(1), np.uint64(BITS), np.uint64(MOST_IN_ONE)
    for k in range(len(begin)):
        counts[:, k] = 0
        latest = none
        for row in range(begin[k], end[k], MOST_IN_ONE):
            there = slice(row, min(row + MOST_IN_ONE, end[k]))
            then, kinds, together = when[there], kind[there], np.uint64(0)
            for i in range(len(then)):
                is_then = one if then[i] <= until else np.uint64(0)
                together += is_then << (np.uint64(kinds[i]) * bits)
                latest = max(latest, then[i] if then[i] <= until else none)
            for which in range(len(counts)):
                counts[which, k] += np.int64((together >> (np.uint64(which) * bits)) & mask)
        last[k] = latest


def note_latest(when: Int32s, begin: Ints, end: Ints, t: int, last: Int32s) -> None:
    """Note the last iteration up to t of the rows of each range."""
    until, none = np.int32(t), np.int32(0)  # as above
    for k in range(len(begin)):
        then, latest = when[begin[k] : end[k]], none
        for i in range(len(then)):
            latest = max(latest, then[i] if then[i] <= until else none)
        last[k] = latest


COMPILED = (
    add_along, add_upwards, note_last, count_depths, hand_down, count_ends, note_children, count_kinds, note_latest,
)  # fmt: skip


class PathLoops:
    """The loops, once they are compiled."""

    def __init__(self) -> None:
        self.are_ready = False
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()

    def load(self) -> threading.Thread:
        """Have them compiled, or loaded where they were before: takes a second or two in a thread."""
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._load, name="mcts_viz loops", daemon=True
                )
                self._thread.start()
            return self._thread

    def load_later(self, seconds: float) -> None:
        """The same after that time, once what is asked for now has been answered."""
        timer = threading.Timer(seconds, self.load)
        timer.daemon = True
        timer.start()

    def _load(self) -> None:
        """Call each with nothing to do: numba compiles for the types that it is given."""
        leaf, worth, node = np.zeros(0, np.int32), np.zeros((0, 2)), np.zeros(1, np.int32)
        side, value, flag = np.zeros(1, np.int8), np.zeros(1), np.zeros(1, np.bool_)
        leaf, worth, parent = read_only(leaf), read_only(worth), read_only(node)
        self.run(add_along, leaf, worth, node, side, 1, node, value)
        self.run(add_upwards, leaf, worth, node, side, 1, node, value, node, value, value)
        self.run(note_last, leaf, 0, node, node)
        self.run(count_depths, parent, 0, 0, node)
        self.run(hand_down, parent, 0, node)
        self.run(
            count_ends, leaf, worth, node, 1, 0, np.zeros((3, 1, 1)), np.zeros((1, 1), np.int32)
        )
        self.run(note_children, parent, flag, flag)
        rows, kind = np.zeros(0, np.int64), read_only(np.zeros(0, np.uint8))
        self.run(count_kinds, leaf, kind, rows, rows, 0, np.zeros((1, 0), np.int64), node)
        self.run(note_latest, leaf, rows, rows, 0, node)
        self.are_ready = True

    def run(self, loop: Callable[..., None], *columns: Numbers | int) -> None:
        """Run one of the loops over columns, of the types that it is compiled for."""
        compiled(loop)(*columns)


LOOPS = PathLoops()
