"""The children of one node through time: their statistics at any moments of a search, in one pass.

The recorded updates are added in their order, so the sums are the search's own; beside two bytes an iteration, memory
is that of one block, however long the search.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from mcts_viz.analysis.origin.branches import branches
from mcts_viz.trace.index.family import NodeFamily
from mcts_viz.trace.index.told_family import ToldFamily
from mcts_viz.trace.statistics import WantedNodes, node_states
from mcts_viz.trace.sums import NodeStates, Sums
from mcts_viz.trace.trace import Trace
from mcts_viz.types import Bools, Floats, Ints, Wholes, signed_type

# as `Lead.settled`
Settled: TypeAlias = Callable[[Ints, Sums, tuple[Floats, Floats]], Bools]
BLOCK = 1 << 15  # iterations
NOT_TAKEN = -1
MOST_BY_STEPS = (
    1 << 20
)  # selections of which every so-many-th one is looked at; of more it is a few runs
RUNS = 32


class Sample(NamedTuple):
    """The L selections that are looked at, of S in all."""

    total: int  # S
    place: Ints  # [L] among all selections, rising
    iteration: Ints  # [L]
    taken: Ints  # [L] place of the child


def looked_at(n: int, most: int) -> Ints:
    """[L] which of n selections are looked at: all, or, of more than `most`, every other one, every third one …; of
    very many, neighbours in runs evenly apart, so that a long search need not be looked at everywhere."""
    if n <= MOST_BY_STEPS:
        return np.arange(0, n, max(1, -(-n // most)))
    length = max(1, most // RUNS)
    return (np.arange(RUNS)[:, None] * n // RUNS + np.arange(length)).ravel()


class Selected(NamedTuple):
    """How often one of k children was selected, and from when on it got less than half of an equal share."""

    n: int
    last: int | None  # iteration
    starved_from: int | None  # place among all selections, see `starvation`
    starved_since: int | None  # the iteration of that one
    n_since: int  # how often from there on; where it was never starved, in all

    @staticmethod
    def of(when: Ints, mine: Bools, k: int) -> Selected:
        """The counts of a child, from the iterations of all selections, and which of them were its own."""
        n, start = int(mine.sum()), starvation(mine, k)
        return Selected(
            n, int(when[mine][-1]) if n else None, start,
            None if start is None else int(when[start]), int(mine[start or 0 :].sum()),
        )  # fmt: skip


def starvation(taken: Bools, k: int, n_after: int = 0, taken_after: int = 0) -> int | None:
    """Index of the first of S selections from which on one of k children, taken or not in each, got
    less than half of an equal share, which is 1/k; None where there is none that leaves 2k or more. After these come
    `n_after` others."""
    n_left = np.arange(len(taken), 0, -1) + n_after
    taken_left = np.cumsum(taken[::-1])[::-1] + taken_after
    starved = np.flatnonzero((2 * k * taken_left < n_left) & (n_left >= 2 * k))
    return int(starved[0]) if len(starved) else None


class SiblingStatistics(NamedTuple):
    """The statistics of k children at P moments."""

    visits: npt.NDArray[np.int32]  # [k, P]
    value_sum: Floats  # [k, P] view of the player who moves at the node
    square_sum: Floats  # [k, P]
    parent_visits: npt.NDArray[np.int32]  # [P]
    parent_sum: Floats  # [P] view of the player who moved into the node


class SiblingBlock(NamedTuple):
    """Iterations `first` to `last`."""

    first: int
    last: int
    children: list[NodeStates]  # k
    parent: NodeStates

    def courses(self, first: int, last: int) -> list[tuple[npt.NDArray[np.int32], Floats]]:
        """[k] the states (visits, value sums) that each child was in from just before iteration `first` to `last`."""
        found = []
        for states in self.children:
            begin, end = states.row_at(np.array([first - 1, last])).tolist()
            found.append((states.visits[begin : end + 1], states.value_sum[begin : end + 1]))
        return found

    def after(self, iteration: Ints) -> SiblingStatistics:
        """The statistics after each of these iterations, from `first` − 1 on, rising."""
        rows = [states.row_at(iteration) for states in self.children]
        shape = (len(rows), len(iteration))
        visits, values, squares = np.empty(shape, np.int32), np.empty(shape), np.empty(shape)
        for place, (row, states) in enumerate(zip(rows, self.children)):
            visits[place] = states.visits[row]
            values[place] = states.value_sum[row]
            squares[place] = states.square_sum[row]
        above = self.parent.row_at(iteration)
        return SiblingStatistics(
            visits, values, squares, self.parent.visits[above], self.parent.value_sum[above]
        )


class Siblings:
    """The children of a node among those there are after iteration t; k of them."""

    def __init__(self, trace: Trace, node: int, t: int, squares: bool = False) -> None:
        columns = trace.columns
        self._columns, self._node, self._t, self._squares = columns, node, t, squares
        n_nodes = int(columns.node_count[t])
        self.children = trace.topology.children(node, n_nodes)  # [k]
        self.born = columns.nodes.born[self.children].astype(np.int64)  # [k]
        self._family = WantedNodes([*self.children.tolist(), node])

    @functools.cached_property
    def _indexed(self) -> NodeFamily | ToldFamily | None:
        """The siblings, in a trace with an index, where it helps."""
        columns, family = self._columns, (self._node, self.children, self._t)
        if columns.index is not None:
            return NodeFamily(columns.index, *family)
        if columns.told is None or columns.tree is None or not columns.paths.are_plain:
            return None
        told = ToldFamily(columns.told, columns.tree, *family)
        return told if told.knows_windows else None

    @functools.cached_property
    def selections(self) -> tuple[Ints, Wholes]:
        """[S] the iterations in which a child that was there already was selected, and [S] the place
        of that child."""
        columns, n_nodes = self._columns, int(self._columns.node_count[self._t])
        indexed = self._indexed
        if indexed is not None and indexed.is_sorted:
            return self._chosen(indexed, 0, self._t)
        if columns.tree is not None and columns.paths.are_plain:
            through = columns.tree.branches(self._node, self.children, self._t)
        elif columns.paths.are_plain:
            through = self._branches(columns.nodes.parent[:n_nodes])[columns.leaf[: self._t]]  # [t]
        else:  # where nodes are shared, an iteration may come to its leaf by another way than the leaf's own
            place = np.full(n_nodes + 1, NOT_TAKEN, np.int64)
            place[self.children] = np.arange(len(self.children))
            through = place[branches(columns, self._node, np.arange(1, self._t + 1))]
        made = np.flatnonzero(self.born > 0)  # by a selection that is none among what was there
        made = made[through[self.born[made] - 1] == made]
        through[self.born[made] - 1] = NOT_TAKEN
        at = np.flatnonzero(through >= 0)
        return at + 1, through[at]

    def single_visits(self) -> Iterator[tuple[int, Floats]] | None:
        """What single visits to children added, in their order, some at a time: place of the child, and values; None
        where all blocks are looked at, which have them."""
        return self._indexed.single_visits() if isinstance(self._indexed, ToldFamily) else None

    def values(self) -> tuple[Ints, Floats, Floats, Floats, Floats] | None:
        """Number, least and greatest value, sum and sum of squares of each child's updates of one visit, [k] each; None
        where that takes a look at each."""
        return None if self._indexed is None else self._indexed.single_values()

    def selected(self, child: int) -> Selected:
        """How often a child was selected, and from which iteration on too rarely."""
        indexed = self._indexed
        if indexed is None or not indexed.knows_windows:
            when, taken = self.selections
            return Selected.of(when, taken == child, len(self.children))
        before = indexed.taken_before(self._made)
        return self._selected_by_windows(indexed, child, before[:, child], before.sum(axis=1))

    def _selected_by_windows(
        self, indexed: NodeFamily | ToldFamily, child: int, mine: Ints, all_: Ints
    ) -> Selected:
        """mine, all_: [W + 1] selections up to the end of each window of the child and of all."""
        k, total, taken = len(self.children), int(all_[-1]), int(mine[-1])
        last = None
        if taken:
            window = int(np.searchsorted(mine, taken)) - 1
            when, which = self._chosen(indexed, *indexed.ends[window : window + 2].tolist())
            last = int(when[which == child][-1])
        # how much is missing rises by 1 with each selection of another child, and falls with each of this one
        missing = (total - all_) - 2 * k * (taken - mine)
        may = missing[:-1] + (2 * k - 1) * np.diff(mine) > 0
        for window in np.flatnonzero(may & (total - all_[:-1] >= 2 * k)).tolist():
            when, which = self._chosen(indexed, *indexed.ends[window : window + 2].tolist())
            is_mine = which == child
            found = starvation(
                is_mine, k, total - int(all_[window + 1]), taken - int(mine[window + 1])
            )
            if found is not None:
                start = int(all_[window]) + found
                return Selected(
                    taken,
                    last,
                    start,
                    int(when[found]),
                    taken - int(mine[window]) - int(is_mine[:found].sum()),
                )
        return Selected(taken, last, None, None, taken)

    @functools.cached_property
    def _made(self) -> Ints:
        """[k] the iteration that made each child on its way, 0: none."""
        assert self._indexed is not None
        made = np.zeros(len(self.children), np.int64)
        for child, born in enumerate(self.born.tolist()):
            if born and child in self._indexed.taken(born - 1, born)[1]:
                made[child] = born
        return made

    def _chosen(
        self, indexed: NodeFamily | ToldFamily, after: int, until: int
    ) -> tuple[Ints, Wholes]:
        """The selections in iterations after + 1 to until, by the index."""
        when, taken = indexed.taken(after, until)
        ours: Bools = self.born[taken] != when
        return when[ours], taken[ours]

    def sample(self, most: int) -> Sample:
        """The selections that are looked at, where `most` are."""
        indexed = self._indexed
        if indexed is None or not indexed.knows_windows:
            at, taken = self.selections
            place = looked_at(len(at), most)
            return Sample(len(at), place, at[place], taken[place].astype(np.int64))
        before = indexed.taken_before(self._made).sum(axis=1)
        place = looked_at(int(before[-1]), most)
        found = [(np.zeros(0, np.int64), np.zeros(0, np.int64))]
        window = np.searchsorted(before, place, side="right") - 1
        for each in np.unique(window).tolist():
            at, taken = self._chosen(indexed, *indexed.ends[each : each + 2].tolist())
            rows = place[window == each] - before[each]
            found.append((at[rows], taken[rows]))
        return Sample(int(before[-1]), place, *(np.concatenate(part) for part in zip(*found)))

    def _branches(self, parent: npt.NDArray[np.int32]) -> Wholes:
        """[N] place of the child below or at which each node lies, NOT_TAKEN for one elsewhere, by
        pointer jumping."""
        place = np.full(len(parent), NOT_TAKEN, signed_type(len(self.children)))
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

    def blocks(
        self,
        after: SiblingBlock | None = None,
        settled: Settled | None = None,
        moments: Ints | None = None,
    ) -> Iterator[SiblingBlock]:
        """All of them, from iteration 1 to t, after one for what was inherited: iteration 0. Or those
        `after` the last one of the same node at an earlier t. settled: says of stretches of a long trace in which
        another child may come to lead; then only these, and those in which one of the moments lies (rising, few runs of
        neighbours)."""
        states = [NodeStates.none()] * (len(self.children) + 1)
        begin = 0
        if after is not None:
            begin = after.last + 1
            states[: len(after.children)] = after.children  # later ones stand behind them
            states[-1] = after.parent
        for first, last in self._stretches(begin, settled, moments):
            if first != begin:
                assert self._indexed is not None
                states = self._indexed.before(first - 1)
            begin = first
            while begin <= last:
                end = min(begin + BLOCK - 1, last) if begin else 0
                states = self._states(begin - 1, end, states)
                yield SiblingBlock(begin, end, states[:-1], states[-1])
                begin = end + 1

    def _states(self, after: int, until: int, before: list[NodeStates]) -> list[NodeStates]:
        if self._indexed is not None:
            return self._indexed.states(after, until, before, self._squares)
        return node_states(self._columns, self._family, after, until, before, self._squares)

    def _stretches(
        self, begin: int, settled: Settled | None, moments: Ints | None
    ) -> Iterator[tuple[int, int]]:
        """First and last iteration of each stretch that is to be looked at, from `begin` on."""
        indexed = self._indexed
        if (
            settled is None
            or not len(self.children)
            or indexed is None
            or not indexed.knows_windows
        ):
            yield begin, self._t
            return
        if begin == 0:
            yield 0, 0
        ends = indexed.ends
        is_settled = settled(ends, indexed.sums_at_ends(), indexed.value_range())
        when = np.zeros(0, np.int64) if moments is None else moments
        for window, (after, last) in enumerate(zip(ends[:-1].tolist(), ends[1:].tolist())):
            first = max(after + 1, begin)
            if not is_settled[window]:
                if first <= last:
                    yield first, last
                continue
            mine = when[slice(*np.searchsorted(when, [first, last + 1]))]
            if len(mine):
                yield int(mine[0]), int(mine[-1])
