"""Two workers side by side ÷ one search of as many iterations: seconds of the clock, on two free cores, and of
processors, which tell what it would be there."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import mcts_viz as mv
from benchmarks.figures import Figure
from mcts_viz.engine.search import Search, run
from mcts_viz.engine.workers import run_workers
from mcts_viz.runs.options import search_options
from mcts_viz.runs.search import prepare

ITERATIONS = 1_000_000
ROUNDS = 5


def measure() -> Iterator[Figure]:
    """Both in turns, after each has run once."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.mcts"

        def planned(workers: int, n: int = ITERATIONS) -> Search:
            options = search_options(
                iterations=n, seed=1, rollouts=False, workers=workers, compile=True
            )
            return prepare("connect_four", options)

        def record(workers: int, n: int = ITERATIONS) -> None:
            mv.search(
                "connect_four",
                iterations=n,
                seed=1,
                rollouts=False,
                workers=workers,
                compile=True,
                path=path,
            )

        for workers in (1, 2):
            record(workers, 1_000)
        yield from _compared(
            "not recorded", 1.7, lambda: run(planned(1)), lambda: run_workers(planned(2))
        )
        yield from _compared("recorded", 1.4, lambda: record(1), lambda: record(2))


def _compared(
    name: str, goal: float, one: Callable[[], object], two: Callable[[], object]
) -> Iterator[Figure]:
    took = [(_took(one), _took(two)) for _ in range(ROUNDS)]
    clock = statistics.median(a[0] / b[0] for a, b in took)
    processors = statistics.median(b[1] / a[1] for a, b in took)
    yield Figure(f"Connect Four, {name}: one search ÷ two workers", clock, "×", goal, at_least=True)
    yield Figure(
        f"Connect Four, {name}: processor time of two workers ÷ one search", processors, "×"
    )


def _took(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds of the clock, and of processors."""
    clock, processors = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - clock, time.process_time() - processors
