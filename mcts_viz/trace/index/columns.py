"""The columns of a trace that has an index: mapped, or computed when they are read, so that they take no memory."""

from __future__ import annotations

import functools

import numpy as np
import numpy.typing as npt

from mcts_viz.trace.deferred import DeferredColumn, by_blocks
from mcts_viz.trace.format import NodeRows, Rows, UpdateRows
from mcts_viz.trace.groups import AnyOptional, OptionalColumn
from mcts_viz.trace.index.filed import FiledColumns, ReadBatch
from mcts_viz.trace.index.plain import LEFT_OUT
from mcts_viz.trace.index.tree import TreeIndex
from mcts_viz.trace.meta import TraceMeta
from mcts_viz.trace.paths import Paths
from mcts_viz.types import Document, Floats, Ints, Numbers

SPAN = 1 << 16  # iterations whose updates are worked out together
MOST_KEPT = 1 << 18  # updates that were worked out last and are kept
UPDATE_TYPES = (np.int32, np.int32, np.float64)  # of node, visits, value


class IndexedColumns(FiledColumns):
    """Columns of a trace whose statistics follow from leaves."""

    def __init__(self, meta: TraceMeta, index: TreeIndex, read_batch: ReadBatch) -> None:
        """read_batch: for what is not in the index."""
        super().__init__(meta, index, read_batch)
        self.index = self._tree = index
        self._plain_paths: Paths | None = None
        self._last_span: tuple[int, int, tuple[Numbers, ...]] | None = None
        self._hold(
            self._of_iterations(),
            {"nodes": (NodeRows, self._nodes()), "updates": (UpdateRows, self._updates())},
        )

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

    def updates_of(self, after: int, until: int) -> tuple[Ints, Numbers, Numbers, Floats]:
        if self.index is None:  # another player's, see `of_player`
            return super().updates_of(after, until)
        return self._tree.updates_of(after, until)

    def are_plain(self, after: int, until: int) -> bool:
        return self.index is not None and not (self._tree.code[after:until] == LEFT_OUT).any()

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

        def outcomes(begin: int, end: int) -> Numbers:
            found = np.full(end - begin, np.nan, np.float32)
            there = np.flatnonzero(result[begin:end])  # of few nodes
            found[there] = outcome[result[begin:end][there]]
            return found

        return {
            "parent": index.parent, "to_move": index.to_move,
            "action": action if action.dtype == np.int32 else DeferredColumn(
                n, np.int32, lambda nodes: action[nodes].astype(np.int32),
                lambda begin, end: action[begin:end].astype(np.int32),
            ),
            "outcome": DeferredColumn(
                n, np.float32, lambda nodes: outcome[result[nodes]], outcomes
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
                lambda rows: by_blocks(rows, dtype, SPAN, functools.partial(self._update_span, which)),
                functools.partial(self._update_span, which),
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


def _fixed(column: Numbers) -> Numbers:
    """The column, which several may have in hand."""
    column.flags.writeable = False
    return column
