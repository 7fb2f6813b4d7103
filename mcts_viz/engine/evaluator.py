"""Evaluators: functions that give a position's value and its moves' priors, in place of a rollout.

A user's own is a function of Python, called with what it can read; what it says is checked, for a
wrong prior would only show as a strange tree.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from mcts_viz.errors import SearchError
from mcts_viz.games import FlatGame
from mcts_viz.games.evaluators import default_evaluator, evaluator
from mcts_viz.games.rules import Buffer, State
from mcts_viz.types import Floats

# (position, legal actions ascending or in the order of expansion) -> a prior for each of them, which
# add up to 1, and the position's value in [-1, 1] in the view of the player to move. The position is
# the game's own state: the user's object, or the list of ints of a built-in game
Evaluator = Callable[[State, list[int]], tuple[Sequence[float], float]]
SUM_ERROR = 1e-3  # that priors may be off by: a network's are float32


def no_evaluator(state: State, actions: Buffer, n: int, priors: Floats) -> float:
    """No priors and no value."""
    for k in range(n):
        priors[k] = math.nan
    return math.nan


def evaluator_name(wanted: str | Evaluator | None, needed: bool, game: FlatGame) -> Any:
    """The evaluator of a search: what the user wants, the game's own where one is needed and none
    is given; raises SearchError or GameError for an unknown name."""
    if wanted is None:
        return default_evaluator(game) if needed else None
    if isinstance(wanted, str):
        evaluator(wanted, game)
    return wanted


def evaluate_function(wanted: str | Evaluator | None, game: FlatGame) -> Callable[..., float]:
    """The function that the phases call."""
    if wanted is None:
        return no_evaluator
    return evaluator(wanted, game) if isinstance(wanted, str) else _checked(wanted, game)


def _checked(function: Evaluator, game: FlatGame) -> Callable[..., float]:
    name = getattr(function, "__name__", type(function).__name__)

    def evaluate(state: State, actions: Buffer, n: int, priors: Floats) -> float:
        legal = [int(action) for action in actions[:n]]
        # a game in plain Python carries the user's own state first
        position = list(state) if game.compilable else state[0]
        found = function(position, legal)
        try:
            given, value = found
            given = [float(prior) for prior in given]
            value = float(value)
        except (TypeError, ValueError) as err:
            raise SearchError(
                f"evaluator {name} returned {found!r}; it must return (a prior for each legal action, value)"
            ) from err
        if len(given) != n or not all(0.0 <= prior <= 1.0 for prior in given):
            raise SearchError(
                f"evaluator {name} returned the priors {given!r} for the {n} legal actions {legal}; "
                "give a number from 0 to 1 for each"
            )
        if abs(sum(given) - 1.0) > SUM_ERROR:
            raise SearchError(
                f"evaluator {name} returned priors that add up to {sum(given):g}; divide them by their sum"
            )
        if not -1.0 <= value <= 1.0:
            raise SearchError(
                f"evaluator {name} returned the value {value!r}; it must be in [-1, 1], in the view of "
                "the player to move"
            )
        priors[:n] = given
        return value

    return evaluate
