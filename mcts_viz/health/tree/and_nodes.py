"""Nodes at which an iteration goes on to all children: an AND of subgoals, in trees that prove or plan."""

from __future__ import annotations

import numpy as np

from mcts_viz.health.checked_search import CheckedSearch

FEW_NODES = 5
FEW_VISITS = 3  # of a node, for what its children got to be no chance


def all_at_once(search: CheckedSearch) -> int:
    """How many nodes have several children, each of them with as many visits as the node, where such nodes alternate
    with others, at which one child is chosen; 0 where they are no such tree. A back-up that adds visits to all
    children of a path has them one below the other."""
    visits = search.statistics_after(search.T).visits[: search.N]
    node = np.arange(1, search.N)
    above = search.parent[node].astype(np.int64)
    size = np.bincount(above, minlength=search.N)
    as_often = np.bincount(above, visits[node] == visits[above], minlength=search.N)
    several = (size > 1) & (visits >= FEW_VISITS)
    split = several & (as_often == size)
    chosen = several & (as_often == 0)
    below = split[node] & split[above]
    if split.sum() < FEW_NODES or chosen.sum() < FEW_NODES or below.any():
        return 0
    # those that do neither are no such nodes
    return int(split.sum()) if (several & ~split & ~chosen).sum() < FEW_NODES else 0
