"""A course that is continued as a trace grows says what one says that sees the whole trace at once."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

import mcts_viz as mv
from mcts_viz.analysis.history import root
from mcts_viz.analysis.history.lead import NO_NODE
from mcts_viz.analysis.history.root import RootHistory
from mcts_viz.analysis.history.siblings import BLOCK
from mcts_viz.trace.trace import Trace
from mcts_viz.trace.words import signed
from tests.engine.test_reuse import kept_tree, next_search, recorded

SAMPLES = Path(__file__).parents[2] / "samples"
UCT = {"preset": "uct"}
TRACES = {
    "plain": lambda: mv.search("connect_four", iterations=2_000, seed=3),
    "solver": lambda: mv.search("tic_tac_toe", iterations=2_000, seed=3, solver=True),
    "kept": lambda: recorded(
        next_search("tic_tac_toe", UCT), kept_tree("tic_tac_toe", UCT, iterations=200)
    ),
    "foreign": lambda: mv.open(SAMPLES / "planning.mcts"),
    "long": lambda: mv.search("tic_tac_toe", iterations=2 * BLOCK + 100, seed=3, compile=True),
}


@pytest.mark.parametrize("name", TRACES)
def test_in_steps_as_at_once(name: str) -> None:
    trace: Trace = TRACES[name]()
    steps = np.unique(np.random.default_rng(1).integers(0, trace.n_iterations, 9))
    grown = RootHistory(trace)
    low, high = trace.meta.value_range
    mean = trace.history(0).mean_value
    middle = float(np.nanmedian(mean))
    limits = [(low + high) / 2, middle, low + high - middle, low]
    for t in [*steps.tolist(), trace.n_iterations]:
        once = RootHistory(trace)
        pairs = [(grown.leaders(t), once.leaders(t))]
        pairs += [(grown.crossings(t, limit), once.crossings(t, limit)) for limit in limits]
        for found, expected in pairs:
            np.testing.assert_array_equal(found[0], expected[0])
            np.testing.assert_array_equal(found[1], expected[1])
    assert any(len(grown.crossings(trace.n_iterations, limit)[0]) for limit in limits)
    earlier = int(steps[3])  # and what was so before still is
    np.testing.assert_array_equal(grown.leaders(earlier)[1], RootHistory(trace).leaders(earlier)[1])


def test_between_two_parts_of_long_work_the_trace_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(root, "FEW", 20_000)
    trace = TRACES["long"]()
    asked: list[threading.Thread] = []

    def pause() -> None:
        asked.append(threading.Thread(target=trace.at, args=[trace.n_iterations], daemon=True))
        asked[-1].start()
        asked[-1].join(60)
        assert not asked[-1].is_alive()

    course = RootHistory(trace, pause)
    course.leaders(trace.n_iterations)
    n = len(asked)
    course.crossings(trace.n_iterations, 0.5)
    assert n > 2
    assert len(asked) - n == -(-trace.n_iterations // 20_000)


@pytest.mark.parametrize("name", ["plain", "solver"])
def test_the_leader_is_the_move_that_the_snapshot_would_play(name: str) -> None:
    trace: Trace = TRACES[name]()
    at, leader = RootHistory(trace).leaders(trace.n_iterations)
    for t in range(0, trace.n_iterations + 1, 37):
        place = int(np.searchsorted(at, t, side="right")) - 1
        node = int(leader[place]) if place >= 0 else NO_NODE
        action = None if node == NO_NODE else int(trace.columns.nodes.action[node])
        assert action == trace.at(t).best_action


def test_a_value_of_who_plays_alone_is_never_mirrored() -> None:
    trace = TRACES["foreign"]()
    assert trace.meta["players"] == ["robot"]
    value = trace.history(0).mean_value
    threshold = float(np.nanmedian(value))
    at, found = RootHistory(trace).crossings(trace.n_iterations, threshold)
    assert len(at)
    np.testing.assert_array_equal(found, value[at])
    crossings = [e for e in trace.events(threshold=threshold) if e.kind == "value"]
    assert crossings
    for event in crossings:
        mean = trace.at(event.iteration).mean_value[0]
        way = "rises above" if mean > threshold else "falls below"
        limit, value_then = signed(f"{threshold:.4g}"), signed(f"{mean:.4f}")
        assert event.text == f"the root's value {way} {limit}: {value_then}"
