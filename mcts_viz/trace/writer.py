"""Writes a trace file while a search runs.

Append-only: whatever has been written as a whole batch stays readable when the process dies. Knows
rows, not searches.
"""

from __future__ import annotations

import contextlib
import errno
import gc
import io
import math
import numbers
import os
import time
import weakref
from collections.abc import Callable, Collection
from pathlib import Path

import pyarrow as pa

from mcts_viz.errors import TraceError, TraceWriteError
from mcts_viz.trace.batches import BATCH_CRC_KEY, beyond, checksum, to_batch
from mcts_viz.trace.format import (
    BATCH_ITERATIONS,
    BATCH_SECONDS,
    MANY_SUFFIX,
    NEWEST_VERSION,
    SUFFIX,
    Rows,
    schema,
)
from mcts_viz.trace.liveness import hold, release
from mcts_viz.trace.meta import version_of
from mcts_viz.trace.reader import TraceFile
from mcts_viz.trace.rows import joined
from mcts_viz.types import ReadDocument

# level 3 makes a file 1 % smaller, of Tic-Tac-Toe 2 %, and takes the writer a quarter longer; the fast ones below level
# 1 make it a fifth to a half larger
ZSTD_LEVEL = 1
MOST_KEPT = 256 << 20  # bytes of messages held in memory; where there are more, none is

# what cannot be put on a disk by force, such as a device or a file system without it
NO_SYNC = {errno.EINVAL, errno.ENOTSUP, errno.ENOSYS, errno.EROFS}
# a name that is wrong, rather than a disk
NO_SUCH_NAME = {None, errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG, errno.ELOOP}

_WRITERS: weakref.WeakSet[TraceWriter] = weakref.WeakSet()  # of this process


class TraceWriter:
    """Collects rows into batches and writes them to `path`. Use as a context manager, or call
    `close`.

    Raises TraceError when the file is being written already, in this process or another one, and its
    TraceWriteError when it cannot be made or the disk is full; what was written before stays a valid
    trace. A forked process that inherits the writer cannot write.
    """

    def __init__(
        self,
        path: str | Path,
        meta: ReadDocument,
        clock: Callable[[], float] = time.monotonic,
        keep: bool = False,
        sync: float | None = None,
        without: Collection[str] = (),
    ) -> None:
        """`keep`: hold what is written in memory as well, as the file has it, up to `MOST_KEPT`. `sync`: seconds
        after which what was written is on the disk, whatever happens to the machine; None: at the end. `without`:
        columns that no row is going to have, of those that a file may lack."""
        self.path = Path(path)
        if self.path.suffix.lower() == MANY_SUFFIX:  # by which readers take it for many searches
            raise TraceError(
                f"{path}: {MANY_SUFFIX} is the suffix of a file of many searches; name it {self.path.stem}{SUFFIX}, or "
                "add the search to such a file: ManyWriter(path).append(trace)"
            )
        self._sync_seconds = checked_sync(sync)
        self._unsafe = False  # whether a power failure could take some of it
        self._failed: TraceWriteError | None = None  # why it is closed, where that is no end
        # messages of whole batches, where they are kept
        self.kept: list[bytes] | None = [] if keep else None
        self.bytes_kept = 0
        self._schema, self._without = schema(meta, without), without
        self._version = version_of(meta, NEWEST_VERSION)
        self._clock = clock
        # called with each batch once it is in the file, the bytes before it, and its bytes
        self.told: Callable[[Rows, int, int], object] | None = None
        self._waiting: list[Rows] = []
        self._n_waiting = 0
        self._last_write = self._last_sync = clock()
        self._size = 0  # bytes written, whole messages only
        self._message = io.BytesIO()  # what Arrow has written and the file has not yet
        self._process = os.getpid()
        self._file = emptied(self.path)
        _WRITERS.add(self)
        # threads of Arrow's own would take the processor that the search runs on
        options = pa.ipc.IpcWriteOptions(
            compression=pa.Codec("zstd", ZSTD_LEVEL), use_threads=False
        )
        self._stream = pa.ipc.new_stream(self._message, self._schema, options=options)
        # Arrow writes the header together with the first batch; a follower should find it at once
        header = self._schema.serialize().to_pybytes()
        self._put(header)
        self._unsafe = False
        self._twice = len(header)  # bytes of Arrow's that are in the file already

    def append(self, rows: Rows) -> None:
        """Add rows; the writer keeps them until their batch is full, so they must not change any
        more."""
        if not rows.n and not rows.asides.played:
            return
        if self._n_waiting + rows.n > BATCH_ITERATIONS:
            self.flush()
        self._waiting.append(rows)
        self._n_waiting += rows.n
        if self._n_waiting >= BATCH_ITERATIONS or self.is_due:
            self.flush()

    @property
    def is_due(self) -> bool:
        """Whether the last batch was written so long ago that the next one should be, full or not."""
        return self.since_last_write >= BATCH_SECONDS

    @property
    def since_last_write(self) -> float:
        """Seconds."""
        return self._clock() - self._last_write

    @property
    def has_waiting(self) -> bool:
        """Whether the writer still needs the arrays of rows that it was given."""
        return bool(self._waiting)

    def keep_up(self) -> None:
        """Write what has been waiting for too long: to be called now and then while nothing comes."""
        if self.is_due:
            self.flush()
        self.make_safe()

    def make_safe(self) -> None:
        """Have what was written put on the disk, where that is due."""
        every = self._sync_seconds
        if every is not None and self._unsafe and self._clock() - self._last_sync >= every:
            self._sync()

    def flush(self) -> None:
        """Write what is waiting as one batch, so that a reader of the file sees it."""
        if self._waiting:
            rows = joined(self._waiting)
            message = self._write(rows)
            self._waiting.clear()
            self._n_waiting = 0
            if self.told is not None:
                self.told(rows, self._size - len(message), len(message))

    def close(self) -> None:
        """Write the rest and the end-of-stream mark, which tells a complete trace from an
        interrupted one."""
        if self._file.closed:
            return
        try:
            self.flush()
            self._stream.close()
            self._put(self._made())
            self._sync()
        finally:
            self._close_file()

    def abandon(self) -> None:
        """Write the rest but no end mark: the trace will be read as an interrupted one."""
        if self._file.closed:
            return
        try:
            if self._is_mine:
                self.flush()
                if self._unsafe:
                    self._sync()
        finally:
            self._close_file()

    def reader(self) -> TraceFile:
        """The file as a reader sees it, from its first moment."""
        try:
            return TraceFile(self.path)
        except TraceError as err:  # too many files are open, say
            self._close_file()
            raise TraceWriteError(str(err)) from err

    def __enter__(self) -> TraceWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.close()
        else:
            self.abandon()

    def _write(self, rows: Rows) -> bytes:
        """Write them as one message, and give that."""
        lost = beyond(rows, self._version, self._without)
        if lost:  # a fault of the program that makes the rows: better an error than a column less
            raise TraceError(
                f"{self.path}: format version {self._version} has no place for {', '.join(lost)}; give the trace's "
                "metadata the format_version that has it, see docs/trace-format.md"
            )
        batch = to_batch(rows, self._schema)
        custom = {BATCH_CRC_KEY: b"%08x" % checksum(rows, self._version)}
        custom |= {key.encode(): told for key, told in rows.asides.custom_metadata().items()}
        self._stream.write_batch(batch, custom_metadata=custom)
        message = self._made()
        self._put(message)
        self._hold(message)
        self._last_write = self._clock()
        self.make_safe()
        return message

    def _hold(self, message: bytes) -> None:
        """Keep it in memory, if that is wanted and has not become too much."""
        if self.kept is None:
            return
        if self.bytes_kept + len(message) > MOST_KEPT:
            self.kept, self.bytes_kept = None, 0
            return
        self.kept.append(message)
        self.bytes_kept += len(message)

    def _made(self) -> bytes:
        """What Arrow has written since the last time."""
        made = self._message.getvalue()[self._twice :]
        self._message.seek(0)
        self._message.truncate()
        self._twice = 0
        return made

    def writes(self, there: os.stat_result) -> bool:
        """Whether the writer has that file open."""
        if self._file.closed or not self._is_mine:
            return False
        try:
            return os.path.samestat(os.fstat(self._file.fileno()), there)
        except (OSError, ValueError):
            return False  # its own thread has just closed it

    @property
    def _is_mine(self) -> bool:
        """Whether this process made the file, and was not forked from the one that did."""
        return self._process == os.getpid()

    def _close_file(self) -> None:
        if self._is_mine and not self._file.closed:
            release(self._file)
        self._file.close()

    def _put(self, message: bytes) -> None:
        """Write a message to the file, whole or not at all."""
        if self._failed is not None:
            raise self._failed
        if not self._is_mine:
            raise TraceError(
                f"{self.path}: is written by the process that began it, from which this one was forked; record to "
                "another path here"
            )
        try:
            written = 0
            while written < len(message):
                written += self._file.write(memoryview(message)[written:])
        except OSError as err:
            raise self._given_up(err) from err
        self._size += len(message)
        self._unsafe = True

    def _sync(self) -> None:
        """Have the disk take what was written, and the folder the file's name."""
        self._last_sync = self._clock()
        try:
            os.fsync(self._file.fileno())
        except OSError as err:
            if err.errno not in NO_SYNC:
                raise self._given_up(err) from err
        self._unsafe = False
        with contextlib.suppress(OSError):  # Windows opens no folders
            folder = os.open(self.path.resolve().parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)

    def _given_up(self, err: OSError) -> TraceWriteError:
        """Close without the message that could not be written, and without a file that holds nothing; the
        error to raise."""
        self._waiting.clear()
        with contextlib.suppress(OSError):  # a device, say, which has no length
            self._file.truncate(self._size)
        with contextlib.suppress(OSError):
            self._close_file()
        holds = "what was written before can still be opened"
        if self._size == 0 and self.path.is_file():
            with contextlib.suppress(OSError):
                self.path.unlink()
            holds = "nothing was written"
        self._failed = TraceWriteError(
            f"{self.path}: writing the trace failed: {err.strerror or err}. Make room or choose another path; {holds}"
        )
        return self._failed


def checked_sync(seconds: object) -> float | None:
    """Seconds between two times that a recording is put on the disk; raises TraceError for what is none."""
    if seconds is None:
        return None
    is_number = isinstance(seconds, numbers.Real) and not isinstance(seconds, bool)
    if not is_number or math.isnan(float(seconds)) or float(seconds) < 0:  # type: ignore[arg-type]
        raise TraceError(
            f"sync={seconds!r} is no number of seconds; write one from 0 (every batch) up, or None for the end alone"
        )
    return float(seconds)  # type: ignore[arg-type]


def emptied(path: Path) -> io.FileIO:
    """The file, opened to be written from its beginning; raises TraceError for a file that is being
    written, which stays as it is."""
    try:
        if _is_ours(path):
            raise TraceError(
                f"{path}: this program is recording into this file already; end that recording with its close(), or "
                "choose another path"
            )
        file = io.FileIO(path, "wb", opener=_open_as_it_is)
    except FileNotFoundError as err:
        raise TraceError(
            f"{path}: the trace cannot be written: its folder does not exist; create it first, or choose another path"
        ) from err
    except (OSError, ValueError) as err:
        reason = getattr(err, "strerror", None) or err
        kind = TraceError if getattr(err, "errno", None) in NO_SUCH_NAME else TraceWriteError
        raise kind(f"{path}: the trace cannot be written: {reason}; choose another path") from err
    if not hold(file):
        file.close()
        raise TraceError(
            f"{path}: another process is recording into this file; let it end, or choose another path"
        )
    with contextlib.suppress(OSError):  # a device, say, which has no length
        file.truncate(0)
    return file


def _is_ours(path: Path) -> bool:
    """Whether a writer of this process has the file open, and is not just waiting to be forgotten."""
    if not path.is_file() or not _writing(path.stat()):
        return False
    gc.collect()
    return _writing(path.stat())


def _writing(there: os.stat_result) -> bool:
    return any(writer.writes(there) for writer in list(_WRITERS))


def _open_as_it_is(path: str, flags: int) -> int:
    """Without emptying it."""
    return os.open(path, flags & ~os.O_TRUNC, 0o666)
