"""Counters packed by hand stay zstd and Arrow: whatever reads those reads them."""

import io

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mcts_viz as mv
from mcts_viz.trace import writer
from mcts_viz.trace.packing import packed_counters, with_packed_counters

ZSTD = pa.Codec("zstd")
ALWAYS = 1 << 40
RNG = np.random.default_rng(1)
INT32 = st.integers(-(2**31), 2**31 - 1)


def decoded(frame: bytes, n: int) -> list[int]:
    return np.frombuffer(ZSTD.decompress(frame, 4 * n), "<i4").tolist()  # type: ignore[no-any-return]


@given(
    st.one_of(
        st.lists(INT32, max_size=40),
        st.lists(st.integers(0, 600), max_size=300),
        st.lists(st.integers(0, 90), max_size=300).map(lambda steps: np.cumsum(steps).tolist()),
        st.lists(st.tuples(INT32, st.integers(1, 70)), max_size=6).map(
            lambda runs: [n for n, times in runs for _ in range(times)]
        ),
    )
)
def test_a_frame_decodes_to_the_numbers_packed(numbers: list[int]) -> None:
    values = np.array(numbers, np.int32)
    frame = packed_counters(values, ALWAYS)
    assert frame is None or decoded(frame, len(numbers)) == numbers


def test_a_long_frame_decodes_to_the_numbers_packed() -> None:
    for n in (255, 256, 257, 8_193, 16_385, 29_999, 30_000):
        for most in (1, 2, 40):
            values = np.cumsum(RNG.integers(0, most, n)).astype(np.int32)
            values[RNG.random(n) < RNG.choice([0, 0.001, 0.02])] = 7
            frame = packed_counters(values, ALWAYS)
            assert frame is not None
            assert np.array_equal(decoded(frame, n), values)


@pytest.mark.parametrize(
    ("values", "bytes_a_number"),
    [
        (np.arange(8_193), 1.1),
        (np.arange(8_192) + 2**31 - 8_192, 1.1),
        (np.cumsum(RNG.integers(5, 16, 8_193)), 1.7),
        (np.where(RNG.random(8_192) < 0.01, 5, np.arange(8_192) + 123_456), 1.3),
    ],
)
def test_counters_take_little_more_than_a_byte(
    values: npt.NDArray[np.int64], bytes_a_number: float
) -> None:
    frame = packed_counters(values.astype(np.int32), ALWAYS)
    assert frame is not None
    assert len(frame) < bytes_a_number * len(values)
    assert decoded(frame, len(values)) == values.tolist()


def test_what_would_not_gain_is_left_alone() -> None:
    counter = np.arange(8_192, dtype=np.int32)
    frame = packed_counters(counter, ALWAYS)
    assert frame is not None
    assert packed_counters(counter, len(frame)) is None
    assert packed_counters(counter, len(frame) + 1) == frame
    for values in ([], [1], [1, 300, 600], RNG.integers(0, 2**31, 1_000), np.arange(30_001)):
        assert packed_counters(np.array(values, np.int32), ALWAYS) is None


def message(batch: pa.RecordBatch, **options: str) -> tuple[bytes, bytes]:
    """Header and record batch of a stream."""
    file = io.BytesIO()
    with pa.ipc.new_stream(file, batch.schema, options=pa.ipc.IpcWriteOptions(**options)) as stream:
        stream.write_batch(batch, custom_metadata={"of": "the batch"})
        header = batch.schema.serialize().to_pybytes()
        whole = file.getvalue()
    return header, whole[len(header) :]


BATCH = pa.record_batch(
    {
        "counter": pa.array(np.arange(5_000, dtype=np.int32)),
        "missing": pa.array([None, 1.5] * 2_500, pa.float32()),
        "list": pa.ListArray.from_arrays(
            pa.array(np.arange(0, 15_003, 3, dtype=np.int32)), pa.array(RNG.random(15_000))
        ),
        "text": pa.array(["", "nought"] * 2_500),
    }
)

# by the number of the buffer that holds them; None: not recorded
COUNTERS = {
    1: np.arange(5_000, dtype=np.int32),
    5: np.arange(0, 15_003, 3, dtype=np.int32),
    70: None,
}


@pytest.mark.parametrize("compression", ["zstd", None])
@pytest.mark.parametrize("numbers", [(), (1,), (5,), (1, 5, 70)])
def test_a_message_says_the_same_when_it_is_packed(compression: str, numbers: list[int]) -> None:
    header, plain = message(BATCH, compression=compression)
    packed = with_packed_counters(plain, {number: COUNTERS[number] for number in numbers})
    with pa.ipc.open_stream(header + packed) as stream:
        batch, custom = stream.read_next_batch_with_custom_metadata()
    batch.validate(full=True)
    assert batch.equals(BATCH)
    assert dict(custom.items()) == {b"of": b"the batch"}
    assert (len(packed) < len(plain)) == (compression == "zstd" and len(numbers) > 0)


def test_the_counters_of_a_trace_are_packed(
    tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed, plain = f"{tmp_path}/packed.mcts", f"{tmp_path}/plain.mcts"
    sizes = []
    for path in (packed, plain):
        mv.search("connect_four", iterations=6_000, seed=1, path=path)
        sizes.append(mv.open(path).path.stat().st_size)  # type: ignore[union-attr]
        monkeypatch.setattr(writer, "COUNTER_BUFFERS", {})
    saved = (sizes[1] - sizes[0]) / 6_000
    assert saved > 3.5  # of four times 2.6 bytes an iteration
    with pa.ipc.open_stream(packed) as a, pa.ipc.open_stream(plain) as b:
        mine, theirs = a.read_all(), b.read_all()
    for column in mine.column_names:
        if column != "elapsed":
            assert mine[column].equals(theirs[column])
