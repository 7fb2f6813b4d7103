"""Games played at random from a position, compiled by numba where there are many of a game that can be.

One source serves both, and so do the random numbers: which of them played, the ends do not tell.
"""

from __future__ import annotations

import math
import sys
import types
from collections.abc import Callable
from functools import cache, partial

import numpy as np

from mcts_viz.compiling.jit import (
    Compiled,
    is_kept,
    jit_entry,
    jit_part,
    numba_error,
    plain,
    sources_digest,
    with_globals,
)
from mcts_viz.games import rules
from mcts_viz.games.rules import Buffer, FlatGame, LegalActions, State, draw_from_list
from mcts_viz.types import Document, Floats

LONGEST = 2_000  # moves of a game
# moves played as they are, from which on compiled code is loaded where there is some, and made where there is none
WORTH_LOADING = 30_000
WORTH_COMPILING = 200_000


def winning_move(
    state: State,
    n_legal: int,
    legal: Buffer,
    trial: State,
    wins: Buffer,
    play: Callable[[State, int], None],
    outcome: Callable[[State], float],
    to_move: Callable[[State], int],
) -> int:
    """The first of the legal moves after which the mover has won; −1 without one. wins: [2] the outcome, view of
    player 0, that each player wins with."""
    mover = to_move(state)
    for i in range(n_legal):
        for k in range(len(state)):
            trial[k] = state[k]
        play(trial, legal[i])
        if outcome(trial) == wins[mover]:
            return int(legal[i])
    return -1


def play_at_random(
    start: State,
    state: State,
    trial: State,
    legal: Buffer,
    wins: Buffer,
    takes_wins: bool,
    rng: np.random.Generator,
    ends: Floats,
    play: Callable[[State, int], None],
    legal_actions: LegalActions,
    outcome: Callable[[State], float],
    to_move: Callable[[State], int],
    draw: Callable[[State, float, Buffer, LegalActions], int],
) -> int:
    """Play a game from `start` for each of the ends, [n], which get the outcomes in the view of player 0; nan for one
    of more than LONGEST moves. Returns how many moves were played. state, trial, legal: room to work in."""
    moves = 0
    for game in range(len(ends)):
        for k in range(len(start)):
            state[k] = start[k]
        end = outcome(state)
        length = 0
        while math.isnan(end) and length < LONGEST:
            action = -1
            if takes_wins:
                n_legal = legal_actions(state, legal)
                action = winning_move(state, n_legal, legal, trial, wins, play, outcome, to_move)
            if action < 0:
                action = draw(state, rng.random(), legal, legal_actions)
            play(state, action)
            length += 1
            end = outcome(state)
        ends[game] = end
        moves += length
    return moves


class RandomPlay:
    """Games at random of one game. seed: the same has the same games."""

    def __init__(self, game: FlatGame, seed: int) -> None:
        self._game, self._rng = game, np.random.default_rng(seed)

    def ends(self, start: State, n: int, takes_wins: bool = False) -> Floats:
        """[n] How so many games from a state end, view of player 0; nan for one of more than LONGEST moves.
        takes_wins: who can win at once does so."""
        game, ends = self._game, np.empty(n)
        low, high = game.reward_range
        if _worth_compiling(game):
            begin = np.array(start, np.int64)
            legal, wins = np.zeros(game.n_actions, np.int64), np.array([high, low])
            try:
                _compiled(game)(
                    begin, begin.copy(), begin.copy(), legal, wins, takes_wins, self._rng, ends
                )
                return ends
            except numba_error():
                _cannot_be_compiled.add(game.name)
        lists = (list(start), list(start), [0] * game.n_actions, [high, low])
        moves = _interpreted(game)(list(start), *lists, takes_wins, self._rng, ends)
        _played[game.name] = _played.get(game.name, 0) + moves
        return ends


_played: dict[str, int] = {}  # moves of games that were not compiled, by name of the game
_cannot_be_compiled: set[str] = set()  # names of games of the user's whose rules numba cannot type


def _worth_compiling(game: FlatGame) -> bool:
    played = _played.get(game.name, 0)
    if not game.compilable or game.name in _cannot_be_compiled or played < WORTH_LOADING:
        return False
    return played >= WORTH_COMPILING or _is_kept(game)


def _functions(game: FlatGame) -> Document:
    played = game.rules
    return {
        "PLAY": played.play,
        "LEGAL_ACTIONS": played.legal_actions,
        "OUTCOME": played.outcome,
        "TO_MOVE": played.to_move,
        "DRAW": played.draw or draw_from_list,
    }


def _interpreted(game: FlatGame) -> Callable[..., int]:
    functions = {name.lower(): function for name, function in _functions(game).items()}
    return partial(play_at_random, **functions)


def _entry(
    start: State, state: State, trial: State, legal: Buffer, wins: Floats, takes_wins: bool, rng: np.random.Generator,
    ends: Floats,
) -> int:  # fmt: skip
    return PLAY_AT_RANDOM(  # type: ignore[no-any-return]
        start, state, trial, legal, wins, takes_wins, rng, ends, PLAY, LEGAL_ACTIONS, OUTCOME, TO_MOVE, DRAW
    )  # fmt: skip


def _unbound(*arguments: object) -> Compiled:
    raise AssertionError("a name of `_entry` that `_compiled` has not bound")


PLAY_AT_RANDOM = PLAY = LEGAL_ACTIONS = OUTCOME = TO_MOVE = DRAW = _unbound


@cache
def _is_kept(game: FlatGame) -> bool:
    return is_kept(_named(game, {}))


@cache
def _compiled(game: FlatGame) -> Callable[..., int]:
    names: Document = {name: jit_part(function) for name, function in _functions(game).items()}
    parts = {"winning_move": jit_part(winning_move)}
    names["PLAY_AT_RANDOM"] = jit_part(with_globals(play_at_random, parts))
    return jit_entry(_named(game, names))  # type: ignore[no-any-return]


def _named(game: FlatGame, names: Document) -> types.FunctionType:
    entry = with_globals(_entry, names)
    digest = sources_digest((rules, sys.modules[__name__]), list(_functions(game).values()))
    entry.__qualname__ = entry.__name__ = f"play_at_random_{plain(game.name)}_{digest}"
    return entry
