"""Whether a search goes on below a line that decides the game, where its rules are not known: every simulation from
there has the same result. Boards that moves fill with marks show lines; how long one has to be, the results do.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.outcomes.untold_ends import LeafValues
from mcts_viz.health.told.board_cells import EMPTY, OTHER, OWN, BoardCells, below
from mcts_viz.health.told.layouts import has_line, layouts
from mcts_viz.types import Bools, Floats, Ints

SHORTEST, LONGEST = 3, 6  # marks of a line
FEW = 12  # positions with a line
FEW_GROWN = 5  # of those, that the search goes on from
NEARLY_ALL = 0.9  # of those that were visited again: where ends are tested, none has children
TINY = 1e-9
BY_CHANCE = 1e-9  # that all simulations from lines have one result


class Leaves(NamedTuple):
    """Simulations from the positions of boards, [K]."""

    times: Ints
    least: Floats  # view of who moved there: from −1, a loss, to 1
    greatest: Floats


class DecisiveLines(NamedTuple):
    """The first line on each way down, where cells are empty still."""

    k: int
    row: Ints  # of the boards
    stands_below: Bools  # [K] boards below one with a line


def check_below_lines(search: CheckedSearch) -> Iterator[Finding]:
    """A warning where the tree goes on below lines, from which all simulations bring who has one the same."""
    if search.boards is None or search.rules is not None:
        return
    values = LeafValues(search)
    low, high = search.value_range
    least, greatest = (
        (2 * value[search.boards.node] - low - high) / (high - low)
        for value in (values.least, values.greatest)
    )
    leaves = Leaves(values.times[search.boards.node], least, greatest)
    for boards in layouts(search.boards):
        lines = _decisive(search, boards, leaves)
        if lines is not None:
            yield from _gone_on(search, boards, lines, leaves)
            return


def _decisive(search: CheckedSearch, boards: BoardCells, leaves: Leaves) -> DecisiveLines | None:
    """Lines of the least length that decides; None where there are few, or they are told to end the game."""
    full = (boards.marks != EMPTY).all(axis=(1, 2))
    over, seen = search.ended[boards.node], leaves.times > 0
    parent = search.parent.astype(np.int64)
    shorter = _lines(boards, SHORTEST - 1)
    for k in range(SHORTEST, min(LONGEST, max(boards.marks.shape[1:])) + 1):
        own = _lines(boards, k)
        line: Bools = own[0] | own[1]
        stands_below = below(line, boards, parent)
        first = line & ~full & ~stands_below & seen
        if line[0] or first.sum() < FEW or over[line & ~full].any():
            return None  # longer ones are fewer still
        chance = [
            _by_chance(leaves, mine & first, mine_but_one & ~line & ~over & seen)
            for mine, mine_but_one in zip(own, shorter, strict=True)
        ]
        if np.prod(chance) < BY_CHANCE:
            return DecisiveLines(k, np.flatnonzero(first), stands_below)
        shorter = own
    return None


def _lines(boards: BoardCells, k: int) -> Bools:
    """[2, K] whether each player, first the one to move at the root, has made the last move and has such a line."""
    cells = boards.marks.reshape(len(boards.marks), -1)
    last = cells[np.arange(len(cells)), boards.cell]
    return np.array([(last == mark) & has_line(boards.marks == mark, k) for mark in (OWN, OTHER)])


def _by_chance(leaves: Leaves, mine: Bools, others: Bools) -> float:
    """How likely it is that simulations from lines all have one result, a win or a loss, as they do from positions of
    the same player where one mark is missing; 1 where they have not. mine, others: [K] which boards these are."""
    if not mine.any():
        return 1.0
    result = float(leaves.least[mine][0])
    same = (np.abs(leaves.least - result) <= TINY) & (np.abs(leaves.greatest - result) <= TINY)
    if abs(abs(result) - 1) > TINY or not same[mine].all():
        return np.inf
    usual = (same[others].sum() + 1) / (others.sum() + 1)
    return float(usual ** mine.sum())


def _gone_on(
    search: CheckedSearch, boards: BoardCells, lines: DecisiveLines, leaves: Leaves
) -> Iterator[Finding]:
    node = boards.node[lines.row]
    grown = ~search.childless()[node]
    again = search.statistics_after(search.T).visits[node] > 1
    if grown.sum() < FEW_GROWN or not again.any() or grown[again].mean() < NEARLY_ALL:
        return
    first = int(node[grown][0])
    times, n_below = int(leaves.times[lines.row].sum()), int(lines.stands_below.sum())
    yield found(
        "expansion-below-end", int(search.born[first]), first,
        f"{len(node):,} nodes have a line of {lines.k} on their board, as node {first:,}, and all {times:,} "
        "simulations from there bring who has it the same result: the game seems to be decided. But the search goes "
        f"on, and {n_below:,} nodes stand below these. So it is where a node counts as the end when no move is left, "
        "and nobody asks whether somebody has won: visits are spent on moves that cannot be made, and a game that is "
        "decided may end otherwise there",
        nodes=n_below, lines=len(node),
    ).as_warning()  # fmt: skip
