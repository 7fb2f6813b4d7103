"""Whether a node that several parents lead to always has the same player to move: a table whose key leaves out the
player keeps two positions in one node.

Where the rules are known they say who is to move. Else it is the number of moves on the path, in a game where the
players take turns, as the told players of nodes show that are not shared yet: those who are new."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.iteration_range import IterationRange
from mcts_viz.health.outcomes.replays import sample
from mcts_viz.types import Bools, Ints

FEW_NEW = 10  # nodes whose players are told
FEW_NODES = 3  # that both players are to move at
SOME = 0.2  # share of the shared nodes
MOST_ASKED = 1_000  # further ways of which the rules tell the positions


class TwoPlayers(NamedTuple):
    """Nodes that different players are to move at."""

    node: int  # the first of them
    way: int  # a further way to it
    times: int  # how many
    looked_at: int  # nodes with several parents
    how: str  # how that is known


def check_shared_player(search: CheckedSearch) -> Iterator[Finding]:
    """An error where values are in one player's view; values of the player to move may be the same for both."""
    if (
        search.meta.n_players != 2
        or search.same_as is None
        or not (search.same_as[: search.N] >= 0).any()
    ):
        return
    node_of = np.arange(search.N)
    further = np.flatnonzero(search.same_as[: search.N] >= 0)
    node_of[further] = search.same_as[further]
    shared = _with_children(search, node_of[further])
    way = _by_turns if search.rules is None else _by_rules
    both = way(search, node_of, shared)
    if both is None or both.times < max(FEW_NODES, SOME * both.looked_at):
        return
    born = int(search.born[both.way])
    words = (
        f"node {both.node:,} stands for positions with different players to move: {both.how}. So it is with "
        f"{both.times:,} of {both.looked_at:,} nodes that have several parents: the key by which a position is found "
        "leaves out the player to move"
    )
    numbers = {"nodes": both.times, "looked_at": both.looked_at}
    if search.meta.watched.of_one_player:
        mixed = ", and what is worth much to the one and little to the other is mixed in one node"
        yield found("shared-player", born, both.node, words + mixed, **numbers)
        return
    meant = (
        ". Right where values are those of the player to move, and the position is worth as much to either of them: "
        "boards turned to who moves, or a game with the same moves for both"
    )
    yield found("shared-player", born, both.node, words + meant, **numbers).as_note()


def _with_children(search: CheckedSearch, shared: Ints) -> Bools:
    """[N] which of them have children; who is to move where the game is over does not matter."""
    found = np.zeros(search.N, np.bool_)
    found[shared] = True
    return np.asarray(found & ~search.childless() & ~search.ended)


def _by_rules(search: CheckedSearch, node_of: Ints, shared: Bools) -> TwoPlayers | None:
    ways = np.flatnonzero((node_of != np.arange(search.N)) & shared[node_of])
    asked: set[int] = set()
    two: dict[int, int] = {}  # with the way
    for way in sample(ways, MOST_ASKED):
        node = int(node_of[way])
        here, there = search.positions[node], search.positions[way]
        if here.illegal is not None or there.illegal is not None:
            continue
        asked.add(node)
        if here.to_move != there.to_move:
            two.setdefault(node, way)
    if not two:
        return None
    how = "by the rules, the ways to it end with different ones"
    return TwoPlayers(*next(iter(two.items())), len(two), len(asked), how)


def of_both_players(search: CheckedSearch) -> Bools | None:
    """[N] nodes, and further ways to them, that both players are to move at: values of the player to move may be right
    there, though a node has one player. None where there are no such nodes, or values are in one player's view."""
    same_as = search.same_as
    if same_as is None or search.meta.n_players != 2 or search.meta.watched.of_one_player:
        return None
    further = np.flatnonzero(same_as[: search.N] >= 0)
    node_of = np.arange(search.N)
    node_of[further] = same_as[further]
    seen = _seen_by_turns(search, node_of) if len(further) else None
    if seen is None:
        return None
    both = (seen[0] & seen[1])[node_of]
    return both if both.any() else None


def _by_turns(search: CheckedSearch, node_of: Ints, shared: Bools) -> TwoPlayers | None:
    """None where players do not take turns, or too few nodes tell."""
    seen = _seen_by_turns(search, node_of)
    if seen is None:
        return None
    come_to, several = (
        np.flatnonzero(shared & each) for each in (seen.any(axis=0), seen.all(axis=0))
    )
    if not len(several):
        return None
    how = "paths come to it after even and after odd numbers of moves, and players take turns"
    way = int(np.flatnonzero(node_of == several[0])[1])
    return TwoPlayers(int(several[0]), way, len(several), len(come_to), how)


def _seen_by_turns(search: CheckedSearch, node_of: Ints) -> Bools | None:
    """[2, N] which nodes paths come to when each player is to move, by their places on paths; None where players do
    not take turns, or too few nodes tell."""
    seen = np.zeros((2, search.N), np.bool_)
    told = 0
    for part in search.ranges():
        turn = (int(search.to_move[0]) + _places(part)) % 2
        node = node_of[part.steps.node]
        seen[turn, node] = True
        new, due = _due_at_new_nodes(search, part, node_of, turn)
        if (search.to_move[new] != due).any():
            return None
        told += len(new)
    return None if told < FEW_NEW else seen


def _places(part: IterationRange) -> Ints:
    """[S] how many moves lead to each step."""
    begin = np.flatnonzero(np.diff(part.steps.iteration, prepend=0))
    size = np.diff(np.append(begin, len(part.steps.node)))
    return np.arange(len(part.steps.node)) - np.repeat(begin, size)


def _due_at_new_nodes(
    search: CheckedSearch, part: IterationRange, node_of: Ints, turn: Ints
) -> tuple[Ints, Ints]:
    """New nodes whose players are told and which get children, and who is to move there by the path that made them;
    turn: [S] who is to move at each step, by its place. Without those that hang below a node of which the path came by
    a way of other length than the first one: they may be told by that."""
    born = search.born[: search.N]
    new = np.flatnonzero((born >= part.first) & (born <= part.last))
    new = new[(new > 0) & (node_of[new] == new) & (search.to_move[new] >= 0)]
    new = new[search.n_children(new) > 0]
    key = part.key(part.steps.iteration, node_of[part.steps.node])
    order = np.argsort(key)
    asked = part.key(born[new].astype(np.int64), node_of[search.parent[new]])
    row = np.minimum(np.searchsorted(key[order], asked), len(key) - 1)
    there = key[order[row]] == asked
    new, due = new[there], 1 - turn[order[row[there]]]
    by_depth = (int(search.to_move[0]) + search.topology.depth[new]) % 2
    return new[by_depth == due], due[by_depth == due]
