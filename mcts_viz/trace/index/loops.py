"""Loops over the nodes and iterations of a long trace, compiled by numba where there are many; small ones run as they
are. The caller has checked every id.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from mcts_viz.compiling.jit import jit_entry
from mcts_viz.trace.players import CHANCE
from mcts_viz.types import Ints, Numbers

WORTH_COMPILING = 200_000  # steps
USUAL_DEPTH = 10  # of a leaf: steps up its path
Int32s: TypeAlias = npt.NDArray[np.int32]


def add_up(parent: Int32s, size: Int32s) -> None:
    """Make of the numbers of nodes those of their subtrees; ids of parents are lower."""
    for node in range(len(parent) - 1, 0, -1):
        size[parent[node]] += size[node]


def count_leaves(leaf: Int32s, code: Numbers, left_out: int, own: Int32s) -> None:
    """Count the visits that ended at each node, of iterations that are not left out."""
    for t in range(len(leaf)):
        if code[t] != left_out:
            own[leaf[t]] += 1


def number(
    parent: Int32s, size: Int32s, place: Int32s, following: Int32s, at_place: Int32s, size_at_place: Int32s
) -> None:  # fmt: skip
    """The place of each node in preorder, children by id, and which node with which size is at each place. size: of
    subtrees; following: room for a number a node."""
    place[0], following[0] = 0, 1
    at_place[0], size_at_place[0] = 0, size[0]
    for node in range(1, len(parent)):
        above = parent[node]
        at = following[above]
        following[above] = at + size[node]
        place[node], following[node] = at, at + 1
        at_place[at], size_at_place[at] = node, size[node]


def sort_iterations(
    leaf: Int32s, code: Numbers, left_out: int, place: Int32s, cursor: Int32s, when: Int32s, kind: Numbers
) -> None:  # fmt: skip
    """Put iterations, from 1, and their codes one after another where their leaf's begin: at `cursor`, by place."""
    for t in range(len(leaf)):
        if code[t] != left_out:
            at = place[leaf[t]]
            when[cursor[at]] = t + 1
            kind[cursor[at]] = code[t]
            cursor[at] += 1


def add_in_order(
    leaf: Int32s, worth_0: Numbers, worth_1: Numbers, parent: Int32s, side: Numbers, which: Int32s, step: int,
    sums: Numbers,
) -> None:  # fmt: skip
    """Add what iterations are worth to some of the nodes on their paths, in the order of the search. which: [N] the
    column of `sums` that a node has, −1: none. sums: [K + 1, L] after 0, step, 2 · step, … iterations."""
    for moment in range(1, len(sums)):
        for column in range(sums.shape[1]):
            sums[moment, column] = sums[moment - 1, column]
        for t in range((moment - 1) * step, moment * step):
            node = leaf[t]
            while node >= 0:
                column = which[node]
                if column >= 0:
                    sums[moment, column] += worth_1[t] if side[node] == 1 else worth_0[t]
                node = parent[node]


def write_paths(
    leaf: Int32s, end: Ints, worth_0: Numbers, worth_1: Numbers, parent: Int32s, to_move: Numbers,
    side_of_root: Numbers, node: Int32s, value: Numbers,
) -> None:  # fmt: skip
    """Write the nodes of each path, root first, and what its iteration is worth to each. leaf: −1: nothing is written;
    end: the row behind the last one of each. side_of_root: [1]. node: zeros."""
    for t in range(len(leaf)):
        at, row = leaf[t], end[t] - 1
        while at >= 0:
            node[row] = at
            at, row = parent[at], row - 1
    row = 0
    for t in range(len(leaf)):
        first, second = worth_0[t], worth_1[t]
        is_second = side_of_root[0] == 1
        while row < end[t]:
            value[row] = second if is_second else first
            mover = to_move[node[row]]
            if mover != CHANCE:  # an event of chance is in the view of who moved before it
                is_second = mover == 1
            row += 1


def count_branches(
    leaf: Int32s, place: Int32s, begin: Int32s, end: Int32s, ends: Numbers, counts: Numbers
) -> None:  # fmt: skip
    """Count the iterations of each window whose leaf is at or below each child. begin, end: [k] ranges of the subtrees
    of the children in preorder, rising; ends: [W + 1] 0 and the last iteration of each window; counts: [W + 1, k], of
    the windows from 1."""
    for window in range(1, len(ends)):
        for t in range(ends[window - 1], ends[window]):
            at = place[leaf[t]]
            low, high = 0, len(begin)
            while low < high:
                middle = (low + high) // 2
                if begin[middle] <= at:
                    low = middle + 1
                else:
                    high = middle
            if low > 0 and at < end[low - 1]:
                counts[window, low - 1] += 1


def count(node: Int32s, n: Int32s) -> None:
    """Count how often each node is there."""
    for row in range(len(node)):
        n[node[row]] += 1


def sort_updates(node: Int32s, cursor: Int32s, rows: Int32s) -> None:
    """Put the rows of updates one after another where those of their node begin: at `cursor`, by node."""
    for row in range(len(node)):
        at = node[row]
        rows[cursor[at]] = row
        cursor[at] += 1


def add_knots(
    value: Numbers, begin: int, first: Numbers, every: int, node: Numbers, total: Numbers, knots: Numbers
) -> None:  # fmt: skip
    """Add up what the updates of each node add, and keep the sum before each of them that is 0, every, 2 · every, …
    among all. value: of those from `begin` on; first: [N + 1] where those of each node begin. node, total: [1] where
    the last part of them has ended, and the sum there."""
    at, sum_ = node[0], total[0]
    for place in range(begin, begin + len(value)):
        while place >= first[at + 1]:
            at, sum_ = at + 1, 0.0
        if place % every == 0:
            knots[place // every] = sum_
        sum_ += value[place - begin]
    node[0], total[0] = at, sum_


def number_values(
    bits: Numbers, keys: Numbers, numbers: Numbers, n: Numbers, most: int, code: Numbers
) -> None:
    """The number of each value, given by its bits; new ones get the next numbers. keys, numbers: a hash table, −1 where
    it is empty; its length is a power of two. n: [1] different values so far; with more than `most` nothing is done."""
    mask = len(keys) - 1
    for row in range(len(bits)):
        key = bits[row]
        at = (key ^ (key >> 13) ^ (key >> 29) ^ (key >> 43)) & mask
        while numbers[at] >= 0 and keys[at] != key:
            at = (at + 1) & mask
        if numbers[at] < 0:
            if n[0] == most:
                n[0] += 1
                return
            keys[at] = key
            numbers[at] = n[0]
            n[0] += 1
        code[row] = numbers[at]


ABOVE, BELOW, AT = 1, 2, 4  # what `note_sides` finds in a block
SIDES_BLOCK = 4_096  # iterations
SIDES_STRETCH = 256  # iterations that are added up at once, where the limit is out of their reach


def note_sides(
    code: Numbers, worth: Numbers, begun: Numbers, sides: Numbers, states: Numbers
) -> None:
    """Note for each block of iterations on which sides of a limit a mean was in it, and in `states` [2, blocks] the
    visits and their sum before it. code, worth: kinds of worth of the visits, and what each is; one of no kind adds
    nothing. Sums are exact in any order. begun: visits and their sum before, and the limit."""
    n, total, limit = begun[0], begun[1], begun[2]
    visit, value = np.zeros(256), np.zeros(256)  # by code
    reach = 0.0  # how far one visit takes the sum towards the limit at most
    for kind in range(len(worth)):
        visit[kind] = 1.0
        value[kind] = worth[kind]
        reach = max(reach, abs(worth[kind] - limit))
    for block in range(len(sides)):
        begin, end = block * SIDES_BLOCK, min((block + 1) * SIDES_BLOCK, len(code))
        states[0, block] = n
        states[1, block] = total
        found = 0
        for first in range(begin, end, SIDES_STRETCH):
            last = min(first + SIDES_STRETCH, end)
            apart, near = total - limit * n, 1e-9 * (n + SIDES_STRETCH)
            if abs(apart) > reach * SIDES_STRETCH + near:
                found |= ABOVE if apart > 0 else BELOW
                # four sums, as one would wait for itself
                n_1 = n_2 = n_3 = total_1 = total_2 = total_3 = 0.0
                even = first + (last - first) // 4 * 4
                for at in range(first, even, 4):
                    n += visit[code[at]]
                    total += value[code[at]]
                    n_1 += visit[code[at + 1]]
                    total_1 += value[code[at + 1]]
                    n_2 += visit[code[at + 2]]
                    total_2 += value[code[at + 2]]
                    n_3 += visit[code[at + 3]]
                    total_3 += value[code[at + 3]]
                for at in range(even, last):
                    n += visit[code[at]]
                    total += value[code[at]]
                n += n_1 + n_2 + n_3
                total += total_1 + total_2 + total_3
                continue
            for at in range(first, last):
                n += visit[code[at]]
                total += value[code[at]]
                apart = total - limit * n
                near = 1e-9 * n  # where rounding may decide
                found |= ABOVE if apart > near else BELOW if apart < -near else AT
        sides[block] = found


@functools.cache
def compiled(loop: Callable[..., None]) -> Callable[..., None]:
    """The function compiled by numba, which is loaded only here: it is slow to load."""
    made: Callable[..., None] = jit_entry(loop)
    return made


def read_only(column: Numbers) -> Numbers:
    """The column, as those of a trace are."""
    column = column.view()
    column.flags.writeable = False
    return column


def run_compiled(
    loop: Callable[..., None], known: Iterable[Numbers], *changed: Numbers | int
) -> None:
    """Run a loop, compiled, over columns that it reads, then those that it writes, and numbers among them. numba
    compiles for each kind of column, so all that are read are alike."""
    alike = (read_only(np.ascontiguousarray(each)) for each in known)
    compiled(loop)(*alike, *changed)


def run(loop: Callable[..., None], *columns: Numbers | int, each: int = 1) -> None:
    """Run a loop over columns, with so many steps for each of the first one's numbers."""
    first = columns[0]
    long = not isinstance(first, int) and each * len(first) > WORTH_COMPILING
    (compiled(loop) if long else loop)(*columns)
