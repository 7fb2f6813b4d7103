"""When a search has nothing more to find out: asked after every iteration, compiled like the phases."""

from __future__ import annotations

import math

from mcts_viz.engine.functions import Settings
from mcts_viz.engine.tree import Tree


def finished(tree: Tree, settings: Settings, done: int) -> bool:
    """Whether after `done` iterations the root's result is proven, the move decided, or the budget of
    nodes used up."""
    if tree.size[0] >= settings.most_nodes:
        return True
    if settings.solver and not math.isnan(tree.proven[0]):
        return True
    left = settings.decide_at - done
    # before half of them have run, no lead can be that large
    return settings.decide_at > 0 and left <= done and decided(tree, left)


def decided(tree: Tree, left: int) -> bool:
    """Whether the root's second most visited child cannot catch up with the first in `left` more
    iterations."""
    most = 0
    second = 0
    first = tree.first_branch[0]
    for branch in range(first, first + tree.n_children[0]):
        visits = int(tree.visits[tree.branch_child[branch]])
        if visits > most:
            second = most
            most = visits
        elif visits > second:
            second = visits
    return most - second > left
