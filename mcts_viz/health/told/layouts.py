"""How boards lie: their rows and columns, whether discs fall on them, which moves lead there, and lines of marks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.health.told.board_cells import EMPTY, OTHER, OWN, BoardCells, Marks
from mcts_viz.types import Bools

STEPS = ((0, 1), (1, 0), (1, 1), (1, -1))  # rows down, columns right


def layouts(cells: BoardCells) -> Iterator[BoardCells]:
    """A text of one line may be a square, or a board of any size on which discs fall, written by rows or by columns."""
    n, rows, columns = cells.marks.shape
    shapes = [(rows, columns)]
    if min(rows, columns) == 1:
        size = rows * columns
        shapes = [(r, size // r) for r in range(3, size // 3 + 1) if size % r == 0]
    for shape in shapes:
        boards = cells._replace(marks=cells.marks.reshape(n, *shape))
        is_square = shape[0] == shape[1]
        for each in [boards, *_turned(boards)]:
            if falls(each):
                yield each
                break
        else:
            if is_square or len(shapes) == 1:
                yield boards


def _turned(boards: BoardCells) -> Iterator[BoardCells]:
    """The same upside down, and with rows for columns, each way."""
    rows, columns = boards.marks.shape[1:]
    places = np.arange(rows * columns).reshape(rows, columns)
    for place in (places[::-1], places.T, places.T[::-1]):
        where = np.empty(rows * columns, np.int64)
        where[place.ravel()] = np.arange(rows * columns)
        marks = boards.marks.reshape(len(boards.marks), -1)[:, place.ravel()]
        cell = np.where(boards.cell < 0, -1, where[boards.cell])
        yield BoardCells(boards.node, marks.reshape(-1, *place.shape), cell)


def falls(boards: BoardCells) -> bool:
    """Whether no cell is empty below one that is not."""
    marks = boards.marks
    return not ((marks[:, :-1] != EMPTY) & (marks[:, 1:] == EMPTY)).any()


def moves_to(root: Marks, fall: bool) -> list[int] | None:
    """Cells, or columns where discs fall, that lead from an empty board to the root's, the players by turns; None where
    there are none."""
    n_own, n_other = int((root == OWN).sum()), int((root == OTHER).sum())
    if n_other - n_own not in (0, 1):
        return None
    first = OWN if n_own == n_other else OTHER
    return _by_falling(root, first) if fall else _by_turns(root.ravel(), first)


def _by_turns(cells: Marks, first: int) -> list[int]:
    moves = [np.flatnonzero(cells == mark).tolist() for mark in (first, OWN + OTHER - first)]
    return [moves[turn % 2][turn // 2] for turn in range(len(moves[0]) + len(moves[1]))]


def _by_falling(root: Marks, first: int) -> list[int] | None:
    columns = [[int(mark) for mark in column[::-1] if mark != EMPTY] for column in root.T]
    total = sum(len(column) for column in columns)
    seen = set[tuple[int, ...]]()
    way: list[tuple[tuple[int, ...], list[int]]] = [((0,) * len(columns), [])]
    while way:  # depth first: orders are many, and the first will do
        heights, moves = way.pop()
        if len(moves) == total:
            return moves
        due = first if len(moves) % 2 == 0 else OWN + OTHER - first
        for place, column in enumerate(columns):
            height = heights[place]
            if height < len(column) and column[height] == due:
                after = (*heights[:place], height + 1, *heights[place + 1 :])
                if after not in seen:
                    seen.add(after)
                    way.append((after, [*moves, place]))
    return None


def has_line(cells: Bools, k: int) -> Bools:
    """[K] whether so many of these cells [K, rows, columns] lie in a row."""
    _, rows, columns = cells.shape
    found = np.zeros(len(cells), np.bool_)
    for down, right in STEPS:
        height, width = rows - (k - 1) * down, columns - (k - 1) * abs(right)
        if height < 1 or width < 1:
            continue
        whole = np.ones((len(cells), height, width), np.bool_)
        for i in range(k):
            left = i * right if right >= 0 else (k - 1) + i * right
            whole &= cells[:, i * down : i * down + height, left : left + width]
        found |= whole.any(axis=(1, 2))
    return found
