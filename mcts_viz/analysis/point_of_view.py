"""Whose view a value is: values belong to the player who moved into the node."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from mcts_viz.trace.snapshot import Snapshot


def player_name(meta: Mapping[str, Any], player: int) -> str:
    """Name of a player, "player 0" where the trace has none, "unknown" for −1."""
    names = meta.get("players") or []
    if player < 0:
        return "unknown"
    return str(names[player]) if player < len(names) else f"player {player}"


def mover_into(snapshot: Snapshot, node: int) -> int:
    """The player who moved into the node; for the root, the player not to move there; −1
    unknown."""
    if node == 0:
        to_move = int(snapshot.to_move[0])
        return -1 if to_move < 0 else 1 - to_move
    return int(snapshot.to_move[snapshot.parent[node]])


def proven_text(meta: Mapping[str, Any], proven: float) -> str | None:
    """A proven result (view of player 0) in words; None for nan, which proves nothing."""
    return None if math.isnan(proven) else outcome_text(meta, float(proven))


def outcome_text(meta: Mapping[str, Any], outcome: float | None) -> str:
    """An outcome (view of player 0) in words: who won; the number where it is no plain win."""
    if outcome is None:
        return "not recorded"
    low, high = meta.get("reward_range") or (-1.0, 1.0)
    if outcome == high:
        return f"{player_name(meta, 0)} wins"
    if outcome == low:
        return f"{player_name(meta, 1)} wins"
    if outcome == (low + high) / 2:
        return "draw"
    return f"{outcome:+.3f} for {player_name(meta, 0)}"
