"""A snapshot's JSON read back: checked columns and metadata, from which a trace of one iteration
can be made.

Reads what `node_link` writes, and what networkx writes after somebody edited that graph: nodes in
another order or with other ids are numbered afresh, parents first, and keep their statistics.
mean_value, depth and the UCT terms are computed again from the rest. Described by
`docs/snapshot.schema.json`; needs no package to check it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mcts_viz.errors import ImportFormatError
from mcts_viz.export.graph_object import check_format, checked_metadata
from mcts_viz.export.json_scanner import JsonScanner
from mcts_viz.export.node_columns import MISSING, NodeTable, read_nodes, shown
from mcts_viz.export.node_link import DERIVED_KEYS
from mcts_viz.export.tree_order import Edges, TreeOrder, edge_positions, tree_order
from mcts_viz.trace.players import CHANCE

COLUMNS = ("action", "to_move", "prior", "outcome", "proven", "visits", "value_sum", "born")
BOMS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")


class SnapshotDocument(NamedTuple):
    """A snapshot as it was exported; columns by node id, root 0, parent < child."""

    meta: dict[str, Any]  # the trace's metadata, without what describes the trace's own file
    iteration: int  # after which the snapshot was taken
    parent: npt.NDArray[np.int32]  # [N] -1 at the root
    action: npt.NDArray[np.int32]  # [N] -1 none
    to_move: npt.NDArray[np.int8]  # [N] -1 unknown, -2 chance decides
    prior: npt.NDArray[np.float32]  # [N] nan: none
    outcome: npt.NDArray[np.float32]  # [N] view of player 0; nan: not terminal
    proven: npt.NDArray[np.float32]  # [N] by a solver, or the outcome; nan: not proven
    visits: npt.NDArray[np.int32]  # [N]
    value_sum: npt.NDArray[np.float64]  # [N] view of the player who moved into the node
    born: npt.NDArray[np.int32]  # [N] iteration that made the node
    labels: list[str | None] | None  # [N] readable move into the node; None: no node has one
    states: list[str | None] | None  # [N] recorded position; None: no node has one


def looks_like_json(head: bytes) -> bool:
    """Whether a file that begins so is meant as a JSON object; a trace never begins so."""
    for bom in BOMS:
        head = head.removeprefix(bom)
    return head.replace(b"\0", b"").lstrip(b" \t\n\r").startswith(b"{")


def read_snapshot_document(path: str | os.PathLike[str]) -> SnapshotDocument:
    """The snapshot in a JSON file; raises ImportFormatError naming file, place and remedy."""
    try:
        content = Path(path).read_bytes()
    except (OSError, ValueError) as err:
        reason = getattr(err, "strerror", None) or err
        raise ImportFormatError(f"cannot read {os.fspath(path)}: {reason}") from err
    return parse_snapshot_document(content, os.fspath(path))


def parse_snapshot_document(content: bytes, source: str) -> SnapshotDocument:
    """The snapshot in a JSON file's bytes (UTF-8, -16 or -32); errors call it `source`."""
    try:
        text = content.decode(json.detect_encoding(content))
    except UnicodeDecodeError as err:
        raise ImportFormatError(
            f"{source}: byte {err.start} is not {err.encoding} text; a snapshot is JSON in UTF-8"
        ) from err
    del content
    graph, nodes, edges = _parts(JsonScanner(text, source), source)
    meta = checked_metadata(graph, source)
    tree = tree_order(nodes.ids, nodes.parents, edges, source)
    _check_edge_actions(nodes, edges, source)
    _check_statistics(nodes, source)
    columns = {name: nodes.columns[name][tree.order] for name in COLUMNS}
    columns["to_move"][nodes.columns["chance"][tree.order] == 1] = CHANCE
    return SnapshotDocument(
        meta={name: value for name, value in meta.items() if name not in DERIVED_KEYS},
        iteration=meta["iteration"],
        parent=tree.parent,
        **columns,
        labels=_texts(nodes.texts["label"], tree),
        states=_texts(nodes.texts["state"], tree),
    )


def _parts(scanner: JsonScanner, source: str) -> tuple[dict[str, Any], NodeTable, Edges]:
    """`graph`, `nodes` and `edges`; the format is checked before anything is made of the rest."""
    if not scanner.at("{"):
        raise ImportFormatError(
            f"{source}: not a JSON object; a snapshot begins with {{: export one as .json"
        )
    graph: dict[str, Any] | None = None
    parts: dict[str, Any] = {}
    for name in scanner.members():
        if name == "links":  # what networkx called edges before 3.4
            name = "edges"
        if name in ("nodes", "edges") and graph is not None and scanner.at("["):
            if name in parts:
                raise ImportFormatError(f'{source}: it has both "edges" and "links"; remove one')
            parts[name] = _part(name, scanner.items(), source)
        else:
            parts[name] = scanner.value()
            if name == "graph":
                graph = check_format(parts[name], source)
    scanner.end()
    if graph is None:
        raise ImportFormatError(
            f'{source}: it has no "graph", so it is not a snapshot of mcts_viz; '
            "export one as .json, or import the file with an adapter"
        )
    for name, wanted in (("directed", True), ("multigraph", False)):
        if parts.get(name, MISSING) is not wanted:
            found = "absent" if name not in parts else shown(parts[name])
            raise ImportFormatError(
                f'{source}: "{name}" is {found}; it must be {json.dumps(wanted)}, '
                "as networkx writes it for a DiGraph"
            )
    for name in ("nodes", "edges"):
        if name not in parts:
            raise ImportFormatError(f'{source}: it has no "{name}"; add the list of {name}')
        if not isinstance(parts[name], (NodeTable, Edges)):  # came before "graph", or is no list
            if type(parts[name]) is not list:
                raise ImportFormatError(
                    f'{source}: "{name}" is {shown(parts[name])}; it must be a list'
                )
            parts[name] = _part(name, parts[name], source)
    return graph, parts["nodes"], parts["edges"]


def _part(name: str, items: Iterable[Any], source: str) -> NodeTable | Edges:
    return read_nodes(items, source) if name == "nodes" else _read_edges(items, source)


def _read_edges(items: Iterable[Any], source: str) -> Edges:
    edges = Edges([], [], [])
    for number, edge in enumerate(items):
        if type(edge) is not dict:
            raise ImportFormatError(
                f"{source}: edges[{number}] is {shown(edge)}; an edge must be a JSON object"
            )
        edges.sources.append(edge.get("source", MISSING))
        edges.targets.append(edge.get("target", MISSING))
        edges.actions.append(edge.get("action", MISSING))
    return edges


def _check_edge_actions(nodes: NodeTable, edges: Edges, source: str) -> None:
    action = nodes.columns["action"].tolist()
    for place, said in zip(edge_positions(nodes.ids, edges), edges.actions, strict=True):
        own = None if action[place] < 0 else action[place]
        if said is not MISSING and (said != own or type(said) is bool):
            raise ImportFormatError(
                f'{source}: node {shown(nodes.ids[place])}: "action" is {own}, but its edge says '
                f"{shown(said)}; correct one of the two"
            )


def _check_statistics(nodes: NodeTable, source: str) -> None:
    """What no single field can say: fields of a node that contradict each other."""
    columns = nodes.columns
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = columns["value_sum"] / columns["visits"]
        wrong_mean = ~np.isclose(columns["mean_value"], mean, rtol=1e-9, atol=1e-12)
    comparable = (columns["visits"] > 0) & np.isfinite(columns["mean_value"])
    ends = columns["terminal"]
    results_differ = np.isfinite(columns["proven"]) & (columns["proven"] != columns["outcome"])
    complaints = (
        (comparable & wrong_mean, '"mean_value" is not value_sum / visits'),
        (
            (ends >= 0) & ((ends == 1) != np.isfinite(columns["outcome"])),
            '"terminal" and "outcome" disagree: a terminal node has an outcome, others have null',
        ),
        (
            (columns["chance"] == 1) & (columns["to_move"] >= 0),
            '"to_move" names a player, but by "chance" nobody chooses there',
        ),
        (
            np.isfinite(columns["outcome"]) & results_differ,
            '"proven" is not "outcome", and the game is over',
        ),
    )
    for is_wrong, complaint in complaints:
        if is_wrong.any():
            node_id = nodes.ids[int(np.flatnonzero(is_wrong)[0])]
            raise ImportFormatError(
                f"{source}: node {shown(node_id)}: {complaint}; correct one of the two"
            )


def _texts(texts: list[str | None], tree: TreeOrder) -> list[str | None] | None:
    if all(text is None for text in texts):
        return None
    return [texts[place] for place in tree.order.tolist()]
