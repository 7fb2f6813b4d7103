"""A snapshot's JSON read back: checked columns and metadata, from which a trace of one iteration
can be made.

Reads what `node_link` writes, and what networkx writes after that graph was edited: nodes in
another order or with other ids are numbered afresh, parents first, and keep their statistics.
mean_value, depth and the UCT terms are computed again from the rest. Described by
`docs/snapshot.schema.json`.
"""

from __future__ import annotations

import json
import os
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec import UNSET

from mcts_viz.errors import ImportFormatError
from mcts_viz.importing.snapshot_schema import (
    ANY_OBJECT,
    DERIVED_KEYS,
    EDGES,
    FORMAT,
    GRAPH,
    NODES,
    OUTLINE,
    VERSION,
    SnapshotEdge,
    SnapshotNode,
    SnapshotOutline,
)
from mcts_viz.importing.tree_order import Ids, TreeOrder, tree_order
from mcts_viz.trace.meta import TraceMeta
from mcts_viz.trace.players import CHANCE, EVERYBODY
from mcts_viz.trace.strict_json import decoded, refuse_repeated_names, shown
from mcts_viz.trace.words import plural
from mcts_viz.types import Bools, Document, Floats, Numbers

REMEDY = "mend it there, or export the snapshot again"
REMEDIES = {
    "graph.game": 'write an object with a "name"',
    "graph.policies": 'write an object with one {"name": …} a phase, "c" a number',
    "graph.iteration": "write a whole number from 0",
    "graph.players": "write a name for each player, up to 16",
    "graph.reward_range": "write [least, greatest]",
    "graph.value_range": "write [least, greatest]",
    "nodes[].id": "write a whole number or a text",
}
MAX_DEPTH = 64  # of lists and objects in the graph
# names in a document as we write it: at its top, in a node, in an edge
TOP_NAMES = len(("directed", "multigraph", "graph", "nodes", "edges"))
# of a node, those that it has only where the search has something of the kind
OPTIONAL = ("simultaneous", "reward", "same_as", "player_sums")
NODE_NAMES = len(SnapshotNode.__struct_fields__) - len(OPTIONAL)
EDGE_NAMES = len(SnapshotEdge.__struct_fields__)
COLUMNS: dict[str, tuple[type, float]] = {  # what null becomes
    "action": (np.int32, -1),
    "to_move": (np.int8, -1),
    "prior": (np.float32, np.nan),
    "outcome": (np.float32, np.nan),
    "proven": (np.float32, np.nan),
    "visits": (np.int32, 0),
    "value_sum": (np.float64, np.nan),
    "born": (np.int32, 0),
    "square_sum": (np.float64, np.nan),
    "wins": (np.int32, -1),
    "draws": (np.int32, -1),
    "losses": (np.int32, -1),
}
BOMS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")


class SnapshotDocument(NamedTuple):
    """A snapshot as it was exported; columns by node id, root 0, parent < child."""

    meta: TraceMeta  # the trace's metadata, without what describes the trace's own file
    iteration: int  # after which the snapshot was taken
    parent: npt.NDArray[np.int32]  # [N] -1 at the root
    action: npt.NDArray[np.int32]  # [N] -1 none
    to_move: npt.NDArray[np.int8]  # [N] -1 unknown, -2 chance decides, -3 all at once
    prior: npt.NDArray[np.float32]  # [N] nan: none
    outcome: npt.NDArray[np.float32]  # [N] view of player 0; nan: not terminal
    proven: npt.NDArray[np.float32]  # [N] by a solver, or the outcome; nan: not proven
    visits: npt.NDArray[np.int32]  # [N]
    value_sum: Floats  # [N] view of the player who moved into the node
    born: npt.NDArray[np.int32]  # [N] iteration that made the node
    square_sum: npt.NDArray[np.float64]  # [N] of the squares of values; nan: not known
    wins: npt.NDArray[np.int32]  # [N] of simulated games, view of value_sum; -1: not known
    draws: npt.NDArray[np.int32]  # [N]
    losses: npt.NDArray[np.int32]  # [N]
    labels: list[str | None] | None  # [N] readable move into the node; None: no node has one
    states: list[str | None] | None  # [N] recorded position; None: no node has one
    reward: (
        npt.NDArray[np.float32] | None
    )  # [N] of the move into the node, view of its mover; None: none has one
    same_as: (
        npt.NDArray[np.int32] | None
    )  # [N] node that it is a further way to, -1 none; None: none is shared
    player_sums: Floats | None  # [N, P] sums for each player; None: nodes have one value alone

    @property
    def whole_tree(self) -> dict[str, list[object]]:
        """What the metadata of its trace say of the nodes, which updates cannot say."""
        results: dict[str, Numbers]
        results = {"wins": self.wins, "draws": self.draws, "losses": self.losses}
        found = {} if (self.wins < 0).any() else results
        if not np.isnan(self.square_sum).any():
            found = {**found, "square_sums": self.square_sum}
        return {name: values.tolist() for name, values in found.items()}


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
    content = _as_utf8(content, source)
    if not content.startswith(b"{"):
        raise ImportFormatError(
            f"{source}: not a JSON object; a snapshot begins with {{: export one as .json"
        )
    outline = decoded(content, OUTLINE, source, REMEDY)
    graph = _metadata(outline, source)
    node_text, edge_text = _lists(outline, source)
    nodes = decoded(node_text, NODES, source, REMEDY, within="nodes", remedies=REMEDIES)
    edges = decoded(edge_text, EDGES, source, REMEDY, within="edges")
    more = sum(f'"{name}":'.encode() in node_text for name in OPTIONAL)
    as_exported = TOP_NAMES + (NODE_NAMES + more) * len(nodes) + EDGE_NAMES * len(edges)
    if content.count(b'":') != as_exported + bytes(outline.graph).count(b'":'):
        refuse_repeated_names(content, source)  # slow: where the document is not as we write it
    ids: Ids = [node.id for node in nodes]
    tree = tree_order(ids, [node.parent for node in nodes], edges, source)
    columns = {name: _column(nodes, name, *COLUMNS[name]) for name in COLUMNS}
    chance = _column(nodes, "chance", np.bool_, False)
    simultaneous = _column(nodes, "simultaneous", np.bool_, False)
    last = max(2, len(graph.get("players") or ())) - 1
    if (beyond := np.flatnonzero(columns["to_move"] > last)).size:
        place = int(beyond[0])
        raise ImportFormatError(
            f"{source}: nodes[{place}].to_move: {int(columns['to_move'][place])} is not a whole number <= {last}; "
            "write one of the players, or null where it is not known"
        )
    _check_edge_actions(ids, columns["action"], edges, source)
    _check_statistics(nodes, columns, chance | simultaneous, source)
    columns["to_move"][chance] = CHANCE
    columns["to_move"][simultaneous] = EVERYBODY
    described = {name: value for name, value in graph.items() if name not in DERIVED_KEYS}
    return SnapshotDocument(
        meta=TraceMeta(described, source, ImportFormatError, REMEDY),
        iteration=graph["iteration"],
        parent=tree.parent,
        **{name: column[tree.order] for name, column in columns.items()},
        labels=_texts([node.label for node in nodes], tree),
        states=_texts([node.state for node in nodes], tree),
        reward=_rewards(nodes, tree),
        same_as=_same_as(nodes, ids, tree, source),
        player_sums=_player_sums(nodes, len(graph["players"]), tree, source),
    )


def _as_utf8(content: bytes, source: str) -> bytes:
    """Without mark of byte order and white space around it."""
    try:
        return content.decode(json.detect_encoding(content)).strip(" \t\n\r").encode()
    except UnicodeError as err:
        place = f"byte {err.start}" if isinstance(err, UnicodeDecodeError) else "a character in it"
        raise ImportFormatError(
            f"{source}: {place} is not {err.encoding} text; a snapshot is JSON in UTF-8"  # type: ignore[attr-defined]
        ) from err


def _metadata(outline: SnapshotOutline, source: str) -> Document:
    """The graph object, checked."""
    text = bytes(outline.graph)
    if not text:
        raise ImportFormatError(
            f'{source}: it has no "graph", so it is not a snapshot of mcts_viz; '
            "export one as .json, or import the file with an adapter"
        )
    content = decoded(text, ANY_OBJECT, source, REMEDY, within="graph")
    if content.get("format") != FORMAT:
        raise ImportFormatError(
            f'{source}: its "graph" does not say "format": "{FORMAT}", so it is not a snapshot of '
            "mcts_viz; export one as .json"
        )
    version = content.get("version")
    if type(version) is not int or version < 1:
        raise ImportFormatError(
            f"{source}: graph.version: {shown(version)} is not a version number from 1; {REMEDY}"
        )
    if version > VERSION:
        raise ImportFormatError(
            f"{source}: written in snapshot format {version}, and this version of mcts_viz reads "
            f"up to {VERSION}; update mcts_viz to open it"
        )
    refuse_repeated_names(text, source)
    _check_depth(content, source)
    graph = decoded(text, GRAPH, source, REMEDY, within="graph", remedies=REMEDIES)
    for name in ("reward_range", "value_range"):
        low, high = getattr(graph, name)
        if low > high:
            raise ImportFormatError(
                f"{source}: graph.{name}: {shown([low, high])} is empty; write [least, greatest]"
            )
    return content


def _check_depth(graph: Document, source: str) -> None:
    level: list[dict[str, object] | list[object]] = [graph]
    for _ in range(MAX_DEPTH):
        level = [
            item
            for value in level
            for item in (value.values() if isinstance(value, dict) else value)
            if isinstance(item, (dict, list))
        ]
        if not level:
            return
    raise ImportFormatError(
        f"{source}: graph nests lists and objects more than {MAX_DEPTH} deep; flatten it"
    )


def _lists(outline: SnapshotOutline, source: str) -> tuple[bytes, bytes]:
    """The texts of nodes and edges."""
    for name, wanted in (("directed", True), ("multigraph", False)):
        said = getattr(outline, name)
        if said is not wanted:
            found = "missing" if said is UNSET else shown(said)
            raise ImportFormatError(
                f"{source}: {name}: {found}; write {shown(wanted)}, as networkx does for a DiGraph"
            )
    nodes, edges, links = map(bytes, (outline.nodes, outline.edges, outline.links))
    if edges and links:
        raise ImportFormatError(f'{source}: it has both "edges" and "links"; remove one')
    for name, text in (("nodes", nodes), ("edges", edges or links)):
        if not text:
            raise ImportFormatError(f'{source}: it has no "{name}"; add the list of {name}')
    return nodes, edges or links


def _column(nodes: list[SnapshotNode], name: str, dtype: type, none: float) -> Numbers:
    values = map(attrgetter(name), nodes)
    return np.array([none if value is None else value for value in values], dtype)


def _check_edge_actions(
    ids: Ids, action: npt.NDArray[np.int32], edges: list[SnapshotEdge], source: str
) -> None:
    own = dict(zip(ids, action.tolist()))
    for edge in edges:
        mine = None if own[edge.target] < 0 else own[edge.target]
        if edge.action is not UNSET and edge.action != mine:
            raise ImportFormatError(
                f'{source}: node {shown(edge.target)}: "action" is {shown(mine)}, but its edge says '
                f"{shown(edge.action)}; correct one of the two"
            )


def _check_statistics(
    nodes: list[SnapshotNode],
    columns: dict[str, Numbers],
    chance: Bools,
    source: str,
) -> None:
    """What no single field can say: fields of a node that contradict each other."""
    said_mean = _column(nodes, "mean_value", np.float64, np.nan)
    ends = _column(nodes, "terminal", np.int8, -1)
    outcome, proven = columns["outcome"], columns["proven"]
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = columns["value_sum"] / columns["visits"]
        wrong_mean = ~np.isclose(said_mean, mean, rtol=1e-9, atol=1e-12)
    comparable = (columns["visits"] > 0) & np.isfinite(said_mean)
    outcomes_differ = np.isfinite(proven) & (proven != outcome)
    complaints = (
        (comparable & wrong_mean, '"mean_value" is not value_sum / visits'),
        (
            (ends >= 0) & ((ends == 1) != np.isfinite(outcome)),
            '"terminal" and "outcome" disagree: a terminal node has an outcome, others have null',
        ),
        (
            chance & (columns["to_move"] >= 0),
            '"to_move" names a player, but by "chance" or "simultaneous" no single one chooses there',
        ),
        (
            np.isfinite(outcome) & outcomes_differ,
            '"proven" is not "outcome", and the game is over',
        ),
    )
    for is_wrong, complaint in complaints:
        if is_wrong.any():
            node_id = nodes[int(np.flatnonzero(is_wrong)[0])].id
            raise ImportFormatError(
                f"{source}: node {shown(node_id)}: {complaint}; correct one of the two"
            )


def _texts(texts: list[str | None], tree: TreeOrder) -> list[str | None] | None:
    if all(text is None for text in texts):
        return None
    return [texts[place] for place in tree.order.tolist()]


def _rewards(nodes: list[SnapshotNode], tree: TreeOrder) -> npt.NDArray[np.float32] | None:
    if all(node.reward is None for node in nodes):
        return None
    return _column(nodes, "reward", np.float32, np.nan)[tree.order]


def _same_as(
    nodes: list[SnapshotNode], ids: Ids, tree: TreeOrder, source: str
) -> npt.NDArray[np.int32] | None:
    """By node id of the trace."""
    if all(node.same_as is None for node in nodes):
        return None
    rank = {ids[place]: node for node, place in enumerate(tree.order.tolist())}
    found = np.full(len(nodes), -1, np.int32)
    for node, place in enumerate(tree.order.tolist()):
        told = nodes[place].same_as
        if told is None:
            continue
        if told not in rank or told == ids[place]:
            raise ImportFormatError(
                f'{source}: node {shown(ids[place])}: "same_as" is {shown(told)}, which is no other node; write the id '
                "of the node that it is a further way to, or null"
            )
        found[node] = rank[told]
    return found


def _player_sums(
    nodes: list[SnapshotNode], n_players: int, tree: TreeOrder, source: str
) -> Floats | None:
    """[N, P] by node id of the trace."""
    if all(node.player_sums is None for node in nodes):
        return None
    for place, node in enumerate(nodes):
        if len(node.player_sums or ()) != n_players:
            told = "null" if node.player_sums is None else plural(len(node.player_sums), "number")
            raise ImportFormatError(
                f"{source}: nodes[{place}].player_sums: {told} for {plural(n_players, 'player')}; write one for each, "
                "or leave it out of all nodes"
            )
    return np.array([node.player_sums for node in nodes], np.float64)[tree.order]
