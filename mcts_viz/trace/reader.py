"""Reads a trace file batch by batch: whole, interrupted, or still growing.

Walks the stream's messages itself, because Arrow's own reader cannot go on after the end of an
unfinished file. Every batch is verified before anybody sees it: framing, types, checksum, and that
its numbers fit together.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from mcts_viz.errors import TraceError, TraceReplacedError
from mcts_viz.trace.format import (
    BATCH_CRC_KEY,
    CHANGES_KEY,
    Rows,
    checksum,
    from_batch,
    read_changes,
    read_meta,
)
from mcts_viz.trace.players import CHANCE

CONTINUATION = b"\xff\xff\xff\xff"
END_MARK = CONTINUATION + b"\0\0\0\0"
# what Arrow raises for bytes that it cannot make sense of
UNREADABLE = (pa.ArrowException, OSError, ValueError, EOFError)
DAMAGED = "the file is damaged there; copy it again from its source, or record the search again"


class TraceFile:
    """A trace file and how far it has been read. Raises TraceError for a file that is not a
    readable trace."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.ended = False  # the end mark was read, or written: nothing will follow
        self._n_iterations = 0
        self._n_nodes = 1
        self._position = 0  # bytes that have been read and understood
        self._header = self._tail = b""  # the first and the last of them
        self.length = 0  # bytes, when it was looked at last
        content = self._unread()
        if len(content) == 0:
            raise TraceError(f"{self.path}: the file is empty; nothing has been recorded into it")
        if content[:4] != CONTINUATION:
            raise TraceError(
                f"{self.path}: not a trace file (it does not begin like an Arrow stream); "
                "open a .mcts file made by `mcts-viz record`, or a snapshot's .json"
            )
        end = self._message_end(content, 0)
        if end is None:
            raise TraceError(
                f"{self.path}: cut off inside its header, at byte {len(content)}: no iteration was recorded yet, or "
                "the file was not copied whole; record the search again, or copy the file again"
            )
        self._header = bytes(content[:end])
        try:
            self.schema = pa.ipc.open_stream(pa.py_buffer(self._header)).schema
        except UNREADABLE as err:
            raise TraceError(
                f"{self.path}: its header, the first {end} bytes, is not readable; {DAMAGED}"
            ) from err
        self.meta = read_meta(self.schema, str(self.path))
        self._advance(self._header)

    @property
    def position(self) -> int:
        """Bytes that have been read and understood."""
        return self._position

    @property
    def recording(self) -> str:
        """What tells this recording from another one in a file of the same name."""
        return f"{zlib.crc32(self._header):08x}"

    def rows(self) -> Iterator[Rows]:
        """The whole batches that have not been read yet, each verified. Stops at an unfinished
        one."""
        if self.ended:
            return
        content = self._unread()
        start = 0
        while start < len(content):
            end = self._message_end(content, start)
            if end is None:
                return
            message = bytes(content[start:end])
            if message == END_MARK:
                if end < len(content):
                    raise TraceError(
                        f"{self.path}: {len(content) - end:,} bytes follow the end of the trace at byte "
                        f"{self._position + len(END_MARK)}; cut them off: they belong to another file"
                    )
                self.ended = True
                return
            start = end
            yield self.take(message)

    @property
    def is_read_whole(self) -> bool:
        """Whether the file holds what was read of it, its end mark, and nothing else."""
        try:
            return self.ended and bytes(self._unread()) == END_MARK
        except TraceError:
            return False

    def take(self, message: bytes) -> Rows:
        """The batch whose message this is, verified: the next one of the file."""
        rows = self._read(message)
        self._advance(message)
        self._n_iterations += rows.n
        self._n_nodes += len(rows.parent)
        return rows

    def _advance(self, read: bytes) -> None:
        self._position += len(read)
        self._tail = read[-64:]

    def _unread(self) -> memoryview:
        """What the file holds beyond the bytes read so far: a copy, for a mapped file that somebody
        cuts short kills its readers."""
        try:
            if self.path.is_dir():
                raise TraceError(
                    f"{self.path}: a folder, not a trace file; name one of the files in it"
                )
            if not self.path.exists():
                raise TraceError(f"{self.path}: there is no such file; check the name")
            if not self.path.is_file():  # a pipe would make us wait for ever
                raise TraceError(f"{self.path}: not a regular file; copy the trace into one")
            with self.path.open("rb") as file:
                same = file.read(len(self._header)) == self._header
                file.seek(self._position - len(self._tail))
                same = same and file.read(len(self._tail)) == self._tail
                content = file.read()
        except OSError as err:
            raise TraceError(
                f"{self.path}: cannot be read: {err.strerror or err}; check the file and its permissions"
            ) from err
        if not same:
            raise TraceReplacedError(
                f"{self.path}: no longer the file that was opened, of which {self._position:,} bytes were read: "
                "another recording has replaced it; open it again"
            )
        self.length = self._position + len(content)
        return memoryview(content)

    def _message_end(self, content: memoryview, start: int) -> int | None:
        """Where in `content`, which lies at the position, the message from `start` ends; None when
        the file stops before."""
        prefix = bytes(content[start : start + 8])
        if prefix[:4] != CONTINUATION[: len(prefix)]:
            raise TraceError(
                f"{self.path}: no message begins at byte {self._position}, where one should; {DAMAGED}"
            )
        if len(prefix) < 8:
            return None
        if prefix == END_MARK:
            return start + 8
        rest = pa.BufferReader(content[start:])
        try:
            pa.ipc.read_message(rest)
        except UNREADABLE as err:
            if _goes_on(content[start + 8 :]):
                raise TraceError(
                    f"{self.path}: the message at byte {self._position} is not readable; {DAMAGED}"
                ) from err
            return None
        return start + int(rest.tell())

    def _read(self, message: bytes) -> Rows:
        place = f"{self.path}: the batch at byte {self._position} (after iteration {self._n_iterations:,})"
        try:
            stream = pa.ipc.open_stream(pa.py_buffer(self._header + message))
            batch, custom = stream.read_next_batch_with_custom_metadata()
            batch.validate(full=True)
            rows = from_batch(batch)
            carried = {} if custom is None else dict(custom.items())
            if CHANGES_KEY in carried:
                rows = rows._replace(changed_states=read_changes(carried[CHANGES_KEY]))
        except (*UNREADABLE, StopIteration, TypeError) as err:
            raise TraceError(f"{place} is not readable; {DAMAGED}") from err
        recorded = carried.get(BATCH_CRC_KEY)
        if recorded is None:
            raise TraceError(f"{place} carries no checksum; {DAMAGED}")
        if recorded != b"%08x" % checksum(rows):
            raise TraceError(f"{place} does not match its checksum; {DAMAGED}")
        problem = inconsistency(rows, self._n_nodes)
        if problem is not None:
            raise TraceError(
                f"{place} is inconsistent: {problem}; correct the program that wrote it"
            )
        return rows


def _goes_on(rest: memoryview) -> bool:
    """Whether another message begins in these bytes: then the one before it is damaged rather than
    unfinished."""
    words = np.frombuffer(rest[: len(rest) // 8 * 8], "<i4").reshape(-1, 2)
    room = len(rest) - 8 * np.arange(1, len(words) + 1)
    last = (words[:, 1] == 0) & (room == 0)  # the end mark
    likely = (words[:, 1] > 0) & (words[:, 1] % 8 == 0) & (words[:, 1] <= room)
    for place in np.flatnonzero((words[:, 0] == -1) & (likely | last)).tolist():
        if last[place]:
            return True
        try:
            pa.ipc.read_message(pa.BufferReader(rest[8 * place :]))
        except UNREADABLE:
            continue
        return True
    return False


def inconsistency(rows: Rows, n_nodes: int) -> str | None:
    """What is impossible in these rows, given the nodes before them; None when they fit together.

    The shape must hold (ids, parents before children), for everything downstream relies on it. The
    statistics may be as wrong as the search that made them: showing that is what traces are for.
    """
    end = n_nodes + len(rows.parent)
    ids = np.arange(n_nodes, end)
    known = n_nodes + rows.new_offset[1:].astype(np.int64)  # [T] nodes after each iteration
    checks: list[tuple[Any, str]] = [
        (_offsets(rows.new_offset, len(rows.parent)), "new_nodes has broken offsets"),
        (_offsets(rows.update_offset, len(rows.update_node)), "updates has broken offsets"),
    ]
    if rows.proven_offset is not None and rows.proven_node is not None:
        checks.append(
            (_offsets(rows.proven_offset, len(rows.proven_node)), "proven has broken offsets")
        )
    if rows.rollout_offset is not None and rows.rollout_action is not None:
        checks.append(
            (_offsets(rows.rollout_offset, len(rows.rollout_action)), "rollout has broken offsets")
        )
    for good, message in checks:
        if not good:
            return message
    for row, node, _ in rows.changed_states or ():
        if not (0 <= row < rows.n and 0 <= node < known[row]):
            return f"changed_states names node {node} in row {row}, which has no such node"
    if not np.all((rows.parent >= 0) & (rows.parent < ids)):
        bad = int(ids[~((rows.parent >= 0) & (rows.parent < ids))][0])
        return f"new_nodes: node {bad} has parent {rows.parent[bad - n_nodes]}, which is not an older node"
    if not np.all((rows.to_move >= CHANCE) & (rows.to_move <= 1)):
        return "new_nodes: to_move must be 0, 1, −1 (unknown) or −2 (chance)"
    if not np.all((rows.leaf >= 0) & (rows.leaf < known)):
        return "leaf: names a node that does not exist yet"
    limits = np.repeat(known, np.diff(rows.update_offset))
    if not np.all((rows.update_node >= 0) & (rows.update_node < limits)):
        return "updates: names a node that does not exist yet"
    if rows.proven_offset is not None and rows.proven_node is not None:
        limits = np.repeat(known, np.diff(rows.proven_offset))
        if not np.all((rows.proven_node >= 0) & (rows.proven_node < limits)):
            return "proven: names a node that does not exist yet"
    if not np.all(np.isfinite(rows.update_value)):
        return "updates: value must be a finite number"
    return None


def _offsets(offset: npt.NDArray[np.int32], n: int) -> bool:
    return bool(offset[0] == 0 and offset[-1] == n and np.all(np.diff(offset) >= 0))
