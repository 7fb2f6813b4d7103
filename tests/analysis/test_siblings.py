"""The children of one node through time, few of them and more than a byte can number."""

from __future__ import annotations

import numpy as np
import pytest

import mcts_viz as mv
from mcts_viz.analysis.history.siblings import Siblings
from tests.engine.test_reuse import kept_tree, next_search, recorded


class Node:
    """Of a search with one level."""

    def __init__(self) -> None:
        self.children: list[Node] = []
        self.visits, self.value = 0, 0.0


@pytest.mark.parametrize("k", [1, 3, 254, 255, 300])
def test_every_child_has_its_own_visits_however_many_there_are(k: int) -> None:
    root, choose = Node(), np.random.default_rng(k)

    def step() -> None:
        if len(root.children) < k:
            root.children.append(Node())
            child = root.children[-1]
        else:
            child = root.children[choose.integers(k)]
        for node in (root, child):
            node.visits += 1
            node.value += 0.5

    with mv.record(root=root, children="children", visits="visits", value="value") as rec:
        for _ in rec.steps(step, 3 * k):
            pass
    siblings = Siblings(rec.trace, 0, 3 * k)
    *_, last = siblings.blocks()
    assert [state.visits[-1] for state in last.children] == [each.visits for each in root.children]
    assert last.parent.visits[-1] == 3 * k
    # in the first k iterations each child was made, not chosen among those that were there
    iteration, taken = siblings.selections
    assert iteration.tolist() == list(range(k + 1, 3 * k + 1))
    counts = np.bincount(taken, minlength=k)
    assert counts.tolist() == [each.visits - 1 for each in root.children]


def test_a_kept_tree_has_no_selections_before_its_first_iteration() -> None:
    search = {"preset": "uct"}
    kept = recorded(
        next_search("tic_tac_toe", search), kept_tree("tic_tac_toe", search, iterations=200)
    )
    assert kept.at(0).n_nodes > 1
    told = kept.explain(0)
    assert told.selections.total == 0
    assert told.chosen is not None
    assert told.chosen.visits == kept.at(0).visits[told.chosen.node]
