"""Updates that a trace in memory has not written out are those that are, however they are asked for, and what is found
without them is what they would add up to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mcts_viz as mv
from mcts_viz.trace import growing_updates, statistics
from mcts_viz.trace.columns import Columns
from mcts_viz.trace.format import Rows
from mcts_viz.trace.path_loops import LOOPS
from mcts_viz.trace.path_updates import PathUpdates
from mcts_viz.trace.reader import TraceFile
from mcts_viz.trace.replay import Replay
from mcts_viz.trace.statistics import (
    ResultCounts,
    WantedNodes,
    node_states,
    sums_at,
    visits_between,
)
from mcts_viz.views import tally
from mcts_viz.views.tally import Tally
from mcts_viz.views.window import last_visits
from tests.indexed import in_memory
from tests.trace.test_path_updates import traces

EXAMPLES = settings.default.max_examples  # for each of three ways
COLUMNS = ("node", "visits", "value")


def both(to_move: int, batches: list[Rows]) -> tuple[Columns, Columns]:
    """The columns of a trace with its updates left to be understood, and written out."""
    left, whole = Columns(to_move), Columns(to_move)
    paths, again = PathUpdates(to_move, 2), PathUpdates(to_move, 2)
    for rows in batches:
        paths.take(rows.nodes)
        again.take(rows.nodes)
        left.append(rows, paths)
        whole.append(again.written_out(rows))
    return left, whole


@given(traces(), st.data())
@settings(max_examples=EXAMPLES, deadline=None)
def test_updates_are_the_same_however_they_are_asked_for(
    told: tuple[int, list[Rows], Any], data: st.DataObject
) -> None:
    left, whole = both(*told[:2])
    n = int(whole.updates.offset[-1])
    assert left.updates.offset.tolist() == whole.updates.offset.tolist()
    assert len(left.updates) == n
    for _ in range(data.draw(st.integers(1, 5))):
        name = data.draw(st.sampled_from(COLUMNS))
        found, expected = left.updates.values[name], whole.updates.values[name]
        if data.draw(st.booleans()) and n:
            row = data.draw(st.integers(0, n - 1))
            assert found[row] == expected[row]
        begin = data.draw(st.integers(0, n))
        end = data.draw(st.integers(begin, n))
        assert found[begin:end].tolist() == expected[begin:end].tolist()
        rows = np.array(data.draw(st.lists(st.integers(0, n - 1)) if n else st.just([])), np.int64)
        assert found[rows].tolist() == expected[rows].tolist()
    for name in COLUMNS:
        assert np.asarray(left.updates.values[name]).tolist() == expected_of(whole, name)


def expected_of(columns: Columns, name: str) -> list[float]:
    """All numbers of a column of updates."""
    found: list[float] = columns.updates.values[name].tolist()
    return found


@given(traces(), st.data())
@settings(max_examples=EXAMPLES, deadline=None)
def test_statistics_are_the_same_without_the_updates(
    told: tuple[int, list[Rows], Any], data: st.DataObject
) -> None:
    left, whole = both(*told[:2])
    n = whole.n_iterations
    t = data.draw(st.integers(0, n))
    n_nodes = int(whole.node_count[t])
    for kind in (np.int32, np.int64):
        one, other = (sums_at(each, t, n_nodes, kind) for each in (left, whole))
        assert one.visits.tolist() == other.visits.tolist()
        assert one.value_sum == pytest.approx(other.value_sum)
        if left.exact_sums:
            assert one.value_sum.tolist() == other.value_sum.tolist()
    after = data.draw(st.integers(-1, t))
    assert (
        visits_between(left, after, t, n_nodes).tolist()
        == visits_between(whole, after, t, n_nodes).tolist()
    )
    assert last_visits(left, t).tolist() == last_visits(whole, t).tolist()
    wanted = sorted(data.draw(st.sets(st.integers(0, whole.n_nodes - 1), min_size=1)))
    begin = data.draw(st.integers(-1, t))
    for one_node, other_node in zip(
        node_states(left, WantedNodes(wanted), begin, t),
        node_states(whole, WantedNodes(wanted), begin, t),
    ):
        for found, expected in zip(one_node, other_node):
            assert found.tolist() == expected.tolist()


@given(traces(), st.data())
@settings(max_examples=EXAMPLES, deadline=None)
def test_replays_and_tallies_are_the_same_without_the_updates(
    told: tuple[int, list[Rows], Any], data: st.DataObject
) -> None:
    left, whole = both(*told[:2])
    n = whole.n_iterations
    replays = Replay(left), Replay(whole)
    for t in data.draw(st.lists(st.integers(0, n), min_size=1, max_size=4)):
        for replay in replays:
            replay.seek(t)
        assert replays[0].visits.tolist() == replays[1].visits.tolist()
        assert replays[0].value_sum == pytest.approx(replays[1].value_sum)
    # a picture of the root, the node 1 and all children of the root that are no items of their own as one
    parent, items = whole.nodes.parent, np.full(whole.n_nodes, -1, np.int32)
    items[parent == 0], items[0], items[1:2] = 2, 0, 1
    above = np.array([-1, 0, 0])
    if whole.n_nodes > 1 and parent[1] != 0:
        return
    made = [
        Tally(each, items, 3, n, lasts=True, every=2, item_parent=above) for each in (left, whole)
    ]
    t = data.draw(st.integers(0, n))
    found, expected = (each.at(t) for each in made)
    assert found.visits.tolist() == expected.visits.tolist()
    assert found.value_sum == pytest.approx(expected.value_sum)
    assert found.last_visit is not None
    assert expected.last_visit is not None
    assert found.last_visit.tolist() == expected.last_visit.tolist()


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """A trace whose file leaves its updates to be understood."""
    path = tmp_path / "a.mcts"
    mv.search("connect_four", iterations=3_000, seed=4, path=path)
    return path


def written_out(path: Path) -> mv.Trace:
    """The trace with all its updates in memory from the start."""
    file = TraceFile(path)
    columns = Columns(file.meta.root.to_move)
    for rows in file.rows():
        columns.append(rows)
    return mv.Trace(file.meta, columns)


@in_memory
def test_looking_at_a_trace_writes_few_updates_out(
    recorded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = []
    updates = PathUpdates.updates

    def noting(self: PathUpdates, left: Any) -> Any:
        written.append(len(left.leaf))
        return updates(self, left)

    monkeypatch.setattr(PathUpdates, "updates", noting)
    trace = mv.open(recorded)
    assert trace.at(3_000).visits[0] == 3_000
    assert trace.best_action is not None
    trace.iteration(2_990)
    trace.explain()
    assert sum(written) < 100


@in_memory
@pytest.mark.parametrize(
    "ask",
    [
        lambda trace: [trace.at(t).value_sum.tolist() for t in (3_000, 17, 1_500, 1_501, 1_499)],
        lambda trace: [trace.history(node).visits.tolist() for node in (0, 1, 30)],
        lambda trace: [repr(trace.iteration(t)) for t in (1, 40, 3_000)],
        pytest.param(
            lambda trace: [repr(each) for each in trace.check()], marks=pytest.mark.thorough
        ),
        lambda trace: str(trace.explain()),
        lambda trace: [
            each and [list(map(int, some)) for some in each]
            for each in (
                ResultCounts(np.arange(20), np.zeros(20, np.int8), 0.0, True).at(trace.columns, t)
                for t in (10, 2_999, 3_000)
            )
        ],
    ],
    ids=["snapshots", "history", "iterations", "check", "explain", "results"],
)
def test_answers_are_the_same(recorded: Path, ask: Callable[[mv.Trace], object]) -> None:
    assert ask(mv.open(recorded)) == ask(written_out(recorded))


@in_memory
def test_states_of_very_many_nodes_are_the_same(recorded: Path) -> None:
    trace, whole = mv.open(recorded), written_out(recorded)
    nodes = np.arange(trace.n_nodes)
    for one, other in zip(
        node_states(trace.columns, WantedNodes(nodes), -1, 3_000),
        node_states(whole.columns, WantedNodes(nodes), -1, 3_000),
    ):
        for found, expected in zip(one, other):
            assert np.array_equal(found, expected)


@in_memory
def test_all_updates_are_written_out_once_it_is_no_more_work(recorded: Path) -> None:
    trace = mv.open(recorded)
    updates, n = trace.columns.updates, int(trace.columns.updates.offset[-1])
    assert not isinstance(updates.node, np.ndarray)
    for begin in range(0, n, 500):
        updates.node[begin : begin + 500]
    assert isinstance(trace.columns.updates.node, np.ndarray)
    assert updates.node.tolist() == written_out(recorded).columns.updates.node.tolist()


@in_memory
def test_too_many_updates_are_never_written_out_together(
    recorded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace, whole = mv.open(recorded), written_out(recorded).columns.updates
    updates, n = trace.columns.updates, int(whole.offset[-1])
    monkeypatch.setattr(growing_updates, "default_limit", lambda: 16 * n - 1)
    monkeypatch.setattr(growing_updates, "MOST_KEPT", 400)
    rows = np.random.default_rng(1).permutation(n)
    for name in COLUMNS:
        assert np.array_equal(getattr(updates, name)[rows], getattr(whole, name)[rows])
        column = getattr(updates, name)
        assert np.array_equal(
            np.concatenate([column[a : a + 500] for a in range(0, n, 500)]), getattr(whole, name)
        )
    assert not isinstance(updates.node, np.ndarray)
    monkeypatch.setattr(growing_updates, "machine_memory", lambda: 16.0 * n - 1)
    with pytest.raises(mv.TraceError, match=rf"{n:,} updates would take .* fewer iterations"):
        updates.node.sum()
    assert updates.node[: n - 1].tolist() == whole.node[: n - 1].tolist()


@pytest.fixture(autouse=True, params=["numpy", "compiled", "compiled, few"])
def many_are_few(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each way is taken in short traces, too."""
    if request.param != "numpy":
        LOOPS.load().join()
    monkeypatch.setattr(LOOPS, "are_ready", request.param != "numpy")
    monkeypatch.setattr(growing_updates, "AT_ONCE", 7)
    monkeypatch.setattr(tally, "AT_ONCE", 8)
    monkeypatch.setattr(statistics, "MUCH", 0 if request.param.endswith("few") else 1 << 20)
