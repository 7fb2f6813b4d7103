"""The columns of a long trace, whose file has what its index has not: simulations, texts."""

from __future__ import annotations

import contextlib
import functools
import threading
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from mcts_viz.errors import TraceReplacedError
from mcts_viz.trace.asides import Asides
from mcts_viz.trace.columns import Columns, root_gap
from mcts_viz.trace.deferred import DeferredColumn, first_of
from mcts_viz.trace.format import ProofRows, RolloutRows, Rows
from mcts_viz.trace.groups import Group
from mcts_viz.trace.index.layout import Stamp, stamp_of
from mcts_viz.trace.index.shape import IndexedTree
from mcts_viz.trace.meta import TraceMeta
from mcts_viz.types import Document, Ints, Numbers, ReadDocument

BATCHES_KEPT = 4
ReadBatch = Callable[[int], Rows]  # a batch of the file by its number


class FiledColumns(Columns):
    """Columns of a trace that will not grow any more: those of an index, mapped, and what is read from its file when it
    is asked for."""

    def __init__(self, meta: TraceMeta, tree: IndexedTree, read_batch: ReadBatch) -> None:
        """read_batch: for what is not in the index. The columns are put in by `_hold`."""
        self.tree, self.index, self.told = tree, None, None
        self.whole = meta.whole_tree if meta.inherited is not None else None
        self.n_iterations = tree.n_iterations
        self._whole_squares = np.array((self.whole and self.whole.square_sums) or (), np.float64)
        self._paths = None
        self.asides = Asides.none()
        self._iterations_whole = 0 if meta.inherited is not None else 1
        self._documents = {}
        self._root_gap = root_gap("value of the root" not in meta.not_observed)
        self.asides.value_gaps.extend(self._root_gap)
        self.values = self
        self._file = tree.file
        self._read_batch = read_batch
        self._batches: OrderedDict[int, Rows] = OrderedDict()  # the last ones looked at
        self._lock = threading.Lock()

    def _hold(self, iterations: Document, groups: dict[str, tuple[type[Group], Document]]) -> None:
        """Take the columns of iterations, and of lists; of others there are none. All have nodes and updates."""
        recorded = self._file.about["recorded"]
        groups = {
            **groups, "rollout": (RolloutRows, self._rollouts()), "proven": (ProofRows, self._proofs()),
        }  # fmt: skip
        self._groups = {name: group.view(values) for name, (group, values) in groups.items()}
        for name, group in self._groups.items():
            group.recorded = bool(recorded.get(name, True))
        for lists in Rows.lists:
            none = lists.group.absent(self.n_iterations, np.int64)
            self._groups.setdefault(lists.name, none)
        self._found = iterations

    def __getitem__(self, name: str) -> Numbers:
        source: ReadDocument = self._groups if name in self._groups else self._found
        found: Numbers = source[name]  # or a group
        return found

    @property
    def n_nodes(self) -> int:
        """N, the root included."""
        return self._all_nodes.n_nodes

    @property
    def _all_nodes(self) -> IndexedTree:
        assert self.tree is not None
        return self.tree

    def along_paths(self, after: int, until: int) -> None:
        """The index knows."""

    def join(self, room: float = 1.0) -> None:
        """Nothing waits."""

    def check_unchanged(self, path: Path) -> None:
        """Raise TraceReplacedError where the trace's file is not the one any more that the index was made of."""
        with contextlib.suppress(OSError):
            if stamp_of(path) == Stamp(*self._file.about["stamp"]):
                return
        raise TraceReplacedError(f"{path}: has changed since its index was made; open it again")

    def _rows_and_batches(self, iterations: Ints) -> tuple[Ints, Ints]:
        """[k] of iterations, from 0: the row of each in its batch, and the number of that."""
        before, row = self._file["batch_row"], iterations + (1 - self._iterations_whole)
        batch = np.searchsorted(before, row, side="right") - 1
        return row - before[batch], batch

    def _proofs(self) -> Document:
        file = self._file
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
        moves = self._file["batch_moves"]  # [B + 1] moves before each batch
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
        file, (row, batch) = self._file, self._rows_and_batches(t)
        found = np.empty(len(t), np.int64)
        for each in np.unique(batch).tolist():
            mine = np.flatnonzero(batch == each)
            offset = self._batch(each).rollout.offset
            found[mine] = file["batch_moves"][each] + offset[row[mine]]
        return found

    def _moves(self, begin: int, end: int) -> Numbers:
        before = self._file["batch_moves"]
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
