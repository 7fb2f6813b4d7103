"""Makes the index of a trace whose statistics do not follow from leaves: several visits an iteration, rewards on the
way, values for each player, shared nodes, searches with faults. It has all updates, in the order of the trace and by
node; memory does not grow with their number.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mcts_viz.trace.asides import LateValue
from mcts_viz.trace.depths import new_depths
from mcts_viz.trace.format import OF_ITERATIONS, PATH_VERSION, NodeRows, Rows
from mcts_viz.trace.groups import Column
from mcts_viz.trace.index import told
from mcts_viz.trace.index.few_values import FewValues, by_number
from mcts_viz.trace.index.layout import IndexWriter
from mcts_viz.trace.index.loops import add_up, count, number, run, sort_updates
from mcts_viz.trace.index.plain import NotCoveredError, is_dyadic
from mcts_viz.trace.index.spool import Spool
from mcts_viz.trace.index.survey import Survey
from mcts_viz.trace.index.told import add_by_owner, squares_of
from mcts_viz.trace.memory import pieces
from mcts_viz.trace.meta import TraceMeta
from mcts_viz.trace.path_updates import PathUpdates
from mcts_viz.trace.paths import TakenWays, taken_ways
from mcts_viz.trace.rows import split
from mcts_viz.types import Document, Floats, Numbers

MOST = (1 << 31) - 2  # iterations, nodes and updates
EXACT_BELOW = 2.0**42  # see `Columns.exact_sums`
AT_ONCE = 1 << 18  # nodes, or updates, handled at once
WAYS_AT_ONCE = 1 << 16  # iterations
FEW_VISITS = 127  # of an update, that take a byte
NODES = {
    column.name: column.dtype.newbyteorder("<").str
    for column in NodeRows.columns
    if isinstance(column, Column)
}
TYPES = {
    "leaf": "<i4", "outcome": "<f4", "elapsed": "<i8", **dict.fromkeys(OF_ITERATIONS, "<i4"), "born": "<i4",
    **{f"node_{name}": dtype for name, dtype in NODES.items()},
    "update_offset": "<i8", "update_node": "<i4", "update_visits": "<i4", "update_value": "<f8", "update_code": "<u2",
    "proven_node": "<i4", "proven_outcome": "<f4", "proven_at": "<i4",
    "player_sums": "<f8", "player_outcomes": "<f8", "player_outcomes_offset": "<i8",
}  # fmt: skip
ALWAYS = (
    "leaf", "outcome", "elapsed", "born", "node_parent", "node_action", "node_to_move", "node_outcome",
    "update_offset", "update_node", "update_visits", "update_code", "proven_node", "proven_outcome", "proven_at",
    "player_outcomes_offset",
)  # fmt: skip
# names in the index of what has another one while it is collected
RENAMED = {"node_parent": "parent", "node_action": "action", "node_to_move": "to_move"}
FILLS = {
    column.name: 0 if column.fill is None else column.fill
    for column in (*NodeRows.columns, *Rows.columns)
    if isinstance(column, Column)
}


class Batch(NamedTuple):
    """Where a batch of the trace lies."""

    position: int  # bytes before it
    n_bytes: int
    row: int  # rows before it
    moves: int  # of simulations, before it


class ToldBuilding:
    """An index of all updates in the making."""

    def __init__(self, meta: TraceMeta, part: Path) -> None:
        """part: its file. Raises NotCoveredError, OSError."""
        if meta.is_snapshot:
            raise NotCoveredError("it has no iterations")
        self._meta, self._part = meta, part
        self._inherits = self._tree_is_due = meta.inherited is not None
        self.row, self.n_nodes = 0, 1  # rows and nodes taken
        # iterations, updates, outcomes for players
        self._n, self._n_updates, self._n_outcomes = 0, 0, 0
        self._batches: list[Batch] = []
        self._with_asides: list[int] = []  # batches
        self._late: list[LateValue] = []
        self._moves = 0  # of simulations
        self._visits = (1, 1)  # least and most of an update
        self._magnitude, self._is_dyadic = 0.0, True  # of values
        # of the lists that may be missing: whether all rows have them
        self._recorded = {lists.name: True for lists in Rows.lists if lists.nullable}
        self._texts = {"label": meta.root.label is not None, "state": meta.root.state is not None}
        self._few: FewValues | None = FewValues()
        self._paths: PathUpdates | None = None
        if meta.format_version >= PATH_VERSION:
            self._paths = PathUpdates(meta.root.to_move, meta.n_players)
        self.index: IndexWriter | None = None
        self._spool = Spool(part, TYPES)
        for name in ALWAYS:
            self._spool.begin(name)
        root = meta.root
        self._extend("born", np.zeros(1))
        self._extend("node_parent", np.full(1, -1))
        self._extend("node_action", np.full(1, -1))
        self._extend("node_to_move", np.full(1, root.to_move))
        self._extend("node_outcome", np.full(1, np.nan if root.outcome is None else root.outcome))
        if not self._inherits:
            self._begin()

    def remove(self) -> None:
        """There will be no such index."""
        self._spool.remove()
        if self.index is not None:
            self.index.remove()

    @property
    def size(self) -> Survey:
        """What was taken."""
        return Survey(self.row, self.n_nodes)

    # ---- what stands in the rows

    def take(self, rows: Rows, position: int, n_bytes: int) -> None:
        """The next batch as it stands in the file, which lies there. Raises NotCoveredError, OSError."""
        if any(any(kind) for kind in rows.asides):
            self._with_asides.append(len(self._batches))
            self._late += rows.asides.late
        self._batches.append(Batch(position, n_bytes, self.row, self._moves))
        self.row += rows.n
        self._moves += len(rows.rollout)
        if self._paths is not None:
            self._paths.take(rows.nodes)
            self._check(self._paths.count(rows))
            rows = self._paths.written_out(rows)
        if self._tree_is_due and rows.n:
            self._tree_is_due = False
            tree = split(rows, 0, 1)
            self._take_lists(tree, np.zeros(1, np.int32))
            self._begin()
            rows = split(rows, 1, rows.n)
        if not rows.n:
            return
        before, outcomes_before = self._n_updates, self._n_outcomes
        self._take_lists(rows, np.arange(self._n + 1, self._n + rows.n + 1, dtype=np.int32))
        self._extend("update_offset", rows.updates.offset[1:].astype(np.int64) + before)
        for name in ("leaf", "outcome", "elapsed"):
            self._extend(name, rows.values[name])
        for name in OF_ITERATIONS:
            self._extend_optional(name, rows.values[name], self._n, rows.n)
        of_players = rows.player_outcomes.offset[1:].astype(np.int64) + outcomes_before
        self._extend("player_outcomes_offset", of_players)
        self._n += rows.n
        self._check(0)

    def _check(self, more: int) -> None:
        """more: updates that are not taken yet. Raises NotCoveredError."""
        if max(self._n, self.n_nodes, self._n_updates + more) > MOST:
            raise NotCoveredError(f"it has more than {MOST:,} iterations, nodes or updates")

    def _begin(self) -> None:
        """What was taken so far is there before the first iteration."""
        self._n_inherited = self.n_nodes
        self._extend("update_offset", np.full(1, self._n_updates))
        self._extend("player_outcomes_offset", np.full(1, self._n_outcomes))

    def _extend(self, name: str, values: Numbers) -> None:
        self._spool.extend(name, values)

    def _extend_optional(self, name: str, values: Numbers | None, before: int, n: int) -> None:
        """Append n numbers, or None, to a column that begins with the first one that is not missing."""
        fill = FILLS[name.removeprefix("node_")]
        if values is None or name not in self._spool:
            is_missing = values is None or bool(
                np.all(np.isnan(values) if np.isnan(fill) else values == fill)
            )
            if is_missing and name not in self._spool:
                return
            if name not in self._spool:
                self._spool.begin(name, before, fill)
        self._extend(name, np.full(n, fill) if values is None else values)

    def _take_lists(self, rows: Rows, iteration: npt.NDArray[np.int32]) -> None:
        """The lists of rows: nodes, updates, what was proven, values of players."""
        nodes, updates = rows.nodes, rows.updates
        self._extend("born", np.repeat(iteration, np.diff(nodes.offset)))
        for name in NODES:
            if f"node_{name}" in ALWAYS:
                self._extend(f"node_{name}", nodes.values[name])
            else:
                values = nodes.values[name]
                self._extend_optional(f"node_{name}", values, self.n_nodes, len(nodes))
        for name in self._texts:
            self._texts[name] |= nodes.values[name] is not None
        self.n_nodes += len(nodes)
        self._take_updates(updates.node, updates.visits, updates.value)
        for name in self._recorded:
            self._recorded[name] &= rows.values[name].recorded
        self._extend("proven_node", rows.proven.node)
        self._extend("proven_outcome", rows.proven.outcome)
        self._extend("proven_at", np.repeat(iteration, np.diff(rows.proven.offset)))
        for name in ("player_sums", "player_outcomes"):
            if len(rows.values[name]):
                if name not in self._spool:
                    self._spool.begin(name)
                self._extend(name, rows.values[name].value)
        self._n_outcomes += len(rows.player_outcomes)

    def _take_updates(self, node: Numbers, visits: Numbers, value: Floats) -> None:
        self._extend("update_node", node)
        self._extend("update_visits", visits)
        self._take_values(value)
        self._n_updates += len(node)
        least, most = self._visits
        self._visits = min(least, int(visits.min(initial=1))), max(most, int(visits.max(initial=1)))
        if self._is_dyadic:
            with np.errstate(over="ignore"):
                self._magnitude += float(np.abs(value).sum())
            self._is_dyadic = is_dyadic(value) and self._magnitude < EXACT_BELOW

    def _take_values(self, value: Floats) -> None:
        """Of updates; by their numbers as long as they are few different ones."""
        code = None if self._few is None else self._few.of(value)
        if code is not None:
            self._extend("update_code", code)
            return
        if self._few is not None:
            values, self._few = self._few.values, None
            self._spool.begin("update_value")
            for part in self._spool.parts("update_code"):
                self._extend("update_value", values[part])
            self._spool.drop("update_code")
        self._extend("update_value", value)

    # ---- what follows from it

    def sort(self) -> Document:
        """Fill the columns that are in the order of the tree, and give what the head says. Raises NotCoveredError,
        OSError."""
        if self._n < 1:
            raise NotCoveredError("it has no iterations")
        whole = self._meta.whole_tree if self._inherits else None
        for name, values in () if whole is None else whole.columns:
            if len(values) != self._n_inherited:
                raise NotCoveredError(f"its metadata describe another tree by whole_tree.{name}")
        columns = self._placed()
        self._set_late(columns)
        self._number(columns)
        self._sort_updates(columns)
        self._add_ways(columns)
        at, length, row, moves = np.array(self._batches, np.int64).reshape(-1, 4).transpose()
        columns.add("batch_at", at)
        columns.add("batch_length", length)
        columns.add("batch_row", row)
        columns.add("batch_moves", np.append(moves, self._moves))
        columns.add("batch_asides", np.array(self._with_asides, np.int32))
        return {
            "n_iterations": self._n, "n_nodes": self.n_nodes, "end": int(at[-1] + length[-1]),
            "inherits": self._inherits, "recorded": self._recorded, "texts": self._texts, "every": told.EVERY,
            "is_exact": self._is_dyadic, "n_updates": self._n_updates,
        }  # fmt: skip

    def _placed(self) -> IndexWriter:
        """The file of the index with the columns of the trace in it, and room for those that follow from them."""
        for late in self._late:
            name = f"node_{late.column}"
            if late.column in self._texts:
                self._texts[late.column] = True
            elif name not in self._spool:
                self._spool.begin(name, self.n_nodes, FILLS[late.column])
        for name in ("player_sums", "player_outcomes"):
            if name in self._spool and not self._recorded[name]:
                self._spool.drop(name)
        if self._visits == (1, 1):
            self._spool.drop("update_visits")
        n_nodes, n_updates = self.n_nodes, self._n_updates
        n_knots = n_updates // told.EVERY + 1
        collected = {name: RENAMED.get(name, name) for name in self._spool.names}
        types = {into: self._spool.column(name) for name, into in collected.items()}
        if "update_visits" in types and max(map(abs, self._visits)) <= FEW_VISITS:
            types["update_visits"] = ("|i1", n_updates)
        values = None if self._few is None else self._few.values
        if values is not None and len(values) <= 1 << 8:
            types["update_code"] = ("|u1", n_updates)
        self.index = columns = IndexWriter(self._part, {
            **types, **dict.fromkeys(("depth", "place", "node", "size"), ("<i4", n_nodes)),
            "first": ("<i8", n_nodes + 1), "rows": ("<i4", n_updates), "knot_values": ("<f8", n_knots),
            **({"knot_visits": ("<i4", n_knots), "visits": ("<i4", n_nodes)} if "update_visits" in types else {}),
            **({"knot_squares": ("<f8", n_knots)} if self._meta.keeps_squares else {}),
        })  # fmt: skip
        for name in columns.names:
            columns.reserve(name, len(columns[name]))
        for name, into in collected.items():
            self._spool.move(name, columns[into])
        if values is not None:
            columns.add("values", values)
        self._value = (
            columns["update_value"] if values is None else by_number(columns["update_code"], values)
        )
        return columns

    def _set_late(self, columns: IndexWriter) -> None:
        """Values that nodes did not have yet when they were made."""
        for late in self._late:
            if late.column not in self._texts:
                name = f"node_{late.column}"
                columns[RENAMED.get(name, name)][late.node] = late.value

    def _number(self, columns: IndexWriter) -> None:
        """Number the nodes in preorder."""
        parent, depth = columns["parent"], columns["depth"]
        for nodes in pieces(self.n_nodes, AT_ONCE):
            first = max(nodes.start, 1)
            depth[first : nodes.stop] = new_depths(parent[first : nodes.stop], depth[:first])
        size, following = np.ones(self.n_nodes, np.int32), np.empty(self.n_nodes, np.int32)
        run(add_up, parent, size)
        run(number, parent, size, columns["place"], following, columns["node"], columns["size"])

    def _sort_updates(self, columns: IndexWriter) -> None:
        """Sort the updates by node, and add them up to every so-many-th one."""
        node, first, rows = columns["update_node"], columns["first"], columns["rows"]
        n = np.zeros(self.n_nodes, np.int32)
        run(count, node, n)
        np.cumsum(n, out=first[1:])
        cursor = n
        cursor[:] = first[:-1]
        run(sort_updates, node, cursor, rows)
        add_by_owner(rows, first, lambda some: self._value[some], columns["knot_values"])
        if "knot_visits" in columns:
            visits = columns["update_visits"]
            add_by_owner(rows, first, lambda some: visits[some], columns["knot_visits"])
            for some in pieces(len(node), AT_ONCE):
                np.add.at(columns["visits"], node[some], visits[some].astype(np.int32))
        if "knot_squares" in columns:
            add_by_owner(rows, first, self._squares(columns), columns["knot_squares"])

    def _add_ways(self, columns: IndexWriter) -> None:
        """Add which further ways to shared nodes iterations took."""
        if "node_same_as" not in columns:
            return
        offset, node = columns["update_offset"], columns["update_node"]
        to = columns["node_same_as"]
        to = np.where(to < self.n_nodes, to, np.int32(-1))  # as `Columns.ways_after`
        ends = [0, *offset[WAYS_AT_ONCE:-1:WAYS_AT_ONCE].tolist(), self._n_updates]

        def some() -> Iterator[TakenWays]:
            for begin, end in itertools.pairwise(ends):
                yield taken_ways(to, offset, node, self.n_nodes, slice(begin, end))

        columns.add_parts("way_keys", np.int64, (each.keys for each in some()))
        columns.add_parts("way_rows", np.int32, (each.rows for each in some()))

    def _squares(self, columns: IndexWriter) -> Callable[[npt.NDArray[np.int32]], Floats]:
        """The squares of updates; of those of the inherited tree what is known of it, see `Columns.squares`."""
        whole, known = self._meta.whole_tree, np.zeros(0)
        if self._inherits and whole is not None and whole.square_sums is not None:
            of_nodes = np.array(whole.square_sums, np.float64)
            known = of_nodes[columns["update_node"][: int(columns["update_offset"][0])]]
        return lambda rows: squares_of(rows, self._value[rows], known)
