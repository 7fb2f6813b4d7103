"""Whether nodes with the same position have the same moves, where no rules are known: a list of legal moves that is
kept for each position, and from which nodes take their untried moves, gives each of them what the others have left.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.trace.players import CHANCE

MOST_NODES = 20_000  # the first ones
LATER = 3  # visits that a node has beside those that made its children: by then it has them all
FEW_PAIRS, FEW_SPLIT = 10, 4  # of nodes with no move in common; those of which both have moves
SELDOM = 0.02  # pairs with a common move


def check_popped_moves(search: CheckedSearch) -> Iterator[Finding]:
    """A note where nodes with the same position never have a move in common."""
    if search.rules is not None or search.meta.shared or search.is_pruned:
        return
    first_with: dict[Hashable, tuple[int, set[int]]] = {}
    apart = split = common = 0
    shown: tuple[int, int] | None = None
    depth = search.topology.depth
    deepest = int(depth[: search.N].max())
    for node in _settled(search):
        position = _position(search, node)
        moves = {int(a) for a in search.action[search.children(np.array([node]))]}
        other, its = first_with.setdefault(position, (node, moves))
        if other == node or not (moves or its) or deepest in (depth[node], depth[other]):
            continue
        if moves & its:
            common += 1
            continue
        apart += 1
        split += bool(moves and its)
        shown = shown or (other, node)
    if shown is None or apart < FEW_PAIRS or split < FEW_SPLIT or common > SELDOM * apart:
        return
    other, node = shown
    counts = [int(search.n_children(np.array([each]))[0]) for each in shown]
    yield found(
        "expansion-missing", int(search.born[node]), node,
        f"nodes {other:,} and {node:,} are the same position, and have no move in common ({counts[0]} and {counts[1]} "
        f"children); so it is with {apart:,} of {apart + common:,} pairs of nodes with the same position that have all "
        "the children they will get: each has only moves that the others have left. So it is where the list of legal "
        "moves is kept for each position, and nodes take their untried moves out of that very list, pop(): take a "
        "copy. Right where each node draws moves of its own",
        pairs=apart, looked_at=apart + common,
    ).as_note()  # fmt: skip


def _settled(search: CheckedSearch) -> Iterator[int]:
    """Nodes that would have got a further child, if there were one."""
    nodes = np.arange(1, min(search.N, MOST_NODES))
    visits = search.statistics_after(search.T).visits[nodes]
    settled = (visits >= search.n_children(nodes) + LATER) & (search.to_move[nodes] != CHANCE)
    yield from nodes[settled].tolist()


def _position(search: CheckedSearch, node: int) -> Hashable:
    """The text of the state; where none is told, the moves that lead there, in any order."""
    states = search.trace.columns.nodes.state
    if states is not None and states[node] is not None:
        return int(search.to_move[node]), states[node]
    path = search.topology.path(node)[1:]
    return tuple(sorted((int(search.mover[each]), int(search.action[each])) for each in path))
