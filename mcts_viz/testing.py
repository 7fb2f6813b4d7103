"""Contract tests that others can import: does a game keep what `mcts_viz.Game` promises?

Needs no test runner: a check returns nothing, or raises an error that says what is wrong.
"""

from __future__ import annotations

import numbers

from mcts_viz.errors import GameError
from mcts_viz.games import FlatGame, Game, own_rules
from mcts_viz.games.contract import FlatAsGame, check_rules
from mcts_viz.games.own import OwnRules

__all__ = ["check_game"]


def check_game(game: Game | FlatGame, playouts: int = 100, seed: int = 0) -> None:
    """Test a game by random playouts; the same seed plays the same ones.

    Every answer of its methods must be one that the contract allows; `play` must leave the state it
    is given as it was, give states that share nothing which a move changes, and give the same one
    again for the same action; the other methods must depend on the state alone; a game must end
    within `max_moves` moves. In every position on the way all legal actions are tried, so the cost
    grows with their number. `legal_actions` is not asked where the game is over.

    Positions are compared by what the methods and `str(state)` say of them: the more the text
    shows, the more is found.

    Raises GameContractError, which names the method, the position and what to do.
    """
    if not isinstance(playouts, numbers.Integral) or isinstance(playouts, bool) or playouts < 1:
        raise GameError(f"playouts = {playouts!r} is not a whole number from 1 up; give one")
    rules = OwnRules(FlatAsGame(game)) if isinstance(game, FlatGame) else own_rules(game)
    check_rules(rules, int(playouts), seed, actions=None)
