"""Checking the trace of 100,000 iterations of Connect Four, in a process of its own for its memory."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import mcts_viz as mv
from benchmarks.figures import Figure, in_process, resident_megabytes, seconds

ITERATIONS = 100_000
PROCESSES = 2


def measure() -> Iterator[Figure]:
    """The fastest of the processes; and how the memory grows with the trace."""
    with tempfile.TemporaryDirectory() as folder:
        for preset, goal in (("uct", 20.0), ("tech_io", None)):
            path = Path(folder) / f"{preset}.mcts"
            mv.search("connect_four", preset, iterations=ITERATIONS, seed=1, path=path)
            found = [in_process("benchmarks.checking", path) for _ in range(PROCESSES)]
            yield Figure(
                f"check 100,000 iterations, {preset}", min(one["check"] for one in found), "s", goal
            )
            yield Figure(
                f"memory on top of the opened trace, {preset}",
                min(one["most"] - one["opened"] for one in found), "MB",
                how=f"{found[0]['opened']:.0f} MB opened",
            )  # fmt: skip


def check(path: str) -> dict[str, float]:
    """Seconds, and megabytes of memory before and at most."""
    trace = mv.open(path)
    opened, _ = resident_megabytes()
    took = seconds(trace.check)
    _, most = resident_megabytes()
    return {"check": took, "opened": opened, "most": most}


if __name__ == "__main__":
    print(json.dumps(check(sys.argv[1])))
