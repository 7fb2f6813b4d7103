"""The way up from a node, as an iteration came down it.

In a tree it leads over the parents. Where nodes are shared, a further way to a node has a row of its own, `same_as`
that node, and the updates of an iteration show which way it took. Knows columns, no trace.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mcts_viz.types import Bools, Ints, Wholes


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
    ) -> None:
        self._parent, self._offset = parent, offset
        self.are_plain = same_as is None  # every way up is that over the parents
        if same_as is None:
            return
        self._same_as = same_as
        rows = np.flatnonzero(same_as[updated] >= 0)
        iteration = np.searchsorted(offset, rows, side="right")
        key = self._key(iteration, same_as[updated[rows]])
        order = np.lexsort((rows, key))
        self._keys, self._rows = key[order], rows[order]
        self._nodes = updated[rows[order]].astype(np.int64)

    def _key(self, iteration: Wholes, node: Wholes) -> Ints:
        return np.asarray(iteration, np.int64) * len(self._parent) + node

    def begin(self, iteration: Wholes, leaf: Ints) -> Ints:
        """What `above` is given first, for the leaves of these iterations."""
        row = self._offset[np.asarray(iteration)].astype(np.int64)
        if self.are_plain or not len(self._keys):
            return row
        to = self._same_as[leaf].astype(np.int64)
        at, there = self._latest(iteration, to, row)
        return np.where(there & (self._nodes[at] == leaf), self._rows[at], row)

    def above(self, iteration: Wholes, node: Ints, row: Ints) -> tuple[Ints, Ints]:
        """[k] the node above each on the path of its iteration, −1 above the root, and what to give as `row` to go on
        from there."""
        parent = self._parent[node].astype(np.int64)
        if self.are_plain or not len(self._keys):
            return parent, row
        at, there = self._latest(iteration, parent, row)
        return np.where(there, self._nodes[at], parent), np.where(there, self._rows[at], row)

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
