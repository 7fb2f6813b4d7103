"""The root of a trace through time: its value, and which of its children leads. What is known of a trace stays true
when it grows, so that only what is new is looked at.
"""

from __future__ import annotations

import threading

import numpy as np

from mcts_viz.analysis.history.lead import NO_NODE, Lead
from mcts_viz.analysis.history.siblings import SiblingBlock, Siblings
from mcts_viz.analysis.point_of_view import player_0_value
from mcts_viz.trace.index.family import NodeFamily
from mcts_viz.trace.index.tree import TreeIndex
from mcts_viz.trace.players import movers
from mcts_viz.trace.statistics import WantedNodes, node_states
from mcts_viz.trace.sums import NodeStates
from mcts_viz.trace.trace import Trace
from mcts_viz.types import Floats, Ints, Numbers

ROOT = WantedNodes([0])


class RootHistory:
    """The history of one trace's root; the trace may grow meanwhile. Safe for several threads."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._lock = threading.Lock()
        self._block: SiblingBlock | None = None  # of the root's children, the last one seen
        self._led_at, self._leader = np.zeros(0, np.int64), np.zeros(0, np.int64)  # [C]
        self._valued_until = -1  # iterations whose updates of the root are known
        self._state: list[NodeStates] | None = None  # of the root then
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

    def values(self, t: int, near: float | None = None) -> tuple[Ints, Floats]:
        """[P] iterations up to t that changed the root's statistics, and [P] its mean value after
        each, view of player 0; nan without visits. near: of a long trace not those of stretches in which it stays on
        one side of that value."""
        if near is not None and self._trace.columns.index is not None:
            return self._near(self._trace.columns.index, near, t)
        with self._lock:
            if self._valued_until < t:
                self._follow_value(t)
            end = np.searchsorted(self._valued_at, t, side="right")
            at = self._valued_at[:end]
            visits, value_sum = self._visits[:end], self._value_sum[:end]
        first, last = self._trace.columns.gap(0)
        mean = self._mean(visits, value_sum)
        mean[(at >= first) & (at < last)] = np.nan
        return at, mean

    def _mean(self, visits: Numbers, value_sum: Floats) -> Floats:
        """View of player 0, nan without visits."""
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = np.where(visits > 0, value_sum / visits, np.nan)
        columns, meta = self._trace.columns, self._trace.meta
        mover = int(movers(columns.nodes.parent[:1], columns.nodes.to_move[:1], meta.n_players)[0])
        return player_0_value(mean, mover, meta)

    def _near(self, index: TreeIndex, value: float, t: int) -> tuple[Ints, Floats]:
        root = NodeFamily(index, 0, np.zeros(0, np.int32), t)
        stretches, is_far = [(-1, t)], np.zeros(1, np.bool_)
        if root.knows_windows:
            sums, (low, high) = root.sums_at_ends(), root.value_range()
            visits, value_sum = sums.visits[:, 0], sums.value_sum[:, 0]
            n = np.diff(visits)
            bounds = [
                self._mean(at, value_sum[:-1] + n * most)
                for at in (visits[:-1], visits[1:])
                for most in (low, high)
            ]
            # without a visit it is nan, which is neither
            is_far = (np.min(bounds, axis=0) > value) | (np.max(bounds, axis=0) < value)
            stretches = list(zip(root.ends[:-1].tolist(), root.ends[1:].tolist()))
            stretches[0] = (-1, stretches[0][1])
        at, means = [np.zeros(0, np.int64)], [np.zeros(0)]
        for (after, last), far in zip(stretches, is_far.tolist()):
            if not far:
                begun = [NodeStates.none()] if after < 0 else root.before(after)
                states = root.states(after, last, begun, squares=False)[0]
                rows = states.last_of_iteration
                at.append(states.iteration[rows].astype(np.int64))
                means.append(self._mean(states.visits[1:][rows], states.value_sum[1:][rows]))
        return np.concatenate(at), np.concatenate(means)

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
        for block in siblings.blocks(self._block, lead.settled):
            if not len(children) or (block.last == 0 and trace.meta.inherited is None):
                continue  # nobody leads
            iteration, places = lead.changes(block, place)
            if len(iteration):
                at.append(iteration)
                leaders.append(np.where(places < 0, NO_NODE, children[places]).astype(np.int64))
                place = int(places[-1])
        self._block = block
        self._led_at, self._leader = np.concatenate(at), np.concatenate(leaders)

    def _follow_value(self, t: int) -> None:
        # added in their order, as the search did
        states = node_states(self._trace.columns, ROOT, self._valued_until, t, self._state)
        self._state = states
        last = states[0].last_of_iteration
        self._valued_at = np.append(self._valued_at, states[0].iteration[last])
        self._visits = np.append(self._visits, states[0].visits[1:][last])
        self._value_sum = np.append(self._value_sum, states[0].value_sum[1:][last])
        self._valued_until = t
