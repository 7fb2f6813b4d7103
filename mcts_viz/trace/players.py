"""Who plays in a trace: one player or several, what they are called, and whose view each node's value is.

Players are numbers from 0 on; three more numbers stand for other cases: the player to move is not
known, chance decides, or all players choose at once. Knows columns, no statistics.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

UNKNOWN = -1
CHANCE = -2  # chance decides at the node: its children are what may happen
EVERYBODY = -3  # all players choose at once: each child stands for a choice of each
MOST_PLAYERS = 16
FEW_EVENTS = 8  # of chance, one after the other
DEFAULT_NAMES = ("player 0", "player 1")


def movers(
    parent: npt.NDArray[np.int32], to_move: npt.NDArray[np.int8], n_players: int
) -> npt.NDArray[np.int8]:
    """[N] the player in whose view each node's value is: who moved into it, for an event of chance
    who moved before it, where all move at once player 0; at the root the player not to move there, of more than two
    the one to move. Who plays alone is meant everywhere; −1 where unknown."""
    return movers_into(np.arange(len(parent), dtype=np.int32), parent, to_move, n_players)


def movers_into(
    nodes: npt.NDArray[np.int32],
    parent: npt.NDArray[np.int32],
    to_move: npt.NDArray[np.int8],
    n_players: int,
) -> npt.NDArray[np.int8]:
    """[k] as `movers`, of some nodes."""
    if n_players == 1:
        return np.zeros(len(nodes), np.int8)
    at_root = root_mover(int(to_move[0]), n_players)
    above = parent[nodes]
    mover = np.where(above >= 0, to_move[above], at_root)
    for _ in range(FEW_EVENTS):
        by_chance = np.flatnonzero(mover == CHANCE)
        if not len(by_chance):
            break
        above[by_chance] = parent[above[by_chance]]
        higher = above[by_chance]
        mover[by_chance] = np.where(higher >= 0, to_move[higher], at_root)
    else:
        by_chance = np.flatnonzero(mover == CHANCE)
        n = int(nodes.max()) + 1  # there may be room behind them
        above = _above_chance(parent[:n], to_move[:n])[np.maximum(above[by_chance], 0)]
        mover[by_chance] = np.where(to_move[above] == CHANCE, at_root, to_move[above])
    return np.where(mover == EVERYBODY, 0, mover).astype(np.int8)


def _above_chance(
    parent: npt.NDArray[np.int32], to_move: npt.NDArray[np.int8]
) -> npt.NDArray[np.int32]:
    """[N] the nearest node on the way up, itself included, at which chance does not decide; the root where there is
    none. In as many passes as the logarithm of how many events follow one another."""
    ids = np.arange(len(parent), dtype=np.int32)
    above = np.where((to_move == CHANCE) & (parent >= 0), parent, ids)
    while not np.array_equal(twice := above[above], above):
        above = twice
    return above


def root_mover(to_move: int, n_players: int) -> int:
    """The player in whose view the root's value is, from who is to move there."""
    if n_players == 1 or to_move == EVERYBODY:
        return 0
    if to_move < 0:
        return UNKNOWN
    return 1 - to_move if n_players == 2 else to_move


def root_player(mover: int, n_players: int) -> int:
    """The other way round: who is to move at the root; −1 where unknown."""
    return 1 - mover if n_players == 2 and mover >= 0 else mover
