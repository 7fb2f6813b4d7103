"""The columns of a trace that has an index: mapped, or computed when they are read, so that they take no memory."""

from __future__ import annotations

import functools
import threading
from collections import OrderedDict
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from mcts_viz.trace.asides import Asides
from mcts_viz.trace.columns import Columns
from mcts_viz.trace.deferred import DeferredColumn, first_of
from mcts_viz.trace.format import NodeRows, ProofRows, RolloutRows, Rows, UpdateRows
from mcts_viz.trace.groups import AnyOptional, Group, OptionalColumn
from mcts_viz.trace.index.plain import LEFT_OUT
from mcts_viz.trace.index.tree import TreeIndex
from mcts_viz.trace.meta import TraceMeta
from mcts_viz.trace.paths import Paths
from mcts_viz.types import Document, Ints, Numbers

BATCHES_KEPT = 4
SPAN = 1 << 16  # iterations whose updates are worked out together
MOST_KEPT = 1 << 18  # updates that were worked out last and are kept
UPDATE_TYPES = (np.int32, np.int32, np.float64)  # of node, visits, value
ReadBatch = Callable[[int], Rows]  # a batch of the file by its number


class IndexedColumns(Columns):
    """Columns of a trace that will not grow any more."""

    def __init__(self, meta: TraceMeta, index: TreeIndex, read_batch: ReadBatch) -> None:
        """read_batch: for what is not in the index."""
        self.tree = self.index = self._tree = index
        self.whole = meta.whole_tree if meta.inherited is not None else None
        self.n_iterations = index.n_iterations
        self.asides = Asides.none()
        self._iterations_whole = 0 if meta.inherited is not None else 1
        self._documents, self._root_gap = {}, []
        self.values = self
        self._read_batch = read_batch
        self._batches: OrderedDict[int, Rows] = OrderedDict()  # the last ones looked at
        self._lock = threading.Lock()
        self._plain_paths: Paths | None = None
        self._last_span: tuple[int, int, tuple[Numbers, ...]] | None = None
        self._found: Document = self._of_iterations()
        recorded = index.file.about["recorded"]
        groups: dict[str, tuple[type[Group], Document, bool]] = {
            "nodes": (NodeRows, self._nodes(), True),
            "updates": (UpdateRows, self._updates(), True),
            "rollout": (RolloutRows, self._rollouts(), recorded["rollout"]),
            "proven": (ProofRows, self._proofs(), recorded["proven"]),
        }
        self._groups = {name: group.view(values) for name, (group, values, _) in groups.items()}
        for name, (_, _, is_recorded) in groups.items():
            self._groups[name].recorded = is_recorded
        for lists in Rows.lists:  # others are in no trace that has an index
            self._groups.setdefault(lists.name, lists.group.absent(index.n_iterations, np.int64))
        self._found |= self._groups

    def __getitem__(self, name: str) -> Numbers:
        found: Numbers = self._found[name]  # or a group
        return found

    @property
    def n_nodes(self) -> int:
        """N, the root included."""
        return self._tree.n_nodes

    @property
    def exact_sums(self) -> bool:
        """Whether every sum of values is free of rounding."""
        return self._tree.ordered is None

    @property
    def paths(self) -> Paths:
        """The way up from any node: over the parents."""
        if self._plain_paths is None:
            offset = self.updates.offset
            self._plain_paths = Paths(self.nodes.parent, None, offset, self.updates.node)
        return self._plain_paths

    def along_paths(self, after: int, until: int) -> None:
        """The index knows."""

    def join(self, room: float = 1.0) -> None:
        """Nothing waits."""

    def _of_iterations(self) -> Document:
        index = self._tree
        outcome = np.append(index.outcome, np.full(256 - len(index.outcome), np.nan, np.float32))
        left_at, left_outcome = index.file["left_at"], index.file["left_outcome"]
        begin, elapsed = index.file["elapsed_at"], index.file["elapsed"]

        def outcomes(iterations: Ints) -> Numbers:
            found = outcome[index.code[iterations]]
            places = np.flatnonzero(index.code[iterations] == LEFT_OUT)
            if len(places):
                found[places] = left_outcome[np.searchsorted(left_at, iterations[places])]
            return found

        n = self.n_iterations
        return {
            "leaf": index.leaf,
            "outcome": DeferredColumn(n, np.float32, outcomes) if index.ordered is None else index.ordered.outcome,
            "elapsed": DeferredColumn(n, np.int64, lambda t: elapsed[np.searchsorted(begin, t, side="right") - 1]),
            **{each.name: self._optional(each) for each in Rows.columns if isinstance(each, OptionalColumn)},
        }  # fmt: skip

    def _optional(self, column: AnyOptional) -> Numbers | None:
        """A column of iterations that is read from the trace; None where no iteration has a number."""
        if column.name not in self._tree.file.about["more"]:
            return None

        def some(iterations: Ints) -> Numbers:
            found = column.filled(len(iterations))
            rows, batch = self._rows_and_batches(iterations)
            for each in np.unique(batch).tolist():
                values = self._batch(each).values[column.name]
                if values is not None:
                    mine = np.flatnonzero(batch == each)
                    found[mine] = values[rows[mine]]
            return found

        return DeferredColumn(self.n_iterations, column.dtype, some).as_array

    def _rows_and_batches(self, iterations: Ints) -> tuple[Ints, Ints]:
        """[k] of iterations, from 0: the row of each in its batch, and the number of that."""
        before, row = self._tree.file["batch_row"], iterations + (1 - self._iterations_whole)
        batch = np.searchsorted(before, row, side="right") - 1
        return row - before[batch], batch

    def _nodes(self) -> Document:
        index, n = self._tree, self._tree.n_nodes
        count = DeferredColumn(
            self.n_iterations + 1, np.int32, lambda t: index.n_nodes_after(t).astype(np.int32)
        )
        no_prior = np.broadcast_to(np.float32(np.nan), n)
        result, action = index.file["result"], index.file["action"]
        outcome = np.append(
            np.float32(np.nan), np.array(index.file.about["result"], np.int32).view(np.float32)
        )
        return {
            "parent": index.parent, "to_move": index.to_move,
            "action": action if action.dtype == np.int32 else DeferredColumn(
                n, np.int32, lambda nodes: action[nodes].astype(np.int32),
                lambda begin, end: action[begin:end].astype(np.int32),
            ),
            "outcome": DeferredColumn(
                n, np.float32, lambda nodes: outcome[result[nodes]], lambda begin, end: outcome[result[begin:end]]
            ),
            "born": index.born, "offset": count,
            "prior": index.file.get("prior", no_prior),
            "label": None, "state": None, "reward": None, "same_as": None,
        }  # fmt: skip

    def _updates(self) -> Document:
        index, n = self._tree, self.n_iterations
        total = int(index.rows_before(np.array([n]))[0])

        def column(which: int, dtype: npt.DTypeLike) -> DeferredColumn:
            return DeferredColumn(
                total, dtype,
                lambda rows: self._some_updates(which, rows),
                lambda begin, end: self._update_span(which, begin, end),
            )  # fmt: skip

        return {
            "offset": DeferredColumn(n + 1, np.int64, index.rows_before, index.offsets),
            "node": column(0, np.int32), "visits": column(1, np.int32), "value": column(2, np.float64),
        }  # fmt: skip

    def _update_span(self, which: int, begin: int, end: int) -> Numbers:
        """One of the columns of the updates, from row `begin` to just before `end`."""
        if begin >= end:
            return np.zeros(0, UPDATE_TYPES[which])
        known = self._last_span  # all three columns, which are asked for one after the other
        if known is None or known[:2] != (begin, end):
            known = begin, end, self._spanned(begin, end)
            if end - begin <= MOST_KEPT:
                self._last_span = known
        return known[2][which]

    def _spanned(self, begin: int, end: int) -> tuple[Numbers, ...]:
        index = self._tree
        after = index.iteration_of_row(begin) - 1
        until = index.iteration_of_row(end - 1)
        start = 0 if after < 0 else int(index.rows_before(np.array([after]))[0])
        firsts = [after, *range(max(after, 0) + SPAN, until, SPAN)]
        parts = [index.updates(first, min(max(first, 0) + SPAN, until)) for first in firsts]
        whole = parts[0] if len(parts) == 1 else [np.concatenate(column) for column in zip(*parts)]
        return tuple(_fixed(column[begin - start : end - start]) for column in whole)

    def _some_updates(self, which: int, rows: Ints) -> Numbers:
        """The same of some rows, those that are near one another together."""
        found = np.empty(len(rows), UPDATE_TYPES[which])
        order = np.argsort(rows, kind="stable")
        far = np.flatnonzero(np.diff(rows[order]) > SPAN) + 1
        for some in np.split(order, far):
            if len(some):
                begin, end = int(rows[some[0]]), int(rows[some[-1]]) + 1
                found[some] = self._update_span(which, begin, end)[rows[some] - begin]
        return found

    def _proofs(self) -> Document:
        file = self._tree.file
        at = file["proven_at"]
        return {
            "node": file["proven_node"], "outcome": file["proven_outcome"], "at": at,
            "offset": DeferredColumn(self.n_iterations + 1, np.int64, lambda t: np.searchsorted(at, t, side="right")),
        }  # fmt: skip

    def proven_by(self, t: int) -> npt.NDArray[np.float32]:
        """[nodes after t iterations] as of all columns; computed when it is read, for a solver's trace."""
        n_nodes = int(self.node_count[t])
        outcome, proven = first_of(self.nodes.outcome, n_nodes), self.proven
        n = int(np.searchsorted(proven.at, t, side="right"))
        if n == 0:
            return outcome
        if not np.diff(self._proven_nodes).all():  # a faulty solver has proven a node twice
            return super().proven_by(t)

        def some(rows: Ints) -> Numbers:
            found = outcome[rows]
            at = np.searchsorted(self._proven_nodes, rows)
            at = np.minimum(at, len(self._proven_nodes) - 1)
            place = self._proven_order[at]
            known = (self._proven_nodes[at] == rows) & (place < n)
            found[known] = proven.outcome[place[known]]
            return found

        return DeferredColumn(n_nodes, np.float32, some).as_array

    @functools.cached_property
    def _proven_order(self) -> Ints:
        return np.argsort(self.proven.node, kind="stable")

    @functools.cached_property
    def _proven_nodes(self) -> npt.NDArray[np.int32]:
        return self.proven.node[self._proven_order]

    # ---- what is not in the index

    def _rollouts(self) -> Document:
        n = self.n_iterations
        moves = self._tree.file["batch_moves"]  # [B + 1] moves before each batch
        return {
            "offset": DeferredColumn(n + 1, np.int64, self._rollout_offsets),
            "action": DeferredColumn(int(moves[-1]), np.int32, self._some_moves, self._moves),
        }  # fmt: skip

    def _batch(self, number: int) -> Rows:
        with self._lock:
            if number not in self._batches:
                while len(self._batches) >= BATCHES_KEPT:
                    self._batches.popitem(last=False)
                self._batches[number] = self._read_batch(number)
            self._batches.move_to_end(number)
            return self._batches[number]

    def _rollout_offsets(self, t: Ints) -> Ints:
        file, (row, batch) = self._tree.file, self._rows_and_batches(t)
        found = np.empty(len(t), np.int64)
        for each in np.unique(batch).tolist():
            mine = np.flatnonzero(batch == each)
            offset = self._batch(each).rollout.offset
            found[mine] = file["batch_moves"][each] + offset[row[mine]]
        return found

    def _moves(self, begin: int, end: int) -> Numbers:
        before = self._tree.file["batch_moves"]
        first, last = (
            np.searchsorted(before, [begin, max(end - 1, begin)], side="right") - 1
        ).tolist()
        parts = [
            self._batch(each).rollout.action
            for each in range(first, min(last, len(before) - 2) + 1)
        ]
        start = int(before[first])
        return np.concatenate([np.zeros(0, np.int32), *parts])[begin - start : end - start]

    def _some_moves(self, rows: Ints) -> Numbers:
        return np.array([self._moves(row, row + 1)[0] for row in rows.tolist()], np.int32)


def _fixed(column: Numbers) -> Numbers:
    """The column, which several may have in hand."""
    column.flags.writeable = False
    return column
