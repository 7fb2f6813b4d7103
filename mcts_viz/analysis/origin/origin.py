"""Where a number of a node comes from: the iterations that made it, and what each of them added.

The states between iterations are those of the search, bit for bit, so what the iterations added comes to the number
itself, with nothing left over. Many iterations stay columns; only those that somebody looks at become rows.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mcts_viz.analysis.origin.branches import branches, quick_branches
from mcts_viz.analysis.point_of_view import Viewpoint
from mcts_viz.errors import TraceError
from mcts_viz.trace.snapshot import (
    NodeStatistics,
    Snapshot,
    seen_by_chooser_after,
    selection_score,
    selection_terms,
)
from mcts_viz.trace.statistics import WantedNodes, node_states
from mcts_viz.trace.sums import NodeStates
from mcts_viz.trace.trace import Trace
from mcts_viz.trace.words import plural
from mcts_viz.types import Floats, Ints, Wholes

# the numbers that can be asked for, in words; those of the selection score also depend on the parent's visits
OF_NODE = {"visits": "visits", "value_sum": "value sum", "mean_value": "mean value"}
OF_SCORE = {"value_term": "value term", "exploration_term": "exploration term", "score": "selection score"}  # fmt: skip
NUMBERS = OF_NODE | OF_SCORE
MANY = 1 << 12  # iterations; of fewer, the way up from their leaves is short enough


class Contribution(NamedTuple):
    """What one iteration did to the number."""

    iteration: int
    child: (
        int | None
    )  # through which it went: of the node, for a score of its parent; None: it ended there
    visits: int  # that it added to the node
    value: float  # that it added to the node's value sum, in the origin's view
    before: float | None  # the number before the iteration; None: there was none
    after: float | None  # and after it

    @property
    def added(self) -> float | None:
        """By how much the number grew; the whole of it where there was none before."""
        if self.after is None:
            return None
        return self.after - (self.before or 0.0)


@dataclass(frozen=True, eq=False)
class Origin:
    """The m iterations that made one number of a node; `str` says it in words.

    Of visits, value sum and mean these are the iterations that updated the node; of the terms of its selection score
    those that updated its parent, since there was a score.
    """

    trace: Trace
    node: int
    number: str  # of NUMBERS
    t: int  # after this iteration
    iteration: Ints  # [m] rising
    total: float | None  # the number after iteration t; None: there is none
    kept: (
        float | None
    )  # the number before the first of them: from the tree before the trace; None: there was none
    kept_visits: int  # of the node, from before the trace
    _states: NodeStates
    _parent: NodeStates | None
    # of the values in the view of the other player: least and greatest value of a visit together; None: as recorded
    mirror: float | None = None
    # the player in whose view the values are, where nodes have a value for each; None: the one who moved into the node
    seat: int | None = None

    def __len__(self) -> int:
        return len(self.iteration)

    def __str__(self) -> str:
        name = "the root" if self.node == 0 else self.trace.at(self.t).short_label(self.node)
        shown = "no" if self.total is None else f"{self.total:,.10g}"
        text = f"{NUMBERS[self.number]} of {name} after iteration {self.t:,}: {shown}; "
        text += f"made by {plural(len(self), 'iteration')}"
        if len(self):
            text += f", {self.iteration[0]:,} to {self.iteration[-1]:,}"
        if self.kept_visits:
            text += f"; {plural(self.kept_visits, 'visit')} of the node from before this trace"
        return text

    def __iter__(self) -> Iterator[Contribution]:
        """All of them; of very many, `rows` gives some."""
        for first in range(0, len(self), 1 << 12):
            yield from self.rows(first, first + (1 << 12))

    def rows(self, first: int = 0, last: int | None = None) -> list[Contribution]:
        """Contributions number `first`, from 0, to just before `last`."""
        when = self.iteration[first:last]
        visits, values = self._states.visits, self._states.value_sum
        begin, end = self._states.row_at(when - 1), self._states.row_at(when)
        single = end - begin == 1  # what was recorded; the difference of two sums may be rounded
        value = values[end] - values[begin]
        value[single] = self._states.update_value[begin[single]]
        if self.mirror is not None:
            value = (visits[end] - visits[begin]) * self.mirror - value
        columns = zip(
            when.tolist(),
            self.branches(first, last).tolist(),
            (visits[end] - visits[begin]).tolist(),
            value.tolist(),
            self.after(when - 1).tolist(),
            self.after(when).tolist(),
        )
        through = self._parent_id if self.number in OF_SCORE else self.node
        return [
            Contribution(t, None if child in (-1, through) else child, n, w, _known(b), _known(a))
            for t, child, n, w, b, a in columns
        ]

    def branches(self, first: int = 0, last: int | None = None) -> Ints:
        """[m] the child through which each of these iterations went, as `Contribution` has it; the node itself where
        it ended there, −1 where it did not come there."""
        columns, when = self.trace.columns, self.iteration[first:last]
        at, states = self.node, self._states
        if self._parent is not None:
            at, states = self._parent_id, self._parent
        if len(when) > MANY and np.array_equal(states.iteration[-len(when) :], when):
            return quick_branches(columns, at, when, states.row[-len(when) :])
        return branches(columns, at, when)

    @functools.cached_property
    def by_child(self) -> dict[int, int]:
        """Number of iterations by the child that they went through, most first; as `branches`."""
        n = np.bincount(self.branches() + 1)
        most = np.flatnonzero(n)[np.argsort(-n[n > 0], kind="stable")]
        return {int(place) - 1: int(n[place]) for place in most}

    def curve(self, points: int) -> tuple[Ints, Floats]:
        """At most `most` of the iterations, with the first and the last, and the number after each."""
        m = len(self)
        places = np.unique(np.linspace(0, m - 1, min(m, points)).round().astype(np.int64))
        when = self.iteration[places]
        return when, self.after(when)

    def after(self, iteration: Ints) -> Floats:
        """[k] the number after each of these iterations, 0 the tree before the first one; nan: there is none."""
        row = self._states.row_at(iteration)
        visits, value_sum = self._states.visits[row], self._states.value_sum[row]
        if self.number == "visits":
            return visits.astype(np.float64)
        if self.number == "value_sum":
            return value_sum if self.mirror is None else visits * self.mirror - value_sum
        if self.number in OF_SCORE:
            return self._score(iteration, row)
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = np.where(visits == 0, np.nan, value_sum / visits)
        first, last = self.trace.columns.gap(self.node)
        mean[(iteration >= first) & (iteration < last) & (value_sum == 0)] = np.nan
        return mean if self.mirror is None else self.mirror - mean

    @property
    def _parent_id(self) -> int:
        return int(self.trace.columns.nodes.parent[self.node])

    def _score(self, iteration: Ints, row: Wholes) -> Floats:
        assert self._parent is not None
        nodes, k = self.trace.columns.nodes, len(iteration)
        above = self._parent.row_at(iteration)
        parent_visits, parent_sum = self._parent.visits[above], self._parent.value_sum[above]
        parents = np.full(k, self._parent_id)
        value, exploration = selection_terms(
            self.trace.meta,
            NodeStatistics(
                visits=self._states.visits[row],
                value_sum=self._states.value_sum[row],
                prior=np.full(k, nodes.prior[self.node]),
                parent_visits=parent_visits,
                chooser=nodes.to_move[parents],
                proven=_proven(self.trace, self.node, iteration),
                square_sum=self._states.square_sum[row],
                parent_value=seen_by_chooser_after(
                    self.trace.meta,
                    self.trace.columns,
                    self._parent_id,
                    iteration,
                    parent_visits,
                    parent_sum,
                ),
            ),
        )
        terms = {"value_term": value, "exploration_term": exploration}
        found = terms.get(self.number)
        found = selection_score(value, exploration) if found is None else found
        return np.where(iteration >= nodes.born[self.node], found, np.nan)


def origin(
    trace: Trace,
    node: int,
    number: str = "visits",
    t: int | None = None,
    viewpoint: Viewpoint | None = None,
) -> Origin:
    """Which iterations made a number of `node` after iteration t (the last one). Raises TraceError for a number or a
    node that is not there, and for a term of the root, which is compared with nothing. viewpoint: of a value sum or a
    mean; None: as recorded."""
    tree = trace.at(trace.n_iterations if t is None else t)
    node = tree.path(node)[-1]
    if number not in NUMBERS:
        raise TraceError(f"number {number!r} is not known; choose one of: {', '.join(NUMBERS)}")
    if number in OF_SCORE and node == 0:
        raise TraceError(f"the root has no {NUMBERS[number]}: it is compared with no other node")
    selection = trace.meta.policies.selection
    if number in OF_SCORE and (selection.needs_siblings or selection.counts_children):
        raise TraceError(
            f"the {NUMBERS[number]} depends on the node's siblings in this search: ask for the visits or the mean of "
            "each of them"
        )
    is_score, columns = number in OF_SCORE, trace.columns
    squares = is_score and trace.meta.keeps_squares
    seat = None if is_score else _seat(tree, node, viewpoint)
    if seat is not None:
        columns = columns.of_player(seat)

    def states_of(each: int) -> NodeStates:
        return node_states(columns, WantedNodes([each]), -1, tree.iteration, squares=squares)[0]

    states = states_of(node)
    parent = states_of(int(tree.parent[node])) if is_score else None
    iteration = _changing(trace, node, states, parent, tree)
    begun = int(np.searchsorted(states.iteration, 0, side="right"))
    made = Origin(
        trace, node, number, tree.iteration, iteration, None, None, int(states.visits[begun]),
        states, parent, _mirror(tree, node, viewpoint), seat,
    )  # fmt: skip
    first = int(iteration[0]) - 1 if len(iteration) else tree.iteration
    kept, total = made.after(np.array([first, tree.iteration])).tolist()
    return replace(made, total=_known(total), kept=_known(kept))


def _mirror(tree: Snapshot, node: int, viewpoint: Viewpoint | None) -> float | None:
    if viewpoint is None or not tree.meta.mirrors or not viewpoint.mirrors(tree, node):
        return None
    low, high = tree.meta.value_range
    return float(low + high)


def _seat(tree: Snapshot, node: int, viewpoint: Viewpoint | None) -> int | None:
    """The other player whose values are asked for, where nodes have one for each."""
    if viewpoint is None or tree.meta.mirrors or not viewpoint.mirrors(tree, node):
        return None
    return viewpoint.of(tree, node)


def _changing(
    trace: Trace, node: int, states: NodeStates, parent: NodeStates | None, tree: Snapshot
) -> Ints:
    """[m] the iterations that may have changed the number."""
    own = _distinct(states.iteration)
    if parent is None:
        return own
    found = _distinct(parent.iteration)
    proven = trace.columns.proven
    mine = proven.at[np.flatnonzero(proven.node == node)]
    is_there = np.zeros(tree.iteration + 1, np.bool_)
    is_there[found] = True
    more = np.concatenate((own, mine[mine <= tree.iteration].astype(np.int64)))
    if not is_there[more].all():
        is_there[more] = True
        found = np.flatnonzero(is_there[1:]) + 1
    since = int(tree.born[node])
    if not trace.meta.unvisited_have_scores:  # before its first visit there is no score
        visited = np.flatnonzero(states.visits > 0)
        since = int(states.iteration[visited[0] - 1]) if len(visited) else tree.iteration + 1
        if trace.meta.has_solver:
            result = float(trace.columns.nodes.outcome[node])
            known = [int(tree.born[node])] if not np.isnan(result) else mine.tolist()
            since = min([since, *known])
    return found[np.searchsorted(found, max(since, 1)) :]


def _distinct(iteration: Wholes) -> Ints:
    """The iterations of updates, each once, without what was there before the first one."""
    found = iteration[np.searchsorted(iteration, 1) :].astype(np.int64)
    return found[np.flatnonzero(np.diff(found, prepend=0))]


def _proven(trace: Trace, node: int, iteration: Ints) -> npt.NDArray[np.float32]:
    """[k] the result of the node that was known after each of these iterations, view of player 0; nan: none."""
    columns = trace.columns
    known = np.full(len(iteration), columns.nodes.outcome[node], np.float32)
    for place in np.flatnonzero(columns.proven.node == node).tolist():
        known[iteration >= int(columns.proven.at[place])] = columns.proven.outcome[place]
    return known


def _known(value: float) -> float | None:
    return None if np.isnan(value) else value
