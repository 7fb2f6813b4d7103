"""The columns of a long trace whose index has all its updates: mapped, so that they take no memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload

import numpy as np

from mcts_viz.trace.deferred import DeferredColumn
from mcts_viz.trace.format import NodeRows, PlayerRows, Rows, UpdateRows
from mcts_viz.trace.groups import Column, Group, OptionalColumn
from mcts_viz.trace.index.few_values import by_number
from mcts_viz.trace.index.filed import FiledColumns, ReadBatch
from mcts_viz.trace.index.shape import IndexedTree
from mcts_viz.trace.index.told import NodeUpdates
from mcts_viz.trace.memory import pieces
from mcts_viz.trace.meta import TraceMeta
from mcts_viz.trace.paths import Paths, TakenWays
from mcts_viz.types import Document, Floats, Wholes

AT_ONCE = 1 << 18  # nodes handled at once


class ToldColumns(FiledColumns):
    """Columns of a trace that will not grow any more."""

    def __init__(self, meta: TraceMeta, tree: IndexedTree, read_batch: ReadBatch) -> None:
        """read_batch: for what is not in the index."""
        super().__init__(meta, tree, read_batch)
        for number in self._file["batch_asides"].tolist():
            self._take_asides(number)
        updates = self._updates(int(self._file.about["n_updates"]))
        groups: dict[str, tuple[type[Group], Document]] = {
            "nodes": (NodeRows, self._nodes(meta)), "updates": (UpdateRows, updates),
        }  # fmt: skip
        n_players, recorded = meta.n_players, self._file.about["recorded"]
        if recorded["player_sums"]:
            groups["player_sums"] = PlayerRows, self._player_sums(n_players)
        if recorded["player_outcomes"]:
            groups["player_outcomes"] = PlayerRows, {
                "offset": self._file["player_outcomes_offset"],
                "value": self._file.get("player_outcomes", np.zeros(0)),
            }  # fmt: skip
        self._hold(self._of_iterations(), groups)
        inherited = self._whole_squares
        if len(inherited):
            inherited = inherited[self.updates.node[: int(self.updates.offset[0])]]
        self.told = NodeUpdates(self._file, tree, self.updates, inherited)

    def _take_asides(self, number: int) -> None:
        """What a batch tells beside its columns."""
        rows = self._batch(number)
        before = int(self._file["batch_row"][number]) + self._iterations_whole - 1
        self.asides.add(rows.asides, before)
        for document in rows.asides.documents:
            self._documents.setdefault(document.node, []).append(document)

    def _of_iterations(self) -> Document:
        found: Document = {name: self._file[name] for name in ("leaf", "outcome", "elapsed")}
        for column in Rows.columns:
            if isinstance(column, OptionalColumn):
                found[column.name] = self._file.find(column.name)
        return found

    def _nodes(self, meta: TraceMeta) -> Document:
        tree, file = self._all_nodes, self._file
        found: Document = {
            "parent": tree.parent, "action": file["action"], "to_move": tree.to_move, "born": tree.born,
            "offset": DeferredColumn(
                self.n_iterations + 1, np.int32, lambda t: tree.n_nodes_after(t).astype(np.int32)
            ),
        }  # fmt: skip
        for column in NodeRows.columns:
            if isinstance(column, OptionalColumn):
                found[column.name] = self._file.find(f"node_{column.name}")
            elif isinstance(column, Column) and column.name not in found:
                none = np.broadcast_to(column.dtype.type(column.fill or 0), tree.n_nodes)
                found[column.name] = file.get(f"node_{column.name}", none)
        for name, of_root in (("label", meta.root.label), ("state", meta.root.state)):
            there = self._file.about["texts"][name]
            found[name] = FiledTexts(self, name, of_root) if there else None
        return found

    def _updates(self, n: int) -> Document:
        visits = self._file.get("update_visits", np.broadcast_to(np.int32(1), n))
        if visits.dtype != np.int32:
            few = visits
            visits = DeferredColumn(
                n, np.int32, lambda rows: few[rows].astype(np.int32),
                lambda begin, end: few[begin:end].astype(np.int32),
            ).as_array  # fmt: skip
        value = self._file.find("update_value")
        if value is None:
            value = by_number(self._file["update_code"], self._file["values"])
        return {
            "offset": self._file["update_offset"], "node": self._file["update_node"], "visits": visits,
            "value": value,
        }  # fmt: skip

    def _player_sums(self, n_players: int) -> Document:
        offset = self._file["update_offset"]
        return {
            "offset": DeferredColumn(
                len(offset), np.int64, lambda t: offset[t] * n_players,
                lambda begin, end: offset[begin:end] * n_players,
            ),
            "value": self._file.get("player_sums", np.zeros(0)),
        }  # fmt: skip

    @property
    def exact_sums(self) -> bool:
        """Whether every sum of values is free of rounding."""
        return bool(self._file.about["is_exact"])

    @property
    def paths(self) -> Paths:
        """The way up from any node in any iteration."""
        if self._paths is None:
            ways = None
            if "way_keys" in self._file:
                ways = TakenWays(self._file["way_keys"], self._file["way_rows"])
            updates = self.updates
            whole = Paths(self.nodes.parent, self.same_as, updates.offset, updates.node, ways)
            self._paths = self.n_iterations, whole
        return self._paths[1]

    # ---- by node

    def player_sums_after(self, t: int) -> Floats | None:
        """As of all columns; the nodes' last updates alone are looked at."""
        if self.told is None or not self.player_sums.recorded or not int(self.updates.offset[t]):
            return None if self.told is not None else super().player_sums_after(t)
        n_nodes = int(self.node_count[t])
        table = self.player_sums.value.reshape(len(self.updates), -1)
        found = np.zeros((n_nodes, table.shape[1]))
        for nodes in pieces(n_nodes, AT_ONCE):
            last = self.told.last_rows(np.arange(nodes.start, nodes.stop), t)
            there = last >= 0
            found[nodes][there] = table[last[there]]
        return found

    def sum_for_player(self, node: int, player: int, after: Wholes) -> Floats:
        """As of all columns."""
        if self.told is None:
            return super().sum_for_player(node, player, after)
        own = self.told.rows(node, -1, self.n_iterations)
        table = self.player_sums.value.reshape(len(self.updates), -1)
        known = np.append(0.0, table[own, player])
        return np.asarray(known[np.searchsorted(own, self.updates.offset[after])], np.float64)

    # ---- texts

    def batch_of_node(self, node: int) -> tuple[int, int]:
        """The number of the batch that made a node, and the node's place among those it made."""
        born = int(self._all_nodes.born[node])
        inherited = 1 - self._iterations_whole
        row = born - 1 + inherited if born else 0
        number = int(np.searchsorted(self._file["batch_row"], row, side="right")) - 1
        before = int(self._file["batch_row"][number])
        first = int(self.node_count[before - inherited]) if before else 1
        return number, node - first

    def texts_of(self, number: int, name: str) -> Sequence[str | None] | None:
        """The texts of one kind of the nodes that a batch made; None: they have none."""
        found: Sequence[str | None] | None = self._batch(number).nodes.values[name]
        return found


class FiledTexts(Sequence[str | None]):
    """[N] texts of nodes, each of which is read from the trace's file when it is asked for."""

    def __init__(self, columns: ToldColumns, name: str, of_root: str | None) -> None:
        self._columns, self._name = columns, name
        self._known = {0: of_root}
        for late in columns.asides.late:
            if late.column == name:
                self._known[late.node] = str(late.value)

    def __len__(self) -> int:
        return self._columns.n_nodes

    @overload
    def __getitem__(self, key: int) -> str | None: ...
    @overload
    def __getitem__(self, key: slice) -> list[str | None]: ...
    def __getitem__(self, key: int | slice) -> str | list[str | None] | None:
        if isinstance(key, slice):
            return [self._of(node) for node in range(*key.indices(len(self)))]
        node = int(key) + (len(self) if key < 0 else 0)
        if not 0 <= node < len(self):
            raise IndexError(f"node {key} of {len(self)}")
        return self._of(node)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and [*self] == [*other]

    __hash__ = None  # type: ignore[assignment]  # as a list

    def __iter__(self) -> Iterator[str | None]:
        return (self._of(node) for node in range(len(self)))

    def _of(self, node: int) -> str | None:
        if node in self._known:
            return self._known[node]
        number, place = self._columns.batch_of_node(node)
        texts = self._columns.texts_of(number, self._name)
        return None if texts is None else texts[place]
