"""Who scans does not matter: processes and clusters make the same tables, whatever becomes of them."""

from __future__ import annotations

import importlib.util
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from joblib._parallel_backends import LokyBackend

import mcts_viz as mv
from mcts_viz.cli import main
from mcts_viz.errors import TraceError
from mcts_viz.fleets.workers import Workers
from tests.fleets.folders import copy_of
from tests.lazy import distributed

TABLES = ("searches", "moves")


@pytest.fixture(scope="module")
def serial(traces: Path, tmp_path_factory: pytest.TempPathFactory) -> mv.Fleet:
    return mv.fleet(copy_of(traces, tmp_path_factory.mktemp("serial") / "runs"))


@contextmanager
def cluster() -> Iterator[Any]:
    """Two processes of Dask's."""
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None
    ) as made:
        yield made


def findings(fleet: mv.Fleet) -> pa.Table:
    order = [(name, "ascending") for name in ("search_id", "check", "iteration", "node")]
    return fleet.findings.sort_by(order)


def is_same(fleet: mv.Fleet, other: mv.Fleet) -> bool:
    same = all(getattr(fleet, name).equals(getattr(other, name)) for name in TABLES)
    return same and findings(fleet).equals(findings(other))


def test_two_processes_make_the_same_tables(traces: Path, tmp_path: Path, serial: mv.Fleet) -> None:
    assert is_same(mv.fleet(copy_of(traces, tmp_path / "runs"), jobs=2), serial)


@pytest.mark.thorough
def test_a_dask_cluster_makes_the_same_tables(
    traces: Path, tmp_path: Path, serial: mv.Fleet
) -> None:
    folder = copy_of(traces, tmp_path / "runs")
    with cluster() as made:
        fleet = mv.fleet(folder, backend="dask", scheduler=made.scheduler_address)
        assert is_same(fleet, serial)
        again = copy_of(traces, tmp_path / "again" / "runs")
        with distributed.Client(made):  # the client that there is
            assert is_same(mv.fleet(again, backend="dask"), serial)


@pytest.mark.thorough  # joblib and Dask go the same way, and Ray takes ten seconds to begin
def test_ray_makes_the_same_tables(traces: Path, tmp_path: Path, serial: mv.Fleet) -> None:
    """An extra, which not every Python has. In a process of its own, as Ray changes the logging of a whole process."""
    if importlib.util.find_spec("ray") is None:
        pytest.skip("Ray is not installed")
    folder = copy_of(traces, tmp_path / "runs")
    text = f"import mcts_viz as mv; mv.fleet({str(folder)!r}, backend='ray', jobs=2)"
    told = os.environ | {"PYTHONPATH": os.pathsep.join(each for each in sys.path if each)}
    subprocess.run([sys.executable, "-c", text], check=True, env=told, timeout=300)
    assert is_same(mv.Fleet(folder, scanned=False), serial)


def test_a_backend_that_gives_all_at_the_end_makes_the_same_tables(
    traces: Path, tmp_path: Path, serial: mv.Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As Ray's does."""
    monkeypatch.setattr(LokyBackend, "supports_return_generator", False)
    assert is_same(mv.fleet(copy_of(traces, tmp_path / "runs"), jobs=2), serial)


def test_a_cluster_that_there_is_not_is_an_error_in_words(tmp_path: Path, traces: Path) -> None:
    folder = copy_of(traces, tmp_path / "runs")
    with pytest.raises(TraceError, match="give the scheduler's address by"):
        mv.fleet(folder, backend="dask")
    with pytest.raises(TraceError, match="add backend='dask'"):
        mv.fleet(folder, scheduler="tcp://127.0.0.1:1")


def test_a_ray_that_is_not_installed_is_an_error_in_words(
    tmp_path: Path, traces: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(TraceError, match="is not installed; pip install ray"):
        mv.fleet(copy_of(traces, tmp_path / "runs"), backend="ray")


def test_the_command_builds_compacts_tags_and_deletes(
    traces: Path, tmp_path: Path, serial: mv.Fleet, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = copy_of(traces, tmp_path / "runs")
    assert main(["fleet", "build", str(folder), "--jobs", "1"]) == 0
    assert (
        f"{folder}: {len(serial)} searches, 2 with an error in the file" in capsys.readouterr().out
    )
    assert is_same(mv.Fleet(folder, scanned=False), serial)
    assert main(["fleet", "compact", str(folder)]) == 0
    assert "2 parts became 2" in capsys.readouterr().out
    assert main(["fleet", "tag", str(folder), "second", "slow", "old"]) == 0
    assert capsys.readouterr().out == "second: slow, old\n"
    assert main(["fleet", "delete", str(folder), "second"]) == 2
    assert "5 trace files and their rows would be deleted; add --yes" in capsys.readouterr().err
    assert main(["fleet", "delete", str(folder), "second", "--yes"]) == 0
    assert len(mv.fleet(folder)) == len(serial) - 5


def kill_one_of(pids: list[int], after: float) -> threading.Thread:
    """End one of these processes at once, after some time."""

    def kill() -> None:
        time.sleep(after)
        try:
            os.kill(random.Random(after).choice(pids), signal.SIGKILL)
        except (ProcessLookupError, IndexError):
            return

    thread = threading.Thread(target=kill)
    thread.start()
    return thread


def many_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tasks of few searches, so that a killed process leaves some of them done."""
    monkeypatch.setattr("mcts_viz.fleets.scan.TASK_BYTES", 16_000)


@pytest.mark.parametrize(
    "time_of_death",
    [pytest.param(n, marks=pytest.mark.thorough) for n in range(20)],
)
def test_a_killed_dask_worker_changes_no_row(
    traces: Path,
    tmp_path: Path,
    serial: mv.Fleet,
    time_of_death: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    many_tasks(monkeypatch)
    folder = copy_of(traces, tmp_path / "runs")
    with cluster() as made:
        pids = [worker.pid for worker in made.workers.values()]
        thread = kill_one_of(pids, 0.1 * time_of_death)
        fleet = mv.fleet(folder, backend="dask", scheduler=made.scheduler_address)
        thread.join()
    assert is_same(fleet, serial)


@pytest.mark.thorough
def test_a_client_that_was_killed_leaves_what_is_done(
    traces: Path, tmp_path: Path, serial: mv.Fleet
) -> None:
    folder = copy_of(traces, tmp_path / "runs")
    script = (
        "import os, sys, mcts_viz as mv\n"
        "from mcts_viz.fleets import building, scan\n"
        "scan.TASK_BYTES, done, real = 16_000, [], scan.scan\n"
        "def dies(*given, **named):\n"
        "    done.append(real(*given, **named))\n"
        "    if len(done) == 4: os.kill(os.getpid(), 9)\n"
        "    return done[-1]\n"
        "building.scan = dies\n"
        "mv.fleet(sys.argv[1])\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", script, str(folder)],
        cwd=Path(__file__).parents[2],
        timeout=60,
        check=False,
    )
    assert ended.returncode == -signal.SIGKILL
    done = {path: path.stat().st_mtime_ns for path in (folder / "fleet-tables").rglob("*.parquet")}
    assert len(done) == 3 * 4
    assert is_same(mv.fleet(folder), serial)
    assert all(path.stat().st_mtime_ns == at for path, at in done.items())


@pytest.mark.thorough
def test_memory_does_not_grow_with_the_traces(tmp_path: Path) -> None:
    """From 500 to 5,000 of them, in the process that scans."""
    script = (
        "import resource, sys, mcts_viz as mv\n"
        "mv.fleet(sys.argv[1]); print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    peaks = []
    for n in (500, 5000):
        folder = tmp_path / str(n)
        folder.mkdir()
        wanted = [
            {"game": "tic_tac_toe", "iterations": 20, "seed": seed, "compile": False}
            for seed in range(n)
        ]
        mv.search_many(wanted, folder / "a.many")
        told = subprocess.run(
            [sys.executable, "-c", script, str(folder)], cwd=Path(__file__).parents[2],
            capture_output=True, text=True, check=True, timeout=600,
        )  # fmt: skip
        peaks.append(int(told.stdout) / 1024)
    assert peaks[1] < peaks[0] + 40  # megabytes: rows of the tables, no traces


@pytest.mark.parametrize(("backend", "name"), [("dask", "'dask[distributed]'"), ("ray", "ray")])
def test_a_library_that_is_not_installed_is_named_as_pip_knows_it(
    backend: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("distributed", "ray"):
        monkeypatch.setitem(sys.modules, module, None)
        monkeypatch.delitem(sys.modules, "ray.util.joblib", raising=False)
    with pytest.raises(TraceError, match=r"is not installed; pip install") as refused:
        list(Workers(2, backend).results(abs, [1]))
    assert str(refused.value).endswith(f"pip install {name}")
