"""Alpha-beta search for games whose rules are plain Python and whose states are any objects: nothing to
compile, and no table, as it is not known which states are equal."""

from __future__ import annotations

from mcts_viz.games import FlatGame
from mcts_viz.games.rules import State
from mcts_viz.solver.alpha_beta import HORIZON

MOST_DEEP = 400  # moves looked ahead: each is a call inside a call


class _OutOfBudgetError(Exception):
    """There is no answer within the limit."""


def search(
    game: FlatGame, state: State, ply: int, alpha: int, beta: int, limit: int
) -> tuple[int, int, bool]:
    """As `alpha_beta.solve`."""
    rules = game.rules
    looked_at = 0

    def score(position: State, depth: int, alpha: int, beta: int) -> int:
        nonlocal looked_at
        outcome = rules.outcome(position)
        if outcome == outcome:  # not RUNNING, which is nan
            return int((outcome > 0) - (outcome < 0)) * (HORIZON - ply - depth)
        if looked_at >= limit or depth == MOST_DEEP:
            raise _OutOfBudgetError
        looked_at += 1
        sign = 1 if rules.to_move(position) == 0 else -1
        best = -sign * HORIZON
        for action in game.legal(position):
            after = list(position)
            rules.play(after, action)
            value = score(after, depth + 1, alpha, beta)
            if sign * value > sign * best:
                best = value
            if sign > 0:
                alpha = max(alpha, best)
            else:
                beta = min(beta, best)
            if alpha >= beta:
                break
        return best

    try:
        return score(list(state), 0, alpha, beta), looked_at, True
    except _OutOfBudgetError:
        return 0, looked_at, False
