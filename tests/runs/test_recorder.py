"""A recording with a file holds in memory what the file does, and says the same as one without."""

import threading
from pathlib import Path
from typing import Any

import pytest

import mcts_viz as mv
from mcts_viz.engine import search as engine
from mcts_viz.engine.iterations import Log
from mcts_viz.engine.search import Chunk, Search, run
from mcts_viz.runs.recorder import Recorder
from mcts_viz.trace.columns import Columns
from samples.own_game import Kalah
from tests.searches import prepare
from tests.trace.files import same_columns

CHUNK = 200  # iterations; batches are as large, so that every chunk is written at once


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "MOST_CHUNK", CHUNK)
    monkeypatch.setattr(engine, "CHUNK_SECONDS", 10.0)  # never smaller because of the time
    monkeypatch.setattr("mcts_viz.trace.writer.BATCH_ITERATIONS", CHUNK)


def logs_of(plan: Search, path: Path | None) -> list[Log]:
    """The log of each chunk of a recording that keeps up with its search."""
    logs: list[Log] = []
    with Recorder(plan, path) as recorder:

        def consume(chunk: Chunk) -> None:
            given_back = len(chunk.given_back)
            logs.append(chunk.log)
            recorder(chunk)
            for _ in range(500):
                if len(chunk.given_back) > given_back or path is None:
                    return
                threading.Event().wait(0.01)

        run(plan, consume)
    return logs


@pytest.mark.thorough
def test_what_is_in_the_file_is_written_over(tmp_path: Path) -> None:
    plan = prepare("connect_four", iterations=3_000, seed=1, compile=False)
    logs = logs_of(plan, tmp_path / "a.mcts")
    whole = [id(log.leaf) for log in logs if len(log.leaf) == CHUNK]
    assert len(whole) > 10
    assert len(set(whole)) == 1


def test_what_is_only_in_memory_is_not(tmp_path: Path) -> None:
    plan = prepare("connect_four", iterations=3_000, seed=1, compile=False)
    logs = logs_of(plan, None)
    assert len({id(log.leaf) for log in logs}) == len(logs)


KINDS: list[tuple[Any, dict[str, Any]]] = [
    ("connect_four", {}),
    ("connect_four", {"rollouts": False}),
    ("tic_tac_toe", {"solver": True}),
    ("tic_tac_toe", {"preset": "alphazero"}),
    (Kalah(), {}),
]


@pytest.mark.parametrize(("game", "options"), KINDS)
def test_with_and_without_a_file_the_same_is_recorded(
    game: Any, options: dict[str, Any], tmp_path: Path
) -> None:
    path = tmp_path / "a.mcts"
    chosen = {"iterations": 1_500, "seed": 3, "compile": False, **options}
    in_memory = mv.search(game, **chosen)
    recorded = mv.search(game, **chosen, path=path)
    path.unlink()  # a trace that was returned needs its file no more
    assert same_columns(recorded.columns, in_memory.columns, but=["elapsed"])
    assert recorded.columns.nodes.label == in_memory.columns.nodes.label
    assert recorded.columns.nodes.state == in_memory.columns.nodes.state
    assert recorded.at(700).visits.tolist() == in_memory.at(700).visits.tolist()
    assert (recorded.complete, recorded.refresh(), recorded.path) == (True, 0, path)


def test_a_trace_unpacks_when_it_is_looked_at_and_once(tmp_path: Path) -> None:
    plan = prepare("tic_tac_toe", iterations=1_000, seed=1, compile=False)
    with Recorder(plan, tmp_path / "a.mcts") as recorder:
        run(plan, recorder)
    trace = recorder.trace(mv.Trace)
    assert not isinstance(trace._columns, Columns)
    found: list[Columns] = []
    threads = [threading.Thread(target=lambda: found.append(trace.columns)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({id(columns) for columns in found}) == 1
    assert trace._columns is found[0]
    assert trace.n_iterations == 1_000


def test_a_recording_can_be_looked_at_before_it_ends(tmp_path: Path) -> None:
    plan = prepare("connect_four", iterations=3_000, seed=1, compile=False)
    seen: list[int] = []
    with Recorder(plan, tmp_path / "a.mcts") as recorder:

        def consume(chunk: Chunk) -> None:
            recorder(chunk)
            seen.append(recorder.columns.n_iterations)

        run(plan, consume)
    assert seen == sorted(seen)
    assert recorder.columns.n_iterations == 3_000


@pytest.mark.parametrize("rollouts", [True, False])
def test_what_is_too_much_for_memory_is_read_from_the_file(
    rollouts: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options: dict[str, Any] = {"iterations": 1_500, "seed": 3, "compile": False}
    in_memory = mv.search("connect_four", **options, rollouts=rollouts)
    monkeypatch.setattr("mcts_viz.trace.writer.MOST_KEPT", 10_000)
    path = tmp_path / "a.mcts"
    recorded = mv.search("connect_four", **options, rollouts=rollouts, path=path)
    assert path.stat().st_size > 20_000
    assert same_columns(recorded.columns, in_memory.columns, but=["elapsed"])
    assert recorded.at(700).visits.tolist() == in_memory.at(700).visits.tolist()
    assert (recorded.complete, recorded.refresh(), recorded.path) == (True, 0, path)


def test_a_file_that_is_gone_is_named_where_memory_holds_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mcts_viz.trace.writer.MOST_KEPT", 10_000)
    path = tmp_path / "a.mcts"
    recorded = mv.search("connect_four", iterations=1_500, seed=3, compile=False, path=path)
    path.unlink()
    with pytest.raises(mv.errors.TraceError, match=r"a\.mcts"):
        recorded.at(3)


def test_a_file_that_was_replaced_is_not_taken_for_the_recording(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mcts_viz.trace.writer.MOST_KEPT", 10_000)
    path, other = tmp_path / "a.mcts", tmp_path / "b.mcts"
    mv.search("connect_four", iterations=1_500, seed=4, compile=False, path=other)
    recorded = mv.search("connect_four", iterations=1_500, seed=3, compile=False, path=path)
    other.replace(path)
    with pytest.raises(mv.errors.TraceError, match="was replaced by another recording"):
        recorded.at(3)


def test_a_long_recording_is_looked_at_by_its_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MCTS_VIZ_INDEX", "1000")
    options: dict[str, Any] = {"iterations": 1_500, "seed": 3, "compile": False, "rollouts": False}
    path = tmp_path / "a.mcts"
    recorded = mv.search("connect_four", **options, path=path)
    assert recorded.columns.index is not None
    assert (tmp_path / "a.mcts.index").exists()
    in_memory = mv.search("connect_four", **options)
    assert recorded.at(700).visits.tolist() == in_memory.at(700).visits.tolist()


def test_a_long_recording_whose_file_was_replaced_is_still_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MCTS_VIZ_INDEX", "1000")
    path, other = tmp_path / "a.mcts", tmp_path / "b.mcts"
    mv.search("connect_four", iterations=1_500, seed=4, compile=False, path=other)
    recorded = mv.search("connect_four", iterations=1_500, seed=3, compile=False, path=path)
    other.replace(path)
    in_memory = mv.search("connect_four", iterations=1_500, seed=3, compile=False)
    assert recorded.columns.index is None
    assert recorded.at(700).visits.tolist() == in_memory.at(700).visits.tolist()
