"""How long a newcomer waits: a whole process with a small search in it, and numba's compilation."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator

from benchmarks.figures import ROOT, Figure, seconds
from mcts_viz.games import LISTED

PROCESSES = 5
SMALL = "import mcts_viz as mv; mv.search('connect_four', iterations=1_000, seed=1)"
RECORD = """
import sys, tempfile
from mcts_viz.cli import main
with tempfile.TemporaryDirectory() as folder:
    file = folder + "/run.mcts"
    sys.exit(main(["record", "{game}", "--iterations", "1000", "--quiet", "-o", file]))
"""
COMPILED = """
import mcts_viz as mv
mv.search('connect_four', iterations=1, seed=1, compile=True)
"""


def measure() -> Iterator[Figure]:
    """The fastest of several processes."""
    yield Figure("process that imports mcts_viz", process("import mcts_viz"), "s")
    yield Figure("process with a search of 1,000 iterations", process(SMALL), "s", 1.0)
    for game in LISTED:
        what = f"cold record of 1,000 iterations of {game}, whole process"
        yield Figure(what, process(RECORD.format(game=game), rounds=3), "s", 2.0)
    with tempfile.TemporaryDirectory() as folder:
        yield Figure("process that compiles Connect Four", process(COMPILED, folder, 1), "s")
        yield Figure("process that loads it compiled", process(COMPILED, folder), "s")


def process(source: str, numba_cache: str | None = None, rounds: int = PROCESSES) -> float:
    """Seconds from start to end."""
    environment = {**os.environ, **({"NUMBA_CACHE_DIR": numba_cache} if numba_cache else {})}

    def run() -> None:
        subprocess.run([sys.executable, "-c", source], cwd=ROOT, env=environment, check=True)

    return min(seconds(run) for _ in range(rounds))
