"""Several workers search side by side: the same each time, each by its own tree, and the trace adds them up."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mcts_viz as mv
from mcts_viz.cli import main
from mcts_viz.engine import merging
from mcts_viz.engine import workers as engine_workers
from mcts_viz.engine.presets import PRESETS
from mcts_viz.engine.search import Chunk
from mcts_viz.engine.workers import run_workers, worker_seeds
from mcts_viz.errors import MctsVizError, SearchError, TraceError
from mcts_viz.runs.recorder import Recorder
from tests.engine.test_compilation import assert_same_trace
from tests.games.nim import Nim
from tests.searches import prepare
from tests.variants import few

SEARCHES: list[dict[str, Any]] = [
    {"preset": "uct"},
    {"preset": "tech_io", "order": "random"},
    {"preset": "rhu2001", "iterations": 200},
    {"solver": True, "start": ["b2", "a1"]},
    {"preset": "alphazero"},
]


def searched(**options: Any) -> mv.Trace:
    return mv.search("tic_tac_toe", **{"iterations": 200, "seed": 3, "workers": 3, **options})


@pytest.mark.parametrize("options", few(SEARCHES, 3))
def test_the_tree_has_what_the_workers_found_together(options: dict[str, Any]) -> None:
    trace = searched(**options)
    last = trace.at(trace.n_iterations)
    visits, value_sum = np.zeros(len(last), np.int64), np.zeros(len(last))
    for worker in range(3):
        own = trace.of_worker(worker)
        tree = own.at(own.n_iterations)
        at = [0]
        for node in range(1, len(tree)):
            below = last.children(at[int(tree.parent[node])])
            at.append(next(v for v in below if last.action[v] == tree.action[node]))
        visits[at] += tree.visits
        value_sum[at] += tree.value_sum
    assert visits.tolist() == last.visits.tolist()
    np.testing.assert_allclose(value_sum, last.value_sum)
    best = max(last.children(0), key=lambda v: (last.visits[v], last.mean_value[v]))
    if last.final_move == "most_visits" and "solver" not in options:
        assert last.best_action == last.action[best]


@pytest.mark.parametrize("options", few(SEARCHES, 3))
def test_a_worker_is_a_search_with_a_seed_of_its_own(options: dict[str, Any]) -> None:
    trace = searched(**options)
    told = trace.columns.worker
    assert told is not None
    seeds = worker_seeds(3, 3)
    assert list(trace.meta["worker_seeds"]) == seeds
    for worker, n in enumerate(np.bincount(told[: trace.n_iterations], minlength=3).tolist()):
        alone = searched(**{**options, "workers": 1, "iterations": n, "seed": seeds[worker]})
        own = trace.of_worker(worker)
        assert "run again" in own.meta.notes[0]
        assert_same_trace(
            mv.Trace(
                type(own.meta)({k: v for k, v in own.meta.items() if k != "notes"}), own.columns
            ),
            alone,
        )


def test_the_same_each_time_compiled_or_not() -> None:
    compiled = searched(compile=True)
    assert_same_trace(searched(compile=False), searched(compile=False))
    assert_same_trace(compiled, searched(compile=False))
    assert_same_trace(compiled, compiled.rerun(compile=True))


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("expected", [1, 1 << 22])
def test_the_tree_of_a_game_of_many_moves_is_found_in_another_table(
    compiled: bool, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which holds the same tree, also where it has to grow."""
    directly = searched(compile=compiled)
    monkeypatch.setattr(engine_workers, "MOST_EXPECTED", expected)
    assert_same_trace(searched(compile=compiled), directly)
    kinds = []
    find = merging.MergedTree._table
    monkeypatch.setattr(merging, "MOST_DIRECT", 8)
    monkeypatch.setattr(
        merging.MergedTree,
        "_table",
        lambda self, nodes: kinds.append(self.n_direct) or find(self, nodes),  # type: ignore[func-returns-value]
    )
    assert_same_trace(searched(compile=compiled), directly)
    assert set(kinds) == {None}


def test_iterations_are_told_in_turn() -> None:
    trace = searched(iterations=10)
    assert [trace.iteration(t).worker for t in range(1, 11)] == [0, 1, 2, 0, 1, 2, 0, 1, 2, 0]
    assert trace.at(10).visits[0] == 10
    # a table that has to grow holds the same tree
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(engine_workers, "MOST_EXPECTED", 1)
        assert_same_trace(searched(), searched())
        grown = searched()
    assert_same_trace(grown, searched())


@pytest.mark.parametrize("preset", few(PRESETS, 3))
def test_checks_find_what_they_find_in_a_search_alone(preset: str) -> None:
    trace = searched(preset=preset, iterations=150, workers=2)
    found = {each.check for each in trace.check() if each.severity != "note"}
    alone = [trace.of_worker(worker).check() for worker in (0, 1)]
    assert found == {each.check for one in alone for each in one if each.severity != "note"}
    assert not found or preset in ("rhu2001", "baeldung")  # which really do what is found
    notes = " ".join(trace.meta.notes)
    assert ("all workers did the same" in notes) == (preset == "alphazero")


def test_what_is_wrong_with_a_worker_is_found_in_it(tmp_path: Path) -> None:
    trace = searched()
    assert not trace.meta.knows_scores
    told = str(trace.explain())
    assert "Each of 3 workers has chosen by its own tree" in told
    assert "scores are not in the trace" not in told
    assert "won" in str(trace.of_worker(0).explain())
    other = mv.Trace(type(trace.meta)({**trace.meta, "worker_seeds": [1, 2, 3]}), trace.columns)
    with pytest.raises(TraceError, match="worker 0 are not those that its seed gives"):
        other.check()
    for worker in (3, -1, True, "0"):
        with pytest.raises(TraceError, match="not one of this trace's; choose one from 0 to 2"):
            trace.of_worker(worker)  # type: ignore[arg-type]
    with pytest.raises(TraceError, match="made by one search"):
        searched(workers=1).of_worker(0)


def test_limits() -> None:
    assert searched(nodes=60).n_nodes <= 60
    assert searched(iterations=None, seconds=0.02).n_iterations > 3
    asked: list[int] = []
    stopped = searched(
        iterations=100_000, compile=False, stop=lambda: bool(asked) or asked.append(1)
    )  # type: ignore[func-returns-value]
    assert 0 < stopped.n_iterations < 100_000


@pytest.mark.parametrize(
    ("options", "words"),
    [({"workers": 0}, "whole number from 1"), ({"workers": 1.5}, "whole number from 1"),
     ({"workers": 10_000}, "whole number from 1"), ({"workers": True}, "whole number from 1"),
     ({"decided": True}, "leave one of decided and workers out"), ({"iterations": 2}, "too few for 3 workers")],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(SearchError, match=words):
        searched(**options)


def test_where_one_tree_goes_on_there_is_one_worker() -> None:
    with pytest.raises(SearchError, match="3 workers made this trace"):
        searched().rerun(resume=100)
    with pytest.raises(SearchError, match="workers = 2 is for a search by itself"):
        searched(workers=1).rerun(resume=100, workers=2)
    assert searched().rerun(workers=1).meta.get("worker_seeds") is None


def test_a_game_of_ones_own() -> None:
    trace = mv.search(Nim(7), iterations=60, seed=1, workers=2)
    assert [each for each in trace.check(game=Nim(7)) if each.severity != "note"] == []
    with pytest.raises(MctsVizError, match="not known here"):
        trace.of_worker(0)


def test_the_command_and_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "two.mcts"
    assert (
        main(
            [
                "record",
                "tic_tac_toe",
                "--iterations",
                "200",
                "--seed",
                "3",
                "--workers",
                "3",
                "-o",
                str(path),
            ]
        )
        == 0
    )
    assert_same_trace(mv.open(path), searched())
    assert main(["check", str(path)]) == 0
    assert "worker 2" in capsys.readouterr().out


@pytest.mark.parametrize("compiled", [False, True])
def test_when_it_is_stopped_the_trace_has_what_all_workers_did(compiled: bool) -> None:
    n = 3_000_000 if compiled else 50_000
    plan = prepare(
        "connect_four", iterations=n, seed=1, workers=3, compile=compiled, rollouts=False
    )
    asked: list[int] = []
    with Recorder(plan) as recorder:
        trees = run_workers(plan, recorder, lambda: len(asked) > 1 or bool(asked.append(1)))  # type: ignore[func-returns-value]
    trace = recorder.trace(mv.Trace)
    assert 0 < trace.n_iterations < n
    assert trace.n_iterations == sum(int(tree.visits[0]) for tree in trees)
    told = trace.columns.worker
    assert told is not None
    assert len(set(np.bincount(told))) == 1  # all have run the same rounds


@pytest.mark.parametrize("workers", [1, 2])
def test_a_search_that_is_stopped_before_it_begins_does_nothing(workers: int) -> None:
    trace = mv.search("tic_tac_toe", iterations=500, seed=1, workers=workers, stop=lambda: True)
    assert trace.n_iterations == 0


class Broken(Nim):
    """Its rules fail in the middle of a search."""

    left = 200

    def play(self, state: Any, action: int) -> Any:
        self.left -= 1
        if self.left < 0:
            raise ZeroDivisionError("a fault of the game")
        return super().play(state, action)


def test_an_error_in_a_worker_ends_the_search_and_is_told() -> None:
    n = threading.active_count()
    with pytest.raises(Exception, match="a fault of the game"):
        mv.search(Broken(7), iterations=2_000, seed=1, workers=2)
    assert threading.active_count() == n


def test_an_error_where_the_trace_is_written_ends_the_workers() -> None:
    def full(chunk: Chunk) -> None:
        raise OSError("no room")

    n = threading.active_count()
    plan = prepare("tic_tac_toe", iterations=200_000, seed=1, workers=2, compile=True)
    with pytest.raises(OSError, match="no room"):
        run_workers(plan, full)
    assert threading.active_count() == n


def grown(monkeypatch: pytest.MonkeyPatch, before: Callable[[int], None]) -> list[int]:
    """Have `before` called with the number of each piece of work of two workers; gives the iterations of those done."""
    done: list[int] = []
    grow = engine_workers._Worker.grow

    def watched(worker: Any, log: Any, n: int) -> int:
        before(len(done))
        done.append(grow(worker, log, n))
        return done[-1]

    monkeypatch.setattr(engine_workers._Worker, "grow", watched)
    return done


def test_no_round_begins_after_the_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    """However long what was done before takes to be recorded."""
    now = [0]

    def later(number: int) -> None:
        now[0] += 600_000_000

    done = grown(monkeypatch, later)
    plan = prepare("tic_tac_toe", seconds=1, seed=1, workers=2, compile=False)
    run_workers(plan, lambda chunk: time.sleep(0.2), clock=lambda: now[0])
    assert len(done) == 2  # one round of each


def test_what_was_done_before_an_error_is_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(number: int) -> None:
        if number == 5:
            raise ZeroDivisionError("in the third round of the second worker")

    done = grown(monkeypatch, fails)
    told: list[int] = []

    def record(chunk: Chunk) -> None:
        time.sleep(0.2)
        told.append(chunk.n)

    plan = prepare("tic_tac_toe", iterations=100, seed=1, workers=2, compile=False)
    with pytest.raises(ZeroDivisionError):
        run_workers(plan, record)
    assert told == [done[0] + done[1], done[2] + done[3]]


def test_a_thread_that_cannot_begin_ends_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    start, n, begun = threading.Thread.start, threading.active_count(), []

    def refused(thread: threading.Thread) -> None:
        if begun:
            raise RuntimeError("can't start new thread")
        begun.append(thread)
        start(thread)

    plan = prepare("tic_tac_toe", iterations=200_000, seed=1, workers=2, compile=True)
    monkeypatch.setattr(threading.Thread, "start", refused)
    with pytest.raises(RuntimeError, match="new thread"):
        run_workers(plan)
    assert threading.active_count() == n
