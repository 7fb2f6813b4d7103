"""Where a number comes from, in the trace of 1,000,000 iterations of Connect Four: what the page's routes compute."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

import mcts_viz as mv
from benchmarks.figures import Figure, in_process, seconds
from mcts_viz.analysis.origin.branches import iterations_through
from mcts_viz.analysis.origin.origin import origin
from mcts_viz.analysis.origin.range_totals import range_totals
from mcts_viz.web.routes.origin import origin_document

ITERATIONS = 1_000_000
ROUNDS = 5
GOAL = 100.0  # milliseconds


def measure() -> Iterator[Figure]:
    """Each the fastest of several, in a trace whose first question has been answered."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.mcts"
        mv.search("connect_four", iterations=ITERATIONS, seed=1, rollouts=False, path=path)
        for what, took in in_process("benchmarks.asking", path).items():
            yield Figure(what, took, "ms", GOAL)


def questions(path: str) -> dict[str, float]:
    """Milliseconds."""
    trace = mv.open(path)
    tree = trace.at(ITERATIONS)
    best = int(max(tree.children(0), key=lambda child: tree.visits[child]))
    small = int(np.flatnonzero(tree.visits == 1_000)[:1].sum()) or best

    def asked(node: int, number: str) -> Callable[[], object]:
        return lambda: origin_document(origin(trace, node, number))

    asks: dict[str, Callable[[], object]] = {
        "visits of the root": asked(0, "visits"),
        "mean value of the root": asked(0, "mean_value"),
        "selection score of the best move": asked(best, "score"),
        "selection score of a node of 1,000 visits": asked(small, "score"),
        "iterations through the best move": lambda: iterations_through(trace, best, ITERATIONS),
        "totals of all iterations": lambda: range_totals(trace, 1, ITERATIONS),
        "totals of 100,000 iterations": lambda: range_totals(trace, 450_000, 550_000),
        "totals of 100,000 iterations at the best move": lambda: range_totals(
            trace, 450_000, 550_000, best
        ),
    }
    for ask in asks.values():
        ask()
    return {what: 1_000 * min(seconds(ask) for _ in range(ROUNDS)) for what, ask in asks.items()}


if __name__ == "__main__":
    print(json.dumps(questions(sys.argv[1])))
