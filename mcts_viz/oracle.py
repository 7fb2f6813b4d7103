"""The exact results of a trace's own game, as far as they can be solved: ties the solver to `analysis`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mcts_viz import games
from mcts_viz.analysis.truth import Exact
from mcts_viz.referee import game_of
from mcts_viz.solver.solver import Solver, usual_limit


class GameOracle:
    """Solves positions of a game from the position after `start` on. Not for several threads at
    once."""

    def __init__(self, game: games.FlatGame, start: Sequence[int]) -> None:
        self._game = game
        self._start, _ = game.position(start)
        self._solver = Solver(game)

    @property
    def limit(self) -> int:
        """Positions, for some three seconds of work."""
        return usual_limit(self._game)

    def legal_actions(self, actions: Sequence[int]) -> Sequence[int] | None:
        """None for moves that the rules do not allow; none where the game is over."""
        state = self._state(actions)
        return None if state is None else self._game.legal(state)

    def to_move(self, actions: Sequence[int]) -> int:
        """0 or 1."""
        return int(self._game.rules.to_move(self._state(actions)))

    def solve(self, actions: Sequence[int], limit: int, distance: bool) -> Exact:
        """The exact result, looking at `limit` positions at most; `distance`: its plies, too."""
        state = self._state(actions)
        if state is None:
            return Exact(None, None, 0)
        return Exact(*self._solver.solve(state, len(actions), limit, distance))

    def _state(self, actions: Sequence[int]) -> list[Any] | None:
        state = list(self._start)
        for action in actions:
            if action not in self._game.legal(state):
                return None
            self._game.rules.play(state, action)
        return state


def oracle_of(
    meta: Mapping[str, Any], game: games.Game | games.FlatGame | None = None
) -> GameOracle | None:
    """Who solves a trace's positions, by the rules that `referee_of` finds; None where there are
    none."""
    found = game_of(meta, game)
    return None if found is None else GameOracle(*found)
