"""mctspy, as it comes: where its nodes keep what a recording reads.

A node's value is its wins less its losses, in the view of the player who moved into it; the root has
none. Its players are 1, who moves first, and −1. Needs no mctspy itself.
"""

from __future__ import annotations

import math
from typing import Any

from mcts_viz.adapters.fields import Node

C = 1.4  # what `best_action` selects with


def arguments(root: Node, game: str | None = None) -> dict[str, Any]:
    """The keyword arguments that watch a tree below `root`. game: a built-in one's name, whose moves
    are the cells of its board; without one the board is shown as text."""
    return {
        "root": root,
        "children": "children",
        "visits": "_number_of_visits" if hasattr(root, "_number_of_visits") else "n",  # a call less
        "value": value,
        "to_move": player,
        "outcome": outcome if game is None else None,  # slow to ask, and its rules are known
        "action": cell_changed if hasattr(root.state, "board") else None,
        "state": position if game is None else None,
        "game": game,
        "selection": "ucb1_double_log",
        "c": C,
    }


def value(node: Node) -> float | None:
    """Wins less losses; None at the root, which cannot say."""
    above = node.parent
    if above is None:
        return None
    mover, result = above.state.next_to_move, node._results.get
    wins: float = result(mover, 0.0) - result(-mover, 0.0)
    return wins


def player(node: Node) -> int:
    """0 moves first."""
    return 0 if node.state.next_to_move == 1 else 1


def outcome(node: Node) -> float | None:
    """Of a finished game, view of player 0; None while it goes on."""
    result = node.state.game_result
    return None if result is None or not math.isfinite(result) else float(result)


def position(node: Node) -> str:
    """The board, where the state has one."""
    return str(getattr(node.state, "board", node.state))


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
