"""A real search, exported and opened again: the same tree, the same numbers, the same chosen move."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

import mcts_viz as mv
from mcts_viz.trace.players import CHANCE
from tests.export.test_node_link import validate

PIG = Path(__file__).parents[2] / "samples" / "pig.mcts"
COLUMNS = (
    "parent", "action", "to_move", "visits", "value_sum", "mean_value", "uct", "value_term",
    "exploration_term", "prior", "depth", "terminal", "outcome",
)  # fmt: skip


@pytest.mark.parametrize("game", ["tic_tac_toe", "connect_four"])
@pytest.mark.parametrize("t", [0, 1, 2, 250, 600])
def test_a_snapshot_opens_as_a_trace_with_equal_numbers(game: str, t: int, tmp_path: Path) -> None:
    snapshot = mv.search(game, "uct", iterations=600, seed=1, start=["4"]).at(t)
    path = tmp_path / "snapshot.json"
    snapshot.to_json(path)
    document = json.loads(path.read_text())
    validate(document)
    assert nx.is_arborescence(nx.node_link_graph(document, edges="edges"))

    trace = mv.open(path)
    again = trace.at(trace.n_iterations)
    assert trace.n_iterations == 1
    for name in COLUMNS:
        before, after = getattr(snapshot, name), getattr(again, name)
        assert np.array_equal(before, after, equal_nan=True), name
    assert again.labels() == snapshot.labels()
    assert again.best_action == snapshot.best_action
    assert again.principal_variation == snapshot.principal_variation
    assert trace.meta["format_version"] == 2  # its one row has all updates
    for key in snapshot.meta.keys() - {"root", "kind", "format_version"}:
        assert trace.meta[key] == snapshot.meta[key], key


def test_a_snapshot_that_was_opened_exports_the_same_numbers(tmp_path: Path) -> None:
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    mv.search("tic_tac_toe", iterations=300, seed=2).at(300).to_json(first)
    mv.open(first).at(1).to_json(second)
    before, after = (json.loads(path.read_text()) for path in (first, second))
    assert after["graph"] == {**before["graph"], "root": after["graph"]["root"]}
    assert after["graph"]["iteration"] == 300
    assert after["edges"] == before["edges"]
    for old, new in zip(before["nodes"], after["nodes"], strict=True):
        assert {**new, "born": None} == {**old, "born": None}


def test_nodes_of_chance_come_back_as_such_from_json(tmp_path: Path) -> None:
    """Pig: a die is thrown again and again, alone."""
    snapshot = mv.open(PIG).at(300)
    by_chance = snapshot.to_move == CHANCE
    assert 0 < by_chance.sum() < snapshot.n_nodes
    path, table, graph = (tmp_path / f"pig.{suffix}" for suffix in ("json", "csv", "graphml"))
    for target in (path, table, graph):
        snapshot.export(target)
    validate(json.loads(path.read_text()))
    trace = mv.open(path)
    again = trace.at(1)
    assert again.to_move.tolist() == snapshot.to_move.tolist()
    assert trace.meta["format_version"] == 3  # older readers do not know nodes of chance
    assert np.array_equal(again.mean_value, snapshot.mean_value, equal_nan=True)
    rows = list(csv.DictReader(table.open()))
    assert [row["chance"] == "true" for row in rows] == by_chance.tolist()
    nodes = nx.read_graphml(graph, node_type=int).nodes
    assert [nodes[v]["chance"] for v in range(snapshot.n_nodes)] == by_chance.tolist()


def test_a_sequence_of_snapshots_keeps_its_nodes_of_chance(tmp_path: Path) -> None:
    trace = mv.open(PIG)
    files = []
    for t in (100, 300):
        files.append(tmp_path / f"{t}.json")
        trace.at(t).to_json(files[-1])
    again = mv.from_snapshots(files, tmp_path / "again.mcts")
    assert again.meta["format_version"] == 3
    read = mv.open(tmp_path / "again.mcts").at(2)
    assert (read.to_move == CHANCE).sum() == (trace.at(300).to_move == CHANCE).sum()


@pytest.mark.parametrize(
    ("chance", "message"),
    [
        (True, 'node 3: "to_move" names a player, but by "chance"'),
        ("yes", r'nodes\[3\].chance: "yes" is not true or false'),
    ],
)
def test_a_player_where_chance_decides_is_refused(
    chance: object, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "snapshot.json"
    mv.search("tic_tac_toe", iterations=20, seed=2).at(20).to_json(path)
    document = json.loads(path.read_text())
    document["nodes"][3]["chance"] = chance
    path.write_text(json.dumps(document))
    with pytest.raises(mv.ImportFormatError, match=message):
        mv.open(path)


def test_a_snapshot_that_does_not_speak_of_chance_has_none(tmp_path: Path) -> None:
    path = tmp_path / "snapshot.json"
    mv.search("tic_tac_toe", iterations=20, seed=2).at(20).to_json(path)
    document = json.loads(path.read_text())
    for node in document["nodes"]:
        del node["chance"]
    path.write_text(json.dumps(document))
    trace = mv.open(path)
    assert not (trace.at(1).to_move == CHANCE).any()
    assert trace.meta["format_version"] == 2


GAMES = ["tic_tac_toe", "mnk:4,3,3", "connect_four:5,6", "sudo_tic_tac_toe", "ultimate_tic_tac_toe"]


@pytest.mark.parametrize("game", GAMES)
def test_boards_untried_moves_and_results_are_in_every_export(game: str, tmp_path: Path) -> None:
    trace = mv.search(game, iterations=120, seed=3, start=[4], compile=False)
    snapshot = trace.at(120)
    document = json.loads(snapshot.to_json() or "")
    validate(document)
    snapshot.export(tmp_path / "tree.csv")
    with (tmp_path / "tree.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    results = snapshot.results
    assert results is not None
    for node, row in zip(document["nodes"], rows):
        v = node["id"]
        assert node["state"] == snapshot.state(v) == row["state"]
        assert node["state"].replace("\n", "").count("X") == 1 + node["depth"] // 2
        untried = snapshot.untried(v)
        assert untried is not None
        assert node["untried"] == len(untried) == int(row["untried"])
        assert node["fully_expanded"] == snapshot.fully_expanded(v) == (not untried)
        counts = [node["wins"], node["draws"], node["losses"]]
        assert counts == [int(column[v]) for column in results]
        assert counts == [int(row[name]) for name in ("wins", "draws", "losses")]
        assert sum(counts) == node["visits"]
        assert counts[0] + counts[1] / 2 == node["value_sum"]
    again = mv.open(_written(snapshot, tmp_path / "tree.json")).at(1)
    assert again.state(5) == snapshot.state(5)
    assert again.results is not None
    assert np.array_equal(again.results, results)


def _written(snapshot: mv.Snapshot, path: Path) -> Path:
    snapshot.to_json(path)
    return path


def test_games_whose_outcomes_are_no_results_have_none() -> None:
    assert mv.search("tic_tac_toe", "alphazero", iterations=20).at(20).results is None
    assert mv.search("tic_tac_toe", iterations=20, n_rollouts=3).at(20).results is None
    assert mv.open(PIG).at(100).results is None


def test_a_restricted_root_has_its_own_moves_alone_to_try() -> None:
    tree = mv.search("tic_tac_toe", iterations=1, seed=1, forbid=[0, 1, 2, 3, 4, 5]).at(1)
    untried = tree.untried()
    assert untried is not None
    assert {*untried, int(tree.action[1])} == {6, 7, 8}


def test_scores_that_need_squares_are_kept_through_json_and_by_a_resumed_search(
    tmp_path: Path,
) -> None:
    trace = mv.search("tic_tac_toe", iterations=200, seed=1, selection="ucb1_tuned", c=1)
    tree = trace.at(150)
    read = mv.open(_written(tree, tmp_path / "tree.json")).at(1)
    assert np.array_equal(read.uct, tree.uct, equal_nan=True)
    resumed = trace.rerun(resume=150, iterations=40, path=tmp_path / "resumed.mcts")
    for each in (resumed, mv.open(tmp_path / "resumed.mcts")):
        assert np.array_equal(each.at(0).uct, tree.uct, equal_nan=True)
        for t in range(1, 41):
            for compared in each.iteration(t).comparisons:
                assert compared.chosen == compared.children[int(np.argmax(compared.scores))]
    assert not [found for found in resumed.check() if found.severity == "error"]
    chain = resumed.rerun(resume=40, iterations=5)
    assert np.array_equal(chain.at(0).uct, resumed.at(40).uct, equal_nan=True)
