"""The boards that a search's moves fill from an empty one, where no boards were told: moves are cells, or columns into
which discs fall."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from mcts_viz.health.told.board_cells import EMPTY, FEWEST, MOST, OTHER, OWN, BoardCells
from mcts_viz.types import Ints

NUMBER = re.compile(r"\d+")
FEW_COLUMNS, MOST_COLUMNS = 4, 9
STANDARD_COLUMNS, STANDARD_ROWS = 7, 6


def cells_of_moves(
    parent: Ints, depth: Ints, action: Ints, name: Callable[[int], str]
) -> BoardCells | None:
    """None where moves can be neither. parent, depth, action: [N]. name: of the move into a node, "4" or "(1, 1)"."""
    numbers, first = np.unique(action[1:], return_index=True)
    moves = numbers.tolist()
    at_root = np.unique(action[1:][parent[1:] == 0]).tolist()
    if not moves or moves[0] < 0 or moves != at_root:
        return None  # the root's board is not empty, or it is another game
    places = _places([name(node) for node in (first + 1).tolist()])
    if places is None:
        return None
    rows, columns = (1 + max(place[axis] for place in places) for axis in (0, 1))
    if rows * columns != len(moves):
        return None
    of_move = dict(zip(moves, places))
    column = np.array([0, *(of_move[each][1] for each in action[1:].tolist())])
    row = np.array([0, *(of_move[each][0] for each in action[1:].tolist())])
    if rows == 1:
        fallen = _fallen(parent, column, columns)
        if fallen is not None:
            return _filled(parent, depth, fallen[0], column, fallen[1], columns)
        rows = columns = round(columns**0.5)
        row, column = column // columns, column % columns
    if rows * columns != len(moves) or not FEWEST <= len(moves) <= MOST:
        return None
    return _filled(parent, depth, row, column, rows, columns)


def _places(names: list[str]) -> list[tuple[int, int]] | None:
    """Row and column by what moves are called: one number of each, or two; counted from 0."""
    numbers = [[int(each) for each in NUMBER.findall(name)] for name in names]
    kinds = {len(each) for each in numbers}
    if kinds not in ({1}, {2}):
        return None
    least = min(each[-1] for each in numbers), min(each[0] for each in numbers)
    if max(least) > 1 or len({tuple(each) for each in numbers}) < len(names):
        return None
    return [(each[0] - least[1] if len(each) == 2 else 0, each[-1] - least[0]) for each in numbers]


def _fallen(parent: Ints, column: Ints, columns: int) -> tuple[Ints, int] | None:
    """[N] the row from the top where each disc comes to lie, and how many rows there are; None where no move comes
    twice on a path."""
    below = np.zeros((len(parent), columns), np.int16)  # discs in each column
    height = np.zeros(len(parent), np.int64)
    for node in range(1, len(parent)):
        below[node] = below[parent[node]]
        height[node] = below[node, column[node]]
        below[node, column[node]] += 1
    most = int(below.max())
    if most < 2 or not FEW_COLUMNS <= columns <= MOST_COLUMNS:
        return None
    rows = STANDARD_ROWS if columns == STANDARD_COLUMNS else max(most, FEW_COLUMNS)
    return (rows - 1 - height, rows) if most <= rows else None


def _filled(
    parent: Ints, depth: Ints, row: Ints, column: Ints, rows: int, columns: int
) -> BoardCells | None:
    """The boards; None where a move fills a cell that is not empty."""
    cell = row * columns + column
    cell[0] = -1
    marks = np.full((len(parent), rows * columns), EMPTY, np.int8)
    for node in range(1, len(parent)):
        marks[node] = marks[parent[node]]
        if marks[node, cell[node]] != EMPTY:
            return None
        marks[node, cell[node]] = OWN if depth[node] % 2 else OTHER
    return BoardCells(np.arange(len(parent)), marks.reshape(-1, rows, columns), cell)
