"""The rules of a trace's own game, for the checks that need them: ties games to `analysis`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from mcts_viz import games
from mcts_viz.errors import GameError


class GameReferee:
    """Asks the rules of a game from the position after `start` on."""

    def __init__(self, game: games.FlatGame, start: Sequence[int]) -> None:
        self._game = game
        self._start, _ = game.position(start)

    def start(self) -> Any:
        """A fresh state of the root's position."""
        return list(self._start)

    def copy(self, state: Any) -> Any:
        """A list with the same elements, as the search's own: rules replace them, and change none."""
        return list(state)

    def play(self, state: Any, action: int) -> Any:
        """The state after a legal action, changed in place."""
        self._game.rules.play(state, action)
        return state

    def legal_actions(self, state: Any) -> list[int]:
        """None where the game is over."""
        return self._game.legal(state)

    def to_move(self, state: Any) -> int:
        """0 or 1."""
        return self._game.rules.to_move(state)

    def outcome(self, state: Any) -> float | None:
        """View of player 0; None while the game goes on."""
        outcome = float(self._game.rules.outcome(state))
        return None if math.isnan(outcome) else outcome


def referee_of(
    meta: Mapping[str, Any], game: games.Game | games.FlatGame | None = None
) -> GameReferee | None:
    """Who knows the rules of a trace's game: see `game_of`; None where nobody does."""
    found = game_of(meta, game)
    return None if found is None else GameReferee(*found)


def game_of(
    meta: Mapping[str, Any], game: games.Game | games.FlatGame | None = None
) -> tuple[games.FlatGame, list[int]] | None:
    """The game of a trace and the actions to its root: `game`, else the built-in game that the
    metadata name; None where there is none, or its start position is not one of that game."""
    name = str(meta.get("game", {}).get("name", ""))
    if game is None and name.partition(":")[0] not in games.GAMES:
        return None
    try:
        played = games.any_game(name if game is None else game)
        start = [int(action) for action in meta.get("start") or []]
        played.position(start)
        return played, start
    except GameError:
        return None
