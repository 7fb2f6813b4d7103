"""What is forced within a few moves: wins and losses in one and two moves, found by looking at every
line. Any rules will do, for so few moves need neither a table nor a compiler.
"""

from __future__ import annotations

from typing import NamedTuple

from mcts_viz.games import FlatGame
from mcts_viz.games.rules import State

WIN_1, LOSS_1, WIN_2, LOSS_2 = "win in 1", "loss in 1", "win in 2", "loss in 2"
LOST_1, LOST_2 = "lost in 1", "lost in 2"
TASKS = (WIN_1, LOSS_1, WIN_2, LOSS_2)  # that some moves solve, and others do not
LOST = (LOST_1, LOST_2)  # whatever is played


class Task(NamedTuple):
    """A position in which something is forced."""

    kind: str  # one of TASKS or LOST
    right: frozenset[
        int
    ]  # actions that win, or do not lose, within that many moves; none where lost


class OutOfLooksError(Exception):
    """There is no answer within the limit."""


class Tactics:
    """Looks at positions of one game, `looks` of them at most in all."""

    def __init__(self, game: FlatGame, looks: int) -> None:
        self.game, self.looks = game, looks

    def task(self, state: State, moves: int = 2) -> Task | None:
        """What is forced within one move of each side, or two; None for nothing, and where the limit
        does not settle it."""
        try:
            return self._task(state, moves)
        except OutOfLooksError:
            return None

    def _task(self, state: State, moves: int) -> Task | None:
        rules = self.game.rules
        sign = 1 if rules.to_move(state) == 0 else -1
        after = {action: self.after(state, action) for action in self.game.legal(state)}
        for each, win, loss, lost in ((1, WIN_1, LOSS_1, LOST_1), (2, WIN_2, LOSS_2, LOST_2)):
            if each > moves:
                break
            plies = 2 * each - 2
            won = {a for a in after if sign * self.forced(after[a], plies) > 0}
            if won:
                return Task(win, frozenset(won)) if len(won) < len(after) else None
            bad = {a for a in after if sign * self.forced(after[a], plies + 1) < 0}
            if bad:
                every = len(bad) == len(after)
                return Task(lost if every else loss, frozenset(after) - bad)
        return None

    def after(self, state: State, action: int) -> State:
        """The position after a move; counts."""
        if self.looks <= 0:
            raise OutOfLooksError
        self.looks -= 1
        position = list(state)
        self.game.rules.play(position, action)
        return position

    def forced(self, state: State, plies: int) -> int:
        """Who wins by force within that many plies, view of player 0: 1, −1, or 0 for neither. Raises
        OutOfLooksError."""
        rules = self.game.rules
        outcome = rules.outcome(state)
        if outcome == outcome:  # not RUNNING, which is nan
            return int(outcome > 0) - int(outcome < 0)
        if plies == 0:
            return 0
        sign = 1 if rules.to_move(state) == 0 else -1
        best = -sign
        for action in self.game.legal(state):
            best = sign * max(sign * best, sign * self.forced(self.after(state, action), plies - 1))
            if best == sign:
                break
        return best
