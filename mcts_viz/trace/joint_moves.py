"""Names of moves that all players make at once: one for each, side by side."""

from __future__ import annotations

from collections.abc import Sequence

BETWEEN = " | "  # two players' moves


def joint_label(moves: Sequence[str]) -> str:
    """The label of a node from the name of each player's move."""
    return BETWEEN.join(move.replace(BETWEEN.strip(), "¦") for move in moves)


def moves_in(label: str, n_players: int) -> list[str] | None:
    """The name of each player's move; None for a label that has not one for each."""
    moves = label.split(BETWEEN)
    return moves if len(moves) == n_players else None
