"""The way up from a node, as an iteration came down it.

In a tree it leads over the parents. Where nodes are shared, a further way to a node has a row of its own, `same_as`
that node, and the updates of an iteration show which way it took. Knows columns, no trace.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mcts_viz.types import Bools, Ints, Wholes


class TakenWays(NamedTuple):
    """The further ways that iterations took, R of them, by iteration, then by the node they lead to, then in order."""

    keys: Ints  # [R] iteration · N + node
    rows: Wholes  # [R] of their updates


def taken_ways(
    same_as: npt.NDArray[np.int32],
    offset: Wholes,
    updated: npt.NDArray[np.int32],
    n_nodes: int,
    some: slice,
) -> TakenWays:
    """Those of some neighbouring updates, see `Paths`."""
    to = same_as[updated[some]]
    places = np.flatnonzero(to >= 0)
    rows = places + some.start
    key = _key(np.searchsorted(offset, rows, side="right"), to[places], n_nodes)
    order = np.lexsort((rows, key))
    return TakenWays(key[order], rows[order])


def _key(iteration: Wholes, node: Wholes, n_nodes: int) -> Ints:
    return np.asarray(iteration, np.int64) * n_nodes + node


class Paths:
    """Of T iterations over N nodes.

    parent: [N]. same_as: [≥ N] None: no node is shared. offset: [T + 1] of the updates. updated: [U] their nodes.
    """

    def __init__(
        self,
        parent: npt.NDArray[np.int32],
        same_as: npt.NDArray[np.int32] | None,
        offset: Wholes,
        updated: npt.NDArray[np.int32],
        taken: TakenWays | None = None,
    ) -> None:
        """taken: by all iterations, where that is known already."""
        self._parent, self._offset, self._updated = parent, offset, updated
        self.are_plain = same_as is None  # every way up is that over the parents
        if same_as is None:
            return
        self._same_as = same_as
        if taken is None:
            taken = taken_ways(same_as, offset, updated, len(parent), slice(0, len(updated)))
        self._keys, self._rows = taken

    def _key(self, iteration: Wholes, node: Wholes) -> Ints:
        return _key(iteration, node, len(self._parent))

    def begin(self, iteration: Wholes, leaf: Ints) -> Ints:
        """What `above` is given first, for the leaves of these iterations."""
        row = self._offset[np.asarray(iteration)].astype(np.int64)
        if self.are_plain or not len(self._keys):
            return row
        to = self._same_as[leaf].astype(np.int64)
        at, there = self._latest(iteration, to, row)
        return np.where(there & (self._updated[self._rows[at]] == leaf), self._rows[at], row)

    def above(self, iteration: Wholes, node: Ints, row: Ints) -> tuple[Ints, Ints]:
        """[k] the node above each on the path of its iteration, −1 above the root, and what to give as `row` to go on
        from there."""
        parent = self._parent[node].astype(np.int64)
        if self.are_plain or not len(self._keys):
            return parent, row
        at, there = self._latest(iteration, parent, row)
        further = self._rows[at].astype(np.int64)
        way = self._updated[further].astype(np.int64)
        return np.where(there, way, parent), np.where(there, further, row)

    def _latest(self, iteration: Wholes, node: Ints, row: Ints) -> tuple[Ints, Bools]:
        """[k] place of the last further way to a node that the iteration took before the row, and whether there is
        one: a path comes down, so what is above was updated before."""
        wanted = self._key(iteration, node)
        at = np.searchsorted(self._keys, wanted, side="right") - 1
        while True:
            there = (at >= 0) & (node >= 0) & (self._keys[at] == wanted)
            late = there & (self._rows[at] >= row)
            if not late.any():
                return at, there
            at -= late

    def leads_to(self, way: Ints) -> Ints:
        """[k] the node that each way leads to: itself, but for further ways."""
        same = way if self.are_plain else self._same_as[way].astype(np.int64)
        return np.where((way >= 0) & (same >= 0), same, way)

    def path(self, iteration: int, leaf: int) -> list[int]:
        """Ids from the root to the leaf."""
        at, when = np.array([leaf], np.int64), np.array([iteration])
        row, path = self.begin(when, at), [leaf]
        while path[-1] != 0:
            at, row = self.above(when, at, row)
            path.append(int(at[0]))
        return path[::-1]
