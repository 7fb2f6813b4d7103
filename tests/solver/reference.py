"""Plain minimax over a game's rules, the slow and simple way: what the solver is compared with.

Shares nothing with it: a recursion over all moves, scores as (result, plies).
"""

import math

from mcts_viz.games import FlatGame

Score = tuple[int, int]  # result in the view of the player to move; plies to the end


class TooManyError(Exception):
    """The end of the game is too far away for this."""


def exact(
    game: FlatGame, state: list[int], known: dict[tuple[int, ...], Score], most: float = math.inf
) -> Score:
    """The result for the player to move, who wins soon and loses late; `known` is filled. Raises
    TooManyError where more than `most` positions would have to be looked at."""
    key = tuple(state)
    if key in known:
        return known[key]
    if len(known) > most:
        raise TooManyError
    outcome = game.rules.outcome(state)
    mover = game.rules.to_move(state)
    if not math.isnan(outcome):
        found = (int(outcome) if mover == 0 else -int(outcome), 0)
    else:
        found = max((_reply(game, state, action, mover, known, most) for action in game.legal(state)),
                    key=lambda score: (score[0], -score[0] * score[1]))  # fmt: skip
    known[key] = found
    return found


def _reply(
    game: FlatGame,
    state: list[int],
    action: int,
    mover: int,
    known: dict[tuple[int, ...], Score],
    most: float,
) -> Score:
    after = list(state)
    game.rules.play(after, action)
    result, plies = exact(game, after, known, most)
    return (-result if game.rules.to_move(after) != mover else result), plies + 1
