"""When a search stops. Time is a fake clock here: every call of it takes as long as the test says."""

import math
import warnings
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mcts_viz as mv
from mcts_viz.cli import main
from mcts_viz.engine import search as engine
from mcts_viz.engine.budget import budget
from mcts_viz.engine.search import CHUNK_SECONDS, Chunk, run
from tests.searches import prepare
from tests.variants import few


def ticking(nanoseconds: int) -> Callable[[], int]:
    """A clock that goes on by so much whenever somebody looks, as an interpreted search does after
    each iteration."""
    now = [10**15]

    def look() -> int:
        now[0] += nanoseconds
        return now[0]

    return look


def chunks(clock: Callable[[], int], **options: Any) -> list[tuple[int, int]]:
    """(first, n) of every chunk of such a search."""
    seen: list[tuple[int, int]] = []

    def see(chunk: Chunk) -> None:
        seen.append((chunk.first, chunk.n))

    run(prepare("tic_tac_toe", seed=1, **options), see, clock=clock)
    return seen


@pytest.mark.parametrize("iterations", [1, 2, 999, 1_000, 12_345])
@pytest.mark.parametrize("compiled", [True, False])
def test_a_budget_of_iterations_is_kept_to_the_last_one(iterations: int, compiled: bool) -> None:
    trace = mv.search("tic_tac_toe", iterations=iterations, seed=1, compile=compiled)
    assert trace.n_iterations == iterations


def test_without_a_budget_there_are_a_thousand_iterations() -> None:
    assert mv.search("tic_tac_toe", seed=1).n_iterations == 1_000


@pytest.mark.parametrize("iteration_ms", [0.1, 1, 10])
@pytest.mark.parametrize("seconds", [0.001, 0.2, 0.4])
def test_a_budget_of_seconds_is_overrun_by_one_chunk_at_most(
    seconds: float, iteration_ms: float
) -> None:
    clock = ticking(int(iteration_ms * 1e6))
    began = clock()
    chunks(clock, seconds=seconds, compile=False)
    took = (clock() - began) / 1e9
    assert seconds <= took + 1e-9
    assert took <= seconds + 2 * CHUNK_SECONDS + 3 * iteration_ms / 1e3


@pytest.mark.parametrize("compiled", [True, False])
def test_at_least_one_iteration_runs(compiled: bool) -> None:
    seen = chunks(ticking(10**12), seconds=1e-9, compile=compiled)
    assert len(seen) == 1
    assert seen[0][1] >= 1


def test_a_search_with_slow_iterations_looks_at_the_clock_after_each() -> None:
    assert chunks(ticking(10**9), seconds=5, compile=False) == [(0, 1), (1, 1), (2, 1)]


def test_the_first_budget_used_up_ends_the_search() -> None:
    assert sum(n for _, n in chunks(ticking(1), iterations=50, seconds=60, compile=False)) == 50
    by_time = chunks(ticking(10**6), iterations=10**9, seconds=0.1, compile=False)
    assert 10 <= sum(n for _, n in by_time) <= 200


def test_chunks_follow_one_another_and_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "MOST_CHUNK", 500)
    seen = chunks(ticking(1), iterations=3_000, compile=False)
    assert [first for first, _ in seen] == list(np.cumsum([0] + [n for _, n in seen[:-1]]))
    assert max(n for _, n in seen) == 500


def test_a_search_that_is_stopped_keeps_its_whole_chunks() -> None:
    done: list[int] = []
    tree = run(
        prepare("tic_tac_toe", iterations=10**6, seed=1, compile=False),
        lambda chunk: done.append(chunk.n),
        stop=lambda: len(done) == 5,
    )
    assert int(tree.visits[0]) == sum(done)


def test_the_time_of_an_iteration_is_recorded() -> None:
    elapsed = mv.search("connect_four", iterations=300, seed=1, compile=False).columns.elapsed
    assert elapsed[0] > 0
    assert np.all(np.diff(elapsed) >= 0)
    assert len(np.unique(elapsed)) == 300
    by_chunk = mv.search("connect_four", iterations=9_000, seed=1, compile=True).columns.elapsed
    assert by_chunk[0] > 0
    assert np.all(np.diff(by_chunk) >= 0)


@pytest.mark.parametrize("value", [0, -1, 2**31, 1.5, 1000.0, "1000", True, math.nan, [1]])
def test_a_number_of_iterations_that_cannot_be_meant_is_refused(value: Any) -> None:
    with pytest.raises(
        mv.SearchError, match=r"iterations = .* is not a whole number from 1 to 2,147,483,646; give"
    ):
        mv.search("tic_tac_toe", iterations=value)


@pytest.mark.parametrize("value", [0, -0.5, math.inf, math.nan, "1", True, 1j, 10**400])
def test_a_number_of_seconds_that_cannot_be_meant_is_refused(value: Any) -> None:
    with pytest.raises(
        mv.SearchError, match=r"seconds = .* is not a number of seconds above 0.*; give"
    ):
        mv.search("tic_tac_toe", seconds=value)


def test_numbers_of_other_types_are_numbers() -> None:
    whole: Any = np.int64(7)
    half: list[Any] = [np.float32(0.5), Fraction(1, 2)]
    for seconds in half:
        assert budget(whole, seconds, (1, None))[:2] == (7, 0.5)
        assert [type(value) for value in budget(whole, seconds, (1, None))[:2]] == [int, float]


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("preset", few(["uct", "tech_io"]))
def test_a_budget_of_nodes_ends_with_the_iteration_that_uses_it_up(
    preset: str, compiled: bool
) -> None:
    found = mv.search(
        "connect_four", preset, nodes=500, iterations=10_000, seed=1, compile=compiled
    )
    counts = found.columns.node_count
    assert counts[-1] >= 500 > counts[-2]
    assert found.meta["budget"]["nodes"] == 500


@pytest.mark.filterwarnings("ignore:.*may need some")
@pytest.mark.parametrize("compiled", [True, False])
def test_a_budget_of_memory_ends_the_search(compiled: bool) -> None:
    found = mv.search("connect_four", memory=1, iterations=10**7, seed=1, compile=compiled)
    assert 1_000 < found.n_iterations < 200_000
    assert found.complete


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("preset", few(["uct", "tech_io"]))
def test_a_decided_search_stops_at_once_and_plays_the_move_it_would_have_played(
    preset: str, compiled: bool
) -> None:
    for seed in range(5 if compiled else 2):
        options: Any = {"iterations": 3_000, "seed": seed, "compile": compiled}
        whole = mv.search("connect_four", preset, **options)
        found = mv.search("connect_four", preset, decided=True, **options)
        assert found.n_iterations < 3_000
        assert found.best_action == whole.best_action

        def lead(t: int, trace: mv.Trace = whole) -> int:
            now = trace.at(t)
            visits = sorted(now.visits[now.children(0)])
            return int(visits[-1] - visits[-2])

        t = found.n_iterations
        assert lead(t) > 3_000 - t
        assert lead(t - 1) <= 3_000 - (t - 1)


def test_decided_is_for_rules_that_count_visits() -> None:
    with pytest.raises(
        mv.SearchError, match=r"decided = True is for moves chosen by visits, .*most_visits"
    ):
        mv.search("tic_tac_toe", "mctspy", iterations=100, decided=True)


def test_the_share_of_a_budget_is_that_of_its_nearest_limit() -> None:
    asked = budget(1_000, 2.0, (None, None), nodes=500)
    assert asked.share(100, 0.1, 101) == 101 / 500
    assert asked.share(100, 0.5, 101) == 0.25
    assert asked.share(600, 0.5, 101) == 0.6
    assert asked.share(2_000, 9.0, 501) == 1.0
    assert budget(None, None, (None, 1.0)).share(50, 0.25, 51) == 0.25


def test_a_tree_that_may_not_fit_into_memory_is_announced(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    with pytest.warns(
        UserWarning,
        match=r"100,000,000 iterations of connect_four may need .*2\d GB for the tree, and there are 1 MB",
    ):
        mv.search("connect_four", iterations=100_000_000, memory=1, seed=1, stop=lambda: True)
    path = str(tmp_path / "run.mcts")
    told = ["record", "connect_four", "-o", path, "--iterations", "900000", "--memory", "60"]
    assert main([*told, "--quiet"]) == 0
    assert "and there are 60 MB for it" in capsys.readouterr().err
    assert 0 < mv.open(path).n_iterations < 900_000  # ends there, whole as far as it came
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mv.search("tic_tac_toe", iterations=2_000_000, memory=1, seed=1, stop=lambda: True)
        mv.search("connect_four", iterations=10**9, nodes=1_000, seed=1, stop=lambda: True)


def test_what_is_in_the_file_does_not_count_as_memory(tmp_path: Path) -> None:
    options: dict[str, Any] = {"iterations": 200_000, "seed": 1, "memory": 30, "rollouts": False}
    in_memory = mv.search("tic_tac_toe", **options)
    recorded = mv.search("tic_tac_toe", **options, path=tmp_path / "a.mcts")
    assert in_memory.n_iterations < 200_000 == recorded.n_iterations
