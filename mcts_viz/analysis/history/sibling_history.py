"""A node and its siblings over a whole search: visits and mean values, thinned to what a chart can show.

Every point is the exact state after its iteration; none is a mean over neighbours.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from mcts_viz.analysis.point_of_view import Viewpoint, player_name
from mcts_viz.trace.snapshot import Snapshot, visits_alone
from mcts_viz.trace.statistics import WantedNodes, node_states
from mcts_viz.trace.sums import NodeStates
from mcts_viz.trace.trace import Trace
from mcts_viz.types import Floats, Ints

MOST = 8  # nodes, those with the most visits
POINTS = 600  # at which visits are given
BUCKETS = 300  # groups of updates, each drawn by its first, last, least and greatest mean


@dataclass(frozen=True, eq=False)
class NodeHistory:
    """One node over time; P points of the search, M of its own."""

    node: int
    move: str
    visits: Ints  # [P] after SiblingHistory.iteration
    mean_iteration: Ints  # [M] rising; the mean stays as it is from one to the next
    mean_value: Floats  # [M] after each
    final_visits: int


@dataclass(frozen=True, eq=False)
class SiblingHistory:
    """Nodes with one parent over all iterations of a trace."""

    parent: int
    n_iterations: int
    iteration: Ints  # [P] rising, from 0 to the last
    parent_visits: Ints  # [P]
    courses: tuple[NodeHistory, ...]  # most visits first
    n_hidden: int  # siblings left out, all of fewer visits
    hidden_visits: int  # of theirs, in the end
    view: str  # the player in whose view the means are
    value_range: tuple[float, float]  # of a visit's value


def sibling_history(
    trace: Trace,
    node: int,
    t: int | None = None,
    viewpoint: Viewpoint = Viewpoint(),  # noqa: B008
) -> SiblingHistory:
    """The history of `node` and its siblings, of the root's children for the root, in the first t
    iterations (all). `node` is among the courses, however few its visits. Raises TraceError for a
    node that the trace does not have by then."""
    final = trace.at(trace.n_iterations if t is None else t)
    parent = 0 if node == 0 else final.path(node)[-2]
    family = np.array(final.children(parent), np.int64)
    ranked = family[np.argsort(-final.visits[family], kind="stable")]
    chosen = ranked[:MOST].tolist()
    if node != 0 and node not in chosen:
        chosen[-1] = node
    hidden = np.setdiff1d(family, chosen)
    n = final.iteration
    iteration = np.unique(np.linspace(0, n, min(n + 1, POINTS)).round().astype(np.int64))
    columns, mirror = trace.columns, None
    if len(family) and viewpoint.mirrors(final, int(family[0])):
        if trace.meta.mirrors:
            mirror = sum(trace.meta.value_range)
        else:
            columns = columns.of_player(viewpoint.of(final, int(family[0])))
    states = node_states(columns, WantedNodes([parent, *chosen]), -1, n)
    return SiblingHistory(
        parent=parent,
        n_iterations=n,
        iteration=iteration,
        parent_visits=_visits_at(states[0], iteration),
        courses=tuple(
            _course(final, each, state, iteration, mirror)
            for each, state in zip(chosen, states[1:])
        ),
        n_hidden=len(hidden),
        hidden_visits=int(final.visits[hidden].sum()),
        view=_view(final, family, viewpoint),
        value_range=trace.meta.value_range,
    )


def extremes(value: Floats, buckets: int = BUCKETS) -> Ints:
    """Places, rising, of the first, last, least and greatest of each of some stretches of equal
    length, all places where there are few: a line through them covers what the line through all
    values covers, wherever a stretch is no wider than a pixel."""
    n = len(value)
    if n <= 4 * buckets:
        return np.arange(n)
    edges = np.linspace(0, n, buckets + 1).round().astype(np.int64)
    known = np.where(np.isnan(value), np.inf, value)
    least = [begin + known[begin:end].argmin() for begin, end in itertools.pairwise(edges)]
    known = np.where(np.isnan(value), -np.inf, value)
    greatest = [begin + known[begin:end].argmax() for begin, end in itertools.pairwise(edges)]
    return np.unique(np.concatenate([edges[:-1], edges[1:] - 1, least, greatest]).astype(np.int64))


def _course(
    final: Snapshot, node: int, states: NodeStates, iteration: Ints, mirror: float | None
) -> NodeHistory:
    last = states.last_of_iteration
    visits, value_sum = states.visits[1:][last], states.value_sum[1:][last]
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.where(visits > 0, value_sum / visits, np.nan)
    if visits_alone(final.meta, final.parent, final.to_move, np.array([node]))[0]:
        mean[:] = np.nan
    if mirror is not None:
        mean = mirror - mean
    kept = extremes(mean)
    return NodeHistory(
        node=node,
        move=final.short_label(node),
        visits=_visits_at(states, iteration),
        mean_iteration=states.iteration[last][kept].astype(np.int64),
        mean_value=mean[kept],
        final_visits=int(final.visits[node]),
    )


def _visits_at(states: NodeStates, iteration: Ints) -> Ints:
    return states.visits[states.row_at(iteration)].astype(np.int64)


def _view(final: Snapshot, family: Ints, viewpoint: Viewpoint) -> str:
    return (
        player_name(final.meta, viewpoint.of(final, int(family[0]))) if len(family) else "unknown"
    )
