"""What happened when in a search: the moments worth a mark on its timeline.

Found over whole columns, so that a million iterations take less than a second. Knows no pictures, and does not check
the search: findings are `health`'s.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mcts_viz.analysis.history.lead import NO_NODE
from mcts_viz.analysis.history.root import RootHistory
from mcts_viz.analysis.point_of_view import mover_into, outcome_text, view_of_player_0
from mcts_viz.errors import TraceError
from mcts_viz.trace.meta import TraceMeta
from mcts_viz.trace.snapshot import Snapshot
from mcts_viz.trace.statistics import WantedNodes, node_states
from mcts_viz.trace.trace import Trace
from mcts_viz.trace.words import signed
from mcts_viz.types import Bools, Floats, Ints

# kind -> its words, in the order in which events of one iteration are listed
KINDS: dict[str, str] = {
    "kept": "the tree kept from the move before",
    "lead": "the move that would be played changes",
    "value": "the root's value crosses the threshold",
    "proven": "a result is proven",
    "depth": "a new deepest node",
    "terminal": "a finished game is found",
    "visit": "the first visit of the selected node",
}
MOST = 40  # events of a kind, where there are more
AT_ONCE = 1 << 20  # nodes
FEW = 1 << 16  # nodes, of which few such parts have a new deepest one
WORTH = 100  # a depth record is worth a mark when it stands for this part of the search


@dataclass(frozen=True)
class Event:
    """Something that is so after `iteration`, and was not before."""

    kind: str  # key of KINDS
    iteration: int  # 0: before the first one
    node: int
    text: str


@dataclass(frozen=True)
class Events:
    """Events by iteration, those of one iteration in the order of KINDS."""

    shown: tuple[Event, ...]
    found: Mapping[str, int]  # by kind: how many there are, with those not shown

    @property
    def hidden(self) -> dict[str, int]:
        """How many events of each kind are not shown; kinds shown in full are left out."""
        shown = {kind: sum(event.kind == kind for event in self.shown) for kind in self.found}
        return {kind: n - shown[kind] for kind, n in self.found.items() if n > shown[kind]}

    def __iter__(self) -> Iterator[Event]:
        return iter(self.shown)

    def __len__(self) -> int:
        return len(self.shown)


class _Found(NamedTuple):
    """E events of one kind, by iteration."""

    kind: str
    iteration: Ints  # [E]
    node: Ints  # [E]
    weight: Floats  # [E] of too many, those with the least are not shown
    text: Callable[[int], str]  # of the i-th
    worth: Bools | None = None  # [E] a mark; None: all


def events(
    trace: Trace,
    node: int | None = None,
    threshold: float | None = None,
    most: int | None = MOST,
    t: int | None = None,
    course: RootHistory | None = None,
) -> Events:
    """The events of the first `t` iterations (all). `course`: the trace's own, where one has been
    kept from an earlier call.

    node: whose first visit counts. threshold: of the root's mean value in the view of player 0; the
    middle of the range of values where none is given. most: of each kind; of more, those changes are
    shown that lasted longest, and those finished games and proofs that are nearest to the root; also
    left out are depth records that another one follows within a hundredth of the search. None: all.

    Raises TraceError for a node, threshold or iteration that the trace does not have.
    """
    final = trace.at(trace.n_iterations if t is None else t)
    course = course or RootHistory(trace)
    found = [
        _lead_changes(course, final),
        _crossings(course, final, threshold),
        _proofs(trace, final),
        _depth_records(final),
        _finished_games(final),
    ]
    told = [event for each in found for event in _shown(each, most)]
    counts = {each.kind: len(each.iteration) for each in found if len(each.iteration)}
    for event in (
        _kept(final),
        None if node is None else first_visit(trace, node, final.iteration),
    ):
        if event is not None:
            told.append(event)
            counts[event.kind] = 1
    order = list(KINDS)
    told.sort(key=lambda event: (event.iteration, order.index(event.kind), event.node))
    return Events(tuple(told), {kind: counts[kind] for kind in KINDS if kind in counts})


def first_visit(trace: Trace, node: int, t: int | None = None) -> Event | None:
    """When a node was first visited in the first `t` iterations (all); None: it was not. Raises
    TraceError for a node that the trace does not have."""
    final = trace.at(trace.n_iterations if t is None else t)
    label = final.short_label(node)
    states = node_states(trace.columns, WantedNodes([node]), -1, final.iteration)[0]
    visited = states.iteration[states.update_visits > 0]
    if not len(visited):
        return None
    iteration = int(visited[0])
    before = " was before the first iteration" if iteration == 0 else ""
    return Event("visit", iteration, int(node), f"first visit of {label}{before}")


def middle_value(meta: TraceMeta) -> float:
    """The value between the least and the greatest that a visit can have."""
    low, high = meta.value_range
    return (low + high) / 2


def _shown(found: _Found, most: int | None) -> list[Event]:
    """The events that get a mark."""
    places = np.arange(len(found.iteration))
    if most is not None:
        if found.worth is not None:
            places = np.flatnonzero(found.worth)
        if len(places) > most:
            heaviest = np.argsort(-found.weight[places], kind="stable")[:most]
            places = np.sort(places[heaviest])
    return [
        Event(found.kind, int(found.iteration[i]), int(found.node[i]), found.text(i))
        for i in places.tolist()
    ]


def _lead_changes(course: RootHistory, final: Snapshot) -> _Found:
    """Every time that the lead among the root's children passes from one to another."""
    iteration, after = course.leaders(final.iteration)
    before = np.concatenate(([NO_NODE], after))[:-1]
    lasts = np.diff(iteration, append=final.iteration + 1).astype(np.float64)
    passed = np.flatnonzero((before >= 0) & (after >= 0))
    to, of = after[passed], before[passed]
    return _Found(
        "lead", iteration[passed], to, lasts[passed],
        lambda i: f"{final.short_label(int(to[i]))} takes the lead from {final.short_label(int(of[i]))}",
    )  # fmt: skip


def _crossings(course: RootHistory, final: Snapshot, threshold: float | None) -> _Found:
    """Every time that the root's value goes from one side of the threshold to the other; a value on
    it still is on the side that it came from."""
    limit = _threshold(final.meta, threshold)
    iteration, value = course.crossings(final.iteration, limit)
    lasts = np.diff(iteration, append=final.iteration + 1).astype(np.float64)
    view = view_of_player_0(final.meta, mover_into(final, 0))

    def text(i: int) -> str:
        at = float(value[i])
        way = "rises above" if at > limit else "falls below"
        return f"the root's value {way} {signed(f'{limit:.4g}')}: {signed(f'{at:.4f}')}{view}"

    return _Found("value", iteration, np.zeros(len(iteration), np.int64), lasts, text)


def _threshold(meta: TraceMeta, threshold: float | None) -> float:
    if threshold is None:
        return middle_value(meta)
    low, high = meta.value_range
    if not (math.isfinite(threshold) and low <= threshold <= high):
        raise TraceError(
            f"threshold {threshold:g} is not among this trace's values; choose one from {low:g} to {high:g}"
        )
    return float(threshold)


def _depth_records(final: Snapshot) -> _Found:
    """Every iteration that made a node deeper than all before."""
    depth, found, deepest = final.depth, [np.zeros(0, np.int64)], -1
    for begin in range(0, len(final), FEW):
        part = final.topology.depths_between(begin, min(begin + FEW, len(final)))
        if part.max() > deepest:
            course = np.maximum.accumulate(np.maximum(part.astype(np.int64), deepest))
            found.append(np.flatnonzero(np.diff(course, prepend=deepest) > 0) + begin)
            deepest = int(course[-1])
    records = np.concatenate(found)
    born = final.born[records].astype(np.int64)
    records = records[(np.diff(born, append=-1) != 0) & (born > 0)]  # the deepest of its iteration
    iteration = final.born[records].astype(np.int64)
    lasts = np.diff(iteration, append=final.iteration + 1).astype(np.float64)
    worth = lasts * WORTH >= final.iteration
    worth[-1:] = True
    return _Found(
        "depth", iteration, records, lasts,
        lambda i: f"deepest node so far: depth {depth[records[i]]:,}, {final.short_label(int(records[i]))}",
        worth,
    )  # fmt: skip


def _finished_games(final: Snapshot) -> _Found:
    """Every node at which the game is over."""
    outcome = final.outcome
    nodes = np.concatenate([
        np.flatnonzero(~np.isnan(outcome[begin : begin + AT_ONCE])) + begin
        for begin in range(0, len(final), AT_ONCE)
    ])  # fmt: skip
    nodes = nodes[final.born[nodes] > 0]

    def text(i: int) -> str:
        node = int(nodes[i])
        result = outcome_text(final.meta, float(final.outcome[node]))
        return f"finished game at depth {final.depth[node]:,}: {result}, {final.short_label(node)}"

    near = -final.depth[nodes].astype(np.float64)
    return _Found("terminal", final.born[nodes].astype(np.int64), nodes, near, text)


def _proofs(trace: Trace, final: Snapshot) -> _Found:
    """Every node whose result a solver has proven."""
    columns = trace.columns
    at = columns.proven.at.astype(np.int64)
    kept = np.flatnonzero((at > 0) & (at <= final.iteration))
    nodes, outcomes = columns.proven.node[kept].astype(np.int64), columns.proven.outcome[kept]

    def text(i: int) -> str:
        node = int(nodes[i])
        return f"proven: {outcome_text(final.meta, float(outcomes[i]))}, {final.short_label(node)}"

    near = -final.depth[nodes].astype(np.float64)
    return _Found("proven", at[kept], nodes, near, text)


def _kept(final: Snapshot) -> Event | None:
    kept = final.meta.inherited
    if kept is None:
        return None
    visits, nodes = kept.visits, kept.nodes
    return Event(
        "kept", 0, 0, f"the tree was kept from the move before: {visits:,} visits, {nodes:,} nodes"
    )
