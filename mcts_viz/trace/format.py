"""The trace format: names, types and the metadata document. Written down in docs/trace-format.md.

An Arrow IPC stream, one row an iteration. The schema's metadata carries one JSON document under
`mcts_viz`; each record batch carries the CRC-32 of its columns, for Arrow itself does not notice a
flipped bit.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Collection
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from mcts_viz.errors import TraceError
from mcts_viz.trace.asides import Asides
from mcts_viz.trace.groups import (
    Column,
    DerivedColumn,
    FileColumn,
    Group,
    Lists,
    OptionalColumn,
    Text,
)
from mcts_viz.trace.meta import TraceMeta, parsed_meta, version_of
from mcts_viz.trace.players import CHANCE, EVERYBODY
from mcts_viz.types import ReadDocument

# of traces that may have nodes of chance, so that older readers leave them alone
CHANCE_VERSION = 3
FIELDS_VERSION = 4  # of those that may have further columns of nodes and iterations
PLAYERS_VERSION = 5  # of those of more than two players, or with moves at the same time
PATH_VERSION = 6  # of those that leave the updates of plain iterations to be understood
SUFFIX = ".mcts"
MANY_SUFFIX = ".many"
META_KEY = b"mcts_viz"
META_CRC_KEY = b"mcts_viz.crc32"
MANY_KEY = b"mcts_viz.many"  # in the schema of a file of many searches, see `many_format.py`
BATCH_ITERATIONS = 16_384  # at most, in one record batch
# after which a batch is written even when it is not full, so that others can follow
BATCH_SECONDS = 0.25


class NodeRows(Group):
    """Nodes in the order of their ids."""

    parent = Column(np.int32)  # id of an older node
    action = Column(np.int32)
    to_move = Column(np.int8)  # player to move at the node, −1 unknown, −2 chance, −3 all at once
    prior = Column(np.float32, fill=np.nan, usual=np.nan)
    outcome = Column(np.float32, fill=np.nan)  # where the game is over; view of player 0
    label = Text()  # readable name of the move into the node
    state = Text()  # the position
    reward = OptionalColumn(
        np.float32, fill=np.nan, since=4
    )  # of the move into it; view of its mover
    # of a further way to a node that is there: that node, below which its children are; −1: a node of its own
    same_as = OptionalColumn(np.int32, fill=-1, since=4)
    born = DerivedColumn()  # iteration that made the node


class UpdateRows(Group):
    """What backpropagation added, root first."""

    node = Column(np.int32, is_node=True)
    visits = Column(np.int32, usual=1)
    value = Column(np.float64)  # view of the player who moved into the node


class RolloutRows(Group):
    """Moves of simulations; −1 stands between two simulations of a leaf."""

    is_bare = True
    action = Column(np.int32)


class ProofRows(Group):
    """Nodes whose outcome a solver has proven."""

    node = Column(np.int32, is_node=True)
    outcome = Column(np.float32)  # view of player 0
    at = DerivedColumn()  # iteration that proved it


class PlayerRows(Group):
    """Numbers for each player, player 0 first."""

    is_bare = True
    value = Column(np.float64)


class Rows(Group):
    """Some consecutive iterations, T of them: the table of the format, a row an iteration."""

    nodes = Lists(NodeRows, key="new_nodes", offset=np.int32)
    leaf = Column(np.int32, is_node=True)  # the node evaluated
    updates = Lists(UpdateRows)
    outcome = Column(np.float32, fill=np.nan)  # of the simulation or evaluation; view of player 0
    rollout = Lists(RolloutRows, nullable=True)
    elapsed = Column(np.int64)  # nanoseconds since the search began
    proven = Lists(ProofRows, nullable=True, since=2)  # null: the search has no solver
    # choices of this iteration that were compared with the author's own scores, and those that they do not explain
    compared = OptionalColumn(np.int32, fill=-1, since=4)
    unexplained = OptionalColumn(np.int32, fill=-1, since=4)
    leaves = OptionalColumn(np.int32, fill=-1, since=4)  # that the iteration evaluated, as declared
    worker = OptionalColumn(np.int32, fill=-1, since=4)  # that made the iteration, as declared
    # visits of virtual losses that nodes still carry after it, of those that it changed
    virtual = OptionalColumn(np.int32, fill=-1, since=4)

    # of each update, one after the other: the node's sum of values for each player after it, in that player's own view
    player_sums = Lists(PlayerRows, nullable=True, since=5)
    player_outcomes = Lists(
        PlayerRows, nullable=True, since=5
    )  # of the simulation, for each player
    # of an iteration that leaves its updates to be understood, one visit for each node from the root to the leaf: the
    # value added to those that player 1 moved into, and to all others
    path_value_0 = FileColumn(np.float64, fill=np.nan, since=6)
    path_value_1 = FileColumn(np.float64, fill=np.nan, since=6)

    def __init__(self, asides: Asides | None = None, **values: Any) -> None:
        """asides: what travels beside the columns of a batch; None: nothing."""
        self.asides = asides or Asides.none()
        n = len(values["leaf"])
        for lists in self.lists:
            if lists.nullable:
                values.setdefault(lists.name, lists.group.absent(n))
        super().__init__(**values)

    @property
    def n(self) -> int:
        """Number of iterations."""
        return len(self)


FORMAT_VERSION = 2  # of a trace that needs none of what came later
NEWEST_VERSION: int = max(
    field.since
    for fields in (Rows.fields, *(lists.group.fields for lists in Rows.lists))
    for field in fields
)


def schema_of(version: int) -> pa.Schema:
    """The columns of a version of the format."""
    return pa.schema(
        field.arrow_field(field.key if isinstance(field, Lists) else field.name, version)
        for field in Rows.fields
        if field.since <= version
    )


def _lacks_only_what_may_be(found: pa.Schema, version: int) -> bool:
    """Whether these are the columns of a version, apart from those that a file may lack."""
    try:
        names = {*found.names, *(each.name for field in found for each in _items(field))}
    except UnicodeDecodeError:
        return False
    may_lack = MAY_LACK if version >= PATH_VERSION else ADDED_LATER
    lacking = {name for name in may_lack if name not in names}
    return bool(found.equals(_without(SCHEMAS[version], lacking)))


def _without(whole: pa.Schema, names: Collection[str]) -> pa.Schema:
    """The schema without some columns, of iterations or of what stands in their lists."""

    def kept(field: pa.Field) -> pa.Field:
        items = [each for each in _items(field) if each.name not in names]
        if not items:
            return field
        return field.with_type(pa.list_(field.type.value_field.with_type(pa.struct(items))))

    return pa.schema(kept(field) for field in whole if field.name not in names)


def _items(field: pa.Field) -> list[pa.Field]:
    """Of a list of structs."""
    of = field.type.value_type if pa.types.is_list(field.type) else field.type
    return list(of) if pa.types.is_struct(of) else []


SCHEMAS = {version: schema_of(version) for version in range(1, NEWEST_VERSION + 1)}
# columns of iterations that a search may leave out
OF_ITERATIONS = [
    each.name
    for each in Rows.columns
    if isinstance(each, OptionalColumn) and not isinstance(each, FileColumn)
]
GROUPS: tuple[type[Group], ...] = (Rows, *(lists.group for lists in Rows.lists))
# columns that a file may lack, for its version has grown by them
ADDED_LATER = [
    each.name for group in GROUPS for each in group.columns if isinstance(each, OptionalColumn)
]
# that one of the newest version may lack: all that may be null
MAY_LACK = [
    *ADDED_LATER,
    *(lists.key for lists in Rows.lists if lists.nullable),
    *("prior", "label", "state"),
]


def version_for(to_move: npt.NDArray[np.int8]) -> int:
    """The format version of a trace whose nodes, the root included, have these players to move."""
    if bool(np.any((to_move == EVERYBODY) | (to_move > 1))):
        return PLAYERS_VERSION
    return CHANCE_VERSION if bool(np.any(to_move == CHANCE)) else FORMAT_VERSION


def document_of(meta: ReadDocument) -> bytes:
    """The metadata as JSON; half a surrogate pair, which UTF-8 cannot hold, becomes a question mark."""
    return json.dumps(meta, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")


def schema(meta: ReadDocument, without: Collection[str] = ()) -> pa.Schema:
    """The stream's schema with the metadata document in it; `without`: columns, of those that a file may lack."""
    document = document_of(meta)
    return _without(SCHEMAS[version_of(meta, NEWEST_VERSION)], without).with_metadata(
        {META_KEY: document, META_CRC_KEY: b"%08x" % zlib.crc32(document)}
    )


def read_meta(found: pa.Schema, source: str) -> TraceMeta:
    """The metadata of a stream's schema; raises TraceError when it is not a trace that we can read."""
    carried = found.metadata or {}
    if MANY_KEY in carried:
        raise TraceError(
            f"{source}: holds many searches; open one by its number, mv.open(path, 0), or write it to a file of its "
            f"own: mcts-viz extract {source} 0 -o one.mcts"
        )
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
    meta = parsed_meta(document, source, NEWEST_VERSION)
    if not _lacks_only_what_may_be(found.remove_metadata(), meta.format_version):
        raise TraceError(
            f"{source}: its columns are not those of trace format {meta.format_version}; copy the file again from its "
            "source, or correct the program that wrote it"
        )
    return meta
