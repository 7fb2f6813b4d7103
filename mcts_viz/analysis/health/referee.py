"""Somebody who knows the rules of the trace's game: some checks need one, and analysis has none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol


class Referee(Protocol):
    """The rules, asked position by position. A state is whatever `start` gives."""

    def start(self) -> Any:
        """A fresh state of the trace's root position."""
        ...

    def copy(self, state: Any) -> Any:
        """The same position again: playing on from one leaves the other as it is."""
        ...

    def play(self, state: Any, action: int) -> Any:
        """The state after a legal action; may change the one given."""
        ...

    def legal_actions(self, state: Any) -> Sequence[int]:
        """None where the game is over."""
        ...

    def to_move(self, state: Any) -> int:
        """0 or 1."""
        ...

    def outcome(self, state: Any) -> float | None:
        """View of player 0; None while the game goes on."""
        ...
