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
    sources_digest,
    with_globals,
)
from mcts_viz.games import rules as rules_module
from mcts_viz.games.rules import Buffer, FlatGame, LegalActions, Rules, State, draw_from_list
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

    @property
    def is_quick(self) -> bool:
        """Whether thousands of games take no time, as they can be compiled. That takes a second where it was not done
        before."""
        return self._game.compilable and _can_be_compiled(self._game.rules)

    def ends(self, start: State, n: int, takes_wins: bool = False) -> Floats:
        """[n] How so many games from a state end, view of player 0; nan for one of more than LONGEST moves.
        takes_wins: who can win at once does so."""
        game, ends = self._game, np.empty(n)
        low, high = game.reward_range
        if self._worth_compiling():
            begin = np.array(start, np.int64)
            room = begin.copy(), begin.copy(), np.zeros(game.n_actions, np.int64)
            wins = np.array([high, low])
            _compiled(game.rules)(begin, *room, wins, takes_wins, self._rng, ends)
            return ends
        lists = list(start), list(start), [0] * game.n_actions, [high, low]
        moves = _interpreted(game.rules)(list(start), *lists, takes_wins, self._rng, ends)
        _played[game.rules] = _played.get(game.rules, 0) + moves
        return ends

    def _worth_compiling(self) -> bool:
        rules, played = self._game.rules, _played.get(self._game.rules, 0)
        if not self._game.compilable or played < WORTH_LOADING:
            return False
        return (played >= WORTH_COMPILING or _is_kept(rules)) and _can_be_compiled(rules)


_played: dict[Rules, int] = {}  # moves of games that were not compiled


@cache
def _can_be_compiled(rules: Rules) -> bool:
    """Whether numba can type these rules, as it may not be able to those of a user's game."""
    state = np.zeros(1, np.int64)
    try:  # types alone matter, as no game is played
        _compiled(rules)(
            state, state, state, state, np.zeros(2), False, np.random.default_rng(0), np.empty(0)
        )
    except numba_error():
        return False
    return True


def _functions(rules: Rules) -> Document:
    return {
        "PLAY": rules.play,
        "LEGAL_ACTIONS": rules.legal_actions,
        "OUTCOME": rules.outcome,
        "TO_MOVE": rules.to_move,
        "DRAW": rules.draw or draw_from_list,
    }


def _interpreted(rules: Rules) -> Callable[..., int]:
    functions = {name.lower(): function for name, function in _functions(rules).items()}
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
def _is_kept(rules: Rules) -> bool:
    return is_kept(_named(rules, {}))


@cache
def _compiled(rules: Rules) -> Callable[..., int]:
    names: Document = {name: jit_part(function) for name, function in _functions(rules).items()}
    parts = {"winning_move": jit_part(winning_move)}
    names["PLAY_AT_RANDOM"] = jit_part(with_globals(play_at_random, parts))
    return jit_entry(_named(rules, names))  # type: ignore[no-any-return]


def _named(rules: Rules, names: Document) -> types.FunctionType:
    """The digest tells games apart: it has the sources of their rules, and what these have closed over."""
    entry = with_globals(_entry, names)
    digest = sources_digest((rules_module, sys.modules[__name__]), [*_functions(rules).values()])
    entry.__qualname__ = entry.__name__ = f"play_at_random_{digest}"
    return entry
