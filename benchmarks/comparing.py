"""Comparing two traces of 100,000 iterations of Connect Four that differ in c."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import mcts_viz as mv
from benchmarks.figures import Figure, in_process, seconds

ITERATIONS = 100_000
ROUNDS = 3


def measure() -> Iterator[Figure]:
    """Each round reads both files anew, so that nothing is remembered."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{c}.mcts" for c in (1.4, 0.7)]
        for path in paths:
            c = float(path.stem)
            mv.search("connect_four", iterations=ITERATIONS, seed=1, c=c, path=path)
        found = in_process("benchmarks.comparing", *paths)
    how = f"{found['nodes']:,} nodes in the two; {found['again']:.2f} s once both have been read"
    yield Figure("compare(a, b), 100,000 iterations each", found["first"], "s", 2, how=how)


def questions(path_a: str, path_b: str) -> dict[str, float]:
    """Seconds: with the traces just opened, and again."""
    first, again, nodes = [], [], 0
    for _ in range(ROUNDS):
        a, b = mv.open(path_a), mv.open(path_b)
        first.append(seconds(lambda: str(mv.compare(a, b))))  # noqa: B023 (called at once)
        again.append(seconds(lambda: str(mv.compare(a, b))))  # noqa: B023
        nodes = len(mv.compare(a, b).parent)
    return {"first": min(first), "again": min(again), "nodes": nodes}


if __name__ == "__main__":
    print(json.dumps(questions(*sys.argv[1:])))
