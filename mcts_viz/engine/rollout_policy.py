"""A user's own rule of the moves of a simulation: a function of Python, whose answers are checked."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mcts_viz.errors import SearchError
from mcts_viz.games import FlatGame
from mcts_viz.games.rules import Buffer, LegalActions, State

# (position, legal actions, ascending) -> one of them. The position is the game's own state: the user's object, or the
# list of ints of a built-in game
RolloutPolicy = Callable[[State, Sequence[int]], int]


def own_draw(policy: RolloutPolicy, game: FlatGame) -> Callable[..., int]:
    """A move of a simulation, as `Rules.draw`."""
    name = getattr(policy, "__name__", type(policy).__name__)

    def draw(state: State, share: float, out: Buffer, actions: LegalActions) -> int:
        n = actions(state, out)
        legal = [int(action) for action in out[:n]]
        # a game in plain Python carries the user's own state first
        try:
            found = policy(list(state) if game.compilable else state[0], legal)
        except Exception as err:
            raise SearchError(
                f"simulation {name} fails: {type(err).__name__}: {err}; it is called with a position and the list of "
                "its legal actions, and returns one of them"
            ) from err
        try:
            action = int(found)
        except (TypeError, ValueError, OverflowError):
            action = -1
        if action not in legal or action != found:
            raise SearchError(
                f"simulation {name} returned {found!r}; it must return one of the legal actions, here {legal}"
            )
        return action

    return draw
