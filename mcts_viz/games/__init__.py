"""Games: rules only. No drawing, no search.

`game(name)` finds a built-in one; a name may carry parameters after a colon.
"""

from __future__ import annotations

from collections.abc import Callable

from mcts_viz.errors import GameError
from mcts_viz.games.connect_four import connect_four
from mcts_viz.games.rules import Board, Game, Rules
from mcts_viz.games.tic_tac_toe import TIC_TAC_TOE

__all__ = ["GAMES", "Board", "Game", "Rules", "game"]

GAMES: dict[str, Callable[..., Game]] = {
    "tic_tac_toe": lambda: TIC_TAC_TOE,
    "connect_four": connect_four,
}


def game(name: str) -> Game:
    """The built-in game of that name, such as "tic_tac_toe"; raises GameError with the names there
    are."""
    family, _, text = name.partition(":") if isinstance(name, str) else ("", "", "")
    if family not in GAMES:
        raise GameError(f"game {name!r} is not known; choose one of: {', '.join(GAMES)}")
    try:
        parameters = [int(part) for part in text.split(",")] if text else []
    except ValueError as err:
        raise GameError(
            f"game {name!r}: {text!r} is not a list of whole numbers; write one such as connect_four:6,7"
        ) from err
    try:
        return GAMES[family](*parameters)
    except TypeError as err:
        raise GameError(
            f"game {name!r}: {family} does not take the parameters {text!r}; leave them out, "
            "or write as many as in connect_four:6,7"
        ) from err
