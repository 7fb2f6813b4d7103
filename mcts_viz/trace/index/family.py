"""A node and its children through time, from the index of a long trace: their statistics at its knots, and which child
each iteration took. So stretches in which nothing is to be seen need not be looked at.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mcts_viz.trace.index.building import LARGE
from mcts_viz.trace.index.plain import LEFT_OUT
from mcts_viz.trace.index.tree import TreeIndex
from mcts_viz.trace.sums import NodeStates, Sums
from mcts_viz.types import Floats, Ints, Numbers, Wholes

SORTED = 1 << 20  # iterations through a node; of a node with no more all are sorted by time, once
MOST_AT_KNOTS = 1 << 24  # numbers
ITSELF = -1  # in place of a child: the iteration ended at the node


class Passed(NamedTuple):
    """The m plain iterations through the node in a stretch, rising."""

    when: Wholes  # [m]
    child: Wholes  # [m] place among the children, ITSELF
    kind: npt.NDArray[np.uint8]  # [m] of worth


class NodeFamily:
    """A node and k of its children, those there are after iteration t."""

    def __init__(self, tree: TreeIndex, node: int, children: npt.NDArray[np.int32], t: int) -> None:
        self._tree, self._t = tree, t
        self.nodes = np.append(children, node).astype(np.int64)  # [k + 1] the node is the last
        places = tree.place[self.nodes].astype(np.int64)
        ends = places + tree.size[places]
        self._begin, self._end = places[:-1], ends[:-1]  # [k] of the children, rising
        self._range = int(places[-1]), int(ends[-1])
        self._rows = tree.first[np.stack([places, ends])].astype(np.int64)  # [2, k + 1] in `when`
        self._side = tree.side(self.nodes)
        self._value = tree.value[self._side]  # [k + 1, C]
        self._kept: list[Ints] = []
        if len(tree.kept_when):
            self._kept = [tree.kept_of(node, -1, t) for node in self.nodes.tolist()]
        self.has_kept = any(map(len, self._kept))
        self._last: tuple[tuple[int, int], Passed] | None = None

    @property
    def is_sorted(self) -> bool:
        """Whether all iterations through the node are looked at."""
        return int(self._rows[1, -1] - self._rows[0, -1]) <= SORTED

    # ---- iterations

    @functools.cached_property
    def _sorted(self) -> Passed:
        tree, (begin, end) = self._tree, self._rows[:, -1].tolist()
        child = np.full(end - begin, ITSELF, np.int64)
        for place, (a, b) in enumerate(self._rows[:, :-1].T.tolist()):
            child[a - begin : b - begin] = place
        when = tree.when[begin:end].astype(np.int64)
        # sorting numbers takes a fifth of the time that sorting their places takes
        key = (when << 32 | (child + 1) << 8 | tree.kind[begin:end])[when <= self._t]
        key.sort()
        return Passed(key >> 32, (key >> 8 & (1 << 24) - 1) - 1, (key & 255).astype(np.uint8))

    def passed(self, after: int, until: int) -> Passed:
        """The plain iterations through the node from after + 1 to until."""
        if self.is_sorted:
            rows = slice(*np.searchsorted(self._sorted.when, [after + 1, until + 1]).tolist())
            when, child, kind = self._sorted
            return Passed(when[rows], child[rows], kind[rows])
        if self._last is None or self._last[0] != (after, until):
            tree = self._tree
            leaf, code = tree.place[tree.leaf[after:until]], tree.code[after:until]
            at = np.flatnonzero((code != LEFT_OUT) & self._is_below(leaf))
            self._last = (after, until), Passed(at + after + 1, self._child(leaf[at]), code[at])
        return self._last[1]

    def _is_below(self, leaf: Numbers) -> npt.NDArray[np.bool_]:
        return (leaf >= self._range[0]) & (leaf < self._range[1])

    def _child(self, leaf: Numbers) -> Ints:
        """[m] places of the children at or below which leaves of the node's subtree lie."""
        if not len(self._begin):
            return np.full(len(leaf), ITSELF, np.int64)
        child = np.searchsorted(self._begin.astype(np.int32), leaf, side="right") - 1
        child[leaf >= self._end[child]] = ITSELF  # at the node, or at a child made later
        return child

    @functools.cached_property
    def _left(self) -> tuple[Ints, Ints]:
        """Iterations that keep their updates and whose leaf is at or below a child, and which."""
        tree = self._tree
        left = tree.file["left_at"].astype(np.int64)
        leaf = tree.place[tree.leaf[left]]
        at = np.flatnonzero(self._is_below(leaf) & (left < self._t))
        child = self._child(leaf[at])
        return left[at][child >= 0] + 1, child[child >= 0]

    def taken(self, after: int, until: int) -> tuple[Ints, Ints]:
        """The iterations from after + 1 to until whose leaf is at or below a child, rising, and its place."""
        found = self.passed(after, until)
        at = np.flatnonzero(found.child >= 0)
        when, child = found.when[at].astype(np.int64), found.child[at].astype(np.int64)
        left, at_child = self._left
        rows = slice(*np.searchsorted(left, [after + 1, until + 1]).tolist())
        if rows.start == rows.stop:
            return when, child
        when, child = np.append(when, left[rows]), np.append(child, at_child[rows])
        order = np.argsort(when, kind="stable")
        return when[order], child[order]

    # ---- statistics

    def states(
        self, after: int, until: int, before: Sequence[NodeStates], squares: bool
    ) -> list[NodeStates]:
        """Of the children and of the node in iterations after + 1 to until, as `node_states`."""
        if self.has_kept:
            return [
                self._tree.states(int(node), after, until, earlier, squares)
                for node, earlier in zip(self.nodes, before)
            ]
        found = self.passed(max(after, 0), until)
        order = np.argsort(
            found.child.astype(np.int16 if len(self.nodes) < 1 << 15 else np.int64), kind="stable"
        )
        ends = np.searchsorted(found.child[order], np.arange(len(self.nodes)))
        states = []
        for place, earlier in enumerate(before):
            rows: slice | Ints = slice(None)  # of the node itself
            if place < len(self.nodes) - 1:
                rows = order[ends[place] : ends[place + 1]]
            when = found.when[rows]
            value = self._tree.values(int(self._side[place]), when, found.kind[rows])
            square_sum = np.broadcast_to(earlier.square_sum[-1:], len(value) + 1)
            if squares:
                square_sum = np.cumsum(np.concatenate((earlier.square_sum[-1:], value**2)))
            states.append(NodeStates(
                when.astype(np.int32),
                int(earlier.visits[-1]) + np.arange(len(value) + 1, dtype=np.int32),
                np.cumsum(np.concatenate((earlier.value_sum[-1:], value))),
                square_sum, np.ones(len(value), np.int32), value, np.broadcast_to(np.intp(-1), len(value)),
            ))  # fmt: skip
        return states

    @functools.cached_property
    def ends(self) -> Ints:
        """[W + 1] iterations 0, … t between which windows lie: those of which the statistics are known."""
        knot = self._tree.knot
        return np.append(np.arange(0, self._t, knot), self._t).astype(np.int64)

    @property
    def knows_windows(self) -> bool:
        """Whether the statistics at the ends of windows are known without looking at what lies between."""
        numbers = len(self.ends) * self._value.size
        is_exact = self._tree.ordered is None and not self.has_kept
        return not self.is_sorted and is_exact and numbers <= MOST_AT_KNOTS

    @functools.cached_property
    def _counts(self) -> Ints:
        """[W + 1, C, k + 1] plain iterations up to the end of each window, by worth."""
        tree, n = self._tree, len(self.nodes)
        counts = np.zeros((len(self.ends), len(tree.outcome), n), np.int64)
        n_rows = self._rows[1] - self._rows[0]
        large = np.flatnonzero(n_rows >= LARGE)
        counts[:-1, :, large] = tree.knots_of(tree.place[self.nodes[large]])[: len(self.ends) - 1]
        small = np.flatnonzero(n_rows < LARGE)
        m = n_rows[small]
        rows = np.arange(m.sum()) + np.repeat(self._rows[0, small] - np.cumsum(m) + m, m)
        which, kind = np.repeat(small, m), tree.kind[rows]
        window = np.searchsorted(self.ends, tree.when[rows])
        there = window < len(self.ends)
        of_small = np.zeros_like(counts)
        np.add.at(of_small, (window[there], kind[there], which[there]), 1)
        counts += np.cumsum(of_small, axis=0)
        places = tree.place[self.nodes].astype(np.int64)
        counts[-1] = tree.counts(places, places + tree.size[places], self._t)
        return counts

    def sums_at_ends(self) -> Sums:
        """[W + 1, k + 1] after the last iteration of each window, and before the first one."""
        return self._sums(self._counts)

    def _sums(self, counts: Ints) -> Sums:
        value = self._value.T
        return Sums(
            counts.sum(axis=-2).astype(np.int32), (counts * value).sum(axis=-2),
            (counts * value**2).sum(axis=-2),
        )  # fmt: skip

    def before(self, at: int) -> list[NodeStates]:
        """The states of children and node after an iteration, without their updates."""
        window = int(np.searchsorted(self.ends, at, side="right")) - 1
        counts = self._counts[window].copy()
        if at > self.ends[window]:
            after = int(self.ends[window])
            until = int(self.ends[min(window + 1, len(self.ends) - 1)])
            found = self.passed(after, until)
            n, shape = int(np.searchsorted(found.when, at, side="right")), counts.shape
            child, kind = found.child[:n], found.kind[:n]
            key = kind.astype(np.int64) * shape[1] + np.where(child < 0, shape[1] - 1, child)
            more = np.bincount(key, minlength=counts.size).reshape(shape)
            more[:, -1] = np.bincount(kind, minlength=shape[0])
            counts += more
        sums = self._sums(counts)
        none = NodeStates.none()
        assert sums.square_sum is not None
        return [
            none._replace(
                visits=sums.visits[i : i + 1],
                value_sum=sums.value_sum[i : i + 1],
                square_sum=sums.square_sum[i : i + 1],
            )
            for i in range(len(self.nodes))
        ]

    def taken_before(self, made: Ints) -> Ints:
        """[W + 1, k] iterations up to the end of each window whose leaf is at or below each child, without those that
        made one: `made` holds these iterations by child, 0 for none."""
        counts: Ints = self._counts[:, :, :-1].sum(axis=1)
        for sign, when, child in (
            (1, *self._left),
            (-1, made[made > 0], np.flatnonzero(made)),
        ):
            more = np.zeros_like(counts)
            np.add.at(more, (np.searchsorted(self.ends, when), child), sign)
            counts = counts + np.cumsum(more, axis=0)
        return counts

    def single_values(self) -> tuple[Ints, Floats, Floats, Floats, Floats] | None:
        """[k] of the updates of one visit to each child: how many, least, greatest value, sum, sum of squares; None
        where these depend on the order."""
        if self._tree.ordered is not None:
            return None
        tree, value = self._tree, self._value[:-1].T
        counts = tree.counts(self._begin, self._end, self._t)
        n, least = (
            counts.sum(axis=0),
            np.where(counts > 0, value, np.inf).min(axis=0, initial=np.inf),
        )
        greatest = np.where(counts > 0, value, -np.inf).max(axis=0, initial=-np.inf)
        total, squares = (counts * value).sum(axis=0), (counts * value**2).sum(axis=0)
        for child, rows in enumerate(self._kept[:-1]):
            more = tree.kept_value[rows[(tree.kept_visits[rows] == 1) & (tree.kept_when[rows] > 0)]]
            n[child] += len(more)
            least[child] = more.min(initial=least[child])
            greatest[child] = more.max(initial=greatest[child])
            total[child] += more.sum()
            squares[child] += (more**2).sum()
        return n, least, greatest, total, squares

    def value_range(self) -> tuple[Floats, Floats]:
        """[k + 1] the least and the greatest value of a plain visit, or 0."""
        return self._value.min(axis=1, initial=0.0), self._value.max(axis=1, initial=0.0)
