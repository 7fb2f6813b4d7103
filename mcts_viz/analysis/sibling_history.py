"""A node and its siblings over a whole search: visits and mean values, thinned to what a chart can show.

Every point is the exact state after its iteration; none is a mean over neighbours.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mcts_viz.analysis.point_of_view import mover_into, player_name
from mcts_viz.trace.snapshot import Snapshot
from mcts_viz.trace.trace import Trace

MOST = 8  # nodes, those with the most visits
POINTS = 600  # at which visits are told
BUCKETS = 300  # stretches of updates of which first, last, least and greatest mean are told
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class NodeCourse:
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
    courses: tuple[NodeCourse, ...]  # most visits first
    n_hidden: int  # siblings left out, all of fewer visits
    hidden_visits: int  # of theirs, in the end
    view: str  # the player who moves at the parent: whose view the means are
    value_range: tuple[float, float]  # of a visit's value


def sibling_history(trace: Trace, node: int, t: int | None = None) -> SiblingHistory:
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
    states = _states(trace, [parent, *chosen], n)
    return SiblingHistory(
        parent=parent,
        n_iterations=n,
        iteration=iteration,
        parent_visits=_visits_at(*states[0][:2], iteration),
        courses=tuple(
            _course(final, each, state, iteration) for each, state in zip(chosen, states[1:])
        ),
        n_hidden=len(hidden),
        hidden_visits=int(final.visits[hidden].sum()),
        view=_view(final, family),
        value_range=(float(trace.meta["value_range"][0]), float(trace.meta["value_range"][1])),
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
    final: Snapshot, node: int, state: tuple[Ints, Ints, Floats], iteration: Ints
) -> NodeCourse:
    changed, visits, value_sum = state
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.where(visits > 0, value_sum / visits, np.nan)
    kept = extremes(mean)
    return NodeCourse(
        node=node,
        move=final.label(node),
        visits=_visits_at(changed, visits, iteration),
        mean_iteration=changed[kept],
        mean_value=mean[kept],
        final_visits=int(final.visits[node]),
    )


def _states(trace: Trace, nodes: list[int], t: int) -> list[tuple[Ints, Ints, Floats]]:
    """Of each node: iterations that updated it, and its visits and value sum after each of them. One
    pass over all updates, whose order is kept, so the sums are the search's own."""
    columns = trace.columns
    offset = columns.update_offset[: t + 1]
    place = np.full(int(columns.node_count[t]), -1, np.int8)
    place[nodes] = np.arange(len(nodes))
    found = place[columns.update_node[: int(offset[-1])]]
    told = []
    for i in range(len(nodes)):
        rows = np.flatnonzero(found == i)
        iteration = np.searchsorted(offset, rows, side="right").astype(np.int64)
        last = np.flatnonzero(np.diff(iteration, append=t + 1))  # of those of one iteration
        visits = np.cumsum(columns.update_visits[rows], dtype=np.int64)[last]
        told.append((iteration[last], visits, np.cumsum(columns.update_value[rows])[last]))
    return told


def _visits_at(changed: Ints, visits: Ints, iteration: Ints) -> Ints:
    row = np.searchsorted(changed, iteration, side="right")
    return np.concatenate(([0], visits))[row].astype(np.int64)


def _view(final: Snapshot, family: Ints) -> str:
    return player_name(final.meta, mover_into(final, int(family[0]))) if len(family) else "unknown"
