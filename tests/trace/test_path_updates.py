"""Updates that a file leaves to be understood are those that the search made, and what cannot be is refused."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mcts_viz as mv
from mcts_viz.engine.search import run
from mcts_viz.errors import TraceError
from mcts_viz.runs.recorder import Recorder
from mcts_viz.trace import reader, unpacking
from mcts_viz.trace import writer as writing
from mcts_viz.trace.format import MAY_LACK, PATH_VERSION, NodeRows, PlayerRows, Rows, UpdateRows
from mcts_viz.trace.index.opening import SWITCH
from mcts_viz.trace.meta import TraceMeta
from mcts_viz.trace.path_updates import PATH_VALUES, PathUpdates
from mcts_viz.trace.reader import TraceFile, inconsistency
from mcts_viz.trace.rows import split
from mcts_viz.trace.writer import TraceWriter
from tests.indexed import in_memory
from tests.searches import prepare
from tests.trace.files import same_columns
from tests.variants import few

PRESETS = ["uct", "alphazero", "mctspy", "tech_io", "rhu2001"]
META: dict[str, Any] = {"kind": "trace", "format_version": PATH_VERSION, "root": {"to_move": 0}}


def rows_of(
    parent: list[int],
    to_move: list[int],
    counts: list[int],
    leaf: list[int],
    updates: list[list[tuple[int, int, float]]],
    worth: list[tuple[float, float]],
) -> Rows:
    """Rows that make these nodes; nan as worth: the iteration's updates stand in the row."""
    flat = [each for some in updates for each in some]
    return Rows(
        nodes=NodeRows(
            np.array(counts, np.int32),
            parent=np.array(parent, np.int32),
            action=np.zeros(len(parent), np.int32),
            to_move=np.array(to_move, np.int8),
        ),
        leaf=np.array(leaf, np.int32),
        updates=UpdateRows(
            np.cumsum([0, *map(len, updates)]).astype(np.int32),
            node=np.array([each[0] for each in flat], np.int32),
            visits=np.array([each[1] for each in flat], np.int32),
            value=np.array([each[2] for each in flat], np.float64),
        ),
        elapsed=np.zeros(len(leaf), np.int64),
        path_value_0=np.array([each[0] for each in worth], np.float64),
        path_value_1=np.array([each[1] for each in worth], np.float64),
    )


def said(rows: Rows) -> list[list[tuple[int, int, float]]]:
    """The updates of each iteration."""
    updates, offset = rows.updates, rows.updates.offset.tolist()
    columns = updates.node.tolist(), updates.visits.tolist(), updates.value.tolist()
    every = list(zip(*columns))
    return [every[begin:end] for begin, end in itertools.pairwise(offset)]


@st.composite
def traces(draw: st.DrawFn) -> tuple[int, list[Rows], list[list[tuple[int, int, float]]]]:
    """Who is to move at the root, two batches of a trace, and what their iterations add, worked out one by one."""
    parent, to_move = [-1], [draw(st.sampled_from([0, 1]))]
    batches, expected = [], []
    for _ in range(2):
        first, n = len(parent), draw(st.integers(1, 6))
        counts, leaf, updates, worth = [0], [], [], []
        for _ in range(n):
            for _ in range(draw(st.integers(0, 2))):
                parent.append(draw(st.integers(0, len(parent) - 1)))
                to_move.append(draw(st.sampled_from([0, 1, -1, -2])))
            counts.append(len(parent) - first)
            node = draw(st.integers(0, len(parent) - 1))
            leaf.append(node)
            if draw(st.booleans()):
                value = float(draw(st.integers(-3, 3)))
                updates.append([(node, draw(st.integers(-1, 3)), value)] * draw(st.integers(0, 2)))
                worth.append((np.nan, np.nan))
                expected.append(updates[-1])
                continue
            updates.append([])
            worth.append((draw(st.sampled_from([0.0, 0.5, 1.0])), draw(st.floats(-1, 1))))
            path = []
            while node >= 0:
                above = parent[node]
                mover = 1 - to_move[0] if above < 0 else to_move[above]
                while mover == -2:  # chance: whoever moved before it
                    above = parent[above]
                    mover = 1 - to_move[0] if above < 0 else to_move[above]
                path.append((node, 1, worth[-1][mover == 1]))
                node = parent[node]
            expected.append(path[::-1])
        batches.append(rows_of(parent[first:], to_move[first:], counts, leaf, updates, worth))
    return to_move[0], batches, expected


@given(traces())
@settings(max_examples=3 * settings.default.max_examples, deadline=None)
def test_all_updates_are_written_out(
    told: tuple[int, list[Rows], list[list[tuple[int, int, float]]]],
) -> None:
    to_move, batches, expected = told
    paths, found = PathUpdates(to_move, 2), []
    for rows in batches:
        paths.take(rows.nodes)
        n = paths.count(rows)
        whole = paths.written_out(rows)
        assert len(whole.updates) == len(rows.updates) + n
        found += said(whole)
    assert found == expected


# compiling takes seconds: `make test` compiles but the first one, which other tests compile too
@pytest.mark.parametrize(
    ("preset", "compiled"),
    [*few([(each, True) for each in PRESETS]), *((each, False) for each in PRESETS)],
)
def test_a_file_has_what_the_search_did(preset: str, compiled: bool, tmp_path: Path) -> None:
    options: dict[str, Any] = {"preset": preset, "iterations": 300, "seed": 2, "compile": compiled}
    plan = prepare("tic_tac_toe", **options)
    with Recorder(plan, tmp_path / "a.mcts") as recorder:
        tree = run(plan, recorder)
    trace = mv.open(tmp_path / "a.mcts")
    assert trace.meta.format_version == PATH_VERSION
    end = trace.at(300)
    n = int(tree.size[0])
    assert end.visits.tolist() == tree.visits[:n].tolist()
    assert end.value_sum.tolist() == tree.value_sum[:n].tolist()
    assert same_columns(trace.columns, mv.search("tic_tac_toe", **options).columns, but=["elapsed"])


def test_a_search_that_adds_something_else_writes_all_of_it(tmp_path: Path) -> None:
    trace = mv.search(
        "tic_tac_toe", preset="baeldung", iterations=300, seed=1, path=tmp_path / "a.mcts"
    )
    assert trace.meta.format_version < PATH_VERSION
    rows = next(TraceFile(tmp_path / "a.mcts").rows())
    assert rows.path_value_0 is None
    assert len(rows.updates)


def test_a_tree_of_an_earlier_search_comes_with_its_updates(tmp_path: Path) -> None:
    first = mv.search("connect_four", iterations=200, seed=1)
    more = first.rerun(resume=200, iterations=100, path=tmp_path / "a.mcts")
    rows = TraceFile(tmp_path / "a.mcts")
    packed = rows.take_packed(next(rows.stream()).content)
    assert packed.path_value_0 is not None
    assert np.isnan(packed.path_value_0[0])
    assert not np.isnan(packed.path_value_0[1:]).any()
    assert same_columns(mv.open(tmp_path / "a.mcts").columns, more.columns)


def test_a_file_is_half_of_one_with_all_updates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "BATCH_SECONDS", 1e9)  # on a slow machine there are more batches
    path = tmp_path / "a.mcts"
    mv.search("connect_four", iterations=5_000, seed=1, rollouts=False, path=path)
    file = TraceFile(path)
    assert path.stat().st_size < 14 * 5_000
    with TraceWriter(tmp_path / "b.mcts", TraceMeta({**file.meta, "format_version": 2})) as writer:
        for rows in file.rows():
            writer.append(rows)
    assert path.stat().st_size < 0.6 * (tmp_path / "b.mcts").stat().st_size
    assert same_columns(mv.open(path).columns, mv.open(tmp_path / "b.mcts").columns)


def test_a_trace_of_an_earlier_version_opens_with_the_same_numbers() -> None:
    old = mv.open(Path(__file__).parent / "old" / "version_2.mcts")
    new = mv.open(Path(__file__).parents[2] / "samples" / "tech_io.mcts")
    assert (old.meta.format_version, new.meta.format_version) == (2, PATH_VERSION)
    assert same_columns(old.columns, new.columns, but=["elapsed"])


@pytest.mark.parametrize(
    ("worth", "updates", "words"),
    [
        ([(1.0, np.nan)], [[]], "both or none"),
        ([(np.inf, 1.0)], [[]], "finite"),
        ([(0.0, -np.inf)], [[]], "finite"),
        ([(0.0, 1.0)], [[(0, 1, 1.0)]], "must be empty where path_value_0"),
    ],
)
def test_what_cannot_be_is_refused(
    worth: list[tuple[float, float]], updates: list[list[tuple[int, int, float]]], words: str
) -> None:
    found = inconsistency(rows_of([], [], [0, 0], [0], updates, worth), 1)
    assert found is not None
    assert words in found


def test_one_column_without_the_other_is_refused() -> None:
    rows = rows_of([], [], [0, 0], [0], [[]], [(0.0, 1.0)])
    for name in PATH_VALUES:
        values = {field.name: rows.values[field.name] for field in Rows.fields}
        found = inconsistency(Rows(**{**values, name: None}), 1)
        assert found is not None
        assert "both or none" in found


@in_memory
def test_a_small_file_does_not_unpack_to_more_than_a_search_would(tmp_path: Path) -> None:
    """A chain of 16,000 nodes, and as many iterations that end at its end: four gigabytes of updates."""
    n = 16_000
    rows = rows_of(
        list(range(n)), [0] * n, [0] + [n] * n, [n] * n, [[] for _ in range(n)], [(0.0, 1.0)] * n
    )
    with TraceWriter(tmp_path / "a.mcts", TraceMeta(META)) as writer:
        writer.append(rows)
    with pytest.raises(TraceError, match="MB, as no recording does"):
        mv.open(tmp_path / "a.mcts")
    with pytest.raises(TraceError, match=r"would unpack to 3,\d\d\d MB, and 100 MB are allowed"):
        mv.open(tmp_path / "a.mcts", memory=100)


@in_memory
def test_a_recording_of_our_own_may_take_more_than_a_file_that_came_from_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unpacking, "default_limit", lambda: 60_000)
    trace = mv.search("tic_tac_toe", iterations=500, seed=1, path=tmp_path / "a.mcts")
    assert trace.at(500).visits[0] == 500
    with pytest.raises(TraceError, match="allowed here"):
        mv.open(tmp_path / "a.mcts")


@in_memory
def test_a_recording_that_goes_on_here_may_take_more_than_a_file_that_came_from_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a page could not follow a long one to its end."""
    monkeypatch.setattr(unpacking, "default_limit", lambda: 60_000)
    rows = mv.search("tic_tac_toe", iterations=500, seed=1).columns.as_rows()
    path = tmp_path / "a.mcts"
    with TraceWriter(path, TraceMeta(META)) as writer:
        writer.append(split(rows, 0, 400))
        writer.flush()
        followed = mv.open(path)
        assert followed.n_iterations == 400
        writer.append(split(rows, 400, 500))
    assert followed.refresh() == 100
    assert followed.complete
    with pytest.raises(TraceError, match="allowed here"):
        mv.open(path)


def test_more_updates_than_a_batch_can_have_are_refused(tmp_path: Path) -> None:
    deep, n = 140_000, 16_000
    rows = rows_of(
        list(range(deep)), [0] * deep, [0] + [deep] * n, [deep] * n, [[]] * n, [(0.0, 1.0)] * n
    )
    with TraceWriter(tmp_path / "a.mcts", TraceMeta(META)) as writer:
        writer.append(rows)
    with pytest.raises(TraceError, match=r"16,000 iterations of it have 2,240,016,000 updates"):
        mv.open(tmp_path / "a.mcts", memory=200_000)


def test_what_follows_a_batch_that_was_too_large_is_not_taken_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a file that is followed, which grows until it would be no larger than others are for its length."""
    limits = [1 << 30]
    monkeypatch.setattr(reader, "is_held", lambda path: None)  # as on a system without locks
    monkeypatch.setattr(unpacking, "default_limit", lambda: limits[-1])
    with TraceWriter(tmp_path / "a.mcts", TraceMeta(META)) as writer:
        writer.append(rows_of(list(range(50)), [1] * 50, [0, 50], [50], [[]], [(0.0, 1.0)]))
        writer.flush()
        trace = mv.open(tmp_path / "a.mcts")
        for limit in (60_000, 1 << 30):
            writer.append(rows_of([], [], [0] * 201, [50] * 200, [[]] * 200, [(0.0, 1.0)] * 200))
            writer.flush()
            limits.append(limit)
            with pytest.raises(TraceError, match="allowed here"):
                trace.refresh()
            assert trace.n_iterations == 1
    assert mv.open(tmp_path / "a.mcts").n_iterations == 401


def test_updates_with_sums_for_each_player_are_written_out() -> None:
    rows = rows_of([], [], [0, 0], [0], [[]], [(0.0, 1.0)])
    rows.values["player_sums"] = PlayerRows(np.zeros(2, np.int32), value=np.zeros(0))  # type: ignore[index]
    assert "must be null where player_sums" in str(inconsistency(rows, 1))


def test_a_tree_that_comes_as_a_path_has_no_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its first row is no iteration, and has to say what each node has."""
    rows = rows_of([0, 1, 0], [1, 0, 1], [0, 2, 3, 3], [2, 3, 1], [[]] * 3, [(0.5, 0.25)] * 3)
    meta = {**META, "inherited": {"visits": 1, "nodes": 3}}
    with TraceWriter(tmp_path / "a.mcts", TraceMeta(meta)) as writer:
        writer.append(rows)
    found = []
    for wanted in ("off", "1"):
        monkeypatch.setenv(SWITCH, wanted)
        trace = mv.open(tmp_path / "a.mcts")
        found.append([trace.at(t).visits.tolist() for t in range(3)])
    assert found == [[[1, 1, 1], [2, 1, 1, 1], [3, 2, 1, 1]]] * 2


def test_a_column_left_out_that_holds_something_is_an_error(tmp_path: Path) -> None:
    rows = rows_of([0], [1], [0, 1], [1], [[]], [(0.0, 1.0)])
    rows.nodes.values["prior"][:] = 0.5  # type: ignore[index]
    with (
        pytest.raises(TraceError, match=r"no place for nodes\.prior"),
        TraceWriter(tmp_path / "a.mcts", TraceMeta(META), without=MAY_LACK[-3:]) as writer,
    ):
        writer.append(rows)
