"""The statistics of a picture's items, at any iteration and over a run of iterations.

The recorded updates are added in the order in which the search added them, so the sums are the search's own, to the
last bit. Knows neither coordinates nor colours.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mcts_viz.errors import PageError
from mcts_viz.views.visible import Visible

if TYPE_CHECKING:
    from mcts_viz.trace.columns import Columns
    from mcts_viz.trace.snapshot import Snapshot
    from mcts_viz.trace.trace import Trace

KEYFRAME_EVERY = 1_024  # iterations
LAST_VISITS_AT_ONCE = 65_536  # iterations
KEYFRAME_BYTES = 32 << 20  # at most, in one tally; beyond that keyframes get rarer
MOST_KEYFRAMES = 1_998  # likewise


class Totals(NamedTuple):
    """Sums after an iteration."""

    visits: npt.NDArray[np.int32]  # [M]
    value_sum: npt.NDArray[np.float64]  # [M] view of the player who moved into the node
    square_sum: npt.NDArray[np.float64] | None = None  # [M] of each value; None: not asked for
    last_visit: npt.NDArray[np.int32] | None = None  # [M] iteration, 0: none; None: not asked for


class Tally:
    """Sums of the updates by item, with keyframes, so that any iteration is a short way from a stored one."""

    def __init__(
        self,
        columns: Columns,
        item_of_node: npt.NDArray[np.int32],
        n_items: int,
        n_iterations: int,
        squares: bool = False,
        lasts: bool = False,
        every: int | None = None,
        recent: tuple[int, Totals] | None = None,
    ) -> None:
        """Of the first `n_iterations`: a trace may be growing meanwhile. With `squares`, `at` also
        gives the sums of the squares of values, with `lasts` the iteration of the last visit.

        Keyframes stand `every` so many iterations (KEYFRAME_EVERY), or twice, four times … as far
        apart, so that they are few enough. `recent`: an iteration and the sums after it. What comes
        later starts there, and the keyframes are not made until somebody asks for what was before.
        """
        self._columns = columns
        self._item_of_node, self._n_items = item_of_node, n_items
        self._n_iterations = n_iterations
        self._squares, self._lasts = squares, lasts
        self._recent = recent
        self._every = _spacing(
            every or KEYFRAME_EVERY, n_iterations, n_items * (12 + 8 * squares + 4 * lasts)
        )
        self._keyframes: list[Totals] = []  # after 0, every, 2 × every … iterations
        self._lock = threading.Lock()
        if recent is None:
            self._made_keyframes()

    def grown(self, item_of_node: npt.NDArray[np.int32], n_items: int, n_iterations: int) -> Tally:
        """The tally of more iterations of the same trace, at the cost of those alone. The items are
        the same, and behind them those of nodes that have come since; see `__init__`."""
        made = Tally.__new__(Tally)
        vars(made).update(vars(self))
        made._item_of_node, made._n_items = item_of_node, n_items
        made._n_iterations, made._recent = n_iterations, None
        made._lock = threading.Lock()
        made._every = _spacing(
            self._every, n_iterations, n_items * (12 + 8 * self._squares + 4 * self._lasts)
        )
        made._keyframes = self._made_keyframes()[:: made._every // self._every]
        made._made_keyframes()
        return made

    @property
    def keyframes(self) -> npt.NDArray[np.int64]:
        """Iterations after which the sums are kept, the first and the last among them."""
        iteration = np.arange(0, self._n_iterations + 1, self._every, dtype=np.int64)
        if iteration[-1] == self._n_iterations:
            return iteration
        return np.append(iteration, self._n_iterations)

    def at_keyframes(self) -> Totals:
        """[P, M] the sums after each of the `keyframes`; visits and values alone."""
        kept = list(self._made_keyframes())
        if len(kept) < len(self.keyframes):
            kept.append(self.at(self._n_iterations))
        visits = np.zeros((len(kept), self._n_items), np.int32)
        value_sum = np.zeros(visits.shape, np.float64)
        for row, totals in enumerate(kept):
            visits[row, : len(totals.visits)] = totals.visits
            value_sum[row, : len(totals.visits)] = totals.value_sum
        return Totals(visits, value_sum)

    def at(self, t: int) -> Totals:
        """The sums after iteration t."""
        if self._recent is not None and t >= self._recent[0]:
            start, totals = self._recent
        else:
            keyframes = self._made_keyframes()
            k = min(t // self._every, len(keyframes) - 1)
            start, totals = k * self._every, keyframes[k]
        totals = _copy(totals, self._n_items)
        self._add(totals, start, t)
        return totals

    def _made_keyframes(self) -> list[Totals]:
        """All of them; those that are missing are made now."""
        with self._lock:
            kept = self._keyframes
            n = self._n_iterations // self._every + 1
            if len(kept) < n:
                running = _copy(kept[-1], self._n_items) if kept else self._nothing()
                if not kept:
                    kept.append(_copy(running, self._n_items))
                for k in range(len(kept), n):
                    self._add(running, (k - 1) * self._every, k * self._every)
                    kept.append(_copy(running, self._n_items))
            return kept

    def _nothing(self) -> Totals:
        """The sums before the first iteration: what was inherited."""
        m = self._n_items
        totals = Totals(
            np.zeros(m, np.int32),
            np.zeros(m, np.float64),
            np.zeros(m, np.float64) if self._squares else None,
            np.zeros(m, np.int32) if self._lasts else None,
        )
        self._add_rows(totals, 0, int(self._columns.update_offset[0]))
        return totals

    def run(self, first: int, last: int) -> Totals:
        """[last - first + 1, M] the sums after each iteration of a run, for few items."""
        begin, end = self._columns.update_offset[[first, last]].tolist()
        place, item, visits, value = touching(self._columns, self._item_of_node, begin, end)
        row = np.searchsorted(self._columns.update_offset[first : last + 1], place, side="right")
        base = self.at(first)
        all_visits = np.zeros((last - first + 1, len(base.visits)), np.int32)
        all_value = np.zeros(all_visits.shape, np.float64)
        all_visits[0], all_value[0] = base.visits, base.value_sum
        np.add.at(all_visits, (row, item), visits)
        np.add.at(all_value, (row, item), value)
        return Totals(np.cumsum(all_visits, axis=0, dtype=np.int32), np.cumsum(all_value, axis=0))

    def _add(self, totals: Totals, after: int, until: int) -> None:
        """Add the updates of iterations after + 1 to until."""
        offset = self._columns.update_offset
        place, item = self._add_rows(totals, int(offset[after]), int(offset[until]))
        if totals.last_visit is not None:
            n_rows = np.diff(offset[after : until + 1])
            iteration = np.repeat(np.arange(after + 1, until + 1, dtype=np.int32), n_rows)
            totals.last_visit[item] = iteration[place - int(offset[after])]  # the last one stays

    def _add_rows(
        self, totals: Totals, begin: int, end: int
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
        """Add those that touch an item, and give their places and items."""
        place, item, visits, value = touching(self._columns, self._item_of_node, begin, end)
        np.add.at(totals.visits, item, visits)
        np.add.at(totals.value_sum, item, value)
        if totals.square_sum is not None:
            np.add.at(totals.square_sum, item, value**2)
        return place, item


def touching(
    columns: Columns, item_of_node: npt.NDArray[np.int32], begin: int, end: int
) -> tuple[
    npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.float64]
]:
    """Of the updates in places begin to end those that touch an item: their places, items, visits and values."""
    item = item_of_node[columns.update_node[begin:end]]
    kept = np.flatnonzero(item >= 0)
    return (
        kept + begin,
        item[kept],
        columns.update_visits[begin:end][kept],
        columns.update_value[begin:end][kept],
    )


def _spacing(every: int, n_iterations: int, n_bytes: int) -> int:
    """Iterations between two keyframes of so many bytes."""
    most = max(1, min(MOST_KEYFRAMES, KEYFRAME_BYTES // max(n_bytes, 1)))
    while n_iterations // every > most:
        every *= 2
    return every


def _copy(totals: Totals, n_items: int) -> Totals:
    """The same for more items, which have nothing yet."""

    def copied(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        copy = np.zeros(n_items, values.dtype)
        copy[: len(values)] = values
        return copy

    squares, last = totals.square_sum, totals.last_visit
    return Totals(
        copied(totals.visits),
        copied(totals.value_sum),
        None if squares is None else copied(squares),
        None if last is None else copied(last),
    )


def _start(visible: Visible, recent: Recent) -> tuple[int, Totals]:
    totals = item_totals(visible, recent.snapshot)
    last = last_visits_of_items(visible, recent.last_visit)
    return recent.snapshot.iteration, totals._replace(last_visit=last)


def item_totals(visible: Visible, snapshot: Snapshot) -> Totals:
    """The items' sums at a snapshot; a stub adds up the children it stands for."""
    item = visible.item_of_node[: len(snapshot)]
    kept = np.flatnonzero(item >= 0)
    item = item[kept]

    def summed(values: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        return np.bincount(item, weights=values[kept], minlength=len(visible)).astype(np.float64)

    squares = snapshot.square_sum
    return Totals(
        visits=summed(snapshot.visits).astype(np.int32),
        value_sum=summed(snapshot.value_sum),
        square_sum=None if squares is None else summed(squares),
    )


def last_visits_of_items(
    visible: Visible, last_visit: npt.NDArray[np.int32]
) -> npt.NDArray[np.int32]:
    """[M] the iteration that updated each item last, from those of the nodes [n]."""
    item = visible.item_of_node[: len(last_visit)]
    kept = np.flatnonzero(item >= 0)
    last = np.zeros(len(visible), np.int32)
    np.maximum.at(last, item[kept], last_visit[kept])
    return last


def last_visits(
    columns: Columns, t: int, known: tuple[int, npt.NDArray[np.int32]] | None = None
) -> npt.NDArray[np.int32]:
    """[N] the iteration up to t that updated each node last; 0: none did.
    `known`: an earlier iteration and the last visits then, from which to go on."""
    begin, before = known or (0, np.zeros(0, np.int32))
    last = np.zeros(len(columns.parent), np.int32)
    last[: len(before)] = before
    for after in range(begin, t, LAST_VISITS_AT_ONCE):
        until = min(after + LAST_VISITS_AT_ONCE, t)
        offset = columns.update_offset[after : until + 1]
        iteration = np.repeat(np.arange(after + 1, until + 1, dtype=np.int32), np.diff(offset))
        last[columns.update_node[int(offset[0]) : int(offset[-1])]] = iteration
    return last


class Recent(NamedTuple):
    """A trace shortly before its end: where its pictures begin that show how it ends."""

    snapshot: Snapshot
    last_visit: npt.NDArray[np.int32]  # [N] see `last_visits`


def recent(trace: Trace, t: int, before: Recent | None = None) -> Recent:
    """The trace after t iterations; `before`: the same of fewer of its iterations, to go on from."""
    known = None if before is None else (before.snapshot.iteration, before.last_visit)
    return Recent(trace.at(t), last_visits(trace.columns, t, known))


@dataclass(frozen=True)
class Window:
    """Everything a picture needs from iteration `first` to `last`; n = last - first, M items."""

    first: int
    last: int
    base_visits: npt.NDArray[np.int32]  # [M] after iteration `first`
    base_value_sum: npt.NDArray[np.float64]  # [M] view of the player who moved into the node
    base_square_sum: npt.NDArray[np.float64] | None  # [M] of each value; None: not asked for
    base_last_visit: npt.NDArray[np.int32] | None  # [M] iteration, 0: none
    base_count: npt.NDArray[np.int32]  # [M] 1 where the node exists; of a stub, its children so far
    node_count: npt.NDArray[np.int32]  # [n + 1] nodes of the whole tree
    update_offset: npt.NDArray[np.int32]  # [n + 1] into the next three
    update_item: npt.NDArray[np.int32]
    update_visits: npt.NDArray[np.int32]
    update_value: npt.NDArray[np.float64]
    new_offset: npt.NDArray[np.int32]  # [n + 1] into the next
    new_item: npt.NDArray[np.int32]  # a node made then; a stub once for every child it stands for
    leaf: npt.NDArray[np.int32]  # [n] node evaluated
    leaf_item: npt.NDArray[
        np.int32
    ]  # [n] last item on the selected path, -1 when it misses the focus
    leaf_depth: npt.NDArray[np.int32]  # [n] edges from the root to the leaf
    outcome: npt.NDArray[np.float32]  # [n] view of player 0; nan where none was recorded


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
        self._tally = Tally(
            columns, visible.item_of_node, len(visible), n_iterations, squares, lasts=True,
            recent=None if recent is None else _start(visible, recent),
        )  # fmt: skip
        self._tracked = np.flatnonzero(visible.item_of_node >= 0)
        self.n_iterations = n_iterations

    def base(self, t: int) -> Totals:
        """Visits and value sums of the items after iteration t; a stub adds up the children it stands for."""
        return self._tally.at(self._iteration(t))

    def count(self, t: int) -> npt.NDArray[np.int32]:
        """[M] after iteration t: 1 or 0 for a node, the number of children so far for a stub."""
        n_existing = int(self._columns.node_count[self._iteration(t)])
        return counts(self.visible, self._tracked, n_existing)

    def path(self, t: int) -> list[int]:
        """Items that iteration t (from 1) selected, the focus first; empty when it went elsewhere."""
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
    tracked: npt.NDArray[np.int64],
    base: Totals,
    first: int,
    last: int,
) -> Window:
    """The window from the sums after iteration `first`; `tracked` are the nodes that have an item, rising."""
    begin, end = columns.update_offset[[first, last]].tolist()
    place, item, visits, value = touching(columns, visible.item_of_node, begin, end)
    born_first, born_last = np.searchsorted(
        tracked, columns.node_count[[first, last]].astype(np.int64)
    )
    born = tracked[born_first:born_last]
    leaf_item, leaf_depth = leaf_items(columns, visible, first, last)
    return Window(
        first=first,
        last=last,
        base_visits=base.visits,
        base_value_sum=base.value_sum,
        base_square_sum=base.square_sum,
        base_last_visit=base.last_visit,
        base_count=counts(visible, tracked, int(columns.node_count[first])),
        node_count=columns.node_count[first : last + 1],
        update_offset=_offsets(place, columns.update_offset[first : last + 1]),
        update_item=item,
        update_visits=visits,
        update_value=value,
        new_offset=_offsets(born, columns.node_count[first : last + 1]),
        new_item=visible.item_of_node[born],
        leaf=columns.leaf[first:last],
        leaf_item=leaf_item,
        leaf_depth=leaf_depth,
        outcome=columns.result[first:last],
    )


def counts(
    visible: Visible, tracked: npt.NDArray[np.int64], n_existing: int
) -> npt.NDArray[np.int32]:
    """[M] when so many nodes exist: 1 or 0 for a node, the number of children so far for a stub."""
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
    while climbing.size:
        depth[climbing] += 1
        at[climbing] = columns.parent[at[climbing]]
        open_end = climbing[item[climbing] < 0]
        item[open_end] = visible.item_of_node[at[open_end]]
        climbing = climbing[at[climbing] > 0]
    return item, depth


def _offsets(
    place: npt.NDArray[np.int64], boundary: npt.NDArray[np.integer]
) -> npt.NDArray[np.int32]:
    """Where each boundary falls among the rising places."""
    return np.searchsorted(place, boundary.astype(np.int64)).astype(np.int32)
