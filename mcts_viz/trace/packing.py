"""Counters packed tighter than a fast zstd level packs them, in a message that stays plain Arrow.

Offsets and ids that count up are a fifth of a trace file. A fast zstd finds nothing to match in
them, for it looks for four equal bytes and their lowest byte always changes; it spends 2.6 bytes on
each number. Saying "the three upper bytes are those of the number before" takes 1.1. A zstd frame
can say that, and any zstd decodes it; only the encoder's fast levels never do. So the frames of
these buffers are made here, checked with zstd itself, and put into the message that Arrow wrote.

Formats: RFC 8878 (zstd frames), Arrow's Message.fbs in the encoding of FlatBuffers. Knows buffers,
not traces. Whatever is not as expected stays as Arrow wrote it.
"""

from __future__ import annotations

import struct
from collections.abc import Collection

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Bytes = npt.NDArray[np.uint8]

MAGIC = b"\x28\xb5\x2f\xfd"
SINGLE_SEGMENT = 0xA0  # frame header: one segment, its size in 4 bytes
MOST_VALUES = 30_000  # so that sizes and counts fit into the fields used here
BEFORE, BEHIND = 6, 7  # bytes of a block before and behind its literals


def packed_counters(values: npt.NDArray[np.int32], shorter_than: int) -> bytes | None:
    """A zstd frame of fewer bytes that decodes to these numbers, little-endian; None where there is
    none.

    One block for each run of numbers that do, and those behind it that do not. Literals: the lowest
    byte of the former, all four of the latter. Sequences: for each of the former, one literal, then
    a match of length 3 at distance 4, which is the repeated offset, so that all symbols are equal
    and take no bits.
    """
    n = len(values)
    upper = values >> 8
    same = np.concatenate(([False], upper[1:] == upper[:-1]))  # [n]
    if n > MOST_VALUES or not same.any():
        return None
    first = int(np.argmax(same))  # before it: one block as it is
    starts = same[first:] & ~same[first - 1 : -1]  # [rest] where a block begins
    if first + 1 < n and same[first + 1]:
        starts[1] = True  # the first block is of one sequence: it sets the offset
    n_blocks, n_same = int(np.count_nonzero(starts)), int(np.count_nonzero(same))
    header = MAGIC + struct.pack("<BI", SINGLE_SEGMENT, 4 * n)
    leading = struct.pack("<I", 4 * first << 3)[:3]
    length = 4 * n - 3 * n_same + (BEFORE + BEHIND) * n_blocks + len(header) + len(leading)
    if length >= min(shorter_than, 4 * n):
        return None
    content = values.astype("<i4").view(np.uint8).reshape(n, 4)
    same, rest = same[first:], content[first:]
    block = np.cumsum(starts) - 1  # [rest] of each number
    lengths = np.where(same, 1, 4)  # [rest] literal bytes
    ends = np.cumsum(lengths)
    begin = (
        ends - lengths + BEFORE + (BEFORE + BEHIND) * block
    )  # [rest] of its literals in the output
    n_literals = np.bincount(block, lengths).astype(np.int64)  # [blocks]
    n_sequences = np.bincount(block, same).astype(np.int64)
    size = n_literals + BEFORE + BEHIND
    at = np.cumsum(size) - size  # [blocks] where each begins
    out = np.zeros(int(size.sum()), np.uint8)
    out[begin] = rest[:, 0]
    whole = ~same
    for byte in (1, 2, 3):
        out[begin[whole] + byte] = rest[whole, byte]
    last = np.arange(n_blocks) == n_blocks - 1
    _put(out, at, last | 2 << 1 | (size - 3) << 3, 3)  # a compressed block
    _put(out, at + 3, 3 << 2 | n_literals << 4, 3)  # raw literals, their number in 20 bits
    behind = at + BEFORE + n_literals
    out[behind] = 0x80 | n_sequences >> 8
    out[behind + 1] = n_sequences & 0xFF
    out[behind + 2] = 0x54  # one symbol for all sequences, of each of the three kinds
    out[behind + 3] = 1  # literals before the match
    out[behind + 4] = 0  # the offset before
    out[behind + 5] = 0  # match length 3
    out[behind + 6] = 1  # no further bits
    out[behind[0] + 4] = 2  # the first time the offset is said: its code,
    out[behind[0] + 6] = 0b111  # and 4 + 3 = 4 + 0b11 in its bits
    return b"".join([header, leading, content[:first].tobytes(), out.tobytes()])


def _put(out: Bytes, at: npt.NDArray[np.int64], values: npt.NDArray[np.int64], n: int) -> None:
    for byte in range(n):
        out[at + byte] = values >> 8 * byte & 0xFF


def with_packed_counters(message: bytes, counters: Collection[int]) -> bytes:
    """The record batch message with those of its buffers packed, by number, that gain by it; they
    must be of int32 and compressed with zstd."""
    metadata_end = 8 + struct.unpack_from("<i", message, 4)[0]
    head = bytearray(message[:metadata_end])
    body = memoryview(message)[metadata_end:]
    body_length, buffers = _places(head)
    parts: list[bytes | memoryview] = []
    end = 0
    for number, place in enumerate(buffers):
        offset, length = struct.unpack_from("<qq", head, place)
        buffer = body[offset : offset + length]
        part = (_packed(buffer) if number in counters else None) or buffer
        struct.pack_into("<qq", head, place, end, len(part))
        padding = -len(part) % 8
        parts += [part, bytes(padding)]
        end += len(part) + padding
    struct.pack_into("<q", head, body_length, end)
    return b"".join([head, *parts])


def _packed(buffer: memoryview) -> bytes | None:
    """A buffer of a compressed body: the content's size, then a zstd frame. None where that is no
    gain."""
    size = struct.unpack_from("<q", buffer)[0] if len(buffer) > 8 else -1
    if size <= 0 or size % 4 or len(buffer) < size // 4:  # a frame takes a byte a number at least
        return None
    codec = pa.Codec("zstd")
    content = codec.decompress(buffer[8:], size)
    frame = packed_counters(np.frombuffer(content, "<i4"), len(buffer) - 8)
    if frame is None or not codec.decompress(frame, size).equals(content):
        return None
    return struct.pack("<q", size) + frame


def _places(head: bytearray) -> tuple[int, list[int]]:
    """Where in a record batch's message the length of its body and the (offset, length) of each
    buffer stand."""
    message = 8 + struct.unpack_from("<I", head, 8)[0]
    header = _target(head, _field(head, message, 2))
    vector = _target(head, _field(head, header, 2))
    (n,) = struct.unpack_from("<I", head, vector)
    return _field(head, message, 3), [vector + 4 + 16 * i for i in range(n)]


def _field(head: bytearray, table: int, number: int) -> int:
    """Where a FlatBuffers table keeps its field of that number."""
    vtable = table - struct.unpack_from("<i", head, table)[0]
    return table + int(struct.unpack_from("<H", head, vtable + 4 + 2 * number)[0])


def _target(head: bytearray, place: int) -> int:
    """What the reference there points to."""
    return place + int(struct.unpack_from("<I", head, place)[0])
