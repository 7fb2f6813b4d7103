"""Many searches in one file: each comes back as it was, whatever happens to the file."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import mcts_viz as mv
from mcts_viz.cli import main
from mcts_viz.errors import ImportFormatError, SearchError, TraceError
from mcts_viz.trace import many_writer
from mcts_viz.trace.batches import checksum
from mcts_viz.trace.format import NEWEST_VERSION, PATH_VERSION
from mcts_viz.trace.many_format import MAGIC, ROWS_VERSION, TRAILER, many_schema
from mcts_viz.trace.many_writer import ManyWriter
from mcts_viz.trace.reader import TraceFile
from mcts_viz.trace.rows import joined

SAMPLES = sorted((Path(__file__).parents[2] / "samples").glob("*.mcts"))
N, ITERATIONS = 60, 20


def wanted(n: int = N) -> list[dict[str, Any]]:
    return [
        {"game": "tic_tac_toe", "iterations": ITERATIONS, "seed": seed, "start": [seed % 9]}
        | {"compile": False, "rollouts": False}
        for seed in range(n)
    ]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("many") / "a.many"
    mv.search_many(wanted(), path)
    return path


def assert_equal(one: mv.Trace, other: mv.Trace) -> None:
    assert one.meta == other.meta
    assert one.complete == other.complete
    rows, expected = one.columns.as_rows(), other.columns.as_rows()
    assert checksum(rows, NEWEST_VERSION) == checksum(expected, NEWEST_VERSION)
    assert rows.asides == expected.asides
    last = one.n_iterations
    assert last == other.n_iterations
    assert np.array_equal(one.at(last).visits, other.at(last).visits)
    assert np.array_equal(one.at(last).value_sum, other.at(last).value_sum, equal_nan=True)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.stem)
def test_the_rows_of_a_trace_are_those_of_its_file(sample: Path) -> None:
    found = mv.open(sample).columns.as_rows()
    expected = joined(list(TraceFile(sample).rows()))
    assert found.n == expected.n
    assert checksum(found, NEWEST_VERSION) == checksum(expected, NEWEST_VERSION)
    assert found.asides == expected.asides


def test_searches_of_every_kind_share_a_file(tmp_path: Path) -> None:
    """With and without rollouts, solver, rewards, texts and inherited trees."""
    path = tmp_path / "a.many"
    with ManyWriter(path) as many:
        numbers = [many.append(mv.open(sample)) for sample in SAMPLES]
    assert numbers == list(range(len(SAMPLES)))
    traces = mv.ManyTraces(path)
    assert traces.damage is None
    for sample, trace in zip(SAMPLES, traces):
        assert_equal(trace, mv.open(sample))


def test_a_search_is_found_by_its_number(whole: Path) -> None:
    traces = mv.ManyTraces(whole)
    assert len(traces) == N
    again = mv.search(**wanted()[7])
    assert traces[7].meta.start == again.meta.start
    assert traces[7].at(ITERATIONS).visits.tolist() == again.at(ITERATIONS).visits.tolist()
    assert_equal(mv.open(whole, 7), traces[7])
    assert_equal(traces[-1], traces[N - 1])
    assert [trace.meta.seed for trace in traces[2:5]] == [2, 3, 4]
    assert traces.index["iterations"].to_pylist() == [ITERATIONS] * N
    assert traces.index["nodes"].to_pylist() == [trace.n_nodes for trace in traces]
    with pytest.raises(IndexError, match="there are 0 to 59"):
        traces[N]
    with pytest.raises(TraceError, match="there is no search 60"):
        mv.open(whole, N)


def test_a_short_search_costs_a_fraction_of_a_file_of_its_own(whole: Path, tmp_path: Path) -> None:
    content = whole.read_bytes()
    offset, length, _ = TRAILER.unpack(content[-len(MAGIC) - TRAILER.size : -len(MAGIC)])
    assert length / N <= 60  # bytes of an index row
    assert offset / (N * ITERATIONS) <= 25  # bytes of an iteration
    alone = tmp_path / "one.mcts"
    mv.search(**wanted()[0], path=alone)
    assert len(content) / N < alone.stat().st_size / 8


def test_a_worker_each_writes_a_part_and_the_order_stays(whole: Path, tmp_path: Path) -> None:
    traces = mv.search_many(wanted(7), tmp_path / "b.many", jobs=2)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b-1.many", "b-2.many"]
    assert len(traces) == 7
    for found, expected in itertools.zip_longest(traces, mv.ManyTraces(whole)[:7]):
        assert found.meta.seed == expected.meta.seed
        assert found.at(ITERATIONS).visits.tolist() == expected.at(ITERATIONS).visits.tolist()


def test_one_search_becomes_a_trace_of_its_own(
    whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "one.mcts"
    assert main(["extract", str(whole), "3", "-o", str(out)]) == 0
    assert "search 3 of 60, 20 iterations" in capsys.readouterr().out
    assert_equal(mv.open(out), mv.open(whole, 3))
    assert main(["extract", str(whole), "60", "-o", str(out)]) == 2
    assert "there are 0 to 59" in capsys.readouterr().err
    assert_equal(mv.open(out), mv.open(whole, 3))  # as it was


def test_who_opens_it_as_one_search_is_told_how(whole: Path) -> None:
    with pytest.raises(TraceError, match=r"holds many searches.*mcts-viz extract"):
        mv.open(whole)
    with pytest.raises(TraceError, match="one search, not many"):
        mv.ManyTraces(SAMPLES[0])
    with pytest.raises(TraceError, match="there is no such file"):
        mv.ManyTraces(whole.with_name("none.many"))


def batches(content: bytes) -> int:
    """Where the rows end."""
    offset, *_ = TRAILER.unpack(content[-len(MAGIC) - TRAILER.size : -len(MAGIC)])
    return int(offset)


@pytest.mark.parametrize(
    ("change", "kept", "said"),
    [
        (lambda content: content[:-3], N, "was made anew"),
        (lambda content: content[: batches(content)], N, "was made anew"),
        (lambda content: content[: batches(content) - 8], N, "broke off before its index"),
        (lambda content: content[:-60] + b"x" + content[-59:], N, "was made anew"),
        (lambda content: content[: batches(content) - 50], 40, "bytes from byte"),
        (lambda content: content[: batches(content) - 50], 40, "broke off before its index"),
    ],
)
def test_a_torn_file_keeps_the_searches_before(
    change: Callable[[bytes], bytes], kept: int, said: str, tmp_path: Path
) -> None:
    path, now = tmp_path / "a.many", 0.0
    with ManyWriter(path, clock=lambda: now) as many:
        for number, each in enumerate(wanted()):
            now = number // 20 * 10.0  # a batch for every twenty searches
            many.append(mv.search(**each))
    content = path.read_bytes()
    path.write_bytes(change(content))
    traces = mv.ManyTraces(path)
    assert len(traces) in (kept, kept + 1)  # a batch is due with the first search after its time
    assert said in (traces.damage or "")
    assert [trace.meta.seed for trace in traces] == list(range(len(traces)))


def test_a_flipped_bit_is_noticed_or_changes_nothing(whole: Path, tmp_path: Path) -> None:
    content = bytearray(whole.read_bytes())
    path = tmp_path / "a.many"
    expected = [
        (trace.meta, trace.at(ITERATIONS).visits.tolist()) for trace in mv.ManyTraces(whole)
    ]
    noticed = 0
    for place in range(0, len(content), 241):
        content[place] ^= 4
        path.write_bytes(content)
        content[place] ^= 4
        try:
            traces = mv.ManyTraces(path)
            found = [(trace.meta, trace.at(ITERATIONS).visits.tolist()) for trace in traces]
        except TraceError as err:
            assert str(path) in str(err)  # noqa: PT017 (or it changes nothing)
            noticed += 1
        else:
            assert found == expected or (traces.damage and found == expected[: len(found)])
            noticed += traces.damage is not None
    assert noticed > 0.8 * len(range(0, len(content), 241))


def test_a_search_longer_than_a_batch_lies_in_several(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(many_writer, "BATCH_ITERATIONS", 16)
    traces = mv.search_many(wanted(5), tmp_path / "a.many")
    assert len(set(mv.ManyTraces(tmp_path / "a.many").index["offset"].to_pylist())) == 5
    for trace, each in zip(traces, wanted(5)):
        assert trace.at(ITERATIONS).visits.tolist() == mv.search(**each).at(ITERATIONS).visits.tolist()  # fmt: skip
    content = (tmp_path / "a.many").read_bytes()
    (tmp_path / "a.many").write_bytes(content[: batches(content) - 100])
    assert len(mv.ManyTraces(tmp_path / "a.many")) == 4  # the last one is not whole


def test_recordings_of_ones_own_search_go_into_one_file(tmp_path: Path) -> None:
    with ManyWriter(tmp_path / "a.many") as many:
        for n in (2, 3):
            root: dict[str, Any] = {"n": 0, "w": 0.0, "children": []}
            with mv.record(
                root=root, children="children", visits="n", value="w", players=("me",), into=many
            ) as rec:
                for k in range(n):
                    root["children"].append({"n": 1, "w": 0.5, "children": []})
                    root.update(n=k + 1, w=0.5 * (k + 1))
                    rec.iteration()
    assert [trace.n_iterations for trace in mv.ManyTraces(tmp_path / "a.many")] == [2, 3]


def test_a_recording_into_one_file_carries_what_is_said_of_it(tmp_path: Path) -> None:
    """As `append` takes it: as a dict, or from a function that is asked when the search has ended."""
    known: dict[str, Any] = {"slot": 2, "seed": 5, "game_id": "17"}
    result: list[float] = []
    abouts: list[Any] = [known, lambda: {"result": result[-1], "ply": np.int64(4)}]
    with ManyWriter(tmp_path / "a.many") as many:
        for about in abouts:
            root: dict[str, Any] = {"n": 0, "w": 0.0, "children": []}
            with mv.record(
                root=root, children="children", visits="n", value="w", into=many, about=about
            ) as rec:
                root["children"].append({"n": 1, "w": 0.5, "children": []})
                root.update(n=1, w=0.5)
                rec.iteration()
                result.append(-1.0)
    first, second = mv.ManyTraces(tmp_path / "a.many")
    assert {name: first.meta[name] for name in known} == known
    assert (second.meta["result"], second.meta["ply"]) == (-1.0, 4)
    (slot, seed), (_, _) = mv.fleet(tmp_path).sql("SELECT slot, seed FROM searches").fetchall()
    assert (slot, seed) == (2, 5)


@pytest.mark.parametrize(
    ("about", "said"),
    [
        ({"iterations": 3, "slot": []}, r"about=: slot=\[\] is of type list"),
        ({"players": "me"}, "about=: players= is what the search itself has recorded"),
        ([("slot", 2)], "is neither a dict nor a function that gives one"),
    ],
)
def test_what_cannot_be_said_of_a_recording_is_told_before_it_begins(
    tmp_path: Path, about: Any, said: str
) -> None:
    fields: dict[str, Any] = {"root": [], "children": "c", "visits": "n", "value": "w"}
    with ManyWriter(tmp_path / "a.many") as many, pytest.raises(TraceError, match=said):
        mv.record(**fields, into=many, about=about)
    with pytest.raises(TraceError, match="give into=, or leave it out"):
        mv.record(**fields, about={"slot": 1})


def test_logs_of_other_programs_go_into_one_file(tmp_path: Path) -> None:
    logs = [tmp_path / f"{n}.ndjson" for n in (10, 11, 12)]
    for log in logs:
        trace = log.with_suffix(".mcts")
        mv.search("tic_tac_toe", iterations=int(log.stem), compile=False, path=trace)
        assert main(["export", str(trace), "-o", str(log)]) == 0
    path = tmp_path / "logs.many"
    assert main(["import", *map(str, logs), "-o", str(path)]) == 0
    assert [each.n_iterations for each in mv.ManyTraces(path)] == [10, 11, 12]
    report = mv.import_trace(logs[1], path)
    assert (report.n_iterations, len(mv.ManyTraces(path))) == (11, 1)
    (tmp_path / "none.ndjson").write_text(logs[0].read_text(encoding="utf-8").splitlines()[0])
    with pytest.raises(ImportFormatError, match=r"none\.ndjson: .* without an iteration"):
        mv.import_trace([logs[0], tmp_path / "none.ndjson"], path)
    assert len(mv.ManyTraces(path)) == 1


def test_documents_and_numbers_of_nodes_come_along(tmp_path: Path) -> None:
    """Of two searches in one batch."""
    with ManyWriter(tmp_path / "a.many") as many:
        for text in ("one", "two"):
            root: dict[str, Any] = {"n": 0, "w": 0.0, "children": [], "text": text}
            with mv.record(
                root=root, children="children", visits="n", value="w", players=("me",),
                documents=lambda node: {"plan": node["text"]}, into=many,
            ) as rec:  # fmt: skip
                root.update(n=1, w=0.5)
                root["children"].append({"n": 1, "w": 0.5, "children": [], "text": f"{text} below"})
                rec.iteration()
    for trace, text in zip(mv.ManyTraces(tmp_path / "a.many"), ("one", "two"), strict=True):
        (found,) = trace.documents(1)
        assert (found.name, found.text) == ("plan", f"{text} below")


def test_what_cannot_be_written_is_said(tmp_path: Path) -> None:
    path = tmp_path / "a.many"
    with ManyWriter(path) as many:
        with pytest.raises(TraceError, match="another process is recording into this file"):
            ManyWriter(path)
        with pytest.raises(TraceError, match="without an iteration"):
            many.append(mv.Trace(mv.open(SAMPLES[0]).meta, _no_columns()))
        with pytest.raises(TraceError, match="is no trace"):
            many.append("a.mcts")  # type: ignore[arg-type]
    assert len(mv.ManyTraces(path)) == 0
    with pytest.raises(TraceError, match="is closed"):
        many.append(mv.open(SAMPLES[0]))
    with pytest.raises(TraceError, match="cannot be written: its folder does not exist"):
        ManyWriter(tmp_path / "no" / "a.many")
    with pytest.raises(TraceError, match=r"b\.mcts: .* name the file b\.many"):
        ManyWriter(tmp_path / "b.mcts")
    with pytest.raises(TraceError, match=r"b\.many: .* name it b\.mcts"):
        mv.search("tic_tac_toe", iterations=5, compile=False, path=tmp_path / "b.many")
    with pytest.raises(TraceError, match=r"into='b\.many' is no file that stays open"):
        mv.record(root=[], children=[], visits=[], value=[], into="b.many")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("about", "said"),
    [
        ({"result": float("nan")}, "result: NaN is not a finite number"),
        ({"slot": -1}, "slot: -1 is not a whole number >= 0"),
        ({"slot": "second"}, 'slot: "second" is not a whole number'),
        ({"mine": object()}, "mine=.* is of type object; give a text, a number or None"),
        ({"mine": [1]}, "mine=.* is of type list"),
        ({"game": "go"}, "game= is what the search itself has recorded"),
        ({"format_version": 99}, "format_version= is what the search itself has recorded"),
    ],
)  # fmt: skip
def test_what_cannot_be_kept_of_a_search_is_refused_and_costs_no_other(
    about: dict[str, Any], said: str, tmp_path: Path
) -> None:
    """The first search and that one were lost, and the file could not be opened."""
    trace = mv.search("tic_tac_toe", iterations=10, compile=False)
    with ManyWriter(tmp_path / "a.many") as many:
        many.append(trace)
        with pytest.raises(TraceError, match=said):
            many.append(trace, **about)
        many.append(trace, ply=3)
    traces = mv.ManyTraces(tmp_path / "a.many")
    assert [each.n_iterations for each in traces] == [10, 10]
    assert traces[1].meta.ply == 3


def test_numbers_of_numpy_and_any_text_are_kept(tmp_path: Path) -> None:
    trace = mv.search("tic_tac_toe", iterations=10, compile=False)
    with ManyWriter(tmp_path / "a.many") as many:
        many.append(trace, slot=np.int64(2), result=np.float32(-1), game_id="half \ud800", seed=7)
        many.append(trace, mine=np.True_)
    first, second = mv.ManyTraces(tmp_path / "a.many")
    assert (first.meta.slot, first.meta.result, first.meta.seed) == (2, -1.0, 7)
    assert str(first.meta.game_id).startswith("half ")
    assert second.meta["mine"] is True


def _no_columns() -> Any:
    from mcts_viz.trace.columns import Columns  # noqa: PLC0415

    return Columns(0)


@pytest.mark.parametrize(
    ("searches", "said"),
    [
        (["tic_tac_toe"], r"searches\[0\] is 'tic_tac_toe'; write the keywords"),
        ([{"game": "tic_tac_toe", "itertions": 3}], "itertions"),
        ([{"game": "no game"}], "no game"),
    ],
)
def test_what_cannot_be_searched_is_said_before_any_is(
    searches: list[Any], said: str, tmp_path: Path
) -> None:
    with pytest.raises((SearchError, mv.GameError), match=said):
        mv.search_many([*wanted(1)[:0], *searches], tmp_path / "a.many")
    assert list(tmp_path.iterdir()) == []


def test_a_file_from_before_a_column_was_added_opens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    newest = many_writer.SCHEMAS[ROWS_VERSION]
    before = pa.schema([field for field in newest if field.name != "worker"])
    with monkeypatch.context() as patch:
        patch.setitem(many_writer.SCHEMAS, ROWS_VERSION, before)
        traces = mv.search_many(wanted(3), tmp_path / "a.many")
        visits = [trace.at(ITERATIONS).visits.tolist() for trace in traces]
    with pa.ipc.open_stream(tmp_path / "a.many") as stream:
        assert "worker" not in stream.schema.names
    found = mv.ManyTraces(tmp_path / "a.many")
    assert [trace.at(ITERATIONS).visits.tolist() for trace in found] == visits


def test_rows_of_a_version_that_leaves_updates_out_are_refused(tmp_path: Path) -> None:
    with pa.OSFile(str(tmp_path / "a.many"), "wb") as file:
        pa.ipc.new_stream(file, many_schema({}, PATH_VERSION)).close()
    with pytest.raises(TraceError, match=r"their rows of version 6, .*rows up to 5; update"):
        mv.ManyTraces(tmp_path / "a.many")
