"""Columns on the wire: a JSON header, then the raw numbers, ready to be looked at as typed arrays without parsing.

Layout, little endian: uint32 length of the header, the header (UTF-8 JSON padded with spaces), then the buffers, each
beginning at a multiple of 8 bytes from the start. The header is `{"meta": …, "columns": {name: {"type", "offset",
"length"}}}` with offsets in bytes from the start. Knows nothing of trees.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping

import numpy as np

from mcts_viz.types import Document, Numbers, ReadDocument

MIMETYPE = "application/octet-stream"
TYPES = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "float32", "float64")


def pack(meta: ReadDocument, columns: Mapping[str, Numbers]) -> bytes:
    """The message; raises TypeError for a column that JavaScript has no typed array for."""
    buffers = {name: _little_endian(name, column) for name, column in columns.items()}
    entries: dict[str, Document] = {
        name: {"type": buffer.dtype.name, "offset": 0, "length": len(buffer)}
        for name, buffer in buffers.items()
    }
    body_start = 4 + _aligned(len(_header(meta, entries)) + 16 * len(entries) + 4) - 4
    body_start = _aligned(body_start + 4)
    offset = body_start
    for name, buffer in buffers.items():
        entries[name]["offset"] = offset
        offset = _aligned(offset + buffer.nbytes)
    message = bytearray(offset)
    header = _header(meta, entries).ljust(body_start - 4)
    message[:body_start] = struct.pack("<I", len(header)) + header
    for name, buffer in buffers.items():
        begin = entries[name]["offset"]
        message[begin : begin + buffer.nbytes] = buffer.tobytes()
    return bytes(message)


def unpack(message: bytes) -> tuple[Document, dict[str, Numbers]]:
    """What `pack` was given, for tests and for clients in Python."""
    (length,) = struct.unpack_from("<I", message)
    header = json.loads(message[4 : 4 + length])
    columns = {
        name: np.frombuffer(
            message, np.dtype(entry["type"]).newbyteorder("<"), entry["length"], entry["offset"]
        )
        for name, entry in header["columns"].items()
    }
    return header["meta"], columns


def _header(meta: ReadDocument, entries: ReadDocument) -> bytes:
    document = {"meta": meta, "columns": entries}
    text = json.dumps(document, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace")  # a file of strangers may name half a surrogate pair


def _little_endian(name: str, column: Numbers) -> Numbers:
    if column.dtype.name not in TYPES or column.ndim != 1:
        raise TypeError(
            f"column {name!r} is {column.dtype} of {column.ndim} dimensions; send one of: {', '.join(TYPES)}"
        )
    return np.ascontiguousarray(column, column.dtype.newbyteorder("<"))


def _aligned(n: int) -> int:
    return -(-n // 8) * 8
