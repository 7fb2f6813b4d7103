"""A snapshot's JSON comes back with equal numbers; anything else is refused with place and remedy."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from mcts_viz.errors import ImportFormatError
from mcts_viz.export.formats import write
from mcts_viz.export.node_link import node_link_chunks, to_node_link
from mcts_viz.importing.snapshot_document import (
    SnapshotDocument,
    looks_like_json,
    parse_snapshot_document,
    read_snapshot_document,
)
from mcts_viz.trace.surrogates import LONE_SURROGATE
from tests.export.trees import META, HandMade, bushy, chain, tree

COLUMNS = (
    "parent", "action", "to_move", "prior", "outcome", "proven", "visits", "value_sum", "born",
)  # fmt: skip
Document = dict[str, Any]


def parsed(document: object) -> SnapshotDocument:
    """What is read from the document's JSON."""
    return parse_snapshot_document(json.dumps(document).encode(), "t.json")


def written(snapshot: HandMade) -> bytes:
    """The snapshot's JSON."""
    return b"".join(node_link_chunks(snapshot))


def assert_equal(found: SnapshotDocument, snapshot: HandMade) -> None:
    """Every recorded number, text and piece of metadata is what it was, of the same type."""
    for name in COLUMNS:
        column = getattr(snapshot, name)
        assert getattr(found, name).dtype == column.dtype, name
        assert np.array_equal(getattr(found, name), column, equal_nan=True), name
    assert found.iteration == snapshot.iteration
    assert found.labels == [LONE_SURROGATE.sub("\ufffd", name) for name in snapshot.names]
    states = [
        None if state is None else LONE_SURROGATE.sub("\ufffd", state)
        for state in (snapshot.states or [None] * snapshot.n_nodes)
    ]
    assert (found.states or [None] * snapshot.n_nodes) == states
    derived = ("kind", "format_version")
    assert found.meta == {key: value for key, value in META.items() if key not in derived}


@st.composite
def snapshots(draw: st.DrawFn) -> HandMade:
    """Trees of any shape with any numbers and texts."""
    n = draw(st.integers(1, 30))
    parent = [-1, *(draw(st.integers(0, node - 1)) for node in range(1, n))]
    prior: Any = st.one_of(st.just(np.nan), st.floats(width=32, allow_infinity=False))
    text = st.text(st.characters(exclude_categories=[]), max_size=8)
    hostile = st.sampled_from(["</script>", '"', "\\", "\n\r\0", "\ud800", "null", "\u2028"])
    return tree(
        parent,
        seed=draw(st.integers(0, 99)),
        prior=draw(hnp.arrays(np.float32, n, elements=prior)),
        value_sum=draw(
            hnp.arrays(np.float64, n, elements=st.floats(-1e300, 1e300, allow_nan=False))
        ),
        visits=draw(hnp.arrays(np.int32, n, elements=st.integers(0, 2**31 - 1))),
        names=draw(st.lists(text | hostile, min_size=n, max_size=n)),
        states=draw(st.none() | st.lists(st.none() | text, min_size=n, max_size=n)),
    )


@given(snapshots())
def test_a_snapshot_comes_back_as_it_was(snapshot: HandMade) -> None:
    assert_equal(parse_snapshot_document(written(snapshot), "t.json"), snapshot)


@pytest.mark.thorough
@pytest.mark.parametrize("make", [lambda: chain(10_000), lambda: bushy(200_000)])
def test_deep_and_large_trees_come_back(make: Callable[[], HandMade], tmp_path: Path) -> None:
    snapshot = make()
    assert_equal(read_snapshot_document(write(snapshot, tmp_path / "t.json")), snapshot)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32"])
def test_any_unicode_encoding_and_any_spacing_is_read(encoding: str) -> None:
    snapshot = bushy(20)
    text = json.dumps(to_node_link(snapshot), indent="\t", ensure_ascii=False)
    content = f"\n {text} \r\n".encode(encoding)
    assert looks_like_json(content[:64])
    assert_equal(parse_snapshot_document(content, "t.json"), snapshot)


def test_a_trace_does_not_look_like_json() -> None:
    assert not looks_like_json(b"\xff\xff\xff\xff\x80\x06\x00\x00")
    assert not looks_like_json(b"")


def through_networkx(snapshot: HandMade) -> nx.DiGraph[Any]:
    """The graph that a user edits."""
    return nx.node_link_graph(to_node_link(snapshot), edges="edges")


@pytest.mark.parametrize("edges", ["edges", "links"])
def test_what_networkx_writes_is_read(edges: str) -> None:
    snapshot = bushy(20)
    document = nx.node_link_data(through_networkx(snapshot), edges=edges)
    assert_equal(parsed(document), snapshot)


def test_keys_may_come_in_any_order() -> None:
    snapshot = bushy(20)
    document = dict(reversed(to_node_link(snapshot).items()))
    assert next(iter(document)) == "edges"
    assert_equal(parsed(document), snapshot)


def test_nodes_in_another_order_keep_their_ids() -> None:
    snapshot = bushy(40)
    document = to_node_link(snapshot)
    np.random.default_rng(1).shuffle(document["nodes"])
    document["edges"].reverse()
    assert_equal(parsed(document), snapshot)


def test_a_pruned_graph_is_numbered_afresh_in_order_of_creation() -> None:
    #   0 ─ 1 ─ 3      without 1 and below:   0 ─ 2 ─ 4   →   0 ─ 1 ─ 2
    #   └── 2 ─ 4
    graph = through_networkx(tree([-1, 0, 0, 1, 2]))
    visits = [graph.nodes[node]["visits"] for node in (0, 2, 4)]
    graph.remove_nodes_from([1, 3])
    found = parsed(nx.node_link_data(graph, edges="edges"))
    assert found.parent.tolist() == [-1, 0, 1]
    assert found.visits.tolist() == visits


def test_names_as_ids_are_numbered_parents_first() -> None:
    graph = through_networkx(tree([-1, 0, 0, 1, 2]))
    visits = [graph.nodes[node]["visits"] for node in range(5)]
    for attributes in graph.nodes.values():
        del attributes["parent"]
    graph = nx.relabel_nodes(graph, {node: "edcba"[node] for node in graph})
    document = nx.node_link_data(graph, edges="edges")
    document["nodes"].reverse()
    found = parsed(document)
    #   in the file: 4 3 2 1 0, so of what is reachable 0, then 2 and what hangs below it
    assert found.parent.tolist() == [-1, 0, 1, 0, 3]
    assert found.visits.tolist() == [visits[node] for node in (0, 2, 4, 1, 3)]


def test_ids_that_run_against_the_tree_are_turned_round() -> None:
    snapshot = chain(2_000)
    document = to_node_link(snapshot)
    for node in document["nodes"]:
        node["id"] = 1_999 - node["id"]
        node["parent"] = None if node["parent"] is None else 1_999 - node["parent"]
    for edge in document["edges"]:
        edge.update(source=1_999 - edge["source"], target=1_999 - edge["target"])
    assert_equal(parsed(document), snapshot)


def test_only_what_cannot_be_computed_is_needed() -> None:
    document = to_node_link(bushy(3))
    needed = ("id", "action", "to_move", "visits", "value_sum")
    document["nodes"] = [{name: node[name] for name in needed} for node in document["nodes"]]
    for edge in document["edges"]:
        del edge["action"]
    found = parsed(document)
    assert found.parent.tolist() == bushy(3).parent.tolist()
    assert np.isnan(found.prior).all()
    assert found.labels is found.states is None
    assert found.born.tolist() == [0, 0, 0]


def test_whole_floats_are_whole_numbers() -> None:
    document = to_node_link(bushy(3))
    document["nodes"][1]["visits"] = 7.0
    document["nodes"][1]["mean_value"] = document["nodes"][1]["value_sum"] / 7
    assert parsed(document).visits[1] == 7


def test_unknown_metadata_is_kept_and_unknown_attributes_are_ignored() -> None:
    document = to_node_link(bushy(3))
    document["graph"]["mine"] = {"a": [1]}
    document["nodes"][1]["pagerank"] = 0.5
    document["made_by"] = "hand"
    assert parsed(document).meta["mine"] == {"a": [1]}


# ------------------------------------------------------------------------------------ refusals

SMALL = json.dumps(to_node_link(bushy(3)))


def twice(name: str, value: str) -> bytes:
    """The small document, in which one object has a name a second time."""
    return SMALL.replace(f'"{name}":', f'"{name}": {value}, "{name}":', 1).encode()


def with_number(digits: bytes) -> bytes:
    """The small document with another number of visits at the root."""
    return re.sub(rb'"visits": \d+', b'"visits": ' + digits, SMALL.encode(), count=1)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not a JSON object; a snapshot begins with {: export one as .json"),
        (b"[1]", "not a JSON object"),
        (b"ARROW1", "not a JSON object"),
        (b'{"a": \xff}', "byte 6 is not utf-8 text; a snapshot is JSON in UTF-8"),
        (b"{}", 'it has no "graph", so it is not a snapshot of mcts_viz; export one as .json'),
        (b'{"graph": ', "it ends too early, after 9 bytes; it was cut off"),
        (SMALL[:-40].encode(), "it was cut off; mend it there, or export the snapshot again"),
        (b'{\n "a": nul}', "line 2, column 8, near '  \"a\": nul}': invalid character"),
        (b'{"a" 1}', "line 1, column 6, near '{\"a\" 1}': expected ':'"),
        (b'{"a": 1 "b": 2}', "column 9, near '{\"a\": 1 \"b\": 2}': expected ',' or '}'"),
        (b"{1: 2}", "line 1, column 2, near '{1: 2}': object keys must be strings"),
        (f'{SMALL[:-1]}, "graph": {{}}}}'.encode(), 'does not say "format"'),
        (twice("directed", "true"), 'the name "directed" occurs twice in one object'),
        (twice("seed", "1"), 'the name "seed" occurs twice in one object'),
        (twice("preset", '"uct"'), 'the name "preset" occurs twice in one object'),
        (twice("visits", "7"), 'the name "visits" occurs twice in one object'),
        (twice("target", "1"), 'the name "target" occurs twice in one object'),
        (b'{"x": NaN}', "column 7, near '{\"x\": NaN}': NaN is no number of JSON"),
        (b'{"x": [-Infinity]}', "Infinity is no number of JSON"),
        (with_number(b"9" * 5000), "nodes[0].visits: the value there is not a number that fits"),
        (with_number(b"1e999"), "nodes[0].visits: "),
        (b'{"x": ' + b"[" * 1_000_000, "lists and objects are nested too deeply"),
        (b'{"x": 1} {}', "trailing characters"),
        (SMALL.replace("}]}", "},]}").encode(), "trailing comma in array"),
    ],
)
def test_text_that_is_no_snapshot_is_refused(content: bytes, message: str) -> None:
    with pytest.raises(ImportFormatError, match=re.escape(message)) as caught:
        parse_snapshot_document(content, "some/t.json")
    assert str(caught.value).startswith("some/t.json: ")
    assert "\n" not in str(caught.value)


def put(*path: str | int, value: Any) -> Callable[[Document], None]:
    """A change of one place of a document."""

    def change(document: Any) -> None:
        for key in path[:-1]:
            document = document[key]
        document[path[-1]] = value

    return change


def drop(*path: str | int) -> Callable[[Document], None]:
    """The removal of one place of a document."""

    def change(document: Any) -> None:
        for key in path[:-1]:
            document = document[key]
        del document[path[-1]]

    return change


def nested(depth: int) -> Any:
    """A list in a list in a list …"""
    value: Any = 0
    for _ in range(depth):
        value = [value]
    return value


#   the document that is changed:  0 ─ 1 ─ 3
#                                  └── 2
REFUSED: list[tuple[Callable[[Document], None], str]] = [
    (put("graph", value=[]), "graph: [] is not an object"),
    (put("graph", value={}), 'its "graph" does not say "format": "mcts_viz.snapshot"'),
    (put("graph", "format", value="cytoscape"), "so it is not a snapshot of mcts_viz"),
    (put("graph", "version", value=2), "this version of mcts_viz reads up to 1; update mcts_viz"),
    (put("graph", "version", value=True), "graph.version: true is not a version number from 1"),
    (drop("graph", "version"), "graph.version: null is not a version number from 1"),
    (drop("graph"), 'it has no "graph"'),
    (drop("graph", "game"), 'graph.game: missing; write an object with a "name"'),
    (drop("graph", "iteration"), "graph.iteration: missing; write a whole number from 0"),
    (put("graph", "iteration", value=2.5), "graph.iteration: 2.5 is not a whole number"),
    (put("graph", "players", value=[]), "graph.players: [] is not a list of length >= 1; write a name for each player"),
    (put("graph", "value_range", value=[1, 0]), "graph.value_range: [1.0, 0.0] is empty; write [least, greatest]"),
    (put("graph", "reward_range", value="any"), 'graph.reward_range: "any" is not a list; write [least, greatest]'),
    (put("graph", "policies", "selection", value="ucb1"), 'graph.policies.selection: "ucb1" is not an object'),
    (put("graph", "policies", "selection", "c", value="2"), 'graph.policies.selection.c: "2" is not a number'),
    (put("graph", "seed", value=True), "graph.seed: true is not a whole number, or null"),
    (put("graph", "action_labels", value=["a", 1]), "graph.action_labels[1]: 1 is not text in quotes"),
    (put("graph", "note", value=nested(65)), "graph nests lists and objects more than 64 deep"),
    (put("directed", value=False), "directed: false; write true"),
    (drop("directed"), "directed: missing; write true"),
    (put("multigraph", value=True), "multigraph: true; write false"),
    (drop("nodes"), 'it has no "nodes"; add the list of nodes'),
    (drop("edges"), 'it has no "edges"; add the list of edges'),
    (put("links", value=[]), 'it has both "edges" and "links"; remove one'),
    (put("nodes", value=[]), "it has no nodes; a snapshot has at least its root"),
    (put("nodes", value={}), "nodes: {} is not a list"),
    (put("nodes", 1, value=7), "nodes[1]: 7 is not an object"),
    (put("edges", 1, value=[0, 1]), "edges[1]: [0, 1] is not an object"),
    (drop("nodes", 1, "id"), "nodes[1].id: missing; write a whole number or a text"),
    (put("nodes", 1, "id", value=True), "nodes[1].id: true is not a whole number, or text"),
    (put("nodes", 1, "id", value=1.5), "nodes[1].id: 1.5 is not a whole number, or text"),
    (put("nodes", 3, "id", value=2), "nodes[2] and nodes[3] have the same id 2; ids must be dist"),
    (drop("nodes", 2, "visits"), "nodes[2].visits: missing"),
    (put("nodes", 1, "visits", value=-1), "nodes[1].visits: -1 is not a whole number >= 0"),
    (put("nodes", 1, "visits", value=True), "nodes[1].visits: true is not a whole number"),
    (put("nodes", 1, "visits", value=None), "nodes[1].visits: null is not a whole number"),
    (put("nodes", 1, "visits", value=1.5), "nodes[1].visits: 1.5 is not a whole number"),
    (put("nodes", 1, "visits", value=2**31), "nodes[1].visits: 2147483648 is not a whole number <= 2147483647"),
    (put("nodes", 1, "visits", value=10**400), "nodes[1].visits: 10000"),
    (put("nodes", 1, "visits", value="7"), 'nodes[1].visits: "7" is not a whole number'),
    (put("nodes", 1, "value_sum", value="x"), 'nodes[1].value_sum: "x" is not a number'),
    (put("nodes", 1, "value_sum", value=False), "nodes[1].value_sum: false is not a number"),
    (put("nodes", 1, "value_sum", value=10**400), "nodes[1].value_sum: 100000"),
    (put("nodes", 1, "prior", value=1e300), "nodes[1].prior: 1e+300 is not a number <= 3.4028"),
    (put("nodes", 1, "to_move", value=2), "nodes[1].to_move: 2 is not a whole number <= 1"),
    (put("nodes", 1, "action", value=-1), "nodes[1].action: -1 is not a whole number >= 0"),
    (put("nodes", 1, "label", value=3), "nodes[1].label: 3 is not text in quotes"),
    (put("nodes", 1, "state", value=[1]), "nodes[1].state: [1] is not text in quotes"),
    (put("nodes", 1, "terminal", value=1), "nodes[1].terminal: 1 is not true or false"),
    (put("nodes", 1, "born", value="early"), 'nodes[1].born: "early" is not a whole number'),
    (put("nodes", 1, "terminal", value=True), 'node 1: "terminal" and "outcome" disagree'),
    (put("nodes", 1, "outcome", value=1), 'node 1: "terminal" and "outcome" disagree'),
    (put("nodes", 1, "proven", value="win"), 'nodes[1].proven: "win" is not a number'),
    (put("nodes", 1, "mean_value", value=99), 'node 1: "mean_value" is not value_sum / visits'),
    (put("nodes", 3, "parent", value=9), 'node 3: "parent" is 9, and there is no such node; name'),
    (put("nodes", 3, "parent", value=True), "nodes[3].parent: true is not a whole number, or text"),
    (put("nodes", 3, "parent", value=2), 'node 3: "parent" is 2, but its edge comes from 1; cor'),
    (put("nodes", 3, "parent", value=None), 'node 3: "parent" is null, but its edge comes from 1'),
    (put("edges", 2, "source", value=9), "edges[2].source: there is no node 9; write the id of a node"),
    (put("edges", 2, "target", value=[3]), "edges[2].target: [3] is not a whole number, or text"),
    (drop("edges", 2, "source"), "edges[2].source: missing"),
    (put("edges", 2, "target", value=2), "node 2 has two parents, 0 and 1 (edges[2]); in a tree"),
    (put("edges", 0, "action", value=77), 'node 1: "action" is 5, but its edge says 77; correct'),
    (drop("edges", 2), 'node 3: "parent" is 1, but no edge leads to it; correct one of the two'),
]  # fmt: skip


@pytest.mark.parametrize(("change", "message"), REFUSED, ids=[message for _, message in REFUSED])
def test_a_document_that_breaks_the_format_is_refused(
    change: Callable[[Document], None], message: str
) -> None:
    document = to_node_link(tree([-1, 0, 0, 1], outcome=np.full(4, np.nan, np.float32)))
    document["nodes"][1]["action"] = document["edges"][0]["action"] = 5
    parsed(document)
    change(document)
    with pytest.raises(ImportFormatError, match=re.escape(message)) as caught:
        parsed(document)
    assert str(caught.value).startswith("t.json: ")


def without_parents(snapshot: HandMade) -> Document:
    """A document whose tree is in its edges alone."""
    document = to_node_link(snapshot)
    for node in document["nodes"]:
        del node["parent"]
    return document


def test_two_roots_are_refused() -> None:
    document = without_parents(tree([-1, 0, 0, 1]))
    del document["edges"][0]
    message = "2 nodes have no parent (0, 1), so this is more than one tree; add the missing edges"
    with pytest.raises(ImportFormatError, match=re.escape(message)):
        parsed(document)


@pytest.mark.parametrize("circle", [[1, 3, 1], [3, 3]])
def test_a_circle_beside_the_tree_is_refused(circle: list[int]) -> None:
    document = without_parents(tree([-1, 0, 0, 1]))
    document["edges"] = [{"source": 0, "target": 2}]
    if 1 not in circle:
        document["edges"].append({"source": 0, "target": 1})
    document["edges"] += [{"source": a, "target": b} for a, b in pairwise(circle)]
    with pytest.raises(ImportFormatError, match=r"node [13] is its own ancestor: its edges run"):
        parsed(document)


def test_a_circle_through_the_root_is_refused() -> None:
    document = without_parents(tree([-1, 0, 1]))
    document["edges"].append({"source": 2, "target": 0, "action": None})
    with pytest.raises(ImportFormatError, match=r"node \d is its own ancestor"):
        parsed(document)


def test_a_culprit_far_down_the_file_is_found() -> None:
    document = to_node_link(bushy(20_000))
    document["nodes"][19_000]["visits"] = "many"
    with pytest.raises(
        ImportFormatError, match=r'nodes\[19000\]\.visits: "many" is not a whole number'
    ):
        parsed(document)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    for path in (tmp_path / "none.json", tmp_path):
        with pytest.raises(ImportFormatError, match=f"cannot read {re.escape(str(path))}: "):
            read_snapshot_document(path)


@given(st.data())
def test_no_damage_ends_in_another_exception(data: st.DataObject) -> None:
    content = bytearray(SMALL.encode())
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(content) - 1))
        piece = data.draw(st.binary(max_size=3) | st.sampled_from([b"[", b"{", b"null", b"1e999"]))
        content[place : place + data.draw(st.integers(0, 30))] = piece
    with contextlib.suppress(ImportFormatError):  # or the damage was to a name that nobody reads
        parse_snapshot_document(bytes(content), "t.json")
