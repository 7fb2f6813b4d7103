"""Many events at once: the short way for those that are as most are, numbers without texts.

Arrow reads a block of lines into columns, and what `events.py` asks of each event by itself is asked of all of
them together. A block in which anything is otherwise is left to `events.py` as a whole, which knows what is meant
or says what is wrong: whatever is taken here, it would have taken just so.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.json

from mcts_viz.importing.event_types import INT32
from mcts_viz.trace.format import NodeRows, RolloutRows, Rows, UpdateRows
from mcts_viz.trace.players import UNKNOWN
from mcts_viz.trace.rows import FLOAT32
from mcts_viz.types import Document, Numbers

LEAST = 64  # lines; fewer are read as fast one by one
MOST = 4_096  # lines
MISSES = 3  # after this many blocks in a row that had to be read line by line, no other is tried
WHOLE, NUMBER = pa.int64(), pa.float64()
NODE = pa.struct({"parent": WHOLE, "action": WHOLE, "to_move": WHOLE, "outcome": NUMBER})
UPDATE = pa.struct({"node": WHOLE, "visits": WHOLE, "value": NUMBER})
FIELDS = {
    "new_nodes": pa.list_(NODE),
    "leaf": WHOLE,
    "updates": pa.list_(UPDATE),
    "outcome": NUMBER,
}
MAY_BE = {"rollout": pa.list_(WHOLE), "elapsed": WHOLE}  # in all events of a stream or in none
# left to be read one by one: Arrow does not tell null from a field that is missing, nor a mark of byte order
ONE_BY_ONE = (b"null", b"\xef\xbb\xbf")


class _OtherwiseError(Exception):
    """Something in the block is not as it is in most."""


class EventBlocks:
    """The blocks of one stream."""

    def __init__(self, has: Collection[str], n_actions: int | None) -> None:
        """has: which of the fields that are in all events or in none this stream has."""
        self._fields = {**FIELDS, **{name: type_ for name, type_ in MAY_BE.items() if name in has}}
        self._actions_end = INT32 if n_actions is None else n_actions
        self._left = MISSES if "updates" in has and "proven" not in has else 0

    def tries(self, n: int) -> bool:
        """Whether it is worth it for that many events."""
        return self._left > 0 and n >= LEAST

    def rows(self, lines: Sequence[bytes], n_nodes: int, elapsed: int) -> Rows | None:
        """The events in these lines as rows, after that many nodes and nanoseconds; None where they have to be
        read line by line. No line may be blank."""
        try:
            found = self._rows(b"\n".join(lines), len(lines), n_nodes, elapsed)
        except _OtherwiseError:
            self._left -= 1
            return None
        self._left = MISSES
        return found

    def _rows(self, text: bytes, n: int, n_nodes: int, elapsed: int) -> Rows:
        _expect(not any(each in text for each in ONE_BY_ONE))
        columns = self._columns(text)
        _expect(len(columns["leaf"]) == n)
        new_offset, new = _listed(columns["new_nodes"])
        parent, action, to_move = (_complete(new, name) for name in ("parent", "action", "to_move"))
        ids = n_nodes + np.arange(len(parent))
        _within(parent, 0, ids - 1)
        _within(action, 0, self._actions_end - 1)
        _within(to_move, UNKNOWN, 1)
        after = n_nodes + new_offset[1:]  # [T] nodes after each event
        _expect(columns["updates"].null_count == 0)
        update_offset, updates = _listed(columns["updates"])
        n_updates = np.diff(update_offset)
        node, value = _complete(updates, "node"), _complete(updates, "value")
        _within(node, 0, np.repeat(after, n_updates) - 1)
        visits = updates.field("visits").fill_null(1).to_numpy(zero_copy_only=False)
        _within(visits, -INT32, INT32)
        _expect(bool(np.isfinite(value).all()))
        return Rows(
            nodes=NodeRows(
                new_offset,
                parent=parent.astype(np.int32),
                action=action.astype(np.int32),
                to_move=to_move.astype(np.int8),
                outcome=_outcome(new.field("outcome")),
            ),
            leaf=_leaves(columns["leaf"], node, update_offset, after),
            updates=UpdateRows(
                update_offset,
                node=node.astype(np.int32),
                visits=visits.astype(np.int32),
                value=value,
            ),
            outcome=_outcome(columns["outcome"]),
            **self._more(columns, n, elapsed),
        )

    def _columns(self, text: bytes) -> Document:
        try:
            table = pa.json.read_json(
                pa.BufferReader(text),
                pa.json.ReadOptions(use_threads=False, block_size=len(text) + 1),
                pa.json.ParseOptions(
                    explicit_schema=pa.schema(self._fields), unexpected_field_behavior="error"
                ),
            )
        except (pa.ArrowException, ValueError) as err:
            raise _OtherwiseError from err
        return {name: table.column(name).combine_chunks() for name in self._fields}

    def _more(self, columns: Document, n: int, before: int) -> Document:
        elapsed = np.zeros(n, np.int64)
        if "elapsed" in columns:
            _expect(columns["elapsed"].null_count == 0)
            elapsed = columns["elapsed"].to_numpy()
            _within(elapsed[:1], before, None)
            _within(elapsed[1:], elapsed[:-1], None)
        if "rollout" not in columns:
            return {"elapsed": elapsed}
        _expect(columns["rollout"].null_count == 0)
        offset, moves = _listed(columns["rollout"])
        _expect(moves.null_count == 0)
        actions = moves.to_numpy()
        _within(actions, -1, INT32)
        return {"elapsed": elapsed, "rollout": RolloutRows(offset, action=actions.astype(np.int32))}


def _expect(holds: bool) -> None:
    if not holds:
        raise _OtherwiseError


def _within(found: Numbers, least: float, most: float | Numbers | None) -> None:
    _expect(bool((found >= least).all()) and (most is None or bool((found <= most).all())))


def _listed(column: pa.Array) -> tuple[npt.NDArray[np.int32], pa.Array]:
    """Offsets from 0 on and the elements of a column of lists; one that is not there has none."""
    offsets = column.offsets.to_numpy()
    return offsets - offsets[0], column.values.slice(offsets[0], offsets[-1] - offsets[0])


def _complete(structs: pa.Array, name: str) -> Numbers:
    """A field that every element has."""
    found = structs.field(name)
    _expect(found.null_count == 0)
    numbers: Numbers = found.to_numpy()
    return numbers


def _outcome(column: pa.Array) -> npt.NDArray[np.float32]:
    """Outcomes, nan where there is none."""
    found = column.to_numpy(zero_copy_only=False)
    _expect(not bool((np.abs(found) > FLOAT32).any()))  # nan is not
    return np.asarray(found, np.float64).astype(np.float32)


def _leaves(
    column: pa.Array, node: Numbers, offset: npt.NDArray[np.int32], after: Numbers
) -> npt.NDArray[np.int32]:
    """[T] the node evaluated: where it is not given, the last one updated."""
    told = column.fill_null(-1).to_numpy(zero_copy_only=False)
    missing = column.is_null().to_numpy(zero_copy_only=False)
    _expect(not bool((missing & (np.diff(offset) == 0)).any()))
    found = told.copy()
    found[missing] = node[offset[1:][missing] - 1]
    _within(found, 0, after - 1)
    return np.asarray(found, np.int32)
