"""What a trace and a snapshot answer, and what they say to a question without an answer."""

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mcts_viz as mv
from mcts_viz.engine.search import Chunk, run
from mcts_viz.runs.recorder import Recorder
from tests.searches import prepare
from tests.trace.files import record

TRACE = mv.search("connect_four", iterations=50, seed=1, compile=False)


@pytest.mark.parametrize("t", [-1, 51, 10**12, "3", 1.0, None, True, np.float64(2), [1]])
@pytest.mark.parametrize("first", [0, 1])
def test_an_iteration_that_there_is_not_is_named_with_those_there_are(t: Any, first: int) -> None:
    ask: Callable[[Any], Any] = TRACE.iteration if first else TRACE.at
    with pytest.raises(mv.TraceError, match=rf"^iteration .*; choose one from {first} to 50$"):
        ask(t)


def test_iterations_count_from_one() -> None:
    with pytest.raises(
        mv.TraceError, match="iteration 0 is not in this trace; choose one from 1 to 50"
    ):
        TRACE.iteration(0)
    assert TRACE.at(0).iteration == 0


@pytest.mark.parametrize("node", [-1, 51, 10**12, "3", 1.0, None, True, np.float64(2), [1]])
def test_a_node_that_there_is_not_is_named_with_those_there_are(node: Any) -> None:
    with pytest.raises(
        mv.TraceError, match=r"^node .* is not in this trace; choose one from 0 to 50$"
    ):
        TRACE.history(node)
    now = TRACE.at(7)
    for ask in (now.children, now.path, now.label, now.state, now.ranked_children):
        with pytest.raises(
            mv.TraceError,
            match=r"^node .* is not in the tree after 7 iterations; choose one from 0 to 7$",
        ):
            ask(node)


def test_a_node_of_later_is_not_there_yet() -> None:
    with pytest.raises(mv.TraceError, match="node 8 is not in the tree after 7 iterations"):
        TRACE.at(7).path(8)
    assert TRACE.at(8).path(8)[-1] == 8


def test_numpy_integers_are_iterations_and_nodes() -> None:
    ask: Any = TRACE
    assert ask.at(np.int64(7)).iteration == 7
    assert ask.history(np.int32(3)).node == 3
    assert ask.at(7).children(np.int16(0)) == TRACE.at(7).children(0)


def test_children_and_paths_agree_with_the_parents() -> None:
    now = TRACE.at(50)
    for node in range(1, len(now)):
        assert node in now.children(int(now.parent[node]))
        path = now.path(node)
        assert (path[0], path[-1], len(path) - 1) == (0, node, now.depth[node])
        assert [int(now.parent[v]) for v in path[1:]] == path[:-1]
    assert now.path(0) == [0]


def test_moves_are_named() -> None:
    now = TRACE.at(50)
    assert now.label(0) == "root"
    assert {now.label(v) for v in now.children(0)} == {f"column {i}" for i in range(1, 8)}
    assert now.labels() == [now.label(v) for v in range(len(now))]
    assert TRACE.action_name(3) == "column 4"
    assert now.state(0) == "\n".join(["." * 7] * 6)


def test_without_rollouts_there_is_none() -> None:
    trace = mv.search("tic_tac_toe", iterations=20, seed=1, rollouts=False)
    assert trace.iteration(3).rollout is None
    assert trace.meta["not_observed"] == ["rollout"]
    assert trace.iteration(3).outcome in (-1.0, 0.0, 1.0)


def test_a_comparison_knows_its_ties_and_its_margin() -> None:
    trace = mv.search("tic_tac_toe", iterations=300, seed=1, compile=False)
    tied = 0
    for t in range(1, 301):
        for found in trace.iteration(t).comparisons:
            best = found.scores.max()
            k = found.children.index(found.chosen)
            others = np.delete(found.scores, k)
            assert found.scores[k] == best
            assert found.ties == [
                v for v, s in zip(found.children, found.scores) if s == best and v != found.chosen
            ]
            assert found.margin == (None if not len(others) else best - others.max())
            tied += bool(found.ties)
    assert tied > 5


def test_a_trace_of_another_formula_has_no_scores() -> None:
    meta = {**TRACE.meta, "policies": {"selection": {"name": "mine"}}}
    now = mv.Trace(meta, TRACE.columns).at(50)
    assert np.all(np.isnan(now.uct))
    assert np.all(np.isnan(now.exploration_term))
    assert now.best_action == TRACE.best_action


def test_several_threads_may_ask_at_once() -> None:
    trace = mv.search("connect_four", iterations=2_000, seed=1, compile=False)
    expected = {t: trace.at(t).visits for t in range(0, 2_001, 50)}
    wrong: list[int] = []

    def ask(seed: int) -> None:
        choose = np.random.default_rng(seed)
        for t in choose.choice(list(expected), 100).tolist():
            same = np.array_equal(trace.at(t).visits, expected[t])
            if (
                not same
                or trace.iteration(max(t, 1)).comparisons is None
                or trace.history(0).visits[t] != t
            ):
                wrong.append(t)

    threads = [threading.Thread(target=ask, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_trace_can_be_asked_while_its_search_runs(tmp_path: Path) -> None:
    plan = prepare("connect_four", iterations=3_000, seed=1, compile=False)
    with Recorder(plan) as recorder:
        live = mv.Trace(recorder.meta, recorder.columns, complete=False)

        def consume(chunk: Chunk) -> None:
            recorder(chunk)
            t = live.n_iterations
            assert live.at(t).visits[0] == t
            assert live.history(0).visits[t] == t
            if t:
                assert live.iteration(t).path[0] == 0

        run(plan, consume)
    assert live.n_iterations == 3_000
    assert "complete up to iteration 3,000" in live.status


def test_the_roots_history_counts_the_iterations(tmp_path: Path) -> None:
    record(tmp_path / "a.mcts")
    assert mv.open(tmp_path / "a.mcts").history(0).visits.tolist() == list(range(451))


def test_a_blank_name_counts_as_none() -> None:
    made = mv.search("tic_tac_toe", iterations=30, seed=1)
    names = [" ", *made.meta["action_labels"][1:]]
    columns = made.columns
    nameless = mv.Trace({**made.meta, "action_labels": names}, columns, complete=True).at(30)
    first = next(v for v in nameless.children(0) if nameless.action[v] == 0)
    assert nameless.label(first) == nameless.labels()[first] == "0"
    recorded = replace(nameless, recorded_labels=["", *["\t"] * nameless.n_nodes])
    assert recorded.label(0) == "root"
    assert recorded.labels() == nameless.labels()
    assert [recorded.label(v) for v in range(len(recorded))] == nameless.labels()
