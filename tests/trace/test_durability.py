"""What a recording's file survives: a disk that is full or failing, a second recorder, a power failure."""

from __future__ import annotations

import errno
import os
import resource
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import mcts_viz as mv
from mcts_viz import cli
from mcts_viz.errors import TraceWriteError
from mcts_viz.trace import writer as trace_writer
from mcts_viz.trace.writer import TraceWriter
from tests.trace.test_file import META, rows

FIELDS: dict[str, Any] = {"children": "children", "visits": "visits", "value": "wins"}
ROOT = Path(__file__).parents[2]
REASONS = [errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EROFS, errno.EMFILE]


def watched(path: Path, **more: Any) -> tuple[Any, SimpleNamespace]:
    root = SimpleNamespace(children=[], visits=0, wins=0.0)
    return mv.record(path, root=root, **FIELDS, **more), root


def step(root: SimpleNamespace) -> None:
    root.children.append(SimpleNamespace(children=[], visits=1, wins=0.5))
    root.visits += 1
    root.wins += 0.5


def filled(highest: int) -> list[int]:
    """Descriptors that take every free number up to that one."""
    found = []
    while (each := os.open(os.devnull, os.O_RDONLY)) < highest:
        found.append(each)
    os.close(each)
    return found


class Broken:
    """A file that can be written no more."""

    def __init__(self, file: Any, reason: int) -> None:
        self._file, self._reason = file, reason

    def write(self, content: memoryview) -> int:
        raise OSError(self._reason, os.strerror(self._reason))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


@pytest.mark.parametrize("reason", REASONS)
def test_a_search_of_others_goes_on_where_its_file_cannot(reason: int, tmp_path: Path) -> None:
    path = tmp_path / "run.mcts"
    rec, root = watched(path)
    for _ in rec.steps(lambda: step(root), 50):
        pass
    rec._put()
    rec._writer.flush()
    rec._writer._file = Broken(rec._writer._file, reason)
    for _ in rec.steps(lambda: step(root), 2_000):
        pass
    with pytest.raises(TraceWriteError, match=os.strerror(reason)) as told:
        rec.close()
    assert "the search went on" in str(told.value)
    rec.close()  # told once
    assert (rec.trace.n_iterations, rec.trace.complete, rec.trace.path) == (2_050, True, None)
    opened = mv.open(path)
    assert (opened.n_iterations, opened.complete) == (50, False)


def test_the_searchs_own_error_is_not_hidden_by_that_of_its_file(tmp_path: Path) -> None:
    rec, root = watched(tmp_path / "run.mcts")

    def search() -> None:
        for _ in rec.steps(lambda: step(root), 2_000):
            pass
        raise ZeroDivisionError

    rec._writer._file = Broken(rec._writer._file, errno.EIO)
    with pytest.raises(ZeroDivisionError), rec:
        search()


@pytest.mark.parametrize("reason", REASONS)
def test_the_command_line_says_so_in_one_line_and_exits_with_1(
    reason: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.mcts"
    put = TraceWriter._put

    def fails_later(self: TraceWriter, message: bytes) -> None:
        if self._size > 2_000:
            self._file = Broken(self._file, reason)  # type: ignore[assignment]
        put(self, message)

    monkeypatch.setattr(TraceWriter, "_put", fails_later)
    monkeypatch.setattr(trace_writer, "BATCH_ITERATIONS", 200)
    command = ["record", "tic_tac_toe", "--iterations", "1000", "--quiet", "-o", str(path)]
    assert cli.main(command) == 1
    said = capsys.readouterr().err
    assert (said.count("\n"), os.strerror(reason) in said) == (1, True)
    assert mv.open(path).n_iterations < 1_000


def test_nothing_is_left_of_a_file_whose_first_bytes_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        trace_writer,
        "hold",
        lambda file: resource.setrlimit(resource.RLIMIT_FSIZE, (10, limits[1])) or True,
    )
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        with pytest.raises(TraceWriteError, match="nothing was written"):
            TraceWriter(tmp_path / "a.mcts", META)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert list(tmp_path.iterdir()) == []


def test_too_many_open_files_and_folders_that_cannot_be_written_are_told(tmp_path: Path) -> None:
    for path, message in (
        (tmp_path / "no" / "a.mcts", "its folder does not exist"),
        (tmp_path, "directory"),
    ):
        with pytest.raises(mv.TraceError, match=message):
            mv.search("tic_tac_toe", iterations=5, path=path)
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    for spare in range(2):  # none is left, or one: a recording needs two
        free_below: list[int] = []
        held = [os.open(os.devnull, os.O_RDONLY) for _ in range(10)]
        try:
            free_below = filled(held[-1])
            resource.setrlimit(resource.RLIMIT_NOFILE, (held[-1] + 1, limits[1]))
            for _ in range(spare):
                os.close(held.pop())
            with pytest.raises(TraceWriteError, match="Too many open files"):
                mv.search("tic_tac_toe", iterations=5, path=tmp_path / "a.mcts")
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, limits)
            for each in (*held, *free_below):
                os.close(each)


def test_a_second_recorder_at_the_same_path_is_refused(tmp_path: Path) -> None:
    """A cell of a notebook run again, say, while the recording that it began before still runs."""
    path, link = tmp_path / "a.mcts", tmp_path / "link.mcts"
    link.symlink_to(path)
    with TraceWriter(path, META) as first:
        for name in (path, link):
            with pytest.raises(mv.TraceError, match="recording into this file already; end that"):
                TraceWriter(name, META)
        first.append(rows())
    assert mv.open(path).complete
    with TraceWriter(path, META):  # the first one has ended
        pass


@pytest.mark.filterwarnings("ignore:.*unclosed file")
def test_a_recording_that_nobody_knows_any_more_is_in_nobodys_way(tmp_path: Path) -> None:
    def forgotten() -> None:
        writer = TraceWriter(tmp_path / "a.mcts", META)
        writer.itself = writer  # type: ignore[attr-defined]

    forgotten()
    with TraceWriter(tmp_path / "a.mcts", META):
        pass


def synced(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is put on the disk from now on: "file" or "folder"."""
    found: list[str] = []

    def fsync(number: int) -> None:
        found.append("folder" if os.path.isdir(f"/proc/self/fd/{number}") else "file")

    monkeypatch.setattr(os, "fsync", fsync)
    return found


def test_a_file_and_its_folder_are_put_on_the_disk_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = synced(monkeypatch)
    with TraceWriter(tmp_path / "a.mcts", META) as writer:
        writer.append(rows())
        writer.flush()
        assert found == []
    assert found == ["file", "folder"]


def test_so_they_are_every_so_many_seconds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found, now = synced(monkeypatch), [0.0]
    writer = TraceWriter(tmp_path / "a.mcts", META, clock=lambda: now[0], sync=5.0)
    writer.append(rows())
    writer.flush()
    now[0] = 4.9
    writer.keep_up()
    assert found == []
    now[0] = 5.0
    writer.keep_up()  # though nothing has come since
    assert found == ["file", "folder"]
    now[0] = 99.0
    writer.keep_up()  # and nothing that is not there already
    assert found == ["file", "folder"]
    writer.abandon()
    assert found == ["file", "folder"]


@pytest.mark.parametrize("sync", [-1, float("nan"), True, "5"])
def test_a_time_that_is_none_is_refused_before_a_file_is_made(sync: Any, tmp_path: Path) -> None:
    for begin in (
        lambda: watched(tmp_path / "a.mcts", sync=sync),
        lambda: mv.search("tic_tac_toe", iterations=5, path=tmp_path / "a.mcts", sync=sync),
    ):
        with pytest.raises(mv.TraceError, match="is no number of seconds"):
            begin()
    assert list(tmp_path.iterdir()) == []


def test_the_command_line_takes_the_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = synced(monkeypatch)
    path = str(tmp_path / "a.mcts")
    command = ["record", "tic_tac_toe", "--iterations", "50", "--quiet", "--sync", "0", "-o", path]
    assert cli.main(command) == 0
    assert found.count("file") >= 2


def test_a_disk_that_does_not_take_what_it_has_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fsync(number: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, "fsync", fsync)
    with pytest.raises(TraceWriteError, match="Input/output error"):
        mv.search("tic_tac_toe", iterations=5, path=tmp_path / "a.mcts")


@pytest.mark.thorough
def test_a_script_ends_with_1_and_its_search_has_gone_on(tmp_path: Path) -> None:
    script = (
        "import resource, sys, types, mcts_viz as mv\n"
        "root = types.SimpleNamespace(children=[], visits=0, wins=0.0)\n"
        "def step():\n"
        "    root.children.append(types.SimpleNamespace(children=[], visits=1, wins=0.5))\n"
        "    root.visits += 1\n"
        "    if root.visits == 100: resource.setrlimit(resource.RLIMIT_FSIZE, (6_000, 6_000))\n"
        "with mv.record(sys.argv[1], root=root, children='children', visits='visits', value='wins') as rec:\n"
        "    for _ in rec.steps(step, 5_000): pass\n"
        "    print(root.visits)\n"
    )
    command = [sys.executable, "-c", script, str(tmp_path / "a.mcts")]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert (ran.returncode, ran.stdout) == (1, "5000\n")
    assert ran.stderr.rstrip().splitlines()[-1].count("File too large") == 1
    assert not mv.open(tmp_path / "a.mcts").complete


EVENT = '{"new_nodes": [{"parent": 0, "action": 1}], "leaf": 1, "outcome": 1.0}\n'


def test_an_import_is_put_on_the_disk_as_it_comes_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = synced(monkeypatch)
    (tmp_path / "in.ndjson").write_text(EVENT)
    command = ["import", str(tmp_path / "in.ndjson"), "-o", str(tmp_path / "a.mcts")]
    assert cli.main(command) == 0
    assert found == ["file", "folder"]
    assert cli.main([*command, "--sync", "0"]) == 0
    assert len(found) > 4
    assert cli.main([*command, "--sync", "-1"]) == 2


def test_an_import_that_cannot_be_written_is_one_line_and_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(trace_writer, "BATCH_SECONDS", 0.0)  # every batch is due
    put = TraceWriter._put

    def fails_later(self: TraceWriter, message: bytes) -> None:
        if self._size:
            self._file = Broken(self._file, errno.ENOSPC)  # type: ignore[assignment]
        put(self, message)

    monkeypatch.setattr(TraceWriter, "_put", fails_later)
    (tmp_path / "in.ndjson").write_text(EVENT * 5)
    assert cli.main(["import", str(tmp_path / "in.ndjson"), "-o", str(tmp_path / "a.mcts")]) == 1
    assert capsys.readouterr().err.count("\n") == 1
    assert mv.open(tmp_path / "a.mcts").n_iterations == 0
