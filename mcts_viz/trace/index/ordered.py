"""Sums of values that depend on their order, as those of networks do: added one by one, as the search did, from the
nearest knot on. So they are the search's own, to the last bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from mcts_viz.trace.format import Rows
from mcts_viz.trace.index.layout import IndexFile
from mcts_viz.trace.index.loops import USUAL_DEPTH, add_in_order, run
from mcts_viz.trace.index.plain import MOST_CODES, NotCoveredError
from mcts_viz.trace.sums import GameResults, Sums
from mcts_viz.types import Bools, Floats, Ints, Numbers, Wholes

NO_OUTCOME = int(np.array([np.nan], np.float32).view(np.int32)[0])  # bits
SCANNED = 8  # one in so many iterations, from which on all are looked at
MOST_SIZES = 3  # of outcomes, that are told apart


class OrderedWorth:
    """What iterations are worth where each has a value of its own: a code for each of few outcomes, and none where
    there are more."""

    def __init__(
        self, code: npt.NDArray[np.uint8], worth: tuple[Floats, Floats], outcome: Numbers
    ) -> None:
        """Columns of all iterations, to be filled."""
        self._code, self._worth, self._outcome = code, worth, outcome
        self._bits: list[int] = []  # of the outcomes that have a code
        self.has_codes = True  # no more outcomes than there are codes

    def take(self, t: int, rows: Rows, plain: Bools, first: Floats, second: Floats) -> None:
        """The rows that follow t iterations. Raises NotCoveredError for one that keeps its updates."""
        if not plain.all():
            raise NotCoveredError(
                "its values depend on their order, and some iterations add more than one visit up the path"
            )
        there = slice(t, t + rows.n)
        self._worth[0][there], self._worth[1][there] = np.nan_to_num(first), np.nan_to_num(second)
        self._outcome[there] = rows.outcome
        if not self.has_codes:
            return
        bits, place = np.unique(rows.outcome.view(np.int32), return_inverse=True)
        self._bits += [each for each in bits.tolist() if each not in self._bits]
        if len(self._bits) > MOST_CODES:
            self.has_codes = False
            self._code[:t] = 0
            return
        numbers = [self._bits.index(each) for each in bits.tolist()]
        self._code[there] = np.array(numbers, np.uint8)[place]

    @property
    def outcomes(self) -> npt.NDArray[np.float32]:
        """[C] by code; nan where iterations with one have different ones."""
        bits = self._bits if self.has_codes else [NO_OUTCOME]
        return np.array(bits, np.int32).view(np.float32)


class Placed(Protocol):
    """A tree whose iterations are sorted by the place of their leaf, see `TreeIndex`."""

    n_iterations: int
    knot: int
    leaf: npt.NDArray[np.int32]
    when: npt.NDArray[np.int32]
    parent: npt.NDArray[np.int32]
    size: npt.NDArray[np.int32]
    first: npt.NDArray[np.int32]

    def side(self, nodes: Wholes) -> npt.NDArray[np.int8]:
        """[k] whose view their values are in."""

    def leaves(self, after: int, until: int) -> npt.NDArray[np.int32]:
        """[until − after] places of leaves."""

    def through(
        self, node: int, after: int, until: int
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.uint8]]:
        """The iterations through a node, rising, and their codes."""


class OrderedSums:
    """Of the nodes of a tree whose iterations each have a value of their own."""

    def __init__(self, tree: Placed, file: IndexFile) -> None:
        self._tree = tree
        self._worth: tuple[Floats, Floats] = file["worth_0"], file["worth_1"]  # [T] by side
        self.outcome: npt.NDArray[np.float32] = file["outcome"]  # [T]
        self.has_codes = bool(file.about["has_codes"])  # outcomes are few, and tell codes apart
        self._large = file["large"]  # [L] places
        n_knots = tree.n_iterations // tree.knot + 1
        self._knot_sums = file["knot_sums"].reshape(n_knots, len(self._large))
        self._sizes: dict[float, list[int]] = {}  # by draw: see `are_results`

    def of(self, side: Wholes | int, when: Wholes) -> Floats:
        """[k] what iterations added to nodes of a side, or each to one of its own."""
        at = np.asarray(when, np.int64) - 1
        if isinstance(side, int):
            return self._worth[side][at]
        return np.where(np.asarray(side) == 1, self._worth[1][at], self._worth[0][at])

    def sums(self, spans: Sequence[Sequence[Sequence[int]]], side: Wholes, t: int) -> Floats:
        """[k] the sums of the values of the iterations up to t whose leaves lie in some ranges of places, [begin, end]
        each."""
        sides = np.asarray(side).tolist()
        return np.array(
            [self._sum(each, which, t) for each, which in zip(spans, sides)], np.float64
        )

    def _sum(self, spans: Sequence[Sequence[int]], side: int, t: int) -> float:
        known, after = 0.0, 0
        if len(spans) == 1:
            begin, end = spans[0]
            at = int(np.searchsorted(self._large, begin))
            is_node = int(self._tree.size[begin]) == end - begin
            if is_node and at < len(self._large) and int(self._large[at]) == begin:
                knot = min(t // self._tree.knot, len(self._knot_sums) - 1)
                known, after = float(self._knot_sums[knot, at]), knot * self._tree.knot
        when = self._through(spans, after, t)
        # one after the other: numpy's own sum adds in pairs
        return float(np.cumsum(np.append(known, self._worth[side][when - 1]))[-1])

    def _through(self, spans: Sequence[Sequence[int]], after: int, until: int) -> Ints:
        """The iterations from after + 1 to until whose leaves lie in these ranges, rising."""
        tree = self._tree
        rows = [(int(tree.first[begin]), int(tree.first[end])) for begin, end in spans]
        if SCANNED * sum(b - a for a, b in rows) > until - after:
            leaf = tree.leaves(after, until)
            there = np.zeros(len(leaf), np.bool_)
            for begin, end in spans:
                there |= (leaf >= begin) & (leaf < end)
            return np.flatnonzero(there) + (after + 1)
        when = np.concatenate([tree.when[a:b] for a, b in rows]).astype(np.int64)
        return np.sort(when[(when > after) & (when <= until)])

    def whole(self, found: Sums, t: int) -> None:
        """Set the sums of values of the first nodes after iteration t."""
        worth = [each[:t] for each in self._worth]
        self._add(worth, found.value_sum)
        if found.square_sum is not None:
            self._add([each**2 for each in worth], found.square_sum)

    def _add(self, worth: Sequence[Floats], into: Floats) -> None:
        tree, t, nodes = self._tree, len(worth[0]), np.arange(len(into), dtype=np.int32)
        sums = np.zeros((2, len(into)))
        run(
            add_in_order, tree.leaf[:t], *worth, tree.parent, tree.side(nodes), nodes, t, sums,
            each=USUAL_DEPTH,
        )  # fmt: skip
        into[:] = sums[1]

    def are_results(self, t: int, draw: float) -> bool:
        """Whether the outcomes up to t are a win, a draw and a loss."""
        first = self._sizes.get(draw)
        if first is None:
            known = np.flatnonzero(~np.isnan(self.outcome))
            sizes = np.abs(self.outcome[known] - np.float32(draw))
            first, left = [], np.arange(len(known))
            while len(left) and len(first) < MOST_SIZES:
                first.append(int(known[left[0]]) + 1)
                left = left[sizes[left] != sizes[left[0]]]
            self._sizes[draw] = first  # whole: others may ask meanwhile
        return 0 < sum(each <= t for each in first) <= 2

    def results(self, nodes: Wholes, mover: Numbers, t: int, draw: float) -> GameResults:
        """As `ResultCounts.at`, of outcomes that are not told apart by codes."""
        found = np.zeros((3, len(nodes)), np.int64)
        for at, node in enumerate(np.asarray(nodes).tolist()):
            when = self._tree.through(node, 0, t)[0].astype(np.int64)
            signs = np.sign(self.outcome[when - 1] - draw)
            found[:, at] = [(signs == sign).sum() for sign in (-1, 0, 1)]
        losses, draws, wins = found
        second = np.asarray(mover) == 1
        return GameResults(np.where(second, losses, wins), draws, np.where(second, wins, losses))
