"""Children and depths of trees that grow."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcts_viz.trace import topology as topology_module
from mcts_viz.trace.topology import Topology


@given(
    steps=st.lists(st.integers(0, 40), min_size=1, max_size=12),
    most=st.integers(1, 200),
    seed=st.integers(0, 1_000),
)
def test_a_topology_that_has_grown_equals_one_made_at_once(
    steps: list[int], most: int, seed: int
) -> None:
    n = 1 + sum(steps)
    above = np.random.default_rng(seed).integers(0, np.arange(1, n))
    parent = np.concatenate([[-1], above]).astype(np.int32)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(topology_module, "MOST_SORTED_AGAIN", most)
        grown = Topology(parent[:1])
        for end in 1 + np.cumsum(steps):
            grown = grown.grown(parent[:end])
            if end % 2:  # depths go on from where they were asked for last
                assert len(grown.depth) == end
    whole = Topology(parent)
    assert grown.n_nodes == n
    assert grown.depth.tolist() == whole.depth.tolist()
    for n_nodes in (1, n // 2 + 1, n):
        for node in range(n_nodes):
            expected = [v for v in range(1, n_nodes) if parent[v] == node]
            assert grown.children(node, n_nodes).tolist() == expected
            assert whole.children(node, n_nodes).tolist() == expected
        assert sorted(grown.subtree(0, n_nodes).tolist()) == list(range(n_nodes))
    assert grown.path(n - 1) == whole.path(n - 1)


def test_what_was_handed_out_stays_as_it_was_while_the_tree_grows() -> None:
    parent = np.array([-1, 0, 0, 1, 2, 0], np.int32)
    first = Topology(parent[:3])
    second = first.grown(parent)
    assert first.children(0, 3).tolist() == [1, 2]
    assert second.children(0, 6).tolist() == [1, 2, 5]
    assert first.depth.tolist() == [0, 1, 1]
    assert second.depth.tolist() == [0, 1, 1, 2, 2, 1]
