"""Where two searches of one position part: the iteration, the node, and the scores or values that differ there."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mcts_viz.analysis.comparison.trees import match
from mcts_viz.analysis.comparison.union_tree import UnionTree
from mcts_viz.trace.iteration import Comparison, Iteration
from mcts_viz.trace.trace import Trace
from mcts_viz.types import Wholes


class Parting(NamedTuple):
    """The first difference of two searches. Scores and values are in A's and B's own scales."""

    iteration: int | None  # A's count; None: there is no difference in what both have
    what: str  # differs, in words
    line: str  # moves from the root to the node at which they part; "root" for the root
    node_a: int | None  # its id
    node_b: int | None
    by: str  # what differs there, with its numbers, in words


def parting(a: Trace, b: Trace) -> Parting:
    """Where two traces part; raises TraceError for searches of different tasks."""
    matched = match(a, b)
    first, tree = matched.first, matched.tree
    if first.iteration_a is None or first.iteration_b is None:
        longer = f"A has {a.n_iterations:,} iterations, B {b.n_iterations:,}"
        by = longer if a.n_iterations != b.n_iterations else ""
        return Parting(None, first.what, "", None, None, by)
    if min(first.iteration_a, first.iteration_b) < 1:
        return Parting(
            first.iteration_a, first.what, "root", 0, 0, "the trees that they begin with"
        )
    in_a, in_b = a.iteration(first.iteration_a), b.iteration(first.iteration_b)
    union, by = _choices(a, b, in_a, in_b, tree)
    if not by:
        union, by = _updates(in_a, in_b, tree)
    line = ", ".join(_label(a, b, tree, each) for each in tree.path(union)[1:]) or "root"
    return Parting(
        first.iteration_a, first.what, line, _id(tree.node_a[union]), _id(tree.node_b[union]), by
    )


def _choices(
    a: Trace, b: Trace, in_a: Iteration, in_b: Iteration, tree: UnionTree
) -> tuple[int, str]:
    """The node at which selection took another child, and its scores; "" where both took the same path."""
    path_a, path_b = tree.of_a[in_a.path].tolist(), tree.of_b[in_b.path].tolist()
    for place in range(min(len(path_a), len(path_b))):
        if path_a[place] != path_b[place]:
            node, taken = path_a[place - 1], (path_a[place], path_b[place])
            told = [
                f"{name} takes {_label(a, b, tree, one)}{_scores(each, ids, one, other)}"
                for name, each, ids, one, other in (
                    ("A", _at(in_a, in_a.path[place - 1]), tree.of_a, taken[0], taken[1]),
                    ("B", _at(in_b, in_b.path[place - 1]), tree.of_b, taken[1], taken[0]),
                )
            ]
            return node, "; ".join(told)
    if len(path_a) != len(path_b):
        shorter = path_a if len(path_a) < len(path_b) else path_b
        return shorter[-1], f"A stops at depth {len(path_a) - 1}, B at depth {len(path_b) - 1}"
    return 0, ""


def _at(told: Iteration, node: int) -> Comparison | None:
    return next((each for each in told.comparisons if each.node == node), None)


def _scores(compared: Comparison | None, union_of: Wholes, taken: int, other: int) -> str:
    """The score of the child taken, and that of the one that the other search took."""
    if compared is None:
        return " (new)"
    scores = dict(zip(union_of[compared.children].tolist(), compared.scores.tolist()))
    if taken not in scores or np.isnan(scores[taken]):
        return ""
    beside = f" against {scores[other]:.6g}" if other in scores else ""
    return f" (score {scores[taken]:.6g}{beside})"


def _updates(in_a: Iteration, in_b: Iteration, tree: UnionTree) -> tuple[int, str]:
    """The deepest node that got another update."""
    added = [
        {int(union_of[each.node]): (each.visits, each.value) for each in told.updates}
        for told, union_of in ((in_a, tree.of_a), (in_b, tree.of_b))
    ]
    differ = [node for node in {**added[0], **added[1]} if added[0].get(node) != added[1].get(node)]
    if not differ:
        return int(tree.of_a[in_a.leaf]), "the nodes made there"
    node = max(differ, key=lambda each: int(tree.depth[each]))
    told = [
        f"{name} adds {each[node][1]:.6g} in {each[node][0]:,} visits"
        if node in each
        else f"{name} adds nothing"
        for name, each in zip("AB", added)
    ]
    return node, "; ".join(told)


def _label(a: Trace, b: Trace, tree: UnionTree, node: int) -> str:
    in_a, in_b = int(tree.node_a[node]), int(tree.node_b[node])
    return (
        a.at(a.n_iterations).short_label(in_a)
        if in_a >= 0
        else b.at(b.n_iterations).short_label(in_b)
    )


def _id(node: int) -> int | None:
    return None if node < 0 else int(node)
