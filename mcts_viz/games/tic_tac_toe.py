"""Tic-Tac-Toe: 3×3, three in a row wins. Action = cell, row-major, 0 to 8; named a3 (top left) to
c1, as in chess.

State: [0] cells of player 0 as bits, [1] cells of player 1, [2] moves made.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mcts_viz.games.rules import RUNNING, Board, Buffer, FlatGame, LegalActions, Rules, State

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
LINE_BITS = tuple(sum(1 << cell for cell in line) for line in LINES)
# [512] true where the nine bits hold a whole line: one look-up in place of eight comparisons in the
# rollout's inner loop
HAS_LINE = np.array([any(bits & line == line for line in LINE_BITS) for bits in range(512)])
# [512] as bits, the cells that complete a line of the nine bits, whether taken or not
WIN_CELLS = np.array(
    [
        sum(1 << c for c in range(9) if not bits >> c & 1 and HAS_LINE[bits | 1 << c])
        for bits in range(512)
    ]
)
# [512] how many of the nine bits are 1; [512, 9] in one row, the n-th of them from the lowest on
N_CELLS = np.array([bits.bit_count() for bits in range(512)], np.int8)
NTH_CELL = np.array(
    [
        (*(c for c in range(9) if bits >> c & 1), *[0] * 9)[n]
        for bits in range(512)
        for n in range(9)
    ],
    np.int8,
)


def play(state: State, action: int) -> None:
    """Put the mover's mark into cell `action`."""
    mover = state[2] & 1
    state[mover] = state[mover] | (1 << action)
    state[2] += 1


def legal_actions(state: State, out: Buffer) -> int:
    """Write the empty cells into `out`, ascending; how many."""
    taken = state[0] | state[1]
    n = 0
    for cell in range(9):
        out[n] = cell  # overwritten by the next one when the cell is taken: no branch to mispredict
        n += 1 - ((taken >> cell) & 1)
    return n


def draw(state: State, share: float, out: Buffer, actions: LegalActions) -> int:
    """As `Rules.draw`, without the list."""
    empty = 511 & ~(state[0] | state[1])
    return int(NTH_CELL[9 * empty + int(share * (9 - state[2]))])


def decisive_actions(state: State, out: Buffer) -> int:
    """Write the actions that a decisive simulation draws from into `out`, ascending; how many."""
    mover = state[2] & 1
    empty = 511 & ~(state[0] | state[1])
    cells = empty & int(WIN_CELLS[state[mover]])
    if cells == 0:
        cells = empty & int(WIN_CELLS[state[1 - mover]])
        if cells & (cells - 1) or cells == 0:
            cells = empty  # nothing to block, or more than one move can block
    n = 0
    for cell in range(9):
        out[n] = cell
        n += (cells >> cell) & 1
    return n


def outcome(state: State) -> float:
    """1 when player 0 has a line, −1 when player 1 has, 0 on a full board, else RUNNING."""
    last = 1 - (state[2] & 1)  # only the player who has just moved can have made a line
    if HAS_LINE[state[last]]:
        return 1.0 - 2.0 * float(last)
    if state[2] == 9:
        return 0.0
    return RUNNING


def to_move(state: State) -> int:
    """The player to move."""
    return state[2] & 1  # type: ignore[no-any-return]


def board(actions: Sequence[int]) -> Board:
    """The position after `actions`."""
    symbols = [""] * 9
    for number, cell in enumerate(actions):
        symbols[cell] = "XO"[number % 2]
    won = [
        line
        for line in LINES
        if symbols[line[0]] and symbols[line[0]] == symbols[line[1]] == symbols[line[2]]
    ]
    cells = sorted({cell for line in won for cell in line})
    return Board(3, 3, symbols, actions[-1] if actions else None, cells, "grid")


TIC_TAC_TOE = FlatGame(
    name="tic_tac_toe",
    title="Tic-Tac-Toe",
    rules=Rules(play, legal_actions, outcome, to_move, decisive_actions, draw),
    state_size=3,
    n_actions=9,
    max_moves=9,
    action_labels=tuple(f"{'abc'[cell % 3]}{3 - cell // 3}" for cell in range(9)),
    board=board,
    cell_in_text=lambda text, action: action + action // 3,
)
