"""A small file that claims to hold more than a machine has is refused before anything of it is unpacked."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import mcts_viz as mv
from mcts_viz.trace import reader
from mcts_viz.trace.batches import BATCH_CRC_KEY, checksum, to_batch
from mcts_viz.trace.format import NodeRows, Rows, UpdateRows, schema
from mcts_viz.trace.many_format import INDEX, MAGIC, TRAILER, trailer
from mcts_viz.trace.memory import MEGABYTE, machine_memory
from mcts_viz.trace.path_updates import BYTES
from mcts_viz.trace.reader import TraceFile
from mcts_viz.trace.unpacking import MOST_ALIKE, declared, excess
from tests.trace.files import messages, record
from tests.trace.test_file import META, cut

SAMPLES = sorted((Path(__file__).parents[2] / "samples").glob("*.mcts"))


def alike(n: int) -> Rows:
    """n iterations that did nothing."""
    nothing = np.zeros(n + 1, np.int32)
    none, empty = np.zeros(0, np.int32), np.zeros(0, np.float32)
    nodes = NodeRows(
        nothing, parent=none, action=none, to_move=np.zeros(0, np.int8), prior=empty, outcome=empty
    )
    updates = UpdateRows(nothing, node=none, visits=none, value=np.zeros(0))
    return Rows(
        nodes=nodes,
        updates=updates,
        leaf=np.zeros(n, np.int32),
        outcome=np.zeros(n, np.float32),
        elapsed=np.zeros(n, np.int64),
    )


@pytest.fixture(scope="module")
def bomb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some kilobytes that unpack to 108 MB, with checksums that are right."""
    path = tmp_path_factory.mktemp("bomb") / "bomb.mcts"
    rows, columns = alike(3_500_000), schema(META)
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_stream(path, columns, options=options) as out:
        crc = b"%08x" % checksum(rows, 2)
        out.write_batch(to_batch(rows, columns), custom_metadata={BATCH_CRC_KEY: crc})
    assert path.stat().st_size < 50_000
    return path


def test_a_bomb_is_refused_before_it_is_unpacked(
    bomb: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(TraceFile, "_read", lambda *_: pytest.fail("it was unpacked"))
        with pytest.raises(
            mv.TraceError, match=r"would unpack .* MB, as no recording does.*memory="
        ):
            mv.open(bomb)
        with pytest.raises(mv.TraceError, match=r"would unpack to 108 MB, and 50 MB are allowed"):
            mv.open(bomb, memory=50)
    assert mv.open(bomb, memory=200).n_iterations == 3_500_000  # by somebody who trusts it


def test_all_batches_of_a_file_count_together(tmp_path: Path) -> None:
    whole = record(tmp_path / "a.mcts", iterations=250)
    assert whole.path is not None
    content = whole.path.read_bytes()
    _, *batches, _ = messages(content)
    unpacked = [declared(memoryview(batch)) for batch in batches]
    assert [batch.rows for batch in unpacked] == [100, 100, 50]
    updates = BYTES * len(whole.columns.updates)  # that the file leaves to be understood
    total = sum(batch.unpacked for batch in unpacked) + updates
    file = TraceFile(whole.path, total)
    assert sum(rows.n for rows in file.rows()) == 250
    less = TraceFile(whole.path, total - 1)
    with pytest.raises(mv.TraceError, match="allowed here"):
        list(less.rows())


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_what_searches_record_is_far_from_the_limit(path: Path) -> None:
    _, *batches, _ = messages(path.read_bytes())
    for batch in batches:
        assert declared(memoryview(batch)).unpacked < MOST_ALIKE / 20 * len(batch)


def test_the_limit_goes_by_the_machine_unless_somebody_says_another() -> None:
    quarter = int(machine_memory() / 4)
    assert excess(quarter, quarter, None) is None
    assert excess(quarter + MEGABYTE, quarter, None) is not None
    assert excess(quarter + MEGABYTE, 1, quarter + MEGABYTE) is None


@pytest.mark.parametrize("seed", range(3))
def test_a_message_that_lies_is_told_without_harm(seed: int, tmp_path: Path) -> None:
    whole = record(tmp_path / "a.mcts", iterations=100)
    assert whole.path is not None
    _, batch, _ = messages(whole.path.read_bytes())
    choose = np.random.default_rng(seed)
    (length,) = struct.unpack_from("<i", batch, 4)
    for _ in range(300):
        wrong = bytearray(batch)
        for place in choose.integers(8, 8 + length, choose.integers(1, 6)):
            wrong[place] = choose.integers(0, 256)
        try:
            told = declared(memoryview(wrong))
        except ValueError:
            continue
        assert 0 <= told.rows < 1 << 31
        assert told.unpacked >= 0


def test_a_snapshot_that_is_too_large_is_refused(tmp_path: Path) -> None:
    path = cut(tmp_path / "a.json", b"{" + b" " * 2_000_000)
    with pytest.raises(
        mv.MctsVizError, match=r"would take some 15 MB of memory, and 1 MB are allowed"
    ):
        mv.open(path, memory=1)


def test_metadata_count_before_they_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.mcts"
    with pa.ipc.new_stream(path, schema({**META, "software": {"a": [[]] * 200_000}})):
        pass
    assert mv.open(path, memory=100).n_iterations == 0
    monkeypatch.setattr(reader, "read_meta", lambda *_: pytest.fail("they were read"))
    with pytest.raises(mv.TraceError, match=r"its metadata: would unpack to .* are allowed here"):
        mv.open(path, memory=10)


def test_so_does_what_a_batch_tells_beside_its_columns(tmp_path: Path) -> None:
    path, rows, columns = tmp_path / "a.mcts", alike(1), schema(META)
    told = {BATCH_CRC_KEY: b"%08x" % checksum(rows, 2), b"mcts_viz.remarks": b"[[]," * 200_000}
    with pa.ipc.new_stream(path, columns) as out:
        out.write_batch(to_batch(rows, columns), custom_metadata=told)
    with pytest.raises(mv.TraceError, match="are allowed here"):
        mv.open(path, memory=10)


def test_an_index_of_many_searches_that_is_a_bomb_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "a.many"
    plain = {"game": "tic_tac_toe", "iterations": 5, "compile": False}
    mv.search_many([{**plain, "seed": seed} for seed in range(3)], path)
    content = path.read_bytes()
    at = len(content) - len(MAGIC) - TRAILER.size
    begins, _, _ = TRAILER.unpack(content[at : at + TRAILER.size])
    columns = [pa.array(np.zeros(3_000_000, kind.type.to_pandas_dtype())) for kind in INDEX]
    made = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_stream(made, INDEX, options=options) as stream:
        stream.write_table(pa.Table.from_arrays(columns, schema=INDEX))
    bomb = bytes(made.getvalue())
    assert len(bomb) < 100_000
    path.write_bytes(content[:begins] + bomb + trailer(begins, bomb))
    assert len(mv.ManyTraces(path)) == 3
