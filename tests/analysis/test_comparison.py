"""Two trees compared, against a comparison by dicts of move sequences."""

from __future__ import annotations

import functools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mcts_viz as mv
from mcts_viz.analysis.comparison import first_difference, trees, union_tree
from mcts_viz.analysis.comparison.trees import Row
from mcts_viz.cli import main
from mcts_viz.trace import memory
from tests.recording.searches import PlainUCT

Line = tuple[int, ...]

PAIRS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"seed": 1}, {"seed": 2}),
    ({"seed": 1}, {"seed": 1, "c": 0.3}),
    ({"seed": 1, "iterations": 150}, {"seed": 1, "iterations": 400}),
    ({"seed": 1}, {"preset": "mctspy", "seed": 1}),
    ({"preset": "alphazero", "seed": 1}, {"preset": "tech_io", "seed": 1}),
    ({"preset": "tech_io", "seed": 3, "solver": True}, {"preset": "tech_io", "seed": 3}),
]
every_pair = pytest.mark.parametrize("pair", PAIRS, ids=str)


def searched(options: dict[str, Any], game: str = "tic_tac_toe") -> mv.Trace:
    return mv.search(game, **{"iterations": 300, **options})


def lines(tree: mv.Snapshot) -> dict[Line, int]:
    """Node id by the actions that lead to it."""
    return {tuple(int(tree.action[v]) for v in tree.path(n)[1:]): n for n in range(len(tree))}


def share_of_scores(meta: dict[str, Any], mean: float) -> float:
    """0 for a loss, 1 for a win."""
    scores = meta["policies"]["backpropagation"]
    return float((mean - scores["loss"]) / (scores["win"] - scores["loss"]))


@every_pair
def test_nodes_are_matched_by_the_moves_that_lead_to_them(pair: Any) -> None:
    a, b = map(searched, pair)
    at_a, at_b = a.n_iterations * 2 // 3, b.n_iterations
    told = mv.compare(a, b, at_a, at_b)
    trees = a.at(at_a), b.at(at_b)
    by_line = [lines(tree) for tree in trees]
    seen = set()
    for u in range(len(told.parent)):
        nodes = int(told.node_a[u]), int(told.node_b[u])
        found = {
            tuple(int(tree.action[v]) for v in tree.path(node)[1:])
            for tree, node in zip(trees, nodes)
            if node >= 0
        }
        assert len(found) == (0 if nodes == (-1, -1) else 1)
        for line in found:
            assert nodes == tuple(each.get(line, -1) for each in by_line)
            assert told.depth[u] == len(line)
            seen.add(line)
    assert seen == set(by_line[0]) | set(by_line[1])
    assert (told.parent[1:] < np.arange(1, len(told.parent))).all()


@every_pair
def test_the_numbers_of_every_node_are_those_of_its_trees(pair: Any) -> None:
    a, b = map(searched, pair)
    told = mv.compare(a, b)
    trees = a.at(a.n_iterations), b.at(b.n_iterations)
    assert told.scale.comparable
    for u in range(len(told.parent)):
        row = told.row(u)
        for tree, node, visits, share, mean in (
            (trees[0], row.node_a, row.visits_a, row.share_a, row.mean_a),
            (trees[1], row.node_b, row.visits_b, row.share_b, row.mean_b),
        ):
            assert visits == (0 if node is None else tree.visits[node])
            assert share == visits / tree.visits[0]
            if visits == 0:
                assert mean is None
                continue
            assert mean is not None
            own = share_of_scores(dict(tree.meta), float(tree.mean_value[node]))
            assert share_of_scores(a.meta, mean) == pytest.approx(own, abs=1e-9)
        assert row.share_difference == row.share_b - row.share_a
        if row.mean_a is not None and row.mean_b is not None:
            assert row.mean_difference == row.mean_b - row.mean_a


@every_pair
def test_long_searches_are_compared_some_nodes_at_a_time(
    pair: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And their columns lie in files."""
    a, b = map(searched, pair)
    whole = mv.compare(a, b)
    monkeypatch.setenv(memory.CACHE, str(tmp_path))
    monkeypatch.setattr(memory, "ON_DISK", 100)
    for module in (memory, trees, first_difference, union_tree):
        monkeypatch.setattr(module, "pieces", functools.partial(memory.pieces, at_once=7))
    parts = mv.compare(a, b)
    assert isinstance(parts.mean_b.base, np.memmap)
    assert str(parts) == str(whole)
    assert parts.as_json() == whole.as_json()
    for name in ("by_visits", "by_mean", "parent", "depth", "node_a", "visits_b", "mean_a"):
        assert np.array_equal(getattr(parts, name), getattr(whole, name), equal_nan=True), name


@every_pair
def test_differences_are_ranked_by_size(pair: Any) -> None:
    told = mv.compare(*map(searched, pair))
    every = [told.row(u) for u in range(len(told.parent))]
    by_visits = [abs(row.share_difference) for row in told.rows(len(every))]
    sizes = (abs(row.share_difference) for row in every)
    assert by_visits == sorted(filter(None, sizes), reverse=True)
    by_mean = [weighed(row) for row in told.rows(len(every), "mean")]
    assert by_mean == pytest.approx(sorted(filter(None, map(weighed, every)), reverse=True))


def weighed(row: Row) -> float:
    if row.mean_difference is None or abs(row.mean_difference) < 1e-12:
        return 0.0
    n, m = row.visits_a, row.visits_b
    return abs(row.mean_difference) * math.sqrt(n * m / (n + m))


def first_that_differs(a: mv.Trace, b: mv.Trace) -> int | None:
    """By what each iteration did, told in moves."""
    line_a, line_b = ({v: k for k, v in lines(t.at(t.n_iterations)).items()} for t in (a, b))
    for t in range(1, min(a.n_iterations, b.n_iterations) + 1):
        done = []
        for trace, line in ((a, line_a), (b, line_b)):
            it = trace.iteration(t)
            updates = [
                (line[u.node], u.visits, share_of_scores(trace.meta, u.value)) for u in it.updates
            ]
            done.append((updates, {line[v] for v in it.new_nodes}))
        if done[0] != done[1]:
            return t
    return None


@pytest.mark.parametrize("at_once", [1 << 16, 3])
@every_pair
def test_the_first_difference_is_the_first_iteration_that_did_something_else(
    pair: Any, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(first_difference, "AT_ONCE", at_once)
    a, b = map(searched, pair)
    told = mv.compare(a, b)
    assert told.first.iteration_a == told.first.iteration_b == first_that_differs(a, b)
    assert told.first.compared == min(a.n_iterations, b.n_iterations)


def test_equal_searches_have_no_difference() -> None:
    told = mv.compare(searched({"seed": 1}), searched({"seed": 1}))
    assert told.first.iteration_a is None
    assert len(told.by_visits) == len(told.by_mean) == 0
    assert not told.only_a.any()
    assert not told.only_b.any()
    assert told.moved_share == 0
    assert "No difference in the 300 iterations" in str(told)


def test_two_iterations_of_one_search() -> None:
    trace = searched({"seed": 1})
    told = mv.compare(trace, trace, 100, 300)
    assert told.same_trace
    assert not told.only_a.any()
    assert int(told.only_b.sum()) == trace.at(300).n_nodes - trace.at(100).n_nodes
    assert "Two iterations of one search." in str(told)
    assert mv.compare(trace, trace, 0, 300).a.choice is None
    with pytest.raises(mv.TraceError, match="choose one from 0 to 300"):
        mv.compare(trace, trace, 301)


def test_each_side_says_what_it_would_play() -> None:
    a, b = searched({"seed": 1}, "connect_four"), searched({"seed": 5, "c": 0.1}, "connect_four")
    told = mv.compare(a, b)
    assert (told.a.choice, told.b.choice) == (a.best_action_name, b.best_action_name)
    assert told.same_choice == (a.best_action == b.best_action)
    roots = [{c: int(t.visits[c]) / int(sum(t.visits[k] for k in t.children(0))) for c in t.children(0)}
             for t in (a.at(300), b.at(300))]  # fmt: skip
    shares = [
        {int(t.action[c]): s for c, s in root.items()}
        for t, root in zip((a.at(300), b.at(300)), roots)
    ]
    moved = sum(abs(shares[0].get(m, 0) - shares[1].get(m, 0)) for m in range(7)) / 2
    assert told.moved_share == pytest.approx(moved)


@pytest.mark.parametrize("preset", ["rhu2001", "baeldung"])
def test_values_that_mean_something_else_are_not_compared(preset: str) -> None:
    told = mv.compare(searched({"seed": 1}), searched({"preset": preset, "seed": 1}))
    assert not told.scale.comparable
    assert np.isnan(told.mean_b).all()
    assert "not comparable" in str(told)
    assert len(told.by_mean) == 0


def test_other_games_and_positions_are_refused() -> None:
    with pytest.raises(mv.TraceError, match="one game"):
        mv.compare(searched({"seed": 1}), searched({"seed": 1}, "connect_four"))
    with pytest.raises(mv.TraceError, match="different positions"):
        mv.compare(searched({"seed": 1}), searched({"seed": 1, "start": ["a1"]}))


def foreign(game: str | None, **more: Any) -> mv.Trace:
    """A search of others, recorded by watching its nodes."""
    search = PlainUCT(seed=3)
    with mv.record(root=search.root, children="children", visits="visits", value="wins",
                   action="move", value_range=(0, 1), game=game, **more) as rec:  # fmt: skip
        for _ in rec.steps(search.step, 120):
            pass
    return rec.trace


def test_a_search_of_others_beside_one_of_ours() -> None:
    theirs, ours = foreign("tic_tac_toe"), searched({"preset": "mctspy", "seed": 1})
    told = mv.compare(theirs, ours)
    assert told.matched_by == "action ids"
    assert told.scale.comparable
    assert "if a draw lies in the middle" in told.scale.words
    tree = ours.at(300)
    child = next(u for u in np.flatnonzero(told.parent == 0) if told.node_b[u] >= 0)
    assert told.mean_b[child] == tree.mean_value[told.node_b[child]] / 2 + 0.5


def test_who_plays_alone_hears_nothing_of_draws() -> None:
    told = mv.compare(foreign(None, players=("agent",)), foreign(None, players=("agent",)))
    assert told.scale.comparable
    assert "draw" not in told.scale.words


def test_a_search_of_a_game_unknown_here_is_matched_by_the_names_of_moves() -> None:
    theirs, again = foreign(None, label=lambda node: f"Move {node.move}"), foreign(
        None, label=lambda node: f"move {node.move} "
    )  # fmt: skip
    told = mv.compare(theirs, again)
    assert told.matched_by == "move names"
    assert len(told.parent) == theirs.n_nodes
    assert told.first.iteration_a is None


def test_the_command_says_and_writes_it(tmp_path: Any, capsys: Any) -> None:
    paths = [tmp_path / "a.mcts", tmp_path / "b.mcts"]
    for path, c in zip(paths, (1.0, 0.2)):
        mv.search("tic_tac_toe", iterations=200, seed=1, c=c, path=path)
    told = mv.compare(*map(mv.open, paths), 100, 150)
    assert main(["compare", *map(str, paths), "--at", "100", "150"]) == 0
    assert capsys.readouterr().out == f"{told}\n"
    assert main(["compare", *map(str, paths), "--at", "100", "150", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(told.as_json()))
    assert main(["compare", *map(str, paths), "--at", "1", "2", "3"]) == 2
    assert "--at 1 2 3" in capsys.readouterr().err


def test_one_is_no_plural() -> None:
    one = mv.search("tic_tac_toe", iterations=1, seed=1)
    text = str(mv.compare(one, one))
    assert "after 1 iteration\n" in text
    assert "1 of 1 visit," in text


def test_nodes_that_collect_no_values_have_no_mean() -> None:
    one = mv.search("tic_tac_toe", "rhu2001", iterations=400, seed=1, compile=False)
    compared = mv.compare(one, one.rerun(seed=2))
    tree = compared.trees[0]
    own = {node: int(tree.to_move[tree.parent[node]]) == 0 for node in range(1, tree.n_nodes)}
    for place, node in enumerate(compared.node_a.tolist()):
        if node > 0 and compared.visits_a[place]:
            assert np.isnan(compared.mean_a[place]) != own[node]
    assert "mean 0.0000 and 0.0000" not in str(compared)
