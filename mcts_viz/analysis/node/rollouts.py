"""The simulations from the leaves at and below one node, each of them and how they ended.

An outcome is the result of one game, or a value: of an evaluator, or the mean of several games.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mcts_viz.analysis.origin.branches import ELSEWHERE, branches
from mcts_viz.analysis.point_of_view import outcome_text, player_name
from mcts_viz.trace.snapshot import Snapshot
from mcts_viz.trace.statistics import visits_between
from mcts_viz.trace.trace import Trace
from mcts_viz.types import Ints

PAGE = 250  # of the list


@dataclass(frozen=True)
class IterationRollout:
    """The simulation, or simulations, of one iteration."""

    iteration: int
    result: str  # in words
    moves: tuple[tuple[str, ...], ...] | None  # of each simulation; None: not recorded, or none
    is_over: bool  # the leaf ends the game: nothing to simulate
    leaf: str  # move into the leaf, "the root"

    @property
    def n_moves(self) -> int | None:
        """The number of moves of all its simulations."""
        return None if self.moves is None else sum(map(len, self.moves))


@dataclass(frozen=True)
class OutcomeCounts:
    """How n iterations ended: wins, draws, values and outcomes not recorded add up to n."""

    n: int
    wins: tuple[int, int]  # of player 0 and of player 1
    draws: int
    n_values: int  # outcomes that are values, not results of one game
    not_recorded: int
    mean: float | None  # of all outcomes that were recorded, view of player 0
    least: float | None  # of the values
    greatest: float | None
    n_over: int  # of all, those whose leaf ended the game: without a simulation


@dataclass(frozen=True)
class RolloutsThrough:
    """The simulations through a node up to an iteration."""

    node: int
    t: int
    iterations: Ints  # ascending
    outcomes: OutcomeCounts
    inherited: int  # visits from the search before, whose simulations are not in this trace
    by_evaluator: bool  # an evaluator gives the values of leaves: there are no moves
    has_moves: bool  # of the simulations, in the trace
    is_snapshot: bool  # a tree without history

    @property
    def n_pages(self) -> int:
        """The number of pages of the list; at least 1."""
        return max(1, -(-len(self.iterations) // PAGE))

    def page(self, number: int) -> Ints:
        """The iterations on a page of the list, newest first; page 1 has the newest."""
        first = (min(number, self.n_pages) - 1) * PAGE
        return self.iterations[::-1][first : first + PAGE]


def rollouts_through(trace: Trace, node: int, t: int) -> RolloutsThrough:
    """The rollouts through `node` in iterations 1 to `t`; the node must exist by then."""
    columns, is_snapshot = trace.columns, trace.meta.is_snapshot
    iterations = np.zeros(0, np.int64)
    if not is_snapshot:
        iterations = _iterations(trace, node, t)
    if columns.index is not None:
        inherited = int(columns.index.sums(np.array([node]), 0).visits[0])
    else:
        inherited = int(visits_between(columns, -1, 0, int(columns.node_count[t]))[node])
    return RolloutsThrough(
        node=node,
        t=t,
        iterations=iterations,
        outcomes=_outcomes(trace, iterations),
        inherited=inherited,
        by_evaluator=trace.meta.policies.simulation.by_evaluator,
        has_moves=columns.rollout.recorded,
        is_snapshot=is_snapshot,
    )


def rollout(tree: Snapshot, trace: Trace, iteration: int) -> IterationRollout:
    """The simulation of an iteration, from 1, whose leaf is in the tree."""
    columns = trace.columns
    leaf, outcome = int(columns.leaf[iteration - 1]), float(columns.outcome[iteration - 1])
    is_over = not np.isnan(columns.nodes.outcome[leaf])
    moves, rollouts = None, trace.rollouts(iteration)
    if rollouts is not None and not trace.meta.policies.simulation.by_evaluator:
        moves = tuple(tuple(trace.action_name(a) for a in each) for each in rollouts)
    return IterationRollout(
        iteration=iteration,
        result=_result(trace, None if np.isnan(outcome) else outcome, is_over),
        moves=moves,
        is_over=is_over,
        leaf="the root" if leaf == 0 else tree.short_label(leaf),
    )


def _iterations(trace: Trace, node: int, t: int) -> Ints:
    columns = trace.columns
    if node == 0:
        return np.arange(1, t + 1)
    if columns.index is not None:
        return columns.index.ended_below(node, t)
    if not columns.paths.are_plain:
        iteration = np.arange(1, t + 1)
        through: Ints = iteration[branches(columns, node, iteration) != ELSEWHERE]
        return through
    n_nodes = int(columns.node_count[t])
    is_below = np.zeros(n_nodes, np.bool_)
    is_below[trace.topology.subtree(node, n_nodes)] = True
    return np.flatnonzero(is_below[columns.leaf[:t]]) + 1


def _outcomes(trace: Trace, iterations: Ints) -> OutcomeCounts:
    columns = trace.columns
    outcome = columns.outcome[iterations - 1]
    is_over = ~np.isnan(columns.nodes.outcome[columns.leaf[iterations - 1]])
    is_known = ~np.isnan(outcome)
    low, high = (np.float32(each) for each in trace.meta.reward_range)
    is_result = is_known & (is_over | _has_results(trace))
    won, lost, drawn = (
        is_result & (outcome == each) for each in (high, low, (low + high) / np.float32(2))
    )
    is_value = is_known & ~(won | lost | drawn)
    values, known = outcome[is_value], outcome[is_known]
    return OutcomeCounts(
        n=len(iterations),
        wins=(int(won.sum()), int(lost.sum())),
        draws=int(drawn.sum()),
        n_values=int(is_value.sum()),
        not_recorded=int((~is_known).sum()),
        mean=float(known.mean(dtype=np.float64)) if known.size else None,
        least=float(values.min()) if values.size else None,
        greatest=float(values.max()) if values.size else None,
        n_over=int(is_over.sum()),
    )


def _has_results(trace: Trace) -> bool:
    """Whether an outcome is the result of one game."""
    return trace.meta.policies.simulation.gives_results and trace.meta.n_players <= 2


def _result(trace: Trace, outcome: float | None, is_over: bool) -> str:
    if outcome is None:
        return "not recorded"
    if is_over or _has_results(trace):
        return outcome_text(trace.meta, outcome)
    return f"{outcome + 0.0:+.3f} for {player_name(trace.meta, 0)}"
