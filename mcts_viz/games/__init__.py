"""Games: rules only. No drawing, no search.

`game(name)` finds a built-in one; a name may carry parameters after a colon.
"""

from __future__ import annotations

from collections.abc import Callable

from mcts_viz.errors import GameError
from mcts_viz.games.connect_four import connect_four
from mcts_viz.games.mnk import mnk
from mcts_viz.games.nine_boards import SUDO_TIC_TAC_TOE, ULTIMATE_TIC_TAC_TOE
from mcts_viz.games.rules import Board, FlatGame, Rules
from mcts_viz.games.tic_tac_toe import TIC_TAC_TOE

__all__ = ["GAMES", "LISTED", "Board", "FlatGame", "Rules", "game", "names"]

GAMES: dict[str, Callable[..., FlatGame]] = {
    "tic_tac_toe": lambda: TIC_TAC_TOE,
    "mnk": mnk,
    "connect_four": connect_four,
    "sudo_tic_tac_toe": lambda: SUDO_TIC_TAC_TOE,
    "ultimate_tic_tac_toe": lambda: ULTIMATE_TIC_TAC_TOE,
}
PARAMETERS = {"mnk": "M,N,K", "connect_four": "ROWS,COLS"}  # of the families that take some
EXAMPLES = {"mnk": "mnk:5,5,4", "connect_four": "connect_four:6,7"}

# names to choose from where a person cannot write one
LISTED = (
    "tic_tac_toe",
    "mnk:5,5,4",
    "mnk:15,15,5",
    "connect_four",
    "connect_four:7,7",
    "sudo_tic_tac_toe",
    "ultimate_tic_tac_toe",
)


def names() -> list[str]:
    """What a user may write, parameters included: "mnk:M,N,K"."""
    ways = []
    for family in GAMES:
        if family != "mnk":  # has no board of its own
            ways.append(family)
        if family in PARAMETERS:
            ways.append(f"{family}:{PARAMETERS[family]}")
    return ways


def game(name: str) -> FlatGame:
    """The built-in game of that name, such as "tic_tac_toe" or "mnk:5,5,4"; raises GameError with the
    names there are."""
    family, colon, text = name.partition(":") if isinstance(name, str) else ("", "", "")
    if family not in GAMES:
        raise GameError(f"game {name!r} is not known; choose one of: {', '.join(names())}")
    example = EXAMPLES.get(family, family)
    try:
        parameters = [int(part) for part in text.split(",")] if colon else []
    except ValueError as err:
        raise GameError(
            f"game {name!r}: {text!r} is not a list of whole numbers; write {example}"
        ) from err
    try:
        return GAMES[family](*parameters)
    except TypeError as err:
        wrong = f"does not take the parameters {text!r}" if colon else "needs parameters"
        raise GameError(f"game {name!r}: {family} {wrong}; write {example}") from err
