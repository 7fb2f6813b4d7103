"""The trace format: names, types and the metadata document. Written down in docs/trace-format.md.

An Arrow IPC stream, one row an iteration. The schema's metadata carries one JSON document under
`mcts_viz`; each record batch carries the CRC-32 of its columns, for Arrow itself does not notice a
flipped bit.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from zlib_ng import zlib_ng

from mcts_viz.errors import TraceError
from mcts_viz.trace.players import CHANCE
from mcts_viz.trace.surrogates import without_lone_surrogates

FORMAT_VERSION = 2
CHANCE_VERSION = (
    3  # of traces that may have nodes of chance, so that older readers leave them alone
)
NEWEST_VERSION = 3
SUFFIX = ".mcts"
META_KEY = b"mcts_viz"
META_CRC_KEY = b"mcts_viz.crc32"
BATCH_CRC_KEY = b"mcts_viz.crc32"
CHANGES_KEY = b"mcts_viz.changed_states"  # of a batch in which there are some
BATCH_ITERATIONS = 16_384  # at most, in one record batch
# after which a batch is written even when it is not full, so that others can follow
BATCH_SECONDS = 0.25

NEW_NODE = pa.struct(
    [
        pa.field("parent", pa.int32(), nullable=False),
        pa.field("action", pa.int32(), nullable=False),
        pa.field("to_move", pa.int8(), nullable=False),
        pa.field("prior", pa.float32()),
        pa.field("outcome", pa.float32()),
        pa.field("label", pa.string()),
        pa.field("state", pa.string()),
    ]
)
UPDATE = pa.struct(
    [
        pa.field("node", pa.int32(), nullable=False),
        pa.field("visits", pa.int32(), nullable=False),
        pa.field("value", pa.float64(), nullable=False),
    ]
)
PROVEN = pa.struct(
    [
        pa.field("node", pa.int32(), nullable=False),
        pa.field("outcome", pa.float32(), nullable=False),
    ]
)
SCHEMA = pa.schema(
    [
        pa.field("new_nodes", pa.list_(pa.field("item", NEW_NODE, nullable=False)), nullable=False),
        pa.field("leaf", pa.int32(), nullable=False),
        pa.field("updates", pa.list_(pa.field("item", UPDATE, nullable=False)), nullable=False),
        pa.field("outcome", pa.float32()),
        pa.field("rollout", pa.list_(pa.field("item", pa.int32(), nullable=False))),
        pa.field("elapsed", pa.int64(), nullable=False),
        pa.field("proven", pa.list_(pa.field("item", PROVEN, nullable=False))),
    ]
)
SCHEMAS = {
    1: SCHEMA.remove(6),
    2: SCHEMA,
    3: SCHEMA,
}  # by version: the first one knew no proven results
# those of a batch that count up, by Arrow's numbering of its buffers (columns depth first: which are
# not null, offsets, values)
COUNTER_BUFFERS = {1: "new_offset", 20: "leaf", 22: "update_offset", 33: "rollout_offset"}


class StateChange(NamedTuple):
    """A node's position, as text, that was seen to be another one than before."""

    row: int  # iteration, from 0 at the first of the rows
    node: int
    state: str


def version_for(to_move: npt.NDArray[np.int8]) -> int:
    """The format version of a trace whose nodes, the root included, have these players to move."""
    return CHANCE_VERSION if bool(np.any(to_move == CHANCE)) else FORMAT_VERSION


class Rows(NamedTuple):
    """Some consecutive iterations as flat columns: T of them, N new nodes, U updates, M rollout
    moves."""

    new_offset: npt.NDArray[np.int32]  # [T + 1] into the node columns
    parent: npt.NDArray[np.int32]  # [N]
    action: npt.NDArray[np.int32]  # [N]
    to_move: npt.NDArray[np.int8]  # [N] player to move at the node, -1 unknown
    prior: npt.NDArray[np.float32]  # [N] nan: none
    outcome: npt.NDArray[np.float32]  # [N] nan: not terminal; view of player 0
    leaf: npt.NDArray[np.int32]  # [T]
    update_offset: npt.NDArray[np.int32]  # [T + 1] into the update columns
    update_node: npt.NDArray[np.int32]  # [U] root first
    update_visits: npt.NDArray[np.int32]  # [U]
    update_value: npt.NDArray[np.float64]  # [U] view of the player who moved into the node
    result: npt.NDArray[np.float32]  # [T] outcome of the simulation, view of player 0; nan: none
    elapsed: npt.NDArray[np.int64]  # [T] nanoseconds since the search began
    rollout_offset: (
        npt.NDArray[np.int32] | None
    )  # [T + 1] into the next one; None: rollouts not recorded
    rollout_action: npt.NDArray[np.int32] | None  # [M]
    label: list[str | None] | None = None  # [N] None: no node has one
    state: list[str | None] | None = None  # [N]
    # [T + 1] into the next two; None: nothing was proven, or the search has no solver
    proven_offset: npt.NDArray[np.int32] | None = None
    proven_node: npt.NDArray[np.int32] | None = None
    proven_outcome: npt.NDArray[np.float32] | None = None  # view of player 0
    changed_states: list[StateChange] | None = None  # in order; None: none were seen

    @property
    def n(self) -> int:
        """Number of iterations."""
        return len(self.leaf)


def document_of(meta: Mapping[str, Any]) -> bytes:
    """The metadata as JSON; half a surrogate pair, which UTF-8 cannot hold, becomes a question mark."""
    return json.dumps(meta, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")


def schema(meta: Mapping[str, Any]) -> pa.Schema:
    """The stream's schema with the metadata document in it."""
    document = document_of(meta)
    return SCHEMA.with_metadata({META_KEY: document, META_CRC_KEY: b"%08x" % zlib.crc32(document)})


def read_meta(found: pa.Schema, source: str) -> dict[str, Any]:
    """The metadata document of a stream's schema; raises TraceError when it is not a trace that we
    can read."""
    carried = found.metadata or {}
    if META_KEY not in carried:
        raise TraceError(
            f"{source}: an Arrow stream, but not a trace of mcts_viz (its schema carries no 'mcts_viz' document); "
            "record one with `mcts-viz record`"
        )
    document = carried[META_KEY]
    if carried.get(META_CRC_KEY) != b"%08x" % zlib.crc32(document):
        raise TraceError(
            f"{source}: the metadata document is damaged (its checksum does not match); "
            "copy the file again or record the search again"
        )
    try:
        meta = json.loads(document)
        # a stranger's JSON may spell half a surrogate pair, on which all that is written fails
        meta = json.loads(without_lone_surrogates(json.dumps(meta, ensure_ascii=False)))
    except (ValueError, RecursionError) as err:
        raise TraceError(
            f"{source}: the metadata document is not JSON: {err}; correct the program that wrote it"
        ) from err
    version = meta.get("format_version") if isinstance(meta, dict) else None
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise TraceError(
            f"{source}: the metadata has format_version {version!r}, not a version number; "
            "correct the program that wrote it"
        )
    if version > NEWEST_VERSION:
        raise TraceError(
            f"{source}: written in trace format {version}; this version of mcts_viz reads up to {NEWEST_VERSION}. "
            "Update mcts_viz to open it"
        )
    if not found.remove_metadata().equals(SCHEMAS[version]):
        raise TraceError(
            f"{source}: its columns are not those of trace format {version}; copy the file again from its source, "
            "or correct the program that wrote it"
        )
    assert isinstance(meta, dict)
    return meta


def to_batch(rows: Rows, stream_schema: pa.Schema) -> pa.RecordBatch:
    """Rows as one Arrow record batch, without copying the numbers."""
    nothing = pa.nulls(len(rows.parent), pa.string())
    new_nodes = pa.StructArray.from_arrays(
        [
            _array(rows.parent),
            _array(rows.action),
            _array(rows.to_move),
            _array(rows.prior, nan_is_null=True),
            _array(rows.outcome, nan_is_null=True),
            nothing if rows.label is None else pa.array(rows.label, pa.string()),
            nothing if rows.state is None else pa.array(rows.state, pa.string()),
        ],
        fields=list(NEW_NODE),
    )
    updates = pa.StructArray.from_arrays(
        [_array(rows.update_node), _array(rows.update_visits), _array(rows.update_value)],
        fields=list(UPDATE),
    )
    types = [field.type for field in SCHEMA]
    columns = [
        pa.ListArray.from_arrays(_array(rows.new_offset), new_nodes, type=types[0]),
        _array(rows.leaf),
        pa.ListArray.from_arrays(_array(rows.update_offset), updates, type=types[2]),
        _array(rows.result, nan_is_null=True),
        pa.nulls(rows.n, types[4])
        if rows.rollout_offset is None or rows.rollout_action is None
        else pa.ListArray.from_arrays(
            _array(rows.rollout_offset), _array(rows.rollout_action), type=types[4]
        ),
        _array(rows.elapsed),
        _proven(rows),
    ]
    return pa.RecordBatch.from_arrays(columns, schema=stream_schema)


def _proven(rows: Rows) -> pa.Array:
    if rows.proven_offset is None or rows.proven_node is None or rows.proven_outcome is None:
        return pa.nulls(rows.n, SCHEMA.field("proven").type)
    proven = pa.StructArray.from_arrays(
        [_array(rows.proven_node), _array(rows.proven_outcome)], fields=list(PROVEN)
    )
    return pa.ListArray.from_arrays(
        _array(rows.proven_offset), proven, type=SCHEMA.field("proven").type
    )


def _array(values: npt.NDArray[Any], nan_is_null: bool = False) -> pa.Array:
    """The numbers as an Arrow array over the same memory. (`pa.array` would import pandas, where
    there is one, to ask it whether this is a Series.)"""
    values = np.ascontiguousarray(values)
    missing = np.isnan(values) if nan_is_null else np.zeros(0, np.bool_)
    there = None
    if missing.any():
        there = pa.py_buffer(np.packbits(~missing, bitorder="little"))
    arrow_type = pa.from_numpy_dtype(values.dtype)
    return pa.Array.from_buffers(arrow_type, len(values), [there, pa.py_buffer(values)])


def from_batch(batch: pa.RecordBatch) -> Rows:
    """The flat columns of one record batch; numbers are views into it where Arrow allows."""
    new_nodes, leaf, updates, result, rollout, elapsed = batch.columns[:6]
    proven = batch.columns[6] if batch.num_columns > 6 else None
    if proven is not None and proven.null_count:
        proven = None
    node = new_nodes.values.flatten()
    update = updates.values.flatten()
    kept = rollout.null_count == 0
    return Rows(
        new_offset=_numbers(new_nodes.offsets, np.int32),
        parent=_numbers(node[0], np.int32),
        action=_numbers(node[1], np.int32),
        to_move=_numbers(node[2], np.int8),
        prior=_numbers(node[3], np.float32),
        outcome=_numbers(node[4], np.float32),
        leaf=_numbers(leaf, np.int32),
        update_offset=_numbers(updates.offsets, np.int32),
        update_node=_numbers(update[0], np.int32),
        update_visits=_numbers(update[1], np.int32),
        update_value=_numbers(update[2], np.float64),
        result=_numbers(result, np.float32),
        elapsed=_numbers(elapsed, np.int64),
        rollout_offset=_numbers(rollout.offsets, np.int32) if kept else None,
        rollout_action=_numbers(rollout.values, np.int32) if kept else None,
        label=_texts(node[5]),
        state=_texts(node[6]),
        proven_offset=None if proven is None else _numbers(proven.offsets, np.int32),
        proven_node=None if proven is None else _numbers(proven.values.field(0), np.int32),
        proven_outcome=None if proven is None else _numbers(proven.values.field(1), np.float32),
    )


def changes_document(changes: list[StateChange]) -> bytes:
    """Changed states as a batch's custom metadata hold them: a checksum and JSON."""
    document = json.dumps(changes, ensure_ascii=True).encode()
    return b"%08x " % zlib.crc32(document) + document


def read_changes(found: bytes) -> list[StateChange]:
    """The same read again; raises ValueError for what is none."""
    crc, _, document = found.partition(b" ")
    if crc != b"%08x" % zlib.crc32(document):
        raise ValueError("its checksum does not match")
    changes = [StateChange(*change) for change in json.loads(document)]
    if not all(
        type(each.row) is int and type(each.node) is int and type(each.state) is str
        for each in changes
    ):
        raise ValueError("a change is no row, node and text")
    return changes


def _numbers(array: pa.Array, dtype: Any) -> npt.NDArray[Any]:
    return np.asarray(array.to_numpy(zero_copy_only=False), dtype)  # a null becomes nan


def _texts(array: pa.Array) -> list[str | None] | None:
    return None if array.null_count == len(array) else array.to_pylist()


def checksum(rows: Rows) -> int:
    """CRC-32 over the rows' values, column after column, little-endian; nan stands for a missing
    number. Changed states have a checksum of their own."""
    crc = 0
    for column in rows._replace(changed_states=None):
        if column is None or (isinstance(column, list) and not any(map(_there, column))):
            continue  # a column of texts without any comes back as None
        if isinstance(column, list):
            content: Any = json.dumps(column, ensure_ascii=True).encode()
        else:
            content = np.ascontiguousarray(_one_nan(column)).data
        crc = zlib_ng.crc32(content, crc)
    return crc


def _there(text: Any) -> bool:
    return text is not None


def _one_nan(column: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """nan has many bit patterns, and a missing number comes back with another one than it went in
    with."""
    if column.dtype != np.float32:  # the type of the columns in which a number may be missing
        return column
    missing = np.isnan(column)
    return np.where(missing, column.dtype.type(np.nan), column) if missing.any() else column
