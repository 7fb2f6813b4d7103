"""Game-theoretic values at a node as data: `truth` has them computed, `prose` puts them into words."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mcts_viz.types import Floats, Ints

RIGHT, WRONG, NOT_KNOWN = 1, 0, -1  # verdict on a move


@dataclass(frozen=True)
class MoveValue:
    """A legal move at the node. Results are in the view of the player who moves there."""

    action: int
    move: str
    node: int | None  # None: it has none in the tree
    result: int | None  # 1 wins, 0 draws, −1 loses; None: not known
    plies: int | None  # from the node to the end, this move included
    verdict: int  # RIGHT: no move is better, WRONG: one is, NOT_KNOWN


class JudgedCourse(NamedTuple):
    """The move that would have been chosen after each iteration, as it is judged: C times it became another one."""

    since: Ints  # [C] the iterations after which it did, rising; the first one is 0
    verdict: npt.NDArray[np.int8]  # [C] of the move chosen from then on: RIGHT, WRONG, NOT_KNOWN
    regret: Floats  # [C] likewise; nan: not known, or no choice yet

    def until(self, t: int) -> JudgedCourse:
        """The same up to iteration t."""
        n = int(np.searchsorted(self.since, t, side="right"))
        return JudgedCourse(self.since[:n], self.verdict[:n], self.regret[:n])


@dataclass(frozen=True, eq=False)
class GameValueData:
    """Game-theoretic values at a node after an iteration, beside the answer of the search."""

    iteration: int  # t
    n_iterations: int  # of the trace
    node: int
    line_to: tuple[str, ...]  # moves from the root to the node
    player: str  # who moves at the node
    over: bool  # whether the game is over at the node
    unknown: str | None  # why some or all values are unknown; None: all moves are known
    limit: int  # positions that the solver may look at
    looked_at: int
    result: int | None  # of the position, view of that player; None: not known
    plies: int | None  # to the end with the best play of both; None: not known, or a draw
    moves: tuple[MoveValue, ...]  # legal ones, best first
    chosen: (
        MoveValue | None
    )  # the final-move rule's; None: there is none, or the rules do not know it
    mistake: bool | None  # whether a move is better than the chosen one; None: not known
    right_since: (
        int | None
    )  # iteration from which on the choice is right; None: it is wrong, or not known
    course: JudgedCourse = field(repr=False)  # up to iteration t
    nodes: Ints = field(repr=False)  # [K] nodes whose values were asked for, ascending
    results: npt.NDArray[np.float32] = field(repr=False)  # [K] view of player 0; nan: not known

    @property
    def best_moves(self) -> tuple[str, ...]:
        """Names of the moves than which none is better."""
        return tuple(each.move for each in self.moves if each.verdict == RIGHT)

    @property
    def regret(self) -> Floats:
        """[t + 1] simple regret after each iteration: value of the best move less that of the move then chosen, a win
        worth 1, a draw ½, a loss 0; nan: not known, or no choice yet. Made when it is asked for."""
        return np.repeat(self.course.regret, self._lasts)

    @property
    def verdict(self) -> npt.NDArray[np.int8]:
        """[t + 1] of the move then chosen: RIGHT, WRONG, NOT_KNOWN. Made when it is asked for."""
        return np.repeat(self.course.verdict, self._lasts)

    @property
    def _lasts(self) -> Ints:
        return np.diff(self.course.since, append=self.iteration + 1)

    @property
    def stretches(self) -> list[tuple[int, int, int]]:
        """(first iteration, last iteration, verdict) of each run of equal verdicts."""
        since, verdict, _ = self.course
        begins = np.flatnonzero(np.diff(verdict, prepend=verdict[0] - 1))
        starts = since[begins]
        ends = np.append(starts[1:] - 1, self.iteration)
        return list(zip(starts.tolist(), ends.tolist(), verdict[begins].tolist()))
