"""The root of a trace through time: its value, and which of its children leads. What is known of a trace stays true
when it grows, so that only what is new is looked at.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from mcts_viz.analysis.history.lead import NO_NODE, Lead
from mcts_viz.analysis.history.siblings import SiblingBlock, Siblings
from mcts_viz.analysis.point_of_view import player_0_value
from mcts_viz.trace.index.family import NodeFamily
from mcts_viz.trace.index.loops import ABOVE, BELOW, SIDES_BLOCK, note_sides, run_compiled
from mcts_viz.trace.index.tree import TreeIndex
from mcts_viz.trace.players import movers
from mcts_viz.trace.statistics import WantedNodes, node_states
from mcts_viz.trace.sums import NodeStates
from mcts_viz.trace.trace import Trace
from mcts_viz.types import Floats, Ints, Numbers

ROOT = WantedNodes([0])
AT_ONCE = 1 << 20  # iterations
FEW = 1 << 16  # likewise, few enough to stay in the processor's cache
MUCH = 1 << 22  # iterations, from which on loops over them are compiled
MOST_LIMITS = 4  # values of the root whose crossings are kept


class _Crossings:
    """Where the root's value has gone from one side of a limit to the other, in the iterations seen so far."""

    def __init__(self, limit: float) -> None:
        self.limit = limit
        self.until = -1  # iterations seen
        self.state: list[NodeStates] | None = None  # of the root then
        self._above: bool | None = None  # the side that it was on last
        self._at, self._mean = np.zeros(0, np.int64), np.zeros(0)

    def add(self, iteration: Ints, mean: Floats) -> None:
        """The root's mean value after some further iterations. One on the limit still is on the side that it came
        from, nan on none."""
        apart = np.flatnonzero(~np.isnan(mean) & (mean != self.limit))
        if not len(apart):
            return
        above = mean[apart] > self.limit
        before = above[0] if self._above is None else self._above
        crossed = apart[above != np.concatenate(([before], above[:-1]))]
        self._above = bool(above[-1])
        if len(crossed):
            self._at = np.append(self._at, iteration[crossed])
            self._mean = np.append(self._mean, mean[crossed])

    def first(self, t: int) -> tuple[Ints, Floats]:
        """Those up to iteration t: after which, and the mean value then."""
        end = np.searchsorted(self._at, t, side="right")
        return self._at[:end], self._mean[:end]


class _Stretch(NamedTuple):
    """Iterations after + 1 to last, −1: from what was inherited on; and the root before them."""

    after: int
    last: int
    visits: int
    value_sum: float


class RootHistory:
    """The history of one trace's root; the trace may grow meanwhile. Safe for several threads. pause: is called between
    two parts of long work on one in memory."""

    def __init__(self, trace: Trace, pause: Callable[[], None] = lambda: None) -> None:
        self._trace, self._pause = trace, pause
        self._lock = threading.Lock()
        self._block: SiblingBlock | None = None  # of the root's children, the last one seen
        self._led_at, self._leader = np.zeros(0, np.int64), np.zeros(0, np.int64)  # [C]
        self._crossings: dict[float, _Crossings] = {}  # by limit, the last asked for behind

    def leaders(self, t: int) -> tuple[Ints, Ints]:
        """[C] the iterations up to t after which another move would be played than before, and [C]
        its node, −1 for none."""
        with self._lock:
            if self._block is None or self._block.last < t:
                self._follow_lead(t)
            end = np.searchsorted(self._led_at, t, side="right")
            return self._led_at[:end], self._leader[:end]

    def crossings(self, t: int, limit: float) -> tuple[Ints, Floats]:
        """[C] the iterations up to t after which the root's mean value, view of player 0, is on another side of a limit
        than before, and [C] the mean value then. On the limit it still is on the side that it came from."""
        index = self._trace.columns.index
        if index is not None:
            found = _Crossings(limit)
            for iteration, mean in self._near(index, limit, t):
                found.add(iteration, mean)
            return found.first(t)
        with self._lock:
            found = self._crossings.pop(limit, _Crossings(limit))
            self._crossings[limit] = found
            if len(self._crossings) > MOST_LIMITS:
                del self._crossings[next(iter(self._crossings))]
            if found.until < t:
                self._follow_value(found, t)
            return found.first(t)

    def _mean(self, visits: Numbers, value_sum: Floats) -> Floats:
        """View of player 0, nan without visits."""
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = np.where(visits > 0, value_sum / visits, np.nan)
        columns, meta = self._trace.columns, self._trace.meta
        mover = int(movers(columns.nodes.parent[:1], columns.nodes.to_move[:1], meta.n_players)[0])
        return player_0_value(mean, mover, meta)

    def _near(self, index: TreeIndex, value: float, t: int) -> Iterator[tuple[Ints, Floats]]:
        """Iterations, and the mean value after each, of a long trace but for stretches in which it stays on one side
        of that value."""
        root = NodeFamily(index, 0, np.zeros(0, np.int32), t)
        if not root.knows_windows:
            states = NodeStates.none()
            for after in (-1, *range(AT_ONCE, t, AT_ONCE)):
                until = min(max(after, 0) + AT_ONCE, t)
                states = root.states(after, until, [states.last()], squares=False)[0]
                yield self._means(states)
            return
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
        after = root.ends[:-1].copy()
        after[0] = -1
        columns = (after, root.ends[1:], visits[:-1], value_sum[:-1])
        stretches = [*map(_Stretch, *(each.tolist() for each in columns))]
        near = np.flatnonzero(~is_far).tolist()
        # `root.knows_windows`: sums are exact, and no iteration adds anything else to the root
        looked_at: Iterable[_Stretch] = [stretches[place] for place in near]
        if sum(each.last - each.after for each in looked_at) > MUCH:
            looked_at = self._within(index, stretches, near, value)
        for each in looked_at:
            begun = NodeStates.none()
            if each.after >= 0:
                begun = begun._replace(
                    visits=np.array([each.visits], np.int32), value_sum=np.array([each.value_sum])
                )
            yield self._means(root.states(each.after, each.last, [begun], squares=False)[0])

    def _within(
        self, index: TreeIndex, stretches: Sequence[_Stretch], near: Sequence[int], value: float
    ) -> Iterator[_Stretch]:
        """Shorter stretches, within these, in which the mean is on both sides of the value. One at the beginning of
        each that lies alone is among them, so that the side it came from is known."""
        at_0, at_1 = self._mean(np.ones(2, np.int64), np.array([0.0, 1.0])).tolist()
        limit = (value - at_0) / (at_1 - at_0)  # in the view of the root's own numbers
        worth = index.value[int(index.side(np.array([0]))[0])]
        before, place_before = 0, -1  # on which sides it was in the block before; 0: not known
        for place in near:
            whole = stretches[place]
            first = max(whole.after, 0)
            if place - 1 != place_before:
                before = 0
            place_before = place
            sides = np.zeros(-(-(whole.last - first) // SIDES_BLOCK), np.uint8)
            states = np.zeros((2, len(sides)))
            begun = np.array([whole.visits, whole.value_sum, limit], np.float64)
            code = index.code[first : whole.last]
            run_compiled(note_sides, (code,), worth, begun, sides, states)
            came = np.append(before, sides[:-1])
            looked_at = (came != sides) | ((sides != ABOVE) & (sides != BELOW))
            looked_at[:-1] |= looked_at[1:]  # the side that it came from
            for block in np.flatnonzero(looked_at).tolist():
                begin = first + block * SIDES_BLOCK
                visits, value_sum = states[:, block].tolist()
                yield _Stretch(
                    whole.after if block == 0 else begin,
                    min(begin + SIDES_BLOCK, whole.last), int(visits), value_sum,
                )  # fmt: skip
            before = int(sides[-1])

    def _means(self, states: NodeStates) -> tuple[Ints, Floats]:
        """The iterations that changed the root, and its mean value after each."""
        rows = states.last_of_iteration
        mean = self._mean(states.visits[1:][rows], states.value_sum[1:][rows])
        return states.iteration[rows].astype(np.int64), mean

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
            self._pause()
            if not len(children) or (block.last == 0 and trace.meta.inherited is None):
                continue  # nobody leads
            iteration, places = lead.changes(block, place)
            if len(iteration):
                at.append(iteration)
                leaders.append(np.where(places < 0, NO_NODE, children[places]).astype(np.int64))
                place = int(places[-1])
        self._block = block
        self._led_at, self._leader = np.concatenate(at), np.concatenate(leaders)

    def _follow_value(self, found: _Crossings, t: int) -> None:
        columns = self._trace.columns
        first, last = columns.gap(0)
        # added in their order, as the search did
        for until in (*range(max(found.until, 0) + FEW, t, FEW), t):
            self._pause()
            states = node_states(columns, ROOT, found.until, until, found.state)
            iteration, mean = self._means(states[0])
            mean[(iteration >= first) & (iteration < last)] = np.nan
            found.add(iteration, mean)
            found.until, found.state = until, [states[0].last()]
