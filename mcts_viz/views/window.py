"""The statistics of a picture's items, at any iteration and over a run of iterations.

Knows neither coordinates nor colours.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mcts_viz.errors import PageError
from mcts_viz.trace.deferred import DeferredColumn
from mcts_viz.trace.memory import Room, room_for
from mcts_viz.trace.path_loops import LOOPS
from mcts_viz.trace.statistics import many_paths
from mcts_viz.trace.sums import Sums
from mcts_viz.types import Floats, Ints
from mcts_viz.views.hidden_ends import Known
from mcts_viz.views.tally import tally_kind, touching
from mcts_viz.views.visible import Visible

if TYPE_CHECKING:
    from mcts_viz.trace.columns import Columns
    from mcts_viz.trace.snapshot import Snapshot
    from mcts_viz.trace.trace import Trace

LAST_VISITS_AT_ONCE = 65_536  # iterations


def item_totals(visible: Visible, snapshot: Snapshot) -> Sums:
    """The items' sums at a snapshot; a stub adds up the children it stands for."""
    return _totals(visible, len(snapshot), partial(_sums_in, snapshot))


def _sums_in(snapshot: Snapshot, nodes: Ints) -> Sums:
    """[k] of some nodes of a snapshot."""
    squares = snapshot.square_sum
    return Sums(
        snapshot.visits[nodes],
        snapshot.value_sum[nodes],
        None if squares is None else squares[nodes],
    )


def _totals(visible: Visible, n_nodes: int, sums_of: Callable[[Ints], Sums]) -> Sums:
    """The items' sums from those of the nodes, while there are `n_nodes`."""
    kept = visible.tracked[visible.tracked < n_nodes]
    item, sums = visible.item_of_node[kept], sums_of(kept)

    def summed(values: npt.NDArray[np.number]) -> Floats:
        weights = values.astype(np.float64)
        return np.bincount(item, weights=weights, minlength=len(visible)).astype(np.float64)

    squares = sums.square_sum
    return Sums(
        visits=summed(sums.visits).astype(np.int32),
        value_sum=summed(sums.value_sum),
        square_sum=None if squares is None else summed(squares),
    )


def last_visits_of_items(
    visible: Visible, last_visit: npt.NDArray[np.int32]
) -> npt.NDArray[np.int32]:
    """[M] the iteration that updated each item last, from those of the nodes [n]."""
    kept = visible.tracked[visible.tracked < len(last_visit)]
    last = np.zeros(len(visible), np.int32)
    np.maximum.at(last, visible.item_of_node[kept], last_visit[kept])
    return last


def last_visits(columns: Columns, t: int) -> npt.NDArray[np.int32]:
    """[N] the iteration up to t that updated each node last; 0: none did."""
    statistics = columns.statistics
    if statistics is not None:
        of_nodes = DeferredColumn(
            columns.n_nodes, np.int32, lambda nodes: statistics.last_visits(nodes, t)
        )
        return of_nodes.as_array
    last = np.zeros(len(columns.nodes.parent), np.int32)
    _note_last_visits(columns, 0, t, last)
    return last


def _note_last_visits(
    columns: Columns, after: int, until: int, last: npt.NDArray[np.int32]
) -> None:
    """Note in last [N] which of iterations after + 1 to `until` updated each node last."""
    along = columns.along_paths(after, until) if LOOPS.are_ready else None
    if along is not None:
        along.paths.note_last(along.leaf, after, last)
        return
    along = many_paths(columns, after, until)
    if along is not None:
        n_nodes = int(columns.node_count[until])
        found = along.paths.last_visits(along.leaf, np.arange(after + 1, until + 1), n_nodes)
        np.maximum(last[:n_nodes], found, out=last[:n_nodes])
        return
    for begin in range(after, until, LAST_VISITS_AT_ONCE):
        end = min(begin + LAST_VISITS_AT_ONCE, until)
        offset = columns.updates.offset[begin : end + 1]
        iteration = np.repeat(np.arange(begin + 1, end + 1, dtype=np.int32), np.diff(offset))
        last[columns.updates.node[int(offset[0]) : int(offset[-1])]] = iteration


class Recent:
    """A trace shortly before its end: where its pictures begin that show how it ends. Goes on while the trace grows:
    a copy of every node's numbers for each picture would take longer than what has changed in them."""

    def __init__(self, trace: Trace) -> None:
        """Before its first iteration."""
        self._trace = trace
        self._lock = threading.Lock()
        self._room = Room()
        self._last = np.zeros(0, np.int32)  # [N] see `last_visits`, with room to spare
        self._snapshot: Snapshot | None = None  # where sums cannot be taken back
        self.iteration = 0

    def advance(self, t: int) -> Recent:
        """Go on to iteration t, or stay where that is behind; gives itself."""
        columns = self._trace.columns
        with self._lock:
            if t < self.iteration:
                return self
            if columns.statistics is None:
                n_nodes = int(columns.node_count[t])
                if n_nodes > len(self._last):
                    n = room_for(n_nodes, len(self._last), self._last.itemsize)
                    self._last = self._room.longer(self._last, n)
                _note_last_visits(columns, self.iteration, t, self._last)
            takes_back = columns.exact_sums and not self._trace.meta.keeps_squares
            self._snapshot = None if takes_back else self._trace.at(t)
            self.iteration = t
        return self

    def known(self, first: int) -> Known:
        """The sums at iteration `first`, or at one before it that is at hand already."""
        with self._lock:
            if self._snapshot is None or self.iteration > first or self._trace.columns.statistics:
                return Known(first, partial(self._trace.sums_of, first))
            return Known(self.iteration, partial(_sums_in, self._snapshot))

    def start(self, visible: Visible, n_iterations: int) -> tuple[int, Sums] | None:
        """The iteration and the items' sums after it; None where a picture of the first `n_iterations` begins before
        it, as the trace has grown meanwhile."""
        with self._lock:
            t = self.iteration
            if t > n_iterations:
                return None
            n_nodes = int(self._trace.columns.node_count[t])
            sums_of = partial(self._trace.sums_of, t)
            if self._snapshot is not None:
                sums_of = partial(_sums_in, self._snapshot)
            totals = _totals(visible, n_nodes, sums_of)
            last = last_visits_of_items(visible, self._last[:n_nodes])
            return t, totals._replace(last_visit=last)


@dataclass(frozen=True)
class Window:
    """Everything a picture needs from iteration `first` to `last`; n = last - first, M items."""

    first: int
    last: int
    base_visits: npt.NDArray[np.int32]  # [M] after iteration `first`
    base_value_sum: Floats  # [M] view of the player who moved into the node
    base_square_sum: Floats | None  # [M] of each value; None: not asked for
    base_last_visit: npt.NDArray[np.int32] | None  # [M] iteration, 0: none
    base_count: npt.NDArray[np.int32]  # [M] 1 where the node exists; of a stub, its children so far
    node_count: npt.NDArray[np.int32]  # [n + 1] nodes of the whole tree
    update_offset: npt.NDArray[np.int32]  # [n + 1] into the next three
    update_item: npt.NDArray[np.int32]
    update_visits: npt.NDArray[np.int32]
    update_value: Floats
    new_offset: npt.NDArray[np.int32]  # [n + 1] into the next
    new_item: npt.NDArray[np.int32]  # a node made then; a stub once for every child it stands for
    leaf: npt.NDArray[np.int32]  # [n] node evaluated
    leaf_item: npt.NDArray[
        np.int32
    ]  # [n] last item on the selected path, -1 when it misses the focus
    leaf_depth: npt.NDArray[np.int32]  # [n] edges from the root to the leaf
    outcome: npt.NDArray[np.float32]  # [n] view of player 0; nan where none was recorded
    # of a trace whose nodes are shared: items on each path, the focus first. None: the way up from its leaf_item
    path_offset: npt.NDArray[np.int32] | None = None  # [n + 1] into the next
    path_item: npt.NDArray[np.int32] | None = None


class VisibleReplay:
    """The run of a trace as seen through one picture's items."""

    def __init__(
        self,
        columns: Columns,
        visible: Visible,
        n_iterations: int,
        squares: bool = False,
        recent: Recent | None = None,
    ) -> None:
        """With `squares`, windows also tell the sums of the squares of values. Windows that begin at
        `recent` or later are at hand at once; those before it wait for a pass over all updates."""
        self.visible = visible
        self._columns = columns
        in_memory = columns.statistics is None
        self._tally = tally_kind(columns)(
            columns, visible.item_of_node, len(visible), n_iterations, squares, lasts=True,
            recent=recent.start(visible, n_iterations) if in_memory and recent is not None else None,
            tracked=visible.tracked, item_parent=visible.parent,
        )  # fmt: skip
        self._tracked = visible.tracked
        self.n_iterations = n_iterations
        # for who makes windows in several threads: two at once are both late, one after the other comes each in time
        self.turn = threading.Lock()

    def base(self, t: int) -> Sums:
        """Visits and value sums of the items after iteration t; a stub adds up the children it stands for."""
        return self._tally.at(self._iteration(t))

    def count(self, t: int) -> npt.NDArray[np.int32]:
        """[M] after iteration t: 1 or 0 for a node, the number of children so far for a stub."""
        n_existing = int(self._columns.node_count[self._iteration(t)])
        return counts(self.visible, self._tracked, n_existing)

    def path(self, t: int) -> list[int]:
        """Items that iteration t (from 1) selected, the focus first; empty when it went elsewhere."""
        _, shared = path_items(self._columns, self.visible, t - 1, self._iteration(t))
        if shared is not None:
            return [*map(int, shared)]
        item = int(leaf_items(self._columns, self.visible, t - 1, self._iteration(t))[0][0])
        path = []
        while item >= 0:
            path.append(item)
            item = int(self.visible.parent[item])
        return path[::-1]

    def window(self, first: int, last: int) -> Window:
        """The state after iteration `first` and what iterations first + 1 to last changed."""
        if not 0 <= first <= last <= self.n_iterations:
            raise PageError(
                f"from={first}&to={last}: no such run of iterations; this trace has 0 to {self.n_iterations}"
            )
        return window_of(self._columns, self.visible, self._tracked, self.base(first), first, last)

    def _iteration(self, t: int) -> int:
        if not 0 <= t <= self.n_iterations:
            raise PageError(f"iteration {t}: this trace has iterations 0 to {self.n_iterations}")
        return t


def window_of(
    columns: Columns,
    visible: Visible,
    tracked: Ints,
    base: Sums,
    first: int,
    last: int,
) -> Window:
    """The window from the sums after iteration `first`; `tracked` are the nodes that have an item, rising."""
    begin, end = columns.updates.offset[[first, last]].tolist()
    place, item, visits, value = touching(columns, visible.item_of_node, begin, end)
    born_first, born_last = np.searchsorted(
        tracked, columns.node_count[[first, last]].astype(np.int64)
    )
    born = tracked[born_first:born_last]
    leaf_item, leaf_depth = leaf_items(columns, visible, first, last)
    path_offset, path_item = path_items(columns, visible, first, last)
    value_sum = base.value_sum.copy()
    valueless = columns.without_value(columns.n_iterations)
    item_of = visible.item_of_node[valueless[valueless < len(visible.item_of_node)]]
    value_sum[item_of[(item_of >= 0) & (item_of < visible.n_nodes)]] = np.nan  # shown as "–"
    return Window(
        first=first,
        last=last,
        base_visits=base.visits,
        base_value_sum=value_sum,
        base_square_sum=base.square_sum,
        base_last_visit=base.last_visit,
        base_count=counts(visible, tracked, int(columns.node_count[first])),
        node_count=columns.node_count[first : last + 1],
        update_offset=_offsets(place, columns.updates.offset[first : last + 1]),
        update_item=item,
        update_visits=visits,
        update_value=value,
        new_offset=_offsets(born, columns.node_count[first : last + 1]),
        new_item=visible.item_of_node[born],
        leaf=columns.leaf[first:last],
        leaf_item=leaf_item,
        leaf_depth=leaf_depth,
        outcome=columns.outcome[first:last],
        path_offset=path_offset,
        path_item=path_item,
    )


def counts(visible: Visible, tracked: Ints, n_existing: int) -> npt.NDArray[np.int32]:
    """[M] when that many nodes exist: 1 or 0 for a node, the number of children so far for a stub."""
    n = int(np.searchsorted(tracked, n_existing))
    item = visible.item_of_node[tracked[:n]]
    return np.bincount(item, minlength=len(visible)).astype(np.int32)


def leaf_items(
    columns: Columns, visible: Visible, first: int, last: int
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """The deepest item on the way to each leaf of iterations first + 1 to last, and the leaf's depth."""
    at = columns.leaf[first:last].astype(np.int64)
    item = visible.item_of_node[at]
    depth = np.zeros(len(at), np.int32)
    climbing = np.flatnonzero(at > 0)
    iteration = np.arange(first + 1, last + 1)
    row = columns.paths.begin(iteration, at)
    while climbing.size:
        depth[climbing] += 1
        at[climbing], row[climbing] = columns.paths.above(
            iteration[climbing], at[climbing], row[climbing]
        )
        open_end = climbing[item[climbing] < 0]
        item[open_end] = visible.item_of_node[at[open_end]]
        climbing = climbing[at[climbing] > 0]
    return item, depth


def path_items(
    columns: Columns, visible: Visible, first: int, last: int
) -> tuple[npt.NDArray[np.int32] | None, npt.NDArray[np.int32] | None]:
    """Offsets, and the items on the path of each of iterations first + 1 to last, the focus first; none where it misses
    the focus. None of both for a tree."""
    paths = columns.paths
    if paths.are_plain:
        return None, None
    at, which = columns.leaf[first:last].astype(np.int64), np.arange(last - first)
    row = paths.begin(which + first + 1, at)
    rounds = [(which[:0], at[:0])]
    while len(at):
        rounds.append((which, visible.item_of_node[at].astype(np.int64)))
        at, row = paths.above(which + first + 1, at, row)
        going = at >= 0
        which, at, row = which[going], at[going], row[going]
    place = np.concatenate([where for where, _ in reversed(rounds)])
    item = np.concatenate([items for _, items in reversed(rounds)])
    order = np.argsort(place, kind="stable")
    place, item = place[order], item[order]
    in_focus = np.isin(place, place[item == 0])
    twice = (np.diff(place, prepend=-1) == 0) & (np.diff(item, prepend=-1) == 0)
    use = (item >= 0) & in_focus & ~twice
    offset = np.searchsorted(place[use], np.arange(last - first + 1)).astype(np.int32)
    return offset, item[use].astype(np.int32)


def _offsets(place: Ints, boundary: npt.NDArray[np.integer]) -> npt.NDArray[np.int32]:
    """Where each boundary falls among the rising places."""
    return np.searchsorted(place, boundary.astype(np.int64)).astype(np.int32)
