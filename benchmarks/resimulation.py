"""How often `check` finds simulations whose sign is turned, or that the wrong player begins, and how often it
complains about right ones.

    python -m benchmarks.resimulation [SEARCHES]

prints a table: of so many searches of each kind (20) from the opening, the share with each finding.
"""

from __future__ import annotations

import random
import sys
from collections import Counter

from tests.health import zoo
from tests.health.test_who_begins import (
    LENGTH,
    OtherBegins,
    Played,
    TakesWins,
    Turned,
    TurnedWhereOMoves,
    XBegins,
    found,
)

SEARCHES = 20


class ByPosition(Played):
    """A position has the same next move in each simulation."""

    def choose(self, state: list[int], legal: list[int]) -> int:
        return random.Random(f"{state}").choice(legal)


KINDS: dict[str, type[zoo.Search]] = {
    "sign turned": Turned,
    "sign turned where O moves": TurnedWhereOMoves,
    "the other player begins": OtherBegins,
    "X begins": XBegins,
    "a position decides how it goes on": ByPosition,
    "right, random": Played,
    "right, takes wins": TakesWins,
}


def main() -> None:
    """Print the table."""
    n = int(sys.argv[1]) if len(sys.argv) > 1 else SEARCHES
    for name, length in LENGTH.items():
        for title, kind in KINDS.items():
            said: Counter[str] = Counter()
            for seed in range(1, n + 1):
                ids = {f"{one.check} ({one.severity})" for one in found(kind, name, seed).values()}
                said.update(ids or {"nothing"})
            told = ", ".join(f"{check} {times}" for check, times in said.most_common())
            print(f"{name}, {length:,} iterations, {title}: of {n}: {told}", flush=True)


if __name__ == "__main__":
    main()
