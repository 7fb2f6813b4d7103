"""A trace file: what is written comes back, and what was written before an accident too."""

import ast
import errno
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import mcts_viz as mv
from mcts_viz.engine import search as engine
from mcts_viz.engine.search import Chunk, run
from mcts_viz.errors import TraceError
from mcts_viz.runs.recorder import Recorder
from mcts_viz.trace import memory
from mcts_viz.trace import writer as trace_writer
from mcts_viz.trace.format import BATCH_ITERATIONS, FORMAT_VERSION, NodeRows, Rows, UpdateRows
from mcts_viz.trace.growing import MOST_ROOM, GrowingColumn
from mcts_viz.trace.meta import TraceMeta
from mcts_viz.trace.reader import TraceFile
from mcts_viz.trace.writer import TraceWriter
from tests.indexed import in_memory
from tests.searches import prepare
from tests.trace.files import BATCH, END_MARK, messages, record, same_columns

ROOT = Path(__file__).parent.parent.parent
META: dict[str, Any] = {"kind": "trace", "format_version": FORMAT_VERSION, "root": {"to_move": 0}}


@pytest.mark.parametrize(
    "options",
    [
        {"game": "tic_tac_toe"},
        {"game": "connect_four"},
        {"rollouts": False},
        {"iterations": 1},
        {"iterations": BATCH},
        {"iterations": BATCH + 1},
        {"start": [3, 3, 3], "win": 0.1, "draw": 1 / 3, "loss": -2},
        pytest.param({"iterations": 20_000, "compile": True}, marks=pytest.mark.thorough),
    ],
)
def test_what_was_recorded_is_what_is_opened(options: dict[str, Any], tmp_path: Path) -> None:
    written = record(tmp_path / "a.mcts", **options)
    opened = mv.open(tmp_path / "a.mcts")
    assert same_columns(written.columns, opened.columns)
    assert opened.meta == written.meta
    assert (
        (opened.complete, opened.status) == (written.complete, written.status) == (True, "complete")
    )
    assert opened.path == written.path == tmp_path / "a.mcts"
    t = opened.n_iterations
    assert opened.best_action == written.best_action is not None
    assert opened.iteration(t).rollout == written.iteration(t).rollout


def test_recording_into_memory_and_into_a_file_is_the_same(tmp_path: Path) -> None:
    in_memory = mv.search("tic_tac_toe", seed=1)
    in_file = mv.search("tic_tac_toe", seed=1, path=str(tmp_path / "a.mcts"))
    assert same_columns(in_memory.columns, in_file.columns, but=("elapsed",))
    assert in_memory.path is None
    assert in_memory.complete


def rows(new: int = 1, **changed: Any) -> Rows:
    """One iteration that makes nodes below the root."""
    node: dict[str, Any] = {
        "parent": np.zeros(new, np.int32),
        "action": np.arange(new, dtype=np.int32),
        "to_move": np.ones(new, np.int8),
        "prior": np.full(new, np.nan, np.float32),
        "outcome": np.full(new, np.nan, np.float32),
        "label": None,
        "state": None,
    }
    update = {
        "node": np.zeros(1, np.int32),
        "visits": np.ones(1, np.int32),
        "value": np.array([0.25]),
    }
    iteration: dict[str, Any] = {
        "leaf": np.zeros(1, np.int32),
        "outcome": np.full(1, np.nan, np.float32),
        "elapsed": np.array([7], np.int64),
    }
    for name, value in changed.items():
        group = update if name in update else node if name in node else iteration
        group[name] = value
    return Rows(
        nodes=NodeRows(np.array([0, new], np.int32), **node),
        updates=UpdateRows(np.array([0, 1], np.int32), **update),
        **iteration,
    )


LABELS: list[list[list[str | None] | None]] = [
    [["a", "b"], ["c", None]],
    [None, ["ä", "…"]],
    [["a", None], None],
    [[None, None], ["", "x"]],
    [[None, None], [None, None]],
    [["a", "b"], None],
]


@pytest.mark.parametrize("labels", LABELS)
def test_labels_states_and_priors_come_back(
    labels: list[list[str | None] | None], tmp_path: Path
) -> None:
    path = tmp_path / "a.mcts"
    priors = np.array([0.25, np.nan], np.float32)
    with TraceWriter(path, META) as writer:
        for label in labels:
            writer.append(rows(2, label=label, prior=priors, state=label))
            writer.flush()
    end = mv.open(path).at(2)
    expected = [text for label in labels for text in (label or [None, None])]
    assert [end.state(v) for v in range(1, 5)] == expected
    assert end.labels() == [
        "root",
        *(text or str(i % 2) for i, text in enumerate(expected)),  # a blank name names nothing
    ]
    assert np.array_equal(end.prior[1:], [0.25, np.nan] * 2, equal_nan=True)


def test_a_batch_without_new_nodes_may_have_labels(tmp_path: Path) -> None:
    path = tmp_path / "a.mcts"
    with TraceWriter(path, META) as writer:
        writer.append(rows(1, label=["first"]))
        writer.flush()
        writer.append(rows(0, label=[]))
    assert mv.open(path).at(2).label(1) == "first"


def test_batches_are_written_when_full_and_when_a_second_has_passed(tmp_path: Path) -> None:
    now = [0.0]
    path = tmp_path / "a.mcts"
    with TraceWriter(path, META, clock=lambda: now[0]) as writer:
        file = TraceFile(path)
        for _ in range(3):
            writer.append(rows())
        assert list(file.rows()) == []
        now[0] = 1.0
        writer.append(rows())
        assert [batch.n for batch in file.rows()] == [4]
        for _ in range(BATCH_ITERATIONS):
            writer.append(rows())
        assert [batch.n for batch in file.rows()] == [BATCH_ITERATIONS]


def cut(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def test_without_its_end_mark_a_trace_says_up_to_where_it_is_complete(tmp_path: Path) -> None:
    whole = record(tmp_path / "a.mcts", iterations=20_000, compile=True)
    content = (tmp_path / "a.mcts").read_bytes()
    assert content.endswith(END_MARK)
    opened = mv.open(cut(tmp_path / "b.mcts", content[: -len(END_MARK)]))
    assert same_columns(opened.columns, whole.columns)
    assert not opened.complete
    text = "complete up to iteration 20,000; its recording was interrupted or is still running"
    assert opened.status == text
    assert repr(opened).endswith(f"; {text}>")
    assert "interrupted" not in repr(whole)


def test_a_file_cut_off_anywhere_opens_with_its_whole_batches(tmp_path: Path) -> None:
    whole = record(tmp_path / "a.mcts")
    content = (tmp_path / "a.mcts").read_bytes()
    header, *batches, end_mark = messages(content)
    assert (len(batches), end_mark) == (5, END_MARK)
    boundaries = np.cumsum([len(header)] + [len(batch) for batch in batches])
    sizes = {*range(len(header), len(content), 61), *boundaries, *(boundaries + 1)}
    sizes |= {*(boundaries + 4), *(boundaries + 7), *(boundaries + 8), *(boundaries - 1)}
    for size in sorted(size for size in sizes if len(header) <= size < len(content)):
        opened = mv.open(cut(tmp_path / "b.mcts", content[:size]))
        n_whole = int((boundaries <= size).sum()) - 1
        assert opened.n_iterations == min(n_whole * BATCH, 450)
        assert same_columns(opened.columns, whole.columns, opened.n_iterations)
        assert not opened.complete
        assert f"complete up to iteration {opened.n_iterations}" in opened.status
        opened.at(opened.n_iterations)


def test_a_recording_that_has_just_begun_has_its_root(tmp_path: Path) -> None:
    record(tmp_path / "a.mcts")
    header = messages((tmp_path / "a.mcts").read_bytes())[0]
    opened = mv.open(cut(tmp_path / "b.mcts", header))
    assert (opened.n_iterations, opened.n_nodes, opened.best_action) == (0, 1, None)
    assert opened.history(0).visits.tolist() == [0]
    assert opened.at(0).children(0) == []


CHILD = """
import os, sys
from pathlib import Path
from tests.searches import prepare
from mcts_viz.runs.recorder import Recorder
from mcts_viz.engine.search import run

path = Path(sys.argv[1])
plan = prepare("connect_four", iterations=10**9, seed=1, compile=True)
with Recorder(plan, path) as recorder:
    def consume(chunk):
        recorder(chunk)
        if path.stat().st_size > 300_000 and not said:
            said.append(print("recording", flush=True))
    said = []
    run(plan, consume)
"""


def test_a_recording_killed_in_the_middle_opens_with_every_whole_batch(tmp_path: Path) -> None:
    path = tmp_path / "killed.mcts"
    with subprocess.Popen(
        [sys.executable, "-c", CHILD, str(path)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "recording\n"
        child.send_signal(signal.SIGKILL)
        child.wait()
    opened = mv.open(path)
    assert not opened.complete
    assert opened.n_iterations > 5_000
    assert f"complete up to iteration {opened.n_iterations:,}" in opened.status
    again = mv.search("connect_four", iterations=opened.n_iterations, seed=1, compile=True)
    last = opened.at(opened.n_iterations)
    assert np.array_equal(last.visits, again.at(opened.n_iterations).visits)
    assert np.array_equal(last.value_sum, again.at(opened.n_iterations).value_sum)


class StopError(Exception):
    pass


@pytest.mark.parametrize("error", [StopError, KeyboardInterrupt])
def test_an_exception_during_a_recording_leaves_all_that_was_done(
    error: type[BaseException], tmp_path: Path
) -> None:
    path = tmp_path / "a.mcts"
    plan = prepare("tic_tac_toe", iterations=10_000, seed=1, compile=False)
    done = [0]
    recorder = Recorder(plan, path)

    def consume(chunk: Chunk) -> None:
        recorder(chunk)
        done[0] += chunk.n
        if done[0] > 100:
            raise error

    with pytest.raises(error), recorder:
        run(plan, consume)
    opened = mv.open(path)
    assert opened.n_iterations == done[0]
    assert not opened.complete


@in_memory  # nobody holds this file: by an index it is one that was interrupted
@pytest.mark.parametrize("on_disk", [memory.ON_DISK, 100])
def test_a_growing_file_is_followed_batch_by_batch(
    on_disk: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = record(tmp_path / "a.mcts")
    monkeypatch.setattr(memory, "ON_DISK", on_disk)
    monkeypatch.setenv(memory.CACHE, str(tmp_path))
    header, *batches, end_mark = messages((tmp_path / "a.mcts").read_bytes())
    path = cut(tmp_path / "growing.mcts", header + batches[0])
    followed = mv.open(path)
    before = followed.at(BATCH)
    assert (followed.n_iterations, followed.refresh()) == (BATCH, 0)
    with path.open("ab") as file:
        for number, batch in enumerate(batches[1:], start=2):
            for part in (batch[:3], batch[3:8], batch[8:1_000], batch[1_000:-1]):
                file.write(part)
                file.flush()
                assert followed.refresh() == 0
            file.write(batch[-1:])
            file.flush()
            assert followed.refresh() == min(BATCH, 450 - (number - 1) * BATCH)
            assert not followed.complete
        file.write(end_mark)
    assert followed.refresh() == 0
    assert followed.complete
    assert followed.status == "complete"
    assert same_columns(followed.columns, whole.columns)
    assert len(before) == len(whole.at(BATCH))
    assert followed.at(450).children(0) == whole.at(450).children(0)
    assert followed.history(0).visits[-1] == 450
    in_file = isinstance(
        followed.columns._lists["nodes"]._numbers["parent"]._values.base, np.memmap
    )
    assert in_file == (on_disk == 100)
    for t in (450, 3, 300, 449):
        assert followed.at(t).visits.tolist() == whole.at(t).visits.tolist()
        assert followed.at(t).value_sum.tolist() == whole.at(t).value_sum.tolist()


def test_a_recording_can_be_opened_and_followed_while_it_runs(tmp_path: Path) -> None:
    path = tmp_path / "a.mcts"
    followed: list[mv.Trace] = []
    seen: list[int] = []

    def consume(chunk: Chunk) -> None:
        recorder(chunk)
        if not followed:
            followed.append(mv.open(path))
        seen.append(followed[0].refresh())

    plan = prepare("connect_four", iterations=60_000, seed=1, compile=True)
    with Recorder(plan, path) as recorder:
        run(plan, consume)
    followed[0].refresh()
    assert same_columns(followed[0].columns, recorder.columns)
    assert followed[0].complete


def test_a_file_moved_away_during_the_recording_costs_nothing(tmp_path: Path) -> None:
    plan = prepare("tic_tac_toe", iterations=500, seed=1, compile=False)
    recorder = Recorder(plan, tmp_path / "a.mcts")
    shutil.move(tmp_path / "a.mcts", tmp_path / "b.mcts")
    with recorder:
        run(plan, recorder)
    trace = recorder.trace(mv.Trace)
    assert (trace.n_iterations, trace.complete, trace.refresh()) == (500, True, 0)
    assert same_columns(mv.open(tmp_path / "b.mcts").columns, trace.columns)


@pytest.mark.skipif(not os.path.exists("/dev/null"), reason="this system has no such device")
def test_a_device_is_no_place_for_a_trace() -> None:
    with pytest.raises(mv.TraceError, match="/dev/null: not a regular file"):
        mv.search("tic_tac_toe", iterations=10**9, path="/dev/null", compile=False)


def test_room_is_made_for_what_is_expected_but_never_without_bound() -> None:
    values = np.arange(100, dtype=np.int8)
    for room, expected in ((1.0, 100), (7.5, 750), (1e18, MOST_ROOM)):
        column = GrowingColumn(np.dtype(np.int8))
        column.extend(values)
        column.join(room)
        assert len(column._values) == expected
        column.extend(values)
        assert column.first(200).tolist() == [*values.tolist(), *values.tolist()]
        assert len(column._values) == max(200, expected)


@pytest.mark.parametrize(("long", "room"), [(101, 200), (100, 3_200), (10, 3_200)])
def test_a_long_column_is_given_much_room_at_once(
    long: int, room: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "LONG", long)
    column = GrowingColumn(np.dtype(np.int8))
    column.extend(np.ones(100, np.int8))
    column.join()
    column.extend(np.full(1, 2, np.int8))
    assert column.first(101).tolist() == [1] * 100 + [2]
    assert len(column._values) == room


@pytest.mark.parametrize("has_room", [True, False])
def test_a_column_grows_in_a_file_without_being_moved(
    has_room: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(memory.CACHE, str(tmp_path))
    monkeypatch.setattr(memory, "ON_DISK", 1_600)
    monkeypatch.setattr(memory, "LONG", 100)
    column = GrowingColumn(np.dtype(np.int32))
    for first in range(0, 900, 100):
        column.extend(np.arange(first, first + 100, dtype=np.int32))
        column.join()
        assert isinstance(column._values.base, np.memmap) == (first >= 300)
    earlier = column.first(700)
    if not has_room:

        def full(*_: object) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(os, "posix_fallocate", full)
    column.extend(np.arange(900, 2_000, dtype=np.int32))
    assert column.first(2_000).tolist() == [*range(2_000)]
    assert earlier.tolist() == [*range(700)]
    column.set(5, 77)
    assert (earlier[5] == 77) == has_room  # they lie in the same place
    column.set(5, 5)
    column.extend(np.arange(2_000, 3_000, dtype=np.int32))
    assert column.first(3_000).tolist() == [*range(3_000)]


@in_memory
def test_a_file_is_opened_without_growing_by_doubling(tmp_path: Path) -> None:
    path = tmp_path / "a.mcts"
    mv.search("connect_four", iterations=60_000, seed=1, path=path, compile=True)
    columns = mv.open(path).columns
    assert len(columns._lists["nodes"]._numbers["parent"]._values) < 1.3 * columns.n_nodes


def test_refreshing_a_trace_in_memory_finds_nothing() -> None:
    assert mv.search("tic_tac_toe", iterations=10, seed=1).refresh() == 0


@in_memory  # nobody holds this file: by an index it is one that was interrupted
@pytest.mark.parametrize("in_place", [True, False])
@pytest.mark.parametrize("iterations", [50, 450, 2_000])
def test_a_file_replaced_while_it_is_followed_is_noticed(
    in_place: bool, iterations: int, tmp_path: Path
) -> None:
    path, other = tmp_path / "a.mcts", tmp_path / "b.mcts"
    whole = record(path)
    header, *batches, _ = messages(path.read_bytes())
    followed = mv.open(cut(path, header + batches[0]))
    record(other, iterations=iterations, seed=2)
    if in_place:
        path.write_bytes(other.read_bytes())
    else:
        shutil.move(other, path)
    with pytest.raises(mv.TraceError, match="another recording has replaced it; open it again"):
        followed.refresh()
    assert followed.n_iterations == BATCH  # what was read before stays
    assert same_columns(followed.columns, whole.columns, BATCH)


def test_a_file_that_vanishes_while_it_is_followed_is_named(tmp_path: Path) -> None:
    record(tmp_path / "a.mcts")
    header, *_ = messages((tmp_path / "a.mcts").read_bytes())
    path = cut(tmp_path / "b.mcts", header)
    followed = mv.open(path)
    path.unlink()
    with pytest.raises(mv.TraceError, match=r"b\.mcts: there is no such file"):
        followed.refresh()


@in_memory  # nobody holds this file: by an index it is one that was interrupted
def test_a_damaged_batch_met_while_following_leaves_those_before_it(tmp_path: Path) -> None:
    whole = record(tmp_path / "a.mcts")
    header, *batches, _ = messages((tmp_path / "a.mcts").read_bytes())
    path = cut(tmp_path / "b.mcts", header + batches[0])
    followed = mv.open(path)
    damaged = bytearray(batches[2])
    for place in range(len(damaged) // 2, len(damaged) // 2 + 8):  # not padding alone
        damaged[place] ^= 16
    cut(path, header + batches[0] + batches[1] + damaged)
    assert followed.refresh() == BATCH
    assert "damaged" in followed.status
    assert followed.n_iterations == 2 * BATCH
    assert same_columns(followed.columns, whole.columns, 2 * BATCH)
    cut(path, header + batches[0] + batches[1] + batches[2])
    assert followed.refresh() == BATCH
    assert followed.damage is None


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("no/such/folder/a.mcts", "cannot be written: its folder does not exist; create it first"),
        (".", "Is a directory; choose another path"),
        ("a\0b", "choose another path"),
        ("x" * 400, "File name too long; choose another path"),
        ("/proc/version", r"cannot be written|writing the trace failed"),
    ],
)
def test_a_path_that_cannot_be_written_is_named_before_the_search(
    place: str, message: str, tmp_path: Path
) -> None:
    with pytest.raises(mv.TraceError, match=message) as caught:
        mv.search("tic_tac_toe", path=tmp_path / place, iterations=10**9, compile=False)
    assert str(tmp_path / place) in str(caught.value)


def test_a_search_that_cannot_be_leaves_an_earlier_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.mcts"
    record(path)
    before = path.read_bytes()
    refused: list[dict[str, Any]] = [{"start": [0, 3, 1, 4, 2]}, {"c": -1}, {"iterations": 0}]
    for options in refused:
        with pytest.raises(mv.MctsVizError):
            mv.search("tic_tac_toe", path=path, **options)
    assert path.read_bytes() == before


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
def test_a_full_disk_is_said(tmp_path: Path) -> None:
    with pytest.raises(mv.TraceError, match=r"/dev/full: writing the trace failed: No space left"):
        mv.search("tic_tac_toe", path="/dev/full", iterations=10**9, compile=False)


class FullDisk:
    """A file that takes so many bytes and no more, a few at a time."""

    def __init__(self, file: Any, room: int) -> None:
        self._file, self._room = file, room

    def write(self, content: memoryview) -> int:
        n = min(len(content), self._room, 1_000)
        if n == 0:
            raise OSError(28, "No space left on device")
        self._room -= n
        return int(self._file.write(content[:n]))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


@pytest.mark.parametrize("room", [1_000, 30_000, 50_000])
def test_a_disk_that_runs_full_leaves_the_batches_before(
    room: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trace_writer, "BATCH_ITERATIONS", 500)
    monkeypatch.setattr(engine, "MOST_CHUNK", 500)
    path = tmp_path / "a.mcts"
    plan = prepare("connect_four", iterations=60_000, seed=1, compile=False)
    recorder = Recorder(plan, path)
    assert recorder._writer is not None
    header = path.stat().st_size
    recorder._writer._file = FullDisk(recorder._writer._file, room)  # type: ignore[assignment]
    with pytest.raises(mv.TraceError, match=r"No space left on device\. Make room"), recorder:
        run(plan, recorder)
    assert path.stat().st_size <= header + room
    opened = mv.open(path)
    assert not opened.complete
    assert opened.n_iterations <= recorder.columns.n_iterations
    assert same_columns(opened.columns, recorder.columns, opened.n_iterations)
    assert (opened.n_iterations == 0) == (room == 1_000)


def test_nothing_in_the_package_pickles() -> None:
    for file in (ROOT / "mcts_viz").rglob("*.py"):
        # joblib pickles what goes from one of our own processes to another, and no file
        runs_processes = (
            file.name in ("grid.py", "jobs.py", "many_searches.py", "series.py")
            or file.parent.name == "fleets"
        )
        forbidden = {"pickle", "cPickle", "dill", "cloudpickle", "shelve", "marshal"}
        forbidden |= set() if runs_processes else {"joblib"}
        text = file.read_text(encoding="utf-8")
        if not any(word in text for word in forbidden):
            continue
        for node in ast.walk(ast.parse(text)):
            names: list[str] = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            elif isinstance(node, ast.keyword) and node.arg == "allow_pickle":
                names = ["pickle"]
            elif isinstance(node, ast.Attribute):
                names = [node.attr]
            found = {name.split(".")[0] for name in names} & {
                *forbidden,
                "read_pickle",
                "to_pickle",
            }
            assert not found, f"{file}: {found}"


def test_arrow_alone_finds_batches_in_the_stream(tmp_path: Path) -> None:
    record(tmp_path / "a.mcts")
    with pa.ipc.open_stream(tmp_path / "a.mcts") as stream:
        assert [batch.num_rows for batch in stream] == [100, 100, 100, 100, 50]


def test_a_recording_that_ends_in_another_thread_hinders_no_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between two looks at it, its file may be closed."""
    with mv.record(tmp_path / "a.mcts", root=[0, 0, []], children=2, visits=0, value=1):
        (tmp_path / "b.mcts").touch()

        def closed(_: int) -> os.stat_result:
            raise OSError(errno.EBADF, "Bad file descriptor")

        with monkeypatch.context() as patched:
            patched.setattr("mcts_viz.trace.writer.os.fstat", closed)
            mv.record(tmp_path / "b.mcts", root=[0, 0, []], children=2, visits=0, value=1).close()


def test_a_column_that_the_version_has_no_place_for_is_refused_and_not_lost(tmp_path: Path) -> None:
    record(tmp_path / "run.mcts")
    file = TraceFile(tmp_path / "run.mcts")
    meta, rows = file.meta, next(file.rows())
    meta = TraceMeta({**meta, "format_version": FORMAT_VERSION})
    rows.values["worker"] = np.zeros(rows.n, np.int32)
    with (
        pytest.raises(TraceError, match=r"version 2 has no place for worker"),
        TraceWriter(tmp_path / "more.mcts", meta) as writer,
    ):
        writer.append(rows)
