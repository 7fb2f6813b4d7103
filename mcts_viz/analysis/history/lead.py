"""Which child of a node leads: the one that the final-move rule would play, at any moments of a search.

Knows no pictures; serves the root's timeline and the explanation of any node.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mcts_viz.formulas.final_move import (
    ahead_throughout,
    final_move_rule,
    leading_child,
    score_bounds,
)
from mcts_viz.trace.meta import TraceMeta
from mcts_viz.trace.snapshot import standing
from mcts_viz.trace.sums import Sums
from mcts_viz.types import Bools, Floats, Ints, Wholes

if TYPE_CHECKING:
    from mcts_viz.analysis.history.siblings import SiblingBlock
    from mcts_viz.trace.columns import Columns

NO_NODE = -1
LONG = (
    4_096  # iterations from which on it pays to ask first whether the lead can have changed at all
)


class Lead:
    """The rule of a trace, applied to the children of one node."""

    def __init__(
        self,
        columns: Columns,
        meta: TraceMeta,
        children: npt.NDArray[np.int32],
        node: int,
        n_iterations: int,
    ) -> None:
        """`children`: those of `node` after `n_iterations`; a trace may be growing meanwhile."""
        self.children = children  # [k]
        self._width = meta.value_width
        self._rule = final_move_rule(meta.policies.final_move.rule)
        self._proven: tuple[npt.NDArray[np.int8], Ints] | None = None
        if meta.has_solver and len(self.children):
            self._proven = _proven(columns, meta, node, self.children, n_iterations)

    def places(
        self,
        visits: npt.NDArray[np.int32],
        value_sum: Floats,
        iteration: Wholes,
    ) -> npt.NDArray[np.intp]:
        """[P] place among the children of the one that would be played, -1 for none, from the
        children's statistics [P, k] after each iteration [P]."""
        known = None
        if self._proven is not None:
            result, since = self._proven
            known = np.where(iteration[:, None] >= since, result, 0).astype(np.int8)
        return leading_child(self._rule, visits, value_sum, self._width, known)

    def throughout(
        self,
        courses: Sequence[tuple[npt.NDArray[np.int32], Floats]],
    ) -> int | None:
        """Place of the child that would be played all the while, from the states (visits, value
        sums) that each child was in; None where that takes a closer look, see `places`."""
        if self._proven is not None:
            return None
        return ahead_throughout(self._rule, courses, self._width)

    def settled(self, ends: Ints, sums: Sums, value_range: tuple[Floats, Floats]) -> Bools:
        """[W] whether the same child would be played all the while between each of these iterations [W + 1] and the
        next, by statistics of the children, and of one more node, at them [W + 1, k + 1], where each update adds a
        visit and a value in a range [k + 1] with 0 in it, or some at once; NaN: who knows what they add. False: it may
        change."""
        visits, value_sum = sums.visits[:, :-1], sums.value_sum[:, :-1]
        n, (low, high) = np.diff(visits, axis=0), value_range
        least, greatest = score_bounds(
            self._rule, (visits[:-1], visits[1:]),
            (value_sum[:-1] + n * low[:-1], value_sum[:-1] + n * high[:-1]),
            self._width,
        )  # fmt: skip
        first = least.argmax(axis=1)
        rows = np.arange(len(first))
        greatest[rows, first] = -np.inf
        found: Bools = least[rows, first] > greatest.max(axis=1)
        found &= not np.isnan(low).any()
        if self._proven is not None:
            result, since = self._proven
            found &= ends[1:] < since[result != 0].min(initial=np.iinfo(np.int64).max)
        return found

    def changes(self, block: SiblingBlock, leader: int) -> tuple[Ints, npt.NDArray[np.intp]]:
        """[C] the iterations of a block after which another child leads than before, and [C] the
        place of each, −1 for none; `leader` is the place of the one that led before the block."""
        found = [(np.zeros(0, np.int64), np.zeros(0, np.intp))]
        if self._stays(block, block.first, block.last, leader):
            return found[0]
        for first in range(block.first, block.last + 1, LONG):
            last = min(first + LONG - 1, block.last)
            if self._stays(block, first, last, leader):
                continue
            iteration = np.arange(first, last + 1)
            after = block.after(iteration)
            places = self.places(after.visits.T, after.value_sum.T, iteration)
            changed = np.flatnonzero(places != np.concatenate(([leader], places[:-1])))
            found.append((iteration[changed], places[changed]))
            leader = int(places[-1])
        at, places = (np.concatenate(part) for part in zip(*found))
        return at, places

    def _stays(self, block: SiblingBlock, first: int, last: int, leader: int) -> bool:
        """Whether the one at that place is seen to lead all the while, without a look at each iteration."""
        if last - first < LONG - 1:
            return False
        return self.throughout(block.courses(first, last)) == leader

    def nodes(
        self,
        visits: npt.NDArray[np.int32],
        value_sum: Floats,
        iteration: Wholes,
    ) -> npt.NDArray[np.int32]:
        """[P] as `places`, as node ids."""
        place = self.places(visits, value_sum, iteration)
        if len(self.children) == 0:
            return np.full(len(place), NO_NODE, np.int32)
        return np.where(place < 0, NO_NODE, self.children[place]).astype(np.int32)


def _proven(
    columns: Columns,
    meta: TraceMeta,
    node: int,
    children: npt.NDArray[np.int32],
    n_iterations: int,
) -> tuple[npt.NDArray[np.int8], Ints]:
    """[k] what a solver has proven of each child in the end, and from which iteration on."""
    result = standing(
        columns.proven_by(n_iterations)[children],
        np.full(len(children), columns.nodes.to_move[node], np.int8),
        meta.reward_range,
    )
    since = columns.nodes.born[children].astype(np.int64)  # finished games: at once
    ours = np.flatnonzero(np.isin(columns.proven.node, children))
    at = dict(zip(columns.proven.node[ours].tolist(), columns.proven.at[ours].tolist()))
    for place, child in enumerate(children.tolist()):
        since[place] = at.get(child, since[place])
    return result, since
