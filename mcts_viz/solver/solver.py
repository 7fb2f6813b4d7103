"""What a position is worth when both sides play perfectly, within a stated number of positions.

Nothing is guessed: a position that the budget does not settle stays unknown.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mcts_viz.games import FlatGame
from mcts_viz.games.rules import State
from mcts_viz.solver import plain
from mcts_viz.solver.alpha_beta import HORIZON, NO_ACTION, Stack, Table
from mcts_viz.solver.compilation import compiled

SLOTS = 1 << 20  # of the transposition table: 26 MB
# a game that cannot be compiled takes some hundred times as long for a position
INTERPRETED_SHARE = 100
MOST_PLIES = HORIZON // 2
USUAL_WORK = 800_000_000  # some three seconds of a core
FIXED_WORK = 20  # of a position, whatever its size


def usual_limit(game: FlatGame) -> int:
    """Positions that are looked at in some three seconds: 26 million of Connect Four, 6 million of
    Ultimate Tic-Tac-Toe. The same on every machine."""
    return USUAL_WORK // (FIXED_WORK + game.state_size + game.n_actions)


class Solution(NamedTuple):
    """What is known of a position."""

    result: int | None  # view of player 0: 1 a win, 0 a draw, −1 a loss; None: not known
    plies: (
        int | None
    )  # to the end, the winner hurrying and the loser delaying; None: not known, or a draw
    looked_at: int  # positions, finished games aside


class Solver:
    """Solves positions of one game; remembers what it has seen, so that neighbours come cheaper.

    The same questions in the same order have the same answers and cost the same: no clock is asked.
    """

    def __init__(self, game: FlatGame) -> None:
        self.game = game
        self._compiled: _Compiled | None = _Compiled(game) if game.compilable else None

    def solve(self, state: State, ply: int, limit: int, distance: bool = False) -> Solution:
        """The result of a position after `ply` moves from the first one that this solver is asked
        about, looking at no more than `limit` positions, a hundredth of it for a game that is not
        compiled. `distance`: also how many plies are left, from what remains of the limit."""
        if ply + self.game.max_moves > MOST_PLIES:
            return Solution(None, None, 0)
        value, looked_at, done = self._search(state, ply, -1, 1, limit)
        if not done:
            return Solution(None, None, looked_at)
        result = (value > 0) - (value < 0)
        if result == 0 or not distance:
            return Solution(result, None, looked_at)
        window = (0, HORIZON) if result > 0 else (-HORIZON, 0)
        value, more, done = self._search(state, ply, *window, limit - looked_at)
        plies = HORIZON - abs(value) - ply if done else None
        return Solution(result, plies, looked_at + more)

    def _search(
        self, state: State, ply: int, alpha: int, beta: int, limit: int
    ) -> tuple[int, int, bool]:
        if self._compiled is not None:
            return self._compiled.search(state, ply, alpha, beta, limit)
        few = max(limit // INTERPRETED_SHARE, 0)
        value, looked_at, done = plain.search(self.game, state, ply, alpha, beta, few)
        return value, looked_at * INTERPRETED_SHARE, done


class _Compiled:
    """A game's compiled search with its memory."""

    def __init__(self, game: FlatGame) -> None:
        self._solve = compiled(game)
        rows, actions = game.max_moves + 2, game.n_actions
        self._stack = Stack(
            state=np.zeros((rows, game.state_size), np.int64),
            move=np.zeros((rows, actions + 1), np.int64),
            n_moves=np.zeros(rows, np.int64),
            tried=np.zeros(rows, np.int64),
            window=np.zeros((rows, 2), np.int64),
            alpha=np.zeros(rows, np.int64),
            beta=np.zeros(rows, np.int64),
            best=np.zeros(rows, np.int64),
            choice=np.zeros(rows, np.int64),
            first_key=np.zeros(rows, np.uint64),
            second_key=np.zeros(rows, np.uint64),
            history=np.zeros((2, actions), np.int64),
        )
        self._table = Table(
            first_key=np.zeros(SLOTS, np.uint64),
            second_key=np.zeros(SLOTS, np.uint64),
            low=np.full(SLOTS, -HORIZON, np.int32),
            high=np.full(SLOTS, HORIZON, np.int32),
            action=np.full(SLOTS, NO_ACTION, np.int16),
        )

    def search(
        self, state: State, ply: int, alpha: int, beta: int, limit: int
    ) -> tuple[int, int, bool]:
        """As `alpha_beta.solve`."""
        self._stack.state[0, :] = state
        value, looked_at, done = self._solve(self._stack, self._table, ply, alpha, beta, limit)
        return int(value), int(looked_at), bool(done)
