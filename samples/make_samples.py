"""Records the bundled traces again: python samples/make_samples.py

The same code and seeds give the same traces, apart from times and versions; a test compares them.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # a checkout need not be installed

import mcts_viz as mv
from samples import beyond_two_players, misleading_prior

HERE = Path(__file__).resolve().parent


class Sample(NamedTuple):
    """What one bundled trace is a recording of."""

    name: str  # of the file
    game: str
    preset: str
    iterations: int
    seed: int
    start: tuple[int, ...] = ()


SAMPLES = (
    Sample("tic_tac_toe_1000.mcts", "tic_tac_toe", "uct", 1_000, 1),
    Sample("connect_four_5000.mcts", "connect_four", "uct", 5_000, 1),
    # O has to take a corner; with 20 iterations it does not see why, and loses
    Sample("too_few_iterations.mcts", "tic_tac_toe", "uct", 20, 3, (4, 0, 8)),
    Sample("tech_io.mcts", "tic_tac_toe", "tech_io", 1_000, 1),
    Sample("rhu2001.mcts", "tic_tac_toe", "rhu2001", 600, 1),
    Sample("mctspy.mcts", "tic_tac_toe", "mctspy", 600, 1),
    Sample("baeldung.mcts", "tic_tac_toe", "baeldung", 600, 1),
    Sample("sudo_tic_tac_toe.mcts", "sudo_tic_tac_toe", "sudo_tic_tac_toe", 100, 1),
    Sample("alphazero.mcts", "connect_four", "alphazero", 600, 1),
)
MISLEADING_PRIOR = "misleading_prior.mcts"


def record(sample: Sample, folder: Path) -> mv.Trace:
    """Run the sample's search and write its trace into the folder."""
    return mv.search(
        sample.game,
        sample.preset,
        iterations=sample.iterations,
        seed=sample.seed,
        start=sample.start,
        path=folder / sample.name,
        compile=False,  # nothing to wait for; compiled or not, the trace is the same
    )


def main() -> None:
    """Record all of them beside this file."""
    traces = {sample.name: record(sample, HERE) for sample in SAMPLES}
    traces[MISLEADING_PRIOR] = misleading_prior.record(HERE / MISLEADING_PRIOR)
    for name, record_one in beyond_two_players.RECORDS.items():
        traces[name] = record_one(HERE / name)
    for name, trace in traces.items():
        print(f"{name}: {trace.n_iterations:,} iterations, {trace.n_nodes:,} nodes")


if __name__ == "__main__":
    main()
