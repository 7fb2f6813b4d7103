"""The cells of boards on which each move puts one mark, read from the recorded texts of positions. Knows no rules.

Boards are written in many ways: letters, numbers or cells of a grid, a line a row or all in one, with frames, with
whose turn it is beside them, from the mover's view. What a move changes says which parts are cells: those that are
empty before it and have one of two marks after it, by turns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mcts_viz.health.tree.fields import TOKEN
from mcts_viz.trace.states import grid_rows
from mcts_viz.types import Bools, Ints

Codes = npt.NDArray[np.int16]
Marks = npt.NDArray[np.int8]
EMPTY, OWN, OTHER = (
    0,
    1,
    2,
)  # of a cell: no mark, that of who moves at the root, that of the opponent
FEWEST, MOST = 9, 225  # cells of a board
FEW_MOVES = 20
MOST_FIELDS = 600  # of a text
LIKELY = 3  # of what stood before in fields that change, the most frequent: one is the empty cell

Lines = list[list[str]]


class BoardCells(NamedTuple):
    """What stands on the boards of K nodes."""

    node: Ints  # [K] ascending, the root first
    marks: Marks  # [K, rows, columns], or [K, 1, cells] where a text has one line
    cell: Ints  # [K] the cell that was filled last, row by row; −1 at the root


def board_cells(texts: Sequence[str | None], parent: Ints, depth: Ints) -> BoardCells | None:
    """None where moves do anything but put one mark of two, by turns, on an empty cell. parent, depth: [N]."""
    node = np.array([i for i, text in enumerate(texts) if text], np.int64)
    if len(node) <= FEW_MOVES or node[0] != 0 or np.isin(parent[node[1:]], node, invert=True).any():
        return None
    above = np.searchsorted(node, parent[node[1:]])
    for split in (_tokens, _cells, _letters):
        fields = _fields([texts[i] or "" for i in node.tolist()], split)
        if fields is not None:
            read = _read(*fields, node, above, depth[node])
            if read is not None:
                return read
    return None


def below(ended: Bools, boards: BoardCells, parent: Ints) -> Bools:
    """[K] which nodes stand below one that has ended."""
    above = np.searchsorted(boards.node, parent[boards.node[1:]])
    below = np.zeros(len(ended), np.bool_)
    for row, higher in enumerate(above.tolist(), start=1):  # parents come first
        below[row] = below[higher] or ended[higher]
    return below


def _tokens(text: str) -> Lines:
    return [TOKEN.findall(line) for line in text.split("\n")]


def _cells(text: str) -> Lines:
    return grid_rows(text) if "\t" in text else []


def _letters(text: str) -> Lines:
    return [list(line) for line in text.split("\n")]


def _fields(texts: list[str], split: Callable[[str], Lines]) -> tuple[Codes, Ints] | None:
    """[K, F] what stands in each field, as numbers, and [F, 2] its line and place in it; None where the texts have
    not the same fields."""
    first = split(texts[0])
    shape = [len(line) for line in first]
    if not FEWEST <= sum(shape) <= MOST_FIELDS:
        return None
    numbers: dict[str, int] = {}
    codes = np.empty((len(texts), sum(shape)), np.int16)
    for row, text in enumerate(texts):
        lines = split(text)
        if [len(line) for line in lines] != shape:
            return None
        codes[row] = [numbers.setdefault(one, len(numbers)) for line in lines for one in line]
        if len(numbers) > np.iinfo(np.int16).max - MOST_FIELDS:
            return None
    places = [(line, place) for line, n in enumerate(shape) for place in range(n)]
    return codes, np.array(places, np.int64)


def _read(codes: Codes, places: Ints, node: Ints, above: Ints, depth: Ints) -> BoardCells | None:
    """above: [K − 1] row of the parent of each node but the root."""
    changed = codes[1:] != codes[above]
    times = np.bincount(codes[above][changed], minlength=1)
    for empty in np.argsort(-times)[:LIKELY].tolist():
        is_filled = changed & (codes[above] == empty)
        filled, altered = is_filled.any(axis=0), (changed & ~is_filled).any(axis=0)
        marks = _marks_beside(codes[:, filled], empty)
        if marks is None:
            continue
        may_be = np.isin(codes[0], [empty, *marks])
        if not (filled & altered).any():  # else boards are in the mover's view, and marks change
            may_be &= ~altered
        grid = _grid(places, filled, may_be)
        for own, other in [] if grid is None else [marks, marks[::-1]]:
            boards = np.full(codes.shape, -1, np.int8)
            for code, mark in ((empty, EMPTY), (own, OWN), (other, OTHER)):
                boards[codes == code] = mark
            for seen in (boards, _from_one_view(boards, depth)):
                read = _moves_in(seen[:, grid], node, above, depth)
                if read is not None:
                    return read
    return None


def _marks_beside(cells: Codes, empty: int) -> tuple[int, int] | None:
    """The two marks that stand in cells; None where there are more or fewer."""
    kinds = [code for code in np.unique(cells).tolist() if code != empty]
    return (kinds[0], kinds[1]) if len(kinds) == 2 else None


def _from_one_view(marks: Marks, depth: Ints) -> Marks:
    """Boards in the view of who moves there, turned round at every other depth."""
    turned = marks.copy()
    odd = (depth % 2 == 1)[:, np.newaxis]
    turned[odd & (marks == OWN)] = OTHER
    turned[odd & (marks == OTHER)] = OWN
    return turned


def _moves_in(marks: Marks, node: Ints, above: Ints, depth: Ints) -> BoardCells | None:
    """The cells [K, rows, columns] where each move fills one, with the mark of the player whose turn it is."""
    if (marks < 0).any():
        return None
    flat = marks.reshape(len(marks), -1)
    changed = flat[1:] != flat[above]
    if (changed.sum(axis=1) != 1).any():
        return None
    cell = changed.argmax(axis=1)
    row = np.arange(len(cell))
    due = np.where(depth[1:] % 2 == 1, OWN, OTHER)
    if (flat[above][row, cell] != EMPTY).any() or (flat[1:][row, cell] != due).any():
        return None
    return BoardCells(node, marks, np.concatenate([[-1], cell]))


def _grid(places: Ints, filled: Bools, may_be: Bools) -> Ints | None:
    """[rows, columns] the fields that are cells: those that moves fill, and those between and beside them that may be
    cells, too."""
    fields = {tuple(place): field for field, place in enumerate(places.tolist())}
    found_rows, found_columns = (_steps(np.unique(places[filled, axis])) for axis in (0, 1))
    if found_rows is None or found_columns is None:
        return None

    def are_cells(rows: list[int], columns: list[int]) -> bool:
        found = [fields.get((row, column)) for row in rows for column in columns]
        return all(field is not None and may_be[field] for field in found)

    columns = _extended(found_columns, lambda column: are_cells(found_rows, [column]))
    rows = _extended(found_rows, lambda row: are_cells([row], columns))
    if not FEWEST <= len(rows) * len(columns) <= MOST:
        return None
    if not are_cells(rows, columns):
        return None
    return np.array([[fields[row, column] for column in columns] for row in rows])


def _steps(found: Ints) -> list[int] | None:
    """All places from the first to the last, at the least distance between two; None where some lie between."""
    if len(found) == 1:
        return [int(found[0])]
    step = int(np.diff(found).min())
    places = list(range(int(found[0]), int(found[-1]) + 1, step))
    return places if set(found.tolist()) <= set(places) else None


def _extended(places: list[int], fits: Callable[[int], bool]) -> list[int]:
    """These and what follows on either side at the same step, as long as it fits."""
    step = next((b - a for a, b in pairwise(places)), 1)
    first, last = places[0], places[-1]
    while fits(first - step):
        first -= step
    while fits(last + step):
        last += step
    return list(range(first, last + 1, step))
