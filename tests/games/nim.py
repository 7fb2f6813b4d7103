"""Nim with any heaps: a user's own game, which tests record and break."""

from __future__ import annotations

from typing import Any, NamedTuple

LARGEST = 7  # heap


class Heaps(NamedTuple):
    """A position."""

    stones: tuple[int, ...]
    player: int

    def __str__(self) -> str:
        return f"{' '.join(map(str, self.stones))}, {'AB'[self.player]} to move"


class Nim:
    """Take stones from one heap; who takes the last stone of all wins."""

    name = "nim"
    title = "Nim"
    players = ("A", "B")
    max_moves = 21

    def __init__(self, *stones: int) -> None:
        self.stones = stones or (2, 1)
        self.n_actions = len(self.stones) * LARGEST

    def initial_state(self) -> Any:
        return Heaps(self.stones, 0)

    def to_move(self, state: Any) -> Any:
        return state.player

    def legal_actions(self, state: Any) -> Any:
        return [LARGEST * h + k for h, left in enumerate(state.stones) for k in range(left)]

    def play(self, state: Any, action: int) -> Any:
        heap, taken = divmod(action, LARGEST)
        left = list(state.stones)
        left[heap] -= taken + 1
        return Heaps(tuple(left), 1 - state.player)

    def outcome(self, state: Any) -> Any:
        if any(state.stones):
            return None
        return 1.0 if state.player == 1 else -1.0

    def action_name(self, action: int) -> Any:
        heap, taken = divmod(action, LARGEST)
        return f"{taken + 1} of heap {heap + 1}"
