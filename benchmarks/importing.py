"""Importing 1,000,000 events of Connect Four, and a quarter of them to see whether memory grows with the stream.

Each in a process of its own, for its memory.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import mcts_viz as mv
from benchmarks.figures import Figure, in_process, resident_megabytes, seconds
from mcts_viz.export.events import event_chunks

ITERATIONS = 1_000_000
PART = ITERATIONS // 4
GOAL_SECONDS = 30.0
GOAL_GROWTH = 1.1  # memory for all of them ÷ for a quarter


def measure() -> Iterator[Figure]:
    """Seconds of the clock and of the processor, and memory at its peak."""
    with tempfile.TemporaryDirectory() as folder:
        whole, part = Path(folder) / "whole.ndjson", Path(folder) / "part.ndjson"
        trace = mv.search("connect_four", iterations=ITERATIONS, seed=1, rollouts=False)
        with whole.open("wb") as file:
            file.writelines(event_chunks(trace))
        del trace
        with whole.open("rb") as lines, part.open("wb") as some:
            some.writelines(islice(lines, 1 + PART))
        n, n_part = (in_process("benchmarks.importing", path) for path in (whole, part))
        size = f"{whole.stat().st_size / 1e6:.0f} MB of events"
    yield Figure("import 1,000,000 events", n["clock"], "s", GOAL_SECONDS, how=size)
    yield Figure("the same, of the processor", n["processor"], "s", GOAL_SECONDS)
    yield Figure("memory at its peak, 1,000,000 ÷ 250,000 events", n["most"] / n_part["most"], "×", GOAL_GROWTH,
                 how=f"{n['most']:.0f} MB, {n_part['most']:.0f} MB, {n['before']:.0f} MB before")  # fmt: skip


def import_events(path: str) -> dict[str, float]:
    """Seconds of the clock and of all threads; megabytes before, and at most."""
    before, _ = resident_megabytes()
    began = time.process_time()
    clock = seconds(lambda: mv.import_trace(path, Path(path).with_suffix(".mcts")))
    _, most = resident_megabytes()
    return {
        "clock": clock,
        "processor": time.process_time() - began,
        "before": before,
        "most": most,
    }


if __name__ == "__main__":
    print(json.dumps(import_events(sys.argv[1])))
