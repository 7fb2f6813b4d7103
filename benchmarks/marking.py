"""The marks on the timeline of 1,000,000 iterations of Connect Four, and the history of a node and its siblings."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import mcts_viz as mv
from benchmarks.figures import Figure, fastest, in_process
from mcts_viz.analysis.history.sibling_history import sibling_history

ITERATIONS = 1_000_000
ROUNDS = 5


def measure() -> Iterator[Figure]:
    """Each the fastest of several."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.mcts"
        mv.search("connect_four", iterations=ITERATIONS, seed=1, rollouts=False, path=path)
        found = in_process("benchmarks.marking", path)
    yield Figure("trace.events(), 1,000,000 iterations", found["events"], "ms", 1_000)
    yield Figure("history of the root's moves, for the chart", found["history"], "ms", 1_000)


def questions(path: str) -> dict[str, float]:
    """Milliseconds."""
    trace = mv.open(path)
    events, history = fastest(ROUNDS, lambda: trace.events(), lambda: sibling_history(trace, 0))
    return {"events": 1_000 * events, "history": 1_000 * history}


if __name__ == "__main__":
    print(json.dumps(questions(sys.argv[1])))
