"""Records the bundled traces again: python samples/make_samples.py

The same code and seeds give the same traces, apart from times and versions; a test compares them.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # a checkout need not be installed

import mcts_viz as mv

HERE = Path(__file__).resolve().parent


class Sample(NamedTuple):
    """What one bundled trace is a recording of."""

    game: str
    iterations: int
    seed: int

    @property
    def name(self) -> str:
        """File name."""
        return f"{self.game}_{self.iterations}.mcts"


SAMPLES = (Sample("tic_tac_toe", 1_000, seed=1), Sample("connect_four", 5_000, seed=1))


def record(sample: Sample, folder: Path) -> mv.Trace:
    """Run the sample's search, preset `uct`, and write its trace into the folder."""
    return mv.search(
        sample.game,
        "uct",
        iterations=sample.iterations,
        seed=sample.seed,
        path=folder / sample.name,
        compile=False,  # nothing to wait for; compiled or not, the trace is the same
    )


def main() -> None:
    """Record all of them beside this file."""
    for sample in SAMPLES:
        trace = record(sample, HERE)
        print(f"{sample.name}: {trace.n_iterations:,} iterations, {trace.n_nodes:,} nodes")


if __name__ == "__main__":
    main()
