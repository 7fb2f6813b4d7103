"""Statistics of nodes: of many at one time, of one at many times. Knows neither columns nor traces."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mcts_viz.trace.memory import Room
from mcts_viz.types import Floats, Numbers, Wholes


class Sums(NamedTuple):
    """The sums of M nodes, or of M items that each stand for some nodes."""

    visits: Numbers  # [M] whole numbers
    value_sum: Floats  # [M] view of the player who moved into the node
    square_sum: Floats | None = None  # [M] of the squares of the values added; None: not asked for
    last_visit: npt.NDArray[np.int32] | None = None  # [M] iteration, 0: none; None: not asked for

    @staticmethod
    def zeros(
        n: int,
        squares: bool = False,
        lasts: bool = False,
        visits: type[np.integer] = np.int32,
        room: Callable[..., Numbers] = np.zeros,
    ) -> Sums:
        """Before anything was added; `visits`: the type of visits; room: what makes the arrays."""
        return Sums(
            room(n, visits),
            room(n, np.float64),
            room(n, np.float64) if squares else None,
            room(n, np.int32) if lasts else None,
        )

    def of_more(self, n: int) -> Sums:
        """A copy for n nodes or items; those behind these have nothing yet."""
        squares, last = self.square_sum, self.last_visit
        return Sums(
            _longer(self.visits, n),
            _longer(self.value_sum, n),
            None if squares is None else _longer(squares, n),
            None if last is None else _longer(last, n),
        )

    @property
    def with_squares(self) -> tuple[Numbers, Floats, Floats]:
        """Visits, value sums and sums of squares, which were asked for."""
        assert self.square_sum is not None
        return self.visits, self.value_sum, self.square_sum

    def add(
        self,
        place: Wholes,
        visits: Wholes,
        value: Floats,
        squares: Floats | None = None,
    ) -> None:
        """Add updates of the nodes or items in these places, in their order; squares: of the values,
        where they are not just that."""
        np.add.at(self.visits, place, visits)
        np.add.at(self.value_sum, place, value)
        if self.square_sum is not None:
            np.add.at(self.square_sum, place, value**2 if squares is None else squares)


def _longer(values: Numbers, n: int) -> Numbers:
    return Room().longer(values, n)


class GameResults(NamedTuple):
    """How the simulated games through k nodes ended, view of the player who moved into each."""

    wins: npt.NDArray[np.int64]  # [k]
    draws: npt.NDArray[np.int64]  # [k]
    losses: npt.NDArray[np.int64]  # [k]


class NodeStates(NamedTuple):
    """One node in some iterations: before them, and after each of its m updates in them."""

    iteration: npt.NDArray[np.int32]  # [m] of the updates; 0: inherited
    visits: npt.NDArray[np.int32]  # [m + 1]
    value_sum: Floats  # [m + 1] view of the player who moved into the node
    square_sum: Floats  # [m + 1] of the updates' values; zeros unless asked for
    update_visits: npt.NDArray[np.int32]  # [m]
    update_value: Floats  # [m]
    row: npt.NDArray[np.intp]  # [m] of the updates among all

    @staticmethod
    def none() -> NodeStates:
        """The states of a node to which nothing was added yet."""
        no, zero = np.zeros(0, np.int32), np.zeros(1)
        return NodeStates(
            no, np.zeros(1, np.int32), zero, zero, no, np.zeros(0), no.astype(np.intp)
        )

    def row_at(self, iteration: Wholes) -> npt.NDArray[np.intp]:
        """[P] the place in visits and sums of the state after each of these iterations."""
        return np.searchsorted(self.iteration, iteration, side="right")

    def last(self) -> NodeStates:
        """Where it ends, from which `node_states` goes on."""
        return NodeStates.none()._replace(
            visits=self.visits[-1:].copy(),
            value_sum=self.value_sum[-1:].copy(),
            square_sum=self.square_sum[-1:].copy(),
        )

    @property
    def last_of_iteration(self) -> npt.NDArray[np.intp]:
        """Places of the updates that are the last of their iteration."""
        return np.flatnonzero(np.diff(self.iteration, append=np.iinfo(np.int32).max))
