"""What the writers for C++ and Rust cost a search."""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.figures import ROOT, Figure

WRITERS = ROOT / "samples/writers"
ITERATIONS, ROUNDS = 500_000, 7
SPEED = 100_000  # iterations a second of the search that the goal is about
GOAL = 10.0  # per cent of its time, on a processor of its own
BUILDS = {
    "tic_tac_toe.cpp": ["c++", "-std=c++17", "-O2"],
    "tic_tac_toe.rs": ["rustc", "-O"],
}


def measure() -> Iterator[Figure]:
    """With a file and without, in turns; a search of Tic-Tac-Toe, whose lines have 300 bytes."""
    with tempfile.TemporaryDirectory() as folder:
        program, out = Path(folder) / "search", Path(folder) / "run.ndjson"
        for name, command in BUILDS.items():
            if shutil.which(command[0]) is None:
                continue
            subprocess.run([*command, "-o", program, WRITERS / name], check=True)
            pairs = [(_seconds(program, ""), _seconds(program, str(out))) for _ in range(ROUNDS)]
            cost = statistics.median(recorded - plain for plain, recorded in pairs) / ITERATIONS
            plain = statistics.median(first for first, _ in pairs) / ITERATIONS
            yield Figure(
                f"{name}: cost at {SPEED:,} iterations a second", 100 * cost * SPEED, "%", GOAL,
                how=f"{1e6 * cost:.2f} µs an iteration; the search alone takes {1e6 * plain:.2f}",
            )  # fmt: skip


def _seconds(program: Path, path: str) -> float:
    """Of a processor, of a run that writes there; nowhere: not at all."""
    before = _of_children()
    run = [str(program), str(ITERATIONS), path]
    subprocess.run(run, capture_output=True, check=True)
    return _of_children() - before


def _of_children() -> float:
    spent = os.times()
    return spent.children_user + spent.children_system
