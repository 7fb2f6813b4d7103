"""Reads the searches of a file that holds many, each as a trace, by its number."""

from __future__ import annotations

import functools
import itertools
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, Generic, TypeVar, overload

import msgspec
import pyarrow as pa

from mcts_viz.errors import DamagedBatchError, TraceError
from mcts_viz.trace.asides import Asides
from mcts_viz.trace.batches import BATCH_CRC_KEY, checksum, from_batch
from mcts_viz.trace.columns import Columns
from mcts_viz.trace.format import NEWEST_VERSION, Rows, document_of
from mcts_viz.trace.many_format import (
    ABOUT,
    ABOUT_DECODER,
    INDEX,
    MAGIC,
    OWNERS_CRC_KEY,
    SEARCH,
    TRAILER,
    AboutSearch,
    IndexRow,
    is_many,
    owners_checksum,
    read_header,
    whole_meta,
)
from mcts_viz.trace.memory import MEGABYTE
from mcts_viz.trace.meta import TraceMeta, parsed_meta
from mcts_viz.trace.reader import (
    CONTINUATION,
    DOCUMENTS,
    END_MARK,
    MORE_MEMORY,
    UNREADABLE,
    inconsistency,
)
from mcts_viz.trace.rows import joined, split
from mcts_viz.trace.trace import Trace, root_columns
from mcts_viz.trace.unpacking import body_length, declared, excess, json_memory
from mcts_viz.trace.words import plural
from mcts_viz.trace.writer import TraceWriter

AnyTrace = TypeVar("AnyTrace", bound=Trace)
END = len(MAGIC) + TRAILER.size  # bytes


class _Batch:
    """Rows of some searches, as they lie in the file."""

    def __init__(
        self, rows: Rows, owners: list[int], about: list[str | None], end: int, unpacked: int
    ) -> None:
        self.rows, self.owners, self.about = rows, owners, about
        self.end = end  # byte behind it
        self.unpacked = unpacked  # bytes


class ManyFile(Sequence[AnyTrace], Generic[AnyTrace]):
    """The searches in a file, by number: `traces[3]`, `len(traces)`, `for trace in traces`. Each is read when it is
    asked for. Raises TraceError naming file, place and remedy.

    damage: what is wrong with the file, and how much is lost; None: nothing. index: what is known of each search
    without reading it.
    """

    def __init__(
        self,
        path: str | Path,
        memory: int | None = None,
        make: Callable[..., AnyTrace] = Trace,  # type: ignore[assignment]
    ) -> None:
        """memory: megabytes that a search may unpack to; None: a quarter of the machine's."""
        self.path = Path(path)
        self._make = make
        self._memory = None if memory is None else memory * MEGABYTE
        self.damage: str | None = None
        self._last: tuple[int, _Batch] | None = None  # where the batch that was read last begins
        with self._opened() as file:
            try:
                self._header = _message(file)
                schema = pa.ipc.open_stream(pa.py_buffer(self._header)).schema
            except UNREADABLE as err:  # a ValueError is one of them
                raise TraceError(
                    f"{self.path}: no file of many searches, or one that is damaged in its header; open one that "
                    "mv.search_many has made"
                ) from err
            if not is_many(schema):
                raise TraceError(f"{self.path}: one search, not many; open it with mv.open(path)")
            self.size = file.seek(0, 2)
            self._check_memory(json_memory(self._header))
            document = read_header(schema, str(self.path))
            self._common, self._version = document.common, document.rows_version
            found = self._read_index(file)
            self.index: pa.Table = _table(self._rebuilt(file)) if found is None else found

    def __len__(self) -> int:
        return int(self.index.num_rows)

    @overload
    def __getitem__(self, number: int) -> AnyTrace: ...

    @overload
    def __getitem__(self, number: slice) -> list[AnyTrace]: ...

    def __getitem__(self, number: int | slice) -> AnyTrace | list[AnyTrace]:
        if isinstance(number, slice):
            return [self[each] for each in range(*number.indices(len(self)))]
        meta, rows, complete = self._search(number)
        columns = self._columns(meta, rows, number)
        return self._make(meta, columns, None, complete)

    def __iter__(self) -> Iterator[AnyTrace]:
        return (self[number] for number in range(len(self)))

    def extract(self, number: int, path: str | Path) -> None:
        """Write one search to a trace file of its own; raises TraceError where that cannot be."""
        if Path(path).exists() and Path(path).samefile(self.path):
            raise TraceError(f"{path}: would be read and written at once; write to another file")
        meta, rows, complete = self._search(number)
        self._columns(meta, rows, number)  # refuses what does not fit together
        writer = TraceWriter(path, meta)
        try:
            writer.append(rows)
        finally:
            if complete:
                writer.close()
            else:
                writer.abandon()

    def _search(self, number: int) -> tuple[TraceMeta, Rows, bool]:
        """Metadata and rows of a search, and whether it was recorded to its end."""
        n = len(self)
        if not isinstance(number, int) or not -n <= number < n:
            there = f"there are 0 to {n - 1:,}" if n else "it holds none"
            raise IndexError(f"{self.path}: there is no search {number}; {there}")
        number %= n
        place = IndexRow(*(column[number].as_py() for column in self.index.columns))
        with self._opened() as file:
            batch = self._batch(file, place.offset)
            about = self._about(batch, place.row, number)
            parts, left, first, unpacked = [], about.rows, place.row, 0
            while left > 0:
                unpacked += batch.unpacked
                self._check_memory(unpacked)
                last = min(first + left, batch.rows.n)
                if batch.owners[first:last] != [number] * (last - first) or first >= last:
                    raise self._damaged(place.offset, f"does not hold search {number:,} whole")
                parts.append(split(batch.rows, first, last))
                left -= last - first
                if left:
                    batch, first = self._batch(file, batch.end), 0
        document = document_of(whole_meta(self._common, about))
        meta = parsed_meta(document, f"{self.path}, search {number:,}", NEWEST_VERSION)
        return meta, joined(parts), about.complete

    def _columns(self, meta: TraceMeta, rows: Rows, number: int) -> Columns:
        problem = inconsistency(rows, 1, meta.n_players)
        if problem is not None:
            raise TraceError(
                f"{self.path}: search {number:,} is inconsistent: {problem}; correct the program that wrote it"
            )
        columns = root_columns(meta)
        columns.append(rows)
        return columns

    def _about(self, batch: _Batch, row: int, number: int) -> AboutSearch:
        text = batch.about[row] if 0 <= row < batch.rows.n else None
        try:
            about = ABOUT_DECODER.decode(text or "")
        except msgspec.DecodeError as err:
            raise TraceError(
                f"{self.path}: search {number:,} does not begin where the index says; copy the file again"
            ) from err
        if about.rows < 1:
            raise TraceError(f"{self.path}: search {number:,} has no rows; copy the file again")
        return about

    def _batch(self, file: BinaryIO, offset: int) -> _Batch:
        """The batch that begins at a byte, verified."""
        if self._last is not None and self._last[0] == offset:
            return self._last[1]
        if not len(self._header) <= offset < self.size:
            raise self._damaged(offset, "is not in the file")
        file.seek(offset)
        try:
            message = _message(file)
            unpacked = declared(memoryview(message)).unpacked
        except (ValueError, *UNREADABLE) as err:
            raise self._damaged(offset, "is not readable") from err
        self._check_memory(unpacked)
        found = self._read(message, offset, unpacked)
        self._last = (offset, found)
        return found

    def _check_memory(self, unpacked: int) -> None:
        """Raise TraceError for more bytes than may be taken."""
        too_much = excess(unpacked, self.size, self._memory)
        if too_much is not None:
            raise TraceError(f"{self.path}: {too_much}; {MORE_MEMORY}")

    def _read(self, message: bytes, offset: int, unpacked: int) -> _Batch:
        try:
            stream = pa.ipc.open_stream(pa.py_buffer(self._header + message))
            batch, custom = stream.read_next_batch_with_custom_metadata()
            batch.validate(full=True)
            rows = from_batch(batch.drop_columns([SEARCH, ABOUT]))
            carried = {} if custom is None else dict(custom.items())
            rows.asides = Asides.read(
                carried, functools.partial(bytes, carried.get(DOCUMENTS, b""))
            )
        except (*UNREADABLE, StopIteration, TypeError, RecursionError) as err:
            raise self._damaged(offset, "is not readable") from err
        right = (b"%08x" % checksum(rows, self._version), owners_checksum(batch))
        if (carried.get(BATCH_CRC_KEY), carried.get(OWNERS_CRC_KEY)) != right:
            raise self._damaged(offset, "does not match its checksum")
        owners, about = batch.column(0).to_pylist(), batch.column(1).to_pylist()
        return _Batch(rows, owners, about, offset + len(message), unpacked)

    def _damaged(self, offset: int, what: str) -> DamagedBatchError:
        return DamagedBatchError(
            f"{self.path}: the batch at byte {offset:,} {what}; copy the file again, or record the searches again"
        )

    def _read_index(self, file: BinaryIO) -> pa.Table | None:
        """The index at the end; None where there is none that can be believed."""
        if self.size < len(self._header) + END:
            return None
        file.seek(self.size - END)
        last = file.read(END)
        if last[TRAILER.size :] != MAGIC:
            return None
        offset, length, crc = TRAILER.unpack(last[: TRAILER.size])
        if length < 0 or offset < 0 or offset + length + END != self.size:
            return None
        file.seek(offset)
        content = file.read(length)
        if zlib.crc32(content) != crc:
            return None
        try:
            if excess(_unpacked(content), self.size, self._memory) is not None:
                return None
            table = pa.ipc.open_stream(pa.py_buffer(content)).read_all()
        except UNREADABLE:
            return None
        return table if table.schema.equals(INDEX) else None

    def _rebuilt(self, file: BinaryIO) -> list[IndexRow]:
        """The index of the searches that can be read, one batch after the other."""
        found: list[IndexRow] = []
        offset, unfinished = len(self._header), 0
        while offset < self.size:
            file.seek(offset)
            if file.read(len(END_MARK)) == END_MARK:
                self.damage = "the index at its end is damaged, and was made anew"
                break
            try:
                batch = self._batch(file, offset)
                begins = [row for row, text in enumerate(batch.about) if text is not None]
                for row in begins:
                    about = self._about(batch, row, len(found))
                    found.append(
                        IndexRow(
                            offset, row, about.rows, about.iterations, about.nodes, about.complete
                        )
                    )
            except DamagedBatchError as err:
                words = str(err).removeprefix(f"{self.path}: ").partition(";")[0]
                if _is_cut_short(file, offset, self.size):
                    words = "it broke off before its index, which was made anew, while a batch was written"
                self.damage = (
                    f"{words}; {self.size - offset:,} bytes from byte {offset:,} on are lost"
                )
                break
            unfinished -= batch.rows.n
            if begins:
                unfinished = found[-1].row + found[-1].rows - batch.rows.n
            offset = batch.end
        else:
            self.damage = "it broke off before its index, which was made anew"
        if unfinished > 0:
            found.pop()  # its last rows are not there
        return found

    def _opened(self) -> BinaryIO:
        try:
            if not self.path.is_file():
                raise TraceError(f"{self.path}: there is no such file; check the name")
            return self.path.open("rb")
        except OSError as err:
            raise TraceError(
                f"{self.path}: cannot be read: {err.strerror or err}; check the file and its permissions"
            ) from err

    def __repr__(self) -> str:
        return f"<{plural(len(self), 'search', 'searches')} in {self.path}>"


class PartedTraces(Sequence[AnyTrace], Generic[AnyTrace]):
    """The searches of several files, one after the other."""

    def __init__(self, parts: Sequence[ManyFile[AnyTrace]]) -> None:
        self.parts = tuple(parts)
        self._ends = list(itertools.accumulate(len(part) for part in self.parts))

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    @overload
    def __getitem__(self, number: int) -> AnyTrace: ...

    @overload
    def __getitem__(self, number: slice) -> list[AnyTrace]: ...

    def __getitem__(self, number: int | slice) -> AnyTrace | list[AnyTrace]:
        if isinstance(number, slice):
            return [self[each] for each in range(*number.indices(len(self)))]
        n = len(self)
        if not -n <= number < n:
            raise IndexError(f"there is no search {number}; there are 0 to {n - 1:,}")
        number %= n
        for part, end in zip(self.parts, self._ends):
            if number < end:
                return part[number - end]
        raise AssertionError


def _message(file: BinaryIO) -> bytes:
    """The message that begins where the file is; raises ValueError where there is none."""
    start = file.tell()
    if file.read(4) != CONTINUATION:
        raise ValueError("no message begins there")
    file.seek(start)
    try:
        pa.ipc.read_message(pa.PythonFile(file, "r"))
    except UNREADABLE as err:
        raise ValueError(str(err)) from err
    end = file.tell()
    file.seek(start)
    return file.read(end - start)


def _is_cut_short(file: BinaryIO, offset: int, size: int) -> bool:
    """Whether the message that begins at a byte goes on behind the end of the file."""
    file.seek(offset)
    prefix = file.read(8)
    begins = offset + 8 + int.from_bytes(prefix[4:], "little")  # its body
    if len(prefix) < 8 or begins > size:
        return CONTINUATION.startswith(prefix[:4])
    metadata = file.read(begins - offset - 8)
    try:
        return prefix[:4] == CONTINUATION and begins + body_length(metadata) > size
    except ValueError:
        return False


def _unpacked(stream: bytes) -> int:
    """Bytes that the batches of an Arrow stream unpack to; raises one of `UNREADABLE` where it is none."""
    reader, total = pa.BufferReader(stream), 0
    pa.ipc.read_message(reader)  # its columns
    while (start := reader.tell()) < len(stream):
        if stream[start : start + len(END_MARK)] == END_MARK:
            break
        pa.ipc.read_message(reader)
        total += declared(memoryview(stream)[start : reader.tell()]).unpacked
    return total


def _table(rows: list[IndexRow]) -> pa.Table:
    columns = [pa.array(values, kind.type) for values, kind in zip(zip(*rows), INDEX)]
    return pa.Table.from_arrays(columns, schema=INDEX) if rows else INDEX.empty_table()
