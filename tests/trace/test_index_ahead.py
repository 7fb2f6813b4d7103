"""The index that is made while a trace is recorded is the one that is made of its file."""

from __future__ import annotations

import errno
import multiprocessing
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mcts_viz as mv
from mcts_viz.errors import MctsVizError
from mcts_viz.trace.index import ahead, building, layout
from mcts_viz.trace.index.ahead import wait_for
from mcts_viz.trace.index.layout import IndexFile, stamp_of
from mcts_viz.trace.index.opening import SWITCH, make_index, places
from mcts_viz.trace.writer import TraceWriter
from tests.engine.test_reuse import kept_tree, next_search, recorded
from tests.variants import few

ROOT = Path(__file__).parents[2]
SEARCHES: list[tuple[str, dict[str, Any]]] = [
    ("tic_tac_toe", {"rollouts": False}),
    ("connect_four", {}),
    ("connect_four", {"workers": 2}),
    ("tic_tac_toe", {"solver": True}),
    ("tic_tac_toe", {"preset": "alphazero"}),
    ("tic_tac_toe", {"preset": "sudo_tic_tac_toe"}),
    ("connect_four", {"nodes": 200}),
    ("tic_tac_toe", {"win": 0.1, "draw": 0.3, "loss": -0.7}),
    ("connect_four", {"preset": "alphazero", "evaluator": "centre"}),
]  # fmt: skip


@pytest.fixture(autouse=True)
def _short_traces_have_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SWITCH, "100")
    monkeypatch.setattr(building, "BLOCK", 32)
    monkeypatch.setattr(building, "LARGE", 20)
    monkeypatch.setattr(building, "KNOT", 16)


def parts(path: Path) -> list[str]:
    return sorted(each.name for each in path.parent.iterdir())


def sections(path: Path) -> dict[str, Any]:
    """What the index beside a trace says and holds."""
    index = IndexFile.open(places(path)[0], stamp_of(path))
    about = {name: value for name, value in index.about.items() if name not in ("stamp", "length")}
    columns = {name: index[name] for name in about.pop("sections")}
    return about | columns


def is_that_of_the_file(path: Path) -> None:
    wait_for(places(path)[0])
    assert parts(path) == [path.name, places(path)[0].name]
    found = sections(path)
    copy = path.parent / "again" / path.name
    copy.parent.mkdir()
    shutil.copy(path, copy)
    make_index(copy)
    expected = sections(copy)
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        np.testing.assert_array_equal(found[name], value, name)


@pytest.mark.parametrize(("game", "options"), few(SEARCHES, 3))
def test_of_a_search(game: str, options: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "run.mcts"
    trace = mv.search(game, iterations=600, seed=1, path=path, compile=False, **options)
    assert trace.columns.index is not None  # and looking waits for it
    is_that_of_the_file(path)


def test_of_one_that_goes_on_with_a_tree(tmp_path: Path) -> None:
    path, kind = tmp_path / "run.mcts", {"preset": "uct"}
    recorded(next_search("tic_tac_toe", kind), kept_tree("tic_tac_toe", kind), path)
    is_that_of_the_file(path)


def test_of_one_that_was_stopped(tmp_path: Path) -> None:
    path = tmp_path / "run.mcts"
    trace = stopped_after(12, path, 1_000_000)
    assert 100 <= trace.n_iterations < 1_000_000
    is_that_of_the_file(path)


def stopped_after(looks: int, path: Path, iterations: int) -> mv.Trace:
    """A search whose `stop` says no so many times, then yes."""
    counted = iter(range(10_000))
    return mv.search(
        "tic_tac_toe",
        iterations=iterations,
        seed=1,
        path=path,
        compile=False,
        stop=lambda: next(counted) > looks,
    )


def one_iteration(path: Path) -> None:
    mv.search("tic_tac_toe", iterations=50, seed=1, path=path)


def stopped_early(path: Path) -> None:
    stopped_after(2, path, 500)


def not_covered(path: Path) -> None:
    mv.search(
        "tic_tac_toe", iterations=500, seed=1, path=path, win=0.9, loss=0.1, selection="ucb1_tuned"
    )


def interrupted(path: Path) -> None:
    looks = iter(range(10_000))

    def stop() -> bool:
        if next(looks) > 12:
            raise KeyboardInterrupt
        return False

    with pytest.raises(KeyboardInterrupt):
        mv.search("tic_tac_toe", iterations=100_000, seed=1, path=path, compile=False, stop=stop)


def without_room(path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mcts_viz.trace.index.layout.ROOM", 1 << 60)
        mv.search("tic_tac_toe", iterations=500, seed=1, path=path)


@pytest.mark.parametrize(
    "record", [one_iteration, stopped_early, not_covered, interrupted, without_room]
)
def test_where_there_can_be_none_nothing_is_left(
    record: Callable[[Path], None], tmp_path: Path
) -> None:
    path = tmp_path / "run.mcts"
    record(path)
    wait_for(places(path)[0])
    assert parts(path) == ["run.mcts"]
    assert mv.open(path).n_iterations > 0


def test_two_recordings_one_after_the_other_into_one_file(tmp_path: Path) -> None:
    path = tmp_path / "run.mcts"
    for seed in (1, 2, 3):
        mv.search("connect_four", iterations=2_000, seed=seed, path=path, compile=False)
    is_that_of_the_file(path)


def test_a_failure_costs_nothing_but_the_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.mcts"

    def full(*_: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(ahead.Building, "sort", full)
    trace = mv.search("tic_tac_toe", iterations=500, seed=1, path=path)
    wait_for(places(path)[0])
    assert parts(path) == ["run.mcts"]
    monkeypatch.undo()
    assert trace.at(500).visits[0] == 500
    with pytest.raises(MctsVizError, match="choose one from 0 to 500"):
        trace.at(501)


def test_python_waits_for_it_at_its_end(tmp_path: Path) -> None:
    path = tmp_path / "run.mcts"
    program = f"import mcts_viz; mcts_viz.search('tic_tac_toe', iterations=500, seed=1, path={str(path)!r})"
    subprocess.run([sys.executable, "-c", program], check=True, cwd=ROOT)
    assert parts(path) == ["run.mcts", "run.mcts.index"]
    assert IndexFile.open(places(path)[0], stamp_of(path)).about["n_iterations"] == 500


def test_ctrl_c_ends_the_waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, go = tmp_path / "run.mcts", threading.Event()
    original = ahead.Building.sort

    def slow(building: ahead.Building) -> Any:
        go.wait(20)
        return original(building)

    monkeypatch.setattr(ahead.Building, "sort", slow)
    mv.search("tic_tac_toe", iterations=500, seed=1, path=path)
    making = ahead._finishing[places(path)[0]]

    def pressed(_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(ahead.IndexAhead, "wait", pressed)
        ahead._end()
    assert parts(path) == ["run.mcts"]
    go.set()
    making.wait()
    assert parts(path) == ["run.mcts"]


def test_a_file_that_is_replaced_meanwhile_does_not_get_the_index_of_another(
    tmp_path: Path,
) -> None:
    path, looks = tmp_path / "run.mcts", iter(range(10_000))

    def stop() -> bool:
        if next(looks) == 8:
            path.rename(tmp_path / "moved.mcts")
            mv.search("tic_tac_toe", iterations=50, seed=2, path=path)
        return False

    mv.search("tic_tac_toe", iterations=600, seed=1, path=path, compile=False, stop=stop)
    wait_for(places(path)[0])
    assert parts(path) == ["moved.mcts", "run.mcts"]


def test_a_search_that_ends_early_does_not_leave_a_file_of_its_whole_budget(tmp_path: Path) -> None:
    path, looks = tmp_path / "run.mcts", iter(range(10_000))
    mv.search(
        "tic_tac_toe", iterations=5_000_000, seed=1, path=path, compile=False,
        stop=lambda: next(looks) > 12,
    )  # fmt: skip
    wait_for(places(path)[0])
    assert places(path)[0].stat().st_size < 1 << 20
    is_that_of_the_file(path)


def test_a_full_disk_costs_nothing_but_the_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, original, left = tmp_path / "run.mcts", layout._take_room, iter(range(40))

    def full(file: int, begin: int, n: int) -> None:
        if next(left, None) is None:
            raise OSError(errno.ENOSPC, "No space left on device")
        original(file, begin, n)

    monkeypatch.setattr(layout, "AT_ONCE", 1)
    monkeypatch.setattr(layout, "_take_room", full)
    monkeypatch.setattr("mcts_viz.trace.writer.BATCH_ITERATIONS", 50)
    mv.search("tic_tac_toe", iterations=600, seed=1, path=path, compile=False)
    wait_for(places(path)[0])
    assert next(left, None) is None
    assert parts(path) == ["run.mcts"]
    monkeypatch.undo()
    assert mv.open(path).n_iterations == 600


def test_an_error_in_the_index_leaves_each_batch_once_in_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.mcts"

    def fail(*_: object) -> None:
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(ahead.Building, "take", fail)
        mv.search("tic_tac_toe", iterations=600, seed=1, path=path)
    assert parts(path) == ["run.mcts"]
    assert mv.open(path).columns.leaf.shape == (600,)


def test_where_the_trace_cannot_be_closed_no_index_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.mcts"

    def fail(writer: TraceWriter) -> None:
        writer._close_file()
        raise mv.TraceError("the disk is full")

    monkeypatch.setattr(TraceWriter, "close", fail)
    with pytest.raises(mv.TraceError, match="the disk is full"):
        mv.search("tic_tac_toe", iterations=600, seed=1, path=path)
    assert parts(path) == ["run.mcts"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_in_a_child_of_multiprocessing_it_is_there_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "run.mcts"
    child = multiprocessing.get_context("fork").Process(
        target=mv.search,
        args=["tic_tac_toe"],
        kwargs={"iterations": 500, "seed": 1, "path": path, "compile": False},
    )
    child.start()
    child.join(60)
    assert child.exitcode == 0
    assert parts(path) == ["run.mcts", "run.mcts.index"]


def test_a_limit_of_nodes_holds_what_the_last_expansion_makes(tmp_path: Path) -> None:
    path = tmp_path / "run.mcts"
    trace = mv.search(
        "connect_four", "alphazero", iterations=9_000, nodes=3_000, seed=1, path=path, compile=False
    )
    assert trace.n_nodes >= 3_000
    is_that_of_the_file(path)
