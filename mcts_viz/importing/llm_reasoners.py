"""llm-reasoners' JSON logs (`TreeLog`): {"logs": [{"nodes": …, "edges": …}, …]}, the whole tree after
each iteration.

A log has no visits, but each node's `selected_edge`, which on the path of an iteration is the edge
taken; so the path, and with it the visits, can be followed from the root. Its Q is the node's value
then, to which the values here add up. Needs no llm-reasoners.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, NamedTuple

import msgspec

from mcts_viz.errors import ImportFormatError
from mcts_viz.recording.careful_reader import storable_text
from mcts_viz.recording.recording import AnyTrace, TraceMaker
from mcts_viz.recording.values import sum_of_mean
from mcts_viz.recording.whole_trace import base_meta, value_range, whole_trace
from mcts_viz.trace.rows import FLOAT32, RowLog
from mcts_viz.trace.software import software
from mcts_viz.trace.strict_json import decoded
from mcts_viz.types import Document, ReadDocument

VALUES = ("Q", "reward")  # of an edge; the first one that it has
ACTIONS = ("action", "sub_question", "question", "step")  # keys whose text names a node, if there
MOST_NAME = 60  # characters
NOT_OBSERVED = [
    "outcome", "rollout", "elapsed", "prior", "terminal", "value of the root",
]  # fmt: skip
FROM_PATHS = (
    "The log holds no visits; they were counted from the paths of selected edges, one path an iteration. Values are "
    "its Q at each iteration, times those visits. Texts are those that the log has of a node in the end."
)
OFF_PATH = (
    "In {n} iterations the log's Q changes beside the path of selected edges: that log does not mark the paths, and "
    "visits here are fewer than there were."
)


LogItems = list[Document] | dict[str, Document]  # by id


class LogEntry(msgspec.Struct):
    """The tree after one iteration."""

    nodes: LogItems
    edges: LogItems


class ReasonersLog(msgspec.Struct):
    """A log."""

    logs: Annotated[list[LogEntry], msgspec.Meta(min_length=1)]


LOG = msgspec.json.Decoder(ReasonersLog)
REMEDY = (
    'a log of llm-reasoners is {"logs": [{"nodes": …, "edges": …}, …]}; write one with '
    "str(TreeLog.from_mcts_results(result)), and output_trace_in_each_iter=True"
)


class LogTree(NamedTuple):
    """One entry of the log, by the log's own node ids."""

    data: dict[str, Document]  # of each node
    taken: dict[str, str]  # node -> child at the end of its selected edge
    into: dict[str, tuple[str, Document]]  # node -> its parent, and the edge's data
    root: str


def from_llm_reasoners(
    trace: TraceMaker[AnyTrace], /, source: str | Path, path: str | Path | None = None
) -> AnyTrace:
    """The search that a JSON log of llm-reasoners tells, and with `path` its trace in a file. Raises
    ImportFormatError for what is no such log."""
    trees = [_tree(entry, f"{source}: logs[{i}]") for i, entry in enumerate(_entries(source))]
    log, ids = RowLog(), {trees[0].root: 0}
    sums: dict[str, tuple[int, float]] = {}  # visits and value sum so far
    off_path = 0
    known: Document = {}  # what the log says of each node in the end
    for tree in trees:
        known |= {node: _known(tree, node) for node in tree.data}
    for number, tree in enumerate(trees):
        if tree.root != trees[0].root:
            raise ImportFormatError(
                f"{source}: logs[{number}] has the root {tree.root}, the first one {trees[0].root}; a log "
                "tells of one search: save each search's log in a file of its own"
            )
        _log_new_nodes(log, tree, ids, known)
        off_path += _log_path(log, tree, ids, sums)
    values = [*log.updates[5::3], 0.0]  # of single visits, but the root's
    values_seen = value_range(min(values), max(values), two_sided=False)
    meta = {
        **base_meta("language-model search", "mcts_viz.from_llm_reasoners", software()),
        "root": {"to_move": 0, "label": "question", "state": _text(known[trees[0].root])},
        "players": ["language model"],
        "value_range": values_seen,
        "reward_range": values_seen,
        "step_rewards": True,
        "policies": {"selection": {"name": "uct of llm-reasoners"}},
        "budget": {"iterations": len(trees), "seconds": None},
        "not_observed": NOT_OBSERVED,
        "notes": [FROM_PATHS, *([OFF_PATH.format(n=off_path)] if off_path else [])],
    }
    return whole_trace(meta, log.take(), path, trace)


def _entries(source: str | Path) -> list[LogEntry]:
    try:
        content = Path(source).read_bytes()
    except (OSError, ValueError) as err:
        reason = getattr(err, "strerror", None) or err
        raise ImportFormatError(f"cannot read {source}: {reason}; give a JSON file") from err
    return decoded(content, LOG, str(source), REMEDY).logs


def _tree(entry: LogEntry, place: str) -> LogTree:
    """One entry, checked to be a tree."""
    nodes, edges = _by_id(entry.nodes, f"{place}.nodes"), _by_id(entry.edges, f"{place}.edges")
    into: dict[str, tuple[str, Document]] = {}
    for id_, edge in edges.items():
        ends = str(edge.get("source")), str(edge.get("target"))
        if not {*ends} <= set(nodes) or ends[1] in into:
            raise ImportFormatError(
                f"{place}: edge {id_} leads from {ends[0]} to {ends[1]}, which makes no tree; nodes there are: "
                f"{', '.join(list(nodes)[:10])}"
            )
        into[ends[1]] = (ends[0], _dict(edge.get("data")))
        value = _value(into[ends[1]][1])
        if abs(value) > FLOAT32:
            raise ImportFormatError(
                f"{place}: edge {id_}: its value {value:g} is more than a trace can hold (up to {FLOAT32:.1e}); "
                "correct the reward that it comes from"
            )
    roots = [node for node in nodes if node not in into]
    if len(roots) != 1:
        raise ImportFormatError(f"{place}: {len(roots)} nodes have no parent; a tree has one root")
    _check_reached(nodes, into, roots[0], place)
    taken = {
        node: str(edges[str(found["selected_edge"])]["target"])
        for node, found in nodes.items()
        if str(found.get("selected_edge")) in edges
    }
    data = {node: _dict(found.get("data")) for node, found in nodes.items()}
    return LogTree(data, taken, into, roots[0])


def _check_reached(
    nodes: Iterable[str], into: Mapping[str, tuple[str, object]], root: str, place: str
) -> None:
    """Refuse nodes that no way from the root leads to: every one of them has a parent, so they are
    below each other, and would be lost in silence."""
    reached = {root}
    for node in nodes:
        way: dict[str, None] = {}  # in order, without a node twice
        while node not in reached:
            if node in way:
                within = list(way)[list(way).index(node) :]  # without what hangs below it
                circle = " → ".join([within[-1], *reversed(within[:-1]), within[-1]])
                raise ImportFormatError(
                    f"{place}: the edges {circle} make a circle that the root {root} does not lead to; in a tree "
                    "every node is below the root: correct the edges"
                )
            way[node] = None
            node = into[node][0]
        reached.update(way)


def _by_id(found: LogItems, place: str) -> dict[str, Document]:
    """Nodes or edges by their ids, whether the log keeps them in an object or in a list."""
    items = list(found.values()) if isinstance(found, dict) else found
    for number, item in enumerate(items):
        if "id" not in item:
            raise ImportFormatError(f"{place}[{number}].id: missing; {REMEDY}")
    return {str(item["id"]): item for item in items}


def _dict(found: object) -> Document:
    return found if isinstance(found, dict) else {} if found is None else {"data": found}


def _known(tree: LogTree, node: str) -> Document:
    """What the log says of a node but its Q, which is its value."""
    _, edge = tree.into.get(node, ("", {}))
    return {key: found for key, found in {**tree.data[node], **edge}.items() if key != "Q"}


def _log_new_nodes(
    log: RowLog, tree: LogTree, ids: dict[str, int], known: Mapping[str, ReadDocument]
) -> None:
    """Log the nodes that were not there before, parents first, with their final texts."""
    children: dict[str, list[str]] = {}
    for node, (parent, _) in tree.into.items():
        children.setdefault(parent, []).append(node)
    waiting = [tree.root]
    while waiting:
        parent = waiting.pop(0)
        for place, node in enumerate(children.get(parent, [])):
            waiting.append(node)
            if node in ids:
                continue
            ids[node] = len(ids)
            log.nodes += (ids[parent], place, 0)
            log.add_to_node("state", _text(known[node]))
            log.add_to_node("label", _name(known[node], node))


def _log_path(
    log: RowLog, tree: LogTree, ids: dict[str, int], sums: dict[str, tuple[int, float]]
) -> bool:
    """Log one iteration; whether a value changed beside its path."""
    path, leaf = [tree.root], tree.root
    while leaf in tree.taken and tree.taken[leaf] not in path:
        leaf = tree.taken[leaf]
        path.append(leaf)
    log.updates += (0, 1, 0.0)
    for node in path[1:]:
        visits, total = sums.get(node, (0, 0.0))
        wanted = sum_of_mean(_value(tree.into[node][1]), visits + 1)
        log.updates += (ids[node], 1, wanted - total)
        sums[node] = (visits + 1, total + (wanted - total))
    beside = False
    for node, (visits, total) in sums.items():
        if node in path or node not in tree.into:
            continue
        wanted = sum_of_mean(_value(tree.into[node][1]), visits)
        if wanted != total:
            beside = True
            log.updates += (ids[node], 0, wanted - total)
            sums[node] = (visits, total + (wanted - total))
    log.end_iteration(ids[leaf], 0)
    return beside


def _value(edge: ReadDocument) -> float:
    """The edge's Q, else its reward; 0 where it has no finite one."""
    for name in VALUES:
        found = edge.get(name)
        if not isinstance(found, (int, float)) or isinstance(found, bool):
            continue
        try:
            value = float(found)
        except OverflowError:  # a whole number of hundreds of digits
            continue
        if math.isfinite(value):
            return value
    return 0.0


def _name(known: ReadDocument, node: str) -> str:
    """A short name of the step into a node."""
    for key in ACTIONS:
        if known.get(key):
            text = str(storable_text(known[key])).strip().replace("\n", " ")
            return text if len(text) <= MOST_NAME else text[: MOST_NAME - 1] + "…"
    return f"step {node}"


def _text(data: ReadDocument) -> str | None:
    """What the log says of a node, a line for each key."""
    lines = [f"{key}: {found}" for key, found in data.items() if found is not None]
    return storable_text("\n".join(lines)) if lines else None
