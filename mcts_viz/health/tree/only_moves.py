"""Whether positions where one kind of move alone is legal, as a pass, are taken for ends: the search comes there again
and again and makes no child, and such a move has no node anywhere in the tree."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.outcomes.untold_ends import MOST_NODES
from mcts_viz.health.tree.pruning import is_full
from mcts_viz.trace.words import plural
from mcts_viz.types import Ints

AGAIN = 5  # iterations that end at a node
FEW = 3  # nodes
MOST = 100  # that the rules are asked about, those most often come to
FEW_KINDS = (
    2  # of moves that have no node, at most: a search that leaves out many does so on purpose
)


def check_only_moves(search: CheckedSearch) -> Iterator[Finding]:
    """A warning where the rules are known."""
    if search.rules is None or search.N > MOST_NODES or is_full(search) or search.is_pruned:
        return
    made = set(np.unique(search.action[1:]).tolist())
    times = _times(search)
    stuck, unmade = list[int](), set[int]()
    for node in np.argsort(-times, kind="stable")[:MOST].tolist():
        if times[node] < AGAIN:
            break
        place = search.positions[node]
        if place.illegal is not None or place.outcome is not None or not place.legal:
            continue
        if not made.isdisjoint(place.legal):
            return  # others are not gone on from either: as at a limit of depth
        stuck.append(node)
        unmade.update(place.legal)
    if len(stuck) < FEW or len(unmade) > FEW_KINDS:
        return
    node = stuck[0]
    names = " and ".join(f"“{search.rules.game.action_labels[one]}”" for one in sorted(unmade))
    yield found(
        "expansion-missing", None, node,
        f"{names}, legal by the rules, has no child anywhere in the tree, and at {plural(len(stuck), 'node')} no other "
        f"move is legal: node {node:,} is come to {int(times[node]):,} times, and its value is that of a leaf each "
        "time. So it is where a position without another move is taken for the end of the game, in the tree and, "
        "likely, in rollouts",
        nodes=len(stuck), moves=len(unmade),
    )  # fmt: skip


def _times(search: CheckedSearch) -> Ints:
    """[N] how many iterations ended at each node that has no children and is not told to be an end."""
    times = np.bincount(search.leaf[search.base :], minlength=search.N)
    return np.where(search.childless() & ~search.ended, times, 0)
