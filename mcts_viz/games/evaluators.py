"""Hand-made evaluators: what a search in the style of AlphaZero asks of a position in place of a
rollout, where there is no trained network.

An evaluator gives each legal action a prior probability and the position a value. Those in EVALUATORS
keep to what `rules` asks of a rule, so that numba can compile them. Knows nothing of trees or searches.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TypeAlias

import numpy as np

from mcts_viz.errors import GameError
from mcts_viz.games.rules import Buffer, FlatGame, State
from mcts_viz.types import Floats

# evaluate(state, actions, n, priors) -> value of a position that is not over: `actions[:n]` are the
# legal actions; writes the probability of each into `priors[:n]`, sum 1; the value is in [-1, 1], view
# of the player to move. Leaves the state as it is.
Evaluate: TypeAlias = Callable[[State, Buffer, int, Floats], float]

REST = 0.1  # of the probability, what `decisive` shares out among all legal actions
THREAT = 6  # what a line of four that lacks one disc counts above its discs
HALF_WAY = 20  # a lead of that many points is worth 0.5


def uniform(game: FlatGame) -> Evaluate:
    """Every legal action equally probable, every position even: 0."""
    return _evaluate_uniform


def _evaluate_uniform(state: State, actions: Buffer, n: int, priors: Floats) -> float:
    for i in range(n):
        priors[i] = 1.0 / n
    return 0.0


def centre(game: FlatGame) -> Evaluate:
    """For Connect Four: columns near the centre are more probable (1 : 2 : 3 : 4 : 3 : 2 : 1 on seven);
    the value is x / (|x| + 20), x the mover's points less the opponent's.

    Each line of four that the other side has no disc in counts a point for every own disc,
    and 6 more when one disc is missing.
    """
    sizes = dict(game.parameters)
    return _centre(sizes["rows"], sizes["columns"])


@cache  # one function a size: what is compiled with it is found again
def _centre(rows: int, columns: int) -> Evaluate:
    stride = rows + 1  # the bit board of `connect_four`
    board = sum(((1 << rows) - 1) << (column * stride) for column in range(columns))
    steps = (1, stride, stride - 1, stride + 1)

    def evaluate(state: State, actions: Buffer, n: int, priors: Floats) -> float:
        total = 0
        for i in range(n):
            total += 1 + min(int(actions[i]), columns - 1 - int(actions[i]))
        for i in range(n):
            priors[i] = (1 + min(int(actions[i]), columns - 1 - int(actions[i]))) / total
        mover = state[2] & 1
        lead = 0
        for player in (mover, 1 - mover):
            discs = state[player]
            free = board & ~state[1 - player]  # the player's cells and the empty ones
            points = 0
            for step in steps:
                # each line as its first bit; `missing` becomes those with one gap, `full` with none
                lines = free & (free >> step) & (free >> (2 * step)) & (free >> (3 * step))
                full = lines
                missing = 0
                for i in range(4):
                    held = lines & (discs >> (i * step))
                    missing = (missing & held) | (full & ~held)
                    full &= held
                    while held:  # counts bits
                        held &= held - 1
                        points += 1
                while missing:
                    missing &= missing - 1
                    points += THREAT
            lead += points if player == mover else -points
        # a quotient, for `tanh` need not be the same to the last bit when compiled
        return lead / (HALF_WAY + abs(lead))

    return evaluate


def decisive(game: FlatGame) -> Evaluate:
    """By the game's own `decisive_actions`: these share nine tenths of the probability, all legal
    actions the rest; the value is 1 where the mover wins at once, −1 where every move lets the
    opponent win at once, else 0. Raises GameError for a game without `decisive_actions`.

    For interpreted searches only, and so not in EVALUATORS: it calls the game's rules, and looks
    ahead in a copy of the state, which compiled rules may not.
    """
    rules = game.rules
    decisive_actions = rules.decisive_actions
    if decisive_actions is None:
        raise GameError(
            f"evaluator 'decisive' needs decisive_actions, and the rules of {game.name} have none; "
            "give them those of generic_decisive_actions"
        )

    def after(state: State, action: int) -> State:
        position = list(state)
        rules.play(position, action)
        return position

    def evaluate(state: State, actions: Buffer, n: int, priors: Floats) -> float:
        buffer = [0] * game.n_actions
        chosen = buffer[: decisive_actions(state, buffer)]
        for i in range(n):
            priors[i] = REST / n + ((1 - REST) / len(chosen) if actions[i] in chosen else 0.0)
        sign = 1 if rules.to_move(state) == 0 else -1
        position = after(state, chosen[0])
        outcome = rules.outcome(position)
        if sign * outcome > 0:
            return 1.0
        if (
            len(chosen) < n
            or not np.isnan(outcome)
            or rules.to_move(position) == rules.to_move(state)
        ):
            return 0.0
        # every move is as safe as this one, or none is
        decisive_actions(position, buffer)
        return -1.0 if sign * rules.outcome(after(position, buffer[0])) < 0 else 0.0

    return evaluate


EVALUATORS: dict[str, Callable[[FlatGame], Evaluate]] = {"centre": centre, "uniform": uniform}
FOR_FAMILY = {"centre": "connect_four"}  # those that are not for every game


def evaluator_names(game: FlatGame) -> list[str]:
    """The names of the evaluators there are for a game, its default first."""
    family = game.name.partition(":")[0]
    return [name for name in EVALUATORS if FOR_FAMILY.get(name, family) == family]


def evaluator(name: str, game: FlatGame) -> Evaluate:
    """The evaluator of that name, made for the game; raises GameError with the names there are when
    there is none, or none for this game."""
    names = evaluator_names(game)
    if name not in names:
        known = isinstance(name, str) and name in EVALUATORS
        why = f"is not for {game.name}" if known else "is not known"
        raise GameError(f"evaluator {name!r} {why}; choose one of: {', '.join(names)}")
    return EVALUATORS[name](game)


def default_evaluator(game: FlatGame) -> str:
    """The name of the evaluator to take where none is given: one made for the game, else uniform."""
    return evaluator_names(game)[0]
