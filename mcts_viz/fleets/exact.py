"""Results with best play of a search's root moves: what the search has proven, and what the solver finds."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from mcts_viz.games import game as game_named
from mcts_viz.games.position import StartPosition
from mcts_viz.solver.solver import Solver
from mcts_viz.trace.meta import TraceMeta
from mcts_viz.trace.snapshot import Snapshot
from mcts_viz.types import Ints

WIN = 1.0


class ExactResults(NamedTuple):
    """Exact results from −1, a loss, to 1, a win, in the view of the player to move at the root."""

    position: float | None  # None: not known
    after: Mapping[int, float]  # by action id of a root move

    def regret(self, action: int | None) -> float | None:
        """What a move gives away, a win worth 1, a draw ½, a loss 0; None where that is not known."""
        after = None if action is None else self.after.get(action)
        return None if after is None or self.position is None else (self.position - after) / 2.0


def exact_results(
    last: Snapshot, children: Ints, rules: StartPosition | None, limit: int
) -> ExactResults:
    """limit: positions that the solver may look at for each move; 0: only what the search has proven."""
    meta = last.meta
    proven = last.outcome if last.proven is None else last.proven
    after = {
        int(last.action[child]): share(meta, float(proven[child]))
        for child in children.tolist()
        if not np.isnan(proven[child])
    }
    position = None if np.isnan(proven[0]) else share(meta, float(proven[0]))
    if limit > 0 and rules is not None and meta.n_players == 2:
        solver = _solver(meta.game.name)
        for action in rules.legal:
            state = rules.child(rules.state(), action)
            result = solver.solve(state, len(rules.actions) + 1, limit).result
            if result is not None:
                after[action] = float(-result if meta.root.to_move == 1 else result)
    if WIN in after.values():
        return ExactResults(WIN, after)
    if rules is not None and after.keys() >= set(rules.legal) and after:
        position = max(after.values())
    return ExactResults(position, after)


def share(meta: TraceMeta, outcome: float) -> float:
    """An outcome, view of player 0, from −1, a loss, to 1, a win, in the view of the player to move at the root."""
    low, high = meta.reward_range
    told = (2.0 * outcome - low - high) / (high - low)
    return 0.0 - told if meta.root.to_move == 1 and meta.n_players == 2 else told  # no −0 of a draw


@lru_cache(maxsize=2)  # of 26 MB each; what it has seen helps with the next position
def _solver(name: str) -> Solver:
    return Solver(game_named(name))
