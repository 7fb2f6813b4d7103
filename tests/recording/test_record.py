"""`record`: what it takes, what it gives, and that it changes nothing."""

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import networkx
import numpy as np
import pytest
from mctspy.games.examples.tictactoe import TicTacToeGameState
from mctspy.tree.nodes import TwoPlayersGameMonteCarloTreeSearchNode
from mctspy.tree.search import MonteCarloTreeSearch

import mcts_viz as mv
from tests.recording.searches import Node, PlainUCT, whole_tree

FIELDS: dict[str, Any] = {"children": "children", "visits": "visits", "value": "wins"}
ALL_FIELDS: dict[str, Any] = {
    **FIELDS,
    "action": "move",
    "to_move": "player",
    "game": "tic_tac_toe",
    "value_range": (0, 1),
}


def watched(iterations: int, path: Path | None = None, **more: Any) -> tuple[PlainUCT, mv.Trace]:
    search = PlainUCT()
    with mv.record(path, root=search.root, **{**ALL_FIELDS, **more}) as rec:
        for _ in rec.steps(search.step, iterations):
            pass
    return search, rec.trace


@pytest.mark.parametrize("more", [{}, {"value_view": "to_move"}, {"prior": lambda node: 0.5}])
def test_the_player_and_the_move_of_a_node_are_asked_for_once(more: dict[str, Any]) -> None:
    asked: list[tuple[str, Node]] = []

    def counted(name: str) -> Callable[[Node], Any]:
        return lambda node: asked.append((name, node)) or getattr(node, name)  # type: ignore[func-returns-value]

    fields = {"to_move": counted("player"), "action": counted("move"), **more}
    _, trace = watched(300, **fields)
    below = [each for each in asked if each[1].parent is not None]
    assert len(below) == len(set(below)) == 2 * (trace.n_nodes - 1)


def in_order_of_birth(trace: mv.Trace, root: Any, move: Callable[[Any], Any]) -> list[Any]:
    """The search's own object of each node, found by the moves that lead to it."""
    nodes = [root]
    for parent, action in zip(trace.columns.nodes.parent[1:], trace.columns.nodes.action[1:]):
        nodes.append(next(c for c in nodes[parent].children if move(c) == action))
    return nodes


def test_watching_does_not_change_the_search() -> None:
    alone = PlainUCT()
    for _ in range(500):
        alone.step()
    search, _ = watched(500)
    assert whole_tree(search.root) == whole_tree(alone.root)


@pytest.mark.parametrize("in_file", [True, False])
def test_a_snapshot_has_the_numbers_of_the_objects_at_every_iteration(
    tmp_path: Path, in_file: bool
) -> None:
    path = tmp_path / "mine.mcts" if in_file else None
    search, numbers = PlainUCT(), []
    with mv.record(path, root=search.root, **ALL_FIELDS) as rec:
        for _ in rec.steps(search.step, 1_500):
            nodes = whole_tree(search.root)
            numbers.append(sorted((visits, wins) for _, visits, wins, _ in nodes))
    trace = rec.trace
    assert isinstance(trace, mv.Trace)
    assert (trace.path, trace.complete, trace.n_iterations) == (path, True, 1_500)
    nodes = in_order_of_birth(trace, search.root, lambda node: node.move)
    for t in range(1, 1_501):
        snapshot = trace.at(t)
        assert sorted(zip(snapshot.visits.tolist(), snapshot.value_sum.tolist())) == numbers[t - 1]
    last = trace.at(1_500)
    assert last.visits.tolist() == [node.visits for node in nodes]
    assert last.value_sum.tolist() == [node.wins for node in nodes]
    assert last.to_move.tolist() == [node.player for node in nodes]
    assert trace.refresh() == 0
    if path is not None:
        opened = mv.open(path)
        assert opened.meta == trace.meta
        assert opened.at(1_500).to_json() == last.to_json()


def test_an_iteration_tells_path_leaf_and_updates() -> None:
    _, trace = watched(400)
    for t in range(1, 401):
        told = trace.iteration(t)
        assert [update.node for update in told.updates] == told.path
        assert {update.visits for update in told.updates} == {1}
        assert told.new_nodes in ([], [told.leaf])
        assert told.rollout is None
        assert told.outcome is None


def test_the_page_finds_boards_terms_and_names() -> None:
    search, trace = watched(300, selection="ucb1", c=1.4)
    snapshot = trace.at(300)
    nodes = in_order_of_birth(trace, search.root, lambda node: node.move)
    scores = [PlainUCT.score(node) for node in nodes[1:]]
    assert snapshot.uct[1:] == pytest.approx(scores)
    assert trace.meta["game"]["title"] == "Tic-Tac-Toe"
    assert snapshot.label(1) == trace.meta["action_labels"][nodes[1].move]
    best = max(search.root.children, key=lambda node: (node.visits, node.wins / node.visits))
    assert trace.best_action == best.move
    assert "selection" not in trace.meta["not_observed"]


def test_without_a_formula_the_trace_says_that_none_is_known() -> None:
    _, trace = watched(20)
    assert np.isnan(trace.at(20).value_term).all()
    assert "selection" in trace.meta["not_observed"]


def test_a_snapshot_of_a_watched_search_exports_and_comes_back(tmp_path: Path) -> None:
    _, trace = watched(200)
    trace.at(200).to_json(tmp_path / "snap.json")
    again = mv.open(tmp_path / "snap.json").at(1)
    assert again.visits.tolist() == trace.at(200).visits.tolist()
    assert again.value_sum.tolist() == trace.at(200).value_sum.tolist()
    assert isinstance(trace.at(200).to_networkx(), networkx.DiGraph)


def test_outcome_and_rollout_are_recorded_where_the_search_tells_them(tmp_path: Path) -> None:
    search, told = PlainUCT(), []
    path = tmp_path / "told.mcts"
    with mv.record(path, root=search.root, **ALL_FIELDS) as rec:
        assert mv.open(path).n_iterations == 0  # from its first moment
        for _ in range(1_200):
            search.step()
            rec.iteration(outcome=search.result, rollout=search.rollout)
            told.append((search.result, search.rollout))
    for trace in (rec.trace, mv.open(path)):
        assert [(i.outcome, i.rollout) for i in map(trace.iteration, range(1, 1_201))] == told
        assert not {"outcome", "rollout"} & {*trace.meta["not_observed"]}


def test_what_was_said_not_to_be_observed_cannot_be_told_later() -> None:
    search = PlainUCT()
    with mv.record(root=search.root, **ALL_FIELDS) as rec:
        search.step()
        rec.iteration()
        search.step()
        with pytest.raises(mv.TraceError, match="from the first iteration on"):
            rec.iteration(rollout=search.rollout)
    assert rec.trace.n_iterations == 1


# mctspy, unchanged


def mctspy_search(seed: int) -> tuple[Any, Callable[[], None]]:
    np.random.seed(seed)  # noqa: NPY002 (mctspy draws from it)
    root = TwoPlayersGameMonteCarloTreeSearchNode(TicTacToeGameState(np.zeros((3, 3)), 1))
    search = MonteCarloTreeSearch(root)
    return root, lambda: search.best_action(1)


def mctspy_move(node: Any) -> int:
    changed = np.flatnonzero(node.state.board != node.parent.state.board)
    return int(changed[0])


def mctspy_tree(root: Any) -> list[tuple[Any, ...]]:
    found, nodes = [], [root]
    while nodes:
        node = nodes.pop()
        found.append((node.state.board.tolist(), node.n, dict(node._results)))
        nodes.extend(node.children)
    return [(board, n, {k: v for k, v in r.items() if v}) for board, n, r in found]


@pytest.mark.filterwarnings("ignore")  # its own
def test_mctspy_is_watched_number_by_number_and_plays_as_if_alone(tmp_path: Path) -> None:
    alone, step = mctspy_search(7)
    for _ in range(150):
        step()
    root, step = mctspy_search(7)
    numbers = []
    with mv.record(
        tmp_path / "mctspy.mcts",
        root=root,
        children="children",
        visits="n",
        value=lambda node: node.q if node.parent else None,
        action=mctspy_move,
        to_move=lambda node: 0 if node.state.next_to_move == 1 else 1,
        outcome=lambda node: node.state.game_result,
        game="tic_tac_toe",
    ) as rec:
        for _ in rec.steps(step, 150):
            nodes = in_order_of_birth(rec.trace, root, mctspy_move)
            numbers.append([(n.n, n.q if n.parent else 0.0) for n in nodes])
    assert mctspy_tree(root) == mctspy_tree(alone)
    assert numbers[-1][0][0] == 150
    for t, expected in enumerate(numbers, start=1):
        snapshot = rec.trace.at(t)
        assert list(zip(snapshot.visits.tolist(), snapshot.value_sum.tolist())) == expected
    assert "value of the root" in rec.trace.meta["not_observed"]
    nodes = in_order_of_birth(rec.trace, root, mctspy_move)
    assert rec.trace.at(150).terminal.tolist() == [n.is_terminal_node() for n in nodes]


@pytest.mark.filterwarnings("ignore")
def test_a_value_that_the_root_cannot_give_is_named_with_the_fix() -> None:
    root, _ = mctspy_search(1)
    with pytest.raises(mv.TraceError, match=r"value='q' cannot be read from the root.*lambda node"):
        mv.record(root=root, children="children", visits="n", value="q")


# nodes of every make


def grow(make: Callable[[Any], Any], add: Callable[[Any, Any, Any], None]) -> Iterator[Any]:
    """Three iterations of a search whose nodes are made by `make`; the root, then each step."""
    root, a, b = make("root"), make("a"), make("b")
    yield root
    add(root, "a", a)
    yield [root, a]
    add(root, "b", b)
    yield [root, b]
    yield [root, a]


def dict_node(move: Any) -> dict[str, Any]:
    return {"move": move, "N": 0, "W": 0.0, "kids": {}}


def object_node(move: Any) -> SimpleNamespace:
    return SimpleNamespace(move=move, N=np.int64(0), W=np.float32(0.0), kids=None)


def bump_dict(node: Any) -> None:
    node["N"] += 1
    node["W"] += 0.5


def bump_object(node: Any) -> None:
    node.N += 1
    node.W += np.float32(0.5)


def add_list(parent: Any, move: Any, node: Any) -> None:
    parent.kids = [*(parent.kids or []), node]


def add_tuple(parent: Any, move: Any, node: Any) -> None:
    parent.kids = (*(parent.kids or ()), node)


def add_place(parent: Any, move: Any, node: Any) -> None:
    parent.kids = parent.kids or [None] * 3
    parent.kids[{"a": 2, "b": 0}[move]] = node


def add_generator(parent: Any, move: Any, node: Any) -> None:
    parent.all = [*getattr(parent, "all", []), node]
    parent.kids = parent.all


@pytest.mark.parametrize(
    ("make", "add", "bump", "children"),
    [
        (dict_node, lambda p, m, n: p["kids"].update({m: n}), bump_dict, "kids"),
        (object_node, add_list, bump_object, "kids"),
        (object_node, add_tuple, bump_object, "kids"),
        (object_node, add_place, bump_object, "kids"),
        (object_node, add_generator, bump_object, lambda n: (kid for kid in n.kids or [])),
        (object_node, add_list, bump_object, lambda n: {kid.move: kid for kid in n.kids or []}),
    ],
    ids=["dicts", "list", "tuple", "places", "generator", "new dict each time"],
)
def test_children_may_stand_in_any_container(make: Any, add: Any, bump: Any, children: Any) -> None:
    steps = grow(make, add)
    root = next(steps)
    move = "move" if add is not add_place else None
    with mv.record(root=root, children=children, visits="N", value="W", action=move) as rec:
        for path in steps:
            for node in path:
                bump(node)
            rec.iteration()
    snapshot = rec.trace.at(3)
    assert snapshot.visits.tolist() == [3, 2, 1]
    assert snapshot.value_sum.tolist() == [1.5, 1.0, 0.5]
    if move:
        assert snapshot.labels() == ["root", "a", "b"]
    else:
        assert snapshot.action.tolist() == [-1, 2, 0]


def test_keys_of_a_dict_are_the_moves() -> None:
    root: dict[str, Any] = {"N": 1, "W": 0.0, "kids": {"pass": {"N": 1, "W": 1.0, "kids": {}}}}
    with mv.record(root=root, children="kids", visits="N", value="W") as rec:
        rec.iteration()
    assert rec.trace.at(1).label(1) == "pass"
    assert rec.trace.best_action == 0
    assert rec.trace.best_action_name == "pass"


@pytest.mark.parametrize("order", [[3, 1, 2, 0, 4], [4, 3, 2, 1, 0], [0, 4, 2, 3, 1]])
def test_children_that_come_among_others_have_numbers_of_their_own(order: list[int]) -> None:
    """Their place in the list is that of one that was there before."""
    root = SimpleNamespace(kids=[], n=1, w=0.0, name=-1)
    with mv.record(
        root=root, children="kids", visits="n", value="w", label=lambda node: str(node.name)
    ) as rec:
        for name in order:
            root.kids.append(SimpleNamespace(kids=[], n=1, w=0.5, name=name))
            root.kids.sort(key=lambda kid: kid.name)
            root.n += 1
            rec.iteration()
    last = rec.trace.at(len(order))
    assert sorted(last.action[1:].tolist()) == [0, 1, 2, 3, 4]
    assert [last.label(node) for node in range(1, 6)] == [str(name) for name in order]
    assert not any(found.check == "expansion-duplicate" for found in rec.trace.check())


def test_a_position_may_be_an_array() -> None:
    root = SimpleNamespace(children=[], n=1, w=0.0, board=np.zeros((2, 2)))
    with mv.record(root=root, children="children", visits="n", value="w", state="board") as rec:
        rec.iteration()
    assert rec.trace.at(1).state(0) is not None


def test_nodes_may_be_numbers_into_arrays() -> None:
    """Found again by number, though numpy makes a new object of it each time."""
    visits, value = np.zeros(600, np.int64), np.zeros(600)
    kids: list[Any] = [np.empty(0, np.int64) for _ in range(600)]
    with mv.record(
        root=0,
        children=lambda node: kids[node],
        visits=lambda node: visits[node],
        value=lambda node: value[node],
        action=lambda node: node,
    ) as rec:
        for node in range(1, 600):
            kids[0] = np.append(kids[0], node)
            visits[[0, node]] += 1
            value[node] += 1.0
            rec.iteration()
    snapshot = rec.trace.at(599)
    assert snapshot.visits.tolist() == visits.tolist()
    assert snapshot.action[1:].tolist() == list(range(1, 600))


def test_nodes_may_be_lists_read_by_place() -> None:
    root: list[Any] = [0, 0.0, []]
    with mv.record(root=root, visits=0, value=1, children=2) as rec:
        for _ in range(3):
            root[2].append([1, 1.0, []])
            root[0] += 1
            rec.iteration()
    assert rec.trace.at(3).visits.tolist() == [3, 1, 1, 1]


def test_a_node_may_get_its_numbers_later() -> None:
    root = SimpleNamespace(N=0, W=0.0, kids=[])
    child = SimpleNamespace()
    with mv.record(root=root, children="kids", visits="N", value="W") as rec:
        root.kids.append(child)
        root.N += 1
        rec.iteration()
        root.N += 1
        child.N, child.W, child.kids = 1, 0.25, None
        rec.iteration()
    assert rec.trace.history(1).visits.tolist() == [0, 0, 1]
    assert rec.trace.history(1).value_sum.tolist() == [0.0, 0.0, 0.25]


def test_a_mean_may_divide_by_the_visits_that_are_not_there_yet() -> None:
    search = PlainUCT()
    mean = {"value": lambda node: node.wins / node.visits, "value_kind": "mean"}
    with mv.record(root=search.root, **{**ALL_FIELDS, **mean}) as rec:
        list(rec.steps(search.step, 300))
    nodes = in_order_of_birth(rec.trace, search.root, lambda node: node.move)
    assert rec.trace.at(300).value_sum.tolist() == [node.wins for node in nodes]
    assert "value of the root" not in rec.trace.meta["not_observed"]


def test_fields_may_lead_deeper() -> None:
    root = SimpleNamespace(stats=SimpleNamespace(n=1, w=2.0), kids=[])
    with mv.record(root=root, children="kids", visits="stats.n", value="stats.w") as rec:
        rec.iteration()
    assert rec.trace.at(1).value_sum.tolist() == [2.0]


def test_labels_states_priors_and_outcomes_travel_in_the_trace(tmp_path: Path) -> None:
    child = SimpleNamespace(N=1, W=1.0, kids=[], p=0.25, text="e2–e4 \ud800", end=1, board="♟")
    root = SimpleNamespace(N=1, W=0.0, kids=[child], p=None, text=None, end=None, board="start")
    path = tmp_path / "texts.mcts"
    with mv.record(path, root=root, children="kids", visits="N", value="W", prior="p",
                   label="text", state="board", outcome="end", players=("White", "Black"),
                   game="chess", to_move=lambda node: 0) as rec:  # fmt: skip
        rec.iteration()
    for snapshot in (rec.trace.at(1), mv.open(path).at(1)):
        assert snapshot.labels() == ["root", "e2–e4 ?"]
        assert [snapshot.state(0), snapshot.state(1)] == ["start", "♟"]
        assert snapshot.prior[1] == 0.25
        assert snapshot.outcome[1] == 1.0
        assert snapshot.meta["players"] == ["White", "Black"]
        assert snapshot.meta["game"]["name"] == "chess"


@pytest.mark.parametrize(
    ("moves", "ids"),
    [
        ([4, np.int32(2), 0], [4, 2, 0]),
        (["e4", "d4", "e4"], [0, 1, 0]),
        ([(0, 1), (1, 1)], [0, 1]),
        (["pass", 3, "pass", 0, "x"], [0, 3, 0, 2**30, 2**30 + 1]),
        ([3, "pass", 7], [3, 2**30, 7]),
        ([-1, 2**40, True], [0, 1, 2]),
        ([np.array([1, 2]), [1]], [0, 1]),
    ],
)
def test_whole_numbers_stay_action_ids_and_other_moves_get_one(moves: Any, ids: Any) -> None:
    root = SimpleNamespace(N=1, W=0.0, kids=[])
    root.kids = [SimpleNamespace(N=1, W=0.0, kids=[], move=move) for move in moves]
    with mv.record(root=root, children="kids", visits="N", value="W", action="move") as rec:
        rec.iteration()
    snapshot = rec.trace.at(1)
    assert snapshot.action[1:].tolist() == ids
    assert snapshot.labels()[1:] == [str(move) for move in moves]


def test_a_built_in_game_knows_its_moves_by_name_and_who_moves() -> None:
    root = SimpleNamespace(N=1, W=0.0, kids={})
    root.kids["b2"] = SimpleNamespace(N=1, W=0.0, kids={4: SimpleNamespace(N=1, W=0.0, kids={})})
    with mv.record(root=root, children="kids", visits="N", value="W", game="tic_tac_toe",
                   start=["a3"]) as rec:  # fmt: skip
        root.kids["b2"].kids = {8: SimpleNamespace(N=1, W=0.0, kids={})}
        rec.iteration()
    assert rec.trace.meta["start"] == [0]
    assert rec.trace.at(1).action.tolist() == [-1, 4, 8]
    assert rec.trace.at(1).to_move.tolist() == [1, 0, 1]


def test_what_was_there_before_belongs_to_the_first_iteration() -> None:
    search = PlainUCT()
    for _ in range(50):
        search.step()
    with mv.record(root=search.root, **ALL_FIELDS) as rec:
        for _ in rec.steps(search.step, 10):
            pass
    assert rec.trace.history(0).visits.tolist() == [0, *range(51, 61)]
    assert any("50 visits" in note for note in rec.trace.meta["notes"])


# how a recording ends


@pytest.mark.parametrize("in_file", [True, False])
def test_an_error_in_the_search_leaves_a_trace_up_to_the_last_iteration(
    tmp_path: Path, in_file: bool
) -> None:
    path = tmp_path / "mine.mcts" if in_file else None
    search = PlainUCT()
    rec = mv.record(path, root=search.root, **ALL_FIELDS)

    def run() -> None:
        with rec:
            for _ in rec.steps(search.step, 1_234):
                pass
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run()
    traces = [rec.trace] if path is None else [rec.trace, mv.open(path)]
    for trace in traces:
        assert not trace.complete
        assert trace.at(1_234).visits[0] == 1_234
    assert rec.trace.refresh() == 0
    assert rec.trace.n_iterations == 1_234


def test_a_recording_that_was_broken_off_keeps_whole_iterations_only() -> None:
    search = PlainUCT()
    broken = [False]

    def move(node: Node) -> int:
        if broken[0]:
            raise KeyError("board")
        return int(node.move)

    with mv.record(root=search.root, **{**ALL_FIELDS, "action": move}) as rec:
        for _ in rec.steps(search.step, 5):
            pass
        broken[0] = True
        with pytest.raises(mv.TraceError, match=r"action=.*node 6.*KeyError"):
            list(rec.steps(search.step, 5))
        with pytest.raises(mv.TraceError, match="broken off in iteration 6"):
            rec.iteration()
    assert (rec.trace.n_iterations, rec.trace.n_nodes, rec.trace.complete) == (5, 6, False)
    assert rec.trace.at(5).visits[0] == 5


def test_a_recording_ends_with_its_block() -> None:
    search = PlainUCT()
    with mv.record(root=search.root, **ALL_FIELDS) as rec:
        for t in rec.steps(search.step, 3):
            assert rec.trace.at(t).visits[0] == t
            assert not rec.trace.complete
    with pytest.raises(mv.TraceError, match="has ended"):
        rec.iteration()
    assert rec.trace is rec.trace


def test_a_recording_may_be_closed_without_a_block(tmp_path: Path) -> None:
    search = PlainUCT()
    rec = mv.record(tmp_path / "mine.mcts", root=search.root, **ALL_FIELDS)
    search.step()
    rec.iteration()
    rec.close()
    rec.close()
    assert mv.open(tmp_path / "mine.mcts").complete


def test_leaving_the_steps_early_ends_the_recording_well() -> None:
    search = PlainUCT()
    with mv.record(root=search.root, **ALL_FIELDS) as rec:
        for t in rec.steps(search.step, 1_000):
            if t == 7:
                break
    assert (rec.trace.n_iterations, rec.trace.complete) == (7, True)
    assert search.root.visits == 7


def test_a_slow_search_can_be_followed(tmp_path: Path) -> None:
    """Every second what there is goes into the file."""
    search = PlainUCT()
    ticks = itertools.count(0, 600_000_000)
    path = tmp_path / "slow.mcts"
    with mv.record(path, root=search.root, **ALL_FIELDS) as rec:
        rec._clock = lambda: next(ticks)
        rec._start = rec._last_chunk = 0
        followed = mv.open(path)
        for _ in rec.steps(search.step, 10):
            pass
        assert followed.refresh() >= 8


def test_half_a_surrogate_pair_in_a_name_does_not_break_the_recording(tmp_path: Path) -> None:
    """JavaScript cuts texts in the middle of an emoji, and JSON carries the half of it on."""
    path, names = tmp_path / "a.mcts", ("X\ud83d", "O")
    for trace in (watched(5, path, players=names)[1], mv.open(path), watched(5, players=names)[1]):
        assert trace.meta["players"] == ["X?", "O"]
