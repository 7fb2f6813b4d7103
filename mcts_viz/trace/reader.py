"""Reads a trace file batch by batch: whole, interrupted, or still growing.

Walks the stream's messages itself, because Arrow's own reader cannot go on after the end of an
unfinished file. Every batch is verified before anybody sees it: framing, types, checksum, and that
its numbers fit together.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from mcts_viz.errors import TraceError
from mcts_viz.trace.format import BATCH_CRC_KEY, Rows, checksum, from_batch, read_meta

CONTINUATION = b"\xff\xff\xff\xff"
DAMAGED = "the file is damaged there; copy it again from its source, or record the search again"


class TraceFile:
    """A trace file and how far it has been read. Raises TraceError for a file that is not a
    readable trace."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.ended = False  # the end mark was read: nothing will follow
        self._n_iterations = 0
        self._n_nodes = 1
        content = self._map()
        if content.size == 0:
            raise TraceError(f"{self.path}: the file is empty; nothing has been recorded into it")
        if content.slice(0, 4).to_pybytes() != CONTINUATION:
            raise TraceError(
                f"{self.path}: not a trace file (it does not begin like an Arrow stream); "
                "open a .mcts file made by `mcts-viz record`, or a snapshot's .json"
            )
        end = self._message_end(content, 0)
        if end is None:
            raise TraceError(
                f"{self.path}: cut off inside its header, at byte {content.size}: no iteration was recorded yet, or "
                "the file was not copied whole"
            )
        self._header = content.slice(0, end).to_pybytes()
        try:
            self.schema = pa.ipc.open_stream(pa.py_buffer(self._header)).schema
        except (pa.ArrowException, OSError, ValueError) as err:
            raise TraceError(
                f"{self.path}: its header, the first {end} bytes, is not readable; {DAMAGED}"
            ) from err
        self.meta = read_meta(self.schema, str(self.path))
        self._position = end

    @classmethod
    def read_to_end(cls, path: str | Path) -> TraceFile:
        """A complete file whose rows the caller has already."""
        file = cls(path)
        file.ended = True
        return file

    def rows(self) -> Iterator[Rows]:
        """The whole batches that have not been read yet, each verified. Stops at an unfinished
        one."""
        if self.ended:
            return
        content = self._map()
        if content.size < self._position:
            raise TraceError(
                f"{self.path}: the file is shorter than it was ({content.size} bytes, {self._position} were read); "
                "another recording has replaced it: open it again"
            )
        while self._position < content.size:
            end = self._message_end(content, self._position)
            if end is None:
                return
            if end - self._position == 8:
                self.ended = True
                return
            rows = self._read(content.slice(self._position, end - self._position))
            self._position = end
            self._n_iterations += rows.n
            self._n_nodes += len(rows.parent)
            yield rows

    def _map(self) -> pa.Buffer:
        try:
            if self.path.is_dir():
                raise TraceError(
                    f"{self.path}: a folder, not a trace file; name one of the files in it"
                )
            if self.path.stat().st_size == 0:
                return pa.py_buffer(b"")
            with pa.memory_map(str(self.path)) as file:
                return file.read_buffer()
        except FileNotFoundError as err:
            raise TraceError(f"{self.path}: there is no such file") from err
        except OSError as err:
            raise TraceError(f"{self.path}: cannot be read: {err.strerror or err}") from err

    def _message_end(self, content: pa.Buffer, start: int) -> int | None:
        """Where the message at `start` ends, None when the file stops before."""
        prefix = content.slice(start, 8).to_pybytes()
        if prefix[:4] != CONTINUATION[: len(prefix)]:
            raise TraceError(
                f"{self.path}: no message begins at byte {start}, where one should; {DAMAGED}"
            )
        if len(prefix) < 8:
            return None
        (length,) = struct.unpack("<i", prefix[4:])
        if length == 0:
            return start + 8
        rest = pa.BufferReader(content.slice(start))
        try:
            pa.ipc.read_message(rest)
        except (pa.ArrowException, OSError, ValueError, EOFError) as err:
            if self._goes_on(content, start + 8):
                raise TraceError(
                    f"{self.path}: the message at byte {start} is not readable; {DAMAGED}"
                ) from err
            return None
        return start + int(rest.tell())

    @staticmethod
    def _goes_on(content: pa.Buffer, start: int) -> bool:
        """Whether another message begins later: then the one before it is damaged rather than
        unfinished."""
        rest = content.slice(start).to_pybytes()
        found = rest.find(CONTINUATION)
        while found >= 0:
            if found % 8 == 0:
                if rest[found + 4 : found + 8] == b"\0\0\0\0" and found + 8 == len(rest):
                    return True
                try:
                    pa.ipc.read_message(pa.BufferReader(rest[found:]))
                    return True
                except (pa.ArrowException, OSError, ValueError, EOFError):
                    pass
            found = rest.find(CONTINUATION, found + 1)
        return False

    def _read(self, message: pa.Buffer) -> Rows:
        place = f"{self.path}: the batch at byte {self._position} (after iteration {self._n_iterations:,})"
        try:
            stream = pa.ipc.open_stream(pa.py_buffer(self._header + message.to_pybytes()))
            batch, custom = stream.read_next_batch_with_custom_metadata()
            batch.validate(full=True)
            rows = from_batch(batch)
        except (pa.ArrowException, OSError, ValueError, StopIteration, EOFError) as err:
            raise TraceError(f"{place} is not readable; {DAMAGED}") from err
        recorded = dict(custom.items()).get(BATCH_CRC_KEY) if custom is not None else None
        if recorded is not None and recorded != b"%08x" % checksum(rows):
            raise TraceError(f"{place} does not match its checksum; {DAMAGED}")
        problem = inconsistency(rows, self._n_nodes)
        if problem is not None:
            raise TraceError(f"{place} is inconsistent: {problem}")
        return rows


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
    if rows.rollout_offset is not None and rows.rollout_action is not None:
        checks.append(
            (_offsets(rows.rollout_offset, len(rows.rollout_action)), "rollout has broken offsets")
        )
    for good, message in checks:
        if not good:
            return message
    if not np.all((rows.parent >= 0) & (rows.parent < ids)):
        bad = int(ids[~((rows.parent >= 0) & (rows.parent < ids))][0])
        return f"new_nodes: node {bad} has parent {rows.parent[bad - n_nodes]}, which is not an older node"
    if not np.all((rows.to_move >= -1) & (rows.to_move <= 1)):
        return "new_nodes: to_move must be 0, 1 or −1 (unknown)"
    if not np.all((rows.leaf >= 0) & (rows.leaf < known)):
        return "leaf: names a node that does not exist yet"
    limits = np.repeat(known, np.diff(rows.update_offset))
    if not np.all((rows.update_node >= 0) & (rows.update_node < limits)):
        return "updates: names a node that does not exist yet"
    if not np.all(np.isfinite(rows.update_value)):
        return "updates: value must be a finite number"
    return None


def _offsets(offset: npt.NDArray[np.int32], n: int) -> bool:
    return bool(offset[0] == 0 and offset[-1] == n and np.all(np.diff(offset) >= 0))
