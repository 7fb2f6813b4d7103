"""Columns that grow at the end, never change and never move under a reader.

One writer may append while others read. Arrays handed out earlier stay as they were, for growing makes new ones.
"""

from __future__ import annotations

import threading
from typing import Protocol, cast

import numpy as np
import numpy.typing as npt

from mcts_viz.trace.groups import (
    AnyLists,
    AnyOptional,
    Column,
    Group,
    OptionalColumn,
    Text,
    Texts,
)
from mcts_viz.trace.memory import LONG, Room, room_for
from mcts_viz.types import Document, Numbers

MOST_ROOM = 1 << 25  # values that room is made for on an estimate


class HasIterations(Protocol):
    """A trace in memory."""

    n_iterations: int


class GrowingColumn:
    """One column: appended parts are joined when the column is first read, so that recording costs
    the search nothing here. The room at least doubles each time, so that joining costs O(1) a value on average."""

    def __init__(self, dtype: np.dtype) -> None:
        self.dtype = dtype
        self._room = Room()
        self._values: Numbers = np.zeros(0, dtype)  # with room to spare
        self._n = 0  # values in it
        self._waiting: list[Numbers] = []
        self._lock = threading.Lock()

    def extend(self, more: Numbers) -> None:
        """Append values, which must not change any more."""
        self._waiting.append(more)

    def first(self, n: int) -> Numbers:
        """The first n values, not to be written to."""
        if n > self._n:
            self.join()
        view = self._values[:n]
        view.flags.writeable = False
        return view

    def set(self, place: int, value: float | str) -> None:
        """Put a number in the place of another one, also for those who look already."""
        self.join()
        self._values[place] = value

    def join(self, room: float = 1.0) -> None:
        """Join the waiting parts; `room`: how many times as many values are expected in the
        end. (Room that is never used is never given memory.)"""
        with self._lock:
            parts = self._waiting[:]  # more may come meanwhile
            end = self._n + sum(len(part) for part in parts)
            if end > len(self._values):
                n = room_for(end, len(self._values), self.dtype.itemsize)
                n = max(n, int(min(end * room, MOST_ROOM)))
                # of one that grows on and on the pages come as it is written to
                goes_on = len(self._values) >= LONG
                self._values = self._room.longer(self._values[: self._n], n, zeros=goes_on)
            start = self._n
            for part in parts:
                self._values[start : start + len(part)] = part
                start += len(part)
            self._n = end  # last: from here on they are found
            del self._waiting[: len(parts)]


class GrowingAlike(GrowingColumn):
    """One column that takes no memory as long as all its numbers are the one that most traces have there: memory that a
    program did not have before is what takes the time when a trace is opened."""

    def __init__(self, dtype: np.dtype, usual: float) -> None:
        super().__init__(dtype)
        self._usual, self._is_nan = dtype.type(usual), usual != usual
        self._n_alike, self.all_alike = 0, True

    def extend(self, more: Numbers) -> None:
        if self.all_alike and np.all(np.isnan(more) if self._is_nan else more == self._usual):
            self._n_alike += len(more)
            return
        self._fill()
        super().extend(more)

    def _fill(self) -> None:
        if self.all_alike:
            super().extend(np.broadcast_to(self._usual, self._n_alike))
            self.all_alike = False  # last: from here on they are found

    def first(self, n: int) -> Numbers:
        return self.alike(n) if self.all_alike else super().first(n)

    def alike(self, n: int) -> Numbers:
        """So many of that number."""
        return np.broadcast_to(self._usual, n)

    def set(self, place: int, value: float | str) -> None:
        self._fill()
        super().set(place, value)


class GrowingOptional:
    """One column of numbers; None until a row has one."""

    def __init__(self, column: AnyOptional) -> None:
        self._column = column
        self._numbers: GrowingColumn | None = None
        self._n = 0

    def extend(self, more: Numbers | None, n: int) -> None:
        """Append the numbers of n rows."""
        if more is not None and self._numbers is None:
            self._begin()
        if self._numbers is not None:
            self._numbers.extend(self._column.filled(n) if more is None else more)
        self._n += n

    def _begin(self) -> GrowingColumn:
        self._numbers = GrowingColumn(self._column.dtype)
        self._numbers.extend(self._column.filled(self._n))
        return self._numbers

    def set(self, place: int, value: float | str) -> None:
        """Put a number in the place of another one."""
        (self._numbers or self._begin()).set(place, value)

    def first(self, n: int) -> Numbers | None:
        """The first n numbers."""
        return None if self._numbers is None else self._numbers.first(n)


class GrowingTexts:
    """One column of texts; None until a row has one."""

    def __init__(self) -> None:
        self._texts: Texts | None = None
        self._n = 0

    def extend(self, more: Texts | None, n: int) -> None:
        """Append the texts of n rows."""
        if more is not None and self._texts is None:
            self._texts = [None] * self._n
        if self._texts is not None:
            self._texts.extend([None] * n if more is None else more)
        self._n += n

    def set(self, place: int, value: float | str) -> None:
        """Put a text in the place of another one."""
        if self._texts is None:
            self._texts = [None] * self._n
        self._texts[place] = str(value)

    def first(self, n: int) -> Texts | None:
        """The first n texts, and those behind them."""
        return self._texts


class GrowingGroup:
    """The columns of a group, to which rows are appended."""

    def __init__(self, group: type[Group]) -> None:
        self._numbers = {
            column.name: GrowingColumn(column.dtype)
            if column.usual is None
            else GrowingAlike(column.dtype, column.usual)
            for column in group.columns
            if isinstance(column, Column) and not isinstance(column, OptionalColumn)
        }
        self._derived = {column.name: GrowingColumn(np.dtype(np.int32)) for column in group.derived}
        self._optional: dict[str, GrowingTexts | GrowingOptional] = {
            column.name: GrowingOptional(column)
            if isinstance(column, OptionalColumn)
            else GrowingTexts()
            for column in group.columns
            if isinstance(column, (Text, OptionalColumn))
        }
        self._columns = self._numbers | self._derived | self._optional
        self.n = 0  # rows

    def append(self, rows: Group, iteration: npt.NDArray[np.int32]) -> None:
        """Append rows; `iteration`: of each of them."""
        n = len(rows)
        for name, numbers in self._numbers.items():
            numbers.extend(rows.values[name])
        for derived in self._derived.values():
            derived.extend(iteration)
        for name, optional in self._optional.items():
            optional.extend(rows.values[name], n)
        self.n += n

    def set(self, name: str, place: int, value: float | str) -> None:
        """Put a value in the place of another one."""
        self._columns[name].set(place, value)

    def first(self, name: str, n: int) -> Numbers:  # or texts, or None
        """The first n values of a column."""
        return cast(Numbers, self._columns[name].first(n))

    def join(self, room: float) -> None:
        """See `Columns.join`."""
        for column in (*self._numbers.values(), *self._derived.values()):
            column.join(room)


class GrowingLists(GrowingGroup):
    """Lists of a group in the iterations of a trace, and their values by name: of as many iterations as count."""

    def __init__(self, trace: HasIterations, lists: AnyLists) -> None:
        super().__init__(lists.group)
        self._trace, self._dtype = trace, lists.offset
        self.begin()

    def begin(self) -> None:
        """What was appended so far is there before the first iteration."""
        # of lists that are in no iteration, it takes no memory
        self._offset: GrowingColumn = GrowingAlike(self._dtype, 0)
        self._offset.extend(np.array([self.n], self._dtype))
        # values that were asked for, and after how many iterations: stepping asks for them again and again
        self._known: tuple[int, Document] = (-1, {})

    def append_lists(self, rows: Group, iteration: npt.NDArray[np.int32]) -> None:
        """Append lists; `iteration`: of each of them."""
        offset = rows.offset
        self._offset.extend(offset[1:] + self._dtype.type(self.n) if self.n else offset[1:])
        self.append(rows, _repeated(iteration, np.diff(offset)) if self._derived else iteration)

    def __getitem__(self, name: str) -> Numbers:  # or texts
        n = self._trace.n_iterations
        known = self._known
        if known[0] != n:
            known = self._known = (n, {})
        found: Numbers | None = known[1].get(name)
        if found is None:
            found = offset = self._offset.first(n + 1)
            if name != "offset":
                found = self.first(name, int(offset[-1]))
            known[1][name] = found
        return found

    def join(self, room: float) -> None:
        self._offset.join(room)
        super().join(room)


def _repeated(values: Numbers, times: Numbers) -> Numbers:
    """Each value so many times in a row; of none and one, it takes a few times less long than numpy's."""
    return values[times > 0] if times.max(initial=0) <= 1 else np.repeat(values, times)
