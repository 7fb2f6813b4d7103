"""Whether told rollouts that do not go by the rules do so where the player who moved into the leaf moves again, and the
players take turns from there. Of games of lines alone, as rules cannot be asked about another player's turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from mcts_viz.games.rules import FlatGame
from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.outcomes.replays import NEXT_ROLLOUT, ReplayedRollout
from mcts_viz.health.told.game import line_length
from mcts_viz.health.told.layouts import has_line
from mcts_viz.types import Bools

FEW = 20  # rollouts
LOOK = 5  # of these first: other mistakes show at once, and a look at all takes seconds
NEARLY_ALL = 0.98  # of the wrong ones: a random game is right by chance in some cases
SLACK = 1e-5


class _LineBoard(NamedTuple):
    """A position of a game of lines: 0 for an empty cell, else 1 plus the player whose mark it is."""

    cells: list[list[int]]  # by rows, from the top
    k: int
    falls: bool

    def play(self, action: int, player: int) -> bool:
        """Whether the move can be made; it is made, then."""
        columns = len(self.cells[0])
        row, column = (0, action) if self.falls else divmod(action, columns)
        if self.falls:
            row = sum(line[column] == 0 for line in self.cells) - 1
        if row < 0 or self.cells[row][column]:
            return False
        self.cells[row][column] = 1 + player
        return True

    def winner(self) -> int | None:
        """Who has a line."""
        cells = np.array(self.cells)[np.newaxis]
        return next((p for p in (0, 1) if has_line(cells == 1 + p, self.k)[0]), None)

    def is_full(self) -> bool:
        return all(cell for line in self.cells for cell in line)


def begun_by_other(
    search: CheckedSearch, told: Sequence[ReplayedRollout], wrong: Bools
) -> Finding | None:
    """None where they are not. wrong: [R] rollouts that do not go by the rules from their leaf."""
    bad = [one for one, is_wrong in zip(told, wrong.tolist(), strict=True) if is_wrong]
    if len(bad) < FEW or search.rules is None or line_length(search.rules.game) is None:
        return None
    if not all(_is_right(search, one.iteration) for one in bad[:LOOK]):
        return None
    right = sum(_is_right(search, one.iteration) for one in bad)
    if right < NEARLY_ALL * len(bad):
        return None
    first = bad[0]
    finding = found(
        "simulation-first-move", first.iteration, int(search.leaf[first.iteration - 1]),
        f"{len(bad):,} of {len(told):,} rollouts looked at do not go by the rules from the position of their leaf, but "
        "do, to the result that is recorded, if the player who has moved into the leaf makes their first move, too, "
        "and the two take turns from there: the wrong player begins the simulation",
        times=len(bad), looked_at=len(told),
    )  # fmt: skip
    return replace(finding, severity="error")  # nothing is estimated here


def _is_right(search: CheckedSearch, iteration: int) -> bool:
    """Whether a rollout is a game to its recorded result, begun by who has just moved."""
    assert search.rules is not None
    game, leaf = search.rules.game, int(search.leaf[iteration - 1])
    columns = search.trace.columns
    moves = columns.rollout.action[
        int(columns.rollout.offset[iteration - 1]) : int(columns.rollout.offset[iteration])
    ].tolist()
    if NEXT_ROLLOUT in moves:
        return False
    way = list[int]()
    node = leaf
    while node > 0:
        way.append(int(search.action[node]))
        node = int(search.parent[node])
    way = [*search.rules.actions, *way[::-1]]
    board = _empty(game)
    for turn, action in enumerate([*way, *moves]):
        begins_again = turn >= len(way)
        if board.winner() is not None or not board.play(action, (turn - begins_again) % 2):
            return False
    winner = board.winner()
    if winner is None and not board.is_full():
        return False
    low, high = search.meta.reward_range
    # the trace's number of who begins the game
    of_first = search.positions[leaf].to_move ^ len(way) % 2
    due = (low + high) / 2 if winner is None else low if winner ^ of_first else high
    return abs(due - float(columns.outcome[iteration - 1])) <= SLACK


def _empty(game: FlatGame) -> _LineBoard:
    assert game.board is not None
    shape = game.board([])
    cells = [[0] * shape.columns for _ in range(shape.rows)]
    return _LineBoard(cells, line_length(game) or 0, shape.style == "discs")
