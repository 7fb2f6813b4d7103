"""Moves that change nothing and hand over the turn, where no rules are known: moves that are not legal where they are
made, as with a mask of legal moves that was computed for another position."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.trace.players import CHANCE
from mcts_viz.types import Bools, Ints

FEW = 10  # such moves
FEW_CHANGES = 5  # that the same move of the same player makes elsewhere
MOSTLY = 0.8  # of such moves, that stand beside others which change the position
NEARLY_ALL = 0.9  # nodes, that have as many children as the root
FEW_BELOW, SOME_BELOW = 6, 50  # nodes below the root's children
STANDS_STILL = 0.9  # share of these; of few, all
MOST_NODES = 200_000  # the first ones


class _Families(NamedTuple):
    """What is known of the moves of a tree by their parents."""

    mixed: Bools  # [N] whether a node has moves that change its position, and others
    as_root: bool  # nearly all nodes have the root's moves, and none has another one
    by_place: bool  # moves are numbered by their places in lists of different lengths, so that they say nothing


def check_empty_moves(search: CheckedSearch) -> Iterator[Finding]:
    """A note where moves of both players leave the state as it is, and change it at other nodes: of games of two who
    take turns everywhere. A pass never changes the state."""
    states = search.trace.columns.nodes.state
    if states is None or search.rules is not None:
        return
    if search.meta.shared or search.trace.columns.asides.documents:
        return
    node = np.arange(1, min(search.N, MOST_NODES))
    same = np.array([
        states[each] is not None and states[each] == states[above]
        for each, above in zip(node.tolist(), search.parent[node].tolist())
    ], np.bool_)  # fmt: skip
    if stands_still := _stands_still(search, node, same):
        yield stands_still
        return
    if same.sum() < FEW:
        return
    if search.meta.n_players != 2 or not _take_turns(search):
        return
    families = _families(search, node, same)
    empty = _that_change_elsewhere(search, node, same)
    empty = empty[families.mixed[search.parent[empty]]]
    players = np.unique(search.mover[empty])
    if len(empty) < max(FEW, MOSTLY * same.sum()) or len(players) < 2 or families.by_place:
        return
    first = int(empty[0])
    mask = (
        f": nearly all nodes have the {int(search.n_children(np.array([0]))[0]):,} moves of the root"
        if families.as_root
        else ""
    )
    yield found(
        "expansion-illegal", int(search.born[first]), first,
        f"the move {search.move_into(first)} into node {first:,} leaves the position as "
        f"it is and hands over the turn, as do {len(empty):,} of {len(node):,} moves looked at; at other nodes the "
        "same moves change it. So it is where a move that is not legal there is made all the same (a full column, a "
        f"field that is taken), as with a mask of legal moves that was computed once, for the root{mask}. Right where "
        "a legal move may change nothing of what is told as the state",
        nodes=len(empty), looked_at=len(node),
    ).as_note()  # fmt: skip


def _stands_still(search: CheckedSearch, node: Ints, same: Bools) -> Finding | None:
    """A warning where the root's moves change the position, and moves below hardly any."""
    of_root = search.parent[node] == 0
    below = ~of_root
    if below.sum() < FEW_BELOW or of_root.sum() < 2 or same[of_root].any():
        return None
    if same[below].mean() < (STANDS_STILL if below.sum() >= SOME_BELOW else 1):
        return None
    first = int(node[below & same][0])
    return found(
        "expansion-state-changes", int(search.born[first]), first,
        f"node {first:,} has the position of its parent, as have {int(same[below].sum()):,} of "
        f"{int(below.sum()):,} nodes below the root's children, whose own positions differ from the root's: after one "
        "move nothing changes any more. So it is where the playout is played on the node's own position and not on a "
        "copy of it: the node then stands where that game ended, and so does all that is made from it",
        nodes=int(same[below].sum()), of=int(below.sum()),
    ).as_warning()  # fmt: skip


def _take_turns(search: CheckedSearch) -> bool:
    """Whether the player changes with each move, as far as players are known."""
    to_move = search.to_move
    if (to_move == CHANCE).any():
        return False
    own, above = to_move[1:], to_move[search.parent[1:]]
    known = (own >= 0) & (above >= 0) & ~search.ended[1:]
    return bool(known.any() and (own != above)[known].all())


def _that_change_elsewhere(search: CheckedSearch, node: Ints, same: Bools) -> Ints:
    """Those of the nodes whose move changes nothing there, and does at other nodes of the same player."""
    moves = list(zip(search.action[node].tolist(), search.mover[node].tolist()))
    going_on = ~same & ~search.ended[node]  # at the end of a game the text may say so
    changes = Counter(moves[at] for at in np.flatnonzero(going_on).tolist())
    return node[[at for at in np.flatnonzero(same).tolist() if changes[moves[at]] >= FEW_CHANGES]]


def _families(search: CheckedSearch, node: Ints, same: Bools) -> _Families:
    parent = search.parent[node].astype(np.int64)
    n = np.bincount(parent, minlength=search.N)
    empty = np.bincount(parent[same], minlength=search.N)
    action = search.action[node].astype(np.int64)
    of_root = action[parent == 0]
    below = n[1:][n[1:] > 0]
    as_root = bool(np.isin(action, of_root).all() and (below == n[0]).mean() >= NEARLY_ALL)
    last = np.full(search.N, -1, np.int64)
    np.maximum.at(last, parent, action)
    by_place = bool((last[n > 0] == n[n > 0] - 1).all()) and not as_root
    return _Families((empty > 0) & (empty < n), as_root, by_place)
