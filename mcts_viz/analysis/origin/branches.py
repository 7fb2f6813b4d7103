"""Which iterations went through a node, and to which of its children each of them went on."""

from __future__ import annotations

import numpy as np

from mcts_viz.trace.columns import Columns
from mcts_viz.trace.index.told import iterations_of
from mcts_viz.trace.paths import Paths
from mcts_viz.trace.snapshot import checked_id
from mcts_viz.trace.trace import Trace
from mcts_viz.trace.words import plural
from mcts_viz.types import Ints, Wholes

ELSEWHERE = -1


def branches(columns: Columns, node: int, iteration: Wholes) -> Ints:
    """[k] the child of `node` through which each iteration went, `node` where it ended there, ELSEWHERE where it did
    not come to the node: found on the way up from the iteration's leaf."""
    if columns.index is not None:
        return columns.index.branch_of(node, iteration)
    parent, paths = columns.nodes.parent, columns.paths
    at = columns.leaf[np.asarray(iteration) - 1].astype(np.int64)
    found = np.where((at == node) | (paths.leads_to(at) == node), node, ELSEWHERE)
    if not paths.are_plain:
        return _branches_of_shared(paths, node, np.asarray(iteration), at, found)
    below = np.flatnonzero(at > node)  # parents have lower ids than their children
    while len(below):
        child = at[below]
        above = parent[child]
        arrived = above == node
        found[below[arrived]] = child[arrived]
        at[below] = above
        below = below[above > node]
    return found


def _branches_of_shared(paths: Paths, node: int, iteration: Wholes, at: Ints, found: Ints) -> Ints:
    """The same where ways up lead over the ways that iterations took."""
    row, climbing = paths.begin(iteration, at), np.arange(len(at))
    while len(climbing):
        above, row = paths.above(iteration[climbing], at, row)
        arrived = (above == node) | (paths.leads_to(above) == node)
        found[climbing[arrived]] = at[arrived]
        going = above >= 0
        climbing, at, row = climbing[going], above[going], row[going]
    return found


def quick_branches(columns: Columns, node: int, iteration: Wholes, rows: Wholes) -> Ints:
    """[k] as `branches`, of iterations whose updates of the node are known, as rows: those of a plain search are root
    first along the path, so that the next row tells the child."""
    if columns.index is not None:
        return columns.index.branch_taken(node, iteration)
    updates, parent = columns.updates, columns.nodes.parent
    following = np.minimum(np.asarray(rows) + 1, max(len(updates.node) - 1, 0))
    child = updates.node[following].astype(np.int64)
    plain = (updates.visits[rows] == 1) & (parent[child] == node)
    plain &= np.asarray(rows) + 1 < updates.offset[np.asarray(iteration)]
    found = np.where(plain, child, ELSEWHERE)
    others = np.flatnonzero(~plain)
    if len(others):
        found[others] = branches(columns, node, np.asarray(iteration)[others])
    return found


def update_rows(columns: Columns, node: int, first: int, last: int) -> Ints:
    """Rows of the updates of a node in iterations `first` to `last`, rising."""
    if columns.told is not None:
        return columns.told.rows(node, first - 1, last)
    offset = columns.updates.offset
    begin, end = int(offset[first - 1]), int(offset[last])
    return np.flatnonzero(columns.updates.node[begin:end] == node) + begin


def iterations_through(trace: Trace, node: int, t: int | None = None) -> Ints:
    """[k] rising: the iterations up to t (the last one) that updated the node or ended at it. Raises
    TraceError for an iteration that the trace does not have, or a node that it does not have by then."""
    t = trace.checked_iteration(trace.n_iterations if t is None else t)
    columns = trace.columns
    checked_id(node, int(columns.node_count[t]), f"the tree after {plural(t, 'iteration')}")
    if columns.index is not None:
        return columns.index.iterations_through(node, t)
    is_through = np.zeros(t + 1, np.bool_)
    is_through[1:] = columns.leaf[:t] == node
    if t:
        is_through[iterations_of(columns.updates.offset, update_rows(columns, node, 1, t))] = True
    is_through[0] = False
    return np.flatnonzero(is_through)
