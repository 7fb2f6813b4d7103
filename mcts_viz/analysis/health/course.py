"""The course of a search, laid out for checking, stretch by stretch: what any check has in hand at a
time is a stretch, so that a trace of any length takes little more memory than it has itself.

Knows nothing of what is right or wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mcts_viz.analysis.health.families import Families
from mcts_viz.analysis.health.referee import Referee
from mcts_viz.analysis.health.stretch import Bools, Floats, Ints, Statistics, Stretch
from mcts_viz.trace.players import CHANCE, UNKNOWN, movers, n_players
from mcts_viz.trace.trace import Trace

STRETCH_ROWS = 65_536  # steps and updates of a stretch, unless one iteration has more
BATCH_ROWS = 65_536  # children compared at a time
MOST_ENDS = 20_000  # nodes without children that the referee is asked about
NEVER = np.iinfo(np.int32).max


class Comparisons(NamedTuple):
    """Choices among two children or more, C of them with R rows in all; statistics as they were
    before the iteration."""

    iteration: Ints  # [C]
    parent: Ints  # [C]
    parent_visits: Ints  # [C]
    root_visits: Ints  # [C]
    first: Ints  # [C] first row of each
    chosen: Ints  # [C] row of the child taken
    of: Ints  # [R] which comparison
    place: Ints  # [R] among the siblings, in order of creation
    is_last: Bools  # [R] the youngest sibling
    node: Ints  # [R]
    visits: Ints  # [R]
    value_sum: Floats  # [R] view of the player who chooses
    squares: Floats  # [R] sum of the squares of values
    prior: Floats  # [R] nan: none
    proven: Floats  # [R] result proven by then, view of player 0; nan: none
    chooser: Ints  # [R] player, −1 unknown


class Choices(NamedTuple):
    """Steps that took a child which existed before the iteration."""

    iteration: Ints
    parent: Ints
    node: Ints  # the child taken
    n_children: Ints  # that there were


class Course:
    """Columns of a trace as the checks read them, and its iterations in stretches.

    `base`: statistics up to this iteration came as a whole (an inherited tree, a snapshot, a search
    that had begun before its recording) and are no steps. `referee` is None where nobody knows the
    rules.
    """

    def __init__(self, trace: Trace, referee: Referee | None = None) -> None:
        self.trace, self.meta, self.referee = trace, trace.meta, referee
        columns = trace.columns
        self.T, self.N = columns.n_iterations, columns.n_nodes
        begun = bool(self.meta.get("watched", {}).get("visits_before"))
        self.base = int(begun or self.meta.get("kind") == "snapshot")
        if self.meta.get("kind") == "snapshots":
            self.base = self.T  # whole trees all of them, no single iterations
        self.topology = trace.topology
        self.parent = columns.parent[: self.N]
        self.families = Families(self.parent)
        self.action = columns.action[: self.N]
        self.to_move = columns.to_move[: self.N]
        self.outcome = columns.outcome[: self.N]
        self.born = columns.born[: self.N]
        self.leaf = columns.leaf[: self.T]
        self.mover = self._movers()

    @property
    def value_range(self) -> tuple[float, float]:
        """Least and greatest value of one visit, as declared."""
        low, high = self.meta["value_range"]
        return float(low), float(high)

    @property
    def tolerance(self) -> float:
        """Differences of values below it are rounding."""
        low, high = self.value_range
        return 1e-9 * max(high - low, abs(low), abs(high), 1e-12)

    @property
    def not_observed(self) -> list[str]:
        """What the recording could not see."""
        return list(self.meta.get("not_observed", []))

    def share(self, outcome: Any, player: Any) -> Any:
        """An outcome (view of player 0) from −1, a loss, to 1, a win, in the view of a player."""
        low, high = (float(bound) for bound in self.meta["reward_range"])
        share = (2.0 * outcome - low - high) / (high - low)
        return np.where(player == 0, share, -share)

    def policy(self, phase: str) -> dict[str, Any]:
        """What the trace says of a phase; empty where nothing."""
        return dict(self.meta.get("policies", {}).get(phase, {}))

    @property
    def alone(self) -> bool:
        """Whether one player searches without an opponent."""
        return n_players(self.meta) == 1

    @property
    def players_known(self) -> bool:
        """Whether anything is known of who moves where; else nobody can say whose value is whose."""
        return self.alone or self.referee is not None or bool((self.to_move >= 0).any())

    @property
    def discount(self) -> float | None:
        """By which values shrink from a node to its parent, as declared; 1 where nothing is; None
        where they do so by different ones."""
        discount = self.meta.get("discount", 1.0)
        return None if discount is None else float(discount)

    def _movers(self) -> npt.NDArray[np.int8]:
        """[N] player who moved into each node; by turns where it was not recorded of some."""
        to_move = self.to_move.copy()
        unknown = to_move == UNKNOWN
        first = max(int(to_move[0]), 0)
        to_move[unknown] = (first + self.topology.depth[: self.N][unknown]) % 2
        return movers(self.parent, to_move, self.meta)

    # the iterations, and what the statistics were

    def stretches(self) -> Iterator[Stretch]:
        """The iterations after `base`, in order; each is done with before the next one comes."""
        begun = self.statistics_after(self.base)
        first = self.base + 1
        while first <= self.T:
            last = self._end_of_stretch(first)
            part = Stretch(self.trace.columns, self.topology.depth, first, last, begun)
            yield part
            part.passed()
            first = last + 1

    def _end_of_stretch(self, first: int) -> int:
        last = min(first + STRETCH_ROWS - 1, self.T)
        offset = self.trace.columns.update_offset[first - 1 : last + 1]
        steps = np.cumsum(self.topology.depth[self.leaf[first - 1 : last]] + np.int64(1))
        rows = steps + (offset[1:] - offset[0])
        return min(first + int(np.searchsorted(rows, STRETCH_ROWS, side="right")), last)

    def statistics_after(self, t: int) -> Statistics:
        """[N] of all nodes after `t` iterations."""
        columns = self.trace.columns
        total = Statistics.none(self.N)
        end = int(columns.update_offset[t])
        for begin in range(0, end, STRETCH_ROWS):
            rows = slice(begin, min(begin + STRETCH_ROWS, end))
            value = columns.update_value[rows]
            for column, more in zip(total, (columns.update_visits[rows], value, value**2)):
                np.add.at(column, columns.update_node[rows], more)
        return total

    def blocks(self, begin: int, end: int) -> Iterator[slice]:
        """The places from `begin` to just before `end`, some at a time."""
        for first in range(begin, end, STRETCH_ROWS):
            yield slice(first, min(first + STRETCH_ROWS, end))

    # choices

    @cached_property
    def ended(self) -> Bools:
        """[N] where the game is known to be over; the referee is asked where it was not recorded."""
        ended = np.asarray(~np.isnan(self.outcome))
        if self.referee is not None and "terminal" in self.not_observed:
            childless = np.ones(self.N, np.bool_)
            childless[self.parent[1:]] = False
            childless &= self.statistics_after(self.T).visits > 0
            for node in np.flatnonzero(childless)[:MOST_ENDS].tolist():
                ended[node] = self._is_over(self.referee, node)
        return np.asarray(ended)

    def _is_over(self, referee: Referee, node: int) -> bool:
        state = referee.start()
        for step in self.topology.path(node)[1:]:
            action = int(self.action[step])
            if action not in referee.legal_actions(state):
                return False
            state = referee.play(state, action)
        return referee.outcome(state) is not None

    def n_children(self, node: Ints) -> Ints:
        """How many children each node has in the end."""
        return self.families.count(node, np.full(len(node), self.N))

    def choices(self, part: Stretch) -> Choices:
        """Every step of the stretch that took a child which existed before the iteration."""
        steps = part.steps
        chosen = (steps.node > 0) & (steps.node < part.node_count(steps.iteration))
        chosen &= self.to_move[self.parent[steps.node]] != CHANCE  # nobody chooses there
        iteration, node = steps.iteration[chosen], steps.node[chosen]
        parent = self.parent[node].astype(np.int64)
        count = self.families.count(parent, part.node_count(iteration))
        return Choices(iteration, parent, node, count)

    @cached_property
    def n_comparisons(self) -> int:
        """Choices among two children or more."""
        return sum(int((self.choices(part).n_children > 1).sum()) for part in self.stretches())

    def comparisons(self, at_most: int | None = None) -> Iterator[Comparisons]:
        """All choices among two children or more in batches, or about `at_most` of them, evenly
        spread."""
        every = 1 if at_most is None else max(1, -(-self.n_comparisons // at_most))
        seen = 0
        for part in self.stretches():
            found = self.choices(part)
            several = np.flatnonzero(found.n_children > 1)
            use = several[-seen % every :: every]
            seen += len(several)
            ends = np.cumsum(found.n_children[use])
            begin = 0
            while begin < len(use):
                done = int(ends[begin - 1]) if begin else 0
                end = max(begin + 1, int(np.searchsorted(ends, done + BATCH_ROWS)))
                yield self._compare(part, Choices(*(column[use[begin:end]] for column in found)))
                begin = end

    def _compare(self, part: Stretch, taken: Choices) -> Comparisons:
        iteration, parent, chosen, k = taken
        first = np.cumsum(k) - k
        of = np.repeat(np.arange(len(k)), k)
        place = np.arange(int(k.sum())) - first[of]
        node = self.families.oldest(parent, k)
        visits, value_sum, squares = part.before(node, iteration[of])
        parent_visits, _, _ = part.before(parent, iteration)
        root_visits, _, _ = part.before(np.zeros_like(parent), iteration)
        prior = self.trace.columns.prior[node].astype(np.float64)
        return Comparisons(
            iteration, parent, parent_visits, root_visits, first,
            np.flatnonzero(node == chosen[of]), of, place, place == k[of] - 1, node, visits,
            value_sum, squares, prior, self._proven(node, iteration[of]),
            self.mover[node].astype(np.int64),
        )  # fmt: skip

    def _proven(self, node: Ints, iteration: Ints) -> Floats:
        """Results that a solver had proven before the iteration."""
        if self._proofs is None:
            return np.full(len(node), np.nan)
        since, result = self._proofs
        return np.where(since[node] < iteration, result[node], np.nan)

    @cached_property
    def _proofs(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]] | None:
        """[N] since when each node's result is proven by a solver, and what it is; None where the
        search has no solver."""
        if not self.policy("backpropagation").get("solver"):
            return None
        columns = self.trace.columns
        since, result = np.full(self.N, NEVER, np.int32), self.outcome.copy()
        since[~np.isnan(result)] = -1
        since[columns.proven_node], result[columns.proven_node] = (
            columns.proven_at, columns.proven_outcome,
        )  # fmt: skip
        return since, result
