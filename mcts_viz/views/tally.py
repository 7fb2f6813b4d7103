"""Sums of the recorded updates by item of a picture, at any iteration.

Added in the order in which the search added them, so they are the search's own, to the last bit.
"""

from __future__ import annotations

import bisect
import functools
import threading
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mcts_viz.trace.path_items import NO_ITEM, gather, levels, nearest_items
from mcts_viz.trace.path_loops import LOOPS, count_ends
from mcts_viz.trace.statistics import are_many
from mcts_viz.trace.sums import Sums
from mcts_viz.types import Floats, Ints, Numbers, Wholes

if TYPE_CHECKING:
    from mcts_viz.trace.columns import Columns
    from mcts_viz.trace.growing_updates import AlongPaths
    from mcts_viz.trace.index.told import SortedUpdates
    from mcts_viz.trace.index.tree import ItemRanges

KEYFRAME_EVERY = 1_024  # iterations
KEYFRAME_BYTES = 32 << 20  # at most, in one tally; beyond that keyframes get rarer
MOST_KEYFRAMES = 1_998  # likewise
AT_ONCE = 1 << 18  # sums that are worked out together


class Tally:
    """Sums of the updates by item, with keyframes, so that any iteration is a short way from a stored one."""

    def __init__(
        self,
        columns: Columns,
        item_of_node: npt.NDArray[np.int32],
        n_items: int,
        n_iterations: int,
        squares: bool = False,
        lasts: bool = False,
        every: int | None = None,
        recent: tuple[int, Sums] | None = None,
        tracked: Ints | None = None,
        item_parent: Wholes | None = None,
    ) -> None:
        """A tally of the first `n_iterations`: the trace may be growing meanwhile. With `squares`, `at` also
        gives the sums of the squares of values, with `lasts` the iteration of the last visit.

        Keyframes stand `every` so many iterations (KEYFRAME_EVERY), or twice, four times … as far
        apart, so that they are few enough. `recent`: an iteration and the sums after it. What comes
        later starts there, and the keyframes are not made until somebody asks for what was before. tracked:
        the nodes that have an item, rising. item_parent: [n_items] the item above each, which stands before it, −1:
        none; None: the first item is above all others.
        """
        self._tracked = tracked
        self._columns = columns
        self._item_of_node, self._n_items = item_of_node, n_items
        self._n_iterations = n_iterations
        self._item_parent = item_parent
        self._levels: tuple[Wholes, list[Ints]] | None = None  # of the items
        self._nearest: npt.NDArray[np.int32] | None = None  # [N] see `nearest_items`
        self._squares, self._lasts = squares, lasts
        self._recent = recent
        self._every = _spacing(
            every or KEYFRAME_EVERY, n_iterations, n_items * (12 + 8 * squares + 4 * lasts)
        )
        self._keyframes: list[Sums] = []  # after 0, every, 2 × every … iterations
        self._lock = threading.Lock()
        if recent is None:
            self._made_keyframes()

    def grown(
        self,
        item_of_node: npt.NDArray[np.int32],
        n_items: int,
        n_iterations: int,
        tracked: Ints | None = None,
    ) -> Tally:
        """The tally of more iterations of the same trace, at the cost of those alone. The items are
        the same, and behind them those of nodes that have come since; see `__init__`."""
        made = Tally.__new__(Tally)
        vars(made).update(vars(self))
        made._item_of_node, made._n_items, made._tracked = item_of_node, n_items, tracked
        made._n_iterations, made._recent, made._levels = n_iterations, None, None
        made._lock = threading.Lock()
        made._every = _spacing(
            self._every, n_iterations, n_items * (12 + 8 * self._squares + 4 * self._lasts)
        )
        made._keyframes = self._made_keyframes()[:: made._every // self._every]
        made._made_keyframes()
        return made

    @property
    def keyframes(self) -> Ints:
        """Iterations after which the sums are kept, the first and the last among them."""
        iteration = np.arange(0, self._n_iterations + 1, self._every, dtype=np.int64)
        if iteration[-1] == self._n_iterations:
            return iteration
        return np.append(iteration, self._n_iterations)

    def at_keyframes(self) -> Sums:
        """[P, M] the sums after each of the `keyframes`; visits and values alone."""
        kept = list(self._made_keyframes())
        if len(kept) < len(self.keyframes):
            kept.append(self.at(self._n_iterations))
        visits = np.zeros((len(kept), self._n_items), np.int32)
        value_sum = np.zeros(visits.shape, np.float64)
        # nearly all are of as many items as there are by now
        whole = bisect.bisect_left(kept, self._n_items, key=lambda totals: len(totals.visits))
        for row, totals in enumerate(kept[:whole]):
            visits[row, : len(totals.visits)] = totals.visits
            value_sum[row, : len(totals.visits)] = totals.value_sum
        if whole < len(kept):
            visits[whole:] = [totals.visits for totals in kept[whole:]]
            value_sum[whole:] = [totals.value_sum for totals in kept[whole:]]
        return Sums(visits, value_sum)

    def at(self, t: int) -> Sums:
        """The sums after iteration t."""
        if self._recent is not None and t >= self._recent[0]:
            start, totals = self._recent
        else:
            keyframes = self._made_keyframes()
            k = min(t // self._every, len(keyframes) - 1)
            start, totals = k * self._every, keyframes[k]
        totals = totals.of_more(self._n_items)
        self._add(totals, start, t)
        return totals

    def _made_keyframes(self) -> list[Sums]:
        """All keyframes; missing ones are made now."""
        with self._lock:
            kept = self._keyframes
            n = self._n_iterations // self._every + 1
            if not kept:
                kept.append(self._nothing())
            if len(kept) < n:
                self._add_along_paths(kept, n)
            if len(kept) < n:
                running = kept[-1].of_more(self._n_items)
                for k in range(len(kept), n):
                    self._add(running, (k - 1) * self._every, k * self._every)
                    kept.append(running.of_more(self._n_items))
            return kept

    def _add_along_paths(self, kept: list[Sums], n: int) -> None:
        """Make the missing ones of n keyframes, many at a time, where updates were left to be understood."""
        step = max(1, AT_ONCE // self._n_items)
        if are_many(self._columns, (len(kept) - 1) * self._every, (n - 1) * self._every):
            self._nearest_items()
        while len(kept) < n:
            first, end = len(kept), min(len(kept) + step, n)
            after, until = (first - 1) * self._every, (end - 1) * self._every
            more = self._along_paths(after, until, self._every)
            if more is None:
                return
            kept += _course(kept[-1].of_more(self._n_items), *more)

    def _nothing(self) -> Sums:
        """The sums before the first iteration: what was inherited."""
        totals = Sums.zeros(self._n_items, self._squares, self._lasts)
        self._add_rows(totals, 0, int(self._columns.updates.offset[0]))
        return totals

    def run(self, first: int, last: int) -> Sums:
        """[last - first + 1, M] the sums after each iteration of a run, for few items."""
        begin, end = self._columns.updates.offset[[first, last]].tolist()
        place, item, visits, value = touching(self._columns, self._item_of_node, begin, end)
        row = np.searchsorted(self._columns.updates.offset[first : last + 1], place, side="right")
        base = self.at(first)
        all_visits = np.zeros((last - first + 1, len(base.visits)), np.int32)
        all_value = np.zeros(all_visits.shape, np.float64)
        all_visits[0], all_value[0] = base.visits, base.value_sum
        np.add.at(all_visits, (row, item), visits)
        np.add.at(all_value, (row, item), value)
        return Sums(np.cumsum(all_visits, axis=0, dtype=np.int32), np.cumsum(all_value, axis=0))

    def _add(self, totals: Sums, after: int, until: int) -> None:
        """Add the updates of iterations after + 1 to until."""
        more = self._along_paths(after, until, until - after) if after < until else None
        if more is not None:
            _add_to(totals, *(each[0] for each in more))
            return
        offset = self._columns.updates.offset
        place, item = self._add_rows(totals, int(offset[after]), int(offset[until]))
        if totals.last_visit is not None:
            n_rows = np.diff(offset[after : until + 1])
            iteration = np.repeat(np.arange(after + 1, until + 1, dtype=np.int32), n_rows)
            totals.last_visit[item] = iteration[place - int(offset[after])]  # the last one stays

    def _along_paths(
        self, after: int, until: int, every: int
    ) -> tuple[Ints, Floats, npt.NDArray[np.int32]] | None:
        """[K, M] visits, values and last visits that each run of `every` iterations from after + 1 to until adds;
        None where their updates have to be looked at."""
        columns, m = self._columns, self._n_items
        if self._squares or (self._nearest is None and not are_many(columns, after, until)):
            return None
        along = columns.along_paths(after, until)
        if along is None or not columns.exact_sums:
            return None
        if self._levels is None:
            above = self._item_parent
            if above is None:
                above = np.where(np.arange(m) == 0, NO_ITEM, 0)
            self._levels = above, levels(above)
        shape = ((until - after) // every, m)
        last = np.zeros(shape if self._lasts else (shape[0], 0), np.int32)
        sums = self._ended(along, after, every, shape, last)
        if self._lasts:
            gather(last, *self._levels, np.maximum)
        gather(sums, *self._levels)
        visits, first, second = sums[0].astype(np.int64), sums[1], sums[2]
        if self._tracked is None:
            self._tracked = np.flatnonzero(self._item_of_node >= 0)
        side = np.zeros(m, np.int8)
        side[self._item_of_node[self._tracked]] = along.paths.sides(self._tracked)
        return visits, np.where(side == 1, second, first), last

    def _ended(
        self, along: AlongPaths, after: int, every: int, shape: tuple[int, int], last: Numbers
    ) -> Floats:
        """[3, K, M] visits of each run of iterations that ended at each item, and what they are worth to either player;
        notes the last ones in `last`, where that has room."""
        nearest, worth = self._nearest_items(), along.left.worth
        if LOOPS.are_ready:
            sums = np.zeros((3, *shape))
            LOOPS.run(count_ends, along.leaf, worth, nearest, every, after, sums, last)
            return sums
        cell = nearest[along.leaf].astype(np.int64)
        there = slice(None) if cell.min() >= 0 else np.flatnonzero(cell >= 0)
        cell += np.arange(len(cell)) // every * shape[1]
        cell, worth = cell[there], worth[there]
        if last.size:
            last.ravel()[cell] = np.arange(after + 1, after + 1 + len(along.leaf))[there]
        return np.stack(
            [
                np.bincount(cell, weights, shape[0] * shape[1]).reshape(shape)
                for weights in (None, *worth.transpose())
            ]
        )

    def _nearest_items(self) -> npt.NDArray[np.int32]:
        n_nodes = len(self._item_of_node)
        if self._nearest is None or len(self._nearest) < n_nodes:
            parent = self._columns.nodes.parent[:n_nodes]
            self._nearest = nearest_items(self._item_of_node, parent, self._nearest)
        return self._nearest

    def _add_rows(self, totals: Sums, begin: int, end: int) -> tuple[Ints, npt.NDArray[np.int32]]:
        """Add those that touch an item, and give their places and items."""
        place, item, visits, value = touching(self._columns, self._item_of_node, begin, end)
        squares = None
        if totals.square_sum is not None:
            squares = self._columns.squares(slice(begin, end))[place - begin]
        totals.add(item, visits, value, squares)
        return place, item


class IndexedTally(Tally):
    """The same for a trace with an index: keeps no sums."""

    _ranges: tuple[int, ItemRanges] | None = None  # of the first so many of the tracked nodes

    def at(self, t: int) -> Sums:
        """The sums after iteration t."""
        index, tracked = self._columns.index, self._tracked
        assert index is not None
        if tracked is None:
            tracked = self._tracked = np.flatnonzero(self._item_of_node >= 0)
        n = int(np.searchsorted(tracked, int(index.n_nodes_after(t))))
        known = self._ranges
        if known is None or known[0] != n:
            nodes = tracked[:n]
            known = self._ranges = n, index.ranges_of(nodes, self._item_of_node[nodes])
        return index.sums_of_items(known[1], self._n_items, t, self._squares, self._lasts)

    def at_keyframes(self) -> Sums:
        """[P, M] the sums after each of the `keyframes`, where the items are the root and its children."""
        index = self._columns.index
        assert index is not None
        when, _, course = index.root_course()
        keyframes = self.keyframes
        at = np.searchsorted(when, keyframes)
        if not np.array_equal(when[np.minimum(at, len(when) - 1)][:-1], keyframes[:-1]):
            states = [self.at(int(t)) for t in keyframes]
            return Sums(
                np.stack([each.visits for each in states]),
                np.stack([each.value_sum for each in states]),
            )
        end = self.at(int(keyframes[-1]))
        at = at[:-1]
        return Sums(
            np.concatenate([course.visits[at], end.visits[None].astype(np.int32)]),
            np.concatenate([course.value_sum[at], end.value_sum[None]]),
        )

    def _made_keyframes(self) -> list[Sums]:
        return []


class ToldTally(Tally):
    """The same for a trace whose index has all updates by node: those of the nodes that an item stands for are put in
    order when they are asked for first."""

    def at(self, t: int) -> Sums:
        """The sums after iteration t."""
        totals = Sums.zeros(self._n_items, self._squares, self._lasts)
        for updates, owners, items in self._parts:
            for into, found in zip(totals, updates.sums(owners, t, self._squares)):
                if into is not None and found is not None:
                    into[items] = found
            if totals.last_visit is not None:
                totals.last_visit[items] = updates.last_visits(owners, t)
        return totals

    def at_keyframes(self) -> Sums:
        """[P, M] the sums after each of the `keyframes`; visits and values alone."""
        when = self.keyframes
        sums = Sums(
            np.zeros((len(when), self._n_items), np.int32), np.zeros((len(when), self._n_items))
        )
        for updates, owners, items in self._parts:
            for owner, item in zip(owners.tolist(), items.tolist()):
                found = updates.sums_then(np.full(len(when), owner), when)
                sums.visits[:, item], sums.value_sum[:, item] = found.visits, found.value_sum
        return sums

    @functools.cached_property
    def _parts(self) -> list[tuple[SortedUpdates, Ints, Ints]]:
        """Updates by owner; some of their owners, and the item that each is."""
        told, tracked = self._columns.told, self._tracked
        assert told is not None
        if tracked is None:
            tracked = np.flatnonzero(self._item_of_node >= 0)
        item = self._item_of_node[tracked].astype(np.int64)
        n = np.bincount(item, minlength=self._n_items)
        alone = n[item] == 1
        several = np.flatnonzero(n > 1)
        owner = np.searchsorted(several, item[~alone])
        merged = told.merged(tracked[~alone], owner, self._squares)
        return [(told, tracked[alone], item[alone]), (merged, np.arange(len(several)), several)]

    def _made_keyframes(self) -> list[Sums]:
        return []


def tally_kind(columns: Columns) -> type[Tally]:
    """The one that suits a trace."""
    if columns.index is not None:
        return IndexedTally
    return Tally if columns.told is None else ToldTally


def _add_to(totals: Sums, visits: Numbers, value_sum: Numbers, last_visit: Numbers) -> None:
    """Add what some iterations have added."""
    totals.visits[:] += visits
    totals.value_sum[:] += value_sum
    if totals.last_visit is not None:
        np.maximum(totals.last_visit, last_visit, out=totals.last_visit)


def _course(before: Sums, visits: Numbers, value_sum: Numbers, last_visit: Numbers) -> list[Sums]:
    """The sums after each of K runs of iterations that add these, [K, M], which are overwritten."""
    visits[0] += before.visits
    value_sum[0] += before.value_sum
    visits = np.cumsum(visits, axis=0, dtype=before.visits.dtype)
    np.cumsum(value_sum, axis=0, out=value_sum)
    if before.last_visit is None:
        return [Sums(*each) for each in zip(visits, value_sum)]
    np.maximum(last_visit[0], before.last_visit, out=last_visit[0])
    np.maximum.accumulate(last_visit, axis=0, out=last_visit)
    return [Sums(*each[:2], None, each[2]) for each in zip(visits, value_sum, last_visit)]


def touching(
    columns: Columns, item_of_node: npt.NDArray[np.int32], begin: int, end: int
) -> tuple[Ints, npt.NDArray[np.int32], npt.NDArray[np.int32], Floats]:
    """The updates in places begin to end that touch an item: their places, items, visits and values."""
    item = item_of_node[columns.updates.node[begin:end]]
    kept = np.flatnonzero(item >= 0)
    return (
        kept + begin,
        item[kept],
        columns.updates.visits[begin:end][kept],
        columns.updates.value[begin:end][kept],
    )


def _spacing(every: int, n_iterations: int, n_bytes: int) -> int:
    """Iterations between two keyframes of that many bytes."""
    most = max(1, min(MOST_KEYFRAMES, KEYFRAME_BYTES // max(n_bytes, 1)))
    while n_iterations // every > most:
        every *= 2
    return every
