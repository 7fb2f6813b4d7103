"""Checking traces of Connect Four, each in a process of its own for its memory: how long it takes, and
what it takes on top of the opened trace, however long that is."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import mcts_viz as mv
from benchmarks.figures import Figure, forget_peak, in_process, resident_megabytes, seconds

PROCESSES = 2
GOAL = 20.0  # seconds for 100,000 iterations of the first preset
TRACES = [("uct", 100_000), ("uct", 400_000), ("tech_io", 100_000), ("tech_io", 400_000)]


def measure() -> Iterator[Figure]:
    """The fastest of the processes, and the least memory."""
    with tempfile.TemporaryDirectory() as folder:
        for preset, iterations in TRACES:
            path = Path(folder) / f"{preset}.mcts"
            mv.search("connect_four", preset, iterations=iterations, seed=1, path=path)
            found = [in_process("benchmarks.checking", path) for _ in range(PROCESSES)]
            what = f"{iterations:,} iterations, {preset}"
            goal = GOAL if (preset, iterations) == TRACES[0] else None
            yield Figure(f"check {what}", min(one["check"] for one in found), "s", goal)
            yield Figure(
                f"memory on top of the opened trace, {what}",
                min(one["most"] - one["opened"] for one in found), "MB",
                how=f"{found[0]['opened']:.0f} MB opened",
            )  # fmt: skip


def check(path: str) -> dict[str, float]:
    """Seconds, and megabytes of memory before and at most."""
    trace = mv.open(path)
    forget_peak()
    opened, _ = resident_megabytes()
    took = seconds(trace.check)
    _, most = resident_megabytes()
    return {"check": took, "opened": opened, "most": most}


if __name__ == "__main__":
    print(json.dumps(check(sys.argv[1])))
