"""Tree reuse: the part of a search's tree below a node as the tree of the next search."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from mcts_viz.engine.tree import (
    BRANCH_COLUMNS,
    NO_NODE,
    NODE_COLUMNS,
    ROOT,
    Tree,
    branch_of_node,
)
from mcts_viz.types import Bools, Ints


def node_after(tree: Tree, actions: Sequence[int]) -> int | None:
    """The node that the actions lead to from the root; None where the tree does not have it."""
    branch = 0
    for action in actions:
        first = int(tree.first_branch[branch])
        branches = slice(first, first + int(tree.n_children[branch]))
        found = np.flatnonzero(tree.branch_action[branches] == action)
        if len(found) == 0:
            return None
        branch = first + int(found[0])
    return int(tree.branch_child[branch])


def subtree(tree: Tree, root: int, sort_untried: bool = False) -> Tree:
    """The tree below a node, with all its statistics, as a tree of its own whose root that node is;
    ids keep their order. `tree` stays as it is.

    sort_untried: untried actions stand in ascending order, as in the tree that is made of a
    recording. Where the next one is drawn at random, that changes no probability.
    """
    kept = _descendants(tree, root)
    new_id = np.full(int(tree.size[0]), NO_NODE, np.int32)
    new_id[kept] = np.arange(len(kept), dtype=np.int32)
    columns = {name: getattr(tree, name)[kept] for name in NODE_COLUMNS}
    columns["parent"] = new_id[columns["parent"]]
    columns["parent"][0] = NO_NODE
    for name in ("action", "prior"):  # they belong to the move into a node
        columns[name][0] = ROOT[name][1]
    into = branch_of_node(tree)[kept]  # [kept] the branch into each node
    n_children = tree.n_children[into].astype(np.int64)
    opened = n_children > 0
    n_branches = np.where(opened, n_children + np.maximum(tree.n_untried[into], 0), 0)
    ends = 1 + np.cumsum(n_branches)  # branch 0 is the root's own
    begins = ends - n_branches
    below = np.repeat(tree.first_branch[into].astype(np.int64) - begins, n_branches)
    old = np.concatenate((into[:1], below + np.arange(1, ends[-1])))
    for name in BRANCH_COLUMNS:
        columns[name] = getattr(tree, name)[old]
    for name in ("branch_action", "branch_value", "branch_width", "branch_squares"):
        columns[name][0] = ROOT[name][1]
    with_child = columns["branch_child"] != 0
    with_child[0] = False
    if sort_untried:
        _sort_untried(columns["branch_action"], with_child, n_branches)
    child = np.where(with_child, new_id[np.where(with_child, columns["branch_child"], 0)], 0)
    first = np.where(opened, begins, 0)
    columns["branch_child"] = child.astype(np.uint32)
    columns["first_branch"] = np.where(child > 0, first[child], 0).astype(np.uint32)
    columns["first_branch"][0] = first[0]
    columns["next_branch"] = np.zeros(int(ends[-1]), np.uint32)
    columns["weight_at"] = tree.weight_at[: int(columns["visits"][0]) + 1].copy()
    return Tree(size=np.array([len(kept), ends[-1]], np.int64), **columns)


def _sort_untried(
    action: npt.NDArray[np.int32],
    with_child: Bools,
    n_branches: Ints,
) -> None:
    """Sort the actions of each node's branches without a child, in place."""
    node = np.repeat(np.arange(len(n_branches)), n_branches)  # of branches 1, 2, …
    untried = 1 + np.flatnonzero(~with_child[1:])
    action[untried] = action[untried[np.lexsort((action[untried], node[untried - 1]))]]


def _descendants(tree: Tree, root: int) -> npt.NDArray[np.intp]:
    """Ids of the node and all below it, ascending."""
    parent = tree.parent[: int(tree.size[0])]
    inside = np.zeros(len(parent), np.bool_)
    inside[root] = True
    level = np.array([root])
    # a level at a time: no deeper than a game is long
    by_parent = np.argsort(parent, kind="stable")
    firsts = np.searchsorted(parent[by_parent], np.arange(len(parent) + 1))
    while len(level):
        n = firsts[level + 1] - firsts[level]
        places = np.repeat(firsts[level] - np.cumsum(n) + n, n) + np.arange(int(n.sum()))
        level = by_parent[places]
        inside[level] = True
    return np.flatnonzero(inside)
