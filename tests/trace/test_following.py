"""A file that grows: readers see what is whole, read only what is new, and hold nobody up."""

from __future__ import annotations

import fcntl
import itertools
import os
import signal
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import mcts_viz as mv
from mcts_viz.engine.search import run
from mcts_viz.errors import TraceReplacedError
from mcts_viz.recording.recording import PATIENCE_SECONDS
from mcts_viz.runs.recorder import Recorder
from mcts_viz.trace.format import BATCH_SECONDS
from mcts_viz.trace.liveness import is_held
from mcts_viz.trace.reader import TraceFile
from mcts_viz.trace.writer import TraceWriter
from mcts_viz.web import library as library_module
from mcts_viz.web.library import Library
from mcts_viz.web.routes.live import look
from tests.indexed import in_memory
from tests.searches import prepare
from tests.trace.files import messages, record
from tests.waiting import wait_until

ROOT = Path(__file__).parents[2]
RECORD = """
import sys, time
import mcts_viz as mv
class Node:
    def __init__(self): self.children, self.visits, self.value = [], 0, 0.0
root = Node()
def step():
    child = Node(); child.visits = 1; root.children.append(child); root.visits += 1
with mv.record(sys.argv[1], root=root, children="children", visits="visits", value="value") as rec:
    for _ in rec.steps(step, int(sys.argv[2])): pass
    print("waiting", flush=True)
    time.sleep(1000)
"""


class Node:
    def __init__(self) -> None:
        self.children: list[Node] = []
        self.visits = 0
        self.value = 0.0

    def step(self) -> None:
        child = Node()
        child.visits = 1
        self.children.append(child)
        self.visits += 1


def watch(path: Path, root: Node) -> Any:
    return mv.record(path, root=root, children="children", visits="visits", value="value")


def has(trace: mv.Trace, n: int) -> bool:
    """Whether so many iterations can be read by now."""
    trace.refresh()
    return trace.n_iterations == n


def library(folder: Path) -> Library:
    return Library([folder], folder)


def test_an_iteration_is_in_the_file_soon_also_while_the_next_one_takes_its_time(
    tmp_path: Path,
) -> None:
    root = Node()
    with watch(tmp_path / "a.mcts", root) as rec:
        trace = mv.open(tmp_path / "a.mcts")
        for n in (1, 2):  # the second one comes right after a batch was written
            root.step()
            rec.iteration()
            wait_until(partial(has, trace, n))  # without a further call
        assert BATCH_SECONDS < 0.5
    trace.refresh()
    assert trace.complete


def test_a_search_that_goes_on_is_left_alone_by_the_thread_beside_it(tmp_path: Path) -> None:
    """On two processors each look of that thread can send the search to the other one."""
    root = Node()
    with watch(tmp_path / "a.mcts", root) as rec:
        seconds = itertools.count()
        rec._stopped.set()  # its own thread must not look, too
        rec._clock, rec._start, rec._last_chunk = (lambda: 0), 0, 0  # nor does an iteration write
        rec._writer._clock = lambda: 0.25 * next(seconds)
        rec._writer._last_write = 0.0
        for _ in rec.steps(root.step, 3):
            pass
        waits = [rec.keep_up() for _ in range(3)]  # after 0, 0.25 and 0.5 seconds
        assert waits == pytest.approx([PATIENCE_SECONDS - 0.25 * i for i in range(3)])
        assert mv.open(rec.path).n_iterations == 0
        assert rec.keep_up() == PATIENCE_SECONDS < 0.7  # the page has another 0.3 to show it
        assert mv.open(rec.path).n_iterations == 3


def test_a_search_of_ours_is_in_the_file_while_an_iteration_takes_its_time(tmp_path: Path) -> None:
    plan = prepare("tic_tac_toe", iterations=7, seed=1, compile=False)
    with Recorder(plan, tmp_path / "a.mcts") as recorder:
        run(plan, recorder)
        trace = mv.open(tmp_path / "a.mcts")
        wait_until(partial(has, trace, 7))
        assert not trace.complete


def test_a_killed_recorder_leaves_a_good_file_that_nobody_holds(tmp_path: Path) -> None:
    path = tmp_path / "a.mcts"
    process = subprocess.Popen(
        [sys.executable, "-c", RECORD, str(path), "2500"], cwd=ROOT, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"waiting\n"
    wait_until(lambda: mv.open(path).n_iterations == 2500)
    files = library(tmp_path)
    key = files.key_of(path)
    assert is_held(path)
    assert look(files, key)["state"] == "recording"
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert is_held(path) is False
    standing = look(files, key)
    assert (standing["state"], standing["n_iterations"]) == ("broken off", 2500)
    assert "complete up to iteration 2,500" in standing["words"]
    assert mv.open(path).at(2500).visits[0] == 2500


def test_readers_that_ask_at_the_same_time_all_hear_the_truth(tmp_path: Path) -> None:
    path = tmp_path / "a.mcts"
    answers: list[bool | None] = []
    with watch(path, Node()):
        threads = [
            threading.Thread(target=lambda: answers.extend(is_held(path) for _ in range(50)))
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert answers == [True] * 200
    assert is_held(path) is False
    assert is_held(tmp_path / "none.mcts") is None


def test_a_reader_that_never_lets_go_holds_nobody_up(tmp_path: Path) -> None:
    path = tmp_path / "a.mcts"
    path.touch()
    root = Node()
    with path.open("rb") as reader:
        fcntl.flock(reader, fcntl.LOCK_SH)
        began = time.monotonic()
        with watch(path, root) as rec:
            for _ in rec.steps(root.step, 3000):
                pass
        assert time.monotonic() - began < 30  # not for ever
    assert mv.open(path).n_iterations == 3000


def test_a_reader_reads_only_what_is_new(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mv.search(
        "tic_tac_toe", iterations=20_000, seed=1, path=tmp_path / "whole.mcts", rollouts=False
    )
    source = TraceFile(tmp_path / "whole.mcts")
    batches = list(source.rows())
    read: list[int] = []
    unread = TraceFile._unread

    def counted(self: TraceFile) -> memoryview:
        content = unread(self)
        read.append(len(content))
        return content

    with TraceWriter(tmp_path / "a.mcts", source.meta) as writer:
        writer.append(batches[0])
        writer.flush()
        trace = mv.open(tmp_path / "a.mcts")
        monkeypatch.setattr(TraceFile, "_unread", counted)
        for rows in batches[1:]:
            before = os.path.getsize(tmp_path / "a.mcts")
            writer.append(rows)
            writer.flush()
            assert trace.refresh() == rows.n
            assert read.pop() == os.path.getsize(tmp_path / "a.mcts") - before
    assert trace.n_iterations == 20_000


def test_another_recording_in_the_file_is_told_from_more_of_the_same(tmp_path: Path) -> None:
    path = tmp_path / "a.mcts"
    root = Node()
    first, second = library(tmp_path), library(tmp_path)  # as two server processes have them
    with watch(path, root) as rec:
        for _ in rec.steps(root.step, 1500):
            pass
        wait_until(lambda: mv.open(path).n_iterations == 1500)
        key = first.key_of(path)
        trace = first.trace(key)
        assert look(first, key) == look(second, key)
    root = Node()
    with watch(path, root) as rec:
        for _ in rec.steps(root.step, 30):
            pass
        wait_until(lambda: mv.open(path).n_iterations == 30)
        with pytest.raises(
            TraceReplacedError, match="another recording has replaced it; open it again"
        ):
            trace.refresh()
        assert look(first, key) == look(second, key)
        again = look(first, key)
    assert (again["n_iterations"], again["state"]) == (30, "recording")
    assert again["recording"] != trace.recording
    assert look(first, key)["state"] == "complete"


def test_a_recording_without_an_iteration_is_told_as_such(tmp_path: Path) -> None:
    path = tmp_path / "a.mcts"
    told = mv.search("tic_tac_toe", iterations=5, seed=1)
    library = Library([tmp_path], tmp_path)
    with TraceWriter(path, told.meta):
        os.utime(path, (0, 0))
        looked = look(library, library.key_of(path))
    assert looked["state"] == "recording"
    assert looked["words"].endswith("it has no iteration yet.")


def test_a_file_that_is_missing_or_has_just_been_emptied_is_a_state_of_its_own(
    tmp_path: Path,
) -> None:
    files = library(tmp_path)
    mv.search("tic_tac_toe", iterations=5, seed=1, path=tmp_path / "a.mcts")
    key = files.key_of(tmp_path / "a.mcts")
    assert look(files, key)["state"] == "complete"
    (tmp_path / "a.mcts").write_bytes(b"")
    emptied = look(files, key)
    assert emptied["state"] == "missing"
    assert "It is shown as soon as it has a first iteration." in emptied["words"]
    (tmp_path / "a.mcts").unlink()
    assert look(files, key)["state"] == "missing"


@in_memory  # nobody holds this file: by an index it is one that was interrupted
def test_what_was_read_on_holds_no_batch_in_memory(tmp_path: Path) -> None:
    """A column that nobody asks for, such as the simulations, would keep all of each batch."""
    whole = record(tmp_path / "a.mcts", iterations=450)
    assert whole.path is not None
    pieces = messages(whole.path.read_bytes())
    path = tmp_path / "b.mcts"
    path.write_bytes(b"".join(pieces[:2]))
    trace = mv.open(path)
    for piece in pieces[2:]:
        with path.open("ab") as file:
            file.write(piece)
        trace.refresh()
        for group in (trace.columns._iterations, *trace.columns._lists.values()):
            assert not any(column._waiting for column in group._numbers.values())
    assert trace.n_iterations == 450


@in_memory  # nobody holds this file: by an index it is one that was interrupted
def test_a_server_gives_back_what_following_has_freed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[bool] = []
    monkeypatch.setattr(library_module, "give_back", lambda: given.append(True))
    monkeypatch.setattr(library_module, "TIDY", 0.0)
    whole = record(tmp_path / "whole.mcts", iterations=250)
    assert whole.path is not None
    header, first, second, *_ = messages(whole.path.read_bytes())
    path = tmp_path / "a.mcts"
    path.write_bytes(header + first)
    files = library(tmp_path)
    key = files.key_of(path)
    assert [files.trace(key).n_iterations for _ in range(2)] == [100, 100]
    assert given == []
    path.write_bytes(header + first + second)
    assert files.trace(key).n_iterations == 200
    assert given == [True]
