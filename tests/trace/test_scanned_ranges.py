"""Iterations of ranges of leaves, counted by compiled loops and without them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mcts_viz.trace.index import tree
from mcts_viz.trace.index.loops import read_only
from mcts_viz.trace.path_loops import LOOPS, count_kinds, note_latest
from tests.indexed import searched


def test_compiled_loops_count_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree, "ALONE", 2)
    monkeypatch.setattr(tree, "RECENT", 5)
    index = searched("tic_tac_toe", 3_000, tmp_path, monkeypatch).columns.index
    LOOPS.load().join()
    nodes = np.arange(1, index.n_nodes)
    begin = index.place[nodes].astype(np.int64)
    end = begin + index.size[begin]
    for t in (1, 700, 2_999, 3_000):
        found = []
        for ready in (False, True):
            monkeypatch.setattr(LOOPS, "are_ready", ready)
            last = np.full(len(begin), tree.UNKNOWN, np.int32)
            counts, latest = index.counts(begin, end, t, last), index.last_in(begin, end, t)
            noted = last != tree.UNKNOWN
            np.testing.assert_array_equal(last[noted], latest[noted])
            assert noted.any() == ready
            found.append((counts, latest))
        for plain, compiled in zip(*found):
            np.testing.assert_array_equal(plain, compiled)


@pytest.mark.parametrize("n_kinds", [1, 3, 4, 5])
def test_counts_of_few_kinds_stand_side_by_side_in_a_number(n_kinds: int) -> None:
    rng = np.random.default_rng(n_kinds)
    when = rng.integers(1, 1_000, 200_000).astype(np.int32)
    kind = rng.integers(0, n_kinds, len(when)).astype(np.uint8)
    begin, end = np.array([0, 7, 70_000, 90_000]), np.array([199_999, 7, 70_003, 200_000])
    rows = read_only(when), read_only(kind)
    for t in (0, 500, 1_000):
        counts, last = np.full((n_kinds, 4), -1), np.full(4, -1, np.int32)
        alone = last.copy()
        LOOPS.run(count_kinds, *rows, begin, end, t, counts, last)
        LOOPS.run(note_latest, rows[0], begin, end, t, alone)
        for k, (a, b) in enumerate(zip(begin.tolist(), end.tolist())):
            there = when[a:b] <= t
            assert (
                counts[:, k].tolist() == np.bincount(kind[a:b][there], minlength=n_kinds).tolist()
            )
            assert last[k] == alone[k] == when[a:b].max(initial=0, where=there)


def test_leaves_near_a_moment_reach_back_to_its_knot_or_further(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = searched("tic_tac_toe", 3_000, tmp_path, monkeypatch).columns.index
    monkeypatch.setattr(tree, "RECENT", 500)
    knots = [k * index.knot for k in range(3_000 // index.knot + 1)]
    monkeypatch.setattr(tree, "PIECE", 64)
    for t in {0, 1, 63, 64, 499, *knots, 2_999, 3_000}:
        before, near = index._near_leaves(t)
        when = [*before.when[:-1].tolist(), *near.when[:-1].tolist()]
        assert sorted(when) == list(range(min([t + 1, *when]), t + 1))
        assert len(when) >= min(t, max(500, t % index.knot))
        assert len(near.place) == t % 64
        counted = sum(int(each.since_knot[:, -1].sum()) for each in (before, near))
        assert counted == t - t // index.knot * index.knot


@pytest.mark.parametrize("large", [2, 4_096])
def test_several_nodes_with_many_visits_are_an_item(
    large: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = searched("connect_four", 20_000, tmp_path, monkeypatch).columns.index
    monkeypatch.setattr(tree, "LARGE", large)
    children = index.children(0, index.n_nodes).astype(np.int64)
    for t in (100, 9_999, 20_000):
        item = np.minimum(np.arange(len(children)), 2)
        ranges = index.ranges_of(children, item)
        together = index.sums_of_items(ranges, 3, t, squares=False, lasts=True)
        alone = index.sums(children, t)
        assert together.visits.tolist() == np.bincount(item, alone.visits).tolist()
        assert together.value_sum.tolist() == np.bincount(item, alone.value_sum).tolist()
