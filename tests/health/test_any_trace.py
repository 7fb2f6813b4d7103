"""Checking never fails, whatever a search has done."""

import random
from pathlib import Path

import pytest

import mcts_viz as mv
from tests.complaints import complaints
from tests.recording.searches import FaultySearch
from tests.recording.test_faulty_searches import VALUES
from tests.variants import few


@pytest.mark.parametrize("values", few(VALUES))
@pytest.mark.parametrize("anywhere", [False, True])
def test_a_search_with_any_faults_can_be_checked(values: str, anywhere: bool) -> None:
    for seed in range(12):
        draw = random.Random(seed)
        search = FaultySearch(seed, VALUES[values], anywhere)
        with mv.record(
            root=search.root, children="children", visits="visits", value="value", action="move",
            to_move="player" if seed % 2 else None, thorough=anywhere,
        ) as rec:  # fmt: skip
            for _ in rec.steps(search.step, draw.choice([1, 2, 30, 120])):
                pass
        found = rec.trace.check()
        assert rec.trace.n_iterations < 30 or found


@pytest.mark.parametrize("iterations", [1, 2, 3, 5])
def test_short_and_unfinished_traces_can_be_checked(tmp_path: Path, iterations: int) -> None:
    for preset in ("uct", "tech_io", "alphazero"):
        path = tmp_path / f"{preset}.mcts"
        trace = mv.search("tic_tac_toe", preset, iterations=iterations, seed=1, path=path)
        assert complaints(trace) == []
        path.write_bytes(path.read_bytes()[:-8])
        assert complaints(mv.open(path)) == []
