"""A real search, exported and opened again: the same tree, the same numbers, the same chosen move."""

from __future__ import annotations

import json
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

import mcts_viz as mv
from tests.export.test_node_link import validate

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
    for key in snapshot.meta.keys() - {"root", "kind"}:
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
