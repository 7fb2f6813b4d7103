"""Searches that go on where a line has decided the game, of games nobody declares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import mcts_viz as mv
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.told.layouts import STEPS
from tests.health.unusual import Node, Search

Cells = tuple[tuple[int, ...], ...]  # rows from the top; 0 is empty, 1 and 2 are the players' marks


class Lines:
    """Players set marks by turns, on any cell or so that they fall; k in a row win, or lose."""

    def __init__(
        self,
        shape: tuple[int, int],
        k: int,
        *,
        fall: bool,
        wins: bool = True,
        start: Sequence[tuple[int, int]] = (),
    ) -> None:
        self.k, self.fall, self.wins = k, fall, wins
        self.first: Cells = ((0,) * shape[1],) * shape[0]
        for move in start:
            self.first = self.play(self.first, move)

    def moves(self, state: Cells) -> list[tuple[int, int]]:
        board = np.array(state)
        empty = [(row, column) for row, column in np.argwhere(board == 0).tolist()]
        if not self.fall:
            return empty
        return [
            (int((board[:, c] == 0).sum()) - 1, c) for c in range(board.shape[1]) if not board[0, c]
        ]

    def play(self, state: Cells, move: tuple[int, int]) -> Cells:
        board = np.array(state)
        board[move] = 1 + self.player(state)
        return tuple(tuple(row) for row in board.tolist())

    def player(self, state: Cells) -> int:
        return sum(cell > 0 for row in state for cell in row) % 2

    def outcome(self, state: Cells) -> float | None:
        """View of player 0."""
        board = np.array(state)
        for mark, result in ((1, 1.0), (2, -1.0)):
            if self._has_line(board == mark):
                return result if self.wins else -result
        return None if (board == 0).any() else 0.0

    def _has_line(self, mine: npt.NDArray[np.bool_]) -> bool:
        cells = {(int(row), int(column)) for row, column in np.argwhere(mine)}
        return any(
            all((row + i * down, column + i * right) in cells for i in range(self.k))
            for row, column in cells
            for down, right in STEPS
        )


class Author(Search):
    """Tells boards, and no game."""

    rules: Lines

    def trace(self, iterations: int, **told: Any) -> mv.Trace:
        with mv.record(
            root=self.root, children="children", visits="N", value="W", action="move", value_range=(-1, 1),
            state=lambda node: [["-XO"[cell] for cell in row] for row in node.state], **told,
        ) as rec:  # fmt: skip
            for _ in range(iterations):
                self.step()
                rec.iteration()
        return rec.trace


class Deaf(Author):
    """A node is an end when no move is left; rollouts ask whether somebody has won."""

    def node(self, state: Any, parent: Node | None, move: Any) -> Node:
        made = super().node(state, parent, move)
        if self.rules.moves(state):
            made.outcome = None
        return made


GAMES = {
    "drop three": Lines((4, 4), 3, fall=True),
    "tic-tac-toe": Lines((3, 3), 3, fall=False, start=[(0, 0), (1, 1), (0, 2)]),
    "three on 4 x 4": Lines((4, 4), 3, fall=False, start=[(0, 0), (1, 1), (3, 3), (2, 0)]),
    "a line loses": Lines((4, 4), 3, fall=True, wins=False),
}


def below_ends(trace: mv.Trace) -> list[Any]:
    return [one for one in trace.check() if one.check == "expansion-below-end"]


@pytest.mark.parametrize("game", GAMES)
def test_a_search_that_goes_on_after_a_line_is_told_so(game: str) -> None:
    trace = Deaf(GAMES[game], seed=1).trace(1_000)
    (finding,) = below_ends(trace)
    assert finding.severity == "warning"
    assert "a line of 3 on their board" in finding.message
    assert finding.node is not None
    board = trace.at(trace.n_iterations).state(finding.node)
    assert GAMES[game].outcome(_read(board)) is not None
    assert trace.at(trace.n_iterations).children(finding.node)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("tells_outcomes", [False, True])
def test_a_search_that_stops_at_lines_is_not(game: str, tells_outcomes: bool) -> None:
    told = {"outcome": "outcome", "to_move": "player"} if tells_outcomes else {}
    assert not below_ends(Author(GAMES[game], seed=2).trace(1_000, **told))


def test_lines_that_decide_nothing_are_not_either() -> None:
    """Four win: who has three has not won, however often three are there."""
    assert not below_ends(Author(Lines((4, 5), 4, fall=True), seed=3).trace(1_000))


def _read(board: str | None) -> Cells:
    assert board is not None
    return tuple(tuple("-XO".index(cell) for cell in row.split("\t")) for row in board.split("\n"))


class MakerBreaker(Lines):
    """Who sets second wins where nobody makes a line: no game is drawn, and it is not Tic-Tac-Toe."""

    def outcome(self, state: Cells) -> float | None:
        return super().outcome(state) or (None if any(0 in row for row in state) else -1.0)


def test_a_game_that_is_never_drawn_is_not_taken_for_tic_tac_toe() -> None:
    trace = Author(MakerBreaker((3, 3), 3, fall=False), seed=1).trace(300)
    assert CheckedSearch(trace).told_game is None
    assert not [one for one in trace.check() if one.severity != "note"]
