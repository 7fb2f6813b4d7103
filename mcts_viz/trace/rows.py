"""Rows taken apart and put together, and how they come to be: from a search in Python, number by number, or from a
whole tree.

Everything follows from the table in `format.py`. Knows rows, not where they come from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from mcts_viz.trace.asides import (
    Asides,
    LateValue,
    Miss,
    NodeNumber,
    PlayedMove,
    Remark,
    StateChange,
    ValueGap,
)
from mcts_viz.trace.format import Rows
from mcts_viz.trace.groups import AnyGroup, Column, Group, Text, Texts
from mcts_viz.trace.node_documents import document_entry
from mcts_viz.types import Document, Floats, Ints, ReadDocument

FLOAT32 = 3.4028235e38  # the greatest there is
LISTS = {lists.name: lists for lists in Rows.lists}
# numbers that every row of a list has; the others may be missing
CORE = {
    name: [each for each in lists.group.columns if isinstance(each, Column) and each.fill is None]
    for name, lists in LISTS.items()
}

TO_MOVE = [column.name for column in CORE["nodes"]].index("to_move")


def split(rows: Rows, first: int, last: int) -> Rows:
    """The rows from `first` to just before `last`."""
    parts = _part(rows, first, last)
    for name in LISTS:
        parts[name] = part(rows.values[name], first, last)
    return Rows(rows.asides.between(first, last), **parts)


def part(lists: AnyGroup, first: int, last: int) -> AnyGroup:
    """The lists of the rows from `first` to just before `last`."""
    offset = lists.offset[first : last + 1]
    values = _part(lists, int(offset[0]), int(offset[-1]))
    return type(lists)(offset - offset[0], lists.recorded, **values)


def _part(group: Group, begin: int, end: int) -> Document:
    return {
        column.name: None if (values := group.values[column.name]) is None else values[begin:end]
        for column in group.columns
    }


def joined(parts: Sequence[Rows]) -> Rows:
    """Several rows after one another as one."""
    if len(parts) == 1:
        return parts[0]
    there = [part for part in parts if part.n] or parts[:1]  # others bring asides alone
    whole = _joined_columns(there)
    for name, lists in LISTS.items():
        groups: list[Group] = [part.values[name] for part in there]
        ends = np.cumsum([0] + [int(group.offset[-1]) for group in groups])
        shifted = [group.offset[1:] + end for group, end in zip(groups, ends)]
        whole[name] = lists.group(
            np.concatenate([groups[0].offset[:1], *shifted]).astype(np.int32),
            all(group.recorded for group in groups),
            **_joined_columns(groups),
        )
    asides = Asides.none()
    first = 0
    for part in parts:
        asides.add(part.asides, first)
        first += part.n
    return Rows(asides, **whole)


def _joined_columns(groups: Sequence[Group]) -> Document:
    whole: Document = {}
    for column in groups[0].columns:
        values = [group.values[column.name] for group in groups]
        if all(each is None for each in values):
            continue
        if isinstance(column, Column):
            parts = [
                column.filled(len(group)) if each is None else each
                for group, each in zip(groups, values)
            ]
            whole[column.name] = np.concatenate(parts)
        else:
            texts: Texts = []
            for group, each in zip(groups, values):
                texts.extend([None] * len(group) if each is None else each)
            whole[column.name] = texts
    return whole


def tree_rows(
    nodes: ReadDocument,
    visits: npt.NDArray[np.int32],
    value_sum: Floats,
    proven: npt.NDArray[np.float32] | None = None,
    rollouts: bool = False,
    order: Ints | None = None,
    player_sums: Floats | None = None,
) -> Rows:
    """One row that makes a tree of N nodes with all its statistics.

    nodes: columns by name, each from the root on, which has no row. proven: [N] outcome of each node that a solver has
    proven, or that ended the game, view of player 0; None: no solver. rollouts: whether the trace records them.
    order: [N] the nodes below the root in the order of their updates; None: by id. player_sums: [N, P] for each player;
    None: not recorded.
    """
    has_statistics = (visits != 0) | (value_sum != 0)
    if player_sums is not None:
        has_statistics |= (player_sums != 0).any(axis=1)
    updated = np.flatnonzero(has_statistics)
    if order is not None:
        below = order[(order > 0) & np.isin(order, updated)]
        updated = np.concatenate([updated[updated == 0], below])
    lists: Document = {}
    if proven is not None:
        by_solver = np.flatnonzero(~np.isnan(proven) & np.isnan(nodes["outcome"]))
        lists["proven"] = LISTS["proven"].group(
            np.array([0, len(by_solver)], np.int32),
            node=by_solver.astype(np.int32),
            outcome=proven[by_solver],
        )
    if player_sums is not None:
        sums = player_sums[updated].ravel()
        lists["player_sums"] = LISTS["player_sums"].group(
            np.array([0, len(sums)], np.int32), value=sums
        )
    if rollouts:
        lists["rollout"] = LISTS["rollout"].group(
            np.zeros(2, np.int32), action=np.zeros(0, np.int32)
        )
    return Rows(
        nodes=LISTS["nodes"].group(
            np.array([0, len(visits) - 1], np.int32),
            **{name: None if column is None else column[1:] for name, column in nodes.items()},
        ),
        leaf=np.zeros(1, np.int32),
        updates=LISTS["updates"].group(
            np.array([0, len(updated)], np.int32),
            node=updated.astype(np.int32),
            visits=visits[updated],
            value=value_sum[updated],
        ),
        elapsed=np.zeros(1, np.int64),
        **lists,
    )


class RowLog:
    """Rows as a search in Python makes them; the iterations since the last `take`.

    Python lists, for appending one number to an array costs more than a whole iteration of a quick search. Those of
    the lists of a row hold the columns without missing values side by side: parent, action, to_move; parent, action,
    to_move; … They are there to be appended to. An iteration counts once `end_iteration` was called.
    """

    nodes: list[Any]  # parent, action, to_move
    updates: list[Any]  # node, visits, value
    rollout: list[Any]  # action
    proven: list[Any]  # node, outcome
    player_sums: list[Any]  # one for each player, of each update
    player_outcomes: list[Any]  # one for each player

    def __init__(self, recorded: Sequence[str] = ()) -> None:
        """recorded: which of the lists that may be missing are there."""
        self.recorded = set(recorded)
        self._first_node = 1  # id of the first node there is a row of; the root has none
        self._clear()

    def _clear(self) -> None:
        self._lists: list[list[Any]] = [[] for _ in LISTS]
        for name, values in zip(LISTS, self._lists):
            setattr(self, name, values)
        # columns with missing values, each up to the last row that has one
        self._of_node: dict[str, list[Any]] = {}
        self._of_iteration: dict[str, list[Any]] = {}
        self._iterations: list[int] = []  # leaf, elapsed; leaf, elapsed; …
        self._ends: list[int] = []  # how long each of the lists was after each iteration
        self.asides = Asides.none()

    def __len__(self) -> int:
        return len(self._iterations) // 2

    @property
    def n_nodes(self) -> int:
        """Nodes that were appended."""
        return len(self.nodes) // len(CORE["nodes"])

    def add_to_node(self, column: str, value: Any) -> None:
        """A value that the node appended last has; those without are missing."""
        _put(self._of_node, column, self.n_nodes - 1, value)

    def change_state(self, node: int, state: str) -> None:
        """The position of a node was seen to be another one than before."""
        self.asides.changed_states.append(StateChange(len(self), node, state))

    def tell_late(self, node: int, column: str, value: float | str) -> None:
        """A value that the node did not have when it was made."""
        place = node - self._first_node
        if place < 0:
            self.asides.late.append(LateValue(len(self), node, column, value))
        elif column == "to_move":
            self.nodes[place * len(CORE["nodes"]) + TO_MOVE] = value
        else:
            _put(self._of_node, column, place, value)

    def tell_number(self, node: int, name: str, value: float) -> None:
        """A number of the node beside its statistics: tokens, cost, a judge's score."""
        self.asides.numbers.append(NodeNumber(len(self), node, name, float(value)))

    def add_document(
        self, node: int, name: str, kind: str, content: str | bytes, size: int | None = None
    ) -> None:
        """A document of the node; its full size in bytes, where content is only its beginning. Raises TraceError for
        an unknown kind."""
        entry = document_entry(len(self), node, name, kind, content)
        self.asides.documents.append(entry._replace(size=max(size or 0, entry.size)))

    def tell_miss(
        self, node: int, child: int, best: int, score: float | None, best_score: float | None
    ) -> None:
        """A choice at the node that the author's own scores do not explain; a score of None is infinite."""
        self.asides.misses.append(Miss(len(self), node, child, best, score, best_score))

    def remark(self, node: int, text: str) -> None:
        """Add a note for the reader of the trace, about the node."""
        self.asides.remarks.append(Remark(len(self), node, text))

    def tell_played(self, node: int, action: int, is_whole: bool = True) -> None:
        """The move played at a node after the last iteration, which has ended, or has not yet."""
        self.asides.played[:] = [PlayedMove(len(self) - is_whole, node, action)]

    def open_gap(self, node: int, is_open: bool) -> None:
        """From this iteration on a node has no value, or it has one."""
        self.asides.value_gaps.append(ValueGap(len(self), node, is_open))

    def tell_iteration(self, column: str, value: float) -> None:
        """A value of the iteration that has not ended yet; those without are missing."""
        _put(self._of_iteration, column, len(self), value)

    def end_iteration(self, leaf: int, elapsed: int, **more: Any) -> None:
        """What was appended since the last call is one iteration; `more`: columns that may be missing."""
        for column, value in more.items():
            self.tell_iteration(column, value)
        self._iterations += (leaf, elapsed)
        self._ends += map(len, self._lists)

    def forget_unfinished(self) -> None:
        """Drop what was appended since the last whole iteration."""
        for values, end in zip(self._lists, self._ends[-len(LISTS) :] or [0] * len(LISTS)):
            del values[end:]
        for column in self._of_node.values():
            del column[self.n_nodes :]
        for column in self._of_iteration.values():
            del column[len(self) :]
        self.asides = self.asides.between(0, len(self))

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to take."""
        return not len(self) and not self.asides.played

    def take(self) -> Rows:
        """The whole iterations as rows; the log is empty afterwards."""
        ends = np.array([0] * len(LISTS) + self._ends, np.int64).reshape(-1, len(LISTS))
        lists: dict[str, Group] = {}
        for (name, field), values, end in zip(LISTS.items(), self._lists, ends.T):
            core = CORE[name]
            if field.nullable and name not in self.recorded:
                continue
            columns: Document = {
                column.name: np.array(values[place :: len(core)], column.dtype)
                for place, column in enumerate(core)
            }
            if name == "nodes":
                columns |= _filled(field.group, self._of_node, self.n_nodes)
            lists[name] = field.group((end // len(core)).astype(np.int32), **columns)
        rows = Rows(
            self.asides,
            leaf=np.array(self._iterations[0::2], np.int32),
            elapsed=np.array(self._iterations[1::2], np.int64),
            **_filled(Rows, self._of_iteration, len(self)),
            **lists,
        )
        self._first_node += self.n_nodes
        self._clear()
        return rows


def _put(columns: dict[str, list[Any]], name: str, row: int, value: Any) -> None:
    column = columns.setdefault(name, [])
    if row < len(column):
        column[row] = value
        return
    column += [None] * (row - len(column))
    column.append(value)


def _filled(group: type[Group], columns: Mapping[str, list[Any]], n: int) -> Document:
    """The columns to their full length, as arrays and lists of texts; those without values are left out."""
    found: Document = {}
    for column in group.columns:
        values = columns.get(column.name, [])
        if all(value is None for value in values):
            continue
        values = values + [None] * (n - len(values))
        if isinstance(column, Text):
            found[column.name] = values
        else:
            fill = column.fill
            found[column.name] = np.array(
                [fill if value is None else value for value in values], column.dtype
            )
    return found
