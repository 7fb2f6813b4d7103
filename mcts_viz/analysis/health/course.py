"""The course of a search, laid out for checking: every step of every selected path with what it
added, and what any node's statistics were before any iteration. Flat columns.

A step is a node on the path of an iteration. Knows nothing of what is right or wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mcts_viz.analysis.health.referee import Referee
from mcts_viz.trace.players import CHANCE, UNKNOWN, movers, n_players
from mcts_viz.trace.trace import Trace

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
BATCH_ROWS = 300_000  # children compared at a time
MOST_ENDS = 20_000  # nodes without children that the referee is asked about


class Steps(NamedTuple):
    """All steps of the iterations after `Course.base`, S of them, iteration by iteration, root
    first."""

    iteration: Ints  # [S] t, from 1
    node: Ints  # [S]
    is_leaf: Bools  # [S]
    visits: Ints  # [S] added in this iteration
    value: Floats  # [S] added in this iteration, view of the player who moved into the node


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


class Course:
    """Columns of a trace as the checks read them.

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
        self.parent = columns.parent.astype(np.int64)
        self.action = columns.action.astype(np.int64)
        self.to_move = columns.to_move.astype(np.int64)
        self.outcome = columns.outcome.astype(np.float64)
        self.born = columns.born.astype(np.int64)
        self.node_count = columns.node_count.astype(np.int64)
        self.leaf = columns.leaf.astype(np.int64)
        self.depth = trace.topology.depth[: self.N].astype(np.int64)
        self.mover = self._movers()
        self._sum_up()
        self.steps = self._steps()
        self._index_children()
        self._proofs()

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

    # statistics at any time

    def before(self, node: Ints, iteration: Any) -> tuple[Ints, Floats, Floats]:
        """Visits, value sum and sum of squares of nodes as they were before the iteration."""
        key = node * (self.T + 2) + iteration
        row = np.searchsorted(self._key, key) - 1
        there = row >= 0
        there &= self._row_node[row] == node
        return (
            np.where(there, self._visits_after[row], 0),
            np.where(there, self._sum_after[row], 0.0),
            np.where(there, self._squares_after[row], 0.0),
        )

    def final(self) -> tuple[Ints, Floats]:
        """[N] visits and value sums after the last iteration."""
        visits, value_sum, _ = self.before(np.arange(self.N), self.T + 1)
        return visits, value_sum

    def _sum_up(self) -> None:
        """Updates put together by iteration and node, and running sums node by node."""
        columns = self.trace.columns
        offset = columns.update_offset
        iteration = np.repeat(np.arange(len(offset)), np.diff(offset, prepend=0))
        node = columns.update_node.astype(np.int64)
        visits = columns.update_visits.astype(np.int64)
        value = columns.update_value.astype(np.float64)
        key = iteration * self.N + node
        if not np.all(np.diff(key) > 0):  # several updates of a node, or not root first
            order = np.argsort(key, kind="stable")
            key = key[order]
            first = np.flatnonzero(np.diff(key, prepend=-1))
            visits = np.add.reduceat(visits[order], first) if len(first) else visits
            value = np.add.reduceat(value[order], first) if len(first) else value
            key = key[first]
        self.update_iteration, self.update_node = key // self.N, key % self.N
        self.update_visits, self.update_value, self._update_key = visits, value, key
        order = np.argsort(self.update_node, kind="stable")
        self._row_node = self.update_node[order]
        self._key = self._row_node * (self.T + 2) + self.update_iteration[order]
        first = np.flatnonzero(np.diff(self._row_node, prepend=-1))
        lengths = np.diff(first, append=len(order))

        def running(column: npt.NDArray[Any]) -> npt.NDArray[Any]:
            total = np.cumsum(column)
            return np.asarray(total - np.repeat(total[first] - column[first], lengths))

        value = self.update_value[order]
        self._visits_after = np.append(running(self.update_visits[order]), 0)
        self._sum_after = np.append(running(value), 0.0)
        self._squares_after = np.append(running(value**2), 0.0)
        self._row_node = np.append(self._row_node, -1)  # row −1 is nobody's

    def _movers(self) -> Ints:
        """[N] player who moved into each node; by turns where it was not recorded of some."""
        to_move = self.trace.columns.to_move[: self.N].copy()
        unknown = to_move == UNKNOWN
        first = max(int(to_move[0]), 0)
        to_move[unknown] = (first + self.depth[unknown]) % 2
        return movers(self.trace.columns.parent[: self.N], to_move, self.meta).astype(np.int64)

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

    # paths

    def _steps(self) -> Steps:
        leaf = self.leaf[self.base :]
        length = self.depth[leaf] + 1
        end = np.cumsum(length)
        node = np.zeros(int(length.sum()), np.int64)
        at, place = leaf.copy(), end - 1
        node[place] = at
        while len(at):
            above = self.parent[at]
            going = above >= 0
            at, place = above[going], place[going] - 1
            node[place] = at
        iteration = np.repeat(np.arange(self.base + 1, self.T + 1), length)
        is_leaf = np.zeros(len(node), np.bool_)
        is_leaf[end - 1] = True
        visits, value = np.zeros(len(node), np.int64), np.zeros(len(node))
        if len(self._update_key):
            key = iteration * self.N + node
            row = np.minimum(np.searchsorted(self._update_key, key), len(self._update_key) - 1)
            found = self._update_key[row] == key
            visits[found] = self.update_visits[row[found]]
            value[found] = self.update_value[row[found]]
        return Steps(iteration, node, is_leaf, visits, value)

    def updates_off_path(self) -> Ints:
        """Indices of updates after `base` whose node is not on the path of their iteration."""
        steps = self.steps
        key = steps.iteration * self.N + steps.node
        later = np.flatnonzero(self.update_iteration > self.base)
        if not len(key):
            return later
        row = np.minimum(np.searchsorted(key, self._update_key[later]), len(key) - 1)
        return np.asarray(later[key[row] != self._update_key[later]])

    # choices

    @cached_property
    def ended(self) -> Bools:
        """[N] where the game is known to be over; the referee is asked where it was not recorded."""
        ended = np.asarray(~np.isnan(self.outcome))
        if self.referee is not None and "terminal" in self.not_observed:
            visits, _ = self.final()
            childless = np.flatnonzero((np.diff(self.child_start[1:]) == 0) & (visits > 0))
            for node in childless[:MOST_ENDS].tolist():
                ended[node] = self._is_over(self.referee, node)
        return np.asarray(ended)

    def _is_over(self, referee: Referee, node: int) -> bool:
        state = referee.start()
        for step in self.trace.topology.path(node)[1:]:
            action = int(self.action[step])
            if action not in referee.legal_actions(state):
                return False
            state = referee.play(state, action)
        return referee.outcome(state) is not None

    def _index_children(self) -> None:
        self.child_order = np.argsort(self.parent, kind="stable")
        self._child_key = self.parent[self.child_order] * self.N + self.child_order
        counts = np.bincount(self.parent + 1, minlength=self.N + 1)
        self.child_start = np.concatenate(([0], np.cumsum(counts)))  # of node v: at v + 1

    def n_children(self, node: Ints, n_nodes: Any) -> Ints:
        """How many children each node has among the first `n_nodes` nodes."""
        end = np.searchsorted(self._child_key, node * self.N + n_nodes)
        return np.asarray(end - self.child_start[node + 1], np.int64)

    def choices(self) -> tuple[Ints, Ints, Ints]:
        """(iteration, child taken, children there were) of every step that took a child which
        existed before the iteration."""
        steps = self.steps
        chosen = (steps.node > 0) & (steps.node < self.node_count[steps.iteration - 1])
        chosen &= self.to_move[self.parent[steps.node]] != CHANCE  # nobody chooses there
        iteration, node = steps.iteration[chosen], steps.node[chosen]
        return iteration, node, self.n_children(self.parent[node], self.node_count[iteration - 1])

    def comparisons(self, at_most: int | None = None) -> Iterator[Comparisons]:
        """All choices among two children or more in batches, or about `at_most` of them, evenly
        spread."""
        iteration, node, k = self.choices()
        several = np.flatnonzero(k > 1)
        if at_most is not None and len(several) > at_most:
            several = several[:: -(-len(several) // at_most)]
        iteration, node, k = iteration[several], node[several], k[several]
        ends = np.cumsum(k)
        begin = 0
        while begin < len(k):
            done = int(ends[begin - 1]) if begin else 0
            end = max(begin + 1, int(np.searchsorted(ends, done + BATCH_ROWS)))
            yield self._compare(iteration[begin:end], node[begin:end], k[begin:end])
            begin = end

    def _compare(self, iteration: Ints, chosen: Ints, k: Ints) -> Comparisons:
        parent = self.parent[chosen]
        first = np.cumsum(k) - k
        of = np.repeat(np.arange(len(k)), k)
        place = np.arange(int(k.sum())) - first[of]
        node = self.child_order[self.child_start[parent + 1][of] + place]
        visits, value_sum, squares = self.before(node, iteration[of])
        parent_visits, _, _ = self.before(parent, iteration)
        root_visits, _, _ = self.before(np.zeros_like(parent), iteration)
        known = self.proven_at[node] < iteration[of]
        prior = self.trace.columns.prior[node].astype(np.float64)
        return Comparisons(
            iteration, parent, parent_visits, root_visits, first,
            np.flatnonzero(node == chosen[of]), of, place, place == k[of] - 1, node, visits,
            value_sum, squares, prior, np.where(known, self.proven_result[node], np.nan),
            self.mover[node],
        )  # fmt: skip

    def _proofs(self) -> None:
        """proven_at, proven_result: [N] since when each node's result is proven by a solver, and
        what it is; never where the search has none."""
        columns = self.trace.columns
        self.proven_at = np.full(self.N, np.iinfo(np.int64).max)
        self.proven_result = np.full(self.N, np.nan)
        if self.policy("backpropagation").get("solver"):
            over = ~np.isnan(self.outcome)
            self.proven_at[over], self.proven_result[over] = -1, self.outcome[over]
            self.proven_at[columns.proven_node] = columns.proven_at
            self.proven_result[columns.proven_node] = columns.proven_outcome
