"""Every number from the index of a trace is the one that adding up its updates gives, to the last bit."""

import errno
import os
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mcts_viz as mv
from mcts_viz.cli import main
from mcts_viz.cli.opening import index_if_long
from mcts_viz.errors import IndexWarning, TraceError, TraceReplacedError
from mcts_viz.trace.format import Rows
from mcts_viz.trace.index import (
    building,
    family,
    few_values,
    layout,
    opening,
    spool,
    told,
    told_building,
    told_columns,
    tree,
)
from mcts_viz.trace.index.layout import HEAD
from mcts_viz.trace.index.opening import SWITCH, found_index, make_index, places
from mcts_viz.trace.index.plain import NotCoveredError
from mcts_viz.trace.memory import CACHE, roomy
from mcts_viz.trace.reader import TraceFile
from mcts_viz.trace.rows import RowLog
from mcts_viz.trace.statistics import square_sums
from mcts_viz.trace.trace import root_columns
from mcts_viz.trace.writer import TraceWriter
from tests.indexed import with_index
from tests.trace import files as batches
from tests.variants import few

SEARCHES: list[tuple[str, dict[str, Any]]] = [
    ("tic_tac_toe", {}),
    ("connect_four", {"rollouts": 3}),
    ("tic_tac_toe", {"solver": True}),
    ("tic_tac_toe", {"selection": "ucb1_tuned"}),
    ("tic_tac_toe", {"preset": "alphazero"}),
    ("connect_four", {"preset": "tech_io"}),
    ("connect_four", {"win": 1.0, "draw": 0.0, "loss": -1.0}),
    ("connect_four", {"win": 0.1, "draw": 0.3, "loss": -0.7}),
    ("connect_four", {"preset": "alphazero", "evaluator": "centre"}),
]  # fmt: skip


WORTHS = ("results", "few values", "many values")


def equal(plain: mv.Trace, indexed: mv.Trace, draw: random.Random) -> None:
    """Whatever both are asked for."""
    n, n_nodes = plain.n_iterations, plain.n_nodes
    assert (indexed.n_iterations, indexed.n_nodes) == (n, n_nodes)
    assert indexed.columns.tree is not None
    for t in (0, 1, n, *(draw.randint(0, n) for _ in range(6))):
        a, b = plain.at(t), indexed.at(t)
        for node in [0, len(a) - 1, *(draw.randrange(len(a)) for _ in range(5))]:
            assert (a.visits[node], a.value_sum[node]) == (b.visits[node], b.value_sum[node])
            assert a.children(node) == b.children(node)
            assert a.path(node) == b.path(node)
            assert (
                a.topology.subtree(node, len(a)).tolist()
                == b.topology.subtree(node, len(a)).tolist()
            )
        for name in ("visits", "value_sum", "mean_value", "uct", "depth", "born", "terminal"):
            np.testing.assert_array_equal(getattr(a, name), getattr(b, name), name)
        for x, y in ((a.square_sum, b.square_sum), (a.proven, b.proven)):
            assert (x is None) == (y is None)
            np.testing.assert_array_equal(x, y)
        nodes = np.unique([0, *(draw.randrange(len(a)) for _ in range(3))])
        for x, y in ((a.results_of(nodes), b.results_of(nodes)), (a.results, b.results)):
            assert (x is None) == (y is None)
            np.testing.assert_array_equal(x, y)
        assert (a.best_action, a.principal_path) == (b.best_action, b.principal_path)
        if t:
            c, d = plain.iteration(t), indexed.iteration(t)
            assert c[:8] == d[:8]
            assert repr(c.comparisons) == repr(d.comparisons)
            assert c.paths == d.paths
    for node in (0, draw.randrange(n_nodes), draw.randrange(n_nodes)):
        for x, y in zip(plain.history(node)[:4], indexed.history(node)[:4]):
            np.testing.assert_array_equal(x, y)
        few = plain.history(node, points=20)
        for x, y in zip(few, indexed.history(node, points=20)):
            np.testing.assert_array_equal(x, y)
        assert few.iteration is not None
        np.testing.assert_array_equal(few.visits, plain.history(node).visits[few.iteration])
        assert plain.iterations_through(node) == indexed.iterations_through(node)
        assert plain.totals(1, n, node) == indexed.totals(1, n, node)
        assert [*plain.origin(node)] == [*indexed.origin(node)]
    a, b = plain.columns, indexed.columns
    for x, y in ((a, b), (a.nodes, b.nodes), (a.updates, b.updates), (a.proven, b.proven)):
        for column in type(x).columns:
            u, v = getattr(x, column.name), getattr(y, column.name)
            assert (u is None) == (v is None), column.name
            if isinstance(u, list):
                assert u == [*v]
                assert u[-3:] == v[-3:]
            elif u is not None:
                np.testing.assert_array_equal(u, v, column.name)
                if len(u):
                    begin = draw.randrange(len(u))
                    end = draw.randrange(begin, len(u) + 1)
                    np.testing.assert_array_equal(u[begin:end], v[begin:end])
                    some = np.array([draw.randrange(len(u)) for _ in range(3)])
                    np.testing.assert_array_equal(u[some], v[some])
    for x, y in ((a.nodes.offset, b.nodes.offset), (a.updates.offset, b.updates.offset)):
        np.testing.assert_array_equal(x, y)
    np.testing.assert_array_equal(a.elapsed, b.elapsed)


def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let what comes in with long traces only come with short ones."""
    for module, name, value in (
        (told, "EVERY", 4), (told_building, "AT_ONCE", 16), (told_building, "WAYS_AT_ONCE", 8),
        (few_values, "MOST", 4), (told, "AT_ONCE", 16), (told_columns, "AT_ONCE", 16), (spool, "AT_ONCE", 16),
        (building, "LARGE", 20), (tree, "LARGE", 20), (building, "KNOT", 16), (building, "BLOCK", 32),
        (tree, "BLOCK", 32), (tree, "ALONE", 8), (building, "KNOT_BYTES", 1_000),
        (family, "LARGE", 20), (family, "SORTED", 30), (tree, "WORTH_COMPILING", 0),
        (tree, "MANY", 1),
    ):  # fmt: skip
        monkeypatch.setattr(module, name, value)


@pytest.mark.parametrize("is_small", [False, True])
@pytest.mark.parametrize(("game", "options"), few(SEARCHES))
def test_searches_of_ours(
    game: str, options: dict[str, Any], is_small: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    if is_small:
        small(monkeypatch)
    trace = mv.search(game, iterations=400, seed=1, compile=False, **options)
    indexed = with_index(trace, tmp_path)
    equal(trace, indexed, random.Random(1))
    assert str(trace.explain()) == str(indexed.explain())
    assert trace.events() == indexed.events()
    assert [str(each) for each in trace.check()] == [str(each) for each in indexed.check()]


@given(
    seed=st.integers(0, 2**32),
    share=st.sampled_from([0.0, 0.1, 1.0]),
    worth=st.sampled_from(WORTHS),
)
def test_whatever_a_search_has_done(
    tmp_path_factory: pytest.TempPathFactory, seed: int, share: float, worth: str
) -> None:
    draw = random.Random(seed)
    folder = tmp_path_factory.mktemp("index")
    with pytest.MonkeyPatch.context() as monkeypatch:
        if draw.random() < 0.5:
            small(monkeypatch)
        trace = made_up(draw, share, worth)
        equal(trace, with_index(trace, folder), draw)


def made_up(draw: random.Random, share: float, worth: str) -> mv.Trace:
    """A trace whose iterations back up visits along the path from their leaf, or, that share of them, do anything.
    worth: of a visit; sums of other values than results of games depend on their order."""
    searched = mv.search("tic_tac_toe", iterations=1, seed=1, compile=False)
    meta = type(searched.meta)({**searched.meta, "format_version": 4})
    log = RowLog(draw.choice([("rollout", "proven"), ("rollout",), ()]))
    parent, to_move, has_more = [-1], [0], draw.random() < 0.3
    for _ in range(draw.choice([1, 5, 40, 150])):
        result = draw.randrange(3)
        values = [[1.0, 0.0, 0.5][result], [0.0, 1.0, 0.5][result]]
        outcome = draw.choice([1.0, -1.0, 0.0, None])
        if worth == "few values":
            values = [0.1 * result, -0.7 * result]
        elif worth == "many values":
            values = [draw.random(), draw.random()]
            outcome = draw.choice([values[0], outcome, None])
        for _ in range(draw.choice([0, 1, 1, 3])):
            parent.append(draw.randrange(len(parent)))
            to_move.append(draw.choice([0, 1, 1 - to_move[parent[-1]]]))
            log.nodes += [parent[-1], draw.randrange(9), to_move[-1]]
            if draw.random() < 0.2:
                log.add_to_node("prior", draw.random())
        at = leaf = draw.randrange(len(parent))
        path = [at]
        while at:
            at = parent[at]
            path.insert(0, at)
        for node in path:
            mover = to_move[parent[node]] if node else 1 - to_move[0]
            log.updates += [node, 1, values[mover]]
        if draw.random() < share:
            if draw.random() < 0.5:
                del log.updates[-3:]
            for _ in range(draw.randrange(3)):
                log.updates += [
                    draw.randrange(len(parent)),
                    draw.randint(-1, 3),
                    draw.choice([0.25, -1.0]) if worth == "results" else draw.uniform(-1, 1),
                ]
        if "rollout" in log.recorded:
            log.rollout += [draw.randrange(9) for _ in range(draw.randrange(4))]
        if "proven" in log.recorded and draw.random() < 0.2:
            log.proven += [draw.randrange(len(parent)), draw.choice([-1.0, 0.0, 1.0])]
        more = (
            {"worker": draw.randrange(3), "leaves": 1} if has_more and draw.random() < 0.5 else {}
        )
        log.end_iteration(leaf, len(parent), outcome=outcome, **more)
    columns = root_columns(meta)
    columns.append(log.take())
    return mv.Trace(meta, columns)


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A trace that is long enough for an index, in a folder of its own."""
    monkeypatch.setenv(SWITCH, "100")
    monkeypatch.setenv(CACHE, str(tmp_path / "cache"))
    (tmp_path / "traces").mkdir()
    record(tmp_path / "traces/run.mcts", seed=1)
    return tmp_path / "traces/run.mcts"


def record(path: Path, game: str = "tic_tac_toe", **options: Any) -> None:
    """A trace without its index."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(SWITCH, "off")
        mv.search(game, iterations=200, path=path, **options)


def is_indexed(path: Path) -> bool:
    return mv.open(path).columns.index is not None


def test_a_long_trace_is_opened_by_its_index(path: Path) -> None:
    assert not places(path)[0].exists()
    assert is_indexed(path)
    made = places(path)[0].stat().st_mtime_ns
    assert is_indexed(path)
    assert places(path)[0].stat().st_mtime_ns == made
    assert [each.name for each in path.parent.iterdir()] == ["run.mcts", "run.mcts.index"]


def test_every_list_of_the_format_can_be_asked_for(path: Path) -> None:
    trace = mv.open(path)
    assert trace.columns.index is not None
    recorded = {lists.name: getattr(trace.columns, lists.name).recorded for lists in Rows.lists}
    assert not recorded["player_sums"]
    assert not recorded["player_outcomes"]
    assert trace.at(trace.n_iterations).player_sums is None


def test_a_short_trace_needs_none(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SWITCH, "201")
    assert not is_indexed(path)
    monkeypatch.setenv(SWITCH, "off")
    assert not is_indexed(path)
    assert not places(path)[0].exists()


def test_an_index_that_is_not_of_this_trace_is_made_anew(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = places(path)[0]
    make_index(path)
    good = index.read_bytes()
    for bad in (
        b"",
        b"something else",
        good[:-1],
        good[:HEAD],
        good[:30] + b"?" + good[31:],
        b"x" + good[1:],
    ):
        index.write_bytes(bad)
        assert found_index(TraceFile(path)) is None
        trace = mv.open(path)
        assert trace.columns.index is not None
        assert trace.at(200).visits[0] == 200
        assert index.read_bytes() == good
    record(path, seed=2)
    assert found_index(TraceFile(path)) is None
    other = mv.open(path)
    assert other.columns.index is not None
    monkeypatch.setenv(SWITCH, "off")
    assert other.columns.leaf.tolist() == mv.open(path).columns.leaf.tolist()


def test_where_nothing_can_be_written_the_index_goes_into_the_cache(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    beside, cached = places(path)
    monkeypatch.setattr(opening, "CACHE_BYTES", 1)
    cached.parent.mkdir(parents=True)
    old = cached.with_name("old.index")
    old.write_bytes(b"of another trace")
    os.utime(old, (1, 1))
    beside.mkdir()  # so that no file can have its name
    assert is_indexed(path)
    assert [each.name for each in cached.parent.iterdir()] == [cached.name]


def test_without_room_anywhere_a_trace_is_opened_without_an_index(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(layout, "ROOM", 1 << 60)
    assert mv.open(path).at(200).visits[0] == 200
    with pytest.raises(
        TraceError, match=r"its index cannot be written.* MB are free.*MCTS_VIZ_CACHE"
    ):
        make_index(path)
    assert [each.name for each in path.parent.iterdir()] == ["run.mcts"]
    monkeypatch.setattr(opening, "LONG", 100)
    with pytest.warns(IndexWarning, match=r"MCTS_VIZ_CACHE\): all of it is read into memory$"):
        assert mv.open(path).at(200).visits[0] == 200


def test_a_trace_that_no_index_covers_is_opened_without_one(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    why = "it has more than 100 iterations, nodes or updates"
    monkeypatch.setattr(building, "MOST", 100)
    monkeypatch.setattr(told_building, "MOST", 100)
    with pytest.raises(NotCoveredError, match=why):
        make_index(path)
    monkeypatch.setattr(opening, "LONG", 100)
    with pytest.warns(IndexWarning, match=rf"run.mcts: has no index, for {why}"):
        assert not is_indexed(path)
    assert [each.name for each in path.parent.iterdir()] == ["run.mcts"]


def test_a_damaged_trace_has_no_index(path: Path) -> None:
    whole = path.read_bytes()
    for content in (whole + b"more", whole[:-8] + b"no end mark"):
        path.write_bytes(content)
        assert not is_indexed(path)
        assert [each.name for each in path.parent.iterdir()] == ["run.mcts"]
    path.write_bytes(whole)
    assert is_indexed(path)


@pytest.mark.parametrize("lost", [3, 8, 30, 2_000])
def test_an_interrupted_recording_is_opened_by_its_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lost: int
) -> None:
    monkeypatch.setenv(SWITCH, "off")
    path = tmp_path / "run.mcts"
    batches.record(path)
    path.write_bytes(path.read_bytes()[:-lost])
    plain = mv.open(path)
    monkeypatch.setenv(SWITCH, "100")
    indexed = mv.open(path)
    equal(plain, indexed, random.Random(1))
    assert (indexed.n_iterations == 450) == (lost <= 8)
    assert indexed.damage is None
    assert not indexed.complete
    assert indexed.status == plain.status
    assert indexed.refresh() == 0
    with path.open("ab") as file:
        file.write(b"more")
    with pytest.raises(TraceReplacedError, match="has changed since its index was made"):
        indexed.refresh()


def test_a_recording_that_goes_on_is_read_without_an_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "LONG", 100)
    monkeypatch.delenv(SWITCH, raising=False)
    source = mv.search("tic_tac_toe", iterations=300, seed=1, compile=False)
    path = tmp_path / "run.mcts"
    with TraceWriter(path, source.meta) as writer:
        writer.append(source.columns.as_rows())
        writer.flush()
        with pytest.warns(IndexWarning, match=r"still being recorded.*opened when it is no longer"):
            trace = mv.open(path)
        assert trace.n_iterations == 300
        assert trace.columns.tree is None
    trace.refresh()
    assert trace.complete
    assert mv.open(path).columns.tree is not None


def test_a_search_that_goes_on_with_a_tree(path: Path, tmp_path: Path) -> None:
    first = mv.search("tic_tac_toe", iterations=300, seed=1, compile=False)
    trace = first.rerun(resume=200, iterations=300, seed=2)
    equal(trace, with_index(trace, tmp_path), random.Random(1))


def test_squares_of_values_that_depend_on_their_order(tmp_path: Path) -> None:
    trace = mv.search("tic_tac_toe", iterations=300, seed=1, compile=False, win=0.9, loss=0.1)
    indexed = with_index(trace, tmp_path)
    assert indexed.columns.index.ordered is not None
    for t in (0, 1, 299):
        n = len(trace.at(t))
        found = square_sums(indexed.columns, t, n)
        np.testing.assert_array_equal(found, square_sums(trace.columns, t, n))
        some = indexed.columns.index.sums(np.arange(n), t, squares=True)
        np.testing.assert_array_equal(some.square_sum, found)


def test_what_was_proven_in_the_tree_it_goes_on_with(tmp_path: Path) -> None:
    first = mv.search(
        "tic_tac_toe", iterations=300, seed=1, start=["b2", "a1"], solver=True, compile=False
    )
    trace = first.rerun(resume=300, iterations=100, seed=2)
    assert (trace.columns.proven.at == 0).any()
    equal(trace, with_index(trace, tmp_path), random.Random(1))


def test_the_command(
    path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["index", str(path)]) == 0
    assert f"{places(path)[0]}: " in capsys.readouterr().out
    assert main(["explain", str(path)]) == 0
    places(path)[0].unlink()
    index_if_long(path)
    assert places(path)[0].exists()
    index_if_long(path.parent)  # nothing to be done, and nothing to be said
    assert main(["index", str(path.with_name("none.mcts"))]) == 2
    assert "there is no such file" in capsys.readouterr().err
    monkeypatch.setattr(building, "MOST", 100)
    monkeypatch.setattr(told_building, "MOST", 100)
    assert main(["index", str(path)]) == 2
    assert "cannot have an index, for it has more than 100" in capsys.readouterr().err


def test_long_arrays_lie_in_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So a trace of a hundred million iterations is checked with some hundred megabytes."""
    monkeypatch.setenv(CACHE, str(tmp_path))
    monkeypatch.setattr("mcts_viz.trace.memory.ON_DISK", 1_000)
    short, long = roomy(10, np.float64), roomy(1_000, np.int32)
    assert isinstance(long.base, np.memmap)
    assert not isinstance(short.base, np.memmap)
    assert len(long) == 1_000
    assert not long.any()
    long[7] = 3
    assert long.sum() == 3
    assert not list(
        (tmp_path / "mcts_viz").iterdir()
    )  # the file has no name, and goes with the array


def test_arrays_stay_in_memory_where_the_disk_has_no_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setenv(CACHE, str(tmp_path))
    monkeypatch.setattr("mcts_viz.trace.memory.ON_DISK", 1_000)
    monkeypatch.setattr(os, "posix_fallocate", full, raising=False)
    array = roomy(1_000, np.int32)
    assert not isinstance(array.base, np.memmap)
    assert not array.any()
