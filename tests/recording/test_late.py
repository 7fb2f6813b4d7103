"""What a search fills in after it has made its nodes is not lost, and loops inside functions are watched as well."""

import functools
import math
import random
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

import mcts_viz as mv
from mcts_viz.cli import main
from tests.recording.late_searches import AlphaZero, Leaves, MuZero, MuZeroNode, Reasoners, uct

PUCT: dict[str, Any] = {"children": "children", "visits": "visit_count", "value": "value_sum"}


def known(player: int) -> int | None:
    return player if player in (0, 1) else None


def test_fields_that_come_late_are_all_there_in_memory_and_in_the_file(tmp_path: Path) -> None:
    search, path = MuZero(), tmp_path / "run.mcts"
    with mv.record(
        path, root=lambda _, nodes: nodes[0], on=(MuZero, "backpropagate"), **PUCT,
        to_move=lambda node: known(node.to_play), prior="prior", state="hidden_state", reward="reward",
    ) as rec:  # fmt: skip
        root = search.run(50)
    visited = 51  # of 154 nodes: the root, and a leaf in each iteration
    for trace in (rec.trace, mv.open(path)):
        columns = trace.columns
        assert trace.n_iterations == 50
        assert int((columns.nodes.to_move == 0).sum()) == visited
        assert sum(text is not None for text in columns.nodes.state or ()) == visited
        last = trace.at(50)
        for node, child in zip(last.children(), root.children.values()):
            assert last.state(node) == child.hidden_state
            assert columns.nodes.reward is not None
            assert columns.nodes.reward[node] == child.reward
        assert (
            "state= gave nothing at 103 of 154 nodes to the end, 103 of them never visited."
            in trace.meta["notes"]
        )
        assert not any(note.startswith("prior=") for note in trace.meta["notes"])
        assert trace.meta.format_version == 4
    assert main(["export", str(path), "-o", str(tmp_path / "run.ndjson")]) == 0
    assert main(["import", str(tmp_path / "run.ndjson"), "-o", str(tmp_path / "back.mcts")]) == 0
    back = mv.open(tmp_path / "back.mcts").columns.nodes
    assert back.state == rec.trace.columns.nodes.state
    assert back.to_move.tolist() == rec.trace.columns.nodes.to_move.tolist()


def test_a_late_value_stays_with_a_node_that_was_written_long_before(tmp_path: Path) -> None:
    root = MuZeroNode(1.0)
    root.children = {0: MuZeroNode(0.5), 1: MuZeroNode(0.5)}
    path = tmp_path / "run.mcts"
    with mv.record(
        path, root=root, **PUCT, state="hidden_state", to_move=lambda n: known(n.to_play)
    ) as rec:
        for t in range(1, 2_500):
            node = root.children[t // 2_000]
            if node.visit_count and node.hidden_state is None:
                node.hidden_state, node.to_play = f"since {t}", 1
            for each in (root, node):
                each.visit_count += 1
            rec.iteration()
    for trace in (rec.trace, mv.open(path)):
        assert trace.at(10).state(1) == "since 2"
        assert trace.at(2_400).state(2) == "since 2001"
        assert trace.columns.nodes.to_move.tolist() == [-1, 1, 1]
    assert {(each.node, each.column) for each in mv.open(path).columns.asides.late} >= {
        (2, "state"),
        (2, "to_move"),
    }


def test_a_player_told_late_turns_the_values_of_the_children_round() -> None:
    root, child = MuZeroNode(1.0), MuZeroNode(1.0)
    root.to_play = 0
    with mv.record(
        root=root, **PUCT, to_move=lambda n: known(n.to_play), value_view="to_move"
    ) as rec:
        root.children = {0: child}
        child.visit_count, child.value_sum, root.visit_count = 1, 0.5, 1
        rec.iteration()
        assert rec.trace.at(1).value_sum[1] == -0.5  # players are taken to alternate
        child.to_play, child.visit_count, root.visit_count = 0, 2, 2
        rec.iteration()
    assert rec.trace.at(2).value_sum[1] == 0.5


def test_outcomes_are_asked_again_only_where_the_game_may_be_over() -> None:
    asked: list[int] = []

    def outcome(node: Any) -> float | None:
        asked.append(id(node))
        result: float | None = node.result
        return result

    with mv.record(
        root=lambda _, path: path[0], on=(AlphaZero, "backpropagate"), **PUCT, outcome=outcome,
        state="state", to_move=lambda node: 0 if node.to_play == 1 else 1,
    ) as rec:  # fmt: skip
        root = AlphaZero().run(100, "XO.OX....")
    ends, nodes = 0, [root]
    while nodes:
        node = nodes.pop()
        ends += node.result is not None
        nodes += node.children.values()
    assert int(rec.trace.at(100).terminal.sum()) == ends > 0
    assert len(asked) <= 2 * rec.trace.n_nodes


def test_a_value_of_none_is_a_dash_everywhere(capsys: pytest.CaptureFixture[str]) -> None:
    search = Reasoners()
    with mv.record(
        root=lambda: search.root, on=(Reasoners, "back_propagate"), children="children",
        visits=lambda node: len(node.cum_rewards), value=lambda node: node.Q if node.parent else None,
        value_kind="mean", value_range=(0, 5), action="action", players=("model",),
    ) as rec:  # fmt: skip
        search(30)
    last = rec.trace.at(30)
    assert last.visits[0] == 30
    assert math.isnan(last.mean_value[0])
    assert not math.isnan(last.mean_value[1])
    assert math.isnan(rec.trace.history(0).mean_value[30])
    assert '"mean_value": null' in last.to_json().replace(":null", ": null")
    told = str(rec.trace.explain(30))
    assert "think about it step by step" in told.casefold()
    assert all(len(line) < 700 for line in told.splitlines())
    assert len(told.splitlines()) < 8
    assert "is most visited (" in told
    assert "was chosen" not in told


def test_the_method_is_counted_and_put_back_also_after_an_error() -> None:
    before = MuZero.__dict__["backpropagate"]
    search = MuZero()
    rec = mv.record(root=lambda _, path: path[0], on=(MuZero, "backpropagate"), **PUCT)

    def fail() -> None:
        with rec:
            assert MuZero.__dict__["backpropagate"] is not before
            search.run(5)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert MuZero.__dict__["backpropagate"] is before
    assert rec.n_iterations == 5
    dropped = mv.record(root=lambda _, path: path[0], on=(MuZero, "backpropagate"), **PUCT)
    del dropped
    assert MuZero.__dict__["backpropagate"] is before


def test_inherited_static_and_recursive_methods_count_once() -> None:
    class Child(MuZero):
        pass

    class Deep:
        root = MuZeroNode(1.0)

        @staticmethod
        def search(depth: int) -> int:
            Deep.root.visit_count += 1
            return 0 if depth == 0 else Deep.search(depth - 1)

    with mv.record(root=lambda _, path: path[0], on=(Child, "backpropagate"), **PUCT) as rec:
        MuZero().run(3)
        Child().run(4)
    assert "backpropagate" not in vars(Child)
    assert rec.n_iterations == 4
    with mv.record(root=Deep.root, on=(Deep, "search"), **PUCT) as rec:
        Deep.search(5)
        Deep.search(depth=5)
    assert isinstance(Deep.__dict__["search"], staticmethod)
    assert rec.trace.at(2).visits[0] == 12
    assert rec.n_iterations == 2


def test_a_search_of_its_own_begins_a_trace_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "move.mcts"
    with mv.record(
        path, root=lambda _, nodes: nodes[0], on=(MuZero, "backpropagate"), **PUCT
    ) as rec:
        MuZero().run(5)
        MuZero().run(7)
    assert [trace.n_iterations for trace in rec.traces] == [5, 7]
    assert [
        mv.open(each).n_iterations for each in sorted(tmp_path.glob("*.mcts"), reverse=True)
    ] == [5, 7]


NODES: dict[str, Any] = {
    "children": "children",
    "visits": "visits",
    "value": "wins",
    "value_range": (0, 1),
}


def test_of_a_method_that_is_called_for_each_node_the_calls_at_the_root_count() -> None:
    with mv.record(
        root=lambda node, result: node,
        on=(Leaves, "update", lambda node: node.parent is None),
        **NODES,
    ) as rec:
        root = uct(random.Random(1), 80)
    assert rec.trace.at(80).visits[:4].tolist() == [80, *(child.visits for child in root.children)]
    assert all(len(rec.trace.iteration(t).path) > 1 for t in range(1, 81))
    assert [one for one in rec.trace.check() if one.severity == "error"] == []


def test_iterations_that_are_counted_at_each_node_are_said_to_be() -> None:
    def top(node: Leaves) -> Leaves:
        return node if node.parent is None else top(node.parent)

    with mv.record(root=top, on=(Leaves, "update"), **NODES) as rec:
        uct(random.Random(1), 200)
    found = {one.check: one for one in rec.trace.check()}
    assert "on=(Node, " in found["visits-root"].message


def test_a_function_of_calls_that_fails_is_named() -> None:
    with (
        pytest.raises(
            mv.TraceError, match="which says whether a call counts, fails: AttributeError"
        ),
        mv.record(root=Leaves(), on=(Leaves, "update", lambda node: node.nothing), **NODES),
    ):
        uct(random.Random(1), 2)


@pytest.mark.parametrize(
    ("on", "message"),
    [
        ("backpropagate", r"on='backpropagate' is no pair of a class and a name; write the class"),
        (
            (MuZero, "backprop"),
            r"on=: MuZero has no method 'backprop'; did you mean 'backpropagate'\?",
        ),
        ((MuZero, "discount"), r"'discount' of MuZero is no method"),
        ((MuZero, "backpropagate", "root"), r"on=: 'root' is no function; give one that says"),
        ((list, "append"), r"on=: 'append' of list cannot be replaced"),
    ],
)
def test_what_cannot_be_counted_is_refused(on: Any, message: str) -> None:
    with pytest.raises(mv.TraceError, match=message):
        mv.record(root=MuZeroNode(1), on=on, **PUCT)


def test_iterations_are_not_counted_twice_and_a_root_that_never_comes_is_said() -> None:
    search = MuZero()
    with mv.record(root=lambda _, path: path[0], on=(MuZero, "backpropagate"), **PUCT) as rec:
        with pytest.raises(mv.TraceError, match="root=, a function, has given None so far"):
            _ = rec.trace
        with pytest.raises(
            mv.TraceError, match="on= counts an iteration at each return of 'backpropagate'"
        ):
            rec.iteration()
        for _ in rec.steps(lambda: search.run(1), 2):
            pass
    assert [trace.n_iterations for trace in rec.traces] == [1, 1]
    never = mv.record(root=lambda: None, **PUCT)
    never.iteration()
    with pytest.raises(mv.TraceError, match="has given None so far"):
        never.close()


class Table:
    """Numbers beside the nodes, which are names, as in many short programs."""

    def __init__(self) -> None:
        self.N: defaultdict[str, int] = defaultdict(int)
        self.Q: defaultdict[str, float] = defaultdict(float)
        self.children: dict[str, set[str]] = {}

    def step(self) -> None:
        node, path = "", [""]
        while self.children.get(node):
            node = min(self.children[node], key=lambda child: (self.N.get(child, 0), child))
            path.append(node)
        self.children[node] = {node + move for move in "abc"}
        for each in path:
            self.N[each] += 1
            self.Q[each] += 0.5


def read_by_index(table: Table, node: str) -> float:
    return table.Q[node]


@pytest.mark.parametrize("how", ["closure", "method", "partial"])
def test_a_field_that_makes_keys_in_a_defaultdict_is_refused_and_leaves_none(how: str) -> None:
    table = Table()
    values: dict[str, Any] = {
        "closure": lambda node: table.Q[node],
        "method": table.Q.__getitem__,
        "partial": functools.partial(read_by_index, table),
    }
    with pytest.raises(
        mv.TraceError, match=r"value=, a function, changes the search: .*a defaultdict"
    ):
        mv.record(
            root="", children=lambda node: table.children.get(node),
            visits=lambda node: table.N.get(node, 0), value=values[how],
        )  # fmt: skip
    assert not table.Q


def test_a_defaultdict_of_children_is_refused_in_words_that_work() -> None:
    tree: defaultdict[str, list[str]] = defaultdict(list)
    with pytest.raises(mv.TraceError, match=r"children=lambda node: tree\.get\(node\)$"):
        mv.record(
            root="root", children=lambda node: tree[node], visits=lambda _: 0, value=lambda _: 0
        )


def test_children_in_a_set_are_said_to_be_unordered_and_each_has_a_number_of_its_own() -> None:
    table = Table()
    with mv.record(
        root="", children=lambda node: table.children.get(node),
        visits=lambda node: table.N.get(node, 0), value=lambda node: table.Q.get(node, 0.0),
        label=lambda node: node,
    ) as rec:  # fmt: skip
        for t, _ in enumerate(rec.steps(table.step, 100)):
            if t == 50:
                table.children[""].add("z")  # the set may have another order from now on
    last = rec.trace.at(100)
    actions = [int(last.action[node]) for node in last.children()]
    assert sorted(actions) == [0, 1, 2, 3]
    assert any("in a set, which is unordered" in note for note in rec.trace.meta.notes)


def test_priors_that_are_no_shares_and_a_third_player_are_said(tmp_path: Path) -> None:
    root = MuZeroNode(1.0)
    root.children = {0: MuZeroNode(37.5), 1: MuZeroNode(62.5)}
    path = tmp_path / "run.mcts"
    with mv.record(path, root=root, prior="prior", **PUCT) as rec:
        root.visit_count, root.children[0].visit_count = 1, 1
        rec.iteration()
    for trace in (rec.trace, mv.open(path)):
        (note,) = (note for note in trace.meta.notes if "prior=" in note)
        assert note.startswith("prior= gives 37.5 at node 1: a prior is a move's share of 1")
    with mv.record(path, root=root, players=("A", "B", "C"), to_move=lambda node: 0, **PUCT) as rec:
        root.visit_count += 1
        rec.iteration()
    assert "players= names 3, of whom B and C never move: " in " ".join(rec.trace.meta.notes)
    with pytest.raises(mv.GameError, match="no names of 1 to 16 players"):
        mv.record(root=root, players=tuple("ABCDEFGHIJKLMNOPQ"), **PUCT)
    with pytest.raises(mv.GameError, match="names 3, and tic_tac_toe has 2"):
        mv.record(root=root, players=("A", "B", "C"), game="tic_tac_toe", **PUCT)
