"""Children of many nodes at once: their number at any iteration, and all of them part by part."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mcts_viz.health.range_loops import count_children, group_by_key
from mcts_viz.trace.halving import ends_below
from mcts_viz.trace.index.loops import run_compiled
from mcts_viz.trace.memory import pieces, roomy
from mcts_viz.types import Ints

AT_ONCE = 1 << 20  # nodes


def grouped(
    key: npt.NDArray[np.int32], first: int, n_keys: int
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """[N] places sorted by their keys, of one key in their order; and [n_keys + 1] where those of each key begin, from
    `first` on. It takes little memory beside these."""
    order = roomy(len(key), np.int32)
    next_place = roomy(n_keys + 2, np.int32)  # of the key first + i: at i + 1
    for block in pieces(len(key), AT_ONCE):
        np.add.at(next_place, key[block] - (first - 2), 1)
    np.cumsum(next_place, out=next_place)
    for block in pieces(len(key), AT_ONCE):
        own_order = np.argsort(key[block], kind="stable")
        own = key[block][own_order] - (first - 1)
        begin = np.flatnonzero(np.diff(own, prepend=0))
        n = np.diff(begin, append=len(own))
        place = np.arange(len(own)) + np.repeat(next_place[own[begin]] - begin, n)
        order[place] = own_order + block.start
        next_place[own[begin]] += n.astype(np.int32)
    return order, next_place[: n_keys + 1]  # the end of each key, where the next one begins


def grouped_by_loops(
    key: npt.NDArray[np.int32], first: int, n_keys: int
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """The same, compiled."""
    order, start = roomy(len(key), np.int32), roomy(n_keys + 2, np.int32)
    run_compiled(group_by_key, (key,), first, order, start)
    return order, start[: n_keys + 1]


class Family(NamedTuple):
    """Some nodes with all their children, F of them with C children."""

    parent: Ints  # [F] ascending
    first: Ints  # [F] where the children of each begin
    children: Ints  # [C] those of one parent ascending


class Families:
    """Of N nodes from their parents' ids (root: −1, parent < child)."""

    def __init__(self, parent: npt.NDArray[np.int32], is_long: bool = False) -> None:
        """is_long: whether so much is asked that loops over it are compiled."""
        self._n, self._parent, self._is_long = len(parent), parent, is_long
        # stable: a prefix of a node's children is those there were at some time
        group = grouped_by_loops if is_long else grouped
        self._order, self._start = group(parent, -1, self._n + 1)  # begin of node v: at v + 1

    def count(self, nodes: Ints, n_nodes: Ints) -> Ints:
        """[K] how many children each of K nodes has among the first `n_nodes` (one number a node)
        nodes."""
        if self._is_long:
            found = np.empty(len(nodes), np.int64)
            limits = np.broadcast_to(np.asarray(n_nodes, np.int64), found.shape)
            known = self._order, self._start, np.asarray(nodes, np.int64), limits
            run_compiled(count_children, known, found)
            return found
        begin, end = self._start[nodes + 1], self._start[nodes + 2]
        return ends_below(self._order, begin, end, n_nodes) - begin

    def count_all(self, nodes: Ints) -> Ints:
        """[K] how many children each of K nodes has."""
        return (self._start[nodes + 2] - self._start[nodes + 1]).astype(np.int64)

    def oldest(self, nodes: Ints, counts: Ints) -> Ints:
        """The oldest children of each of K nodes, as many as its count says, one node after
        another."""
        first = self._start[nodes + 1] - np.cumsum(counts) + counts
        places = np.arange(int(counts.sum())) + np.repeat(first, counts)
        return self._order[places].astype(np.int64)

    def parts(self, most: int) -> Iterator[Family]:
        """All nodes with children, ascending; at most `most` children at a time, or one larger family."""
        begin = 1  # the root, whose parent is −1, comes first
        while begin < self._n:
            end = min(begin + most, self._n)
            if end < self._n:  # whole families only
                last = int(self._parent[self._order[end]])
                end = int(self._start[last + 1])
                if end == begin:  # a single large one
                    end = int(self._start[last + 2])
            children = self._order[begin:end].astype(np.int64)
            parent = self._parent[children].astype(np.int64)
            first = np.flatnonzero(np.diff(parent, prepend=-1))
            yield Family(parent[first], first, children)
            begin = end
