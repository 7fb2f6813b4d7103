"""A snapshot's JSON is networkx node-link data, keeps to its schema, and carries every statistic."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import jsonschema
import networkx as nx
import numpy as np
import pytest

from mcts_viz.errors import ExportError, TraceError
from mcts_viz.export.fields import CHUNK, FIELDS, OPTIONAL
from mcts_viz.export.node_link import node_link_chunks, to_node_link
from mcts_viz.trace.meta import TraceMeta
from tests.export.trees import ABSENT, META, HandMade, bushy, chain, tree

FIELD_NAMES = tuple(field.name for field in FIELDS)
SCHEMA = json.loads((Path(__file__).parents[2] / "docs/snapshot.schema.json").read_text())


def validate(document: Any) -> None:
    """Raise jsonschema.ValidationError where the document does not keep to the schema."""
    jsonschema.Draft202012Validator(SCHEMA).validate(document)


def in_json(value: Any) -> Any:
    """A number of a column as JSON shows it."""
    number = value.item()
    return None if isinstance(number, float) and not math.isfinite(number) else number


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_every_key_of_node_and_graph_is_described_with_its_meaning() -> None:
    graph = SCHEMA["properties"]["graph"]["properties"]
    node = SCHEMA["$defs"]["node"]["properties"]
    assert all("description" in entry for entry in [*graph.values(), *node.values()])
    assert set(node) == {field.name for field in (*FIELDS, *OPTIONAL)}
    assert set(to_node_link(bushy(3))["graph"]) - {"note"} == set(graph)


def test_an_export_keeps_to_the_schema() -> None:
    validate(to_node_link(bushy(300)))
    validate(to_node_link(tree([-1, 0], states=["X", None])))


def test_networkx_reads_it_as_the_tree() -> None:
    snapshot = bushy(50)
    graph = nx.node_link_graph(to_node_link(snapshot), edges="edges")
    assert nx.is_arborescence(graph)
    assert list(graph) == list(range(50))
    for node in range(1, 50):
        parent = int(snapshot.parent[node])
        assert graph.edges[parent, node] == {"action": int(snapshot.action[node])}


def test_it_carries_every_column_exactly() -> None:
    snapshot = bushy(3 * CHUNK + 7)
    document = to_node_link(snapshot)
    for name in FIELD_NAMES[4:]:
        if name in ("to_move", "label", "state", *ABSENT):
            continue
        column = getattr(snapshot, name)
        assert [node[name] for node in document["nodes"]] == [in_json(x) for x in column], name
    assert [node["id"] for node in document["nodes"]] == list(range(snapshot.n_nodes))
    assert [node["label"] for node in document["nodes"]] == snapshot.names
    players = [node["to_move"] for node in document["nodes"]]
    assert players == [None if p < 0 else p for p in snapshot.to_move]


def test_what_does_not_exist_is_null() -> None:
    #   root ── visited
    #      └─── not visited, and the trace has no prior for it
    snapshot = tree(
        [-1, 0, 0],
        visits=np.array([1, 1, 0], np.int32),
        prior=np.full(3, np.nan, np.float32),
        to_move=np.array([0, -1, 1], np.int8),
    )
    root, visited, unvisited = to_node_link(snapshot)["nodes"]
    assert root["parent"] is root["action"] is root["uct"] is root["value_term"] is None
    assert visited["uct"] == visited["value_term"] + visited["exploration_term"]
    assert visited["to_move"] is None
    assert unvisited["mean_value"] is unvisited["uct"] is unvisited["exploration_term"] is None
    assert unvisited["prior"] is unvisited["state"] is None


def test_floats_look_like_floats_and_read_back_as_themselves() -> None:
    numbers = [0.0, -0.0, 1.0, 0.1, 1e20, 1e22, 1e300, 5e-324, 1e-7, -12345678901234567.0, 1 / 3]
    snapshot = tree(
        [-1, *[0] * (len(numbers) - 1)],
        value_sum=np.array(numbers),
        visits=np.ones(len(numbers), np.int32),
    )
    found = [node["value_sum"] for node in to_node_link(snapshot)["nodes"]]
    assert list(map(repr, found)) == list(map(repr, numbers))


def test_the_graph_holds_the_whole_metadata_and_the_chosen_move() -> None:
    graph = to_node_link(bushy(3))["graph"]
    kept = {key: value for key, value in META.items() if key not in ("kind", "format_version")}
    assert graph.items() >= kept.items()
    assert graph["format"] == "mcts_viz.snapshot"
    assert graph["version"] == 1
    assert graph["iteration"] == 250
    assert graph["best_action"] == 4
    assert graph["best_action_name"] == "b2"
    assert graph["principal_variation"] == [4, 0]


def test_a_single_root_is_a_tree() -> None:
    document = to_node_link(tree([-1]))
    validate(document)
    assert document["edges"] == []


def test_hostile_text_is_kept_and_cannot_leave_a_script_element() -> None:
    names = ["root", "</script><!--", 'a"b\\', "\x00\n\r\t\u2028", "ünïcode 𝔘", "\ud83d half"]
    text = b"".join(node_link_chunks(tree([-1, 0, 0, 0, 0, 0], names=names)))
    assert text.isascii()
    assert b"<" not in text
    found = [node["label"] for node in json.loads(text)["nodes"]]
    assert found == [*names[:-1], "\ufffd half"]


def test_ten_thousand_deep_exports_without_recursion() -> None:
    document = to_node_link(chain(10_000))
    assert document["nodes"][-1]["depth"] == 9_999
    assert nx.dag_longest_path_length(nx.node_link_graph(document, edges="edges")) == 9_999


def test_metadata_that_json_cannot_hold_is_refused_before_the_first_piece() -> None:
    with pytest.raises(TraceError, match="note: NaN is not a finite number"):
        TraceMeta({**META, "note": math.nan})
    for value in (object(), {1: {2}}):
        snapshot = bushy(3)
        snapshot.meta = TraceMeta({**META, "note": value})
        with pytest.raises(ExportError, match="metadata cannot be written as JSON"):
            next(node_link_chunks(snapshot))


@pytest.mark.parametrize(
    ("place", "key", "value"),
    [
        ("node", "visits", -1),
        ("node", "visits", True),
        ("node", "visits", 1.5),
        ("node", "value_sum", None),
        ("node", "to_move", 16),
        ("node", "terminal", 0),
        ("node", "label", 7),
        ("node", "action", 2**31),
        ("node", "id", None),
        ("graph", "format", "other"),
        ("graph", "version", 2),
        ("graph", "players", ["X"] * 17),
        ("graph", "value_range", [0]),
        ("graph", "policies", []),
        ("graph", "iteration", -1),
        ("edge", "source", None),
        ("document", "directed", False),
        ("document", "nodes", []),
    ],
)
def test_the_schema_refuses_what_is_wrong(place: str, key: str, value: Any) -> None:
    document = to_node_link(bushy(3))
    parts = {
        "node": document["nodes"][1],
        "graph": document["graph"],
        "edge": document["edges"][0],
        "document": document,
    }
    validate(document)
    parts[place][key] = value
    with pytest.raises(jsonschema.ValidationError):
        validate(document)
    del parts[place][key]
    with pytest.raises(jsonschema.ValidationError):
        validate(document)


def test_states_travel() -> None:
    snapshot: HandMade = tree([-1, 0, 0], states=["X..", None, ""])
    assert [node["state"] for node in to_node_link(snapshot)["nodes"]] == ["X..", None, ""]
