"""Iterations of ranges of leaves, counted by compiled loops and without them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mcts_viz.trace.index import tree
from mcts_viz.trace.path_loops import LOOPS
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


@pytest.mark.parametrize("large", [2, 4_096])
def test_several_nodes_with_many_visits_are_an_item(
    large: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = searched("connect_four", 20_000, tmp_path, monkeypatch).columns.index
    monkeypatch.setattr(tree, "LARGE", large)
    children = index.children(0, index.n_nodes).astype(np.int64)
    for t in (100, 9_999, 20_000):
        item = np.minimum(np.arange(len(children)), 2)
        together = index.sums_of_items(children, item, 3, t, squares=False, lasts=True)
        alone = index.sums(children, t)
        assert together.visits.tolist() == np.bincount(item, alone.visits).tolist()
        assert together.value_sum.tolist() == np.bincount(item, alone.value_sum).tolist()
