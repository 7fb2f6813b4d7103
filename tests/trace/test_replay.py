"""`trace.at(t)` is the live tree after t iterations, for every t and from whichever side it is
reached."""

from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mcts_viz as mv
from mcts_viz.engine.search import run
from mcts_viz.trace import growing_updates, replay
from tests.engine.live import Column, live_trees, same
from tests.indexed import in_memory
from tests.searches import prepare, tree_columns
from tests.variants import few

GAMES = ["tic_tac_toe", "connect_four"]
RECORDED = ("parent", "action", "to_move", "prior", "outcome", "visits", "value_sum")
# scores whose sums are free of rounding, and scores whose sums are not
SCORES: list[dict[str, Any]] = [{}, {"win": 0.1, "draw": 0.3, "loss": -0.7}]


@cache
def recorded(name: str, seed: int, scores: int, iterations: int = 2_000) -> mv.Trace:
    return mv.search(name, iterations=iterations, seed=seed, compile=False, **SCORES[scores])


@cache
def live(name: str, seed: int, scores: int, iterations: int = 2_000) -> list[dict[str, Column]]:
    plan = prepare(
        name, iterations=iterations, seed=seed, compile=False, rollouts=False, **SCORES[scores]
    )
    return live_trees(plan)


def assert_live(snapshot: mv.Snapshot, tree: dict[str, Column]) -> None:
    for column in RECORDED:
        assert same(getattr(snapshot, column), tree[column]), (snapshot.iteration, column)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("scores", few([1, 0]))
def test_a_snapshot_is_the_live_tree_at_every_iteration(name: str, scores: int) -> None:
    trace, trees = recorded(name, 1, scores), live(name, 1, scores)
    assert trace.n_iterations == len(trees) == 2_000
    for t in range(1, 2_001):
        assert_live(trace.at(t), trees[t - 1])
    for t in range(2_000, 0, -1):
        assert_live(trace.at(t), trees[t - 1])
    root = trace.at(0)
    assert (len(root), root.visits[0], root.value_sum[0]) == (1, 0, 0.0)


@given(
    name=st.sampled_from(GAMES),
    seed=st.integers(0, 2**63),
    iterations=st.integers(1, 700),
    c=st.floats(0, 5),
    scores=st.sampled_from([(1.0, 0.5, 0.0), (1.0, 0.0, -1.0), (0.1, 0.3, -0.7), (1e6, 1e-6, 0.0)]),
    start=st.integers(0, 3),
    rollouts=st.booleans(),
    where=st.randoms(use_true_random=False),
)
def test_whatever_the_game_seed_budget_and_scores(
    name: str,
    seed: int,
    iterations: int,
    c: float,
    scores: tuple[float, float, float],
    start: int,
    rollouts: bool,
    where: Any,
) -> None:
    options: Any = dict(zip(("win", "draw", "loss"), scores))
    options |= {"iterations": iterations, "seed": seed, "start": [4, 0, 2][:start], "c": c}
    trace = mv.search(name, rollouts=rollouts, compile=False, **options)
    trees = live_trees(prepare(name, compile=False, **options))
    ts = list(range(1, iterations + 1))
    where.shuffle(ts)
    for t in ts:
        assert_live(trace.at(t), trees[t - 1])
    node = where.randrange(trace.n_nodes)
    history = trace.history(node)
    visits = [tree["visits"][node] if node < len(tree["visits"]) else 0 for tree in trees]
    assert history.visits[1:].tolist() == visits


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("budget", [1, 2, 17, 500, 2_000])
def test_the_first_iterations_are_a_search_with_that_budget(name: str, budget: int) -> None:
    """Another way to the live tree: a search of its own, compiled, that ends there."""
    tree = tree_columns(run(prepare(name, iterations=budget, seed=1, compile=True)))
    assert_live(recorded(name, 1, 0).at(budget), tree)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("scores", [0, 1])
def test_a_history_is_what_the_snapshots_say(name: str, scores: int) -> None:
    trace, trees = recorded(name, 1, scores), live(name, 1, scores)
    for node in [0, 1, 2, 9, 100, trace.n_nodes - 1]:
        history = trace.history(node)
        assert history.node == node
        visits, value_sum = np.zeros(2_001, np.int32), np.zeros(2_001)
        for t, tree in enumerate(trees, start=1):
            if node < len(tree["visits"]):
                visits[t], value_sum[t] = tree["visits"][node], tree["value_sum"][node]
        assert same(history.visits, visits)
        assert same(history.value_sum, value_sum)
        with np.errstate(invalid="ignore"):
            assert same(history.mean_value, np.where(visits > 0, value_sum / visits, np.nan))


def test_every_nodes_history_ends_in_the_last_snapshot() -> None:
    trace = recorded("tic_tac_toe", 1, 1)
    last = trace.at(2_000)
    for node in range(trace.n_nodes):
        history = trace.history(node)
        assert history.visits[-1] == last.visits[node]
        assert history.value_sum[-1] == last.value_sum[node]


@pytest.mark.parametrize("keyframe_updates", few([10, 1, 500]))
@pytest.mark.parametrize(
    ("most", "large"), few([(2, 1 << 19), (24, 300), (1, 1 << 19), (24, 1 << 19)], 2)
)
@pytest.mark.parametrize("scores", [0, 1])
def test_keyframes_change_nothing(
    keyframe_updates: int, most: int, large: int, scores: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replay, "KEYFRAME_UPDATES", keyframe_updates)
    monkeypatch.setattr(replay, "MOST_KEYFRAMES", most)
    monkeypatch.setattr(replay, "LARGE", large)
    trace = mv.search("tic_tac_toe", iterations=2_000, seed=1, compile=False, **SCORES[scores])
    trees = live("tic_tac_toe", 1, scores)
    choose = np.random.default_rng(1)
    near = np.clip(1_000 + np.cumsum(choose.integers(-3, 4, 150)), 1, 2_000)
    for t in [2_000, 1, *choose.integers(1, 2_001, 150), *near, *near[::-1]]:
        assert_live(trace.at(int(t)), trees[int(t) - 1])
    assert len(trace._replay._keyframes) <= most + 1


@pytest.mark.parametrize("at_once", [7, growing_updates.AT_ONCE])
def test_scores_whose_sums_round_are_not_undone_by_subtraction(
    at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """0.1 + 0.2 − 0.2 is not 0.1: the way back goes through a keyframe."""
    monkeypatch.setattr(growing_updates, "AT_ONCE", at_once)
    assert recorded("tic_tac_toe", 1, 0).columns.exact_sums
    assert not recorded("tic_tac_toe", 1, 1).columns.exact_sums
    huge = mv.search("tic_tac_toe", iterations=50, seed=1, compile=False, win=2.0**39 + 1, loss=0)
    assert not huge.columns.exact_sums


def test_a_snapshot_stays_as_it_is_while_others_are_asked_for() -> None:
    trace, trees = recorded("connect_four", 1, 0), live("connect_four", 1, 0)
    held = [trace.at(t) for t in (10, 1_500, 400)]
    for t in (2_000, 1, 777):
        trace.at(t)
    for snapshot in held:
        assert_live(snapshot, trees[snapshot.iteration - 1])


@in_memory
def test_a_snapshot_that_somebody_looks_at_is_not_made_again() -> None:
    trace, trees = recorded("connect_four", 1, 0), live("connect_four", 1, 0)
    held = trace.at(500)
    trace.at(2_000)
    assert trace.at(np.int64(500)) is held
    assert trace._replay.t == 2_000
    del held
    assert not trace._snapshots  # nobody does any more
    assert_live(trace.at(500), trees[499])


def test_a_snapshot_cannot_be_written_to() -> None:
    snapshot = recorded("connect_four", 1, 0).at(100)
    for column in (*RECORDED, "born"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(snapshot, column)[0] = 1
