"""Explaining the trace of 1,000,000 iterations of Connect Four: the last move, a rejected one, a deeper node."""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import mcts_viz as mv
from benchmarks.figures import Figure, in_process, seconds

ITERATIONS = 1_000_000
ROUNDS = 7


def measure() -> Iterator[Figure]:
    """Each the fastest of several, after a first question has read the trace's keyframes in."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.mcts"
        mv.search("connect_four", iterations=ITERATIONS, seed=1, rollouts=False, path=path)
        found = in_process("benchmarks.explaining", path)
    how = f"median {found['median']:.0f} ms, first question {found['first']:.0f} ms"
    yield Figure("trace.explain(T), T = 1,000,000", found["last"], "ms", 200, how=how)
    yield Figure("trace.explain(T, why_not=…)", found["why not"], "ms", 200)
    yield Figure("trace.explain(T, node of half the visits)", found["node"], "ms", 200)


def questions(path: str) -> dict[str, float]:
    """Milliseconds."""
    trace = mv.open(path)
    first = seconds(lambda: trace.explain())
    decided = trace.explain()
    assert decided.chosen is not None
    assert decided.runner_up is not None
    node, other = decided.chosen.node, decided.runner_up.action
    last = [seconds(lambda: trace.explain()) for _ in range(ROUNDS)]
    return {
        "first": 1_000 * first,
        "last": 1_000 * min(last),
        "median": 1_000 * statistics.median(last),
        "why not": 1_000 * min(seconds(lambda: trace.explain(why_not=other)) for _ in range(ROUNDS)),
        "node": 1_000 * min(seconds(lambda: trace.explain(node=node)) for _ in range(ROUNDS)),
    }  # fmt: skip


if __name__ == "__main__":
    print(json.dumps(questions(sys.argv[1])))
