"""A search whose opponent's moves collect visits alone (rhu2001) has no means there to show."""

from __future__ import annotations

import json
from functools import cache

import numpy as np

import mcts_viz as mv
from mcts_viz.views.view_spec import VIEWPOINTS


@cache
def searched() -> mv.Trace:
    return mv.search("tic_tac_toe", "rhu2001", iterations=200, seed=1)


def opponents() -> list[int]:
    """The root, and nodes that the opponent moved into."""
    tree = searched().at(200)
    return [
        v for v in range(len(tree)) if v == 0 or tree.to_move[tree.parent[v]] != tree.to_move[0]
    ]


def test_nodes_that_collect_no_values_have_no_mean() -> None:
    tree = searched().at(200)
    none = opponents()
    assert len(none) > 100
    assert np.isnan(tree.mean_value[none]).all()
    assert np.isnan(tree.mean_values(none)).all()
    others = sorted(set(range(len(tree))) - set(none))
    assert np.array_equal(np.isnan(tree.mean_value[others]), tree.visits[others] == 0)
    both = mv.search("tic_tac_toe", iterations=50, seed=1).at(50)
    assert np.array_equal(np.isnan(both.mean_value), both.visits == 0)


def test_nor_in_any_view_nor_in_their_history_nor_in_exports() -> None:
    trace = searched()
    tree = trace.at(200)
    reply = tree.children(tree.children(0)[0])[0]
    for node in (0, reply):
        assert all(np.isnan(view.mean(tree, node)) for view in VIEWPOINTS.values())
        assert np.isnan(trace.history(node).mean_value).all()
        assert np.isnan(trace.history(node, points=10).mean_value).all()
    nodes = {one["id"]: one for one in json.loads(tree.to_json())["nodes"]}
    assert nodes[0]["mean_value"] is None
    assert nodes[reply]["mean_value"] is None
    assert nodes[tree.children(0)[0]]["mean_value"] is not None
