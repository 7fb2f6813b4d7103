"""A column whose numbers are computed when they are needed: for a few rows alone, or for all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import cast

import numpy as np
import numpy.typing as npt
from numpy.lib.mixins import NDArrayOperatorsMixin

from mcts_viz.types import Ints, Numbers, is_whole

Some = Callable[[Ints], Numbers]  # the numbers of these rows
Span = Callable[[int, int], Numbers]  # of the rows from the first to just before the second


class DeferredColumn(NDArrayOperatorsMixin):
    """N numbers that stand for an array: a row gives a number, a slice or an array of rows an array; whatever else an
    array can do is done with all of them, which takes as long and as much memory as there are."""

    def __init__(self, n: int, dtype: npt.DTypeLike, some: Some, span: Span | None = None) -> None:
        """span: of neighbouring rows, where that is quicker than one by one."""
        self._n, self.dtype = n, np.dtype(dtype)
        self._some = some
        self._span = span or (lambda begin, end: some(np.arange(begin, end)))

    @property
    def as_array(self) -> Numbers:
        """Itself, typed as an array."""
        return cast(Numbers, self)

    def first(self, n: int) -> DeferredColumn:
        """The first n numbers, none of them computed yet."""
        return DeferredColumn(n, self.dtype, self._some, self._span)

    def __len__(self) -> int:
        return self._n

    @property
    def shape(self) -> tuple[int]:
        """Of an array."""
        return (self._n,)

    def __getitem__(self, key: int | slice | Numbers) -> Numbers:
        if is_whole(key):
            row = int(key) + (self._n if key < 0 else 0)
            if not 0 <= row < self._n:
                raise IndexError(f"row {key} of {self._n}")
            return cast(Numbers, self._some(np.array([row]))[0])
        if isinstance(key, slice):
            begin, end, step = key.indices(self._n)
            if step != 1:
                return self._some(np.arange(begin, end, step))
            return self._span(begin, max(begin, end))
        if isinstance(key, tuple) or np.asarray(key).dtype == np.bool_:
            return cast(Numbers, np.asarray(self)[key])
        rows = np.asarray(key)
        if rows.size == 0:
            return np.zeros(rows.shape, self.dtype)
        rows = np.where(rows < 0, rows + self._n, rows).astype(np.int64)
        if rows.min() < 0 or rows.max() >= self._n:
            raise IndexError(f"rows {rows.min()} to {rows.max()} of {self._n}")
        return self._some(rows.ravel()).reshape(rows.shape)

    def __setitem__(self, key: object, value: object) -> None:
        raise ValueError("assignment destination is read-only")  # as numpy says it

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> Numbers:
        return self._span(0, self._n).astype(dtype or self.dtype, copy=False)

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: object, **keywords: object
    ) -> object:
        arrays = [np.asarray(each) if isinstance(each, DeferredColumn) else each for each in inputs]
        return getattr(ufunc, method)(*arrays, **keywords)

    def __iter__(self) -> Iterator[object]:
        return iter(np.asarray(self))

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(np.asarray(self), name)  # max, sum, tolist, astype …


def by_blocks(rows: Ints, dtype: npt.DTypeLike, length: int, span: Span) -> Numbers:
    """[k] the numbers of some rows, for each block of so many neighbours, among which are some of these, at once."""
    found = np.empty(len(rows), dtype)
    order = np.argsort(rows, kind="stable")
    further = np.flatnonzero(np.diff(rows[order] // length)) + 1
    for some in np.split(order, further):
        if len(some):
            begin, end = int(rows[some[0]]), int(rows[some[-1]]) + 1
            found[some] = span(begin, end)[rows[some] - begin]
    return found


def first_of(column: Numbers, n: int) -> Numbers:
    """The first n numbers of an array, or of a column that stands for one."""
    return column.first(n).as_array if isinstance(column, DeferredColumn) else column[:n]
