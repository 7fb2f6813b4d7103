"""Where the root's value crosses a limit, of a trace with an index: looked for in a few blocks of iterations alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mcts_viz.analysis.history import root
from mcts_viz.analysis.history.root import RootHistory
from mcts_viz.trace.index.loops import ABOVE, AT, BELOW, SIDES_BLOCK, note_sides
from tests.indexed import searched


@pytest.mark.parametrize("game", ["tic_tac_toe", "connect_four"])
def test_blocks_on_one_side_of_the_limit_are_left_out(
    game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = searched(game, 30_000, tmp_path, monkeypatch)
    means = trace.history(0, points=2_000).mean_value
    for limit in (0.0, *np.quantile(means[1:], [0.01, 0.3, 0.5, 0.9]).tolist()):
        for t in (1, 4_096, 20_001, 30_000):
            found = []
            for much in (10**12, 0):
                monkeypatch.setattr(root, "MUCH", much)
                found.append(RootHistory(trace).crossings(t, limit))
            for all_, few in zip(*found):
                np.testing.assert_array_equal(all_, few)


def test_iterations_that_add_nothing_change_no_side() -> None:
    code = np.zeros(3 * SIDES_BLOCK, np.uint8)
    code[SIDES_BLOCK : 2 * SIDES_BLOCK] = 255  # of no kind of worth
    code[2 * SIDES_BLOCK :] = 1
    sides, states = np.zeros(3, np.uint8), np.zeros((2, 3))
    note_sides(code, np.array([1.0, -2.0]), np.array([0.0, 0.0, 0.0]), sides, states)
    assert states.tolist() == [[0, SIDES_BLOCK, SIDES_BLOCK], [0, SIDES_BLOCK, SIDES_BLOCK]]
    assert sides.tolist() == [ABOVE, ABOVE, ABOVE | AT | BELOW]
