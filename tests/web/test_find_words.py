"""What *Find* says can be typed: every example leads to the node that it is an example of."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import mcts_viz as mv
from mcts_viz.web.panels.dialogs.finder import found_node, how_to

SAMPLES = Path(__file__).parents[2] / "samples"


@pytest.mark.parametrize("sample", ["connect_four_5000", "sudo_tic_tac_toe", "game_of_24", "pig"])
def test_examples_lead_to_the_expected_line(sample: str) -> None:
    trace = mv.open(SAMPLES / f"{sample}.mcts")
    last = trace.at(trace.n_iterations)
    said = how_to(last)
    assert said.startswith("Node 17: #17.")
    ways = re.sub(r"^.* Moves: |\.$", "", said).split(" or ")
    assert len(ways) >= 2
    for way in ways:
        assert found_node(last, way) == last.principal_path[2]


def test_a_tree_without_moves_has_ids_alone() -> None:
    assert how_to(mv.search("tic_tac_toe", iterations=5, seed=1).at(0)) == "Node 17: #17."
