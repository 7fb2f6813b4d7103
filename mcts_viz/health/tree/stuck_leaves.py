"""Leaves that never get a child though the game goes on there, where no rules are known: a player without a move has to
pass, and the tree has no child for that, or it lacks the moves of such a position.

That the game goes on is told: the recording tells outcomes of finished games and none of these, and visits of one of
them bring now this result and now that."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.trace.players import CHANCE
from mcts_viz.trace.words import plural
from mcts_viz.types import Bools, Floats, Ints

FEW_ENDS = 2  # finished games that are told
FEW_GROWN = 20  # nodes with children
NEARLY_ALL = 98  # percent of these, by whose patience that of a search is told
FEW_STUCK, FEW_VARIED = 5, 2  # leaves, and those with different results
MANY_VISITS = 50  # of one of the latter, which is then enough
# times as many visits as a node has before its first child, and some more
LATE, LATER = 2, 2
MOST_PATIENCE = 20  # visits; with more, leaves are sampled as long as a search likes


class _VisitsOfLeaves(NamedTuple):
    """Of each node while it had no child and the tree grew, the visit included that made its first child."""

    n: Floats  # [N]
    least: Floats  # [N] value of a visit
    most: Floats


def check_stuck_leaves(search: CheckedSearch) -> Iterator[Finding]:
    """A finding where leaves at which the game goes on have many visits and no child, and other nodes have one after a
    few; a note where states were not told, so that a node may stand for several positions."""
    told = "terminal" not in search.meta.not_observed and int(search.ended.sum()) >= FEW_ENDS
    if not told or search.alone or search.meta.shared or search.is_pruned:
        return
    if search.trace.columns.asides.documents or (search.to_move == CHANCE).any():
        return
    childless = search.childless()
    open_leaf = childless & ~search.ended & (search.statistics_after(search.T).visits > LATE)
    if not open_leaf.any() or int((~childless).sum()) < FEW_GROWN:
        return
    visits = _before_first_child(search)
    patience = float(np.percentile(visits.n[~childless], NEARLY_ALL))
    stuck = np.flatnonzero(open_leaf & (visits.n >= LATE * patience + LATER))
    varied = stuck[(visits.most - visits.least)[stuck] > search.slack]
    several = len(stuck) >= FEW_STUCK and len(varied) >= FEW_VARIED
    if patience > MOST_PATIENCE or not (several or (visits.n[varied] >= MANY_VISITS).any()):
        return
    depth = search.topology.depth[: search.N]
    if (depth[stuck] == depth.max()).all():  # of limited depth
        return
    node = int(varied[np.argmax(visits.n[varied])])
    finding = found(
        "expansion-stops", _last_visit(search, node), node,
        f"node {node:,} was a leaf {int(visits.n[node]):,} times, with results from {visits.least[node]:.4g} to "
        f"{visits.most[node]:.4g}, and never gets a child, though it is not told to be a finished game; so it is "
        f"with {plural(len(stuck), 'node')}, and others have a child by their visit {int(patience)}. The usual cause: "
        "a player without a move has to pass, and the pass is known to the rollouts alone; or the expansion misses the "
        "moves of some positions. Right where their games are over and no outcome is told of them",
        nodes=len(stuck), node_visits=int(visits.n[node]), patience=patience,
    )  # fmt: skip
    yield finding if search.trace.columns.nodes.state is not None else finding.as_note()


def _before_first_child(search: CheckedSearch) -> _VisitsOfLeaves:
    parent, born = search.parent[1:], search.born[1:].astype(np.int64)
    until = np.full(search.N, int(born.max()), np.int64)  # a tree that no longer grows may be full
    np.minimum.at(until, parent, born)
    n, least, most = np.zeros(search.N), np.full(search.N, np.inf), np.full(search.N, -np.inf)
    for part in search.ranges():
        updates = part.updates
        use: Bools = (updates.visits > 0) & (updates.iteration <= until[updates.node])
        node: Ints = updates.node[use]
        value = updates.value[use] / updates.visits[use]
        np.add.at(n, node, updates.visits[use])
        np.minimum.at(least, node, value)
        np.maximum.at(most, node, value)
    return _VisitsOfLeaves(n, least, most)


def _last_visit(search: CheckedSearch, node: int) -> int:
    """The last iteration that counted a node."""
    last = 0
    for part in search.ranges():
        own = part.updates.iteration[part.updates.node == node]
        last = int(own.max(initial=last))
    return last
