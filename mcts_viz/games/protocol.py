"""What a game of the user's own has to offer: six methods and two attributes.

States may be any Python objects: the search only hands them from one method to the next. Knows
nothing of how the search keeps them, see `own`, nor of how the methods are tested, see `contract`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

METHODS = ("initial_state", "to_move", "legal_actions", "play", "outcome", "action_name")
ATTRIBUTES = ("name", "n_actions")


class Game(Protocol):
    """A game of two players with perfect information and without chance.

    Players are 0 and 1, and need not alternate; actions are ints from 0 to n_actions − 1, the same
    ones in every position. `str(state)` is the position as people see it, on the page as well: give
    states of a class of your own a `__str__`.

    A game may also have these attributes: `title`, its readable name (`name` where there is none);
    `players`, two symbols (("X", "O")); `max_moves`, which no game is longer than (1,000);
    `reward_range`, the least and the greatest outcome, one the negative of the other ((-1, 1)).

    `mcts_viz.testing.check_game` tests all of this.
    """

    @property
    def name(self) -> str:
        """What traces call the game; not a built-in game's name."""
        ...

    @property
    def n_actions(self) -> int:
        """How many different actions there are, 32,767 at most."""
        ...

    def initial_state(self) -> Any:
        """The first position, the same one at every call."""
        ...

    def to_move(self, state: Any) -> int:
        """The player to move, 0 or 1; also asked where the game is over."""
        ...

    def legal_actions(self, state: Any) -> Sequence[int]:
        """The actions that the player to move has, each once, in the same order at every call; one
        at least. Not asked where the game is over."""
        ...

    def play(self, state: Any, action: int) -> Any:
        """The position after that legal action; `state` itself must stay as it was, and the same
        action must lead to the same position every time."""
        ...

    def outcome(self, state: Any) -> float | None:
        """None while the game goes on. At its end the result in the view of player 0, in
        `reward_range`: above 0 a win, 0 a draw, below 0 a loss, which is what the scores of a
        preset (win, draw, loss) are given for."""
        ...

    def action_name(self, action: int) -> str:
        """A readable name for the action, another one for each."""
        ...
