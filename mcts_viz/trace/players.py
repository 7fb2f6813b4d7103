"""Who plays in a trace: one player or two, what they are called, and whose view each node's value is.

Players are numbers, 0 and 1; two more numbers stand where a player to move would: nobody knows who
it is, or chance decides. Knows the metadata document and the columns, no statistics.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

UNKNOWN = -1
CHANCE = -2  # nobody chooses at the node: its children are what may happen
DEFAULT_NAMES = ("player 0", "player 1")


def n_players(meta: Mapping[str, Any]) -> int:
    """1 where the metadata name one player alone, else 2."""
    return 1 if len(meta.get("players") or []) == 1 else 2


def player_names(meta: Mapping[str, Any]) -> list[str]:
    """What the players are called, player 0 first: one name or two."""
    names = [str(name) for name in meta.get("players") or []]
    return names if len(names) == 1 else [*names, *DEFAULT_NAMES[len(names) :]]


def movers(
    parent: npt.NDArray[np.int32], to_move: npt.NDArray[np.int8], meta: Mapping[str, Any]
) -> npt.NDArray[np.int8]:
    """[N] the player in whose view each node's value is: who moved into it, for an event of chance
    who moved before it; at the root the player not to move there. Who plays alone is meant
    everywhere; −1 where unknown."""
    return movers_into(np.arange(len(parent), dtype=np.int32), parent, to_move, meta)


def movers_into(
    nodes: npt.NDArray[np.int32],
    parent: npt.NDArray[np.int32],
    to_move: npt.NDArray[np.int8],
    meta: Mapping[str, Any],
) -> npt.NDArray[np.int8]:
    """[k] as `movers`, of some nodes."""
    if n_players(meta) == 1:
        return np.zeros(len(nodes), np.int8)
    at_root = 1 - to_move[0] if to_move[0] in (0, 1) else UNKNOWN
    above = parent[nodes]
    mover = np.where(above >= 0, to_move[above], at_root)
    while True:
        by_chance = np.flatnonzero(mover == CHANCE)
        if not len(by_chance):
            return mover
        above[by_chance] = parent[above[by_chance]]
        higher = above[by_chance]
        mover[by_chance] = np.where(higher >= 0, to_move[higher], at_root)
