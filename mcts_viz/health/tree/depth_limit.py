"""Trees that go no deeper than a certain depth, where no rules are known: all leaves are at that depth, and visits of
one of them bring now this result and now that, so that the game goes on there."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.trace.players import CHANCE
from mcts_viz.types import Bools

LEAST_DEPTH = 2  # one of the root's moves alone is another finding
MANY_VISITS = 8  # of one leaf
FEW_LEAVES = 5  # with so many visits and different results


def check_depth_limit(search: CheckedSearch) -> Iterator[Finding]:
    """A note: games that are over after so many moves, with results by chance, look the same."""
    if search.meta.shared or search.is_pruned or (search.to_move == CHANCE).any():
        return
    later = search.base + (search.T - search.base) // 2
    if int(search.born[: search.N].max()) > later:
        return
    depth = search.topology.depth[: search.N]
    deepest = int(depth.max())
    if deepest < LEAST_DEPTH:
        return
    visits = search.statistics_after(search.T).visits
    childless = search.childless() & ~search.ended
    often: Bools = childless & (visits >= MANY_VISITS)
    if int(often.sum()) < FEW_LEAVES or (depth[often] != deepest).any():
        return
    varied = np.flatnonzero(often & _varied(search))
    if len(varied) < FEW_LEAVES:
        return
    node = int(varied[np.argmax(visits[varied])])
    yield found(
        "expansion-stops", None, node,
        f"the tree goes no deeper than {deepest} moves, and the later half of the iterations add no node: all "
        f"{int(often.sum()):,} leaves that are visited again and again are at this depth, and {len(varied):,} of them "
        f"get now this result and now that, as node {node:,} in {int(visits[node]):,} visits, so that the game goes on "
        f"there. So it is where the depth is limited. Right where you mean it, or games are over after {deepest} moves "
        "with results by chance",
        depth=deepest, leaves=len(varied),
    ).as_note()  # fmt: skip


def _varied(search: CheckedSearch) -> Bools:
    """[N] whether visits of a node differ in what they add."""
    least, most = np.full(search.N, np.inf), np.full(search.N, -np.inf)
    for part in search.ranges():
        updates = part.updates
        use = updates.visits > 0
        value = updates.value[use] / updates.visits[use]
        np.minimum.at(least, updates.node[use], value)
        np.maximum.at(most, updates.node[use], value)
    return np.asarray(most > least + search.slack)
