"""What the package survives, in one table: kills, inputs that lie, bombs, attacks on the page, requests under load.

`python -m benchmarks hardening`. Inputs are a sample here, `INPUTS` of the environment variable MCTS_VIZ_INPUTS; make
test-thorough feeds a million.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.figures import Figure
from benchmarks.hardening.attacks import let_in
from benchmarks.hardening.bombs import bombs
from benchmarks.hardening.kills import KINDS, killed
from benchmarks.hardening.load import under_load
from tests.fuzzing.targets import TARGETS, Fuzzed, fuzz

KILLS = 200
INPUTS = int(os.environ.get("MCTS_VIZ_INPUTS", "6000"))
MOST_LOST = 1.0  # seconds
MOST_MEMORY = 300.0  # megabytes


def measure() -> Iterator[Figure]:
    """One line for each promise."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        kills = [
            kill
            for number, kind in enumerate(KINDS)
            for kill in killed(kind, (KILLS + number) // len(KINDS), folder)
        ]
        opened = [kill for kill in kills if kill.opened]
        how = f"{KILLS} kills at random moments: {', '.join(KINDS)}"
        yield Figure(
            "files opened after a kill", len(opened), f"of {len(kills)}", len(kills), True, how
        )
        lost = max(kill.lost for kill in kills)
        yield Figure(
            "most lost by a kill",
            lost,
            "s",
            MOST_LOST,
            how="before the kill, beyond the iteration that ran",
        )
        yield Figure("inputs that lie: escaped", escaped(folder), f"of {INPUTS:,}", 0)
        refused, tried, peak = bombs(folder)
        yield Figure("bombs refused", refused, f"of {tried}", tried, True)
        yield Figure("memory that they took at most", peak, "MB", MOST_MEMORY)
        got_in, attacks = let_in(folder)
        yield Figure("attacks on the page: let in", got_in, f"of {attacks}", 0)
        failed, asked, longest = under_load(folder)
        yield Figure(
            "requests under load: failed",
            failed,
            f"of {asked:,}",
            0,
            how=f"the longest took {longest:.2f} s",
        )


def escaped(folder: Path) -> int:
    """How many of the inputs were neither taken nor refused in words."""
    fuzzed, found = Fuzzed(folder), 0
    for seed in range(INPUTS // len(TARGETS)):
        found += sum(escapes(fuzzed, target, seed) for target in TARGETS)
    return found


def escapes(fuzzed: Fuzzed, target: str, seed: int) -> bool:
    """Whether that input ends in an error that is not the package's own."""
    try:
        fuzz(fuzzed, target, seed)
    except Exception as err:  # noqa: BLE001 (any is counted)
        print(f"{target} {seed}: {type(err).__name__}: {err}")
        return True
    return False
