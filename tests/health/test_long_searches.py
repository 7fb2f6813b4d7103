"""Of a long search, compiled loops say what is worked out otherwise of a short one."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mcts_viz as mv
from mcts_viz.health import checked_search
from mcts_viz.health.checked_search import CheckedSearch, ComparedChildren
from mcts_viz.health.families import Families
from mcts_viz.health.iteration_range import Given, IterationRange
from mcts_viz.health.selection.fit import joined
from mcts_viz.trace.index.loops import run_compiled, write_paths
from mcts_viz.types import Floats, Ints, Numbers
from tests.health.zoo import ZOO, recorded
from tests.indexed import searched
from tests.trace.test_index import WORTHS, made_up
from tests.trace.test_movers import expected
from tests.trace.test_told_index import TRACES
from tests.variants import few

NONE_AT_ALL = 10**12


def both(trace: mv.Trace, given_: Given | None, rows: int) -> list[CheckedSearch]:
    """The search as a short one and as a long one, in ranges of so many rows."""
    searches = []
    with pytest.MonkeyPatch.context() as patch:
        for long in (NONE_AT_ALL, 0):
            patch.setattr(checked_search, "RANGE_ROWS", rows)
            patch.setattr(checked_search, "LONGER", 1)
            patch.setattr(checked_search, "LONG", long)
            search = CheckedSearch(trace)
            search.given = given_
            _ = search._ends_of_ranges, search._only_range
            searches.append(search)
    return searches


def alike(one: Numbers | None, other: Numbers | None, is_exact: bool) -> None:
    assert (one is None) == (other is None)
    if one is None or other is None:
        return
    assert one.dtype == other.dtype
    if is_exact or one.dtype != np.float64:
        np.testing.assert_array_equal(one, other)
    else:
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)


def ranges_are_alike(searches: list[CheckedSearch], draw: random.Random, is_exact: bool) -> None:
    assert [search.is_long for search in searches] == [False, True]
    for short, long in zip(*(search.ranges(squares=True) for search in searches), strict=True):
        for one, other in (
            (short.updates, long.updates),
            (short.steps, long.steps),
            (searches[0].choices(short), searches[1].choices(long)),
        ):
            for column, same in zip(one, other, strict=True):
                np.testing.assert_array_equal(column, same)
        np.testing.assert_array_equal(short.updates_off_path(), long.updates_off_path())
        np.testing.assert_array_equal(short.root_visits, long.root_visits)
        for ask in questions(draw, searches[0].N, short):
            for column, same in zip(ask(short), ask(long), strict=True):
                alike(column, same, is_exact)


def questions(
    draw: random.Random, n_nodes: int, part: IterationRange
) -> list[Callable[[IterationRange], tuple[Numbers | None, ...]]]:
    """Some of those about statistics, in any order."""
    k = draw.choice([0, 1, 20])
    node = np.array([draw.randrange(n_nodes) for _ in range(k)], np.int64)
    iteration = np.array([draw.randint(part.first, part.last + 1) for _ in node], np.int64)
    every: list[Callable[[IterationRange], tuple[Numbers | None, ...]]] = [
        lambda part: part.before(node, iteration, squares=True),
        lambda part: part.before(node, np.sort(iteration)),
        IterationRange.before_steps,
        IterationRange.after_steps,
    ]
    return draw.sample(every, draw.randrange(len(every) + 1))


@given(
    seed=st.integers(0, 2**32),
    share=st.sampled_from([0.0, 0.1, 1.0]),
    worth=st.sampled_from(WORTHS),
    begins=st.sampled_from([None, Given(1, 0.5), Given(1, 0.5, own=True)]),
    rows=st.sampled_from([1, 50, 1_000_000]),
)
@settings(deadline=None)
def test_whatever_a_search_has_done(
    seed: int, share: float, worth: str, begins: Given | None, rows: int
) -> None:
    draw = random.Random(seed)
    trace = made_up(draw, share, worth)
    ranges_are_alike(both(trace, begins, rows), draw, is_exact=worth == "results")


@pytest.mark.parametrize("name", few([*TRACES], 2))
def test_whatever_was_recorded(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches, several players, shared nodes, trees that were there before."""
    trace = TRACES[name]()
    for seed in range(3):
        rows = [60, 1_000, 1_000_000][seed]
        ranges_are_alike(both(trace, None, rows), random.Random(seed), is_exact=False)
    short = [str(each) for each in trace.check()]
    monkeypatch.setattr(checked_search, "LONG", 0)
    assert [str(each) for each in trace.check()] == short


@pytest.mark.parametrize("seed", few(range(8)))
def test_sums_are_those_of_adding_one_by_one(seed: int) -> None:
    """To the last bit, as snapshots have them."""
    trace = made_up(random.Random(seed), 0.0, "many values")
    updates, offset = trace.columns.updates, trace.columns.updates.offset
    search = both(trace, None, 30)[1]
    for part in search.ranges(squares=True):
        for t in range(part.first, part.last + 2):
            visits, value_sum, squares = (np.zeros(search.N) for _ in range(3))
            for row in range(int(offset[t - 1])):
                node, value = int(updates.node[row]), float(updates.value[row])
                visits[node] += updates.visits[row]
                value_sum[node] += value
                squares[node] += value * value
            nodes = np.arange(search.N)
            before = part.before(nodes, np.full(search.N, t), squares=True)
            for found, known in zip(before.with_squares, (visits, value_sum, squares)):
                assert found.tolist() == known.tolist()


@pytest.mark.parametrize("mistake", few([None, *ZOO], 8))
def test_a_mistake_is_found_in_a_long_search_as_in_a_short_one(
    mistake: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = recorded("tic_tac_toe", mistake, 2, 200)
    short = [str(each) for each in trace.check()]
    monkeypatch.setattr(checked_search, "LONG", 0)
    assert [str(each) for each in trace.check()] == short


@given(st.lists(st.tuples(st.integers(0, 1_000), st.integers(0, 12))), st.integers(0, 1_000))
@settings(deadline=None)
def test_children_are_counted(asked: list[tuple[int, int]], seed: int) -> None:
    draw = random.Random(seed)
    n = draw.choice([1, 2, 12, 60])
    parent = np.array([-1, *(draw.randrange(min(v, 9)) for v in range(1, n))], np.int32)
    nodes = np.array([node % n for node, _ in asked], np.int64)
    limits = np.array([limit for _, limit in asked], np.int64)
    short, long = Families(parent), Families(parent, is_long=True)
    counts = [sum(parent[:limit] == node) for node, limit in zip(nodes, limits.clip(0, n))]
    assert short.count(nodes, limits).tolist() == long.count(nodes, limits).tolist() == counts
    assert long.count_all(nodes).tolist() == [int((parent == node).sum()) for node in nodes]


@given(
    st.lists(st.tuples(st.integers(0, 1_000), st.sampled_from([0, 1, -1, -2, -2, -3]))),
    st.sampled_from([0, 1, -2]),
    st.integers(2, 3),
    st.integers(0, 1_000),
)
@settings(deadline=None)
def test_updates_of_a_long_trace(
    made: list[tuple[int, int]], root: int, n_players: int, seed: int
) -> None:
    parent = [-1, *(above % (n + 1) for n, (above, _) in enumerate(made))]
    to_move = [root, *(player for _, player in made)]
    draw = random.Random(seed)
    leaf = [draw.randrange(len(parent)) for _ in range(5)]
    nodes: list[int] = []
    values: list[float] = []
    ends: list[int] = []
    for t, node in enumerate(leaf):
        path = [node]
        while path[0] > 0:
            path.insert(0, parent[path[0]])
        nodes += path
        second = [expected(each, parent, to_move, n_players) == 1 for each in path]
        values += [100.0 + t if each else float(t) for each in second]
        ends.append(len(nodes))
    found, worth = np.zeros(len(nodes), np.int32), np.arange(5.0)
    value: Floats = np.empty(len(nodes))
    end: Ints = np.array(ends)
    of_root = np.array([expected(0, parent, to_move, n_players) == 1], np.int8)
    tree = np.array(parent, np.int32), np.array(to_move, np.int8), of_root
    known = np.array(leaf, np.int32), end, worth, 100.0 + worth, *tree
    run_compiled(write_paths, known, found, value)
    assert (found.tolist(), value.tolist()) == (nodes, values)


@pytest.mark.parametrize("game", ["tic_tac_toe", "connect_four"])
def test_choices_looked_up_in_an_index_are_those_of_going_through_all(
    game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checked_search, "LONG", 0)
    search = CheckedSearch(searched(game, 300, tmp_path, monkeypatch))
    all_ = joined(search, list(search.comparisons()))
    looked_up = joined(search, list(search.comparisons(at_most=1_000_000)))
    for name in ComparedChildren._fields:
        if name != "extremes":
            np.testing.assert_array_equal(getattr(all_, name), getattr(looked_up, name), name)
    few = joined(search, list(search.comparisons(at_most=100)))
    assert 50 < len(few.chosen) < 200
    assert set(few.iteration.tolist()) < set(all_.iteration.tolist())
