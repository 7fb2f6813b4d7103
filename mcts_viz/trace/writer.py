"""Writes a trace file while a search runs.

Append-only: whatever has been written as a whole batch stays readable when the process dies. Knows
rows, not searches.
"""

from __future__ import annotations

import contextlib
import io
import os
import time
import weakref
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import pyarrow as pa

from mcts_viz.errors import TraceError
from mcts_viz.trace.format import (
    BATCH_CRC_KEY,
    BATCH_ITERATIONS,
    BATCH_SECONDS,
    CHANGES_KEY,
    COUNTER_BUFFERS,
    Rows,
    StateChange,
    changes_document,
    checksum,
    schema,
    to_batch,
)
from mcts_viz.trace.liveness import hold, is_held, release
from mcts_viz.trace.packing import with_packed_counters

# level 2 makes files of Connect Four 2 % smaller, takes a tenth longer and holds a fast search up;
# level 5 makes them 7 % smaller and takes three times as long
ZSTD_LEVEL = 1

# iterations of a batch; packing a smaller one takes the time of an iteration and saves a kilobyte
WORTH_PACKING = 1_024

_WRITERS: weakref.WeakSet[TraceWriter] = weakref.WeakSet()  # of this process


class TraceWriter:
    """Collects rows into batches and writes them to `path`. Use as a context manager, or call
    `close`.

    Raises TraceError when the file cannot be made, another process is writing it, or the disk is full; what
    was written before stays a valid trace. A forked process that inherits the writer cannot write.
    """

    def __init__(
        self,
        path: str | Path,
        meta: Mapping[str, Any],
        clock: Callable[[], float] = time.monotonic,
        keep: bool = False,
    ) -> None:
        """`keep`: hold what is written in memory as well, as the file has it."""
        self.path = Path(path)
        self.kept: list[bytes] = []  # messages of whole batches, where they are to be kept
        self._keep = keep
        self._schema = schema(meta)
        self._clock = clock
        self._waiting: list[Rows] = []
        self._n_waiting = 0
        self._last_write = clock()
        self._size = 0  # bytes written, whole messages only
        self._message = io.BytesIO()  # what Arrow has written and the file has not yet
        self._process = os.getpid()
        self._file = _emptied(self.path)
        _WRITERS.add(self)
        # threads of Arrow's own would take the processor that the search runs on
        options = pa.ipc.IpcWriteOptions(
            compression=pa.Codec("zstd", ZSTD_LEVEL), use_threads=False
        )
        self._stream = pa.ipc.new_stream(self._message, self._schema, options=options)
        # Arrow writes the header together with the first batch; a follower should find it at once
        header = self._schema.serialize().to_pybytes()
        self._put(header)
        self._twice = len(header)  # bytes of Arrow's that are in the file already

    def append(self, rows: Rows) -> None:
        """Add rows; the writer keeps them until their batch is full, so they must not change any
        more."""
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

    def flush(self) -> None:
        """Write what is waiting as one batch, so that a reader of the file sees it."""
        if self._waiting:
            self._write(joined(self._waiting))
            self._waiting.clear()
            self._n_waiting = 0

    def close(self) -> None:
        """Write the rest and the end-of-stream mark, which tells a complete trace from an
        interrupted one."""
        if self._file.closed:
            return
        try:
            self.flush()
            self._stream.close()
            self._put(self._made())
        finally:
            self._close_file()

    def abandon(self) -> None:
        """Write the rest but no end mark: the trace will be read as an interrupted one."""
        if self._file.closed:
            return
        try:
            if self._is_mine:
                self.flush()
        finally:
            self._close_file()

    def __enter__(self) -> TraceWriter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        if kind is None:
            self.close()
        else:
            self.abandon()

    def _write(self, rows: Rows) -> None:
        batch = to_batch(rows, self._schema)
        custom = {BATCH_CRC_KEY: b"%08x" % checksum(rows)}
        if rows.changed_states:
            custom[CHANGES_KEY] = changes_document(rows.changed_states)
        self._stream.write_batch(batch, custom_metadata=custom)
        message = self._made()
        if rows.n >= WORTH_PACKING:
            counters = {number: getattr(rows, name) for number, name in COUNTER_BUFFERS.items()}
            message = with_packed_counters(message, counters)
        self._put(message)
        if self._keep:
            self.kept.append(message)
        self._last_write = self._clock()

    def _made(self) -> bytes:
        """What Arrow has written since the last time."""
        made = self._message.getvalue()[self._twice :]
        self._message.seek(0)
        self._message.truncate()
        self._twice = 0
        return made

    def writes(self, there: os.stat_result) -> bool:
        """Whether that is the file, and still open."""
        if self._file.closed or not self._is_mine:
            return False
        return os.path.samestat(os.fstat(self._file.fileno()), there)

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
            self._give_up()
            raise TraceError(
                f"{self.path}: writing the trace failed: {err.strerror or err}. Make room or choose another path; "
                "what was written before can still be opened"
            ) from err
        self._size += len(message)

    def _give_up(self) -> None:
        """Close without the message that could not be written."""
        self._waiting.clear()
        with contextlib.suppress(OSError):  # a device, say, which has no length
            self._file.truncate(self._size)
        with contextlib.suppress(OSError):
            self._close_file()


def _emptied(path: Path) -> io.FileIO:
    """The file, opened to be written from its beginning; raises TraceError, and leaves alone what
    another process is writing.

    A recording of this process that still writes the file of that name (a notebook's cell run again, say)
    goes on without a name, and a new file takes its place: two writers in one would spoil it for both.
    """
    try:
        if is_held(path) and _is_ours(path):
            return _in_its_place(path.resolve())  # a link stays one
        file = io.FileIO(path, "wb", opener=_open_as_it_is)
    except (OSError, ValueError) as err:
        reason = getattr(err, "strerror", None) or err
        raise TraceError(
            f"{path}: the trace cannot be written: {reason}; choose another path"
        ) from err
    if not hold(file):
        file.close()
        raise TraceError(
            f"{path}: another process is recording into this file; let it end, or choose another path"
        )
    with contextlib.suppress(OSError):  # a device, say, which has no length
        file.truncate(0)
    return file


def _is_ours(path: Path) -> bool:
    """Whether a writer of this process has the file open."""
    there = path.stat()
    return any(writer.writes(there) for writer in list(_WRITERS))


def _in_its_place(path: Path) -> io.FileIO:
    """A new file of that name; the old one is left to who has it open."""
    new = path.with_name(f".{path.name}.{os.getpid()}.{time.monotonic_ns()}")
    file = io.FileIO(new, "xb")
    hold(file)
    try:
        new.replace(path)
    except OSError:
        file.close()
        new.unlink()
        raise
    return file


def _open_as_it_is(path: str, flags: int) -> int:
    """Without emptying it."""
    return os.open(path, flags & ~os.O_TRUNC, 0o666)


def joined(parts: list[Rows]) -> Rows:
    """Several rows after one another as one."""
    if len(parts) == 1:
        return parts[0]
    columns: dict[str, Any] = {}
    for name in Rows._fields:
        values = [getattr(part, name) for part in parts]
        if name.endswith("_offset") and values[0] is not None:
            ends = np.cumsum([0] + [int(value[-1]) for value in values])
            shifted = [value[1:] + end for value, end in zip(values, ends)]
            columns[name] = np.concatenate([values[0][:1], *shifted]).astype(np.int32)
        elif name == "changed_states":
            columns[name] = _joined_changes(parts)
        elif name in ("label", "state"):
            columns[name] = _joined_texts(values, [len(part.parent) for part in parts])
        else:
            columns[name] = None if values[0] is None else np.concatenate(values)
    return Rows(**columns)


def _joined_changes(parts: list[Rows]) -> list[StateChange] | None:
    changes: list[StateChange] = []
    first = 0
    for part in parts:
        changes += [each._replace(row=first + each.row) for each in part.changed_states or ()]
        first += part.n
    return changes or None


def _joined_texts(
    values: list[list[str | None] | None], lengths: list[int]
) -> list[str | None] | None:
    if all(value is None for value in values):
        return None
    texts: list[str | None] = []
    for value, length in zip(values, lengths):
        texts.extend([None] * length if value is None else value)
    return texts
