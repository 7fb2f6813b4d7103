"""Searches whose nodes are shared: `shared=True` records each once, with every way to it."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import mcts_viz as mv
from mcts_viz.analysis.node.facts import child_rows
from mcts_viz.export.destination import write_chunks
from mcts_viz.export.events import event_chunks
from tests.complaints import complaints
from tests.recording.graph_searches import GraphUCT, Position
from tests.recording.searches import PlainUCT, play

FIELDS: dict[str, Any] = {
    "children": "children",
    "visits": "visits",
    "value": "wins",
    "to_move": "player",
    "value_range": (0, 1),
    "game": "tic_tac_toe",
    "selection": "ucb1",
    "c": 1.4,
}


def watched(
    iterations: int, search: GraphUCT | None = None, path: Path | None = None, **more: Any
) -> tuple[GraphUCT, mv.Trace]:
    search = search or GraphUCT()
    with mv.record(path, root=search.root, shared=True, **{**FIELDS, **more}) as rec:
        for _ in rec.steps(search.step, iterations):
            pass
    return search, rec.trace


def boards(trace: mv.Trace) -> list[str]:
    """The position of each row, told by the moves that lead there."""
    nodes, found = trace.columns.nodes, ["." * 9]
    for parent, action in zip(nodes.parent[1:].tolist(), nodes.action[1:].tolist()):
        found.append(play(found[parent], action))
    return found


def of_nodes(trace: mv.Trace, t: int, known: list[str]) -> dict[str, tuple[int, float]]:
    """Visits and value of each position after an iteration."""
    snapshot = trace.at(t)
    assert snapshot.same_as is not None
    own = np.flatnonzero(snapshot.same_as < 0).tolist()
    return {known[v]: (int(snapshot.visits[v]), float(snapshot.value_sum[v])) for v in own}


def test_a_trace_has_the_numbers_of_the_nodes_at_every_iteration(tmp_path: Path) -> None:
    search = GraphUCT()
    seen: list[dict[str, tuple[int, float]]] = []
    with mv.record(tmp_path / "graph.mcts", root=search.root, shared=True, **FIELDS) as rec:
        for _ in rec.steps(search.step, 500):
            table = search.table
            seen += [{key: (node.visits, node.wins) for key, node in table.items()}]
    trace = mv.open(tmp_path / "graph.mcts")
    known = boards(trace)
    for t, numbers in enumerate(seen, 1):
        assert of_nodes(trace, t, known) == numbers
    assert rec.trace.at(500).to_json() == trace.at(500).to_json()


def test_each_way_is_one_row_with_the_visits_that_came_that_way() -> None:
    search = GraphUCT()
    taken: Counter[tuple[str, int]] = Counter()
    paths = []
    with mv.record(root=search.root, shared=True, **FIELDS) as rec:
        for _ in rec.steps(search.step, 600):
            paths.append([(node.board, move) for node, move in search.path])
            taken.update(paths[-1])
    trace, snapshot = rec.trace, rec.trace.at(600)
    known = boards(trace)
    edges = [
        (known[parent], action)
        for parent, action in zip(snapshot.parent.tolist(), snapshot.action.tolist())
    ]
    assert len(set(edges)) == trace.n_nodes
    assert {edges[v]: int(snapshot.way_visits[v]) for v in range(1, trace.n_nodes)} == taken
    for t, path in enumerate(paths, 1):
        assert [edges[node] for node in trace.iteration(t).path[1:]] == path
    assert snapshot.same_as is not None
    for way in np.flatnonzero(snapshot.same_as >= 0).tolist():
        ways = snapshot.ways(way)
        assert way in ways
        assert snapshot.parents(way) == [int(snapshot.parent[each]) for each in ways]
        assert sum(int(snapshot.way_visits[each]) for each in ways) == snapshot.node_visits[ways[0]]


def test_watching_changes_nothing_and_a_tree_stays_a_tree() -> None:
    alone = GraphUCT()
    for _ in range(300):
        alone.step()
    search, _ = watched(300)
    assert [node.visits for node in search.table.values()] == [
        n.visits for n in alone.table.values()
    ]
    tree, plain = PlainUCT(), PlainUCT()
    fields = {**FIELDS, "action": "move"}
    with mv.record(root=tree.root, shared=True, **fields) as rec:
        for _ in rec.steps(tree.step, 300):
            pass
    with mv.record(root=plain.root, **fields) as as_tree:
        for _ in as_tree.steps(plain.step, 300):
            pass
    assert rec.trace.columns.updates.node.tolist() == as_tree.trace.columns.updates.node.tolist()
    assert rec.trace.columns.leaf.tolist() == as_tree.trace.columns.leaf.tolist()


def test_a_correct_search_has_no_findings_and_its_choices_are_explained() -> None:
    _, trace = watched(900)
    found = trace.check()
    assert {each.severity for each in found} == {"note"}
    said = next(each.message for each in found if each.check == "selection-rule")
    assert "UCB1 with the declared c = 1.4 explains all" in said
    assert "visits" in str(trace.explain(900))


@pytest.mark.parametrize(
    ("fault", "check", "n"),
    [
        ("stale parent", "shared-stale-parent", 900),
        ("first parent", "shared-stale-parent", 900),
        ("first parent", "shared-stale-parent", 150),  # when there are few
        ("all parents", "visits-double", 900),
    ],
)
def test_a_faulty_back_up_is_named(fault: str, check: str, n: int) -> None:
    _, trace = watched(n, GraphUCT(fault=fault))
    assert check in {each.check for each in trace.check() if each.severity == "error"}


def test_a_way_back_up_is_no_endless_tree_and_is_told() -> None:
    a, b, c = (Position("." * 9) for _ in range(3))
    a.children, b.children = {0: b}, {0: a, 1: c}
    with mv.record(root=a, shared=True, children="children", visits="visits", value="wins") as rec:
        for _ in range(3):
            for node in (a, b, c):
                node.visits += 1
            rec.iteration()
    assert rec.trace.at(3).visits.tolist() == [3, 3, 0, 3]
    assert rec.trace.at(3).parents(0) == [1]
    assert rec.trace.iteration(3).path == [0, 1, 3]
    assert "shared-cycle" in {each.check for each in rec.trace.check()}


def test_iterations_through_a_further_way_are_found() -> None:
    search, trace = watched(400)
    snapshot = trace.at(400)
    assert snapshot.same_as is not None
    way = int(max(np.flatnonzero(snapshot.same_as >= 0), key=lambda each: snapshot.visits[each]))
    through = [t for t in range(1, 401) if way in trace.iteration(t).path]
    assert trace.iterations_through(way) == through
    assert len(through) == snapshot.visits[way]
    assert search.root.visits == 400


def test_events_carry_the_ways(tmp_path: Path) -> None:
    _, trace = watched(200, path=tmp_path / "graph.mcts")
    events = tmp_path / "graph.ndjson"
    write_chunks(events, event_chunks(trace))
    mv.import_trace(events, tmp_path / "again.mcts")
    again = mv.open(tmp_path / "again.mcts")
    for before, after in ((trace, again), (trace, mv.open(tmp_path / "graph.mcts"))):
        same = before.at(200).same_as
        assert same is not None
        assert (same >= 0).any()
        assert same.tolist() == np.asarray(after.at(200).same_as).tolist()
    assert [again.iteration(t).path for t in (150, 200)] == [
        trace.iteration(t).path for t in (150, 200)
    ]


def test_a_file_of_this_version_may_lack_what_came_later(tmp_path: Path) -> None:
    """As those written before nodes could be shared."""
    search = PlainUCT()
    fields = {**FIELDS, "action": "move", "reward": lambda node: 0.0}
    with mv.record(tmp_path / "now.mcts", root=search.root, **fields) as rec:
        for _ in rec.steps(search.step, 50):
            pass
    with pa.ipc.open_stream(tmp_path / "now.mcts") as stream:
        batches = [*stream.iter_batches_with_custom_metadata()]
        schema = stream.schema
    place = schema.get_field_index("new_nodes")
    nodes = schema.field(place)
    kept = [each for each in nodes.type.value_type if each.name != "same_as"]
    older = pa.list_(nodes.type.value_field.with_type(pa.struct(kept)))
    with pa.ipc.new_stream(
        tmp_path / "older.mcts", schema.set(place, nodes.with_type(older))
    ) as out:
        for batch in batches:
            column = batch.batch.column(place)
            items = dict(
                zip((each.name for each in nodes.type.value_type), column.values.flatten())
            )
            values = pa.StructArray.from_arrays([items[each.name] for each in kept], fields=kept)
            columns = batch.batch.columns
            columns[place] = pa.ListArray.from_arrays(column.offsets, values, type=older)
            made = pa.RecordBatch.from_arrays(columns, schema=out_schema(schema, place, older))
            out.write_batch(made, custom_metadata=batch.custom_metadata)
    trace = mv.open(tmp_path / "older.mcts")
    assert trace.at(50).to_json() == rec.trace.at(50).to_json()
    assert trace.at(50).same_as is None


def out_schema(schema: pa.Schema, place: int, kind: pa.DataType) -> pa.Schema:
    """The schema with another type of new nodes."""
    return schema.set(place, schema.field(place).with_type(kind))


def test_every_way_tells_the_visits_of_its_node() -> None:
    _, trace = watched(300)
    snapshot = trace.at(300)
    assert snapshot.same_as is not None
    further = np.flatnonzero(snapshot.same_as >= 0)
    assert len(further)
    first = snapshot.same_as[further]
    assert snapshot.node_visits[further].tolist() == snapshot.visits[first].tolist()
    total = snapshot.way_visits.copy()
    np.add.at(total, first, snapshot.way_visits[further])
    assert total[first].tolist() == snapshot.node_visits[first].tolist()


class Ring:
    """Six places in a circle, one node for each: moves lead back, and a path goes round."""

    def __init__(self, place: int, nodes: dict[int, Ring]) -> None:
        self.place, self.nodes, self.visits, self.wins = place, nodes, 0, 0.0
        self.children: dict[int, Ring] = {}
        nodes[place] = self

    def step(self, draw: random.Random | None = None) -> None:
        path: list[Ring] = [self]
        while len(path[-1].children) == 2 and len(path) < 12:
            best, log = path[-1].children.values(), np.log(path[-1].visits + 1)
            path.append(
                draw.choice([*best])
                if draw
                else max(
                    best, key=lambda each: each.wins / each.visits + (2 * log / each.visits) ** 0.5
                )
            )
        at = path[-1]
        if len(at.children) < 2:
            move = -1 if at.children else 1
            place = (at.place + move) % 6
            at.children[move] = self.nodes.get(place) or Ring(place, self.nodes)
            path.append(at.children[move])
        for each in path:
            each.visits += 1
            each.wins += float(path[-1].place == 3)


@pytest.mark.parametrize("draw", [None, random.Random(1)])
def test_a_path_that_goes_round_counts_a_node_twice(draw: random.Random | None) -> None:
    root = Ring(0, {})
    with mv.record(
        root=root, shared=True, children="children", visits="visits", value="wins", players=("agent",),
        value_range=(0, 1),
    ) as rec:  # fmt: skip
        for _ in rec.steps(lambda: root.step(draw), 200):
            pass
    last = rec.trace.at(200)
    assert last.same_as is not None
    own = last.visits[last.same_as < 0].tolist()
    assert sorted(own) == sorted(each.visits for each in root.nodes.values())
    found = rec.trace.check()
    assert "shared-cycle" in {each.check for each in found}
    assert {each.severity for each in found} <= {"note"}


class Equal:
    """A position that is equal to another object with the same board, as keys of a search's dicts are."""

    def __init__(self, board: str) -> None:
        self.board = board

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Equal) and other.board == self.board

    def __hash__(self) -> int:
        return hash(self.board)


def test_positions_that_are_equal_are_one_node() -> None:
    search = GraphUCT()

    def of(node: Equal) -> Position:
        return search.table[node.board]

    children: dict[str, dict[int, Equal]] = {}  # objects of its own for each way

    def children_of(node: Equal) -> dict[int, Equal]:
        found = children.setdefault(node.board, {})
        for move in of(node).children:
            if move not in found:
                found[move] = Equal(play(node.board, move))
        return found

    fields = {
        **FIELDS,
        "children": children_of,
        "visits": lambda node: of(node).visits,
        "value": lambda node: of(node).wins,
        "to_move": lambda node: of(node).player,
    }
    with mv.record(root=Equal(search.root.board), shared=True, **fields) as rec:
        for _ in rec.steps(search.step, 300):
            pass
    _, same_object = watched(300)
    assert of_nodes(rec.trace, 300, boards(rec.trace)) == of_nodes(
        same_object, 300, boards(same_object)
    )
    assert complaints(rec.trace) == []


def test_equal_nodes_with_numbers_of_their_own_are_refused() -> None:
    class Node(Equal):
        def __init__(self, board: str) -> None:
            super().__init__(board)
            self.children: list[Node] = []
            self.visits, self.wins = 0, 0.0

    root = Node("a")
    root.children = [Node("b"), Node("b")]
    rec = mv.record(root=root, shared=True, children="children", visits="visits", value="wins")
    root.visits = root.children[0].visits = 1
    with pytest.raises(mv.TraceError, match="shared=lambda node: node"):
        rec.iteration()


class Shared:
    """A node of a graph that is made by hand."""

    def __init__(self, *children: Shared) -> None:
        self.children, self.visits, self.value = list(children), 0, 0.0


def test_no_move_is_told_more_visits_than_it_is_a_share_of() -> None:
    end = Shared()
    left, right = Shared(end), Shared(end)
    root = Shared(left, right)
    with mv.record(
        None, root=root, shared=True, children="children", visits="visits", value="value"
    ) as rec:
        for path in ([left], [right], [right, end], [right, end], [left, end]):
            for node in (root, *path):
                node.visits += 1
            rec.iteration()
    snapshot = rec.trace.at(5)
    assert repr(snapshot) == f"<Snapshot of unknown game: 5 iterations, {len(snapshot)} nodes>"
    text = str(rec.trace.explain(5, node=1))
    assert " of 2" not in text
    assert "3 visits" in text
    assert [row.share for row in child_rows(snapshot, 1)] == [0.5]  # the other way is not its own


def test_a_path_that_goes_to_and_fro_is_no_back_up_over_another_parent() -> None:
    rooms = [Ring(place, {}) for place in range(8)]
    draw = random.Random(1)

    def step() -> None:
        path = [rooms[0]]
        while path[-1].place < 7 and len(path) < 30:
            here = path[-1]
            sides = {-1, 1} if here.place else {1}
            here.children = here.children or {side: rooms[here.place + side] for side in sides}
            new = [each for each in here.children.values() if not each.visits]
            log = np.log(here.visits + 2)
            best = max(
                new or here.children.values(),
                key=lambda each: each.wins / (each.visits or 1) + (log / (each.visits or 1)) ** 0.5,
            )
            path.append(best)
            if new:
                break
        value = 1.0 if path[-1].place == 7 else 0.3 * draw.random()
        for each in path:
            each.visits, each.wins = each.visits + 1, each.wins + value

    with mv.record(
        root=rooms[0], shared=True, children="children", visits="visits", value="wins", players=("agent",),
        value_range=(0, 1),
    ) as rec:  # fmt: skip
        for _ in rec.steps(step, 100):
            pass
    found = rec.trace.check()
    assert "shared-cycle" in {each.check for each in found}
    assert [str(each) for each in found if each.severity != "note"] == []


def test_choices_between_ways_are_compared_by_the_visits_of_the_nodes() -> None:
    search = GraphUCT()
    _, trace = watched(600, search, score=search.score)
    compared, unexplained = trace.columns.compared, trace.columns.unexplained
    assert compared is not None
    assert unexplained is not None
    assert unexplained.max() == 0  # −1 in the first iteration, before which nobody had asked
    depth = np.array([len(trace.iteration(t).path) for t in range(1, 601)])
    assert (
        compared[1:] >= depth[1:] - 2
    ).all()  # below further ways, too; not of who makes a child


class Edge:
    """A move into a place: edges have numbers of their own, and the edges below a place are shared."""

    def __init__(self, place: int) -> None:
        self.place, self.n, self.w = place, 0, 0.0


def test_edges_without_visits_that_show_what_is_below_their_place_make_no_tree() -> None:
    below: dict[int, list[Edge]] = {}
    root, draw = Edge(0), random.Random(1)
    with mv.record(
        root=root, children=lambda edge: below.get(edge.place), visits="n", value="w", shared="place",
        players=("agent",),
    ) as rec:  # fmt: skip
        for _ in range(60):
            path = [root]
            while path[-1].place in below and path[-1].place < 12:
                path.append(draw.choice(below[path[-1].place]))
            if path[-1].place < 12:
                below[path[-1].place] = [Edge(path[-1].place + step) for step in (1, 2, 3)]
            for edge in path:
                edge.n, edge.w = edge.n + 1, edge.w + 1
            rec.iteration()
    trace = rec.trace
    assert trace.n_nodes == 1 + sum(map(len, below.values()))
    assert sum(trace.at(60).way_visits) == sum(
        edge.n for edge in [root, *(each for edges in below.values() for each in edges)]
    )
