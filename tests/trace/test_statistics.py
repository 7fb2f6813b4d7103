"""The statistics at iteration t, whichever way they are asked for, are those of a plain loop over the updates."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

import mcts_viz as mv
from mcts_viz.trace.format import NodeRows, Rows, UpdateRows
from mcts_viz.trace.meta import TraceMeta
from mcts_viz.trace.statistics import (
    WantedNodes,
    add_updates,
    node_states,
    rows_between,
    square_sums,
    sums_at,
    visits_between,
)
from mcts_viz.trace.sums import NodeStates, Sums
from mcts_viz.trace.trace import Trace, root_columns

T, N = 40, 25
META = {
    "kind": "trace",
    "format_version": 2,
    "root": {"to_move": 0},
    "players": ["X", "O"],
    "reward_range": [-1, 1],
    "value_range": [-1, 1],
    "policies": {},
}


def odd_trace(inherited: bool) -> Trace:
    """Random updates: nodes twice in an iteration, none at all, negative visits, values that round."""
    draw = np.random.default_rng(int(inherited))
    n_updates = draw.integers(0, 6, T)
    n_updates[0] = 5
    made = np.concatenate(([N - 1], np.zeros(T - 1, np.int64)))
    rows = Rows(
        nodes=NodeRows(
            np.concatenate(([0], np.cumsum(made))).astype(np.int32),
            parent=np.array([draw.integers(0, v) for v in range(1, N)], np.int32),
            action=np.arange(N - 1, dtype=np.int32),
            to_move=np.ones(N - 1, np.int8),
        ),
        leaf=np.zeros(T, np.int32),
        updates=UpdateRows(
            np.concatenate(([0], np.cumsum(n_updates))).astype(np.int32),
            node=draw.integers(0, N, n_updates.sum()).astype(np.int32),
            visits=draw.integers(-1, 4, n_updates.sum()).astype(np.int32),
            value=draw.normal(0, 1, n_updates.sum()),
        ),
        elapsed=np.zeros(T, np.int64),
    )
    meta = TraceMeta({**META, "inherited": {"visits": 1, "nodes": N} if inherited else None})
    columns = root_columns(meta)
    columns.append(rows)
    return Trace(meta, columns)


def naive(trace: Trace, t: int) -> tuple[list[int], list[float], list[float]]:
    """Visits, value sums and sums of squares of all nodes after t iterations."""
    updates = trace.columns.updates
    visits, value_sum, square_sum = [0] * N, [0.0] * N, [0.0] * N
    for row in range(int(updates.offset[t])):
        node, value = int(updates.node[row]), float(updates.value[row])
        visits[node] += int(updates.visits[row])
        value_sum[node] += value
        square_sum[node] += value * value
    return visits, value_sum, square_sum


@pytest.fixture(params=[False, True], ids=["from the root", "inherited"])
def trace(request: pytest.FixtureRequest) -> Trace:
    return odd_trace(request.param)


def test_sums_of_all_nodes_at_any_iteration(trace: Trace) -> None:
    columns = trace.columns
    for t in range(trace.n_iterations + 1):
        visits, value_sum, square_sum = naive(trace, t)
        sums = sums_at(columns, t, N, np.int64)
        assert [each.tolist() for each in sums.with_squares] == [visits, value_sum, square_sum]
        assert square_sums(columns, t, N).tolist() == square_sum
        assert visits_between(columns, -1, t, N).tolist() == visits
        snapshot = trace.at(t)
        n = len(snapshot)
        assert snapshot.visits.tolist() == visits[:n]
        assert snapshot.value_sum.tolist() == value_sum[:n]


def test_sums_go_on_from_any_iteration(trace: Trace) -> None:
    columns = trace.columns
    middle, end = trace.n_iterations // 2, trace.n_iterations
    sums = Sums.zeros(3)
    sums = sums.of_more(N)
    add_updates(sums, columns, rows_between(columns, -1, middle))
    add_updates(sums, columns, rows_between(columns, middle, end))
    visits, value_sum, _ = naive(trace, end)
    assert (sums.visits.tolist(), sums.value_sum.tolist()) == (visits, value_sum)
    added = np.array(visits) - np.array(naive(trace, middle)[0])
    assert visits_between(columns, middle, end, N).tolist() == added.tolist()


@pytest.mark.parametrize("nodes", [[0], [7], [3, 0, 11], list(range(N))])
@pytest.mark.parametrize("step", [1, 7, T + 1])
def test_states_of_some_nodes_block_by_block(trace: Trace, nodes: list[int], step: int) -> None:
    """After every iteration, however the iterations are cut into blocks."""
    family, states, after = WantedNodes(nodes), None, -1
    seen: dict[int, list[NodeStates]] = {}
    while after < trace.n_iterations:
        until = min(after + step, trace.n_iterations)
        states = node_states(trace.columns, family, after, until, states, squares=True)
        seen |= dict.fromkeys(range(after + 1, until + 1), states)
        after = until
    for t, found in seen.items():
        visits, value_sum, square_sum = naive(trace, t)
        for node, state in zip(nodes, found):
            row = int(state.row_at(np.array([t]))[0])
            told = state.visits[row], state.value_sum[row], state.square_sum[row]
            assert told == (visits[node], value_sum[node], square_sum[node]), (node, t)


def test_the_history_of_a_node(trace: Trace) -> None:
    told = [naive(trace, t) for t in range(trace.n_iterations + 1)]
    for node in range(N):
        history = trace.history(node)
        assert history.visits.tolist() == [visits[node] for visits, _, _ in told]
        assert history.value_sum.tolist() == [value[node] for _, value, _ in told]


def test_a_search_of_ours() -> None:
    trace = mv.search("connect_four", iterations=300, seed=1, compile=False)
    ids: npt.NDArray[np.int64] = np.arange(trace.n_nodes)
    states = node_states(trace.columns, WantedNodes(ids), -1, 300)
    end = trace.at(300)
    assert [int(state.visits[-1]) for state in states] == end.visits.tolist()
    assert [float(state.value_sum[-1]) for state in states] == end.value_sum.tolist()
