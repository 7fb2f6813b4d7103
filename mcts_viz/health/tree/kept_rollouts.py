"""Rollouts that make the nodes of their moves in the tree: lines of nodes that no visit has come to, each with the one
move that was played there. When the search comes to one later it passes for expanded, and the other moves are never
tried."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.levels import levels
from mcts_viz.trace.players import CHANCE
from mcts_viz.types import Bools

LONG = 4  # nodes one below the other that an iteration makes, from which on they are a line
BELOW_LEAF = 2  # nodes of it above one: a leaf may get all its children at once
OFTEN = 5  # visits, by which a node has been expanded if it ever is
FEW_STUCK = 8  # nodes with one move alone
MOSTLY = 0.7  # of the nodes in lines that are often visited
SEVERAL = 2  # moves that nodes elsewhere have, at least


def check_kept_rollouts(search: CheckedSearch) -> Iterator[Finding]:
    """A warning where nodes that were made in a line never get another move, though others do."""
    in_line = _in_lines(search)
    if not in_line.any():
        return
    inner = np.flatnonzero((search.to_move != CHANCE) & (search.born > 0))
    inner = inner[search.statistics_after(search.T).visits[inner] >= OFTEN]
    n = search.n_children(inner)
    inner, n = inner[n > 0], n[n > 0]
    of_lines = in_line[inner]
    stuck = inner[of_lines & (n == 1)]
    if len(stuck) < FEW_STUCK or len(stuck) < MOSTLY * of_lines.sum() or of_lines.all():
        return
    usual = int(np.median(n[~of_lines]))
    if usual < SEVERAL:
        return
    node = int(stuck[0])
    yield found(
        "expansion-missing", int(search.born[node]), node,
        f"node {node:,} has one move alone, however often it is visited, where others have {usual}; so it is with "
        f"{len(stuck):,} of {int(of_lines.sum()):,} nodes that an iteration made in a line, {LONG} and more one below "
        "the other. So it is where a rollout makes the nodes of its moves in the tree: when the search comes there "
        "they pass for expanded, and their other moves are never tried",
        nodes=len(stuck), looked_at=int(of_lines.sum()), usual=usual,
    )  # fmt: skip


def _in_lines(search: CheckedSearch) -> Bools:
    """[N] which nodes are part of a line that one iteration made, below its leaf and that one's children."""
    born, parent = search.born, search.parent
    with_parent = np.zeros(search.N, np.bool_)
    with_parent[1:] = (born[1:] == born[parent[1:]]) & (born[1:] > 0)
    above = np.zeros(search.N, np.int32)  # nodes of the line above each
    by_level = [nodes[with_parent[nodes]] for nodes in levels(search.topology.depth)]
    for mine in reversed(by_level):
        above[mine] = above[parent[mine]] + 1
    length = above + 1  # of the longest line that each is in
    for mine in by_level:
        np.maximum.at(length, parent[mine], length[mine])
    found_in: Bools = (length >= LONG) & (above >= BELOW_LEAF)
    return found_in
