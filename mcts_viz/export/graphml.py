"""A snapshot as GraphML, for Gephi, yEd, igraph and `networkx.read_graphml(path, node_type=int)`.

A statistic that does not exist (nan, no prior) is an absent <data>; an infinite one is "Infinity",
as GraphML takes its number format from Java. Lists and objects of the metadata are JSON text in
<data> of the graph. Characters that XML cannot hold become U+FFFD.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mcts_viz.export.fields import (
    EDGE_FIELDS,
    Field,
    Kind,
    Texts,
    as_bytes,
    field_texts,
    fields_of,
    joined,
    or_else,
    present,
)
from mcts_viz.export.node_link import graph_attributes, json_text
from mcts_viz.trace.snapshot import Snapshot
from mcts_viz.types import Document
from mcts_viz.views.markup import xml_text

TYPES: dict[Kind, str] = {
    "integer": "int",
    "number": "double",
    "boolean": "boolean",
    "text": "string",
    "numbers": "string",
}
HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<graphml xmlns="http://graphml.graphdrawing.org/xmlns" '
    'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
    'xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns '
    'http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">\n'
)


def graphml_chunks(snapshot: Snapshot) -> Iterator[bytes]:
    """The document in pieces, one line a node and one an edge."""
    graph = graph_attributes(snapshot)
    yield (_keys(graph, fields_of(snapshot)) + _graph_data(graph)).encode()
    for columns in field_texts(snapshot, xml_text, infinity="Infinity"):
        yield as_bytes(_node_lines(columns), "\n") + b"\n"
    for columns in field_texts(snapshot, xml_text, infinity="Infinity", only=EDGE_FIELDS):
        yield as_bytes(_edge_lines(columns), "")
    yield b"</graph>\n</graphml>\n"


def _keys(graph: Document, fields: Iterable[Field]) -> str:
    node_keys = [(f.name, "node", TYPES[f.kind]) for f in fields if f.name != "id"]
    graph_keys = [(name, "graph", _type_of(value)) for name, value in graph.items()]
    keys = [*graph_keys, *node_keys, ("action", "edge", "int")]
    lines = "".join(
        f'<key id="{scope}_{xml_text(name)}" for="{scope}" attr.name="{xml_text(name)}" '
        f'attr.type="{type_}"/>\n'
        for name, scope, type_ in keys
    )
    return f"{HEAD}{lines}"


def _type_of(value: object) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int) and abs(value) < 2**63:
        return "int" if abs(value) < 2**31 else "long"
    return "double" if isinstance(value, float) else "string"


def _graph_data(graph: Document) -> str:
    lines = "".join(
        f'<data key="graph_{xml_text(name)}">'
        f"{xml_text(value if isinstance(value, str) else json_text(value))}</data>\n"
        for name, value in graph.items()
        if value is not None
    )
    return f'<graph id="tree" edgedefault="directed">\n{lines}'


def _node_lines(columns: dict[str, Texts]) -> Texts:
    pieces: list[Texts | str] = ['<node id="', columns["id"], '">']
    for name, texts in columns.items():
        if name != "id":
            data = joined([f'<data key="node_{name}">', texts, "</data>"])
            pieces.append(or_else(data, ""))
    return joined([*pieces, "</node>"])


def _edge_lines(columns: dict[str, Texts]) -> Texts:
    action = joined(['<data key="edge_action">', columns["action"], "</data>"])
    source, target, action = columns["parent"], columns["id"], or_else(action, "")
    lines = joined(['<edge source="', source, '" target="', target, '">', action, "</edge>\n"])
    return present(lines)  # the root has no parent, so no edge
