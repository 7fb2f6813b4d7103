"""The updates of a trace in memory. Those that its rows leave to be understood (`PathUpdates`) are written out when
somebody asks for them: a few alone, or all of them once that would have been no more work.

Most of what a page shows of a trace needs few of them, and all of them are nine tenths of its memory.
"""

from __future__ import annotations

import functools
import threading
from bisect import bisect_right
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mcts_viz.errors import TraceError
from mcts_viz.trace.deferred import DeferredColumn, by_blocks
from mcts_viz.trace.format import UpdateRows
from mcts_viz.trace.groups import AnyLists, Group
from mcts_viz.trace.growing import GrowingAlike, GrowingColumn, GrowingLists, HasIterations
from mcts_viz.trace.memory import MEGABYTE, machine_memory
from mcts_viz.trace.path_updates import BYTES, LeftUpdates, PathUpdates
from mcts_viz.trace.rows import part as of_rows
from mcts_viz.trace.sums import Sums
from mcts_viz.trace.unpacking import default_limit
from mcts_viz.types import Floats, Ints, Numbers

MOST_KEPT = 1 << 18  # updates that were written out last, and are kept
AT_ONCE = 1 << 16  # updates handled at once, few enough to stay in the processor's cache


class _Unwritten(NamedTuple):
    """Neighbouring iterations whose updates are not written out."""

    first: int  # iterations before them
    n: int
    row: int  # updates before theirs
    n_rows: int  # updates of theirs
    longest: int  # of one of them, at most
    told: UpdateRows
    is_along: bool  # whether none of them is told
    paths: PathUpdates


class AlongPaths(NamedTuple):
    """Neighbouring iterations that leave all their updates to be understood."""

    left: LeftUpdates
    paths: PathUpdates

    def of_nodes(self, n_nodes: int) -> tuple[npt.NDArray[np.int32], Floats]:
        """See `PathUpdates.totals`."""
        return self.paths.totals(self.left, n_nodes)

    def add(self, sums: Sums, times: int) -> None:
        """See `PathUpdates.add`."""
        self.paths.add(self.left, sums, times)

    def add_upwards(self, sums: Sums, times: int, n_nodes: int) -> None:
        """See `PathUpdates.add_upwards`."""
        self.paths.add_upwards(self.left, sums, times, n_nodes)

    @property
    def leaf(self) -> npt.NDArray[np.int32]:
        """[T] where each ended."""
        return self.left.leaf


class GrowingUpdates(GrowingLists):
    """Lists of updates in the iterations of a trace. Thread-safe, with one writer."""

    def __init__(self, trace: HasIterations, lists: AnyLists) -> None:
        self._parts: list[_Unwritten] = []  # behind what is written out
        self._n_written = 0  # updates
        self._leaf = GrowingColumn(np.dtype(np.int32))  # of the iterations of the parts
        self._worth = GrowingColumn(np.dtype(np.float64))  # likewise, two of each
        self._asked = 0  # updates that were written out for a question
        self._last: tuple[int, int, dict[str, Numbers]] | None = None
        self._lock = threading.RLock()
        super().__init__(trace, lists)

    def append_lists(self, rows: Group, iteration: npt.NDArray[np.int32]) -> None:
        with self._lock:
            if not self._parts:
                super().append_lists(rows, iteration)
                self._n_written = self.n
                return
        assert isinstance(rows, UpdateRows)
        n = len(rows.offset) - 1
        told = LeftUpdates(np.zeros(n, np.int32), np.full((n, 2), np.nan), rows)
        self.leave(told, self._parts[-1].paths, int(iteration[0]) - 1)

    def leave(self, left: LeftUpdates, paths: PathUpdates, first: int) -> None:
        """Append the updates of iterations; first: iterations before them. paths: has taken their nodes."""
        n_rows = paths.lengths(left)
        end = self.n + np.cumsum(n_rows)
        n, is_along = int(end[-1]) - self.n, bool(left.along.all())
        told = UpdateRows.absent(len(n_rows)) if is_along else left.told
        with self._lock:
            self._offset.extend(end)
            self._leaf.extend(left.leaf)
            self._worth.extend(left.worth.ravel())
            self._parts.append(
                _Unwritten(first, len(n_rows), self.n, n, int(n_rows.max()), told, is_along, paths)
            )
            self.n += n

    def join(self, room: float) -> None:
        with self._lock:
            self._leaf.join(room)
            self._worth.join(room)
        super().join(room)

    def _left(self, first: int, last: int) -> tuple[Numbers, Floats]:
        """Leaves of iterations first + 1 to last of the parts, and what their visits are worth."""
        begin, end = first - self._parts[0].first, last - self._parts[0].first
        worth = self._worth.first(2 * end)[2 * begin :]
        return self._leaf.first(end)[begin:], worth.reshape(-1, 2)

    def _of_part(self, part: _Unwritten, first: int, last: int) -> LeftUpdates:
        """Those of its iterations from first + 1 to last."""
        first, last = max(first, part.first), min(last, part.first + part.n)
        told = of_rows(part.told, first - part.first, last - part.first)
        return LeftUpdates(*self._left(first, last), told)

    def __getitem__(self, name: str) -> Numbers:
        if name == "offset" or not self._parts:
            return super().__getitem__(name)
        total = int(self._offset.first(self._trace.n_iterations + 1)[-1])
        column = self._numbers[name]
        if total <= self._n_written:
            return self.first(name, total)
        if isinstance(column, GrowingAlike) and column.all_alike and self._are_along():
            return column.alike(total)
        return DeferredColumn(
            total,
            column.dtype,
            lambda rows: self._some(name, rows),
            lambda begin, end: self._span(name, begin, end),
        ).as_array

    def _are_along(self) -> bool:
        return all(part.is_along for part in self._parts)

    def _span(self, name: str, begin: int, end: int) -> Numbers:
        """One of the columns, from row `begin` to just before `end`."""
        if begin >= end:
            return np.zeros(0, self._numbers[name].dtype)
        with self._lock:
            start, stop, found = self._last or (0, 0, None)
            if found is None or begin < start or stop < end:
                self._asked += end - begin
                if self._asked >= self.n and self._may_write_out():
                    self._write_out()
                if end <= self._n_written:
                    return self.first(name, end)[begin:]
                start, found = begin, self._written_out(begin, end)
                self._last = (begin, end, found) if end - begin <= MOST_KEPT else None
        column = found[name][begin - start : end - start]
        column.flags.writeable = False
        return column

    def _some(self, name: str, rows: Ints) -> Numbers:
        """The same of some rows."""
        begin, end = int(rows.min()), int(rows.max()) + 1
        span = functools.partial(self._span, name)
        if end - begin > MOST_KEPT:
            if not self._may_write_out():
                return by_blocks(rows, self._numbers[name].dtype, MOST_KEPT, span)
            self._write_out()
        return span(begin, end)[rows - begin]

    def _may_write_out(self) -> bool:
        """Whether all updates together are no more than a trace may unpack to."""
        return self.n * BYTES <= default_limit()

    def _written_out(self, begin: int, end: int) -> dict[str, Numbers]:
        """The columns from row `begin` to just before `end`. Raises TraceError where these are too many at once."""
        n_bytes, most = (end - begin) * BYTES, machine_memory()
        if n_bytes > most:
            raise TraceError(
                f"{end - begin:,} updates would take {n_bytes >> 20:,} MB at once, and this machine has "
                f"{most / MEGABYTE:,.0f}; ask for those of fewer iterations. Once its recording has ended, the trace "
                "is opened by an index, which needs none of them"
            )
        offset = self._offset.first(self._trace.n_iterations + 1)
        first = int(np.searchsorted(offset, begin, side="right")) - 1
        last = int(np.searchsorted(offset, end))
        pieces = [
            part.paths.updates(self._of_part(part, first, last))
            for part in self._parts_in(first, last)
        ]
        row = int(offset[max(first, self._parts[0].first)])
        found: dict[str, Numbers] = {}
        for name in self._numbers:
            columns = [each.values[name] for each in pieces]
            if begin < row:
                columns.insert(0, self.first(name, row)[begin:])
            whole = columns[0] if len(columns) == 1 else np.concatenate(columns)
            skipped = max(begin - row, 0)
            found[name] = whole[skipped : skipped + end - begin]
        return found

    def _parts_in(self, first: int, last: int) -> list[_Unwritten]:
        """The parts with iterations after the first `first`, and up to iteration `last`."""
        starts = [part.first for part in self._parts]
        return self._parts[max(bisect_right(starts, first) - 1, 0) : bisect_right(starts, last - 1)]

    def _write_out(self) -> None:
        """All of them; from now on they are there."""
        with self._lock:
            for part in self._parts:
                updates = part.paths.updates(self._of_part(part, part.first, part.first + part.n))
                for name, column in self._numbers.items():
                    column.extend(updates.values[name])
                    column.join()
                self._n_written += len(updates)
            self._parts, self._last, self._asked = [], None, 0
            self._leaf, self._worth = (
                GrowingColumn(self._leaf.dtype),
                GrowingColumn(self._worth.dtype),
            )
            self._known = (-1, {})

    def along_paths(self, after: int, until: int) -> AlongPaths | None:
        """Iterations after + 1 to `until` where they leave all their updates to be understood; else None."""
        with self._lock:
            if after < 0 and self._offset.first(1)[0] == 0:
                after = 0  # nothing was inherited
            if after < 0 or after >= until or not self._parts or after < self._parts[0].first:
                return None
            if not all(part.is_along for part in self._parts_in(after, until)):
                return None
            left = LeftUpdates(*self._left(after, until), UpdateRows.absent(until - after))
            return AlongPaths(left, self._parts[-1].paths)

    def magnitudes(self, row: int) -> tuple[Floats, float, int]:
        """Values that occur among the updates from that row on, where a question before has ended or none has been,
        no less than the sum of the magnitudes of these updates, and the row behind them."""
        with self._lock:
            if row < self._n_written:
                end = min(row + AT_ONCE, self._n_written)
                values = self.first("value", end)[row:]
                with np.errstate(over="ignore"):
                    return values, float(np.abs(values).sum()), end
            rows = [part.row for part in self._parts]
            part = self._parts[bisect_right(rows, row) - 1]
            left = self._of_part(part, part.first, part.first + part.n)
            worth = left.worth if part.is_along else left.worth[left.along]
            told = left.told.value
            with np.errstate(over="ignore"):
                total = float(np.abs(worth).sum()) * part.longest + float(np.abs(told).sum())
            values = np.concatenate([worth.ravel(), told]) if len(told) else worth.ravel()
            return values, total, part.row + part.n_rows
