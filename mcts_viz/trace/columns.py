"""A whole trace in memory: flat columns that grow at the end, never change and never move under a
reader.

One writer may append while others read: a row counts only once it is whole. Arrays handed out
earlier stay as they were, for growing makes new ones.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mcts_viz.errors import TraceError
from mcts_viz.trace.asides import Asides, ValueGap
from mcts_viz.trace.format import NodeRows, Rows, UpdateRows
from mcts_viz.trace.groups import (
    AnyColumn,
    Column,
    Group,
)
from mcts_viz.trace.growing import GrowingGroup, GrowingLists
from mcts_viz.trace.growing_updates import AlongPaths, GrowingUpdates
from mcts_viz.trace.metadata_fields import WholeTree
from mcts_viz.trace.node_documents import DocumentEntry, NodeDocument
from mcts_viz.trace.path_updates import PathUpdates, left_of, understood
from mcts_viz.trace.paths import Paths
from mcts_viz.trace.rows import LISTS, split
from mcts_viz.types import Document, Floats, Ints, Numbers, Wholes

if TYPE_CHECKING:
    from mcts_viz.trace.index.shape import IndexedTree
    from mcts_viz.trace.index.told import NodeUpdates
    from mcts_viz.trace.index.tree import TreeIndex

EXACT_BELOW = 2.0**42  # magnitude up to which float64 tells multiples of 1/1024 apart, to be sure


class Columns(Rows):
    """Columns of a trace of T iterations, N nodes and U updates; node 0, the root, is there from
    the start.

    What `Rows` has, of all iterations: `nodes` [N] with the root and the iteration in which each was born, `outcome`
    [T], …; the updates of iteration t, from 1, are rows updates.offset[t − 1] to updates.offset[t] of `updates`.
    Lists that some iterations lack are not `recorded`. asides: their rows
    count from iteration 1; what was told of nodes late is in their columns as well.

    Where the tree before the first iteration was inherited from an earlier search, the first row
    appended holds it: offset[0] of nodes and updates counts what it brought.
    """

    tree: IndexedTree | None  # of a long trace, whose columns are mapped
    # of a long trace whose statistics follow from leaves, and of another one, whose index has all updates by node
    index: TreeIndex | None
    told: NodeUpdates | None

    def __init__(
        self, root_to_move: int, root_outcome: float = np.nan, root_label: str | None = None,
        root_state: str | None = None, inherits: bool = False,
        whole: WholeTree | None = None, root_has_value: bool = True,
    ) -> None:  # fmt: skip
        self.tree = self.index = self.told = None
        self._inherits = inherits  # and the row has not come yet
        self._iterations_whole = 0 if inherits else 1  # the inherited tree is there
        self.whole = whole  # what is known of that tree beside its rows
        self._whole_squares = np.array((whole and whole.square_sums) or (), np.float64)
        self.n_iterations = 0
        self.asides = Asides.none()
        self._root_gap = root_gap(root_has_value)
        self.asides.value_gaps.extend(self._root_gap)
        self._iterations = GrowingGroup(Rows)
        self._lists = {lists.name: GrowingLists(self, lists) for lists in Rows.lists}
        self.growing_updates = GrowingUpdates(self, LISTS["updates"])
        self._lists["updates"] = self.growing_updates
        self._groups = {
            lists.name: lists.group.view(self._lists[lists.name]) for lists in Rows.lists
        }
        self.values = self
        self._documents: dict[int, list[DocumentEntry]] = {}  # by node
        self._exact_sums = True
        self._exact_updates = 0  # how many updates that has been asked of
        self._exact_total = 0.0  # of the magnitudes of their values
        self._paths: tuple[int, Paths] | None = None  # after how many iterations
        nodes = self._lists["nodes"]
        root = NodeRows(
            parent=np.array([-1], np.int32),
            action=np.array([-1], np.int32),
            to_move=np.array([root_to_move], np.int8),
            outcome=np.array([root_outcome], np.float32),
            label=None if root_label is None else [root_label],
            state=None if root_state is None else [root_state],
        )
        nodes.append(root, np.zeros(1, np.int32))
        nodes.begin()

    def __getitem__(self, name: str) -> Any:
        """A list or a column by name."""
        if name in self._groups:
            return self._groups[name]
        return self._iterations.first(name, self.n_iterations)

    def append(self, rows: Rows, paths: PathUpdates | None = None) -> None:
        """Add iterations at the end; the rows' arrays must not change any more. paths: writes out the updates that
        rows leave to be understood, once they are asked for; has taken their nodes."""
        if self._inherits and rows.n:
            self._inherits = False
            tree = split(rows, 0, 1)
            self._inherit(tree if paths is None else paths.written_out(tree))
            rows = split(rows, 1, rows.n)
        n = self.n_iterations
        if not rows.n:  # told after the last iteration
            self.asides.add(rows.asides, n)
            return
        iteration = np.arange(n + 1, n + rows.n + 1, dtype=np.int32)
        lists_left = self._lists
        if paths is not None and (left := left_of(rows)) is not None:
            self.growing_updates.leave(left, paths, n)
            rows = understood(rows, left.told)
            lists_left = {**self._lists}
            del lists_left["updates"]
        for name, lists in lists_left.items():
            self._append_lists(name, lists, rows, iteration)
        self._iterations.append(rows, iteration)
        self.asides.add(rows.asides, n)
        for document in rows.asides.documents:
            self._documents.setdefault(document.node, []).append(document)
        for late in rows.asides.late:
            self._lists["nodes"].set(late.column, late.node, late.value)
        self.n_iterations += rows.n  # last: from here on the rows count
        if self._iterations_whole and n == 0 and rows.n:
            self._check_whole()

    def _append_lists(
        self, name: str, lists: GrowingLists, rows: Rows, iteration: npt.NDArray[np.int32]
    ) -> None:
        group: Group = rows.values[name]
        lists.append_lists(group, iteration)
        if not group.recorded:
            self._groups[name].recorded = False

    def as_rows(self) -> Rows:
        """All of it as rows, to be written again: columns to which these are appended are equal. The tree before the
        first iteration is the first row."""
        inherited = int(self._iterations_whole == 0)
        asides = Asides.none()
        asides.add(self.asides, inherited)
        del asides.value_gaps[: len(self._root_gap)]
        values: Document = {
            column.name: self._with_first(column, inherited) for column in Rows.columns
        }
        for lists in Rows.lists:
            group: Group = self._groups[lists.name]
            if not group.recorded:
                continue
            root = int(lists.name == "nodes")  # which has no row
            offset = group.offset - root
            end = int(group.offset[-1])
            columns = {column.name: group.values[column.name] for column in lists.group.columns}
            values[lists.name] = lists.group(
                np.concatenate([np.zeros(inherited), offset]).astype(np.int32),
                **{
                    name: None if all_ is None else all_[root:end] for name, all_ in columns.items()
                },
            )
        return Rows(asides, **values)

    def _with_first(self, column: AnyColumn, inherited: int) -> Numbers | None:
        """A column of iterations, with a value of the row before the first one, where there is one."""
        found: Numbers | None = self[column.name]
        assert isinstance(column, Column)
        if found is None:
            return None
        if not inherited:
            return np.asarray(found)
        first = 0 if column.fill is None else column.fill
        return np.concatenate([np.array([first], column.dtype), found])

    def player_sums_after(self, t: int) -> Floats | None:
        """[N, P] the sum of values of each node for each of P players after t iterations; None where nodes have one
        value alone."""
        sums, end = self.player_sums, int(self.updates.offset[t])
        if not sums.recorded or not end:
            return None
        table = sums.value[: int(sums.offset[t])].reshape(end, -1)
        last = np.full(int(self.node_count[t]), -1, np.int64)
        last[self.updates.node[:end]] = np.arange(end)
        return np.where(last[:, None] >= 0, table[last], 0.0)

    def sum_for_player(self, node: int, player: int, after: Wholes) -> Floats:
        """[k] the sum of a node's values for one player after k iterations."""
        sums, end = self.player_sums, int(self.updates.offset[-1])
        own = np.flatnonzero(self.updates.node[:end] == node)
        table = sums.value[: int(sums.offset[-1])].reshape(end, -1)
        known = np.append(0.0, table[own, player])
        return np.asarray(known[np.searchsorted(own, self.updates.offset[after])], np.float64)

    def of_player(self, player: int) -> Columns:
        """The same with what each update added to that player's sum in place of its value."""
        end = int(self.updates.offset[-1])
        table = self.player_sums.value[: int(self.player_sums.offset[-1])].reshape(end, -1)
        node, own = self.updates.node[:end], table[:, player]
        order = np.argsort(node, kind="stable")
        ordered = own[order]
        before = np.concatenate([[0.0], ordered[:-1]])
        before[np.flatnonzero(np.diff(node[order], prepend=-1))] = (
            0.0  # of each node's first update
        )
        value = np.empty(end)
        value[order] = ordered - before
        updates = UpdateRows(
            self.updates.offset, node=node, visits=self.updates.visits[:end], value=value
        )
        made = copy.copy(self)
        made.values, made._groups = made, {**self._groups, "updates": updates}
        made._exact_sums = False  # what is known is of the values
        made.index = made.told = None
        return made

    def along_paths(self, after: int, until: int) -> AlongPaths | None:
        """Iterations after + 1 to `until`, see `rows_between`, where they leave all their updates to be understood and
        none of these was written out: what they add is found without them. None: look at the updates."""
        return self.growing_updates.along_paths(after, until)

    def squares(self, rows: slice) -> npt.NDArray[np.float64]:
        """The squares of the values of updates; of those that make a tree as a whole, for each node
        the sum of the squares of all its values, where that is known."""
        squares: npt.NDArray[np.float64] = self.updates.value[rows] ** 2
        if self.whole is not None and self.whole.square_sums is not None:
            n = int(self.updates.offset[self._iterations_whole]) - rows.start
            if n > 0:
                squares[:n] = self._whole_squares[self.updates.node[rows][:n]]
        return squares

    def _check_whole(self) -> None:
        """Raise TraceError where the metadata describe a tree of another size than its rows make."""
        for name, values in () if self.whole is None else self.whole.columns:
            if len(values) != self.n_nodes:
                raise TraceError(
                    f"metadata, whole_tree.{name}: {len(values):,} numbers for a tree of {self.n_nodes:,} nodes; "
                    "correct the program that wrote it"
                )

    def _inherit(self, rows: Rows) -> None:
        """The tree before the first iteration, as one row."""
        for name, lists in self._lists.items():
            self._append_lists(name, lists, rows, np.zeros(1, np.int32))
            lists.begin()
        self._check_whole()

    def join(self, room: float = 1.0) -> None:
        """Let go of the appended arrays: their values are in the columns now. room: how many times
        as many are expected in the end."""
        for group in (self._iterations, *self._lists.values()):
            group.join(room)

    def updates_of(self, after: int, until: int) -> tuple[Ints, Numbers, Numbers, Floats]:
        """How many updates each of iterations after + 1 to `until` has, and their nodes, visits and values."""
        offset = np.asarray(self.updates.offset[after : until + 1], np.int64)
        rows, updates = slice(int(offset[0]), int(offset[-1])), self.updates
        return np.diff(offset), updates.node[rows], updates.visits[rows], updates.value[rows]

    def are_plain(self, after: int, until: int) -> bool:
        """Whether it is known, without a look at the updates, that each of these iterations added one visit to each
        node from the root to its leaf, and nothing else."""
        return False

    @property
    def statistics(self) -> TreeIndex | NodeUpdates | None:
        """Those of some nodes at any iteration, without adding up all updates; None: of a trace in memory."""
        return self.told if self.index is None else self.index

    @property
    def exact_sums(self) -> bool:
        """Whether every sum of values so far is free of rounding, so that it can be undone."""
        end = int(self.updates.offset[-1])
        while self._exact_sums and self._exact_updates < end:
            values, magnitude, row = self.growing_updates.magnitudes(self._exact_updates)
            self._exact_total += magnitude
            self._exact_sums = self._exact_total < EXACT_BELOW and _dyadic(values)
            self._exact_updates = row
        return self._exact_sums

    @property
    def n_nodes(self) -> int:
        """N, the root included."""
        return int(self.node_count[-1])

    @property
    def node_count(self) -> npt.NDArray[np.int32]:
        """[T + 1] nodes after t iterations."""
        return self.nodes.offset

    @property
    def same_as(self) -> npt.NDArray[np.int32] | None:
        """[N] of a further way to a node: that node; −1 for a node of its own, and where that node does not
        exist yet. None: no node is shared."""
        return self.ways_after(self.n_nodes)

    def ways_after(self, n_nodes: int) -> npt.NDArray[np.int32] | None:
        """[n_nodes] the same, while the tree has that many nodes."""
        found = self.nodes.same_as
        if found is None:
            return None
        found = found[:n_nodes]
        return np.where(found < n_nodes, found, np.int32(-1))

    @property
    def paths(self) -> Paths:
        """The way up from any node in any iteration so far."""
        known, n = self._paths, self.n_iterations
        if known is None or known[0] != n:
            updates = self.updates
            known = n, Paths(self.nodes.parent, self.same_as, updates.offset, updates.node)
            self._paths = known
        return known[1]

    def gap(self, node: int) -> tuple[int, int]:
        """The iterations from the first to just before the last in which the search keeps no value for a node that it
        has visited; they are the same where there are none."""
        rows = [each.row + 1 for each in self.asides.value_gaps if each.node == node]
        first, last = (*rows, self.n_iterations + 1)[:2] if rows else (0, 0)
        return first, last

    def without_value(self, t: int) -> npt.NDArray[np.int32]:
        """Ids of the nodes that the search has visited and keeps no value for, after t iterations."""
        gaps = self.asides.value_gaps
        found = {node: is_open for row, node, is_open in gaps if row < max(t, 1)}
        return np.array([node for node, is_open in found.items() if is_open], np.int32)

    def documents(self, node: int, t: int | None = None) -> list[NodeDocument]:
        """The documents of a node after t iterations (all of them), the last one of each name; their contents are not
        read yet."""
        told = self._documents.get(node, ())
        found = {each.name: each for each in told if t is None or each.row < max(t, 1)}
        return [NodeDocument(name, each.kind, each.size, each) for name, each in found.items()]

    def worker_of(self, t: int) -> int | None:
        """The worker that made iteration t; None where it is not recorded."""
        workers = self.worker
        return None if workers is None or workers[t - 1] < 0 else int(workers[t - 1])

    def numbers(self, t: int) -> dict[str, Floats]:
        """[nodes after t iterations] by name, the recorded numbers of nodes beside their statistics; nan: none."""
        n = int(self.node_count[t])
        found: dict[str, Floats] = {}
        for row, node, name, value in self.asides.numbers:
            if row < max(t, 1) and node < n:
                found.setdefault(name, np.full(n, np.nan))[node] = value
        return found

    def proven_by(self, t: int) -> npt.NDArray[np.float32]:
        """[nodes after t iterations] the outcome that each was proven to have by then, finished games
        included, view of player 0; nan: none. Not to be written to."""
        outcome = self.nodes.outcome[: int(self.node_count[t])]
        proven = self.proven
        n = int(np.searchsorted(proven.at, t, side="right"))
        if n == 0:
            return outcome
        outcome = outcome.copy()
        outcome[proven.node[:n]] = proven.outcome[:n]
        return outcome


def root_gap(has_value: bool) -> list[ValueGap]:
    """The gap of a root for which a search keeps no value."""
    return [] if has_value else [ValueGap(0, 0, True)]


def _dyadic(values: Floats) -> bool:
    """Whether all are multiples of 1/1024: sums and differences below 2⁴³ are then exact in
    float64."""
    scaled = values * 1024.0
    return bool(np.all(scaled == np.rint(scaled)))
