"""The tree of a long trace by its index: nodes are numbered in preorder, so that those of a subtree are neighbours.
Knows no statistics.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from mcts_viz.trace.index.layout import IndexFile
from mcts_viz.trace.index.plain import sides
from mcts_viz.trace.players import movers_into
from mcts_viz.types import Bools, Ints, Wholes, signed_type

AT_ONCE = 1 << 20  # iterations that are looked at together
Int32s = npt.NDArray[np.int32]
Visits: TypeAlias = Callable[[Ints], Int32s]  # of nodes of these ids
Passes: TypeAlias = Callable[[Ints, Int32s, Ints], Bools]


class IndexedTree:
    """Of T iterations and N nodes. For several threads."""

    def __init__(self, file: IndexFile, n_players: int) -> None:
        self.file = file
        self.n_iterations: int = file.about["n_iterations"]
        self.n_nodes: int = file.about["n_nodes"]
        self.leaf: Int32s = file["leaf"]  # [T] ids
        self.parent: Int32s = file["parent"]  # [N] by id, as the next ones
        self.to_move: npt.NDArray[np.int8] = file["to_move"]
        self.born: Int32s = file["born"]
        self.depth: npt.NDArray[np.integer] = file["depth"]
        self.place: Int32s = file["place"]  # in preorder
        self.node: Int32s = file["node"]  # [N] ids by place, as the next one
        self.size: Int32s = file["size"]  # of the subtree
        self._n_players = n_players

    @property
    def counts_upwards(self) -> bool:
        """Whether no node ever has more visits than the one above it, to be sure."""
        return False

    def n_nodes_after(self, t: Wholes | int) -> Ints:
        """[k] nodes after each of these numbers of iterations."""
        return np.searchsorted(self.born, np.asarray(t, np.int32), side="right")

    def side(self, nodes: Wholes) -> npt.NDArray[np.int8]:
        """[k] whose view their values are in, see `plain.sides`."""
        ids = np.asarray(nodes, np.int32)
        return sides(movers_into(ids, self.parent, self.to_move, self._n_players))

    def children(self, node: int, n_nodes: int) -> Int32s:
        """Ids of the children among the first n_nodes nodes, rising."""
        begin = int(self.place[node])
        at, end = begin + 1, begin + int(self.size[begin])
        found = []
        while at < end:
            child = int(self.node[at])
            if child >= n_nodes:  # those behind it are younger
                break
            found.append(child)
            at += int(self.size[at])
        return np.array(found, np.int32)

    def children_of(self, nodes: Wholes, n_nodes: int) -> tuple[Int32s, Ints]:
        """Ids of the children of nodes among the first n_nodes nodes, and which of the nodes each belongs to."""
        begin = self.place[nodes].astype(np.int64)
        at, end, which = begin + 1, begin + self.size[begin], np.arange(len(begin))
        found, owners = [np.zeros(0, np.int32)], [np.zeros(0, np.int64)]
        while True:
            going = at < end
            at, end, which = at[going], end[going], which[going]
            if not len(at):
                return np.concatenate(found), np.concatenate(owners)
            child = self.node[at]
            there = child < n_nodes  # those behind it are younger
            at, end, which, child = at[there], end[there], which[there], child[there]
            found.append(child)
            owners.append(which)
            at = at + self.size[at]

    def much_visited(
        self,
        start: int,
        least: int,
        most: int,
        n_nodes: int,
        visits: Visits,
        passes: Passes | None = None,
    ) -> list[Ints]:
        """Ids of children, some at a time, among which are those of the `most` nodes at and below `start` that have the
        greatest keys, of all with the same key as the last of them, and their children. A node's key is the least
        number of visits on the way to it, from `least` on. visits: of nodes of these ids, among the first n_nodes.
        passes: which of some children may be among them, by their visits and which of them are siblings."""
        node, keys, is_open = np.array([start], np.int64), np.array([least]), np.ones(1, np.bool_)
        found: list[Ints] = []
        while True:
            limit = (
                np.partition(keys, len(keys) - most)[len(keys) - most] if len(keys) > most else 0
            )
            at = np.flatnonzero(is_open & (keys >= limit))
            if not len(at):
                return found
            is_open[at] = False
            ids, above = self.children_of(node[at], n_nodes)
            children = ids.astype(np.int64)
            found.append(children)
            n = visits(children)
            passed = np.ones(len(children), np.bool_)
            if passes is not None:
                passed = passes(children, n, above)
            node = np.concatenate([node, children[passed]])
            keys = np.concatenate([keys, np.minimum(n, keys[at][above])[passed]])
            is_open = np.concatenate([is_open, np.ones(int(passed.sum()), np.bool_)])

    def subtree(self, node: int, n_nodes: int) -> Int32s:
        """Ids of a node and of all below it, level by level."""
        place = int(self.place[node])
        ids = self.node[place : place + int(self.size[place])]
        ids = ids[ids < n_nodes]
        return ids[np.argsort(self.depth[ids], kind="stable")]

    def branches(self, node: int, children: Int32s, t: int) -> Wholes:
        """[t] of each iteration, which of these children of a node its leaf is at or below; −1: none of them."""
        starts, found = self.place[children], np.full(t, -1, signed_type(len(children)))
        if not len(children):
            return found
        ends = starts + self.size[starts]
        for after in range(0, t, AT_ONCE):
            there = slice(after, min(after + AT_ONCE, t))
            leaf = self.place[self.leaf[there]]
            child = np.searchsorted(starts, leaf, side="right") - 1
            is_below = (child >= 0) & (leaf < ends[child])
            found[there][is_below] = child[is_below]
        return found
