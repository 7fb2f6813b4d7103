"""Whose view a value is: values belong to the player who moved into the node."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from mcts_viz.trace.players import CHANCE, UNKNOWN, n_players, player_names
from mcts_viz.trace.snapshot import Snapshot


def player_name(meta: Mapping[str, Any], player: int) -> str:
    """Name of a player, "player 0" where the trace has none, "unknown" for −1, "chance" for −2."""
    if player < 0:
        return "chance" if player == CHANCE else "unknown"
    names = player_names(meta)
    return names[player] if player < len(names) else f"player {player}"


WHOEVER = "view of whoever moved there"


def view_of_player_0(meta: Mapping[str, Any], mover: int = 0) -> str:
    """ ", view of X" behind a value that `player_0_value` gives for a node that `mover` moved into;
    nothing where one plays alone, which goes without saying."""
    names = player_names(meta)
    if len(names) == 2 and mover < 0:
        return f", {WHOEVER}"
    return f", view of {names[0]}" if len(names) == 2 else ""


def mover_into(snapshot: Snapshot, node: int) -> int:
    """The player in whose view the node's value is, see `trace.players.movers`; −1 unknown."""
    if n_players(snapshot.meta) == 1:
        return 0
    while node and snapshot.to_move[snapshot.parent[node]] == CHANCE:
        node = int(snapshot.parent[node])
    if node:
        return int(snapshot.to_move[snapshot.parent[node]])
    to_move = int(snapshot.to_move[0])
    return UNKNOWN if to_move < 0 else 1 - to_move


def player_0_value(
    value: npt.NDArray[np.float64],
    mover: npt.NDArray[np.integer[Any]] | int,
    meta: Mapping[str, Any],
) -> npt.NDArray[np.float64]:
    """Mean values turned into the view of player 0: player 1's are mirrored within the range of a
    visit's value. Where nobody knows who moved, they stay as they are."""
    low, high = meta["value_range"]
    return np.where(np.asarray(mover) == 1, low + high - value, value)


def proven_text(meta: Mapping[str, Any], proven: float) -> str | None:
    """A proven result (view of player 0) in words; None for nan, which proves nothing."""
    return None if math.isnan(proven) else outcome_text(meta, float(proven))


def outcome_text(meta: Mapping[str, Any], outcome: float | None) -> str:
    """An outcome (view of player 0) in words: who won; the number where it is no plain win."""
    if outcome is None:
        return "not recorded"
    if n_players(meta) == 1:
        return f"reward {outcome:,.4g}"
    low, high = meta.get("reward_range") or (-1.0, 1.0)
    if outcome == high:
        return f"{player_name(meta, 0)} wins"
    if outcome == low:
        return f"{player_name(meta, 1)} wins"
    if outcome == (low + high) / 2:
        return "draw"
    return f"{outcome:+.3f} for {player_name(meta, 0)}"
