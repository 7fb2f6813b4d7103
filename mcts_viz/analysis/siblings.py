"""The children of one node through time: their statistics at any moments of a search, in one pass.

The recorded updates are added in their order, so the sums are the search's own; beside two bytes an iteration, memory
is that of one block, however long the search.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mcts_viz.trace.trace import Trace

BLOCK = 1 << 15  # iterations
NOT_TAKEN = -1
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


class States(NamedTuple):
    """One node's states in a block: before it, and after each of its m updates."""

    iteration: npt.NDArray[np.int32]  # [m] of the updates
    visits: npt.NDArray[np.int32]  # [m + 1]
    value_sum: Floats  # [m + 1]
    square_sum: Floats  # [m + 1] of the updates' values; zeros unless asked for
    update_visits: npt.NDArray[np.int32]  # [m]
    update_value: Floats  # [m]


class Statistics(NamedTuple):
    """Of k children at P moments."""

    visits: npt.NDArray[np.int32]  # [k, P]
    value_sum: Floats  # [k, P] view of the player who moves at the node
    square_sum: Floats  # [k, P]
    parent_visits: npt.NDArray[np.int32]  # [P]


class Block(NamedTuple):
    """Iterations `first` to `last`."""

    first: int
    last: int
    children: list[States]  # k
    parent: States

    def after(self, iteration: Ints) -> Statistics:
        """The statistics after each of these iterations, from `first` − 1 on, rising."""
        rows = [np.searchsorted(s.iteration, iteration, side="right") for s in self.children]
        shape = (len(rows), len(iteration))
        visits, values, squares = np.empty(shape, np.int32), np.empty(shape), np.empty(shape)
        for place, (row, states) in enumerate(zip(rows, self.children)):
            visits[place] = states.visits[row]
            values[place] = states.value_sum[row]
            squares[place] = states.square_sum[row]
        row = np.searchsorted(self.parent.iteration, iteration, side="right")
        return Statistics(visits, values, squares, self.parent.visits[row])


class Siblings:
    """The children of a node among those there are after iteration t; k of them."""

    def __init__(self, trace: Trace, node: int, t: int, squares: bool = False) -> None:
        columns = trace.columns
        self._columns, self._t, self._squares = columns, t, squares
        n_nodes = int(columns.node_count[t])
        self.children = trace.topology.children(node, n_nodes)  # [k]
        self.born = columns.born[self.children].astype(np.int64)  # [k]
        k = len(self.children)
        # 0 … k − 1 the children, k the node itself, k + 1 anything else
        kind = np.uint8 if k + 1 < 256 else np.int16  # the former is sorted in half the time
        self._place = np.full(1 + max([node, *self.children.tolist()]), k + 1, kind)
        self._place[node] = k
        self._place[self.children] = np.arange(k)

    @functools.cached_property
    def selections(self) -> tuple[Ints, npt.NDArray[np.int16]]:
        """[S] the iterations in which a child that was there already was selected, and [S] the place
        of that child."""
        columns, n_nodes = self._columns, int(self._columns.node_count[self._t])
        through = self._branches(columns.parent[:n_nodes])[columns.leaf[: self._t]]  # [t]
        made = np.flatnonzero(self.born > 0)  # by a selection that is none among what was there
        made = made[through[self.born[made] - 1] == made]
        through[self.born[made] - 1] = NOT_TAKEN
        at = np.flatnonzero(through >= 0)
        return at + 1, through[at]

    def _branches(self, parent: npt.NDArray[np.int32]) -> npt.NDArray[np.int16]:
        """[N] place of the child below or at which each node lies, NOT_TAKEN for one elsewhere, by
        pointer jumping."""
        place = np.full(len(parent), NOT_TAKEN, np.int16)
        if not len(self.children):
            return place
        place[self.children] = np.arange(len(self.children))
        above = parent.copy()
        above[0] = 0
        above[self.children] = self.children
        while True:
            further = above[above]
            if np.array_equal(further, above):
                return place[above]
            above = further

    def blocks(self, after: Block | None = None) -> Iterator[Block]:
        """All of them, from iteration 1 to t, after one for what was inherited: iteration 0. Or those
        `after` the last one of the same node at an earlier t."""
        nothing = np.zeros(0, np.int32)
        start = States(nothing, np.zeros(1, np.int32), np.zeros(1), np.zeros(1),
                       nothing, np.zeros(0))  # fmt: skip
        states = [start] * (len(self.children) + 1)
        begin = 0
        if after is not None:
            begin = after.last + 1
            states[: len(after.children)] = after.children  # those that came since are behind them
            states[-1] = after.parent
        while begin <= self._t:
            last = min(begin + BLOCK - 1, self._t) if begin else 0
            states = self._block(begin, last, states)
            yield Block(begin, last, states[:-1], states[-1])
            begin = last + 1

    def _block(self, first: int, last: int, before: list[States]) -> list[States]:
        columns = self._columns
        begin = int(columns.update_offset[first - 1]) if first else 0
        end = int(columns.update_offset[last])
        nodes = columns.update_node[begin:end]
        rows = np.flatnonzero(nodes < len(self._place))
        place = self._place[nodes[rows]]
        ours = place < len(before)
        if not ours.all():
            rows, place = rows[ours], place[ours]
        order = np.argsort(place, kind="stable")
        rows, place = rows[order], place[order]
        visits = columns.update_visits[begin:end][rows]
        value = columns.update_value[begin:end][rows]
        iteration = np.zeros(len(rows), np.int32)
        if first:
            counts = np.diff(columns.update_offset[first - 1 : last + 1])
            iteration = np.repeat(np.arange(first, last + 1, dtype=np.int32), counts)[rows]
        ends = np.searchsorted(place, np.arange(len(before) + 1, dtype=place.dtype))
        return [
            _continued(states, iteration[a:b], visits[a:b], value[a:b], self._squares)
            for states, a, b in zip(before, ends[:-1].tolist(), ends[1:].tolist())
        ]


def _continued(
    before: States,
    iteration: npt.NDArray[np.int32],
    visits: npt.NDArray[np.int32],
    value: Floats,
    squares: bool,
) -> States:
    square_sum = np.broadcast_to(before.square_sum[-1:], len(value) + 1)
    if squares:
        square_sum = np.cumsum(np.concatenate((before.square_sum[-1:], value * value)))
    return States(
        iteration,
        np.cumsum(np.concatenate((before.visits[-1:], visits)), dtype=np.int32),
        np.cumsum(np.concatenate((before.value_sum[-1:], value))),
        square_sum,
        visits,
        value,
    )
