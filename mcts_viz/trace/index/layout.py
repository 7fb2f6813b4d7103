"""The file of an index: a head, and columns of numbers that are mapped into memory; see docs/index-format.md.

The trace stays the truth: an index is made anew whenever it is not whole, not of this version, or not of this very
trace.
"""

from __future__ import annotations

import contextlib
import errno
import json
import mmap
import os
import shutil
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mcts_viz.types import Document, Numbers, is_whole

MAGIC = b"MCTSINDX"
VERSION = 6
HEAD = 1 << 16  # bytes, in which the head has room
ALIGNED = 4_096  # bytes; columns begin at multiples
SAMPLES, SAMPLE = 32, 4_096  # places of a file that are looked at, and bytes there
AT_ONCE = 1 << 22  # bytes of a column for which room is taken
# where a file system cannot take room
CANNOT_TELL = {errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP}
ROOM = 1 << 26  # bytes that stay free on the disk
END = b"whole\n\0\0"  # written last


class Section(NamedTuple):
    """A column in the file."""

    dtype: str  # of numpy, little-endian
    n: int  # values
    begin: int  # byte


class Stamp(NamedTuple):
    """What tells the file of a trace from any other."""

    length: int  # bytes
    modified: int  # nanoseconds
    checksum: int  # of samples of it, its head and its tail among them


def stamp_of(path: Path) -> Stamp:
    """The stamp of a file; raises OSError."""
    with path.open("rb") as file:
        status = os.fstat(file.fileno())
        length = status.st_size
        checksum = 0
        for place in np.linspace(0, max(length - SAMPLE, 0), SAMPLES).astype(np.int64).tolist():
            file.seek(place)
            checksum = zlib.crc32(file.read(SAMPLE), checksum)
    return Stamp(length, status.st_mtime_ns, checksum)


class NotThisIndexError(Exception):
    """A file that is no index, or not of this trace; in words why."""


class IndexWriter:
    """An index in the making: a file whose columns are filled in place, and further ones are added behind them. Room on
    the disk is taken before something is written there (`reserve`): a mapped file without it would end the process."""

    def __init__(self, path: Path, columns: Mapping[str, tuple[str, int]]) -> None:
        """columns: types and lengths, at most; all zeros. Raises OSError where there is no room on the disk."""
        self._path = path
        self._make(columns)

    def _make(self, columns: Mapping[str, tuple[str, int]]) -> None:
        path = self._path
        self._sections, self._end = dict[str, Section](), HEAD
        self._reserved = dict.fromkeys(columns, 0)  # bytes
        for name, (dtype, n) in columns.items():
            self._sections[name] = Section(dtype, n, self._end)
            self._end += _room(n * np.dtype(dtype).itemsize)
        free = shutil.disk_usage(path.parent).free
        if free < self._end + ROOM:
            raise OSError(
                f"{path.parent}: {self._end >> 20:,} MB are needed, and {free >> 20:,} MB are free"
            )
        self._file = path.open("x+b")
        try:
            self._file.truncate(self._end)
            mapped = mmap.mmap(self._file.fileno(), self._end)
        except BaseException:
            self._file.close()
            path.unlink()
            raise
        self._columns = _columns(mapped, self._sections)

    def __getitem__(self, name: str) -> Numbers:
        return self._columns[name]

    def __contains__(self, name: str) -> bool:
        return name in self._columns

    @property
    def names(self) -> list[str]:
        """Of the columns that are filled in place."""
        return [*self._columns]

    def reserve(self, name: str, n: int) -> None:
        """Take room for the first n values of a column. Raises OSError where there is none."""
        dtype, most, begin = self._sections[name]
        size, there = np.dtype(dtype).itemsize, self._reserved[name]
        if n * size > there:
            end = min(max(n * size, there + AT_ONCE), most * size)
            _take_room(self._file.fileno(), begin + there, end - there)
            self._reserved[name] = end

    def cut(self, lengths: Mapping[str, int]) -> None:
        """Let columns have no more than so many values. Where they were given much more room the file is written anew:
        a copy of it would take all of that."""
        for name, n in lengths.items():
            self._sections[name] = self._sections[name]._replace(n=n)
            self._columns[name] = self._columns[name][:n]
        needed = {name: (each.dtype, each.n) for name, each in self._sections.items()}
        if 2 * sum(n * np.dtype(dtype).itemsize for dtype, n in needed.values()) < self._end:
            written = {name: self._columns[name] for name, n in self._reserved.items() if n}
            self.remove()
            self._make(needed)
            for name, values in written.items():
                self.reserve(name, len(values))
                self._columns[name][:] = values

    def drop(self, name: str) -> None:
        """Leave out a column that the file was made with and that was never written to."""
        left = self._sections.pop(name)
        if all(each.begin < left.begin for each in self._sections.values()):
            self._end = left.begin

    def add(self, name: str, values: Numbers) -> None:
        """One more column."""
        self.add_parts(name, values.dtype, [values])

    def add_parts(self, name: str, dtype: npt.DTypeLike, parts: Iterable[Numbers]) -> None:
        """The same, a part after the other."""
        type_, n = np.dtype(dtype).newbyteorder("<"), 0
        self._file.seek(self._end)
        for part in parts:
            self._file.write(np.ascontiguousarray(part.ravel(), type_).data)
            n += part.size
        self._sections[name] = Section(type_.str, n, self._end)
        self._end += _room(n * type_.itemsize)

    def finish(self, stamp: Stamp, about: Document) -> None:
        """Write the head, and the end: from here on it is an index."""
        length = self._end + len(END)
        head = {"stamp": stamp, "length": length, "sections": self._sections, **about}
        document = json.dumps(head, allow_nan=False).encode()
        file = self._file
        file.truncate(length)
        file.seek(self._end)
        file.write(END)
        file.flush()
        os.fsync(file.fileno())
        file.seek(0)
        file.write(MAGIC + VERSION.to_bytes(4, "little") + len(document).to_bytes(4, "little"))
        file.write(zlib.crc32(document).to_bytes(4, "little") + document)
        file.flush()
        os.fsync(file.fileno())
        self._let_go()

    def remove(self) -> None:
        """There will be no such file."""
        self._let_go()
        with contextlib.suppress(OSError):  # Windows, where somebody still looks at a column
            self._path.unlink()

    def _let_go(self) -> None:
        self._columns = {}
        self._file.close()


def _take_room(file: int, begin: int, n: int) -> None:
    try:
        os.posix_fallocate(file, begin, n)
    except AttributeError:
        pass  # Windows and macOS
    except OSError as err:
        if err.errno not in CANNOT_TELL:
            raise


def _room(n_bytes: int) -> int:
    return -(-n_bytes // ALIGNED) * ALIGNED


class IndexFile:
    """The columns of an index by name, mapped, and what its head says."""

    def __init__(self, columns: Mapping[str, Numbers], about: Document) -> None:
        self._columns, self.about = columns, about

    def __getitem__(self, name: str) -> Numbers:
        return self._columns[name]

    def __contains__(self, name: str) -> bool:
        return name in self._columns

    def get(self, name: str, default: Numbers) -> Numbers:
        """A column, or what stands for it where there is none."""
        return self._columns.get(name, default)

    def find(self, name: str) -> Numbers | None:
        """A column, None where there is none."""
        return self._columns.get(name)

    @classmethod
    def open(cls, path: Path, stamp: Stamp) -> IndexFile:
        """The index of the trace with that stamp. Raises NotThisIndexError for any other file, OSError for none."""
        with path.open("rb") as file:
            head = file.read(HEAD)
            length = os.fstat(file.fileno()).st_size
            about = _head(head, length)
            if Stamp(*about["stamp"]) != stamp:
                raise NotThisIndexError("it is of another trace, or the trace has changed")
            file.seek(length - len(END))
            if file.read() != END:
                raise NotThisIndexError("it is not whole")
            mapped = mmap.mmap(file.fileno(), length, access=mmap.ACCESS_READ)
        sections = {name: Section(*each) for name, each in about["sections"].items()}
        return cls(_columns(mapped, sections), about)


def _columns(mapped: mmap.mmap, sections: Mapping[str, Section]) -> dict[str, Numbers]:
    return {
        name: np.frombuffer(mapped, np.dtype(each.dtype), each.n, each.begin)
        for name, each in sections.items()
    }


def _head(head: bytes, length: int) -> Document:
    """What the head of an index says; raises NotThisIndexError."""
    if head[: len(MAGIC)] != MAGIC:
        raise NotThisIndexError("it is no index")
    version, n, checksum = (int.from_bytes(head[at : at + 4], "little") for at in (8, 12, 16))
    document = head[20 : 20 + n]
    if version != VERSION:
        raise NotThisIndexError(f"its version is {version}, this is {VERSION}")
    if zlib.crc32(document) != checksum:
        raise NotThisIndexError("its head is damaged")
    about: Document = json.loads(document)
    if not is_whole(about.get("length")) or about["length"] != length:
        raise NotThisIndexError("it is cut off")
    return about
