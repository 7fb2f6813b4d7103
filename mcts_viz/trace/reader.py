"""Reads a trace file batch by batch: whole, interrupted, or still growing.

Walks the stream's messages itself, because Arrow's own reader cannot go on after the end of an
unfinished file. Every batch is verified before anybody sees it: framing, types, checksum, and that
its numbers fit together.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import os
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from mcts_viz.errors import DamagedBatchError, TraceError, TraceReplacedError
from mcts_viz.trace.asides import PREFIX, Asides
from mcts_viz.trace.batches import BATCH_CRC_KEY, checksum, from_batch
from mcts_viz.trace.format import PATH_VERSION, Rows, read_meta
from mcts_viz.trace.groups import Column, Lists
from mcts_viz.trace.liveness import is_held
from mcts_viz.trace.node_documents import CONTENTS
from mcts_viz.trace.path_updates import BYTES, MOST, PathUpdates, wrong_path_values
from mcts_viz.trace.players import EVERYBODY
from mcts_viz.trace.unpacking import (
    DEEP,
    MOST_ALIKE,
    alike,
    body_length,
    declared,
    excess,
    json_memory,
    rows_in,
)
from mcts_viz.types import Ints

CONTINUATION = b"\xff\xff\xff\xff"
END_MARK = CONTINUATION + b"\0\0\0\0"
# what Arrow raises for bytes that it cannot make sense of
UNREADABLE = (pa.ArrowException, OSError, ValueError, EOFError)
# threads for the columns of one batch take a quarter more of the processor; who follows a recording has none to spare
ALONE = pa.ipc.IpcReadOptions(use_threads=False)
DOCUMENTS = f"{PREFIX}{CONTENTS}".encode()
TAIL = 64  # bytes by which a file is known that was read so far
HEADER_AT_ONCE = 1 << 20  # bytes; the header of most traces is smaller
MORE_MEMORY = "if you trust the file, give more by memory= or --memory, in megabytes"
DAMAGED = "the file is damaged there; copy it again from its source, or record the search again"


class UnfinishedError(TraceError):
    """A file that stops before its end mark."""

    def __init__(self) -> None:
        super().__init__("the trace is not complete")


class Message(NamedTuple):
    """A batch as it lies in a file."""

    position: int  # bytes before it
    content: bytes
    rows: int
    nodes: int  # that it makes


class TraceFile:
    """A trace file and how far it has been read. Raises TraceError for a file that is not a
    readable trace."""

    def __init__(self, path: str | Path, memory: int | None = None) -> None:
        """memory: bytes that it may unpack to; None: by the size of the machine."""
        self.path = Path(path)
        self._memory = memory
        self._unpacked = 0  # bytes, of the batches read so far
        self.paths: PathUpdates | None = None  # of the batches that were taken
        self._written_out = 0  # bytes, of updates that the file leaves to be understood
        self._refused: TraceError | None = None  # why no batch is taken any more
        self.ended = False  # the end mark was read, or written: nothing will follow
        self.n_iterations = 0  # read so far
        self.n_nodes = 1  # after the last of them, the root included
        self._position = 0  # bytes that have been read and understood
        self._header = self._tail = b""  # the first and the last of them
        self.length = 0  # bytes, when it was looked at last
        # what is wrong behind the batches that were read, and how much is lost; None: nothing
        self.damage: str | None = None
        content = self._unread(HEADER_AT_ONCE)
        if len(content) == HEADER_AT_ONCE and self._header_end(content) is None:
            content = self._unread()
        if len(content) == 0:
            raise TraceError(f"{self.path}: the file is empty; nothing has been recorded into it")
        if content[:4] != CONTINUATION:
            raise TraceError(
                f"{self.path}: not a trace file (it does not begin like an Arrow stream); "
                "open a .mcts file made by `mcts-viz record`, or a snapshot's .json"
            )
        end = self._header_end(content)
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
        too_much = excess(json_memory(self._header), end, memory)
        if too_much is not None:
            raise TraceError(f"{self.path}: its metadata: {too_much}; {MORE_MEMORY}")
        self.meta = read_meta(self.schema, str(self.path))
        self._advance(self._header)

    def trusted(self) -> TraceFile:
        """The same as it was read so far, of what this program has written itself: it may unpack to anything."""
        there = copy.copy(self)
        there._memory = sys.maxsize
        return there

    @property
    def position(self) -> int:
        """Bytes that have been read and understood."""
        return self._position

    @property
    def recording(self) -> str:
        """What tells this recording from another one in a file of the same name."""
        return f"{zlib.crc32(self._header):08x}"

    def rows(self, write_out: bool = True) -> Iterator[Rows]:
        """The whole batches that have not been read yet, each verified; write_out: see `take`. Stops at an unfinished
        one, and at damage, of which `damage` then tells. Raises TraceError where nothing at all can be read,
        and for a file that would take more memory than it may."""
        if self.ended:
            return
        self.damage = None
        content = self._unread()
        try:
            start = 0
            for end in self._messages(content):
                message = bytes(content[start:end])
                if message == END_MARK:
                    self._check_end(content[end:])
                    self.ended = True
                    return
                start = end
                yield self.take(message, write_out)
        except DamagedBatchError as err:
            if self.n_iterations == 0:
                raise
            words = str(err).removeprefix(f"{self.path}: ")
            lost = f"{self.length - self._position:,} bytes from byte {self._position} on are lost"
            self.damage = f"{words}; {lost}"

    def _header_end(self, content: memoryview) -> int | None:
        return None if content[:4] != CONTINUATION else self._message_end(content, 0)

    def stream(self, cut_off: bool = False) -> Iterator[Message]:
        """The whole batches that have not been read yet, one at a time, as they lie in the file: so that no more memory
        than one of them takes is needed. Ends at the end mark, and where the file is `cut_off` at its last whole batch;
        raises TraceError for another end."""
        unpacked = 0
        with self.path.open("rb") as file:
            file.seek(self._position)
            while True:
                place = file.tell()
                try:
                    content = _next_message(file)
                except UnfinishedError:
                    if cut_off:
                        return
                    raise
                if content == END_MARK:
                    if file.read(1):
                        raise TraceError(f"{self.path}: something follows the end of the trace")
                    return
                try:
                    said = declared(memoryview(content))
                except ValueError as err:
                    raise self._damaged(place - self._position, f"is not readable ({err})") from err
                unpacked += said.unpacked
                too_much = excess(said.unpacked, self.length, self._memory) or alike(
                    unpacked, self.length
                )
                if too_much is not None:
                    raise TraceError(f"{self.path}: {too_much}")
                yield Message(place, content, said.rows, said.nodes)

    def count_rows(self, enough: int) -> int:
        """Rows that have not been read yet, counted no further than `enough`, by what the batches say of themselves;
        nothing is unpacked. Raises TraceError for another end than the end mark."""
        n = 0
        with self.path.open("rb") as file:
            file.seek(self._position)
            while n < enough and (head := _next_head(file)) is not None:
                try:
                    n += rows_in(head.metadata)
                except ValueError as err:
                    raise self._damaged(0, f"is not readable ({err})") from err
                file.seek(head.n_bytes, os.SEEK_CUR)
        return n

    def skip_to(self, position: int, n_iterations: int, n_nodes: int) -> None:
        """Count everything before that byte as read, and an end mark behind it."""
        with self.path.open("rb") as file:
            file.seek(max(position - TAIL, 0))
            self._tail = file.read(min(position, TAIL))
            self.ended = file.read(len(END_MARK) + 1) == END_MARK
        self._position, self.n_iterations, self.n_nodes = position, n_iterations, n_nodes

    def read_again(self, position: int, n_bytes: int, n_iterations: int, n_nodes: int) -> Rows:
        """The batch at that byte, after that many iterations and nodes, verified again. Raises TraceError where the
        file was removed or replaced."""
        there = copy.copy(self)
        there._position, there.n_iterations, there.n_nodes = position, n_iterations, n_nodes
        message = b""
        with contextlib.suppress(OSError), self.path.open("rb") as file:
            if file.read(len(self._header)) == self._header:
                file.seek(position)
                message = file.read(n_bytes)
        return there._read(message)

    def _messages(self, content: memoryview) -> Iterator[int]:
        """Where the messages in `content`, which lies at the position, end: all that can be found, then the
        error that ended the search for more. None is unpacked before the memory that all of them take
        is known."""
        ends: list[int] = []
        wrong: DamagedBatchError | None = None
        start, unpacked = 0, self._unpacked
        while start < len(content):
            try:
                end = self._message_end(content, start)
                if end is not None and content[start:end] != END_MARK:
                    unpacked += declared(content[start:end]).unpacked
            except ValueError as err:
                wrong = self._damaged(start, f"is not readable ({err})")
            except DamagedBatchError as err:
                wrong = err
            if wrong is not None or end is None:
                break
            start = end
            ends.append(end)
            if content[start - 8 : start] == END_MARK:
                break
        too_much = self._excess(unpacked, self.length)
        if too_much is not None:
            raise TraceError(f"{self.path}: {too_much}; {MORE_MEMORY}")
        self._unpacked = unpacked
        yield from ends
        if wrong is not None:
            raise wrong

    def _check_end(self, rest: memoryview) -> None:
        if len(rest):
            raise DamagedBatchError(
                f"{self.path}: {len(rest):,} bytes follow the end of the trace at byte "
                f"{self._position + len(END_MARK)}; cut them off: they belong to another file"
            )

    def _damaged(self, start: int, what: str) -> DamagedBatchError:
        return DamagedBatchError(
            f"{self.path}: the message at byte {self._position + start} {what}; {DAMAGED}"
        )

    @property
    def is_read_whole(self) -> bool:
        """Whether the file holds what was read of it, its end mark, and nothing else."""
        try:
            return self.ended and bytes(self._unread()) == END_MARK
        except TraceError:
            return False

    def take(self, message: bytes, write_out: bool = True) -> Rows:
        """The batch whose message this is, verified: the next one of the file, with all its updates, or without those
        that `paths` can write out later. Once one was too large, no later one is taken, as it would not follow what
        there is."""
        if self._refused is not None:
            raise self._refused
        rows = self.take_packed(message)
        if self.meta.format_version < PATH_VERSION:
            return rows
        if self.paths is None:
            self.paths = PathUpdates(self.meta.root.to_move, self.meta.n_players)
        self.paths.take(rows.nodes)
        n_updates = self.paths.count(rows)
        self._written_out += BYTES * n_updates
        packed = max(self.length, self._position)
        too_much = self._excess(self._unpacked + self._written_out, packed, DEEP)
        if too_much is not None:
            self._refused = TraceError(f"{self.path}: {too_much}; {MORE_MEMORY}")
        elif n_updates + len(rows.updates) > MOST:
            self._refused = TraceError(
                f"{self.path}: {rows.n:,} iterations of it have {n_updates:,} updates, more than {MOST:,}; write "
                "them in smaller batches"
            )
        if self._refused is not None:
            raise self._refused
        return self.paths.written_out(rows) if write_out else rows

    def _excess(self, unpacked: int, packed: int, most_alike: int = MOST_ALIKE) -> str | None:
        """As `excess`; a recording that goes on on this machine is trusted, and its long columns lie in files."""
        found = excess(unpacked, packed, self._memory, most_alike)
        if found is not None and is_held(self.path):
            self._memory = sys.maxsize
            return None
        return found

    def take_packed(self, message: bytes) -> Rows:
        """The same as it stands in the file: see `PathUpdates`."""
        rows = self._read(message)
        self._advance(message)
        self.n_iterations += rows.n
        self.n_nodes += len(rows.nodes)
        return rows

    def _advance(self, read: bytes) -> None:
        self._position += len(read)
        self._tail = read[-TAIL:]

    def _unread(self, most: int = -1) -> memoryview:
        """What the file holds beyond the bytes read so far, no more than `most` of it (−1: all): a copy: a
        mapped file that is cut short would kill its readers."""
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
                content = file.read(most)
                self.length = file.seek(0, os.SEEK_END)
        except OSError as err:
            raise TraceError(
                f"{self.path}: cannot be read: {err.strerror or err}; check the file and its permissions"
            ) from err
        if not same:
            raise TraceReplacedError(
                f"{self.path}: no longer the file that was opened, of which {self._position:,} bytes were read: "
                "another recording has replaced it; open it again"
            )
        if most < 0:
            self.length = self._position + len(content)
        return memoryview(content)

    def _message_end(self, content: memoryview, start: int) -> int | None:
        """Where in `content`, which lies at the position, the message from `start` ends; None when
        the file stops before."""
        prefix = bytes(content[start : start + 8])
        if prefix[:4] != CONTINUATION[: len(prefix)]:
            raise DamagedBatchError(
                f"{self.path}: no message begins at byte {self._position + start}, where one should; {DAMAGED}"
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
                raise self._damaged(start, "is not readable") from err
            return None
        return start + int(rest.tell())

    def _read(self, message: bytes) -> Rows:
        place = f"{self.path}: the batch at byte {self._position} (after iteration {self.n_iterations:,})"
        try:
            stream = pa.ipc.open_stream(pa.py_buffer(self._header + message), options=ALONE)
            batch, custom = stream.read_next_batch_with_custom_metadata()
            batch.validate(full=True)
            rows = from_batch(batch)
            carried = {} if custom is None else dict(custom.items())
            here = functools.partial(self._contents, self._position, len(message))
            rows.asides = Asides.read(carried, here)
        except (*UNREADABLE, StopIteration, TypeError, RecursionError) as err:
            raise DamagedBatchError(f"{place} is not readable; {DAMAGED}") from err
        recorded = carried.get(BATCH_CRC_KEY)
        if recorded is None:
            raise DamagedBatchError(f"{place} carries no checksum; {DAMAGED}")
        if recorded != b"%08x" % checksum(rows, self.meta.format_version):
            raise DamagedBatchError(f"{place} does not match its checksum; {DAMAGED}")
        problem = inconsistency(rows, self.n_nodes, self.meta.n_players)
        if problem is not None:
            raise DamagedBatchError(
                f"{place} is inconsistent: {problem}; correct the program that wrote it"
            )
        return rows

    def _contents(self, position: int, length: int) -> bytes:
        """What the documents of the batch at that byte hold, packed; raises TraceError where the file is not there any
        more, or is another one."""
        message = b""
        with contextlib.suppress(OSError), self.path.open("rb") as file:
            if file.read(len(self._header)) == self._header:
                file.seek(position)
                message = file.read(length)
        try:
            stream = pa.ipc.open_stream(pa.py_buffer(self._header + message))
            _, custom = stream.read_next_batch_with_custom_metadata()
        except (*UNREADABLE, StopIteration) as err:
            raise TraceError(
                f"{self.path}: its documents cannot be read any more: it was removed, or replaced by another file; "
                "open it again"
            ) from err
        carried = {} if custom is None else dict(custom.items())
        return bytes(carried.get(DOCUMENTS, b""))


class _Head(NamedTuple):
    """Of a message."""

    prefix: bytes
    metadata: bytes
    n_bytes: int  # of the body behind them


def _next_message(file: BinaryIO) -> bytes:
    """The next message of a stream, or its end mark. Raises TraceError where the file stops before, or holds something
    else."""
    head = _next_head(file)
    if head is None:
        return END_MARK
    body = file.read(min(head.n_bytes, os.fstat(file.fileno()).st_size))
    if len(body) < head.n_bytes:
        raise UnfinishedError
    return head.prefix + head.metadata + body


def _next_head(file: BinaryIO) -> _Head | None:
    """What stands before the body of the next message; None at the end mark. Raises as `_next_message`."""
    prefix = file.read(8)
    if prefix == END_MARK:
        return None
    if not prefix.startswith(CONTINUATION[: len(prefix)]):
        raise TraceError("the trace is damaged: a message should begin where it stops")
    n_bytes = int.from_bytes(prefix[4:], "little")
    metadata = file.read(min(n_bytes, os.fstat(file.fileno()).st_size))
    if len(prefix) < 8 or len(metadata) < n_bytes:
        raise UnfinishedError
    try:
        n_bytes = body_length(metadata)
    except ValueError as err:
        raise TraceError(f"the trace is damaged: {err}") from err
    return _Head(prefix, metadata, n_bytes)


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


def inconsistency(rows: Rows, n_nodes: int, n_players: int = 2) -> str | None:
    """What is impossible in these rows, given the nodes before them and the players; None when they fit together.

    The shape must hold (ids, parents before children), for everything downstream relies on it. The
    statistics may be as wrong as the search that made them: showing that is what traces are for.
    """
    for lists in rows.lists:
        group = rows.values[lists.name]
        if group.recorded and not _offsets(group.offset, len(group)):
            return f"{lists.key} has broken offsets"
    ids = np.arange(n_nodes, n_nodes + len(rows.nodes), dtype=np.int32)
    known = n_nodes + rows.nodes.offset[1:].astype(np.int64)  # [T] nodes after each iteration
    for name, told in rows.asides.kinds().items():
        first = -1 if name == "played" else 0  # may be told after the last row
        for row, node, *_ in told:
            if not (first <= row < rows.n and 0 <= node < (known[row] if row >= 0 else n_nodes)):
                return f"{name} names node {node} in row {row}, which has no such node"
    players = range(EVERYBODY, max(2, n_players))
    for miss in rows.asides.misses:
        if not all(0 <= node < known[miss.row] for node in (miss.child, miss.best)):
            return f"misses: node {miss.node} has no children {miss.child} and {miss.best}"
    for late in rows.asides.late:
        if late.column == "to_move" and late.value not in players:
            return f"late: to_move of node {late.node} is no player"
        if late.column == "same_as" and not -1 <= int(late.value) < 1 << 31:
            return f"late: same_as of node {late.node} must name another node"
    parent, to_move = rows.nodes.parent, rows.nodes.to_move
    older = (parent >= 0) & (parent < ids)
    if not np.all(older):
        bad = int(np.argmin(older))
        return f"new_nodes: node {ids[bad]} has parent {parent[bad]}, which is not an older node"
    same_as = rows.nodes.same_as
    if same_as is not None and not np.all((same_as >= -1) & (same_as != ids)):
        return "new_nodes: same_as must name another node"
    if not np.all((to_move >= EVERYBODY) & (to_move < max(2, n_players))):
        last = max(1, n_players - 1)
        return (
            f"new_nodes: to_move must be 0 to {last}, −1 (unknown), −2 (chance) or −3 (all at once)"
        )
    for name, nodes, limits in _node_ids(rows, known):
        if not np.all((nodes >= 0) & (nodes < limits)):
            return f"{name}: names a node that does not exist yet"
    if not np.all(np.isfinite(rows.updates.value)):
        return "updates: value must be a finite number"
    return wrong_path_values(rows) or _wrong_player_numbers(rows, n_players)


def _wrong_player_numbers(rows: Rows, n_players: int) -> str | None:
    """What is impossible in the numbers of each player; None where nothing is."""
    for lists, of in ((rows.player_sums, rows.updates), (rows.player_outcomes, None)):
        if not lists.recorded:
            continue
        length = np.diff(lists.offset)
        name = "player_sums" if lists is rows.player_sums else "player_outcomes"
        due = n_players * (1 if of is None else np.diff(of.offset))
        if not np.all((length == due) | ((length == 0) & (name == "player_outcomes"))):
            return f"{name}: there must be one number for each of the {n_players} players"
        if not np.all(np.isfinite(lists.value)):
            return f"{name}: must be finite numbers"
    return None


def _node_ids(rows: Rows, known: Ints) -> Iterator[tuple[str, npt.NDArray[np.int32], Ints]]:
    """Each column of node ids: its name in messages, the ids, and how many nodes there are after the iteration of
    each; `known`: after each of the T iterations."""
    for field in rows.fields:
        values = rows.values[field.name]
        if isinstance(field, Column):
            if field.is_node:
                yield field.name, values, known
        elif isinstance(field, Lists):
            for column in field.group.columns:
                if isinstance(column, Column) and column.is_node and len(values):
                    limits = np.repeat(known, np.diff(values.offset))
                    yield field.key, values.values[column.name], limits


def _offsets(offset: npt.NDArray[np.int32], n: int) -> bool:
    return bool(offset[0] == 0 and offset[-1] == n and np.all(offset[1:] >= offset[:-1]))
