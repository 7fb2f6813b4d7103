"""Columns that are written one batch after the other while nobody knows how long they will be: each in a file of its
own, which goes into the index in the end.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

import numpy as np

from mcts_viz.trace.memory import pieces
from mcts_viz.types import Numbers

AT_ONCE = 1 << 22  # numbers that are copied at once


class Spool:
    """Columns by name. Raises OSError where there is no room on the disk."""

    def __init__(self, path: Path, types: Mapping[str, str]) -> None:
        """path: of the index in the making, beside which the files lie. types: of numpy, little-endian."""
        self._path, self._types = path, types
        self._files: dict[str, BinaryIO] = {}
        self._n: dict[str, int] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._files

    def begin(self, name: str, n: int = 0, fill: float = 0) -> None:
        """A column, with so many numbers that are all the same."""
        self._files[name] = self._place(name).open("x+b")
        self._n[name] = 0
        for begin in range(0, n, AT_ONCE):
            self.extend(name, np.full(min(AT_ONCE, n - begin), fill))

    def extend(self, name: str, values: Numbers) -> None:
        """Append numbers to a column."""
        self._files[name].write(np.ascontiguousarray(values, np.dtype(self._types[name])).data)
        self._n[name] += len(values)

    @property
    def names(self) -> list[str]:
        """Of the columns."""
        return [*self._files]

    def column(self, name: str) -> tuple[str, int]:
        """Type and length of a column."""
        return self._types[name], self._n[name]

    def parts(self, name: str) -> Iterator[Numbers]:
        """What is in a column, a part after the other."""
        file = self._files[name]
        file.seek(0)
        for some in pieces(self._n[name], AT_ONCE):
            yield np.fromfile(file, self._types[name], some.stop - some.start)

    def drop(self, name: str) -> None:
        """A column is not needed any more."""
        self._files.pop(name).close()
        with contextlib.suppress(OSError):
            self._place(name).unlink()

    def move(self, name: str, into: Numbers) -> None:
        """Copy a column to where it stays, and let its file go."""
        for some, part in zip(pieces(len(into), AT_ONCE), self.parts(name)):
            into[some] = part
        self.drop(name)

    def remove(self) -> None:
        """Nothing of it is needed any more."""
        while self._files:
            self.drop(next(iter(self._files)))

    def _place(self, name: str) -> Path:
        # such that what is left of it by a process that was killed is found as other unfinished parts are
        return self._path.with_name(f"{self._path.stem}.{name}{self._path.suffix}")
