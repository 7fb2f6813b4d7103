"""How often a check complains about a correct search: every kind of the tests' correct searches and our
presets, with one seed after the other.

    python -m benchmarks.false_alarms MINUTES [probes]

prints what belongs into `mcts_viz/health/certainty.py`; `probes`: whole probes of correct searches.
"""

from __future__ import annotations

import itertools
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator

import mcts_viz as mv
from mcts_viz.engine.presets import PRESETS
from mcts_viz.games import game
from tests.health.test_correct_searches import INCORRECT, WAYS
from tests.health.unusual import cases
from tests.health.zoo import STARTS, recorded
from tests.runs.probed_searches import CORRECT

GAMES = ("tic_tac_toe", "connect_four", "mnk:5,5,4")
ITERATIONS = 300
OF_ROLLOUTS = ("simulation-not-random", "simulation-against-truth")
RANDOM_ROLLOUTS = ", random simulations"
OPENING = 12  # random moves at most before a preset's search begins


def kinds() -> list[tuple[str, Callable[[int], mv.Trace]]]:
    """Correct searches by name, each a function of the seed."""
    found = list(cases())
    found += [(f"plain ({name})", lambda seed, n=name: recorded(n, seed=seed)) for name in STARTS]
    ways = {preset: {"preset": preset} for preset in PRESETS if preset not in INCORRECT} | WAYS
    for name, way in itertools.product(GAMES, ways):
        found.append(
            (
                f"{way} ({name})",
                lambda seed, n=name, w=ways[way]: mv.search(
                    n, iterations=ITERATIONS, seed=seed, start=opening(n, seed), compile=False, **w
                ),
            )
        )
    return found


def opening(name: str, seed: int) -> list[int]:
    """A few random moves after which the game goes on."""
    played, drawn = game(name), random.Random(seed)
    state, moves = played.start_state(), list[int]()
    for _ in range(drawn.randrange(OPENING)):
        after = list(state)
        move = drawn.choice(played.legal(state))
        played.rules.play(after, move)
        if not played.legal(after):
            break
        state = after
        moves.append(move)
    return moves


def alarms(minutes: float) -> Iterator[tuple[str, list[str]]]:
    """(kind and seed, checks that complain) of search after search; with random simulations, the notes
    that compare them with random play as well."""
    end = time.monotonic() + 60 * minutes
    for seed in itertools.count(1_000):
        for kind, record in kinds():
            if time.monotonic() > end:
                return
            trace = record(seed)
            simulation = trace.meta.policies.simulation
            plain = simulation.name == "random" and simulation.rollouts in (None, 1)
            yield (
                f"{kind}, seed {seed}" + (RANDOM_ROLLOUTS if plain else ""),
                [
                    finding.check
                    for finding in trace.check()
                    if finding.severity != "note" or (plain and finding.check in OF_ROLLOUTS)
                ],
            )


def probe_alarms(minutes: float) -> Iterator[tuple[str, list[str]]]:
    """The same of probes."""
    end = time.monotonic() + 60 * minutes
    for seed in itertools.count(1_000):
        for name, (kind, make) in itertools.product(GAMES[:2], CORRECT.items()):
            if time.monotonic() > end:
                return
            found = mv.probe(make, name, seed=seed)
            yield f"{kind} ({name}), seed {seed}", [finding.check for finding in found.findings]


def main(minutes: float, what: str = "searches") -> None:
    """Count, and print each alarm as it comes."""
    total, with_rollouts, counted = 0, 0, Counter[str]()
    for name, complaints in (probe_alarms if what == "probes" else alarms)(minutes):
        total += 1
        with_rollouts += name.endswith(RANDOM_ROLLOUTS)
        counted.update(set(complaints))
        if complaints:
            print(f"{name}: {', '.join(complaints)}", flush=True)
        if total % 100 == 0:
            print(f"{total} {what}, {with_rollouts} with random simulations", flush=True)
    print(f"{total} {what}, {with_rollouts} with random simulations; alarms: {dict(counted)}")


if __name__ == "__main__":
    main(float(sys.argv[1]), *sys.argv[2:])
