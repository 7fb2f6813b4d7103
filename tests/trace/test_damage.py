"""A file that is not a whole, healthy trace is refused with its name, the place and a remedy."""

import json
import os
import re
import zlib
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import mcts_viz as mv
from mcts_viz.trace import format as trace_format
from mcts_viz.trace.batches import BATCH_CRC_KEY, checksum, to_batch
from mcts_viz.trace.format import META_CRC_KEY, META_KEY, NEWEST_VERSION, SCHEMAS, schema
from mcts_viz.trace.reader import DAMAGED, TraceFile, inconsistency
from mcts_viz.trace.strict_json import shown
from mcts_viz.trace.writer import TraceWriter
from tests.trace.files import END_MARK, messages, record, same_columns
from tests.trace.test_file import META, cut, rows

SCHEMA = SCHEMAS[NEWEST_VERSION]

REMEDY = re.compile(
    r"copy|record|open|update|correct|check|name one|cut them off|check the name", re.IGNORECASE
)


def refused(path: Path, message: str = "") -> str:
    """Opening says so, naming file and remedy."""
    opened, text = tried(path)
    assert opened is None
    assert re.search(message, text), text
    return text


def tried(path: Path) -> tuple[mv.Trace | None, str]:
    """The trace, or what is said instead of it, with file and remedy."""
    try:
        return mv.open(path), ""
    except mv.MctsVizError as error:
        text = str(error)
    assert str(path) in text
    assert REMEDY.search(text), text
    return None, text


def good_up_to(path: Path, n: int, whole: mv.Trace, message: str) -> None:
    """What precedes the damage is read, and it is said what is lost."""
    opened = mv.open(path)
    assert (opened.n_iterations, opened.complete) == (n, False)
    assert same_columns(opened.columns, whole.columns, n)
    assert opened.status.startswith(f"complete up to iteration {n}; ")
    assert re.search(message, opened.status), opened.status
    assert re.search(r"[\d,]+ bytes from byte \d+ on are lost$", opened.status), opened.status
    assert opened.refresh() == 0  # and again
    assert opened.damage is not None


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> mv.Trace:
    return record(tmp_path_factory.mktemp("damage") / "whole.mcts", iterations=250)


@cache
def content(path: Path) -> bytes:
    return path.read_bytes()


def test_a_file_that_is_no_trace_is_refused(tmp_path: Path) -> None:
    refused(tmp_path / "missing.mcts", "there is no such file")
    refused(tmp_path, "a folder, not a trace file; name one of the files in it")
    refused(cut(tmp_path / "a", b""), "the file is empty; nothing has been recorded into it")
    for text in (b"x", b"\xff", b"\xff\xff\xff", b"hello\n" * 100, b"PK\x03\x04" + bytes(100)):
        refused(cut(tmp_path / "a", text))
    refused(cut(tmp_path / "a", b"iteration,node\n1,0\n"), "not a trace file")
    refused(cut(tmp_path / "a", bytes(10_000)), "not a trace file")
    refused(cut(tmp_path / "a", b"\xff" * 10_000))
    refused(cut(tmp_path / "a", b"\xff\xff\xff\xff" + b"\xff\xff\xff\x7f" + bytes(10_000)))
    refused(cut(tmp_path / "a", END_MARK))
    pq.write_table(pa.table({"a": [1]}), tmp_path / "a.parquet")
    refused(tmp_path / "a.parquet", "not a trace file")
    with (
        pa.OSFile(str(tmp_path / "a.arrow"), "wb") as file,
        pa.ipc.new_file(file, pa.schema([("a", pa.int32())])),
    ):
        pass
    refused(tmp_path / "a.arrow", "not a trace file")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_refused_rather_than_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    refused(tmp_path / "pipe", "not a regular file; copy the trace into one")


def test_a_name_that_cannot_be_is_refused(tmp_path: Path) -> None:
    refused(tmp_path / ("x" * 400))
    refused(tmp_path / "a\0b", "there is no such file")
    refused(cut(tmp_path / "file", b"x") / "below.mcts", "there is no such file")


def test_another_programs_arrow_stream_is_refused(tmp_path: Path) -> None:
    table = pa.table({"a": [1, 2, 3]})
    with pa.ipc.new_stream(tmp_path / "a.arrow", table.schema) as stream:
        stream.write_table(table)
    refused(tmp_path / "a.arrow", "an Arrow stream, but not a trace of mcts_viz")


def stream(path: Path, meta: Any, schema: pa.Schema = SCHEMA, crc: bytes | None = None) -> Path:
    """An empty trace with this metadata document."""
    document = meta if isinstance(meta, bytes) else json.dumps(meta).encode()
    crc = b"%08x" % zlib.crc32(document) if crc is None else crc
    with pa.ipc.new_stream(path, schema.with_metadata({META_KEY: document, META_CRC_KEY: crc})):
        pass
    return path


def test_a_trace_of_a_later_version_is_refused(tmp_path: Path) -> None:
    path = stream(tmp_path / "a.mcts", {**META, "format_version": NEWEST_VERSION + 1})
    refused(
        path, r"written in trace format 7; this version of mcts_viz reads up to 6\. Update mcts_viz"
    )


def test_so_it_is_when_its_columns_are_others(tmp_path: Path) -> None:
    later = pa.schema([("phases", pa.int8())])
    refused(
        stream(tmp_path / "a.mcts", {**META, "format_version": NEWEST_VERSION + 1}, later),
        "Update mcts_viz",
    )
    refused(stream(tmp_path / "a.mcts", META, later), "its columns are not those of trace format 2")


@pytest.mark.parametrize(
    ("meta", "message"),
    [
        (b"{", "the metadata document is not JSON"),
        (
            b"[" * 100_000,
            "the metadata document is not JSON: lists and objects are nested too deeply",
        ),
        (b"\xff\xfe", "the metadata document is not JSON"),
        ([], "format_version null"),
        ({"root": {"to_move": 0}}, "format_version null, not a version number"),
        ({**META, "format_version": "1"}, 'format_version "1", not a version number'),
        ({**META, "format_version": True}, "format_version true"),
        ({**META, "format_version": 0}, "format_version 0"),
        ({"format_version": 2}, "root: null is not an object with to_move, which is 0, 1"),
        ({**META, "root": {"to_move": 2}}, "root.to_move: 2 is not a whole number <= 1"),
        ({**META, "root": [0]}, "root: \\[0\\] is not an object"),
        ({**META, "root": {"to_move": [0]}}, "root.to_move: \\[0\\] is not a whole number"),
        ({**META, "root": {"to_move": 0, "outcome": "won"}}, 'root.outcome: "won" is not a number'),
        ({**META, "root": {"to_move": 0, "state": 5}}, "root.state: 5 is not a text"),
        (
            {**META, "root": {"to_move": 0, "label": ["a"]}},
            'root.label: \\["a"\\] is not a text',
        ),
    ],
)
def test_metadata_that_say_nothing_useful_are_refused(
    meta: Any, message: str, tmp_path: Path
) -> None:
    refused(stream(tmp_path / "a.mcts", meta), message)


@pytest.mark.thorough
def test_a_bad_value_nested_more_deeply_than_it_can_be_written_is_told_without_it() -> None:
    """JSON is read to a greater depth than it is written."""
    nested: list[Any] = []
    for _ in range(500_000):
        nested = [nested]
    assert shown(nested) == "the value there"


def test_names_of_columns_that_are_no_text_are_refused(whole: mv.Trace, tmp_path: Path) -> None:
    assert whole.path is not None
    damaged = content(whole.path).replace(b"new_nodes", b"new_\x88odes", 1)
    refused(cut(tmp_path / "a", damaged), "its columns are not those of trace format 6; copy")


def test_damaged_metadata_are_refused(whole: mv.Trace, tmp_path: Path) -> None:
    assert whole.path is not None
    healthy = content(whole.path)
    for old, new in (
        (b'"seed": 1', b'"seed": 7'),
        (b'"c": 1.4', b'"c": 1.5'),
        (b"recorded_by", b"recordod_by"),
    ):
        assert healthy.count(old) == 1
        refused(cut(tmp_path / "a", healthy.replace(old, new)), "metadata document is damaged")
    refused(stream(tmp_path / "a.mcts", META, crc=b"00000000"), "its checksum does not match")


def test_a_file_cut_off_inside_its_header_is_refused(whole: mv.Trace, tmp_path: Path) -> None:
    assert whole.path is not None
    header = messages(content(whole.path))[0]
    for size in [*range(1, 40), *range(40, len(header), 37), len(header) - 1]:
        refused(cut(tmp_path / "a", header[:size]))
    refused(cut(tmp_path / "a", header[:1_000]), "cut off inside its header, at byte 1000")


@pytest.mark.parametrize("bit", range(8))
def test_a_flipped_bit_is_noticed_or_changes_nothing(
    bit: int, whole: mv.Trace, tmp_path: Path
) -> None:
    assert whole.path is not None
    healthy = content(whole.path)
    choose = np.random.default_rng(bit)
    header, *batches, _ = messages(healthy)
    edges = np.cumsum([0, len(header)] + [len(batch) for batch in batches])
    framing = [int(edge) + i for edge in edges for i in range(8)]  # where lengths stand
    noticed = 0
    places = sorted({*framing, *choose.integers(0, len(healthy), 60).tolist()})
    for place in places:
        damaged = bytearray(healthy)
        damaged[place] ^= 1 << bit
        path = cut(tmp_path / "a", bytes(damaged))
        opened, _ = tried(path)
        if opened is None or opened.damage is not None:
            noticed += 1
        if opened is None:
            continue
        # what precedes the damage; or it is in padding, a name of Arrow's own,
        # or the end mark
        assert opened.meta == whole.meta, place
        assert same_columns(opened.columns, whole.columns, opened.n_iterations), place
        if opened.n_iterations < whole.n_iterations:
            assert not opened.complete, place
            assert f"complete up to iteration {opened.n_iterations}" in opened.status
    assert noticed > len(places) * 3 // 4


def test_whole_ranges_of_rubbish_are_noticed(whole: mv.Trace, tmp_path: Path) -> None:
    assert whole.path is not None
    healthy = content(whole.path)
    choose = np.random.default_rng(1)
    for filler in (b"\0", b"\xff", None):
        for _ in range(25):
            n = int(choose.integers(16, 3_000))
            place = int(choose.integers(0, len(healthy) - n))
            rubbish = choose.bytes(n) if filler is None else filler * n
            path = cut(tmp_path / "a", healthy[:place] + rubbish + healthy[place + n :])
            if path.read_bytes() == healthy:
                continue
            opened, _ = tried(path)
            if opened is not None:
                assert not opened.complete
                assert same_columns(opened.columns, whole.columns, opened.n_iterations)


def test_a_missing_doubled_or_moved_batch_is_noticed(whole: mv.Trace, tmp_path: Path) -> None:
    assert whole.path is not None
    header, first, second, third, end = messages(content(whole.path))
    for order in ([second, first, third], [second, third], [third], [second, second]):
        refused(cut(tmp_path / "a", b"".join([header, *order, end])))
    for place in range(1, 300, 3):
        good_up_to(
            cut(tmp_path / "a", header + first + second[place:] + third + end), 100, whole, DAMAGED
        )


def test_of_two_traces_in_one_file_the_first_is_read(whole: mv.Trace, tmp_path: Path) -> None:
    assert whole.path is not None
    healthy = content(whole.path)
    follow = "bytes follow the end of the trace at byte"
    good_up_to(cut(tmp_path / "a", healthy + healthy), 250, whole, follow)
    good_up_to(cut(tmp_path / "b", healthy + b"\n"), 250, whole, f"1 {follow}")
    interrupted = healthy[: -len(END_MARK)]
    good_up_to(cut(tmp_path / "c", interrupted + healthy), 250, whole, "not readable")


def test_the_place_of_the_damage_is_named(whole: mv.Trace, tmp_path: Path) -> None:
    assert whole.path is not None
    header, first, second, third, end = messages(content(whole.path))
    damaged = bytearray(second)
    damaged[-100] ^= 4
    path = cut(tmp_path / "a", header + first + damaged + third + end)
    place = len(header) + len(first)
    place_words = (
        rf"the batch at byte {place} \(after iteration 100\) .*; the file is damaged there"
    )
    good_up_to(path, 100, whole, place_words)


@pytest.mark.parametrize("n", [8, 4_096])
def test_zeros_behind_whole_batches_cost_none_of_them(
    n: int, whole: mv.Trace, tmp_path: Path
) -> None:
    """As a file system leaves them where the power fails."""
    assert whole.path is not None
    header, first, second, third, _ = messages(content(whole.path))
    good_up_to(cut(tmp_path / "a", header + first + second + b"\0" * n), 200, whole, "no message")
    half = third[: len(third) // 2]
    good_up_to(
        cut(tmp_path / "b", header + first + second + half + b"\0" * (len(third) - len(half))),
        200, whole, "after iteration 200",
    )  # fmt: skip


def test_200_power_failures_cost_no_whole_batch(whole: mv.Trace, tmp_path: Path) -> None:
    """A disk has taken some of the last bytes; where the others should be there are zeros, or what was there before."""
    assert whole.path is not None
    pieces = messages(whole.path.read_bytes())
    ends = np.cumsum([len(piece) for piece in pieces])  # of the header, three batches and the end
    content, choose = b"".join(pieces), np.random.default_rng(1)
    for number in range(200):
        place = int(choose.integers(ends[0], len(content)))
        n = int(choose.integers(1, 3)) * 4_096
        behind = (bytes(n), choose.bytes(n), b"")[number % 3]
        left = content[:place] + behind
        opened, said = tried(cut(tmp_path / "a", left))
        # a batch ends in zeros, so that zeros behind a cut can be the very bytes that are lost
        kept = [0, 100, 200, 250][sum(left.startswith(content[:end]) for end in ends[1:4])]
        if opened is None:
            assert kept == 0, said
        else:
            # nor does it matter what stands in the padding behind a batch
            assert kept <= opened.n_iterations <= [100, 200, 250, 250][kept // 100]
            assert same_columns(opened.columns, whole.columns, opened.n_iterations)


def test_a_batch_without_its_checksum_is_refused(tmp_path: Path) -> None:
    schema = trace_format.schema(META)
    with pa.ipc.new_stream(tmp_path / "a.mcts", schema) as out:
        out.write_batch(to_batch(rows(), schema))
    refused(tmp_path / "a.mcts", "carries no checksum")


def test_a_long_damaged_file_does_not_hang(whole: mv.Trace, tmp_path: Path) -> None:
    """Every place of it looks like the beginning of a message."""
    assert whole.path is not None
    header, first, *_ = messages(content(whole.path))
    cut_off = header + first + b"\xff\xff\xff\xff" + b"\xf8\xff\xff\x7f"
    opened = mv.open(cut(tmp_path / "a", cut_off + b"\xff" * 30_000_000))
    assert (opened.n_iterations, opened.complete) == (100, False)
    for pattern in (b"\xff\xff\xff\xff\0\0\0\0", b"\xff\xff\xff\xff\x08\0\0\0"):
        shorter, text = tried(cut(tmp_path / "a", cut_off + pattern * 20_000))
        if shorter is None:
            assert "damaged" in text
        else:
            assert (shorter.n_iterations, shorter.complete) == (100, False)


I32 = np.int32
IMPOSSIBLE: list[tuple[dict[str, Any], str]] = [
    ({"parent": np.array([1], I32)}, "node 1 has parent 1, which is not an older node"),
    ({"parent": np.array([-1], I32)}, "node 1 has parent -1"),
    ({"parent": np.array([7], I32)}, "node 1 has parent 7"),
    ({"to_move": np.array([2], np.int8)}, "to_move must be 0 to 1, −1"),
    ({"leaf": np.array([2], I32)}, "leaf: names a node that does not exist yet"),
    ({"leaf": np.array([-1], I32)}, "leaf: names a node"),
    ({"node": np.array([2], I32)}, "updates: names a node that does not exist yet"),
    ({"node": np.array([-1], I32)}, "updates: names a node"),
    ({"value": np.array([np.inf])}, "updates: value must be a finite number"),
    ({"value": np.array([np.nan])}, "updates: value must be a finite number"),
]


@pytest.mark.parametrize(("changed", "message"), IMPOSSIBLE)
def test_a_tree_that_cannot_be_is_refused(
    changed: dict[str, Any], message: str, tmp_path: Path
) -> None:
    assert inconsistency(rows(), 1) is None
    with TraceWriter(tmp_path / "a.mcts", META) as writer:
        writer.append(rows(**changed))
    refused(
        tmp_path / "a.mcts",
        rf"\(after iteration 0\) is inconsistent: .*{message}.*; correct the program",
    )


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("late", [0, 1, "to_move", 99]),
        ("late", [0, 1, "to_move", 300]),
        ("late", [0, 1, "prior", 1e308]),
        ("late", [0, 1, "prior", 10**400]),
        ("numbers", [0, 0, "score", 10**400]),
        ("misses", [0, 0, 1, 10**9, 0.5, 0.7]),
    ],
)
def test_what_is_told_beside_the_columns_has_to_be_possible(
    name: str, told: list[Any], tmp_path: Path
) -> None:
    text, batch = json.dumps([told]).encode(), rows()
    checked = {
        BATCH_CRC_KEY: b"%08x" % checksum(batch, 2),
        f"mcts_viz.{name}".encode(): b"%08x %s" % (zlib.crc32(text), text),
    }
    columns = schema(META)
    with pa.ipc.new_stream(tmp_path / "a.mcts", columns) as stream:
        stream.write_batch(to_batch(batch, columns), custom_metadata=checked)
    refused(tmp_path / "a.mcts", "not readable|inconsistent")


def test_statistics_that_no_sound_search_has_are_shown(tmp_path: Path) -> None:
    """A faulty search shows its faults: only the shape of the tree must hold."""
    wrong = rows(visits=np.array([-3], I32), value=np.array([-99.5]))
    with TraceWriter(tmp_path / "a.mcts", META) as writer:
        writer.append(wrong)
    end = mv.open(tmp_path / "a.mcts").at(1)
    assert (end.visits[0], end.value_sum[0]) == (-3, -99.5)


def test_batches_are_verified_one_after_the_other(whole: mv.Trace, tmp_path: Path) -> None:
    assert whole.path is not None
    header, first, second, third, end = messages(content(whole.path))
    damaged = bytearray(third)
    damaged[-50] ^= 1
    file = TraceFile(cut(tmp_path / "a", header + first + second + damaged + end))
    assert [batch.n for batch in file.rows()] == [100, 100]
    assert file.damage is not None
    good_up_to(file.path, 200, whole, DAMAGED)
