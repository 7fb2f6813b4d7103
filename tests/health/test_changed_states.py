"""Positions that change after their node was made are noticed while a search is recorded, kept in the
trace, and named; what only looks like a change is not."""

import json
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import mcts_viz as mv
from mcts_viz.cli import main
from mcts_viz.games import game
from mcts_viz.health.tree.expansion import shows_the_same
from mcts_viz.recording.field_watch import MOST_NODES, FieldWatch
from mcts_viz.recording.watched_node import WatchedNode
from mcts_viz.trace.asides import Asides, StateChange
from tests.complaints import complaints
from tests.health.zoo import STARTS, Node, Search, recorded
from tests.variants import few

every_game = pytest.mark.parametrize("name", few(STARTS))


def watched(name: str, state: Any, iterations: int = 300, path: Path | None = None) -> mv.Trace:
    """A correct search, with this for its positions."""
    search = Search(game(name), None, 1, STARTS[name])
    with mv.record(
        path, root=search.root, children="children", visits="visits", value="value", action="move",
        to_move="player", game=name, start=STARTS[name], value_range=(0.0, 1.0), state=state,
    ) as rec:  # fmt: skip
        for _ in rec.steps(search.step, iterations):
            pass
    return rec.trace


class Plain:
    """Another object each time, without a text of its own: `<… object at 0x7f…>`."""

    def __init__(self, node: Node) -> None:
        self.cells = node.state


@dataclass
class Lazy:
    """Works its moves and winner out when asked for the first time."""

    cells: list[int]
    moves: list[int] | None = None
    winner: float | None = None
    seen: dict[str, int] = field(default_factory=dict)

    def look(self) -> None:
        self.moves, self.winner, self.seen = [1, 2], math.nan, {"here": 1}


def test_the_text_none_of_a_position_that_comes_late_is_no_position() -> None:
    """`state=lambda node: str(node.hidden)`, where a node has its position from its first visit on."""
    trace = watched("tic_tac_toe", lambda node: str(node.state if node.visits else None), 200)
    assert not complaints(trace)
    late = watched("tic_tac_toe", lambda node: str(node.state if node.visits > 1 else None), 200)
    assert not complaints(late)
    assert "None" not in (late.columns.nodes.state or [])


@every_game
def test_a_correct_search_changes_no_position(name: str) -> None:
    trace = watched(name, lambda node: str(node.state))
    assert trace.columns.asides.changed_states == []
    assert complaints(trace) == []


@every_game
def test_objects_without_a_text_of_their_own_do_not_change(name: str) -> None:
    alive = []

    def state(node: Node) -> Plain:
        alive.append(Plain(node))  # so that each has an address of its own
        return alive[-1]

    trace = watched(name, state)
    assert trace.columns.asides.changed_states  # recorded as it was seen
    assert complaints(trace) == []


@every_game
def test_fields_that_are_filled_in_late_are_no_change(name: str) -> None:
    lazy: dict[int, Lazy] = {}

    def state(node: Node) -> Lazy:
        first = id(node) not in lazy
        found = lazy.setdefault(id(node), Lazy(node.state))
        if not first:
            found.look()
        return found

    trace = watched(name, state)
    assert "winner=nan" in trace.columns.asides.changed_states[0].state
    assert complaints(trace) == []


def test_positions_that_the_search_lets_go_of_are_no_change() -> None:
    asked: set[int] = set()

    def state(node: Node) -> str | None:
        if id(node) in asked:
            return None if node.move % 2 else node.nothing  # type: ignore[attr-defined]
        asked.add(id(node))
        return str(node.state)

    trace = watched("tic_tac_toe", state)
    assert trace.columns.asides.changed_states == []


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        ("X.O", "X.O", True),
        ("X.O", "XXO", False),
        ("S(board=[1, 0], moves=None)", "S(board=[1, 0], moves=[3, 4])", True),
        ("S(board=[1, 0], moves=None)", "S(board=[1, 2], moves=[3, 4])", False),
        ("S(moves=None, board=[1, 0])", "S(moves=[3], board=[1, 2])", False),
        ("S(moves=[3], board=[1, 0])", "S(moves=[4], board=[1, 0])", False),
        ("S(a=None, b=None, c=1)", "S(a=2, b=None, c=1)", True),
        ("S(a=None, b=7, c=None, d=1)", "S(a=2, c=3, d=1)", False),
        ("[None, None]", "[None, 'X']", False),  # a board, not a field
        ("<S object at 0x7f00aa>", "<S object at 0x7f00bb>", True),
    ],
)
def test_what_shows_the_same_position(before: str, after: str, same: bool) -> None:
    assert shows_the_same(before, after) is same


def test_changes_travel_in_the_file_and_old_readers_do_not_see_them(tmp_path: Path) -> None:
    path = tmp_path / "run.mcts"
    search = Search(game("tic_tac_toe"), "one board for all nodes", 1, STARTS["tic_tac_toe"])
    with mv.record(
        path, root=search.root, children="children", visits="visits", value="value", action="move",
        state=lambda node: str(node.board),
    ) as rec:  # fmt: skip
        for _ in rec.steps(search.step, 300):
            pass
    changes = rec.trace.columns.asides.changed_states
    assert len(changes) > 50
    assert main(["export", str(path), "-o", str(tmp_path / "run.ndjson")]) == 0
    assert main(["import", str(tmp_path / "run.ndjson"), "-o", str(tmp_path / "back.mcts")]) == 0
    assert mv.open(tmp_path / "back.mcts").columns.asides.changed_states == changes
    assert {change.row + 1 for change in changes} == {8, 12, 18, 27, 40, 60, 90, 135, 202}
    opened = mv.open(path)
    assert opened.columns.asides.changed_states == changes
    assert [str(found) for found in opened.check()] == [str(found) for found in rec.trace.check()]
    assert "expansion-state-changes" in complaints(opened)
    # columns and version are those of any trace: what is new stands beside the batch
    with pa.ipc.open_stream(path) as stream:
        assert json.loads(stream.schema.metadata[b"mcts_viz"])["format_version"] == 2
        batch, custom = stream.read_next_batch_with_custom_metadata()
    assert batch.num_columns == 7
    told = dict(custom.items())[b"mcts_viz.changed_states"]
    assert json.loads(told[9:])[0] == list(changes[0])


def test_few_positions_are_looked_at_however_long_the_search() -> None:
    asked = 0

    def read(_: WatchedNode) -> str:
        nonlocal asked
        asked += 1
        return "another one"

    watch = FieldWatch(read)
    root = WatchedNode(None, None, 0, None)
    watch.add(root, "first")
    found = 0
    for t in range(1, 20_001):
        watch.add(WatchedNode(None, root, t, None), "first")
        found += len(list(watch.changes()))
    looks = 21  # after 8, 12, 18, … iterations
    assert asked <= looks * MOST_NODES
    assert 0 < found <= asked


def test_a_rollout_on_the_leafs_board_is_told_by_what_the_leaf_was_seen_as() -> None:
    """Without the game's rules, and without any text of a position."""
    trace = recorded("tic_tac_toe", "rollouts on the node's own board", iterations=200)
    unknown = mv.Trace({**trace.meta, "game": {"name": "some game"}}, trace.columns)
    (finding,) = (found for found in unknown.check() if found.severity == "error")
    assert finding.check == "expansion-state-changes"
    assert finding.node == 1
    assert finding.evidence["moves"] == len(trace.iteration(1).rollout or [])


@pytest.mark.parametrize("damage", [b"00000000 []", b"nothing", b"", b"[1]"])
def test_changes_that_cannot_be_read_are_refused(damage: bytes) -> None:
    key = b"mcts_viz.changed_states"
    with pytest.raises(ValueError, match="checksum"):
        Asides.read({key: damage})
    told = Asides.none()._replace(changed_states=[StateChange(0, 3, "ß")])
    assert list(told.custom_metadata()) == [key.decode()]
    assert Asides.read({key: told.custom_metadata()[key.decode()]}) == told


def test_an_event_with_a_bad_change_is_refused(tmp_path: Path) -> None:
    good: dict[str, Any] = {"new_nodes": [{"parent": 0, "state": "a"}], "outcome": 1}
    for change in ({"node": 7, "state": "b"}, {"node": 1}, {"state": "b"}, {"node": 1, "text": ""}):
        lines = [good, {"leaf": 1, "changed_states": [change]}]
        (tmp_path / "in.ndjson").write_text("\n".join(map(json.dumps, lines)))
        assert main(["import", str(tmp_path / "in.ndjson"), "-o", str(tmp_path / "o.mcts")]) != 0
