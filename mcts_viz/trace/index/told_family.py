"""A node and its children through time, where the index of a long trace has all updates by node: their statistics at
any iteration, and which child each iteration took. So stretches in which nothing is to be seen need not be looked at.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from mcts_viz.trace.index.loops import count_branches, run
from mcts_viz.trace.index.shape import IndexedTree
from mcts_viz.trace.index.told import NodeUpdates
from mcts_viz.trace.sums import NodeStates, Sums
from mcts_viz.types import Floats, Ints

SORTED = 1 << 20  # updates of a node; where there are no more, all are looked at
WINDOWS = 1 << 10
MOST_SUMS = 1 << 18  # statistics of nodes at the ends of windows
ROUNDING = 1e-9  # relative; much more than sums of values can be off


class ToldFamily:
    """A node and k of its children, those there are after iteration t."""

    is_sorted = False

    def __init__(
        self, told: NodeUpdates, tree: IndexedTree, node: int, children: npt.NDArray[np.int32], t: int
    ) -> None:  # fmt: skip
        self._told, self._tree, self._t = told, tree, t
        self.nodes = np.append(children, node).astype(np.int64)  # [k + 1] the node is the last
        self._begin = tree.place[children]  # [k] places in preorder, rising
        self._end = self._begin + tree.size[self._begin]
        self._range: tuple[Floats, Floats] | None = None

    # ---- iterations

    @functools.cached_property
    def ends(self) -> Ints:
        """[W + 1] iterations 0, … t between which windows lie."""
        return np.unique(np.linspace(0, self._t, WINDOWS + 1).astype(np.int64))

    @property
    def knows_windows(self) -> bool:
        """Whether it pays to ask what is known at the ends of windows."""
        is_long = self._told.n_updates(int(self.nodes[-1]), self._t) > SORTED
        return is_long and len(self.ends) * len(self.nodes) <= MOST_SUMS

    def taken(self, after: int, until: int) -> tuple[Ints, Ints]:
        """The iterations from after + 1 to until whose leaf is at or below a child, rising, and its place."""
        leaf = self._tree.place[self._tree.leaf[after:until]]
        child = np.searchsorted(self._begin, leaf, side="right") - 1
        at = np.flatnonzero(child >= 0)
        at = at[leaf[at] < self._end[child[at]]]
        return at + (after + 1), child[at].astype(np.int64)

    @functools.cached_property
    def _branches(self) -> Ints:
        """[W + 1, k] iterations up to the end of each window whose leaf is at or below each child."""
        counts = np.zeros((len(self.ends), len(self._begin)), np.int64)
        run(
            count_branches, self._tree.leaf[: self._t], self._tree.place, self._begin, self._end,
            self.ends, counts,
        )  # fmt: skip
        return np.cumsum(counts, axis=0)

    def taken_before(self, made: Ints) -> Ints:
        """[W + 1, k] iterations up to the end of each window whose leaf is at or below each child, without those that
        made one: `made` holds these iterations by child, 0 for none."""
        less = np.zeros_like(self._branches)
        np.add.at(less, (np.searchsorted(self.ends, made[made > 0]), np.flatnonzero(made)), 1)
        return self._branches - np.cumsum(less, axis=0)

    # ---- statistics

    def states(
        self, after: int, until: int, before: Sequence[NodeStates], squares: bool
    ) -> list[NodeStates]:
        """Of the children and of the node in iterations after + 1 to until, as `node_states`."""
        return [
            self._told.states(node, after, until, earlier, squares)
            for node, earlier in zip(self.nodes.tolist(), before)
        ]

    def sums_at_ends(self) -> Sums:
        """[W + 1, k + 1] after the last iteration of each window, and before the first one."""
        shape = len(self.ends), len(self.nodes)
        nodes, when = np.tile(self.nodes, shape[0]), np.repeat(self.ends, shape[1])
        sums = self._told.sums_then(nodes, when)
        return Sums(sums.visits.reshape(shape), sums.value_sum.reshape(shape))

    def before(self, at: int) -> list[NodeStates]:
        """The states of children and node after an iteration, without their updates."""
        sums, none = self._told.sums(self.nodes, at, squares=True), NodeStates.none()
        visits, values, squares = sums.with_squares
        return [
            none._replace(
                visits=visits[i : i + 1].astype(np.int32),
                value_sum=values[i : i + 1],
                square_sum=squares[i : i + 1],
            )
            for i in range(len(self.nodes))
        ]

    def single_values(self) -> None:
        """What single visits added is not known without a look at each, see `single_visits`."""

    def single_visits(self) -> Iterator[tuple[int, Floats]]:
        """What the updates of one visit to each child added, in their order, some at a time: place of the child, and
        values. Takes note of the range of all updates."""
        least, greatest = np.zeros(len(self.nodes)), np.zeros(len(self.nodes))
        for place, node in enumerate(self.nodes[:-1].tolist()):
            for visits, value in self._told.pieces_of(node, self._t):
                single = value
                if visits is not None:
                    single = value[visits == 1]
                    with np.errstate(divide="ignore", invalid="ignore"):
                        value = np.where(visits > 0, value / visits, np.nan)
                least[place] = np.minimum(least[place], value.min(initial=0.0))
                greatest[place] = np.maximum(greatest[place], value.max(initial=0.0))
                yield place, single
        self._range = least, greatest

    def value_range(self) -> tuple[Floats, Floats]:
        """[k + 1] the least and the greatest value of a visit, or 0, and a little more, for sums are rounded; NaN where
        updates take visits away or add values alone; of the node itself 0."""
        if self._range is None:
            for _ in self.single_visits():
                pass
        assert self._range is not None
        least, greatest = self._range
        slack = ROUNDING * np.maximum(-least, greatest)
        return least - slack, greatest + slack
