"""Moves, and other lists, as they are written on a command line."""

from __future__ import annotations


def moves(text: str) -> list[str]:
    """What stands between commas."""
    return [move.strip() for move in text.split(",") if move.strip()]
