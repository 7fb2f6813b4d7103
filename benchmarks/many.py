"""What a short search costs in a file of many: bytes, and time to write and to read."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import mcts_viz as mv
from benchmarks.figures import Figure
from mcts_viz.trace.many_format import MAGIC, TRAILER

SEARCHES, ITERATIONS = 2_000, 50
GOAL_INDEX, GOAL_BYTES, GOAL_READ = 60.0, 25.0, 3.0


def measure() -> Iterator[Figure]:
    """Connect Four without rollouts."""
    searches = [
        {"game": "connect_four", "iterations": ITERATIONS, "seed": seed, "rollouts": False}
        for seed in range(SEARCHES)
    ]
    with tempfile.TemporaryDirectory() as folder:
        path, alone = Path(folder) / "a.many", Path(folder) / "one.mcts"
        found = [mv.search(**each) for each in searches]
        with mv.ManyWriter(path) as many:
            began = time.process_time()
            for trace in found:
                many.append(trace)
        writing = time.process_time() - began
        content = path.read_bytes()
        rows, index, _ = TRAILER.unpack(content[-len(MAGIC) - TRAILER.size : -len(MAGIC)])
        mv.search(**searches[0], path=alone)
        size = alone.stat().st_size
        began = time.process_time()
        nodes = sum(trace.n_nodes for trace in mv.ManyTraces(path))
        reading = time.process_time() - began
    how = f"{SEARCHES:,} searches of {ITERATIONS} iterations, {nodes:,} nodes"
    yield Figure("index", index / SEARCHES, "bytes a search", GOAL_INDEX, how=how)
    yield Figure(
        "rows and metadata", rows / SEARCHES / ITERATIONS, "bytes an iteration", GOAL_BYTES, how=how
    )
    yield Figure("the same in a trace of its own", size / ITERATIONS, "bytes an iteration")
    yield Figure("adding a search", 1e3 * writing / SEARCHES, "ms of a processor", how=how)
    yield Figure(
        "reading one after the other",
        1e3 * reading / SEARCHES,
        "ms of a processor",
        GOAL_READ,
        how=how,
    )
