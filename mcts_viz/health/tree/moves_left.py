"""Which moves are left at a node, and which of them have a child, where no rules are known: by boards on which a move
fills one empty field, or by moves that are made once each. Knows nothing of what is right or wrong."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import numpy as np

from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.outcomes.replays import sample
from mcts_viz.health.tree.boards import FEW_BOARD
from mcts_viz.health.tree.fields import Boards, boards_of

MOST_NODES = 500  # with children
FEW_NODES, FEW_SIZES = 10, 3  # nodes; different numbers of moves that are left
FEW_LEFT = 4  # fields, or moves
NEARLY_ALL = 0.98  # of the nodes
SETTLED = 3  # visits for each empty field, by which a node has all the children that it will get
MOST_MARKS = 2  # fields that no piece is set on and that change: who is to move, and such


class NodeMoves(NamedTuple):
    """A node whose children each fill one field, or make one of the moves that are left."""

    node: int
    left: frozenset[int]  # empty fields, or moves
    made: frozenset[int]  # those for which there is a child


class MovesLeft(NamedTuple):
    """Those of some nodes of a search."""

    nodes: list[NodeMoves]
    what: str  # is left, in words


def moves_left(search: CheckedSearch) -> MovesLeft | None:
    """None where too few nodes tell, or a move does something else."""
    chosen = sample(np.flatnonzero(search.has_more_children(than=1)), MOST_NODES)
    told = MovesLeft(_by_boards(search, chosen), "empty fields")
    if not told.nodes:
        told = MovesLeft(_by_moves(search, chosen), "moves that nobody above has made")
    sizes = {len(each.left) for each in told.nodes}
    return told if len(told.nodes) >= FEW_NODES and len(sizes) >= FEW_SIZES else None


def all_have_children(search: CheckedSearch) -> MovesLeft | None:
    """The moves, where at nearly all nodes each that is left has a child."""
    told = moves_left(search)
    if told is None:
        return None
    whole = sum(each.left == each.made for each in told.nodes)
    return told if whole >= NEARLY_ALL * len(told.nodes) else None


def _by_boards(search: CheckedSearch, chosen: list[int]) -> list[NodeMoves]:
    """Those that have all children they will get; none where a move does something else than to fill one field."""
    states = search.trace.columns.nodes.state
    if states is None:
        return []
    boards = boards_of(states[0], (states[node] for node in chosen))
    if len(boards.root) < FEW_BOARD:
        return []
    empty, nodes = _empty_field(search, boards, chosen), list[NodeMoves]()
    for node in chosen:
        own, made = boards.fields(states[node]), set[int]()
        for child in search.children(np.array([node])).tolist():
            field = _filled(own, boards.fields(states[child]), empty)
            if field is None or field in made:
                return []
            made.add(field)
        left = {i for i, field in enumerate(own or []) if field == empty}
        nodes.append(NodeMoves(node, frozenset(left), frozenset(made)))
    return _settled(search, nodes)


def _by_moves(search: CheckedSearch, chosen: list[int]) -> list[NodeMoves]:
    """The same where a move is made once at most on each path; none where some is made again."""
    everything, nodes = frozenset(search.action[1 : search.N].tolist()), list[NodeMoves]()
    for node in chosen:
        path = search.action[search.topology.path(node)[1:]].tolist()
        children = search.action[search.children(np.array([node]))].tolist()
        if len({*path, *children}) < len(path) + len(children):
            return []
        nodes.append(NodeMoves(node, everything - frozenset(path), frozenset(children)))
    return _settled(search, nodes)


def _settled(search: CheckedSearch, nodes: list[NodeMoves]) -> list[NodeMoves]:
    """Those with many moves left that have all children they will get: made at once, or visited often enough since."""
    visits = search.statistics_after(search.T).visits
    return [
        each
        for each in nodes
        if len(each.left) >= FEW_LEFT
        and (
            visits[each.node] >= SETTLED * len(each.left)
            or len(np.unique(search.born[search.children(np.array([each.node]))])) == 1
        )
    ]


def _empty_field(search: CheckedSearch, boards: Boards, nodes: list[int]) -> str:
    """What is replaced most often by moves."""
    states, replaced = search.trace.columns.nodes.state, Counter[str]()
    assert states is not None
    for node in nodes:
        before = boards.fields(states[node])
        for child in search.children(np.array([node])).tolist():
            after = boards.fields(states[child])
            replaced.update(a for a, b in zip(before or [], after or []) if a != b)
    return replaced.most_common(1)[0][0] if replaced else ""


def _filled(before: list[str] | None, after: list[str] | None, empty: str) -> int | None:
    """The one empty field that is filled; None where it is not one, or much else changes."""
    if before is None or after is None:
        return None
    changed = [i for i, (a, b) in enumerate(zip(before, after)) if a != b]
    filled = [i for i in changed if before[i] == empty]
    emptied = any(after[i] == empty for i in changed)
    return (
        filled[0] if len(filled) == 1 and len(changed) <= 1 + MOST_MARKS and not emptied else None
    )
