"""Whether nodes with the same position have the same moves, where no rules are known: a list of legal moves that is
kept for each position, and from which nodes take their untried moves, gives each of them what the others have left.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import NamedTuple

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.trace.players import CHANCE

MOST_NODES = 20_000  # the first ones
LATER = 3  # visits that a node has beside those that made its children: by then it has them all
FEW_PAIRS, FEW_SPLIT = 10, 4  # of nodes with no move in common; those of which both have moves
SELDOM = 0.02  # pairs with a common move
FEW_EMPTY = 3  # nodes that never get a child, though others with their position do
FEW_MOVES = 0.25  # different ones, as a share of the nodes: moves of a list come again elsewhere
KEPT_LIST = "kept_list"  # in the evidence of the finding


class _Pairs(NamedTuple):
    """Nodes with the same position that have all the children they will get, each with the first one."""

    shown: tuple[int, int]  # the first two with no move in common
    apart: int  # pairs with no move in common
    split: int  # those of which both have moves
    common: int  # pairs with a common move
    empty: list[int]  # nodes without moves, of which the other one has some


def check_popped_moves(search: CheckedSearch) -> Iterator[Finding]:
    """A note where nodes with the same position never have a move in common. A warning where it is so with told
    positions and moves of a list, and some nodes never get a child, however often they are visited."""
    if search.rules is not None or search.meta.shared or search.is_pruned:
        return
    pairs = _pairs(search)
    if pairs is None or pairs.apart < FEW_PAIRS or pairs.split < FEW_SPLIT:
        return
    if pairs.common > SELDOM * pairs.apart:
        return
    other, node = pairs.shown
    counts = [int(search.n_children(np.array([each]))[0]) for each in pairs.shown]
    sure = pairs.common == 0 and _are_from_a_list(search)
    empty = _for_good(search, pairs.empty) if sure else []
    text = (
        f"nodes {other:,} and {node:,} are the same position, and have no move in common ({counts[0]} and {counts[1]} "
        f"children); so it is with {pairs.apart:,} of {pairs.apart + pairs.common:,} pairs of nodes with the same "
        "position that have all the children they will get: each has only moves that the others have left"
    )
    if len(empty) >= FEW_EMPTY:
        text += (
            f", and {len(empty):,}, as node {empty[0]:,}, never get any, as if the game were over there, though others "
            "with their position go on"
        )
    why = (
        ". So it is where the list of legal moves is kept for each position (a cache), and nodes take their untried "
        "moves out of that very list, pop(): take a copy"
    )
    finding = found(
        "expansion-missing", int(search.born[node]), node, text + why,
        pairs=pairs.apart, looked_at=pairs.apart + pairs.common, **{KEPT_LIST: True},
    )  # fmt: skip
    if len(empty) >= FEW_EMPTY:
        yield finding.as_warning()
        return
    yield finding.as_note(f"{finding.message}. Right where each node draws moves of its own")


def _pairs(search: CheckedSearch) -> _Pairs | None:
    """None where no two have nothing in common."""
    first_with: dict[Hashable, tuple[int, set[int]]] = {}
    apart = split = common = 0
    shown: tuple[int, int] | None = None
    empty: list[int] = []
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
        if depth[node] == depth[other] and not (moves and its):
            empty.append(other if moves else node)
    return None if shown is None else _Pairs(shown, apart, split, common, empty)


def _are_from_a_list(search: CheckedSearch) -> bool:
    """Whether positions are told, and moves are few, so that none is drawn for one node alone."""
    if search.trace.columns.nodes.state is None:
        return False
    return len(np.unique(search.action[1:])) <= FEW_MOVES * search.N


def _for_good(search: CheckedSearch, empty: list[int]) -> list[int]:
    """Those of the nodes without children that have more visits than any other node had before its first child."""
    with_children = np.flatnonzero(search.has_more_children(than=0))
    oldest = search.families.oldest(with_children, np.ones(len(with_children), np.int64))
    most = 0
    for part in search.ranges():
        born = search.born[oldest].astype(np.int64)
        here = (born >= part.first) & (born <= part.last)
        before = part.before(with_children[here], born[here]).visits
        most = max(most, int(before.max(initial=0)))
    visits = search.statistics_after(search.T).visits
    return [node for node in dict.fromkeys(empty) if visits[node] >= most + LATER]


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
