"""What a search believes of the hidden state at a node: texts, particles or weights of states, summed up in words.

Knows one value at a time; no node, no trace.
"""

from __future__ import annotations

import math
import numbers
from collections import Counter
from collections.abc import Iterable, Mapping, Sized
from typing import Any, NamedTuple, cast

from mcts_viz.errors import TraceError
from mcts_viz.recording.careful_reader import brief

MOST_STATES = 6  # that a summary names
MANY = 24  # from this many different numbers on, their mean and spread are recorded


class Belief(NamedTuple):
    """A summary, and how many particles there are; None: it is made of none."""

    text: str
    particles: int | None


def belief_of(found: object) -> Belief:
    """From a text; weights by state; a list of particles; or an object that has either, as pomdp-py's have
    (`particles`, `get_histogram()`). Raises TraceError for what is none."""
    if isinstance(found, str):
        return Belief(found, None)
    inner = getattr(found, "particles", None)
    if inner is not None and isinstance(inner, Sized):
        found = inner
    elif not isinstance(found, (Mapping, Sized)) and hasattr(found, "get_histogram"):
        found = cast(Any, found).get_histogram()
    if isinstance(found, Mapping):
        weights = {str(state): float(weight) for state, weight in found.items()}
        total = sum(weights.values())
        if not (math.isfinite(total) and total > 0):
            return Belief("no state has any weight", None)
        return Belief(_listed(weights, total, len(weights)), None)
    if isinstance(found, Sized) and isinstance(found, Iterable):
        return _of_particles(list(found))
    raise TraceError(
        f"belief= gives {brief(found)}; give a text, a list of particles, or weights by state: "
        "belief=lambda node: node.belief.particles"
    )


def _of_particles(particles: list[object]) -> Belief:
    n = len(particles)
    if not n:
        return Belief("no particles", 0)
    word = "1 particle" if n == 1 else f"{n:,} particles"
    if all(isinstance(each, numbers.Real) for each in particles):
        values = [float(cast(float, each)) for each in particles]
        if len(set(values)) > MANY:
            mean = math.fsum(values) / n
            spread = math.sqrt(math.fsum((each - mean) ** 2 for each in values) / n)
            ends = f"{min(values):.4g} to {max(values):.4g}"
            return Belief(
                f"{word}: mean {mean:.4g}, standard deviation {spread:.3g}, from {ends}", n
            )
    counted = Counter(map(str, particles))
    return Belief(f"{word}: {_listed(counted, n, len(counted))}", n)


def _listed(weights: Mapping[str, float], total: float, n: int) -> str:
    most = sorted(weights, key=lambda state: -weights[state])[:MOST_STATES]
    shares = ", ".join(f"{weights[state] / total:.0%} {state}" for state in most)
    return shares + (f", and {n - MOST_STATES:,} states more" if n > MOST_STATES else "")


def action_vector(move: object) -> list[float]:
    """The numbers that a continuous action is made of; empty for any other move."""
    if isinstance(move, numbers.Real) and not isinstance(move, numbers.Integral):
        parts: list[object] = [move]
    else:
        listed = cast(Any, move).tolist() if hasattr(move, "tolist") else move
        parts = list(listed) if isinstance(listed, (list, tuple)) else []
    real = all(isinstance(each, numbers.Real) and not isinstance(each, bool) for each in parts)
    if not parts or not real or all(isinstance(each, numbers.Integral) for each in parts):
        return []
    found = [float(cast(float, each)) for each in parts]
    return found if all(map(math.isfinite, found)) else []
