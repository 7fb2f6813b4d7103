"""The memory of this machine, by which defaults go, and that which this program no longer needs."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import math
import os
import tempfile
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

import numpy as np
import numpy.typing as npt

from mcts_viz.types import Numbers

MEGABYTE = 1 << 20
ON_DISK = 64 * MEGABYTE  # from which on an array lies in a file
# for a column of this many values, this many times as much room is made
LONG, MUCH_LONGER = 1 << 17, 32
CACHE = "MCTS_VIZ_CACHE"  # of the environment: a folder for what can be made again
UNKNOWN = 4 << 30  # bytes that are assumed where the system does not tell
LIMITS = (
    "/sys/fs/cgroup/memory.max",
    "/sys/fs/cgroup/memory/memory.limit_in_bytes",
)  # of a container


@functools.cache
def machine_memory() -> float:
    """Bytes of it; of a container, what that may use."""
    try:
        found = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # Windows
        return UNKNOWN
    return min([found, *map(_limit, LIMITS)])


def available_memory() -> float:
    """Bytes that are free, or would be; all of the machine's where the system does not tell."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        free = next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable:"))
    except (OSError, ValueError, StopIteration):
        return machine_memory()
    return min(free * 1024, machine_memory())


def _limit(name: str) -> float:
    """What a file of the system says; no limit where it says "max", or is not there."""
    try:
        return int(Path(name).read_text(encoding="ascii"))
    except (OSError, ValueError):
        return math.inf


def give_back() -> None:
    """Let the system have what was freed: the C library keeps it, a third of what a server has that follows a
    recording, whose columns are moved again and again. Takes some milliseconds; nothing where there is no such
    function."""
    with contextlib.suppress(OSError, TypeError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def cache_folder() -> Path:
    """The user's own folder for what can be made again."""
    named = (
        os.environ.get(CACHE) or os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    )
    return (Path(named) if named else Path.home() / ".cache") / "mcts_viz"


def pieces(n: int, at_once: int = 1 << 20, begin: int = 0) -> Iterator[slice]:
    """The places from `begin` to just before n, some at a time."""
    for first in range(begin, n, at_once):
        yield slice(first, min(first + at_once, n))


def roomy(n: int, dtype: npt.DTypeLike) -> Numbers:
    """[n] zeros. A long array lies in a nameless file of the cache folder, so that the system can put it aside where
    memory is short; in memory where the disk has no room for it. For what one process needs for a while: those forked
    later on share it."""
    return Room().longer(np.zeros(0, dtype), n)


def in_pieces(n: int, dtype: npt.DTypeLike, of: Callable[[slice], Numbers]) -> Numbers:
    """[n] numbers that are worked out some at a time, in `roomy`."""
    found = roomy(n, dtype)
    for some in pieces(n):
        found[some] = of(some)
    return found


def room_for(n: int, room: int, itemsize: int) -> int:
    """How many values to make room for, where there is room for some and n have to go there.

    Memory is taken when it is written to, and taking it is what takes the time: a long column is seldom moved, the room
    behind it costs nothing as long as it is of zeros. One in a file is not moved, and its room is taken at once."""
    if room < LONG:
        return max(n, 2 * room)
    in_memory = ON_DISK // itemsize - 1
    if n <= in_memory:
        return max(n, min(MUCH_LONGER * room, in_memory))
    return max(n, room + room // 4)


class Room:
    """Where a column lies that grows at its end; see `roomy`. Once it lies in a file, it grows without being moved."""

    def __init__(self) -> None:
        self._file: IO[bytes] | None = None

    def longer(self, values: Numbers, n: int, zeros: bool = True) -> Numbers:
        """[n] the values, which lie here or are none yet, and zeros behind them; anything where no zeros are asked
        for: numpy then has large pages, which are looked through sooner."""
        if n * values.itemsize >= ON_DISK:
            with contextlib.suppress(OSError, AttributeError):  # no room, or Windows
                return self._in_file(values, n)
        if self._file is not None:
            self._file.close()
            self._file = None
        longer = (np.zeros if zeros and n > len(values) else np.empty)(n, values.dtype)
        longer[: len(values)] = values
        return longer

    def _in_file(self, values: Numbers, n: int) -> Numbers:
        is_new, file = self._file is None, self._file or self._begin()
        # room is taken now: a disk that is full later on would end the process
        os.posix_fallocate(file.fileno(), 0, n * values.itemsize)
        longer: Numbers = np.memmap(file, values.dtype, "r+", shape=(n,)).view(np.ndarray)
        if is_new:
            longer[: len(values)] = values
        return longer

    def _begin(self) -> IO[bytes]:
        cache_folder().mkdir(parents=True, exist_ok=True)
        file = self._file = tempfile.TemporaryFile(dir=cache_folder())  # noqa: SIM115 (grows with the column)
        weakref.finalize(self, file.close)
        return file
