"""The statistics of nodes at any iteration, from the index of a trace: the same numbers, bit for bit, that adding up
all updates gives.

Iterations are sorted by the place of their leaf in preorder, so that those through a node are neighbours. A node's
statistics are counts of them by worth (`plain.Worth`), and what iterations added that keep their updates. Values whose
sums depend on their order are added in that order, see `ordered.py`.
"""

from __future__ import annotations

import threading
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mcts_viz.trace.index.building import BLOCK, LARGE
from mcts_viz.trace.index.layout import IndexFile
from mcts_viz.trace.index.loops import WORTH_COMPILING, read_only, run_compiled, write_paths
from mcts_viz.trace.index.ordered import OrderedSums
from mcts_viz.trace.index.plain import LEFT_OUT
from mcts_viz.trace.index.shape import AT_ONCE, IndexedTree, Int32s
from mcts_viz.trace.memory import pieces, roomy
from mcts_viz.trace.path_loops import LOOPS, count_kinds, note_latest
from mcts_viz.trace.sums import GameResults, NodeStates, Sums
from mcts_viz.types import Bools, Floats, Ints, Numbers, Wholes

ALONE = 1 << 9  # iterations from which on those of a node are looked at for themselves
RECENT = 1 << 14  # iterations that are looked at first for a node's last visit
MANY = 1 << 14  # updates
MANY_PICTURES = 16  # from which on loops for them are compiled, or loaded: who scrubs asks for more
SOON = 5.0  # seconds after the first picture, when it has been drawn, that they are loaded at the latest
UNKNOWN = -1  # in place of a range's last iteration
PIECE = 1 << 12  # iterations that are looked at again with each further one
NEAR_KEPT = 8  # runs of iterations shortly before a moment whose leaves are kept


class NearLeaves(NamedTuple):
    """Plain iterations shortly before a moment, by the place of their leaf."""

    place: Ints  # [k] rising
    when: Int32s  # [k + 1] which iteration it is, the last one 0: none
    since_knot: Int32s  # [C, k + 1] those since the knot before each of them, by worth

    def between(self, begin: Wholes, end: Wholes) -> tuple[Ints, Ints]:
        """[r] where those in each range of places begin and end."""
        return np.searchsorted(self.place, begin), np.searchsorted(self.place, end)

    def latest(self, begin: Wholes, end: Wholes) -> Int32s:
        """[r] the last iteration of each range, 0: there is none."""
        a, b = self.between(begin, end)
        last = np.zeros(len(a), np.int32)
        found = np.flatnonzero(b > a)
        if len(found):
            ends = np.stack([a[found], b[found]], axis=1).ravel()
            last[found] = np.maximum.reduceat(self.when, ends)[::2]
        return last


class ItemRanges(NamedTuple):
    """Nodes of a picture's items, in the order of their items and of preorder; those of one that are neighbours are one
    range of places."""

    nodes: Ints  # [N]
    items: Wholes  # [N]
    starts: Ints  # [R] the first node of each range
    begin: Ints  # [R] places
    end: Ints  # [R]
    side: npt.NDArray[np.int8]  # [R] whose view values are in


class TreeIndex(IndexedTree):
    """Of T iterations and N nodes; C kinds of worth. For several threads."""

    def __init__(self, file: IndexFile, n_players: int) -> None:
        super().__init__(file, n_players)
        about = file.about
        self.outcome = np.array(about["outcome"], np.int32).view(np.float32)  # [C]
        self.value = np.array(about["value"], np.float64).reshape(2, -1)  # [2, C] by side
        self.code: npt.NDArray[np.uint8] = file["code"]  # [T] kind of worth, LEFT_OUT
        self.when: Int32s = file["when"]  # [P] iterations by place of leaf, then by time
        self.kind: npt.NDArray[np.uint8] = file["kind"]  # [P] their kinds of worth
        # [N + 1] where the iterations that ended at a place begin in `when`
        self.first: Int32s = file["first"]
        self.knot: int = about["knot"]
        self._large: Int32s = file["large"]  # [L] places of nodes with many visits
        self._knots = file["knots"].reshape(
            self.n_iterations // self.knot + 1, len(self.outcome), len(self._large)
        )
        self._rows = file["rows"]
        self.kept_when: Int32s = file["kept_when"]  # [K] of updates that are kept, rising
        self.kept_node: Int32s = file["kept_node"]
        self.kept_visits: Int32s = file["kept_visits"]
        self.kept_value: Floats = file["kept_value"]
        self._kept_order = np.argsort(self.kept_node, kind="stable")
        self._kept_by_node = self.kept_node[self._kept_order]
        self.ordered: OrderedSums | None = None
        if "worth_0" in file:
            self.ordered = OrderedSums(self, file)
        self._last_leaves = (0, 0), np.zeros(0, np.int32)
        self._n_pictures = 0  # that were asked for
        self._n_written = 0  # updates so far, where many were asked for
        # of iterations from and to, and the knot before
        self._kept_near: dict[tuple[int, int, int], NearLeaves] = {}
        self._lock = threading.Lock()

    @property
    def counts_upwards(self) -> bool:
        return not len(self.kept_when)

    # ---- statistics

    def counts(self, begin: Wholes, end: Wholes, t: int, last: Int32s | None = None) -> Ints:
        """[C, k] iterations up to t whose leaf lies in each range of places, by worth. last: [k] notes the last of them
        where that costs nothing more, 0: none."""
        found = np.zeros((len(self.outcome), len(begin)), np.int64)
        a, b = self.first[begin].astype(np.int64), self.first[end].astype(np.int64)
        left = b > a
        at = np.flatnonzero(b - a >= LARGE)
        if len(at) and len(self._large):
            large = np.minimum(np.searchsorted(self._large, begin[at]), len(self._large) - 1)
            known = (self._large[large] == begin[at]) & (
                self.size[begin[at]] == end[at] - begin[at]
            )
            at, large = at[known], large[known]
            if len(at):
                found[:, at] = self._knots[self._knot_before(t)][:, large]
                found[:, at] += self._since_knot(t, begin[at], end[at])
                left[at] = False
        if LOOPS.are_ready:
            self._counted(np.flatnonzero(left), a, b, t, found, last)
            return found
        alone = left & (b - a >= ALONE)
        for each in np.flatnonzero(alone).tolist():
            found[:, each] = self._scanned(int(a[each]), int(b[each]), t)
        together = np.flatnonzero(left & ~alone)
        for some in np.array_split(together, max(1, -(-len(together) * ALONE // AT_ONCE))):
            if len(some):
                found[:, some] = self._gathered(a[some], b[some], t)
        return found

    def knots_of(self, places: Wholes) -> Int32s:
        """[K, C, k] how often these nodes, which have many visits, were visited up to each knot, by worth."""
        found: Int32s = self._knots[:, :, np.searchsorted(self._large, places)]
        return found

    def _knot_before(self, t: int) -> int:
        return min(t // self.knot, len(self._knots) - 1)

    def _since_knot(self, t: int, begin: Wholes, end: Wholes) -> Numbers:
        """[C, k] those since the last knot."""
        found = np.zeros((len(self.outcome), len(begin)), np.int32)
        for near in self._near_leaves(t):
            a, b = near.between(begin, end)
            found += near.since_knot[:, b] - near.since_knot[:, a]
        return found

    def _near_leaves(self, t: int) -> list[NearLeaves]:
        """The plain iterations shortly before a moment: most of them, kept for the moments next to it, and the
        last few."""
        knot = self._knot_before(t) * self.knot
        # most nodes of a picture were visited a short while ago
        after = max(min(knot, (t - RECENT) // PIECE * PIECE), 0)
        middle = max(after, t // PIECE * PIECE)
        return [self._near(after, middle, knot), self._near(middle, t, knot)]

    def _near(self, after: int, until: int, knot: int) -> NearLeaves:
        asked = after, until, knot
        found = self._kept_near.get(asked)
        if found is not None:
            return found
        there = np.flatnonzero(self.code[after:until] != LEFT_OUT)
        # place and time in one number: such are sorted in a tenth of the time that an order takes
        bits = max(until - after, 1).bit_length()
        key = np.sort(self.place[self.leaf[after:until][there]].astype(np.int64) << bits | there)
        place, at = key >> bits, key & ((1 << bits) - 1)
        code = np.where(at >= knot - after, self.code[after:until][at], LEFT_OUT)
        since = np.zeros((len(self.outcome), len(at) + 1), np.int32)
        for which, counted in enumerate(since):
            np.cumsum((code == which).view(np.int8), out=counted[1:])
        found = NearLeaves(place, np.append(at + after + 1, 0).astype(np.int32), since)
        with self._lock:
            while len(self._kept_near) >= NEAR_KEPT:
                del self._kept_near[next(iter(self._kept_near))]
            self._kept_near[asked] = found
        return found

    def _counted(
        self, which: Ints, a: Ints, b: Ints, t: int, found: Ints, last: Int32s | None
    ) -> None:
        """Count in some of the ranges, by the compiled loop. found: [C, k], last: [k], of which these are set."""
        if not len(which):
            return
        counts = np.zeros((len(self.outcome), len(which)), np.int64)
        latest = np.zeros(len(which), np.int32)
        rows = read_only(self.when), read_only(self.kind)
        LOOPS.run(count_kinds, *rows, a[which], b[which], t, counts, latest)
        found[:, which] = counts
        if last is not None:
            last[which] = latest

    def _scanned(self, a: int, b: int, t: int) -> Ints:
        counts = np.zeros(len(self.outcome), np.int64)
        for begin in range(a, b, AT_ONCE):
            there = slice(begin, min(begin + AT_ONCE, b))
            kind = (
                self.kind[there]
                if t >= self.n_iterations
                else self.kind[there][self.when[there] <= t]
            )
            counts += np.bincount(kind, minlength=len(counts))
        return counts

    def _gathered(self, a: Ints, b: Ints, t: int) -> Ints:
        n = b - a
        rows = np.arange(n.sum()) + np.repeat(a - np.cumsum(n) + n, n)
        which = np.repeat(np.arange(len(a)), n)
        there = self.when[rows] <= t
        key = self.kind[rows[there]].astype(np.int64) * len(a) + which[there]
        return np.bincount(key, minlength=len(self.outcome) * len(a)).reshape(-1, len(a))

    def sums(self, nodes: Wholes, t: int, squares: bool = False) -> Sums:
        """Statistics of nodes of these ids after iteration t."""
        nodes = np.asarray(nodes, np.int64)
        place = self.place[nodes].astype(np.int64)
        counts = self.counts(place, place + self.size[place], t)
        if self.ordered is not None:
            spans = [
                [each] for each in np.stack([place, place + self.size[place]], axis=1).tolist()
            ]
            value_sum = self.ordered.sums(spans, self.side(nodes), t)
            of_squares = self.whole(t, squares=True).square_sum if squares else None
            square_sum = None if of_squares is None else of_squares[nodes]
            return Sums(counts.sum(axis=0).astype(np.int32), value_sum, square_sum)
        value = self.value[self.side(nodes)].T  # [C, k]
        visits, value_sum = counts.sum(axis=0), (counts * value).sum(axis=0)
        square_sum = (counts * value**2).sum(axis=0) if squares else None
        begin = np.searchsorted(self._kept_by_node, nodes)
        end = np.searchsorted(self._kept_by_node, nodes, side="right")
        for each in np.flatnonzero(end > begin).tolist():
            rows = self._kept_order[begin[each] : end[each]]
            rows = rows[self.kept_when[rows] <= t]
            visits[each] += self.kept_visits[rows].sum()
            value_sum[each] += self.kept_value[rows].sum()
            if square_sum is not None:
                square_sum[each] += (self.kept_value[rows] ** 2).sum()
        return Sums(visits.astype(np.int32), value_sum, square_sum)

    def final_visits(self, nodes: Wholes) -> Int32s:
        """[k] visits of nodes after the last iteration."""
        place = self.place[nodes]
        visits = self.first[place + self.size[place]] - self.first[place]
        return (
            visits
            if not len(self.kept_when)
            else self.sums(nodes, self.n_iterations).visits.astype(np.int32)
        )

    def last_visits(self, nodes: Wholes, t: int) -> Int32s:
        """[k] the iteration up to t that updated each of these nodes last; 0: none did."""
        nodes = np.asarray(nodes, np.int64)
        begin = self.place[nodes].astype(np.int64)
        last = self.last_in(begin, begin + self.size[begin], t)
        return np.maximum(last, self._last_kept(nodes, t)) if len(self.kept_when) else last

    def _last_kept(self, nodes: Wholes, t: int) -> Numbers:
        rows = (self.kept_of(int(node), 0, t) for node in nodes)
        return np.array([self.kept_when[each].max(initial=0) for each in rows], np.int32)

    def last_in(self, begin: Ints, end: Ints, t: int) -> Int32s:
        """[k] the last plain iteration up to t whose leaf lies in each range of places; 0: there is none."""
        before, near = self._near_leaves(t)
        last = np.maximum(before.latest(begin, end), near.latest(begin, end))
        a, b = self.first[begin].astype(np.int64), self.first[end].astype(np.int64)
        left = np.flatnonzero((last == 0) & (b > a))
        if LOOPS.are_ready and len(left):
            latest = np.zeros(len(left), np.int32)
            LOOPS.run(note_latest, read_only(self.when), a[left], b[left], t, latest)
            last[left] = latest
            return last
        for each in left.tolist():
            rows = self.when[int(a[each]) : int(b[each])]
            last[each] = rows.max(initial=0, where=rows <= t)
        return last

    def ranges_of(self, nodes: Ints, item: Wholes) -> ItemRanges:
        """Of nodes of these ids and the item of each; the nodes of one are siblings."""
        begin = self.place[nodes].astype(np.int64)
        order = np.lexsort((begin, item))
        nodes, item, begin = nodes[order], item[order], begin[order]
        end = begin + self.size[begin]
        is_next = (begin[1:] == end[:-1]) & (item[1:] == item[:-1])
        # of a node with many visits there are knots, and of several nodes together there are none
        is_large = self.first[end].astype(np.int64) - self.first[begin] >= LARGE
        is_next &= ~is_large[1:] & ~is_large[:-1]
        starts = np.flatnonzero(np.append(np.ones(min(len(nodes), 1), np.bool_), ~is_next))
        ends = np.append(starts[1:], len(nodes))[: len(starts)] - 1
        return ItemRanges(nodes, item, starts, begin[starts], end[ends], self.side(nodes[starts]))

    def sums_of_items(
        self, ranges: ItemRanges, n_items: int, t: int, squares: bool, lasts: bool
    ) -> Sums:
        """[n_items] statistics after iteration t, each of its nodes together."""
        totals = Sums.zeros(n_items, squares, lasts)
        nodes, items, starts, begin, end, side = ranges
        if not len(nodes):
            return totals
        self._n_pictures += 1
        if self._n_pictures == 1:
            LOOPS.load_later(SOON)
        # not just at that number, which of several threads none may see
        if self._n_pictures >= MANY_PICTURES:
            LOOPS.load()
        item = items[starts]
        last = np.full(len(begin), UNKNOWN, np.int32)
        counts = self.counts(begin, end, t, last)
        if self.ordered is not None:
            first = np.flatnonzero(np.diff(item, prepend=-1))
            spans = [each.tolist() for each in np.split(np.stack([begin, end], axis=1), first[1:])]
            totals.value_sum[item[first]] = self.ordered.sums(spans, side[first], t)
        value = self.value[side].T
        of_squares = (counts * value**2).sum(axis=0)
        totals.add(item, counts.sum(axis=0), (counts * value).sum(axis=0), of_squares)
        if totals.last_visit is not None:
            left = np.flatnonzero(last == UNKNOWN)
            last[left] = self.last_in(begin[left], end[left], t)
            np.maximum.at(totals.last_visit, item, last)
        if len(self.kept_when):
            for node, mine in zip(nodes.tolist(), items.tolist()):
                rows = self.kept_of(node, -1, t)
                at = np.full(len(rows), mine)
                totals.add(at, self.kept_visits[rows], self.kept_value[rows])
                if totals.last_visit is not None:
                    np.maximum.at(totals.last_visit, at, self.kept_when[rows])
        return totals

    def root_course(self) -> tuple[Ints, Ints, Sums]:
        """[P] iterations, evenly apart from 0 on; [M] the root and its children; and [P, M] their statistics then."""
        when = np.arange(0, self.n_iterations + 1, self.file.about["course"], dtype=np.int64)
        nodes = np.concatenate([[0], self.children(0, self.n_nodes)]).astype(np.int64)
        counts = (
            self.file["course"].reshape(len(when), len(self.outcome), len(nodes)).astype(np.int64)
        )
        visits = counts.sum(axis=1).astype(np.int32)
        value_sum = (counts * self.value[self.side(nodes)].T).sum(axis=1)
        if self.ordered is not None:
            value_sum = self.file["course_sums"].reshape(value_sum.shape).copy()
        for place, node in enumerate(nodes.tolist() if len(self.kept_when) else ()):
            rows = self.kept_of(node, -1, self.n_iterations)
            n = np.searchsorted(self.kept_when[rows], when, side="right")
            visits[:, place] += np.cumsum(np.append(0, self.kept_visits[rows]))[n].astype(np.int32)
            value_sum[:, place] += np.cumsum(np.append(0.0, self.kept_value[rows]))[n]
        return when, nodes, Sums(visits, value_sum)

    def whole(self, t: int, squares: bool = False, visits: type[np.integer] = np.int32) -> Sums:
        """Statistics of all nodes after iteration t: takes some 20 bytes and 100 ns a node, and 10 ns an iteration.
        visits: the type of visits."""
        n = int(self.n_nodes_after(t))
        sums = Sums.zeros(n, squares, visits=visits, room=roomy)
        ended = roomy(self.n_nodes + 1, np.int32)  # with one kind of worth, before each place
        for number in range(len(self.outcome)):
            ended[:] = 0
            for iterations in pieces(t, AT_ONCE):
                leaf = self.leaf[iterations][self.code[iterations] == number]
                np.add.at(ended, self.place[leaf] + 1, 1)
            np.cumsum(ended, out=ended)
            for nodes in pieces(n, AT_ONCE):
                place = self.place[nodes].astype(np.int64)
                below = ended[place + self.size[place]] - ended[place]
                value = self.value[self.side(np.arange(nodes.start, nodes.stop)), number]
                sums.visits[nodes] += below
                sums.value_sum[nodes] += below * value
                if sums.square_sum is not None:
                    sums.square_sum[nodes] += below * value**2
        if self.ordered is not None and t:
            self.ordered.whole(sums, t)
        rows = slice(0, int(np.searchsorted(self.kept_when, t, side="right")))
        sums.add(self.kept_node[rows], self.kept_visits[rows], self.kept_value[rows])
        return sums

    # ---- updates

    def rows_before(self, t: Wholes) -> Ints:
        """[k] updates of the iterations up to each of these, what was inherited included."""
        t = np.asarray(t, np.int64)
        block = t // BLOCK
        found = self._rows[block].astype(np.int64)
        for each in np.unique(block).tolist():
            mine = np.flatnonzero(block == each)
            last = int(t[mine].max())
            if last > each * BLOCK:
                n = np.concatenate([[0], np.cumsum(self._n_updates(each * BLOCK, last))])
                found[mine] += n[t[mine] - each * BLOCK]
        return found

    def _n_updates(self, after: int, until: int) -> Ints:
        """[until − after] updates of each iteration from after + 1 on."""
        n = self.depth[self.leaf[after:until]].astype(np.int64) + 1
        kept = np.flatnonzero(self.code[after:until] == LEFT_OUT)
        if len(kept):
            when = kept + after + 1
            n[kept] = np.searchsorted(self.kept_when, when, side="right") - np.searchsorted(
                self.kept_when, when
            )
        return n

    def row_span(self, after: int, until: int) -> Ints:
        """[until − after + 1] as `rows_before`, of neighbouring iterations."""
        start = self.rows_before(np.array([after]))
        return np.concatenate([start, start[0] + np.cumsum(self._n_updates(after, until))])

    def offsets(self, begin: int, end: int) -> Ints:
        """[end − begin] as `rows_before`, of iterations `begin` to just before `end`."""
        return self.row_span(begin, end - 1) if end > begin else np.zeros(0, np.int64)

    def iteration_of_row(self, row: int) -> int:
        """The iteration whose update it is, 0 for what was inherited."""
        block = int(np.searchsorted(self._rows, row, side="right")) - 1
        if block < 0:
            return 0
        after = block * BLOCK
        offset = self.row_span(after, min(after + BLOCK, self.n_iterations))
        return after + int(np.searchsorted(offset, row, side="right"))

    def updates(self, after: int, until: int) -> tuple[Int32s, Int32s, Floats]:
        """Nodes, visits and values of the updates of iterations after + 1 to until; after −1: inherited ones, too."""
        if after < 0:
            n = int(np.searchsorted(self.kept_when, 0, side="right"))
            rest = self.updates(0, until)
            return (
                np.concatenate([self.kept_node[:n], rest[0]]),
                np.concatenate([self.kept_visits[:n], rest[1]]),
                np.concatenate([self.kept_value[:n], rest[2]]),
            )
        return self.updates_of(after, until)[1:]

    def updates_of(self, after: int, until: int) -> tuple[Ints, Int32s, Int32s, Floats]:
        """The same, after 0 or more, behind how many updates each of these iterations has."""
        n_rows = self._n_updates(after, until)
        end = np.cumsum(n_rows)
        total = int(end[-1]) if len(end) else 0
        code = self.code[after:until]
        is_kept = code == LEFT_OUT
        has_kept = bool(is_kept.any())
        if total >= MANY:  # a page asks for few, and should not wait for numba
            self._n_written += total
        is_long = total >= MANY and self._n_written > WORTH_COMPILING
        write = self._written if is_long else self._stepped
        node, value = write(after, until, end, is_kept if has_kept else None)
        visits = np.ones(total, np.int32)
        if has_kept:
            kept = np.repeat(is_kept, n_rows)
            rows = slice(*np.searchsorted(self.kept_when, [after + 1, until + 1]).tolist())
            node[kept], visits[kept], value[kept] = (
                self.kept_node[rows],
                self.kept_visits[rows],
                self.kept_value[rows],
            )
        return n_rows, node, visits, value

    def _written(
        self, after: int, until: int, end: Ints, is_kept: Bools | None
    ) -> tuple[Int32s, Floats]:
        """Nodes and values of updates but for those of iterations that keep theirs; end: behind the last of each."""
        total, leaf = int(end[-1]) if len(end) else 0, self.leaf[after:until]
        node, value = np.zeros(total, np.int32), np.empty(total)
        if is_kept is not None:
            leaf = np.where(is_kept, np.int32(-1), leaf)
        if self.ordered is not None:
            when = np.arange(after + 1, until + 1)
            first, second = self.ordered.of(0, when), self.ordered.of(1, when)
        elif self.value.size:
            code = self.code[after:until]
            code = code if is_kept is None else np.where(is_kept, 0, code)
            first, second = self.value[0][code], self.value[1][code]
        else:
            first = second = np.zeros(until - after)
        second = first if self._n_players == 1 else second
        side_of_root = self.side(np.zeros(1, np.int32))
        columns = leaf, end, first, second, self.parent, self.to_move, side_of_root
        run_compiled(write_paths, columns, node, value)
        return node, value

    def _stepped(
        self, after: int, until: int, end: Ints, is_kept: Bools | None
    ) -> tuple[Int32s, Floats]:
        """The same without compiled code."""
        total = int(end[-1]) if len(end) else 0
        node, code = np.zeros(total, np.int32), self.code[after:until]
        at, place = self.leaf[after:until].copy(), end - 1
        if is_kept is not None:
            at, place, code = at[~is_kept], place[~is_kept], np.where(is_kept, 0, code)
        while len(at):
            node[place] = at
            at = self.parent[at]
            up = at >= 0
            at, place = at[up], place[up] - 1
        n_rows = np.diff(end, prepend=0)
        if self.ordered is not None:
            when = np.repeat(np.arange(after + 1, until + 1), n_rows)
            return node, self.ordered.of(self.side(node), when)
        if not self.value.size:
            return node, np.zeros(total)
        return node, self.value[self.side(node), np.repeat(code, n_rows)]

    def leaves(self, after: int, until: int) -> Int32s:
        """[until − after] places of leaves; the last ones asked for are kept, for siblings ask in turn."""
        known = self._last_leaves
        if known[0] != (after, until):
            known = (after, until), self.place[self.leaf[after:until]]
            if until - after <= AT_ONCE:
                self._last_leaves = known
        return known[1]

    def through(self, node: int, after: int, until: int) -> tuple[Int32s, npt.NDArray[np.uint8]]:
        """The plain iterations through a node from after + 1 to until, rising, and the worth of each."""
        begin = int(self.place[node])
        end = begin + int(self.size[begin])
        a, b = int(self.first[begin]), int(self.first[end])
        if b - a > (until - after) // 4:
            leaf = self.leaves(after, until) if node else None
            there: Bools = self.code[after:until] != LEFT_OUT
            if leaf is not None:
                there &= (leaf >= begin) & (leaf < end)
            at = np.flatnonzero(there) + after
            return (at + 1).astype(np.int32), self.code[at]
        when = self.when[a:b]
        rows = np.flatnonzero((when > after) & (when <= until))
        rows = rows[np.argsort(when[rows], kind="stable")]
        return when[rows], self.kind[a:b][rows]

    def values(self, side: int, when: Wholes, code: Numbers) -> Floats:
        """[k] what these plain iterations, of these kinds of worth, added to nodes of a side."""
        return self.value[side][code] if self.ordered is None else self.ordered.of(side, when)

    def kept_of(self, node: int, after: int, until: int) -> Ints:
        """[k] rows of the kept updates of a node in iterations after + 1 to until (−1: of the inherited tree, too)."""
        ends = np.searchsorted(self._kept_by_node, [node, node + 1]).tolist()
        rows = self._kept_order[slice(*ends)]
        when = self.kept_when[rows]
        return rows[(when > after) & (when <= until)]

    def states(
        self, node: int, after: int, until: int, before: NodeStates, squares: bool = False
    ) -> NodeStates:
        """The states of a node in iterations after + 1 to until, as `node_states`, without its rows."""
        when, code = self.through(node, max(after, 0), until)
        value = self.values(int(self.side(np.array([node]))[0]), when, code)
        visits = np.ones(len(when), np.int32)
        kept = self.kept_of(node, after, until)
        if len(kept):
            order = np.argsort(np.concatenate([when, self.kept_when[kept]]), kind="stable")
            when = np.concatenate([when, self.kept_when[kept]])[order]
            visits = np.concatenate([visits, self.kept_visits[kept]])[order]
            value = np.concatenate([value, self.kept_value[kept]])[order]
        square_sum = np.broadcast_to(before.square_sum[-1:], len(value) + 1)
        if squares:
            square_sum = np.cumsum(np.concatenate((before.square_sum[-1:], value**2)))
        return NodeStates(
            when,
            np.cumsum(np.concatenate((before.visits[-1:], visits)), dtype=np.int32),
            np.cumsum(np.concatenate((before.value_sum[-1:], value))),
            square_sum, visits, value, np.broadcast_to(np.intp(-1), len(value)),
        )  # fmt: skip

    def course(self, node: int, when: Ints) -> tuple[Ints, Int32s, Floats]:
        """Statistics of a node at these iterations, or, of one with many visits, at those nearest to them of which they
        are known: which iterations, visits, value sums."""
        begin = int(self.place[node])
        n_visits = int(self.first[begin + int(self.size[begin])] - self.first[begin])
        if n_visits > AT_ONCE and (node == 0 or self.parent[node] == 0):
            known, nodes, sums = self.root_course()
            which = int(np.flatnonzero(nodes == node)[0])
            at = np.unique(np.minimum(np.searchsorted(known, when), len(known) - 1))
            at = at[known[at] < when[-1]]
            end = self.sums(np.array([node]), self.n_iterations)
            visits = np.append(sums.visits[at, which], end.visits).astype(np.int32)
            return (
                np.append(known[at], when[-1]),
                visits,
                np.append(sums.value_sum[at, which], end.value_sum),
            )
        states = self.states(node, -1, self.n_iterations, NodeStates.none())
        row = states.row_at(when)
        return when, states.visits[row], states.value_sum[row]

    def results(
        self, nodes: Wholes, mover: npt.NDArray[np.int8], t: int, draw: float, of_games: bool
    ) -> GameResults | None:
        """As `ResultCounts.at`."""
        if not of_games and not self._are_results(t, draw):
            return None
        if self.ordered is not None and not self.ordered.has_codes:
            return self.ordered.results(nodes, mover, t, draw)
        place = self.place[nodes].astype(np.int64)
        counts = self.counts(place, place + self.size[place], t)
        sign = np.sign(self.outcome - draw)
        losses, draws, wins = (counts[sign == each].sum(axis=0) for each in (-1, 0, 1))
        for at, node in enumerate(np.asarray(nodes).tolist() if len(self.kept_when) else ()):
            rows = self.kept_of(node, 0, t)
            rows = rows[self.kept_visits[rows] == 1]
            left = np.searchsorted(self.file["left_at"], self.kept_when[rows] - 1)
            signs = np.sign(self.file["left_outcome"][left] - draw)
            for into, each in ((losses, -1), (draws, 0), (wins, 1)):
                into[at] += int((signs == each).sum())
        second = mover == 1
        return GameResults(np.where(second, losses, wins), draws, np.where(second, wins, losses))

    def _are_results(self, t: int, draw: float) -> bool:
        """Whether the outcomes up to t are a win, a draw and a loss."""
        if self.ordered is not None and not self.ordered.has_codes:
            return self.ordered.are_results(t, draw)
        there = np.bincount(self.code[:t], minlength=256)[: len(self.outcome)] > 0
        left = self.file["left_outcome"][: int(np.searchsorted(self.file["left_at"], t))]
        found = np.concatenate([self.outcome[there], left])
        found = found[~np.isnan(found)]
        return len(found) > 0 and len(np.unique(np.abs(found - np.float32(draw)))) <= 2

    def branch_of(self, node: int, iteration: Wholes) -> Ints:
        """[k] the child of `node` through which each iteration went, `node` where it ended there, −1 elsewhere."""
        begin = int(self.place[node])
        leaf = self.place[self.leaf[np.asarray(iteration) - 1]]
        children = self.children(node, self.n_nodes)
        starts = np.concatenate([[begin], self.place[children]]).astype(np.int32)
        ids = np.concatenate([[node], children]).astype(np.int64)
        inside = (leaf >= begin) & (leaf < begin + int(self.size[begin]))
        return np.where(
            inside, ids[np.maximum(np.searchsorted(starts, leaf, side="right") - 1, 0)], -1
        )

    def branch_taken(self, node: int, iteration: Wholes) -> Ints:
        """[k] the same of iterations, rising, that updated the node; of those that keep their updates, by the update
        that follows the node's."""
        found = self.branch_of(node, iteration)
        rows = self.kept_of(node, 0, self.n_iterations)
        if len(rows):
            rows = rows[np.flatnonzero(np.diff(self.kept_when[rows], prepend=0))]
            following = np.minimum(rows + 1, len(self.kept_when) - 1)
            child, when = self.kept_node[following], self.kept_when[rows]
            plain = (self.kept_visits[rows] == 1) & (self.parent[child] == node)
            plain &= (following > rows) & (self.kept_when[following] == when)
            at = np.minimum(np.searchsorted(iteration, when), len(iteration) - 1)
            plain &= iteration[at] == when
            found[at[plain]] = child[plain]
        return found

    def updating(self, node: int, after: int, until: int) -> Ints:
        """[k] the iterations from after + 1 to until that updated a node, rising."""
        when = self.through(node, after, until)[0]
        kept = self.kept_when[self.kept_of(node, after, until)]
        return (
            np.unique(np.concatenate([when, kept])).astype(np.int64)
            if len(kept)
            else when.astype(np.int64)
        )

    def iterations_through(self, node: int, t: int) -> Ints:
        """[k] the iterations up to t that updated a node or ended at it, rising."""
        when = self.updating(node, 0, t)
        left = self.file["left_at"][: int(np.searchsorted(self.file["left_at"], t))]
        ended = left[self.leaf[left] == node] + 1
        return np.unique(np.concatenate([when, ended])) if len(ended) else when

    def ended_below(self, node: int, t: int) -> Ints:
        """[k] the iterations up to t whose leaf is at or below a node, rising."""
        when = self.through(node, 0, t)[0].astype(np.int64)
        left = self.file["left_at"][: int(np.searchsorted(self.file["left_at"], t))]
        place, begin = self.place[self.leaf[left]], int(self.place[node])
        left = left[(place >= begin) & (place < begin + int(self.size[begin]))]
        return np.sort(np.concatenate([when, left + 1])) if len(left) else when
