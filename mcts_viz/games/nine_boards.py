"""The games on nine Tic-Tac-Toe boards: the cell played names the local board of the next move; when
nothing can be played there, the next player chooses.

In Sudo Tic-Tac-Toe the first local board won wins the game. In Ultimate Tic-Tac-Toe a local board won
counts as a cell of the big board, and three of them in a row win.

Action = 9 · board + cell, both row-major from the top left; named "board 1 cell 1" upward.

State: [0] moves made, [1] the local board to play in, 9 for any, [2] how the game stands: 0 running, 1
player 0 has won, 2 player 1 has won, 3 draw, [3 + b] cells of player 0 in board b as bits, [12 + b]
cells of player 1, [21] boards won by player 0 as bits, [22] by player 1, [23] boards in which nothing
more can be played.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from mcts_viz.games.rules import RUNNING, Board, Buffer, FlatGame, LegalActions, Rules, State
from mcts_viz.games.tic_tac_toe import HAS_LINE, LINES, N_CELLS, NTH_CELL, WIN_CELLS

STATE_SIZE = 24
ANY = 9
ALL_NINE = 511  # a bit for each cell, or board


# the two functions below share their beginning and end: a rule that is compiled calls no other function
def play_sudo(state: State, action: int) -> None:
    """Put the mover's mark into a cell; a line in its local board ends the game."""
    mover = state[0] & 1
    board = action // 9
    cell = action % 9
    own = 3 + 9 * mover + board
    state[own] = state[own] | (1 << cell)
    state[0] += 1
    if HAS_LINE[state[own]]:
        state[21 + mover] = 1 << board
        state[2] = 1 + mover
    if (state[3 + board] | state[12 + board]) == ALL_NINE:
        state[23] = state[23] | (1 << board)
    if state[2] == 0 and state[23] == ALL_NINE:
        state[2] = 3
    state[1] = ANY if (state[23] >> cell) & 1 else cell


def play_ultimate(state: State, action: int) -> None:
    """Put the mover's mark into a cell; a line in its local board wins that board, three boards in a
    row the game."""
    mover = state[0] & 1
    board = action // 9
    cell = action % 9
    own = 3 + 9 * mover + board
    state[own] = state[own] | (1 << cell)
    state[0] += 1
    if HAS_LINE[state[own]]:
        state[21 + mover] = state[21 + mover] | (1 << board)
        state[23] = state[23] | (1 << board)
        if HAS_LINE[state[21 + mover]]:
            state[2] = 1 + mover
    elif (state[3 + board] | state[12 + board]) == ALL_NINE:
        state[23] = state[23] | (1 << board)
    if state[2] == 0 and state[23] == ALL_NINE:
        state[2] = 3
    state[1] = ANY if (state[23] >> cell) & 1 else cell


def legal_actions(state: State, out: Buffer) -> int:
    """Write the empty cells of the local board to play in into `out`, ascending; of every open board
    where the player chooses; how many."""
    first = state[1]
    last = first
    if first == ANY:
        first = 0
        last = 8
    n = 0
    for board in range(first, last + 1):
        if (state[23] >> board) & 1 == 0:
            taken = state[3 + board] | state[12 + board]
            for cell in range(9):
                out[n] = 9 * board + cell  # overwritten by the next one when the cell is taken
                n += 1 - ((taken >> cell) & 1)
    return n


def draw(state: State, share: float, out: Buffer, actions: LegalActions) -> int:
    """As `Rules.draw`, without the list: the board first, then the cell in it."""
    board = state[1]
    if board != ANY:
        empty = ALL_NINE & ~(state[3 + board] | state[12 + board])
        return int(9 * board + NTH_CELL[9 * empty + int(share * N_CELLS[empty])])
    n = 0
    for board in range(9):
        is_open = 1 - ((state[23] >> board) & 1)
        n += is_open * int(N_CELLS[ALL_NINE & ~(state[3 + board] | state[12 + board])])
    left = int(share * n)  # empty cells before it
    board = -1
    n = 0
    empty = 0
    while left >= n:
        left -= n
        board += 1
        empty = ALL_NINE & ~(state[3 + board] | state[12 + board])
        n = (1 - ((state[23] >> board) & 1)) * int(N_CELLS[empty])
    return int(9 * board + NTH_CELL[9 * empty + left])


WINNING, SAFE, LEGAL = 0, 1, 2  # what to look for: the first that there is decides


def _decisive_actions(one_board_wins: bool) -> LegalActions:
    """The rule for a game that the first local board won decides, or else three in a row."""

    def decisive_actions(state: State, out: Buffer) -> int:
        """Write the actions that a decisive simulation draws from into `out`, ascending; how
        many."""
        mover = state[0] & 1
        own = 3 + 9 * mover
        other = 12 - 9 * mover
        closed = state[23]
        first = state[1]
        last = first
        if first == ANY:
            first = 0
            last = 8
        # boards as bits: which decide the game for the mover, and for the opponent
        winning = ALL_NINE & ~closed
        losing = winning
        if not one_board_wins:
            winning &= int(WIN_CELLS[state[21 + mover]])
            losing &= int(WIN_CELLS[state[22 - mover]])
        threats = 0  # of the losing ones, those that the opponent wins with one more cell
        for board in range(9):
            if (losing >> board) & 1:
                taken = state[3 + board] | state[12 + board]
                if int(WIN_CELLS[state[other + board]]) & ~taken:
                    threats |= 1 << board
        n = 0
        for wanted in (WINNING, SAFE, LEGAL):
            for board in range(first, last + 1):
                bit = 1 << board
                if closed & bit or (wanted == WINNING and winning & bit == 0):
                    continue
                empty = ALL_NINE & ~(state[3 + board] | state[12 + board])
                cells = empty
                lines = empty & int(WIN_CELLS[state[own + board]])
                if wanted == WINNING:
                    cells = lines
                elif wanted == SAFE and threats:
                    # a cell sends the opponent to a board of the same bit, to any where it is closed
                    blocking = empty & int(WIN_CELLS[state[other + board]])
                    if blocking & (blocking - 1):
                        blocking = 0  # two ways to win this board: one cell stops one
                    closing = lines if empty & (empty - 1) else empty
                    left = threats & ~bit  # once this board is blocked, or closed
                    unsafe = left | closed if left else 0
                    cells = (empty & ~(blocking | closing | threats | closed)) | (
                        blocking & ~unsafe
                    )
                    unsafe = left | closed | bit if left else 0
                    cells = (cells & ~closing) | (closing & ~unsafe)
                for cell in range(9):
                    out[n] = 9 * board + cell
                    n += (cells >> cell) & 1
            if n:
                break
        return n

    return decisive_actions


def outcome(state: State) -> float:
    """1 when player 0 has won, −1 when player 1 has, 0 for a draw, else RUNNING."""
    if state[2] == 0:
        return RUNNING
    if state[2] == 3:
        return 0.0
    return 1.0 if state[2] == 1 else -1.0


def to_move(state: State) -> int:
    """The player to move."""
    return state[0] & 1  # type: ignore[no-any-return]


def place(action: int) -> int:
    """Where on the 9 × 9 board, row-major, the cell of an action is."""
    board, cell = divmod(action, 9)
    return (3 * (board // 3) + cell // 3) * 9 + 3 * (board % 3) + cell % 3


def _board(play: Callable[[State, int], None], actions: Sequence[int]) -> Board:
    symbols = [""] * 81
    state = [0, ANY, *[0] * (STATE_SIZE - 2)]
    for number, action in enumerate(actions):
        symbols[place(action)] = "XO"[number % 2]
        play(state, action)
    owners = ["X" * (state[21] >> b & 1) + "O" * (state[22] >> b & 1) for b in range(9)]
    over = state[2] != 0
    return Board(
        rows=9,
        columns=9,
        symbols=symbols,
        last=place(actions[-1]) if actions else None,
        line=_winning_cells(symbols, owners) if over else [],
        style="blocks",
        region=[] if over or state[1] == ANY else [place(9 * state[1] + c) for c in range(9)],
        owners=owners,
    )


def _winning_cells(symbols: Sequence[str], owners: Sequence[str]) -> list[int]:
    """The local lines that decided the game: of the three boards in a row, or of the one board won."""
    in_row = {b for line in LINES if _same([owners[b] for b in line]) for b in line}
    boards = in_row or {b for b, owner in enumerate(owners) if owner}
    cells = set[int]()
    for board in boards:
        for line in LINES:
            places = [place(9 * board + cell) for cell in line]
            if _same([symbols[cell] for cell in places]):
                cells.update(places)
    return sorted(cells)


def _same(marks: Sequence[str]) -> bool:
    return marks[0] != "" and len(set(marks)) == 1


def _game(
    name: str, title: str, play: Callable[[State, int], None], one_board_wins: bool
) -> FlatGame:
    return FlatGame(
        name=name,
        title=title,
        rules=Rules(play, legal_actions, outcome, to_move, _decisive_actions(one_board_wins), draw),
        state_size=STATE_SIZE,
        n_actions=81,
        max_moves=81,
        action_labels=tuple(f"board {a // 9 + 1} cell {a % 9 + 1}" for a in range(81)),
        board=partial(_board, play),
        cell_in_text=lambda text, action: place(action) + place(action) // 9,
        first_state=(0, ANY, *[0] * (STATE_SIZE - 2)),
    )


SUDO_TIC_TAC_TOE = _game("sudo_tic_tac_toe", "Sudo Tic-Tac-Toe", play_sudo, True)
ULTIMATE_TIC_TAC_TOE = _game("ultimate_tic_tac_toe", "Ultimate Tic-Tac-Toe", play_ultimate, False)
