"""Two trees laid over each other: nodes that the same moves lead to are one.

Knows move sequences, not statistics. Everything is done a level at a time over whole columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from mcts_viz.errors import TraceError
from mcts_viz.trace.memory import pieces, roomy
from mcts_viz.types import Ints, Wholes, signed_type

if TYPE_CHECKING:
    from mcts_viz.trace.trace import Trace

NOT_THERE = -1
Ids = npt.NDArray[np.int32]

ACTION_IDS, MOVE_NAMES = "action ids", "move names"


class UnionTree(NamedTuple):
    """M nodes, by depth, so that parents come before their children; the root is 0."""

    parent: Ids  # [M] −1 for the root
    depth: Ids  # [M]
    node_a: Ids  # [M] id in tree A, NOT_THERE
    node_b: Ids  # [M] id in tree B
    of_a: Ids  # [nodes of A] union id
    of_b: Ids  # [nodes of B]
    matched_by: str  # ACTION_IDS or MOVE_NAMES

    def path(self, node: int) -> list[int]:
        """Ids from the root to a node."""
        path = [node]
        while path[-1] != 0:
            path.append(int(self.parent[path[-1]]))
        return path[::-1]


class _Side(NamedTuple):
    """A tree of N nodes: who hangs below whom, by which move."""

    parent: Ids  # [N]
    move: Wholes  # [N] code of the move into the node, the same in both trees
    depth: Ids  # [N]


def union_tree(a: Trace, b: Trace) -> UnionTree:
    """All nodes of two traces, at whatever iteration they were made. A move that a faulty search
    gave several nodes is matched in order of creation. Raises TraceError for searches that do not
    begin in the same position of the same game."""
    check_same_position(a, b)
    by_ids = same_actions(a, b)
    moves_a, moves_b = (
        (trace.columns.nodes.action for trace in (a, b))
        if by_ids
        else _codes(*(trace.at(trace.n_iterations).labels() for trace in (a, b)))
    )
    side_a, side_b = (
        _Side(trace.columns.nodes.parent[: len(moves)], moves, trace.topology.depth[: len(moves)])
        for trace, moves in ((a, moves_a), (b, moves_b))
    )
    return _united(side_a, side_b, ACTION_IDS if by_ids else MOVE_NAMES)


def check_same_position(a: Trace, b: Trace) -> None:
    """Raise TraceError where the recordings say that the searches have different tasks."""
    games = [trace.meta.game.name for trace in (a, b)]
    known = [bool(trace.meta.game.title) for trace in (a, b)]
    if games[0] != games[1] and all(known):
        raise TraceError(
            f"A is a search of {games[0]}, B of {games[1]}: their moves cannot be compared; "
            "choose two searches of one game"
        )
    starts = [trace.meta.start for trace in (a, b)]
    if games[0] == games[1] and starts[0] != starts[1]:
        names = [", ".join(map(t.action_name, s)) or "none" for t, s in zip((a, b), starts)]
        raise TraceError(
            "A and B begin in different positions: moves before the search are "
            f"{names[0]} in A, {names[1]} in B; choose two searches from one position"
        )


def same_actions(a: Trace, b: Trace) -> bool:
    """Whether an action id means the same move in both: in two traces of a game with named actions,
    and at two iterations of one trace."""
    if a is b:
        return True
    return bool(a.meta.action_labels) and a.meta.action_labels == b.meta.action_labels


def _codes(a: Sequence[str], b: Sequence[str]) -> tuple[Ints, Ints]:
    """Names as numbers, in which upper and lower case are one."""
    known: dict[str, int] = {}
    codes = [
        np.array([known.setdefault(name.strip().lower(), len(known)) for name in names], np.int64)
        for names in (a, b)
    ]
    return codes[0], codes[1]


def _united(a: _Side, b: _Side, matched_by: str) -> UnionTree:
    n_moves = 2 + int(max(side.move.max(initial=0) for side in (a, b)))
    of_a, of_b = (roomy(len(side.parent), np.int32) for side in (a, b))
    parent, in_depth = (roomy(len(a.parent) + len(b.parent), np.int32) for _ in range(2))
    parent[0], size = -1, 1
    n_levels = 1 + int(max(a.depth.max(), b.depth.max()))
    levels_a, levels_b = (_levels(side.depth, n_levels) for side in (a, b))
    for depth in range(1, n_levels):
        ids_a, ids_b = levels_a[depth], levels_b[depth]
        keys = _keys(a, ids_a, of_a, n_moves), _keys(b, ids_b, of_b, n_moves)
        twins = [_occurrence(key) for key in keys]
        most = 1 + int(max(twin.max(initial=0) for twin in twins))
        whole = np.concatenate([key * most + twin for key, twin in zip(keys, twins)])
        distinct, place = np.unique(whole, return_inverse=True)
        of_a[ids_a] = size + place[: len(ids_a)]
        of_b[ids_b] = size + place[len(ids_a) :]
        new = slice(size, size + len(distinct))
        parent[new], in_depth[new] = distinct // most // n_moves, depth
        size += len(distinct)
    return UnionTree(
        parent=parent[:size],
        depth=in_depth[:size],
        node_a=_inverse(of_a, size),
        node_b=_inverse(of_b, size),
        of_a=of_a,
        of_b=of_b,
        matched_by=matched_by,
    )


def _levels(depth: Ids, n_levels: int) -> list[Ids]:
    """Node ids of each depth, ascending."""
    order = roomy(len(depth), np.int32)
    order[:] = np.argsort(depth.astype(signed_type(n_levels)), kind="stable")
    ends = np.cumsum(np.bincount(depth, minlength=n_levels))
    return [order[begin:end] for begin, end in pairwise([0, *ends.tolist()])]


def _keys(side: _Side, ids: Ids, union_of: Ids, n_moves: int) -> Ints:
    """[k] a key for each node of a level: its parent in the union and its move."""
    above = union_of[side.parent[ids]].astype(np.int64)
    return above * n_moves + side.move[ids].astype(np.int64)


def _occurrence(key: Ints) -> Ints:
    """[k] number of earlier nodes with the same key."""
    order = np.argsort(key, kind="stable")
    ordered = key[order]
    first = np.searchsorted(ordered, ordered, side="left")
    found = np.empty(len(key), np.int64)
    found[order] = np.arange(len(key)) - first
    return found


def _inverse(union_of: Ids, size: int) -> Ids:
    found = roomy(size, np.int32)
    found[:] = NOT_THERE
    for some in pieces(len(union_of)):
        found[union_of[some]] = np.arange(some.start, some.stop, dtype=np.int32)
    return found
