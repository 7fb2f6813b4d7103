"""What recording costs a search, and how large its file becomes."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from benchmarks.figures import Figure, fastest
from mcts_viz.engine.search import Search, run
from mcts_viz.runs.options import search_options
from mcts_viz.runs.recorder import Recorder
from mcts_viz.runs.search import prepare

ITERATIONS = 1_000_000
ROUNDS = 9
GOAL_COST = 1.3
GOAL_BYTES = 22.0  # an iteration, Connect Four without rollouts


def measure() -> Iterator[Figure]:
    """Compiling is excluded: each search has run once before."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.mcts"
        for game in ("tic_tac_toe", "connect_four"):
            run(prepare(game, search_options(iterations=1_000, seed=1, compile=True)))
            for rollouts in (True, False):
                plan = prepare(
                    game,
                    search_options(iterations=ITERATIONS, seed=1, rollouts=rollouts, compile=True),
                )
                plain, recorded = fastest(ROUNDS, partial(run, plan), partial(record, plan, path))
                name = f"{game}, rollouts {'on' if rollouts else 'off'}"
                how = f"{recorded:.2f} s ÷ {plain:.2f} s"
                yield Figure(
                    f"{name}: time with trace ÷ without", recorded / plain, "×", GOAL_COST, how=how
                )
                limit = None if rollouts or game == "tic_tac_toe" else GOAL_BYTES
                size = path.stat().st_size
                yield Figure(
                    f"{name}: file", size / ITERATIONS, "bytes an iteration", limit,
                    how=f"{size / 1e6:.1f} MB",
                )  # fmt: skip


def record(plan: Search, path: Path) -> None:
    """Run the search with its trace written to `path`."""
    with Recorder(plan, path) as recorder:
        run(plan, recorder)
