"""mctspy, as it comes: where its nodes keep what a recording reads.

A node's value is its wins less its losses, in the view of the player who moved into it; the root has
none. Its players are 1 and −1, X and O on its boards; either may begin. Needs no mctspy itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mcts_viz.errors import TraceError
from mcts_viz.games.rules import State
from mcts_viz.recording.fields import Node
from mcts_viz.recording.record import record
from mcts_viz.recording.recording import AnyTrace, Recording, TraceMaker
from mcts_viz.types import Document

C = 1.4  # what `best_action` selects with
X = 1  # its opponent is -1
STONES = {X: "X", -X: "O", 0: "."}
CONNECT_FOUR = "connect_four"
CELLS = {"tic_tac_toe", "mnk"}  # games whose actions are the cells of the board, none forbidden
POSITIONS = 100_000  # at most, looked at in search of the moves that lead to the root


def watch_mctspy(
    trace: TraceMaker[AnyTrace],
    /,
    root: Node,
    path: str | Path | None = None,
    *,
    game: str | None = None,
    **changes: Any,
) -> Recording[AnyTrace]:
    """Watch a search of mctspy below its root node; use it as you use `record`.

        search = MonteCarloTreeSearch(root)
        with mcts_viz.watch_mctspy(root, "run.mcts", game="tic_tac_toe") as rec:
            for _ in rec.steps(lambda: search.best_action(1), 1000):
                pass

    game: a built-in one's name, "connect_four" or one whose actions are the cells of the board; a Connect Four
    of another size is taken from the board. changes: any argument of `record`, in place of the one that the
    adapter gives. Raises TraceError.
    """
    if not hasattr(root, "state"):
        raise TraceError(
            f"root={root!r:.60} is no node of mctspy, which has a state; give the root that the search was made with"
        )
    return record(trace, path, **{**arguments(root, game), **changes})


def arguments(root: Node, game: str | None = None) -> Document:
    """The keyword arguments that watch a tree below `root`. game: a built-in one's name; without one
    the board is shown as text."""
    board = getattr(root.state, "board", None)
    begins = first_player(root.state)
    drops = game is not None and game.partition(":")[0] == CONNECT_FOUR
    upright = drops and board is not None and columns_come_first(root.state)
    if game == CONNECT_FOUR and board is not None:  # of the board's size
        shape = board.shape[::-1] if upright else board.shape
        game = f"{game}:{','.join(map(str, shape))}"
    told = {
        "root": root,
        "children": "children",
        "visits": "_number_of_visits" if hasattr(root, "_number_of_visits") else "n",  # a call less
        "value": value,
        "to_move": lambda node: 0 if node.state.next_to_move == begins else 1,
        "selection": "ucb1_double_log",
        "c": C,
        "final_move": "highest_mean",  # `best_child(c_param=0)`
    }
    if board is not None:
        told["action"] = cell_changed
        if drops:
            place = 0 if upright else 1
            told["action"] = lambda node: divmod(cell_changed(node), board.shape[1])[place]
    if game is None:
        return {**told, "state": position, "outcome": outcome_for(begins)}
    told["game"] = game  # whose rules tell outcomes and positions, sooner than mctspy does
    if begins != X:
        told["players"] = ("O", "X")
    if board is not None and (drops or game.partition(":")[0] in CELLS):
        start = moves_to(root.state, begins, columns=drops, columns_first=upright)
        if start:
            told["start"] = start
    return told


def value(node: Node) -> float | None:
    """Wins less losses; None at the root, which cannot say."""
    above = node.parent
    if above is None:
        return None
    mover, result = above.state.next_to_move, node._results.get
    wins: float = result(mover, 0.0) - result(-mover, 0.0)
    return wins


def first_player(state: State) -> int:
    """The player who began the game: found from the stones on the board, else X."""
    board = getattr(state, "board", None)
    if board is None:
        return X
    more = int((board == X).sum()) - int((board == -X).sum())  # stones of X
    if more == 0:
        return X if state.next_to_move == X else -X
    return -X if more == -1 else X


def columns_come_first(state: State) -> bool:
    """Is a cell of this Connect Four board [column, height], as mctspy's own has it, in place of [row, column]?
    A stone may be dropped into the first or last free cell of each column: that tells."""
    free = state.board == 0
    moved = [state.move(action).board for action in state.get_legal_actions()]
    cells = {divmod(int((board != state.board).argmax()), free.shape[1]) for board in moved}
    rows_first = {(column, row) for row, column in cells}
    return cells in dropped_into(free) and rows_first not in dropped_into(free.T)


def dropped_into(free: Any) -> list[set[tuple[int, int]]]:
    """The first free cell of each column, and the last one. free: a boolean array, by column."""
    columns = [(place, cells.nonzero()[0]) for place, cells in enumerate(free) if cells.any()]
    return [{(place, int(cells[end])) for place, cells in columns} for end in (0, -1)]


def moves_to(state: State, begins: int, *, columns: bool, columns_first: bool) -> list[int]:
    """Moves that lead to a position of a game that goes on, as its stones tell; none where it is over.
    columns: are moves columns of Connect Four, or the cells of the board?"""
    board = state.board
    if not (board != 0).any() or state.is_game_over():
        return []
    lines = board.reshape(-1, 1)
    if columns:
        lines = board if columns_first else board.T[:, ::-1]
        if (lines[:, 0] != 0).sum() < (lines[:, -1] != 0).sum():
            lines = lines[:, ::-1]  # stones lie at that end
    stacks = [[int(stone) for stone in line if stone != 0] for line in lines]
    n_other = sum(stack.count(-begins) for stack in stacks)
    if sum(map(len, stacks)) - 2 * n_other not in (0, 1):
        return []  # they did not move in turn
    dead: set[tuple[int, ...]] = set()
    moves: list[int] = []
    taken, place = [0] * len(stacks), 0  # what lies on the board after these moves; the next to try
    while len(dead) < POSITIONS:
        player = -begins if len(moves) % 2 else begins
        if taken == [len(stack) for stack in stacks]:
            return moves
        while place < len(stacks) and stacks[place][taken[place] : taken[place] + 1] != [player]:
            place += 1
        if place < len(stacks):
            taken[place] += 1
            moves.append(place)
            if tuple(taken) not in dead:
                place = 0
                continue
        else:
            dead.add(tuple(taken))
            if not moves:
                return []
        place = moves.pop()
        taken[place] -= 1
        place += 1
    return []


def outcome_for(player: int) -> Callable[[Node], float | None]:
    """A function that gives the result of a finished game in that player's view; None while it goes on."""

    def outcome(node: Node) -> float | None:
        result = node.state.game_result
        return None if result is None or not math.isfinite(result) else float(result) * player

    return outcome


def position(node: Node) -> str:
    """The board, where the state has one; one of other stones than X and O as it prints itself."""
    board = getattr(node.state, "board", node.state)
    try:  # a tenth of the time that numpy takes
        return "\n".join(" ".join([STONES[cell] for cell in row]) for row in board.tolist())
    except (AttributeError, KeyError, TypeError):
        return str(board)


def cell_changed(node: Node) -> int:
    """The move into a node: the place, row by row, where its board differs from its parent's."""
    board, before = node.state.board, node.parent.state.board
    dtype = board.dtype
    if dtype is not before.dtype or dtype.hasobject:
        return int((board != before).argmax())
    # by their bytes: right after the search's own work, numpy's comparison takes three times as long
    now, then = board.tobytes(), before.tobytes()
    changed = int.from_bytes(now, "little") ^ int.from_bytes(then, "little")
    lowest = (changed & -changed).bit_length() - 1  # −1: nothing has changed
    return lowest // (8 * dtype.itemsize) if changed else 0
