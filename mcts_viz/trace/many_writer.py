"""Writes many searches into one file, each as a whole when it has ended.

What was written before a crash is read again, without the index, which is made anew then.
"""

from __future__ import annotations

import io
import json
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import get_type_hints

import numpy as np
import pyarrow as pa

from mcts_viz.errors import TraceError, TraceWriteError
from mcts_viz.trace.batches import BATCH_CRC_KEY, checksum, to_batch
from mcts_viz.trace.format import (
    BATCH_ITERATIONS,
    MANY_SUFFIX,
    SCHEMAS,
    SUFFIX,
    Rows,
)
from mcts_viz.trace.liveness import release
from mcts_viz.trace.many_format import (
    ABOUT,
    MANY_LEVEL,
    OWNERS_CRC_KEY,
    ROWS_VERSION,
    SEARCH,
    IndexRow,
    differences,
    index_bytes,
    many_schema,
    owners_checksum,
    trailer,
)
from mcts_viz.trace.meta import TraceMeta
from mcts_viz.trace.rows import joined, split
from mcts_viz.trace.surrogates import without_lone_surrogates
from mcts_viz.trace.trace import Trace
from mcts_viz.trace.writer import emptied
from mcts_viz.types import Document

# of the metadata that a file knows, those that a program may tell of a search
TOLD = ("game_id", "ply", "slot", "commit", "engine", "result", "bench", "digest", "seed")
_OF_THE_SEARCH = frozenset(get_type_hints(TraceMeta)) - {*TOLD}
Said = str | float | None
About = Mapping[str, Said]  # what a program says of a search: slot, seed, result, …
FLUSH_SECONDS = 2.0  # of searches that a crash may cost at most


class ManyWriter:
    """Collects traces in the file at `path`, which it begins anew. Use as a context manager, or call `close`.

    Several threads may append at once; several processes write a file each. Raises TraceError where the file
    is being written already, and its TraceWriteError when it cannot be made or the disk is full; what was written
    before stays.
    """

    def __init__(self, path: str | Path, clock: Callable[[], float] = time.monotonic) -> None:
        self.path = Path(path)
        if self.path.suffix.lower() == SUFFIX:  # by which readers take it for one search
            raise TraceError(
                f"{path}: {SUFFIX} is the suffix of one search; name the file {self.path.stem}{MANY_SUFFIX}"
            )
        self._clock = clock
        self._lock = threading.Lock()
        self._file = emptied(self.path)
        self._message = io.BytesIO()
        self._stream: pa.RecordBatchStreamWriter | None = None  # the first search brings the header
        self._common: Document = {}
        self._waiting: list[tuple[int, str, Rows]] = []  # search, its header, rows
        self._n_waiting = 0
        self._index: list[IndexRow] = []
        self._size = 0  # bytes written
        self._last_write = clock()

    def __len__(self) -> int:
        """How many searches were appended."""
        return len(self._index)

    def append(self, trace: Trace, **about: Said) -> int:
        """Add a trace; its number in the file, from 0. about: what the tables of a fleet shall say of it, such as
        game_id="17", ply=4, result=-1 (of the game, as outcomes are), slot=2 (in a batch), seed=5, commit="4f2a".
        Raises TraceError, and leaves the file as it is, for what cannot be kept."""
        if not isinstance(trace, Trace):
            raise TraceError(f"{trace!r:.60} is no trace; open one first: mv.open(path)")
        columns, meta = trace.columns, _told(trace.meta, about)
        rows = columns.as_rows()
        if rows.n == 0:
            raise TraceError("a search without an iteration cannot be added; run it longer")
        with self._lock:
            if self._file.closed:
                raise TraceError(f"{self.path}: is closed; open another file for more searches")
            if self._stream is None:
                self._begin(dict(meta))
            if self._n_waiting and (
                self._n_waiting + rows.n > BATCH_ITERATIONS or not _alike(self._waiting[0][2], rows)
            ):
                self._flush()
            number = len(self._index)
            changed, absent = differences(meta, self._common)
            said = {
                "rows": rows.n, "iterations": columns.n_iterations, "nodes": columns.n_nodes,
                "complete": trace.complete, "set": changed, "unset": absent,
            }  # fmt: skip
            place = IndexRow(
                -1, self._n_waiting, rows.n, columns.n_iterations, columns.n_nodes, trace.complete
            )
            header = json.dumps(said, ensure_ascii=False, allow_nan=False)
            self._waiting.append((number, without_lone_surrogates(header), rows))
            self._index.append(place)
            self._n_waiting += rows.n
            is_due = self._clock() - self._last_write >= FLUSH_SECONDS
            if self._n_waiting >= BATCH_ITERATIONS or is_due:
                self._flush()
            return number

    def flush(self) -> None:
        """Write what is waiting, so that a reader of the file sees it."""
        with self._lock:
            self._flush()

    def close(self) -> None:
        """Write the rest, the end mark and the index."""
        with self._lock:
            if self._file.closed:
                return
            try:
                if self._stream is None:
                    self._begin({})
                self._flush()
                assert self._stream is not None
                self._stream.close()
                self._put(self._made())
                index = index_bytes(self._index)
                self._put(index + trailer(self._size, index))
            finally:
                release(self._file)
                self._file.close()

    def __enter__(self) -> ManyWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _begin(self, common: Document) -> None:
        self._common = common
        self._schema = many_schema(common)
        options = pa.ipc.IpcWriteOptions(
            compression=pa.Codec("zstd", MANY_LEVEL), use_threads=False
        )
        self._stream = pa.ipc.new_stream(self._message, self._schema, options=options)
        header = self._schema.serialize().to_pybytes()
        self._put(header)
        self._twice = len(header)  # bytes of Arrow's that are in the file already

    def _flush(self) -> None:
        if not self._waiting:
            return
        offset = self._size
        for place in range(len(self._index) - len(self._waiting), len(self._index)):
            self._index[place] = self._index[place]._replace(offset=offset)
        whole = joined([rows for _, _, rows in self._waiting])
        owners, texts = [], []
        for number, said, rows in self._waiting:
            owners += [number] * rows.n
            texts += [said, *[None] * (rows.n - 1)]
        for first in range(0, whole.n, BATCH_ITERATIONS):  # more than one only of a long search
            last = min(first + BATCH_ITERATIONS, whole.n)
            rows = split(whole, first, last) if whole.n > BATCH_ITERATIONS else whole
            self._write(rows, owners[first:last], texts[first:last])
        self._waiting.clear()
        self._n_waiting = 0
        self._last_write = self._clock()

    def _write(self, rows: Rows, owners: list[int], texts: list[str | None]) -> None:
        plain = to_batch(rows, SCHEMAS[ROWS_VERSION])
        columns = [pa.array(owners, pa.int32()), pa.array(texts, pa.string()), *plain.columns]
        batch = pa.RecordBatch.from_arrays(columns, schema=self._schema)
        custom = {
            BATCH_CRC_KEY: b"%08x" % checksum(rows, ROWS_VERSION),
            OWNERS_CRC_KEY: owners_checksum(batch.select([SEARCH, ABOUT])),
        }
        custom |= {key.encode(): told for key, told in rows.asides.custom_metadata().items()}
        assert self._stream is not None
        self._stream.write_batch(batch, custom_metadata=custom)
        self._put(self._made())

    def _made(self) -> bytes:
        """What Arrow has written since the last time."""
        made = self._message.getvalue()[self._twice :]
        self._message.seek(0)
        self._message.truncate()
        self._twice = 0
        return made

    def _put(self, message: bytes) -> None:
        """Write a message to the file, whole or not at all."""
        try:
            written = 0
            while written < len(message):
                written += self._file.write(memoryview(message)[written:])
        except OSError as err:
            self._file.truncate(self._size)
            release(self._file)
            self._file.close()
            raise TraceWriteError(
                f"{self.path}: writing the searches failed: {err.strerror or err}. Make room or choose another path; "
                f"the {len(self._index) - len(self._waiting):,} searches written before can still be opened"
            ) from err
        self._size += len(message)


def _told(meta: TraceMeta, about: About) -> TraceMeta:
    """The metadata of a search with what its program says of it. Raises TraceError."""
    if not about:
        return meta
    return TraceMeta(
        {**meta, **_plain(about, "append()")}, "append()", remedy="give another value, or None"
    )


def _plain(about: About, place: str) -> Document:
    """What a program says of a search, as JSON has it. Raises TraceError."""
    plain: Document = {}
    for name, value in about.items():
        if name in _OF_THE_SEARCH:
            raise TraceError(
                f"{place}: {name}= is what the search itself has recorded; give another name, such as note_{name}"
            )
        plain[name] = value.item() if isinstance(value, np.generic) else value
        if not isinstance(plain[name], (str, int, float, type(None))):
            raise TraceError(
                f"{place}: {name}={value!r:.60} is of type {type(value).__name__}; give a text, a number or None"
            )
    return plain


def checked_about(
    about: About | Callable[[], About] | None, into: ManyWriter | None
) -> Callable[[], About]:
    """What gives it when the search has ended; raises TraceError at once for what can be seen to be wrong."""
    if about is None:
        return dict
    if into is None:
        raise TraceError(
            "about= is kept beside a search in a file of many; give into=, or leave it out"
        )
    if callable(about):
        return lambda: _mapping(about())
    told = _plain(_mapping(about), "about=")
    return lambda: told


def _mapping(about: About) -> About:
    if not isinstance(about, Mapping):
        raise TraceError(
            f"about={about!r:.60} is neither a dict nor a function that gives one; write about={{'slot': 2}}"
        )
    return about


def checked_many(into: ManyWriter | None) -> ManyWriter | None:
    """Itself; raises TraceError for what is no file of many."""
    if into is not None and not isinstance(into, ManyWriter):
        raise TraceError(
            f"into={into!r:.60} is no file that stays open for many searches; give one: "
            "with mcts_viz.ManyWriter(path) as many: … into=many"
        )
    return into


def _alike(one: Rows, other: Rows) -> bool:
    """Whether both recorded the same columns, so that they fit into one batch."""
    return all(
        one.values[lists.name].recorded == other.values[lists.name].recorded for lists in Rows.lists
    )
