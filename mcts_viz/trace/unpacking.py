"""What a batch unpacks to, before it is unpacked: a small file can claim to hold more than a machine has.

Reads the lengths that Arrow's messages declare, by the layout of their flatbuffers (Arrow's Message.fbs).
"""

from __future__ import annotations

import struct
from typing import NamedTuple

from flatbuffers.number_types import Int64Flags
from flatbuffers.table import Table

from mcts_viz.trace.memory import MEGABYTE, machine_memory

RECORD_BATCH = 3  # of the union MessageHeader
HEADER_TYPE, HEADER = 6, 8  # fields of a Message
BODY_LENGTH = 10
LENGTH, NODES, BUFFERS, COMPRESSION = 4, 6, 8, 10  # fields of a RecordBatch
NEW_NODES = (
    1  # place of the structs of the first column, which are the nodes made, among its `NODES`
)
MOST_BUFFERS = 1_000
SHARE = 0.25  # default share of the machine's memory that a trace may unpack to
MOST_PACKED = 40_000  # bytes in one byte: zstd packs a block of 128 kB of one value into 4 bytes
# no recording compresses better than this
MOST_ALIKE = 400  # bytes unpacked for one packed
DEEP = 4_000  # the same where updates follow from the leaf: some 16 bytes of each node above it, for 2 of an iteration
HARMLESS = 64 * MEGABYTE  # bytes unpacked, up to which any compression is allowed


class Declared(NamedTuple):
    """What a message says of itself."""

    rows: int
    unpacked: int  # bytes
    nodes: int  # that its rows make


def default_limit() -> int:
    """Bytes that a trace may unpack to."""
    return int(SHARE * machine_memory())


def declared(message: memoryview) -> Declared:
    """What a record batch's message declares, without unpacking it. Raises ValueError for a message that
    is none, or contradicts itself."""
    (length,) = struct.unpack_from("<i", message, 4)
    metadata, body = bytes(message[8 : 8 + length]), message[8 + length :]
    try:
        return _declared(metadata, body)
    except (struct.error, IndexError, TypeError, OverflowError) as err:
        raise ValueError(f"its message is malformed: {err}") from err


def _declared(metadata: bytes, body: memoryview) -> Declared:
    batch, rows = _record_batch(metadata)
    is_packed = bool(batch.Offset(COMPRESSION))
    total = json_memory(metadata)  # what is told beside the columns
    at = batch.Offset(BUFFERS)
    n_buffers, first = (batch.VectorLen(at), batch.Vector(at)) if at else (0, 0)
    if not 0 <= rows < 1 << 31 or n_buffers > MOST_BUFFERS:
        raise ValueError(f"it claims {rows:,} rows in {n_buffers:,} buffers")
    for place in range(first, first + 16 * n_buffers, 16):
        offset, length = struct.unpack_from("<qq", metadata, place)
        if offset < 0 or length < 0 or offset + length > len(body):
            raise ValueError("its buffers lie outside of it")
        unpacked = length
        if is_packed and length >= 8:
            (claimed,) = struct.unpack_from("<q", body, offset)
            unpacked = length - 8 if claimed == -1 else claimed
        if not 0 <= unpacked <= MEGABYTE + MOST_PACKED * length:
            raise ValueError(f"a buffer of {length:,} bytes claims to hold {unpacked:,}")
        total += unpacked
    at = batch.Offset(NODES)
    n_nodes = 0
    if at and batch.VectorLen(at) > NEW_NODES:
        n_nodes = struct.unpack_from("<q", metadata, batch.Vector(at) + 16 * NEW_NODES)[0]
    return Declared(rows, total, n_nodes)


def _record_batch(metadata: bytes) -> tuple[Table, int]:
    """The table in a record batch's metadata, and how many rows it has."""
    root = Table(metadata, struct.unpack_from("<I", metadata)[0])
    kind = root.Offset(HEADER_TYPE)
    if not kind or metadata[root.Pos + kind] != RECORD_BATCH:
        raise ValueError("its message is no record batch")
    batch = Table(metadata, root.Indirect(root.Pos + root.Offset(HEADER)))
    at = batch.Offset(LENGTH)
    return batch, batch.Get(Int64Flags, batch.Pos + at) if at else 0


def rows_in(metadata: bytes) -> int:
    """Rows of the record batch that has these metadata. Raises ValueError for metadata that are none."""
    try:
        return int(_record_batch(metadata)[1])
    except (struct.error, IndexError, TypeError, OverflowError) as err:
        raise ValueError(f"its message is malformed: {err}") from err


def body_length(metadata: bytes) -> int:
    """Bytes of the body of a message that has these metadata. Raises ValueError for metadata that are none."""
    try:
        root = Table(metadata, struct.unpack_from("<I", metadata)[0])
        at = root.Offset(BODY_LENGTH)
        length = root.Get(Int64Flags, root.Pos + at) if at else 0
    except (struct.error, IndexError, TypeError, OverflowError) as err:
        raise ValueError(f"its message is malformed: {err}") from err
    if not 0 <= length < 1 << 40:
        raise ValueError(f"it claims to have {length:,} bytes")
    return int(length)


def json_memory(document: bytes) -> int:
    """Bytes that a JSON document takes at most while it is read and checked."""
    opened = document.count(b"[") + document.count(b"{")
    more, named = document.count(b","), document.count(b":")
    return 2 * len(document) + 120 * opened + 40 * more + 130 * named


def excess(
    unpacked: int, packed: int, limit: int | None, most_alike: int = MOST_ALIKE
) -> str | None:
    """Why that much is not unpacked, in words; None if it is. limit: bytes that the user allows; None:
    the default, and no more than recordings compress: to `most_alike` bytes each."""
    allowed = default_limit() if limit is None else limit
    if unpacked > allowed:
        return f"would unpack to {unpacked / MEGABYTE:,.0f} MB, and {allowed / MEGABYTE:,.0f} MB are allowed here"
    return alike(unpacked, packed, most_alike) if limit is None else None


def alike(unpacked: int, packed: int, most_alike: int = MOST_ALIKE) -> str | None:
    """Why so few bytes may not unpack to so many, in words; None for a ratio that recordings have."""
    if unpacked > max(HARMLESS, most_alike * packed):
        return (
            f"would unpack {packed:,} bytes to {unpacked / MEGABYTE:,.0f} MB, as no recording does"
        )
    return None
