"""Games: rules only. No drawing, no search.

`game(name)` finds a built-in one; a name may carry parameters after a colon. `any_game` takes a
user's own, too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from mcts_viz.errors import GameContractError, GameError
from mcts_viz.games.connect_four import connect_four
from mcts_viz.games.contract import check_rules
from mcts_viz.games.mnk import mnk
from mcts_viz.games.nine_boards import SUDO_TIC_TAC_TOE, ULTIMATE_TIC_TAC_TOE
from mcts_viz.games.own import OwnRules, flat_game, looks_like_a_game
from mcts_viz.games.protocol import Game
from mcts_viz.games.rules import Board, FlatGame, Rules
from mcts_viz.games.tic_tac_toe import TIC_TAC_TOE

__all__ = [
    "GAMES",
    "LISTED",
    "Board",
    "FlatGame",
    "Game",
    "Rules",
    "any_game",
    "game",
    "names",
    "own_rules",
]

GAMES: dict[str, Callable[..., FlatGame]] = {
    "tic_tac_toe": lambda: TIC_TAC_TOE,
    "mnk": mnk,
    "connect_four": connect_four,
    "sudo_tic_tac_toe": lambda: SUDO_TIC_TAC_TOE,
    "ultimate_tic_tac_toe": lambda: ULTIMATE_TIC_TAC_TOE,
}
PARAMETERS = {"mnk": "M,N,K", "connect_four": "ROWS,COLS"}  # of the families that take some
EXAMPLES = {"mnk": "mnk:5,5,4", "connect_four": "connect_four:6,7"}

# names for a menu, where no size can be typed
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


AnyGame: TypeAlias = str | Game | FlatGame  # by a built-in one's name, or itself


def any_game(wanted: AnyGame) -> FlatGame:
    """The game that a user means: by a built-in one's name, or by the game itself, which is tested
    with a few playouts. Raises GameError with the names there are, GameContractError for a game that
    breaks its contract."""
    if isinstance(wanted, FlatGame):
        return wanted
    if isinstance(wanted, str) or not looks_like_a_game(wanted):
        return game(wanted)  # type: ignore[arg-type]  # which says what may be given
    rules = own_rules(wanted)
    check_rules(rules)
    return flat_game(rules)


def own_rules(own: Game) -> OwnRules:
    """The checked rules of a user's game. Raises GameContractError where it lacks something, or has
    the name of a built-in game, whose boards the page would draw for it."""
    rules = OwnRules(own)
    if rules.name.partition(":")[0] in GAMES:
        raise GameContractError(
            f"{type(own).__name__}: name = {rules.name!r} is the name of a built-in game; give it another one"
        )
    return rules
