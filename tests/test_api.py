"""The public API: names, shapes, and what it promises beyond the layers below."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

import mcts_viz as mv
from tests.web.recordings import record_kept


def test_everything_public_is_there() -> None:
    for name in mv.__all__:
        assert getattr(mv, name) is not None
    errors = [getattr(mv, name) for name in mv.__all__ if name.endswith("Error")]
    assert len(errors) >= 7
    assert all(issubclass(error, mv.MctsVizError) for error in errors)


def test_a_search_is_a_trace() -> None:
    trace = mv.search("connect_four", "uct", iterations=300, seed=1)
    assert (trace.n_iterations, trace.n_nodes) == (300, 301)
    assert trace.best_action is not None
    assert 0 <= trace.best_action < 7
    assert trace.best_action_name == f"column {trace.best_action + 1}"
    assert repr(trace) == "<Trace of connect_four: 300 iterations, 301 nodes>"


def test_the_metadata_say_all_that_was_asked_for() -> None:
    meta = mv.search("tic_tac_toe", iterations=10, seconds=60, seed=7, start=["b2", 0]).meta
    assert meta["kind"] == "trace"
    assert meta["game"]["name"] == "tic_tac_toe"
    assert (meta["start"], meta["root"], meta["seed"]) == ([4, 0], {"to_move": 0}, 7)
    assert meta["budget"] == {
        "iterations": 10,
        "seconds": 60.0,
        "nodes": None,
        "memory": None,
        "decided": False,
    }
    assert meta["reward_range"] == [-1.0, 1.0]
    assert meta["players"] == ["X", "O"]
    assert {"mcts_viz", "python", "numpy", "numba"} <= set(meta["software"])
    assert json.loads(json.dumps(meta, allow_nan=False)) == meta


def test_paths_may_be_text(tmp_path: Path) -> None:
    path = str(tmp_path / "a.mcts")
    mv.search("tic_tac_toe", iterations=10, seed=1, path=path)
    assert mv.open(path).n_iterations == 10


def test_progress_is_shown_on_demand(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # as in a terminal
    mv.search("tic_tac_toe", iterations=200, seed=1)
    assert capfd.readouterr() == ("", "")
    mv.search("tic_tac_toe", iterations=200, seed=1, progress=True)
    assert "200 iterations" in "".join(capfd.readouterr())


def test_a_snapshot_is_a_graph_and_json_and_comes_back(tmp_path: Path) -> None:
    snapshot = mv.search("tic_tac_toe", iterations=100, seed=1).at(60)
    graph = snapshot.to_networkx()
    assert graph.number_of_nodes() == len(snapshot)
    snapshot.to_json(tmp_path / "a.json")
    text = (tmp_path / "a.json").read_text(encoding="utf-8")
    read: Any = nx.node_link_graph(json.loads(text), edges="edges")
    assert set(read.nodes) == set(graph.nodes)
    again = mv.open(tmp_path / "a.json")
    assert again.n_iterations == 1
    assert again.at(1).visits.tolist() == snapshot.visits.tolist()
    assert again.at(1).value_sum.tolist() == snapshot.value_sum.tolist()
    assert again.at(1).uct[1:].tolist() == snapshot.uct[1:].tolist()
    assert again.best_action == snapshot.best_action


def test_what_a_solver_has_proven_comes_back_with_the_snapshot(tmp_path: Path) -> None:
    trace = mv.search(
        "tic_tac_toe", "tech_io", iterations=900, seed=1, solver=True, start=["a1", "b2"]
    )
    snapshot = trace.at(trace.n_iterations - 1)
    assert snapshot.proven is not None
    assert (~np.isnan(snapshot.proven) & np.isnan(snapshot.outcome)).sum() > 10
    snapshot.to_json(tmp_path / "a.json")
    again = mv.open(tmp_path / "a.json").at(1)
    assert np.array_equal(again.proven, snapshot.proven, equal_nan=True)
    assert np.array_equal(again.uct, snapshot.uct, equal_nan=True)
    assert again.principal_variation == snapshot.principal_variation
    graph = snapshot.to_networkx()
    assert [graph.nodes[v]["proven"] for v in graph] == [
        None if np.isnan(result) else result for result in snapshot.proven.tolist()
    ]
    snapshot.export(tmp_path / "a.csv")
    assert "proven" in (tmp_path / "a.csv").read_text().splitlines()[0].split(",")


def test_a_snapshot_of_a_tree_that_was_kept_comes_back_whole(tmp_path: Path) -> None:
    trace = record_kept()
    snapshot = trace.at(20)
    snapshot.to_json(tmp_path / "a.json")
    again = mv.open(tmp_path / "a.json")
    assert again.n_iterations == 1
    assert again.at(1).visits.tolist() == snapshot.visits.tolist()
    assert again.meta["inherited"] is None


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"game": "go"}, mv.GameError, "choose one of: tic_tac_toe, mnk:M,N,K, connect_four"),
        ({"game": 7}, mv.GameError, "game 7 is not known"),
        (
            {"start": [9]},
            mv.GameError,
            "tic_tac_toe has no move 9; give a name such as .a3., or an action id from 0 to 8",
        ),
        ({"start": [0, 0]}, mv.GameError, "move 2 of the start position, 0, is not legal"),
        ({"start": "a3"}, mv.GameError, "is not a list of moves; give one"),
        ({"start": [0, 3, 1, 4, 2]}, mv.SearchError, "the game is over at the start position"),
        ({"preset": "fast"}, mv.SearchError, "preset 'fast' is not known; choose one of"),
        ({"iterations": 0}, mv.SearchError, "iterations = 0 is not a whole number from 1"),
        ({"seconds": -1}, mv.SearchError, "seconds = -1 is not a number of seconds above 0"),
        ({"seed": -5}, mv.SearchError, "seed = -5 is not a whole number from 0 up"),
        ({"depth": 5}, mv.SearchError, "depth: not a parameter of a search; choose among"),
        (
            {"path": "/no/such/folder/a.mcts"},
            mv.TraceError,
            "/no/such/folder/a.mcts: the trace cannot be written",
        ),
    ],
)
def test_a_bad_argument_is_named_with_the_value_and_the_fix(
    arguments: dict[str, Any], error: type[mv.MctsVizError], message: str
) -> None:
    with pytest.raises(error, match=message):
        mv.search(**{"game": "tic_tac_toe", "seed": 1, **arguments})


@pytest.mark.thorough
def test_a_search_with_a_seed_is_the_same_whatever_is_loaded_for_its_recording() -> None:
    """Names are loaded when they are asked for, and libraries that draw a number then must not be noticed."""
    program = """
import random
import numpy
random.seed(1), numpy.random.seed(1)
import mcts_viz
for name in mcts_viz.__all__:
    getattr(mcts_viz, name)
assert random.random() == random.Random(1).random()
assert numpy.random.random() == numpy.random.RandomState(1).random()
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)
