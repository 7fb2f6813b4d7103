"""Which iterations backed one visit up the path from their leaf, as a plain search does, and what it was worth: these
need no updates in an index, for they follow from leaf and worth. All others keep theirs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mcts_viz.trace.format import Rows
from mcts_viz.trace.path_updates import PATH_VALUES, is_along_path
from mcts_viz.types import Bools, Floats, Numbers

MOST_CODES = 16  # kinds of worth; more are no search whose outcomes are results of games
LEFT_OUT = 255  # code of an iteration that keeps its updates
STEPS, LARGEST = 1024.0, 2.0**40  # sums of multiples of 1/1024 below that are free of rounding


class Worth(NamedTuple):
    """Of an iteration."""

    outcome: np.float32  # view of player 0; nan: not known
    first: float  # value added to nodes of side 0, see `sides`; nan: there were none on the path
    second: float  # to those of side 1


class NotCoveredError(Exception):
    """A trace that no index covers, in words why: it is opened without one."""


class RoundedError(NotCoveredError):
    """A trace whose iterations are worth too many values for codes, or values whose sums depend on their order, as
    those of networks do: its index has the values themselves, see `OrderedWorth`."""


def sides(mover: npt.NDArray[np.int8]) -> npt.NDArray[np.int8]:
    """[k] 1 for nodes whose value is in the view of player 1, 0 for all others."""
    return np.asarray(mover == 1, np.int8)


def plain_values(
    rows: Rows, parent: npt.NDArray[np.int32], side: npt.NDArray[np.int8]
) -> tuple[Bools, Floats, Floats]:
    """[n] which iterations are plain, and what they added to nodes of side 0 and of side 1 (nan: there were none).
    parent, side: of all nodes after these rows."""
    along = is_along_path(rows)
    if along is None:
        return _found_plain(rows, parent, side)
    told = [rows.values[name] + 0.0 for name in PATH_VALUES]
    if along.all():
        return along, told[0], told[1]
    plain, *found = _found_plain(rows, parent, side)
    first, second = (np.where(along, *each) for each in zip(told, found))
    return plain | along, first, second


def _found_plain(
    rows: Rows, parent: npt.NDArray[np.int32], side: npt.NDArray[np.int8]
) -> tuple[Bools, Floats, Floats]:
    """The same of iterations all of whose updates stand in the rows."""
    offset = rows.updates.offset.astype(np.int64)
    node, value = rows.updates.node, rows.updates.value
    n_rows = np.diff(offset)
    begin, end = offset[:-1], offset[1:]
    follows = np.empty(len(node), np.bool_)  # each row's node is the parent of the next one's
    follows[:-1] = parent[node[1:]] == node[:-1]
    there = n_rows > 0
    last = end[there] - 1
    follows[last] = node[last] == rows.leaf[there]
    follows &= rows.updates.visits == 1
    ok = there.copy()
    ok[there] = (node[begin[there]] == 0) & np.logical_and.reduceat(follows, begin[there])
    found = []
    of = side[node]
    for which in (0, 1):
        mine = np.where(of == which, value, np.nan)
        least, greatest = np.full(rows.n, np.nan), np.full(rows.n, np.nan)
        least[there] = np.fmin.reduceat(mine, begin[there])
        greatest[there] = np.fmax.reduceat(mine, begin[there])
        ok &= (least == greatest) | np.isnan(least)
        # adding 0.0 and adding −0.0 leave the same sum
        found.append(least + 0.0)
    return ok, found[0], found[1]


class ResultCodes:
    """The results that finished games of a trace have, each with a number; 0: the game goes on."""

    def __init__(self) -> None:
        self.bits: list[int] = []  # of each as a float32, from number 1 on

    def of(self, outcome: npt.NDArray[np.float32]) -> npt.NDArray[np.uint8]:
        """[n] the number of each. Raises NotCoveredError for too many."""
        found = np.zeros(len(outcome), np.uint8)
        over = np.flatnonzero(~np.isnan(outcome))
        bits, place = np.unique(outcome[over].view(np.int32), return_inverse=True)
        for each in bits.tolist():
            if each not in self.bits:
                self.bits.append(each)
        if len(self.bits) >= 1 << 8:
            raise NotCoveredError("its finished games have more than 255 results")
        numbers = [self.bits.index(each) + 1 for each in bits.tolist()]
        found[over] = np.array(numbers, np.uint8)[place]
        return found


class Codes:
    """The kinds of worth that a trace has, each with a number."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[int, float | None, float | None], int] = {}

    def of(
        self, plain: Bools, outcome: npt.NDArray[np.float32], first: Floats, second: Floats
    ) -> npt.NDArray[np.uint8]:
        """[n] the code of each iteration, LEFT_OUT where it is not plain. Raises NotCoveredError for too many."""
        found = np.full(len(plain), LEFT_OUT, np.uint8)
        # by their bits: nan is like nan
        keys = outcome.view(np.int32), first.view(np.int64), second.view(np.int64)
        left = np.flatnonzero(plain)
        while len(left):
            a = left[0]
            same = np.ones(len(left), np.bool_)
            for key in keys:
                same &= key.take(left) == key[a]
            worth = (int(keys[0][a]), _known(first[a]), _known(second[a]))
            number = self._numbers.setdefault(worth, len(self._numbers))
            if number >= MOST_CODES * 4 or not all(map(_is_dyadic, worth[1:])):
                raise RoundedError
            found[left[same]] = number
            left = left[~same]
        return found

    def finished(self, n_iterations: int) -> tuple[list[Worth], npt.NDArray[np.uint8]]:
        """Few kinds of worth, and [256] by which of them each code is replaced: what is not known of one is taken from
        one that is like it otherwise. Raises RoundedError where sums would not be free of rounding."""
        table: list[tuple[int, float | None, float | None]] = []
        codes = np.full(256, LEFT_OUT, np.uint8)
        by_known = sorted(self._numbers, key=lambda each: each.count(None))
        for outcome, first, second in by_known:
            for place, (other, a, b) in enumerate(table):
                if outcome == other and _alike(first, a) and _alike(second, b):
                    table[place] = (
                        outcome,
                        a if first is None else first,
                        b if second is None else second,
                    )
                    break
            else:
                place = len(table)
                table.append((outcome, first, second))
            codes[self._numbers[outcome, first, second]] = place
        if len(table) > MOST_CODES:
            raise RoundedError
        found = [
            Worth(np.int32(each[0]).view(np.float32), each[1] or 0.0, each[2] or 0.0)
            for each in table
        ]
        values = np.array([each[1:] for each in found], np.float64).ravel()
        if not is_dyadic(values) or np.square(values).sum() * n_iterations > LARGEST / STEPS:
            raise RoundedError
        return found, codes


def _is_dyadic(value: float | None) -> bool:
    return value is None or is_dyadic(np.array([value]))


def is_dyadic(values: Floats) -> bool:
    """Whether sums of such values, and of their squares, are free of rounding, as long as they are not too many."""
    if np.any(np.abs(values) > LARGEST):
        return False
    return not np.any(values * STEPS != np.rint(values * STEPS))


def _known(value: np.float64) -> float | None:
    return None if np.isnan(value) else float(value)


def _alike(a: float | None, b: float | None) -> bool:
    return a is None or b is None or a == b


def kept_updates(rows: Rows, code: npt.NDArray[np.uint8]) -> tuple[Numbers, Numbers]:
    """[k] places of the updates of iterations that keep theirs, and [k] the row of each."""
    offset = rows.updates.offset.tolist()
    which = np.flatnonzero(code == LEFT_OUT).tolist()
    places = [np.arange(offset[row], offset[row + 1]) for row in which]
    owners = [np.full(len(each), row) for each, row in zip(places, which)]
    nothing = [np.zeros(0, np.int64)]
    return np.concatenate([*nothing, *places]), np.concatenate([*nothing, *owners])


def codes_of(worths: list[Worth]) -> tuple[npt.NDArray[np.float32], Floats]:
    """[C] outcomes, and [2, C] values by side."""
    outcome = np.array([each.outcome for each in worths], np.float32)
    return outcome, np.array(
        [[each.first for each in worths], [each.second for each in worths]], np.float64
    )
