"""Counters packed tighter than a fast zstd level packs them, in a message that stays plain Arrow.

Offsets and ids that count up are a fifth of a trace file. A fast zstd finds nothing to match in
them, for it looks for four equal bytes and their lowest byte always changes; it spends 2.6 bytes on
each number. Saying "the three upper bytes are those of the number before" takes 1.1. A zstd frame
can say that, and any zstd decodes it; only the encoder's fast levels never do. So the frames of
these buffers are made here and put into the message that Arrow wrote.

Formats: RFC 8878 (zstd frames), Arrow's Message.fbs in the encoding of FlatBuffers. Knows buffers,
not traces. Whatever is not as expected stays as Arrow wrote it.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

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
    same = np.empty(n, np.bool_)  # [n] as the number before, but for the lowest byte
    same[:1] = False
    np.equal(upper[1:], upper[:-1], out=same[1:])
    n_same = int(np.count_nonzero(same))
    if n > MOST_VALUES or n_same == 0:
        return None
    first = int(np.argmax(same))  # before it: one block as it is
    starts = same[first:] & ~same[first - 1 : -1]  # [rest] where a block begins
    if first + 1 < n and same[first + 1]:
        starts[1] = True  # the first block is of one sequence: it sets the offset
    begin = np.flatnonzero(starts)  # [blocks]
    header = MAGIC + struct.pack("<BI", SINGLE_SEGMENT, 4 * n)
    length = len(header) + 3 + 4 * n - 3 * n_same + (BEFORE + BEHIND) * len(begin)
    if length >= min(shorter_than, 4 * n):
        return None
    same, rest = same[first:], values[first:]
    whole = np.flatnonzero(~same)  # numbers that do not: all their bytes are literals
    n_sequences = np.add.reduceat(same, begin, dtype=np.int64)  # [blocks]
    n_numbers = np.append(begin[1:], len(rest)) - begin
    n_literals = 4 * n_numbers - 3 * n_sequences
    steps = np.ones(len(rest) + 1, np.int64)
    steps[whole + 1] += 3
    steps[begin] += BEFORE + BEHIND
    steps[0] -= 1 + BEHIND
    place = np.cumsum(steps)  # [rest + 1] where the literals of each number begin
    at = place[begin]  # [blocks]
    size = (n_literals + BEFORE + BEHIND - 3) << 3 | 2 << 1  # of a compressed block
    size[-1] |= 1  # the last one
    # raw literals, their number in 20 bits
    before = size | 3 << 26 | n_literals << 28
    # one symbol for all sequences, of each of the three kinds: literals before the match, offset as
    # before, match length 3; then no further bits
    behind = 0x80 | n_sequences >> 8 | (n_sequences & 0xFF) << 8 | 0x54 << 16 | 1 << 24 | 1 << 48
    # the first time the offset is said: its code, and 4 + 3 = 4 + 0b11 in its bits
    behind[0] |= 2 << 32 | 0b111 << 48
    out = np.empty(int(place[-1]) + BEHIND, np.uint8)
    out[place[:-1]] = rest.astype(np.uint8)
    _put(out, place[whole] + 1, rest[whole] >> 8, 3)
    _put(out, at - BEFORE, before, BEFORE)
    _put(out, at + n_literals, behind, BEHIND)
    leading = struct.pack("<I", 4 * first << 3)[:3] + values[:first].astype("<i4").tobytes()
    return header + leading + out.tobytes()


def _put(out: Bytes, at: npt.NDArray[np.int64], values: npt.NDArray[Any], n: int) -> None:
    """The `n` lowest bytes of each number, the lowest first."""
    content = values.astype("<i8").view(np.uint8).reshape(-1, 8)
    out[at[:, np.newaxis] + np.arange(n)] = content[:, :n]


def with_packed_counters(
    message: bytes, counters: Mapping[int, npt.NDArray[np.int32] | None]
) -> bytes:
    """The record batch message with those of its buffers packed that gain by it. `counters` tells, by
    buffer's number, what it holds; Arrow must have compressed it with zstd."""
    metadata_end = 8 + struct.unpack_from("<i", message, 4)[0]
    head = bytearray(message[:metadata_end])
    body = memoryview(message)[metadata_end:]
    body_length, buffers = _places(head)
    parts: list[bytes | memoryview] = []
    end = 0
    for number, place in enumerate(buffers):
        offset, length = struct.unpack_from("<qq", head, place)
        buffer = body[offset : offset + length]
        values = counters.get(number)
        part = (None if values is None else _packed(buffer, values)) or buffer
        struct.pack_into("<qq", head, place, end, len(part))
        padding = -len(part) % 8
        parts += [part, bytes(padding)]
        end += len(part) + padding
    struct.pack_into("<q", head, body_length, end)
    return b"".join([head, *parts])


def _packed(buffer: memoryview, values: npt.NDArray[np.int32]) -> bytes | None:
    """A buffer of a compressed body that holds these numbers: the content's size, then a zstd frame.
    None where that is no gain."""
    size = struct.unpack_from("<q", buffer)[0] if len(buffer) > 8 else -1
    if size != 4 * len(values) or len(buffer) < size // 4:  # a frame takes a byte a number at least
        return None
    frame = packed_counters(values, len(buffer) - 8)
    return None if frame is None else struct.pack("<q", size) + frame


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
