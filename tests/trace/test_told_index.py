"""An index that has all updates gives, to the last bit, what the trace gives that is read whole: of searches in
batches, with rewards, of several players, with shared nodes, texts, late values, and with faults.
"""

from __future__ import annotations

import errno
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mcts_viz as mv
from mcts_viz.errors import TraceError
from mcts_viz.trace.index import building, opening
from mcts_viz.trace.index.layout import IndexWriter
from mcts_viz.trace.index.opening import SWITCH, columns_from, found_index, make_index
from mcts_viz.trace.index.plain import NotCoveredError
from mcts_viz.trace.index.told_columns import FiledTexts, ToldColumns
from mcts_viz.trace.memory import CACHE
from mcts_viz.trace.reader import TraceFile
from mcts_viz.trace.rows import RowLog
from mcts_viz.trace.statistics import square_sums
from mcts_viz.trace.writer import TraceWriter
from tests.indexed import in_memory, with_index
from tests.recording.batch_searches import BatchUCT
from tests.recording.graph_searches import GraphUCT
from tests.recording.late_searches import MuZero
from tests.recording.player_searches import FIELDS as PLAYERS
from tests.recording.player_searches import MaxN
from tests.trace.test_index import WORTHS, equal, made_up, small
from tests.trace.test_statistics import odd_trace
from tests.variants import few, in_turn

pytestmark = in_memory  # of one with an index a comparison would compare it with itself
WINS: dict[str, Any] = {
    "children": "children", "visits": "visits", "value": "wins", "to_move": "player", "value_range": (0, 1),
    "game": "tic_tac_toe",
}  # fmt: skip


def in_batches() -> mv.Trace:
    search = BatchUCT()
    with mv.record(root=search.root, virtual_loss="virtual", action="move", **WINS) as rec:
        for _ in range(60):
            rec.iteration(leaves=search.batch())
    return rec.trace


def of_three_players() -> mv.Trace:
    search = MaxN()
    with mv.record(root=search.root, **PLAYERS) as rec:
        for _ in range(200):
            search.step()
            rec.iteration(outcome=search.outcome)
    return rec.trace


def with_shared_nodes() -> mv.Trace:
    search = GraphUCT()
    with mv.record(root=search.root, shared=True, selection="ucb1", c=1.4, **WINS) as rec:
        for _ in rec.steps(search.step, 300):
            pass
    return rec.trace


def with_late_values() -> mv.Trace:
    search = MuZero()
    with mv.record(
        root=lambda _, nodes: nodes[0], on=(MuZero, "backpropagate"), children="children", visits="visit_count",
        value="value_sum", to_move=lambda node: node.to_play if node.to_play in (0, 1) else None,
        prior="prior", state="hidden_state", reward="reward",
    ) as rec:  # fmt: skip
        search.run(80)
    return rec.trace


def gone_on_with(**options: Any) -> mv.Trace:
    first = mv.search("connect_four", iterations=200, seed=1, compile=False, **options)
    return first.rerun(resume=200, iterations=200, seed=2)


TRACES: dict[str, Callable[[], mv.Trace]] = {
    "batches": in_batches,
    "three players": of_three_players,
    "shared nodes": with_shared_nodes,
    "late values and texts": with_late_values,
    "inherited, squares": lambda: gone_on_with(selection="ucb1_tuned"),
    "inherited, values that round": lambda: gone_on_with(win=0.9, draw=0.3, loss=0.1),
    "squares of values that round": lambda: mv.search(
        "tic_tac_toe", iterations=300, seed=1, compile=False, selection="ucb1_tuned", win=0.9, draw=0.3, loss=0.1
    ),
}  # fmt: skip


@pytest.fixture(autouse=True)
def _few_updates_are_kept_beside_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "FEW_KEPT", 0)


def told(trace: mv.Trace, folder: Path) -> mv.Trace:
    """The trace by an index of all updates."""
    indexed: mv.Trace = with_index(trace, folder)
    assert isinstance(indexed.columns, ToldColumns)
    return indexed


SLOW = "late values and texts"


@pytest.mark.parametrize(
    ("name", "is_small"),
    [
        *in_turn([name for name in TRACES if name != SLOW], [True, False], 2),
        *few([(SLOW, True), (SLOW, False)], 0),
    ],
)
def test_whatever_was_recorded(
    name: str, is_small: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if is_small:
        small(monkeypatch)
    trace = TRACES[name]()
    indexed = told(trace, tmp_path)
    for seed in range(4):
        equal(trace, indexed, random.Random(seed))
    assert indexed.meta == trace.meta
    assert str(trace.explain()) == str(indexed.explain())
    assert trace.events() == indexed.events()
    assert [str(each) for each in trace.check()] == [str(each) for each in indexed.check()]
    assert trace.at(50).to_json() == indexed.at(50).to_json()


@given(
    seed=st.integers(0, 2**32),
    share=st.sampled_from([0.0, 0.1, 1.0]),
    worth=st.sampled_from(WORTHS),
)
def test_whatever_a_search_has_done(
    tmp_path_factory: pytest.TempPathFactory, seed: int, share: float, worth: str
) -> None:
    """Also where leaves alone would tell."""
    draw = random.Random(seed)
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(building, "Building", not_covered)
        if draw.random() < 0.5:
            small(monkeypatch)
        trace = made_up(draw, share, worth)
        equal(trace, told(trace, tmp_path_factory.mktemp("index")), draw)


def not_covered(*_: object, **__: object) -> None:
    raise NotCoveredError("it is to have all its updates")


@pytest.mark.parametrize("inherited", [False, True])
def test_squares_nodes_updated_twice_and_negative_visits(inherited: bool, tmp_path: Path) -> None:
    odd = odd_trace(inherited)
    trace = mv.Trace(odd.meta, odd.columns)
    indexed = told(trace, tmp_path)
    columns = indexed.columns
    assert columns.told is not None
    for t in range(trace.n_iterations + 1):
        of_all = square_sums(trace.columns, t, len(trace.at(t)))
        np.testing.assert_array_equal(square_sums(columns, t, len(trace.at(t))), of_all)
        some = np.arange(len(of_all))
        if not inherited:  # without a selection that needs them none are in the index
            continue
        np.testing.assert_array_equal(
            trace.sums_of(t, some).value_sum, indexed.sums_of(t, some).value_sum
        )
    equal(trace, indexed, random.Random(1))


def test_sums_of_each_player(tmp_path: Path) -> None:
    trace = of_three_players()
    indexed = told(trace, tmp_path)
    after = np.arange(trace.n_iterations + 1)
    for t in (0, 1, 77, 200):
        np.testing.assert_array_equal(trace.at(t).player_sums, indexed.at(t).player_sums)
    for player in range(3):
        a, b = trace.columns, indexed.columns
        for node in (0, 1, trace.n_nodes - 1):
            known = a.sum_for_player(node, player, after)
            np.testing.assert_array_equal(known, b.sum_for_player(node, player, after))
        a, b = a.of_player(player), b.of_player(player)
        np.testing.assert_array_equal(a.updates.value, b.updates.value)
        np.testing.assert_array_equal(a.player_outcomes.value, b.player_outcomes.value)
        np.testing.assert_array_equal(a.player_outcomes.offset, b.player_outcomes.offset)


def test_shared_nodes_and_the_ways_to_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small(monkeypatch)
    trace = with_shared_nodes()
    indexed = told(trace, tmp_path)
    assert not indexed.columns.paths.are_plain
    for t in range(1, trace.n_iterations + 1):
        assert trace.iteration(t).path == indexed.iteration(t).path
    a, b = trace.at(150), indexed.at(150)
    np.testing.assert_array_equal(a.same_as, b.same_as)
    np.testing.assert_array_equal(a.way_visits, b.way_visits)
    np.testing.assert_array_equal(a.node_visits, b.node_visits)


def test_texts_stay_in_the_file(tmp_path: Path) -> None:
    """Of the batch that made the node, but for those that came late."""
    trace = with_late_values()
    texts = trace.columns.nodes.state
    assert texts is not None
    log = RowLog()
    path = tmp_path / "run.mcts"
    with TraceWriter(
        path, {**trace.meta, "root": {**trace.meta["root"], "state": "start"}}
    ) as writer:
        for t in range(100):
            log.nodes += [t, t % 9, t % 2]
            log.add_to_node("state", f"state {t + 1}")
            if t == 50:
                log.tell_late(10, "state", "another one")
            log.end_iteration(t + 1, t)
            if t % 7 == 0:
                writer.append(log.take())
        writer.append(log.take())
    make_index(path)
    found = found_index(TraceFile(path))
    assert found is not None
    columns = columns_from(TraceFile(path), found)
    assert isinstance(columns.nodes.state, FiledTexts)
    wanted = ["start", *(f"state {node}" for node in range(1, 101))]
    wanted[10] = "another one"
    assert [*columns.nodes.state] == wanted
    assert [columns.nodes.state[node] for node in (100, 3, 57, 10, 0)] == [
        wanted[n] for n in (100, 3, 57, 10, 0)
    ]
    assert columns.nodes.state[-1] == wanted[-1]
    with pytest.raises(IndexError):
        columns.nodes.state[101]


def test_what_is_told_beside_the_columns(tmp_path: Path) -> None:
    search = BatchUCT()
    with mv.record(
        root=search.root, action="move", evaluation=lambda node: 0.25 * node.visits, **WINS
    ) as rec:
        for _ in range(20):
            rec.iteration(leaves=search.batch())
        rec.final_move(search.root.children[0].move)
    trace = rec.trace
    indexed = told(trace, tmp_path)
    assert indexed.played == trace.played
    for t in (0, 7, 20):
        a, b = trace.at(t).numbers, indexed.at(t).numbers
        assert list(a) == list(b)
        for name in a:
            np.testing.assert_array_equal(a[name], b[name])
    assert indexed.columns.asides == trace.columns.asides


def test_an_index_that_is_torn_or_of_another_trace_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SWITCH, "10")
    monkeypatch.setattr(opening, "SMALLEST", 0)
    path, index = tmp_path / "run.mcts", tmp_path / "run.mcts.index"
    saved(in_batches(), path)
    make_index(path)
    good = index.read_bytes()
    for bad in (good[:-1], good[: len(good) // 2], good[:30] + b"?" + good[31:]):
        index.write_bytes(bad)
        assert found_index(TraceFile(path)) is None
        assert mv.open(path).columns.told is not None
        assert index.read_bytes() == good
    saved(of_three_players(), path)
    assert found_index(TraceFile(path)) is None
    assert mv.open(path).meta.n_players == 3
    assert [each.name for each in sorted(tmp_path.iterdir())] == ["run.mcts", "run.mcts.index"]


@pytest.mark.parametrize("when", ["sort", "finish"])
def test_nothing_is_left_where_the_disk_is_full(
    when: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "traces/run.mcts"
    path.parent.mkdir()
    saved(in_batches(), path)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setenv(CACHE, str(tmp_path / "cache"))
    if when == "sort":
        monkeypatch.setattr(IndexWriter, "reserve", full)
    else:
        monkeypatch.setattr(IndexWriter, "finish", full)
    with pytest.raises(TraceError, match="its index cannot be written"):
        make_index(path)
    assert [each.name for each in path.parent.iterdir()] == ["run.mcts"]
    assert not [*(tmp_path / "cache").rglob("*.part")]


def saved(trace: mv.Trace, path: Path) -> None:
    """The trace in a file."""
    with TraceWriter(path, trace.meta) as writer:
        writer.append(trace.columns.as_rows())
