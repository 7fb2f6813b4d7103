"""Whether half of the moves are missing at every node, where boards or moves tell which are left: a list from which
moves are removed while it is looped over skips every second one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.tree.moves_left import NEARLY_ALL, NodeMoves, moves_left
from mcts_viz.health.tree.pruning import is_full

MANY_FIELDS = 500  # empty ones at a node and below it
# correlation of having a move at a node and at its child: without one, of so many fields, less than 0.15 in 99.9 % of
# cases. What leaves moves out by a heuristic, or by what lies near, has 0.3 and more
INDEPENDENT = 0.15


def check_every_second(search: CheckedSearch) -> Iterator[Finding]:
    """A warning where each node has half of the moves, rounded up, as there are empty fields, or moves that nobody
    above has made: every second in order, or now these, now others."""
    if search.is_pruned or search.meta.shared or is_full(search):
        return
    told = moves_left(search)
    if told is None:
        return
    nodes = told.nodes
    halves = [each for each in nodes if len(each.made) == (len(each.left) + 1) // 2]
    if len(halves) < NEARLY_ALL * len(nodes):
        return
    in_order = sum(_is_every_second(each) for each in halves) >= NEARLY_ALL * len(nodes)
    if not in_order and not (_has_even_priors(search) and _are_independent(search, nodes)):
        return
    which = "every second one in order" if in_order else "now these, now others"
    first = halves[0]
    yield found(
        "expansion-missing", None, first.node,
        f"node {first.node:,} has {len(first.left)} {told.what} and children for {len(first.made)} of them, and so "
        f"it is at {len(halves):,} of {len(nodes):,} nodes looked at, however many there are: each lacks half of its "
        f"legal moves for ever, {which}. So it is where a loop over the list of moves removes from that list, as in "
        "`for move in moves: … moves.remove(move)`, and skips every second one: loop over a copy, or pop() while there "
        "are any. Right where half of the moves is left out on purpose",
        nodes=len(halves), looked_at=len(nodes),
    ).as_warning()  # fmt: skip


def _is_every_second(node: NodeMoves) -> bool:
    fields = sorted(node.left)
    return sorted(node.made) in (fields[::2], sorted(fields[::-2]))


def _has_even_priors(search: CheckedSearch) -> bool:
    """Whether no policy is told, which may have said what is worth a child."""
    prior = search.trace.columns.nodes.prior[1 : search.N]
    return len(np.unique(prior[:MANY_FIELDS])) == 1


def _are_independent(search: CheckedSearch, nodes: list[NodeMoves]) -> bool:
    """Whether having a move at a node says nothing of having the same move at its child."""
    known = {each.node: each for each in nodes}
    above, below = list[bool](), list[bool]()
    for each in nodes:
        parent = known.get(int(search.parent[each.node]))
        for field in each.left if parent is not None else ():
            above.append(parent is not None and field in parent.made)
            below.append(field in each.made)
    if len(above) < MANY_FIELDS or len(set(above)) < 2 or len(set(below)) < 2:
        return False
    return bool(abs(np.corrcoef(above, below)[0, 1]) <= INDEPENDENT)
