"""Games played at random from a position."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from mcts_viz.health.checked_search import CheckedSearch

LONGEST = 2_000  # moves of a playout


def playout(
    search: CheckedSearch, leaf: Any, draw: random.Random, takes_wins: bool = False
) -> float | None:
    """How a random game ends, −1 to 1 in the view of player 0; None for one that is too long, or of
    which the rules do not tell the outcome. takes_wins: who can win at once does so."""
    rules = search.positions.rules
    state = rules.copy(leaf)
    for _ in range(LONGEST):
        legal = rules.legal_actions(state)
        if not legal:
            outcome = rules.outcome(state)
            return None if outcome is None else float(search.share(outcome, 0))
        move = _winning(search, state, legal) if takes_wins else None
        state = rules.play(state, legal[int(draw.random() * len(legal))] if move is None else move)
    return None


def _winning(search: CheckedSearch, state: Any, legal: Sequence[int]) -> int | None:
    """A move that wins at once; None without one."""
    rules = search.positions.rules
    mover = rules.to_move(state)
    for move in legal:
        outcome = rules.outcome(rules.play(rules.copy(state), move))
        if outcome is not None and float(search.share(outcome, mover)) >= 1.0:
            return move
    return None
