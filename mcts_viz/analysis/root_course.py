"""The root of a trace through time: its value, and which of its children leads. What is known of a trace stays true
when it grows, so that only what is new is looked at.
"""

from __future__ import annotations

import threading

import numpy as np
import numpy.typing as npt

from mcts_viz.analysis.lead import NO_NODE, Lead
from mcts_viz.analysis.point_of_view import player_0_value
from mcts_viz.analysis.siblings import Block, Siblings
from mcts_viz.trace.players import movers
from mcts_viz.trace.trace import Trace

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


class RootCourse:
    """Of one trace, which may grow meanwhile; for several threads."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._lock = threading.Lock()
        self._block: Block | None = None  # of the root's children, the last one seen
        self._led_at, self._leader = np.zeros(0, np.int64), np.zeros(0, np.int64)  # [C]
        self._valued_until = -1  # iterations whose updates of the root are known
        self._valued_at = np.zeros(0, np.int64)  # [P]
        self._visits, self._value_sum = np.zeros(0, np.int64), np.zeros(0)  # [P]

    def leaders(self, t: int) -> tuple[Ints, Ints]:
        """[C] the iterations up to t after which another move would be played than before, and [C]
        its node, −1 for none."""
        with self._lock:
            if self._block is None or self._block.last < t:
                self._follow_lead(t)
            end = np.searchsorted(self._led_at, t, side="right")
            return self._led_at[:end], self._leader[:end]

    def values(self, t: int) -> tuple[Ints, Floats]:
        """[P] iterations up to t that changed the root's statistics, and [P] its mean value after
        each, view of player 0; nan without visits."""
        with self._lock:
            if self._valued_until < t:
                self._follow_value(t)
            end = np.searchsorted(self._valued_at, t, side="right")
            at = self._valued_at[:end]
            visits, value_sum = self._visits[:end], self._value_sum[:end]
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = np.where(visits > 0, value_sum / visits, np.nan)
        columns, meta = self._trace.columns, self._trace.meta
        mover = int(movers(columns.parent[:1], columns.to_move[:1], meta)[0])
        return at, player_0_value(mean, mover, meta)

    def _follow_lead(self, t: int) -> None:
        trace = self._trace
        siblings = Siblings(trace, 0, t)
        children = siblings.children
        lead = Lead(trace.columns, trace.meta, children, 0, t)
        at, leaders = [self._led_at], [self._leader]
        place = -1
        if len(self._leader) and self._leader[-1] != NO_NODE:
            place = int(np.searchsorted(children, self._leader[-1]))
        block = self._block
        for block in siblings.blocks(self._block):
            if not len(children):
                continue
            iteration, places = lead.changes(block, place)
            if len(iteration):
                at.append(iteration)
                leaders.append(np.where(places < 0, NO_NODE, children[places]).astype(np.int64))
                place = int(places[-1])
        self._block = block
        self._led_at, self._leader = np.concatenate(at), np.concatenate(leaders)

    def _follow_value(self, t: int) -> None:
        columns, known = self._trace.columns, self._valued_until
        begin = int(columns.update_offset[known]) if known >= 0 else 0
        rows = begin + np.flatnonzero(
            columns.update_node[begin : int(columns.update_offset[t])] == 0
        )
        iteration = iteration_of(self._trace, rows, t)
        # added in their order, as the search did
        visits = np.cumsum(
            np.append(self._visits[-1:], columns.update_visits[rows]), dtype=np.int64
        )
        value_sum = np.cumsum(np.append(self._value_sum[-1:], columns.update_value[rows]))
        new = np.flatnonzero(np.diff(iteration, append=t + 1))  # the last one of each iteration
        before = len(visits) - len(rows)
        self._valued_at = np.append(self._valued_at, iteration[new])
        self._visits = np.append(self._visits, visits[before:][new])
        self._value_sum = np.append(self._value_sum, value_sum[before:][new])
        self._valued_until = t


def iteration_of(trace: Trace, rows: npt.NDArray[np.intp], t: int) -> Ints:
    """The iterations, up to t, whose updates stand in these rows."""
    return np.searchsorted(trace.columns.update_offset[: t + 1], rows, side="right").astype(
        np.int64
    )
