"""Counters packed by hand are plain zstd, and a message with them is plain Arrow."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mcts_viz as mv
from mcts_viz.trace import writer
from mcts_viz.trace.packing import packed_counters


def unpacked(frame: bytes, n: int) -> npt.NDArray[np.int32]:
    """What any zstd decoder makes of the frame."""
    return np.frombuffer(pa.Codec("zstd").decompress(frame, 4 * n), "<i4")


@given(
    steps=st.lists(st.integers(0, 700), min_size=1, max_size=600),
    first=st.integers(0, 2**30),
)
def test_a_packed_counter_decodes_to_the_same_numbers(steps: list[int], first: int) -> None:
    values = (first + np.cumsum(steps)).astype(np.int32)
    frame = packed_counters(values, 10**9)
    if frame is not None:
        assert np.array_equal(unpacked(frame, len(values)), values)


@given(st.lists(st.integers(-(2**31), 2**31 - 1), max_size=200))
def test_any_numbers_are_packed_right_or_not_at_all(numbers: list[int]) -> None:
    values = np.array(numbers, np.int32)
    frame = packed_counters(values, 10**9)
    if frame is not None:
        assert np.array_equal(unpacked(frame, len(values)), values)


@pytest.mark.parametrize("n", [2, 3, 255, 256, 257, 8_192, 30_000])
def test_a_counter_by_ones_takes_little_more_than_a_byte_a_number(n: int) -> None:
    values = np.arange(70_000, 70_000 + n, dtype=np.int32)
    frame = packed_counters(values, 10**9)
    if n < 200:
        assert frame is None or np.array_equal(unpacked(frame, n), values)
        return
    assert frame is not None
    assert np.array_equal(unpacked(frame, n), values)
    assert len(frame) < 1.3 * n


def test_what_is_too_long_or_no_gain_is_left_to_zstd() -> None:
    assert packed_counters(np.arange(30_001, dtype=np.int32), 10**9) is None
    assert packed_counters(np.arange(1_000, dtype=np.int32), 100) is None
    assert packed_counters(np.zeros(0, np.int32), 10**9) is None


def test_a_trace_with_packed_counters_is_smaller_and_reads_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed, plain = tmp_path / "packed.mcts", tmp_path / "plain.mcts"
    mv.search("connect_four", iterations=3_000, seed=1, path=packed)
    monkeypatch.setattr(writer, "with_packed_counters", lambda message, counters: message)
    mv.search("connect_four", iterations=3_000, seed=1, path=plain)
    tables = [pa.ipc.open_stream(path.read_bytes()).read_all() for path in (packed, plain)]
    for table in tables:
        table.validate(full=True)
    without_clock = [table.drop_columns(["elapsed"]) for table in tables]
    assert without_clock[0].equals(without_clock[1])
    assert packed.stat().st_size < 0.95 * plain.stat().st_size
