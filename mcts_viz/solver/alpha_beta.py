"""Alpha-beta search with a transposition table over flat states: numba compiles it for one game.

Scores are whole numbers in the view of player 0: a win that ends the game after `end` plies from the
origin is worth HORIZON − end, a loss the negative, a draw 0. So the sign is the result, and the sooner
win is the greater score. Knuth & Moore 1975, "An Analysis of Alpha-Beta Pruning"; fail-soft, with
bounds in the table and the history heuristic (Schaeffer 1989) for the order of moves.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mcts_viz.types import Numbers

HORIZON = 4_096  # plies; no game that is solved is longer
NO_ACTION = -1
# odd constants of splitmix64 and of xxHash: two independent keys of 64 bits tell positions apart
MIX_1, MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x9E3779B185EBCA87)
SHIFT_1, SHIFT_2 = np.uint64(29), np.uint64(32)


class Table(NamedTuple):
    """S slots, a power of two; a newer position replaces an older one."""

    first_key: npt.NDArray[np.uint64]  # [S] uint64
    second_key: npt.NDArray[np.uint64]  # [S] uint64
    low: Numbers  # [S] the score is at least so much
    high: Numbers  # [S] and at most so much; 0 and 0 with keys of 0: empty
    action: Numbers  # [S] the best move found, NO_ACTION


class Stack(NamedTuple):
    """The line being looked at: a row for each of its positions."""

    state: Numbers  # [P, state_size]
    move: Numbers  # [P, n_actions] the moves to try, the most promising first
    n_moves: Numbers  # [P]
    tried: Numbers  # [P] how many of them
    window: Numbers  # [P, 2] bounds that the position was entered with
    alpha: Numbers  # [P]
    beta: Numbers  # [P]
    best: Numbers  # [P] score so far
    choice: Numbers  # [P] the move that gave it
    first_key: npt.NDArray[np.uint64]  # [P] uint64
    second_key: npt.NDArray[np.uint64]  # [P] uint64
    history: Numbers  # [2, n_actions] how often a player's move ended the search of a position


def hash_state(stack: Stack, row: int, ply: int) -> None:
    """Put both keys of a row's position, with its distance from the origin, in their places."""
    first = np.uint64(ply + 1) * MIX_1
    second = np.uint64(ply + 1) * MIX_2
    state = stack.state[row]
    for i in range(len(state)):
        number = np.uint64(state[i])
        first = (first ^ number) * MIX_1
        first ^= first >> SHIFT_1
        second = (second + number) * MIX_2
        second ^= second >> SHIFT_2
    stack.first_key[row] = first
    stack.second_key[row] = second


def order_moves(stack: Stack, row: int, mover: int, first: int) -> None:
    """Sort a row's moves: `first` before all, then those that ended most searches, ties as they are."""
    move, history = stack.move[row], stack.history[mover]
    for i in range(1, stack.n_moves[row]):
        action = move[i]
        place = i
        while place > 0:
            other = move[place - 1]
            if other == first or (action != first and history[other] >= history[action]):
                break
            move[place] = other
            place -= 1
        move[place] = action


def enter(stack: Stack, table: Table, row: int, ply: int) -> tuple[bool, int]:
    """Begin with the position of a row that is not the end of a game: (True, its score, or a bound
    that its window makes enough) where nothing is left to do, else (False, 0), with its moves laid
    out."""
    alpha, beta = stack.alpha[row], stack.beta[row]
    most = HORIZON - ply - 1  # won with the next move
    if alpha >= most:
        return True, most
    if beta <= -most:
        return True, -most
    beta = min(beta, most)
    alpha = max(alpha, -most)
    n = MOVES(stack.state[row], stack.move[row])
    known = NO_ACTION
    if n > 1:  # a forced move needs no memory
        hash_state(stack, row, ply)
        slot = stack.first_key[row] & np.uint64(len(table.low) - 1)
        if (
            table.first_key[slot] == stack.first_key[row]
            and table.second_key[slot] == stack.second_key[row]
        ):
            low, high = table.low[slot], table.high[slot]
            if low >= beta or low == high:
                return True, low
            if high <= alpha:
                return True, high
            alpha = max(alpha, low)
            beta = min(beta, high)
            known = table.action[slot]
    mover = TO_MOVE(stack.state[row])
    stack.n_moves[row] = n
    order_moves(stack, row, mover, known)
    stack.tried[row] = 0
    stack.window[row, 0] = stack.alpha[row] = alpha
    stack.window[row, 1] = stack.beta[row] = beta
    stack.best[row] = -HORIZON if mover == 0 else HORIZON
    stack.choice[row] = NO_ACTION
    return False, 0


def remember(stack: Stack, table: Table, row: int) -> None:
    """Put what was found of a row's position into the table."""
    slot = stack.first_key[row] & np.uint64(len(table.low) - 1)
    first, second, best = stack.first_key[row], stack.second_key[row], stack.best[row]
    if table.first_key[slot] != first or table.second_key[slot] != second:
        table.first_key[slot] = first
        table.second_key[slot] = second
        table.low[slot] = -HORIZON
        table.high[slot] = HORIZON
    if best > stack.window[row, 0]:
        table.low[slot] = best
    if best < stack.window[row, 1]:
        table.high[slot] = best
    table.action[slot] = stack.choice[row]


def take_in(stack: Stack, row: int, value: int) -> bool:
    """A row's last tried move is worth `value`: whether its position is done with."""
    action = stack.move[row, stack.tried[row] - 1]
    mover = TO_MOVE(stack.state[row])
    if mover == 0:
        if value > stack.best[row]:
            stack.best[row] = value
            stack.choice[row] = action
        stack.alpha[row] = max(stack.alpha[row], value)
    else:
        if value < stack.best[row]:
            stack.best[row] = value
            stack.choice[row] = action
        stack.beta[row] = min(stack.beta[row], value)
    if stack.alpha[row] >= stack.beta[row]:
        stack.history[mover, action] += 1
        return True
    return stack.tried[row] == stack.n_moves[row]  # type: ignore[no-any-return]


def solve(
    stack: Stack, table: Table, ply: int, alpha: int, beta: int, limit: int
) -> tuple[int, int, bool]:
    """Score of the position in row 0, which is `ply` plies from the origin: exact between alpha and
    beta, else a bound on their outside. Also how many positions were looked at, finished games
    aside, and whether that was enough: False once there are `limit` of them."""
    row, looked, value = 0, 0, 0
    stack.alpha[0], stack.beta[0] = alpha, beta
    while True:
        outcome = OUTCOME(stack.state[row])
        done = outcome == outcome  # not RUNNING, which is nan
        if done:
            score = HORIZON - ply - row
            value = 0
            if outcome > 0:
                value = score
            elif outcome < 0:
                value = -score
        elif looked >= limit:
            return 0, looked, False
        else:
            looked += 1
            done, value = enter(stack, table, row, ply + row)
        while done:
            if row == 0:
                return value, looked, True
            row -= 1
            done = take_in(stack, row, value)
            if done:
                if stack.n_moves[row] > 1:
                    remember(stack, table, row)
                value = stack.best[row]
        for i in range(stack.state.shape[1]):
            stack.state[row + 1, i] = stack.state[row, i]
        PLAY(stack.state[row + 1], stack.move[row, stack.tried[row]])
        stack.tried[row] += 1
        stack.alpha[row + 1], stack.beta[row + 1] = stack.alpha[row], stack.beta[row]
        row += 1


def _unbound(*arguments: Any) -> Any:
    raise AssertionError("a name that `compiled` has not bound")


# the rules of one game, bound anew for each, see `compilation`
PLAY = OUTCOME = TO_MOVE = MOVES = _unbound
