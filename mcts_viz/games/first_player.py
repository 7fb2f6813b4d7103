"""Who begins: the same rules with the second player's symbol moving first, as O in Tic-Tac-Toe."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace

from mcts_viz.errors import GameError
from mcts_viz.games.rules import Board, FlatGame

RANDOM = "random"


def begun_by(game: FlatGame, who: str | None, seed: int | None = None) -> FlatGame:
    """The game with that symbol moving first, "random" drawn by the seed, None as it is. Raises GameError for another
    symbol, and for a game without a board, whose own texts would not follow."""
    if who is None:
        return game
    first, second = game.players
    known = {first.casefold(): first, second.casefold(): second}
    if who == RANDOM:
        who = random.Random(seed).choice([first, second])
    if who.casefold() not in known:
        raise GameError(
            f"begins = {who!r}: no such side here; choose one of: {first}, {second}, {RANDOM}"
        )
    if known[who.casefold()] == first:
        return game
    if game.board is None:
        raise GameError(
            f"begins = {who!r}: {game.name} says itself who begins; leave begins out, or change its players"
        )
    return replace(game, players=(second, first), board=_turned(game.board, game.players))


def as_told(game: FlatGame, players: Sequence[str]) -> FlatGame:
    """The game with its first player as a trace has it: the second symbol may begin."""
    turned = tuple(players) == game.players[::-1] and game.board is not None
    return begun_by(game, players[0]) if turned else game


def _turned(
    board: Callable[[Sequence[int]], Board], symbols: tuple[str, str]
) -> Callable[[Sequence[int]], Board]:
    """Boards with each of the two symbols in the other one's place."""
    other = dict(zip(symbols, symbols[::-1]))

    def turned(actions: Sequence[int]) -> Board:
        made = board(actions)
        return made._replace(
            symbols=[other.get(symbol, symbol) for symbol in made.symbols],
            owners=[other.get(owner, owner) for owner in made.owners],
        )

    return turned
