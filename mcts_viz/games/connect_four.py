"""Connect Four: discs fall in a column, four in a row wins. Action = column from the left, named
"column 1" upward.

State: [0] discs of player 0 as bits, [1] discs of player 1, [2] discs played. A column takes rows +
1 bits from the bottom up, the topmost always empty, so that no line wraps into the next column
(John Tromp's bit board).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from mcts_viz.errors import GameError
from mcts_viz.games.rules import RUNNING, Board, Buffer, FlatGame, LegalActions, Rules, State


@cache  # one game object a size: what is compiled for it is found again
def connect_four(rows: int = 6, columns: int = 7) -> FlatGame:
    """The game on a board of that size; its bit board must fit in 62 bits."""
    if rows < 4 or columns < 4 or (rows + 1) * columns > 62:
        raise GameError(
            f"connect_four:{rows},{columns} is not a board size: at least 4,4, and (rows + 1) × columns at most 62"
        )
    standard = (rows, columns) == (6, 7)
    return FlatGame(
        name="connect_four" if standard else f"connect_four:{rows},{columns}",
        title="Connect Four" if standard else f"Connect Four {rows}×{columns}",
        rules=_rules(rows, columns),
        state_size=3,
        n_actions=columns,
        max_moves=rows * columns,
        action_labels=tuple(f"column {column + 1}" for column in range(columns)),
        board=lambda actions: _board(rows, columns, actions),
        # the lowest empty cell of the column
        cell_in_text=lambda text, action: (
            action + (columns + 1) * text[action :: columns + 1].rindex(".")
        ),
        parameters=(("rows", rows), ("columns", columns)),
    )


def _rules(rows: int, columns: int) -> Rules:
    stride = rows + 1
    full_column = (1 << rows) - 1
    cells = rows * columns
    bottom = sum(1 << (column * stride) for column in range(columns))
    board = bottom * full_column
    sideways = (stride, stride - 1, stride + 1)
    steps = (1, stride, stride - 1, stride + 1)  # up, right, right and down, right and up

    def play(state: State, action: int) -> None:
        """Drop the mover's disc into column `action`."""
        shift = action * stride
        height_bits = ((state[0] | state[1]) >> shift) & full_column
        mover = state[2] & 1
        state[mover] = state[mover] | ((height_bits + 1) << shift)
        state[2] += 1

    def legal_actions(state: State, out: Buffer) -> int:
        """Write the columns with room into `out`, ascending; how many."""
        taken = state[0] | state[1]
        n = 0
        for column in range(columns):
            out[n] = (
                column  # overwritten by the next one when the column is full: no branch to mispredict
            )
            n += 1 - ((taken >> (column * stride + rows - 1)) & 1)
        return n

    # the top cells, `stride` bits apart, are moved side by side by one multiplication, as long as
    # no two of its partial products meet
    tops = bottom << (rows - 1)
    behind = (stride - 1) * (columns - 1)  # bits before the first of them
    gather = sum(1 << (behind - (stride - 1) * column) for column in range(columns))
    all_columns = (1 << columns) - 1
    n_open = np.array([bits.bit_count() for bits in range(1 << columns)], np.int8)
    # [2 ** columns, columns] in one row: the n-th of the bits that are 1
    nth_open = np.array(
        [
            (*(c for c in range(columns) if bits >> c & 1), *[0] * columns)[n]
            for bits in range(1 << columns)
            for n in range(columns)
        ],
        np.int8,
    )

    def draw(state: State, share: float, out: Buffer, actions: LegalActions) -> int:
        """As `Rules.draw`, without the list."""
        full = (state[0] | state[1]) & tops
        if full == 0:
            return int(share * columns)
        free = all_columns & ~(((full >> (rows - 1)) * gather) >> behind)
        return int(nth_open[columns * free + int(share * n_open[free])])

    def decisive_actions(state: State, out: Buffer) -> int:
        """Write the actions that a decisive simulation draws from into `out`, ascending; how
        many."""
        taken = state[0] | state[1]
        playable = (taken + bottom) & board  # the carry runs up to the lowest empty cell
        mover = state[2] & 1
        choice = 0
        for player in (mover, 1 - mover):
            discs = state[player]
            fours = (discs << 1) & (discs << 2) & (discs << 3)  # the cells that complete one
            for step in sideways:
                pairs = (discs << step) & (discs << (2 * step))
                fours |= pairs & ((discs << (3 * step)) | (discs >> step))
                pairs = (discs >> step) & (discs >> (2 * step))
                fours |= pairs & ((discs >> (3 * step)) | (discs << step))
            fours &= board & ~taken
            choice = fours & playable
            if player == mover:
                if choice:
                    break
            else:
                if choice == 0:
                    choice = playable
                elif choice & (choice - 1):
                    choice = 0  # no move stops them all
                choice &= ~(fours >> 1)  # a disc under such a cell opens it to the opponent
        if choice == 0:
            choice = playable
        n = 0
        for column in range(columns):
            out[n] = column
            n += ((choice >> (column * stride)) & full_column) != 0
        return n

    def outcome(state: State) -> float:
        """1 when player 0 has four in a row, −1 when player 1 has, 0 on a full board, else
        RUNNING."""
        last = 1 - (state[2] & 1)  # only the player who has just moved can have made a line
        discs = state[last]
        for step in steps:
            pairs = discs & (discs >> step)
            if pairs & (pairs >> (2 * step)):
                return 1.0 - 2.0 * float(last)
        if state[2] == cells:
            return 0.0
        return RUNNING

    def to_move(state: State) -> int:
        """The player to move."""
        return state[2] & 1  # type: ignore[no-any-return]

    no_carry = columns <= stride
    return Rules(
        play, legal_actions, outcome, to_move, decisive_actions, draw if no_carry else None
    )


def _board(rows: int, columns: int, actions: Sequence[int]) -> Board:
    symbols = [""] * (rows * columns)
    height = [0] * columns
    last = None
    for number, column in enumerate(actions):
        last = (rows - 1 - height[column]) * columns + column
        symbols[last] = "XO"[number % 2]
        height[column] += 1
    return Board(rows, columns, symbols, last, _line(rows, columns, symbols), "discs")


def _line(rows: int, columns: int, symbols: Sequence[str]) -> list[int]:
    cells: set[int] = set()
    for row in range(rows):
        for column in range(columns):
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                last_row, last_column = row + 3 * down, column + 3 * right
                if last_row >= rows or not 0 <= last_column < columns:
                    continue
                line = [(row + i * down) * columns + column + i * right for i in range(4)]
                if symbols[line[0]] and len({symbols[cell] for cell in line}) == 1:
                    cells.update(line)
    return sorted(cells)
