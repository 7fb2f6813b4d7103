"""Nodes that several parents lead to: which ways to them are visited, and ways that lead back up."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.types import Ints

NEARLY_ALL = 0.98
FEW_NODES = 5  # that are shared
# further ways, none of which was gone when it was made; and where paths may go round
FEW_WAYS, MANY_WAYS = 4, 20
FEW_STEPS = 30  # to nodes that are shared


def check_shared(search: CheckedSearch) -> Iterator[Finding]:
    """Findings about the ways to nodes that are shared, and what is worth knowing of them."""
    same_as = search.same_as
    further = np.zeros(0, np.int64) if same_as is None else np.flatnonzero(same_as[: search.N] >= 0)
    if same_as is None or not len(further):
        return
    first = same_as[further].astype(np.int64)
    n_nodes = len(np.unique(first))
    yield found(
        "shared-nodes", None, int(first[0]),
        f"{n_nodes:,} nodes have several parents (transpositions): {len(further):,} further ways lead to them",
        nodes=n_nodes, ways=len(further),
    )  # fmt: skip
    if search.meta.shared == "nodes":
        yield from _stale_parents(search, further, first)
    back = ways_up(search)
    if len(back):
        way = int(back[0])
        yield found(
            "shared-cycle", int(search.born[way]), way,
            f"way {way:,} leads back to node {int(same_as[way]):,}, which is above it; {len(back):,} such ways "
            "in all. A path may go round and count a node more than once. Where nothing can be repeated in the "
            "problem itself, as when time or fuel is used up, the key of positions leaves that out",
            ways=len(back),
        )  # fmt: skip


def has_visits_of_before(search: CheckedSearch) -> bool:
    """Whether states were visited from outside this tree, in searches before: with them numbers are found that no
    iteration has made."""
    if not search.meta.shared:
        return False
    if search.base:
        return True
    for part in search.ranges():
        updates = part.updates
        new = (search.born[updates.node] == updates.iteration) & (updates.visits > 0)
        several = np.unique(updates.iteration[new], return_counts=True)[1] > 1
        if several.any() or (updates.visits[new] > 1).any():
            return True
    return False


def _stale_parents(search: CheckedSearch, further: Ints, first: Ints) -> Iterator[Finding]:
    """Back-up over a parent that is kept in the node goes up the way that was made last, or first, and no other."""
    newest = np.arange(search.N)  # of the ways to each node, by now
    waiting = 0
    steps = np.zeros(3, np.int64)  # over the newest way, over the first one, and all
    node_of = np.arange(search.N)
    node_of[further] = first
    is_shared = np.zeros(search.N, np.bool_)
    nodes: set[int] = set()
    at = (0, 0)
    left_out = 0  # new ways by which their own iteration did not go up
    for part in search.ranges():
        new = further[(search.born[further] >= part.first) & (search.born[further] <= part.last)]
        passed = part.key(part.steps.iteration, part.steps.node)
        born = search.born[new].astype(np.int64)
        left_out += int((~np.isin(part.key(born, new), passed)).sum())
        for t, way in zip(part.steps.iteration.tolist(), part.steps.node.tolist()):
            while waiting < len(further) and search.born[further[waiting]] < t:
                newest[first[waiting]], is_shared[first[waiting]] = further[waiting], True
                waiting += 1
            node = int(node_of[way])
            if is_shared[node]:
                steps += (way == newest[node], way == node, 1)
                nodes.add(node)
                at = at if at[0] else (t, way)
    over_newest, over_first, n = steps.tolist()
    # a way to a node that is there, and a child of that one; more are all children of a node at once
    most_made = int(np.diff(search.trace.columns.node_count[search.base :]).max(initial=0))
    go_round = bool(len(ways_up(search)))
    all_left_out = left_out == len(further) >= (MANY_WAYS if go_round else FEW_WAYS)
    if most_made <= 2 and over_first == n and all_left_out:
        yield found(
            "shared-stale-parent", int(search.born[further[0]]), int(further[0]),
            f"{left_out:,} moves led to nodes that had a parent already, and none of these iterations went up the way "
            "by which it had come: the parents on its path get nothing",
            times=left_out, nodes=len(np.unique(first)),
        )  # fmt: skip
        return
    if go_round:
        return  # of a path that went round not every way can be told from what it counted
    most = max(over_newest, over_first)
    if n < FEW_STEPS or len(nodes) < FEW_NODES or most < NEARLY_ALL * n:
        return
    which = "last" if over_newest == most else "first"
    yield found(
        "shared-stale-parent", at[0], at[1],
        f"{most:,} of {n:,} visits of {len(nodes):,} nodes with several parents went up the way that was made {which}, "
        "whatever way the search came down: the parents on its path get nothing",
        times=most, nodes=len(nodes),
    )  # fmt: skip


def ways_up(search: CheckedSearch) -> Ints:
    """The further ways that lead to a node above them, so that a path may go round."""
    if search.same_as is None:
        return np.zeros(0, np.int64)
    further = np.flatnonzero(search.same_as[: search.N] >= 0)
    first = search.same_as[further].astype(np.int64)
    above = search.parent[further].astype(np.int64)
    back = above == first
    climbing = np.flatnonzero(above > 0)
    while len(climbing):
        above[climbing] = search.parent[above[climbing]]
        back[climbing] |= above[climbing] == first[climbing]
        climbing = climbing[above[climbing] > 0]
    return np.asarray(further[back], np.int64)
