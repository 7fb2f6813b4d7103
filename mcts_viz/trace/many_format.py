"""Many searches in one file: what the file holds beside the rows of traces. Written down in docs/many-searches.md.

An Arrow stream like a trace's, whose rows belong to many searches, one after the other; behind its end an index of
them, and a trailer that says where the index begins. What most searches have in common stands once, in the header.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Mapping
from typing import NamedTuple

import msgspec
import pyarrow as pa

from mcts_viz.errors import TraceError
from mcts_viz.trace.format import MANY_KEY, PLAYERS_VERSION, SCHEMAS
from mcts_viz.types import Document, ReadDocument

MANY_CRC_KEY = b"mcts_viz.many.crc32"
OWNERS_CRC_KEY = b"mcts_viz.searches.crc32"  # of a batch: over the two columns that a trace has not
VERSION = 1
ROWS_VERSION = PLAYERS_VERSION  # of the trace format: all updates are written out
SEARCH, ABOUT = "search", "about"
MANY_LEVEL = 3  # of zstd: level 1 makes a file 3 to 5 % larger and hardly saves a writer any time
MAGIC = b"MCTSMANY"
TRAILER = struct.Struct(
    "<qqI"
)  # where the index begins, its length in bytes, its CRC-32; then MAGIC

INDEX = pa.schema(
    [
        pa.field("offset", pa.int64(), False),  # byte at which the batch with its first row begins
        pa.field("row", pa.int32(), False),  # its first row in that batch
        pa.field("rows", pa.int32(), False),  # how many it has
        pa.field("iterations", pa.int32(), False),
        pa.field("nodes", pa.int32(), False),  # in the end, the root included
        pa.field("complete", pa.bool_(), False),  # whether the search was recorded to its end
    ]
)


class IndexRow(NamedTuple):
    """A search in the index."""

    offset: int
    row: int
    rows: int
    iterations: int
    nodes: int
    complete: bool


class AboutSearch(msgspec.Struct):
    """What the first row of a search says of it."""

    rows: int
    iterations: int
    nodes: int
    complete: bool
    set: Document  # its metadata where they differ from what all have in common
    unset: list[str]  # keys that it has not


ABOUT_DECODER = msgspec.json.Decoder(AboutSearch)


class ManyHeader(msgspec.Struct):
    """The document in the header."""

    format_version: int
    common: Document  # the metadata of a search
    rows_version: int = ROWS_VERSION  # version of the trace format that the columns are of


HEADER_DECODER = msgspec.json.Decoder(ManyHeader)


def many_schema(common: ReadDocument, rows_version: int = ROWS_VERSION) -> pa.Schema:
    """The columns of a file, with its header."""
    header = json.dumps(
        {"format_version": VERSION, "rows_version": rows_version, "common": common},
        ensure_ascii=False, allow_nan=False,
    ).encode("utf-8", "replace")  # fmt: skip
    owners = [pa.field(SEARCH, pa.int32(), False), pa.field(ABOUT, pa.string())]
    crc = b"%08x" % zlib.crc32(header)
    return pa.schema(
        [*owners, *SCHEMAS[rows_version]], metadata={MANY_KEY: header, MANY_CRC_KEY: crc}
    )


def is_many(schema: pa.Schema) -> bool:
    """Whether a stream of that schema holds many searches."""
    return MANY_KEY in (schema.metadata or {})


def read_header(schema: pa.Schema, source: str) -> ManyHeader:
    """The header of a file; raises TraceError naming what is wrong."""
    document = schema.metadata[MANY_KEY]
    if schema.metadata.get(MANY_CRC_KEY) != b"%08x" % zlib.crc32(document):
        raise TraceError(f"{source}: its header does not match its checksum; copy the file again")
    try:
        header = HEADER_DECODER.decode(document)
    except msgspec.DecodeError as err:
        raise TraceError(f"{source}: its header is not readable: {err}") from err
    if header.format_version != VERSION or not 1 <= header.rows_version <= ROWS_VERSION:
        raise TraceError(
            f"{source}: many searches of format version {header.format_version}, their rows of version "
            f"{header.rows_version}, and this program reads {VERSION}, with rows up to {ROWS_VERSION}; update mcts_viz "
            "to open it"
        )
    try:
        names = schema.names
    except UnicodeDecodeError:
        names = []
    # columns that were added to a version since are missing in older files
    known = [field for field in many_schema({}, header.rows_version) if field.name in names]
    if not names or list(schema) != known:
        raise TraceError(
            f"{source}: its columns are not those of trace format {header.rows_version}; copy the file again"
        )
    return header


def differences(meta: ReadDocument, common: ReadDocument) -> tuple[Document, list[str]]:
    """What a search's metadata say otherwise, and which keys they have not."""
    changed = {key: value for key, value in meta.items() if key not in common or common[key] != value}  # fmt: skip
    return changed, [key for key in common if key not in meta]


def whole_meta(common: ReadDocument, about: AboutSearch) -> Document:
    """A search's metadata."""
    kept: Mapping[str, object] = {key: value for key, value in common.items() if key not in about.unset}  # fmt: skip
    return {**kept, **about.set}


def owners_checksum(batch: pa.RecordBatch) -> bytes:
    """Of the two columns that a trace has not."""
    searches = batch.column(0).to_numpy()
    texts = json.dumps(batch.column(1).to_pylist(), ensure_ascii=True).encode()
    return b"%08x" % zlib.crc32(texts, zlib.crc32(searches.astype("<i4").tobytes()))


def index_bytes(rows: list[IndexRow]) -> bytes:
    """The index as an Arrow stream."""
    columns = [pa.array(values, kind.type) for values, kind in zip(zip(*rows), INDEX)]
    table = pa.Table.from_arrays(columns, schema=INDEX) if rows else INDEX.empty_table()
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression=pa.Codec("zstd", MANY_LEVEL))
    with pa.ipc.new_stream(sink, INDEX, options=options) as stream:
        stream.write_table(table)
    return bytes(sink.getvalue())


def trailer(offset: int, index: bytes) -> bytes:
    """The last bytes of a file."""
    return TRAILER.pack(offset, len(index), zlib.crc32(index)) + MAGIC
