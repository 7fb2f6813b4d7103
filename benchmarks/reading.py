"""Opening the trace of 1,000,000 iterations of Connect Four, and asking it for any iteration.

Opening is measured in a process of its own, for its memory; so are the questions, the first of which
meet a trace without keyframes.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

import numpy as np

import mcts_viz as mv
from benchmarks.figures import Figure, in_process, resident_megabytes, seconds

ITERATIONS = 1_000_000
PROCESSES = 3
QUESTIONS = 200
STEPS = 200
HISTORIES = 50


def measure() -> Iterator[Figure]:
    """Medians over processes of the medians in them."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.mcts"
        mv.search("connect_four", iterations=ITERATIONS, seed=1, rollouts=False, path=path)
        found = [in_process("benchmarks.reading", path) for _ in range(PROCESSES)]
    middle = {name: statistics.median(row[name] for row in found) for name in found[0]}
    first = f"first one {middle['first at']:.0f} ms, slowest {middle['slowest at']:.0f} ms"
    yield Figure("open the file", min(row["open"] for row in found), "s", 1.5)
    yield Figure(
        "memory after opening", middle["resident"], "MB", 600,
        how=f"{middle['at most']:.0f} MB at most meanwhile",
    )  # fmt: skip
    yield Figure("trace.at(random t), median", middle["at"], "ms", 50, how=first)
    yield Figure("trace.at(t + 1) after trace.at(t), median", middle["step"], "ms", 2)
    yield Figure("trace.at(t − 1) after trace.at(t), median", middle["step back"], "ms", 2)
    yield Figure("trace.history(random node), median", middle["history"], "ms", 50)
    yield Figure("trace.iteration(random t), median", middle["iteration"], "ms")


def questions(path: str) -> dict[str, float]:
    """Seconds to open; medians of the questions in milliseconds; megabytes of memory."""
    opened: list[mv.Trace] = []
    took = seconds(lambda: opened.append(mv.open(path)))
    trace = opened[0]
    resident, at_most = resident_megabytes()
    rng = np.random.default_rng(1)
    T, N = trace.n_iterations, trace.n_nodes
    random_t = rng.integers(1, T, QUESTIONS).tolist()
    at = milliseconds(trace.at, random_t)
    t = T - 2 * STEPS  # where a snapshot is as large as it gets
    trace.at(t)
    step = milliseconds(trace.at, range(t + 1, t + STEPS))
    back = milliseconds(trace.at, range(t + STEPS - 2, t, -1))
    history = milliseconds(trace.history, [0, 1, *rng.integers(0, N, HISTORIES).tolist()])
    iteration = milliseconds(trace.iteration, random_t[:HISTORIES])
    return {
        "open": took,
        "resident": resident,
        "at most": at_most,
        "at": statistics.median(at),
        "first at": at[0],
        "slowest at": max(at),
        "step": statistics.median(step),
        "step back": statistics.median(back),
        "history": statistics.median(history),
        "iteration": statistics.median(iteration),
    }


def milliseconds(question: Callable[[int], object], of: Iterable[int]) -> list[float]:
    """How long each answer takes."""
    return [1_000 * seconds(partial(question, i)) for i in of]


if __name__ == "__main__":
    print(json.dumps(questions(sys.argv[1])))
