"""A snapshot as networkx node-link JSON: `networkx.node_link_graph(json.load(f), edges="edges")`
gives the tree.

Described by `docs/snapshot.schema.json`. The text is ASCII and holds no "<", so that it may be put
as it is into a page's <script>. JSON has no infinity and no nan: both are null. Reading it back is
`snapshot_document`'s work.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from mcts_viz.errors import ExportError
from mcts_viz.export.fields import (
    EDGE_FIELDS,
    Texts,
    as_bytes,
    field_texts,
    joined,
    or_else,
    present,
)
from mcts_viz.importing.snapshot_schema import DERIVED_KEYS, FORMAT, VERSION
from mcts_viz.trace.snapshot import Snapshot
from mcts_viz.trace.surrogates import without_lone_surrogates
from mcts_viz.types import Document

# of the trace's metadata, these describe the trace itself, or are fields of the nodes
TRACE_KEYS = ("kind", "format_version", "snapshot_iteration", "whole_tree")


def json_text(value: object) -> str:
    """JSON in ASCII without "<"; raises ValueError or TypeError for what JSON does not have."""
    text = json.dumps(value, allow_nan=False)
    return text.replace("<", "\\u003c")


def graph_attributes(snapshot: Snapshot) -> Document:
    """The `graph` object: the snapshot's own facts, and all metadata needed to read it back."""
    meta = {
        key: value
        for key, value in snapshot.meta.items()
        if key not in TRACE_KEYS and key not in DERIVED_KEYS
    }
    best_action = snapshot.best_action
    return {
        "format": FORMAT,
        "version": VERSION,
        "iteration": _iteration(snapshot),
        "n_nodes": int(snapshot.n_nodes),
        "best_action": None if best_action is None else int(best_action),
        "best_action_name": snapshot.best_action_name,
        "principal_variation": [int(action) for action in snapshot.principal_variation],
        **meta,
    }


def node_link_chunks(snapshot: Snapshot) -> Iterator[bytes]:
    """The document in pieces, a line a node or edge; ExportError comes before the first piece."""
    yield _head(snapshot).encode()
    separator = b"\n"
    for columns in field_texts(snapshot, _json_string, infinity=None):
        yield separator + as_bytes(_node_lines(columns), ",\n")
        separator = b",\n"
    yield b'\n],\n"edges":['
    separator = b"\n"
    for columns in field_texts(snapshot, _json_string, infinity=None, only=EDGE_FIELDS):
        lines = _edge_lines(columns)
        if len(lines):
            yield separator + as_bytes(lines, ",\n")
            separator = b",\n"
    yield b"\n]}\n"


def to_node_link(snapshot: Snapshot) -> Document:
    """The same document as Python objects; for small trees."""
    document: Document = json.loads(b"".join(node_link_chunks(snapshot)))
    return document


def _iteration(snapshot: Snapshot) -> int:
    """The iteration of the search: a snapshot opened as a trace has one row, and its metadata say when it was taken."""
    taken = snapshot.meta.snapshot_iteration if snapshot.iteration > 0 else None
    return int(snapshot.iteration if taken is None else taken)


def _head(snapshot: Snapshot) -> str:
    try:
        graph = json_text(graph_attributes(snapshot))
    except (TypeError, ValueError) as err:
        raise ExportError(
            f"the trace's metadata cannot be written as JSON: {err}; "
            "metadata may hold text, finite numbers, booleans, lists and objects only"
        ) from err
    return f'{{"directed":true,"multigraph":false,\n"graph":{graph},\n"nodes":['


def _json_string(text: str) -> str:
    return json_text(without_lone_surrogates(text))


def _node_lines(columns: dict[str, Texts]) -> Texts:
    pieces: list[Texts | str] = []
    for position, (name, texts) in enumerate(columns.items()):
        pieces.append(f'{"," if position else "{"}"{name}":')
        pieces.append(or_else(texts, "null"))
    return joined([*pieces, "}"])


def _edge_lines(columns: dict[str, Texts]) -> Texts:
    action = or_else(columns["action"], "null")
    lines = joined(
        ['{"source":', columns["parent"], ',"target":', columns["id"], ',"action":', action, "}"]
    )
    return present(lines)  # the root has no parent, so no edge
