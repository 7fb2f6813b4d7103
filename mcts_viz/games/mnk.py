"""The m,n,k games: m columns, n rows, k in a row wins. Action = cell, row-major from the top; named
a1 (bottom left) upward, as in chess.

State: first, for each action, 1 when its cell is empty, else 0. Then what MOVES, STANDING, WINS
and EMPTY below say, counted from there. Then the board on which lines are looked for, row by row: 1 player 0, 2
player 1, 0 or less empty; −1 where player 0 would complete a line, −2 where player 1 would, −3 where
both would; 3 the edge, a cell after every row and two rows above and below, so that no line runs past
it, nor a look one step further.
"""

from __future__ import annotations

import string
from collections.abc import Sequence
from functools import cache

from mcts_viz.errors import GameError
from mcts_viz.games.rules import RUNNING, Board, Buffer, FlatGame, LegalActions, Rules, State

MOST = 15  # columns, and rows
# behind the cells by action
MOVES = 0  # made
STANDING = 1  # 0 running, 1 player 0 has won, 2 player 1 has won, 3 draw
WINS = 1  # plus a player's mark: the number of empty cells that complete a line of the player
EMPTY = 4  # plus a row: the number of its empty cells
HEADER = EMPTY + MOST
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))  # rows down, columns right


@cache  # one game object a size: what is compiled for it is found again
def mnk(columns: int, rows: int, k: int) -> FlatGame:
    """The game on a board of that size; the names m, n, k are those of the literature."""
    name = f"mnk:{columns},{rows},{k}"
    if not (1 <= columns <= MOST and 1 <= rows <= MOST):
        raise GameError(f"{name} is not a board size: M columns and N rows are 1 to {MOST} each")
    if not 2 <= k <= max(columns, rows):
        raise GameError(f"{name}: {k} in a row does not fit; K is 2 to {max(columns, rows)} here")
    edge = [3] * (2 * columns + 4)
    board = [*edge, *([0] * columns + [3]) * rows, *edge]
    empty = [columns] * rows + [0] * (MOST - rows)
    first_state = (*[1] * (columns * rows), *[0] * EMPTY, *empty, *board)
    return FlatGame(
        name=name,
        title=f"{k} in a row on {columns}×{rows}",
        rules=_rules(columns, rows, k),
        state_size=len(first_state),
        n_actions=columns * rows,
        max_moves=columns * rows,
        action_labels=tuple(
            f"{string.ascii_lowercase[cell % columns]}{rows - cell // columns}"
            for cell in range(columns * rows)
        ),
        board=lambda actions: _board(columns, rows, k, actions),
        cell_in_text=lambda text, action: action + action // columns,
        first_state=first_state,
        parameters=(("m", columns), ("n", rows), ("k", k)),
    )


def _rules(columns: int, rows: int, k: int) -> Rules:
    cells = columns * rows
    moves = cells + MOVES
    standing = cells + STANDING
    wins = cells + WINS
    empty = cells + EMPTY
    width = columns + 1
    corner = cells + HEADER + 2 * width + 2  # where the top left cell is on the board
    steps = (1, width, width + 1, width - 1)  # right, down, down and right, down and left

    def play(state: State, action: int) -> None:
        """Put the mover's mark into cell `action`, and see whether it completes a line."""
        mark = 1 + (state[moves] & 1)
        row = action // columns
        place = corner + row * width + action % columns
        if state[place] < 0:
            state[wins + 1] -= -state[place] & 1
            state[wins + 2] -= -state[place] >> 1
        state[action] = 0
        state[empty + row] -= 1
        state[place] = mark
        state[moves] += 1
        for step in steps:
            first = place - step
            while state[first] == mark:
                first -= step
            last = place + step
            while state[last] == mark:
                last += step
            if last - first > k * step:
                state[standing] = mark
            # the run ends in two cells: would a mark there complete a line? Seldom, so what is asked
            # first is what most often says no
            short = last - first == k * step
            if (short or state[first - step] == mark) and state[first] <= 0:
                beyond = first - step
                while state[beyond] == mark:
                    beyond -= step
                if last - beyond > k * step and -state[first] & mark == 0:
                    state[first] -= mark
                    state[wins + mark] += 1
            if (short or state[last + step] == mark) and state[last] <= 0:
                beyond = last + step
                while state[beyond] == mark:
                    beyond += step
                if beyond - first > k * step and -state[last] & mark == 0:
                    state[last] -= mark
                    state[wins + mark] += 1
        if state[standing] == 0 and state[moves] == cells:
            state[standing] = 3

    def legal_actions(state: State, out: Buffer) -> int:
        """Write the empty cells into `out`, ascending; how many."""
        n = 0
        for action in range(cells):
            out[n] = action  # overwritten by the next one when the cell is taken
            n += state[action]
        return n

    def draw(state: State, share: float, out: Buffer, actions: LegalActions) -> int:
        """As `Rules.draw`, without the list: the row first, then the cell in it."""
        left = int(share * (cells - state[moves]))  # empty cells before it
        row = 0
        while left >= state[empty + row]:
            left -= state[empty + row]
            row += 1
        action = row * columns - 1
        while left >= 0:
            action += 1
            left -= state[action]
        return action

    def decisive_actions(state: State, out: Buffer) -> int:
        """Write the actions that a decisive simulation draws from into `out`, ascending; how
        many."""
        wanted = 1 + (state[moves] & 1)
        if state[wins + wanted] == 0:
            wanted = 3 - wanted
            if state[wins + wanted] != 1:
                wanted = 0  # nothing to block, or no move blocks it all
        n = 0
        for row in range(rows):
            first = corner + row * width
            for column in range(columns):
                value = state[first + column]
                if value <= 0 and -value & wanted == wanted:
                    out[n] = row * columns + column
                    n += 1
        return n

    def outcome(state: State) -> float:
        """1 when player 0 has a line, −1 when player 1 has, 0 on a full board, else RUNNING."""
        if state[standing] == 0:
            return RUNNING
        if state[standing] == 3:
            return 0.0
        return 1.0 if state[standing] == 1 else -1.0

    def to_move(state: State) -> int:
        """The player to move."""
        return state[moves] & 1  # type: ignore[no-any-return]

    return Rules(play, legal_actions, outcome, to_move, decisive_actions, draw)


def _board(columns: int, rows: int, k: int, actions: Sequence[int]) -> Board:
    symbols = [""] * (columns * rows)
    for number, cell in enumerate(actions):
        symbols[cell] = "XO"[number % 2]
    last = actions[-1] if actions else None
    won = set[int]() if last is None else _lines_through(symbols, columns, rows, k, last)
    return Board(rows, columns, symbols, last, sorted(won), "grid")


def _lines_through(symbols: Sequence[str], columns: int, rows: int, k: int, cell: int) -> set[int]:
    """The cells of every row of k or more of one player's marks through a cell."""
    found = set[int]()
    for down, right in DIRECTIONS:
        line = [cell]
        for sign in (1, -1):
            row, column = cell // columns + sign * down, cell % columns + sign * right
            while 0 <= row < rows and 0 <= column < columns:
                if symbols[row * columns + column] != symbols[cell]:
                    break
                line.append(row * columns + column)
                row, column = row + sign * down, column + sign * right
        if len(line) >= k:
            found.update(line)
    return found
