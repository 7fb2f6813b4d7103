"""Where the root's value crosses a limit, of a trace with an index: looked for in a few blocks of iterations alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import mcts_viz as mv
from mcts_viz.analysis.history import root
from mcts_viz.analysis.history.root import RootHistory
from mcts_viz.trace.index.opening import SWITCH, make_index


@pytest.mark.parametrize("game", ["tic_tac_toe", "connect_four"])
def test_blocks_on_one_side_of_the_limit_are_left_out(
    game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SWITCH, "1")
    path = tmp_path / "trace.mcts"
    mv.search(game, iterations=30_000, seed=1, path=path, rollouts=False, compile=True)
    make_index(path)
    trace = mv.open(path)
    assert trace.columns.index is not None
    means = trace.history(0, points=2_000).mean_value
    for limit in (0.0, *np.quantile(means[1:], [0.01, 0.3, 0.5, 0.9]).tolist()):
        for t in (1, 4_096, 20_001, 30_000):
            found = []
            for much in (10**12, 0):
                monkeypatch.setattr(root, "MUCH", much)
                found.append(RootHistory(trace).crossings(t, limit))
            for all_, few in zip(*found):
                np.testing.assert_array_equal(all_, few)
