"""Game-theoretic values of the positions of a trace: the solver, asked by the moves from its start
position."""

from __future__ import annotations

from collections.abc import Sequence

from mcts_viz.games import FlatGame, Game
from mcts_viz.games.position import StartPosition, start_position
from mcts_viz.solver.solver import Solution, Solver, usual_limit


class SolvedPositions:
    """Solves the positions that follow a start position. A position is named by the actions from there
    to it. Not for several threads at once."""

    def __init__(self, start: StartPosition) -> None:
        self._start = start
        self._solver = Solver(start.game)

    @property
    def limit(self) -> int:
        """Positions, for some three seconds of work."""
        return usual_limit(self._start.game)

    def legal_actions(self, actions: Sequence[int]) -> Sequence[int] | None:
        """None for moves that the rules do not allow; none where the game is over."""
        state = self._start.after(actions)
        return None if state is None else self._start.legal_actions(state)

    def to_move(self, actions: Sequence[int]) -> int:
        """0 or 1."""
        return self._start.to_move(self._start.after(actions))

    def solve(self, actions: Sequence[int], limit: int, distance: bool) -> Solution:
        """The game-theoretic value, looking at `limit` positions at most; `distance`: its plies, too."""
        state = self._start.after(actions)
        if state is None:
            return Solution(None, None, 0)
        return self._solver.solve(state, len(actions), limit, distance)


def solved_positions(
    name: str, moves: Sequence[int], game: Game | FlatGame | None = None
) -> SolvedPositions | None:
    """The solver for the positions that follow some moves; None where its game's rules are not known."""
    start = start_position(name, moves, game)
    return None if start is None else SolvedPositions(start)
