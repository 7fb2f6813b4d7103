"""Whether the root is the position that was declared: a tree kept from an earlier move is not."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.games.position import StartPosition
from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.outcomes.replays import sample
from mcts_viz.health.positions import Positions

MOST_NODES = 300
MOST_PREFIXES = 60  # moves


def check_start(search: CheckedSearch) -> Iterator[Finding]:
    """A finding where the tree does not fit the declared start, and fits an earlier position."""
    rules = search.rules
    if rules is None or not rules.actions:
        return
    top = [0, *np.flatnonzero(search.parent == 0).tolist()]
    if _fits(search, search.positions, top):
        return  # what is wrong further down is no matter of the start
    nodes = sample(range(search.N), MOST_NODES)
    moves = list(rules.actions)
    for n in range(len(moves) - 1, max(-1, len(moves) - 1 - MOST_PREFIXES), -1):
        earlier = Positions(
            StartPosition(rules.game, moves[:n]),
            search.parent,
            search.action,
            search.meta.root_actions,
        )
        if _fits(search, earlier, nodes):
            where = (
                f"the position after the first {n} of its moves"
                if n
                else "the game's opening position"
            )
            names = ", ".join(search.trace.action_name(move) for move in moves)
            yield found(
                "reuse-start", None, 0,
                f"the tree does not fit the declared start ({names}), and its moves fit {where}: it is that of an "
                "earlier search, or of another position than start= says",
                moves=n, declared=len(moves),
            )  # fmt: skip
            return


def _fits(search: CheckedSearch, positions: Positions, nodes: list[int]) -> bool:
    """Whether all moves are legal, and the recorded players are to move."""
    for node in nodes:
        place = positions[node]
        if place.illegal is not None:
            return False
        if place.outcome is None and search.to_move[node] not in (-1, place.to_move):
            return False
    return True
