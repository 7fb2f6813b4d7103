"""Variants of UCB1-Tuned's variance bound, which most implementations write out by hand."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

import mcts_viz as mv
from tests.variants import each

Variance = Callable[[float, float, int], float]
RIGHT: Variance = lambda v, log, n: min(0.25, v + math.sqrt(2 * log / n))  # noqa: E731
WRONG: list[tuple[str, Variance]] = [
    ("does not reach n", lambda v, log, n: min(0.25, v + math.sqrt(2 * log) / n)),
    ("without the 2", lambda v, log, n: min(0.25, v + math.sqrt(log / n))),
    ("nothing is added", lambda v, log, n: min(0.25, v)),
    ("not kept to 1/4", lambda v, log, n: v + math.sqrt(2 * log / n)),
    ("the greater one", lambda v, log, n: max(0.25, v + math.sqrt(2 * log / n))),
    ("beside the square root", lambda v, log, n: min(0.25, v + math.sqrt(2 * log / n)) ** 2),
    ("standard deviation", lambda v, log, n: min(0.25, math.sqrt(v) + math.sqrt(2 * log / n))),
]


@dataclass
class Node:
    depth: int = 0
    offset: float = 0.0
    children: list[Node] = field(default_factory=list)
    n: int = 0
    w: float = 0.0
    squares: float = 0.0


def found(variance: Variance, are_won: bool = False, squares: bool = True) -> list[mv.Finding]:
    """are_won: whether values are 0 or 1. squares: whether the search adds up squares, not values."""
    draw, root = random.Random(1), Node()

    def score(node: Node, child: Node) -> float:
        log, mean = math.log(node.n), child.w / child.n
        v = max(child.squares / child.n - mean**2, 0.0)
        return mean + math.sqrt(log / child.n * variance(v, log, child.n))

    def step() -> None:
        path = [root]
        while path[-1].depth < 4:
            node = path[-1]
            if len(node.children) < 4:
                node.children.append(Node(node.depth + 1, node.offset + draw.uniform(-0.1, 0.1)))
                path.append(node.children[-1])
                break
            path.append(max(node.children, key=lambda child: score(node, child)))
        value = min(1.0, max(0.0, 0.5 + path[-1].offset + draw.gauss(0, 0.15)))
        value = float(draw.random() < value) if are_won else value
        for node in path:
            node.n, node.w, node.squares = (
                node.n + 1,
                node.w + value,
                node.squares + value ** (1 + squares),
            )

    with mv.record(
        root=root, children="children", visits="n", value="w", players=("me",), value_range=(0, 1),
        selection="ucb1_tuned", c=1, unvisited="first",
    ) as rec:  # fmt: skip
        for _ in rec.steps(step, 1_200):
            pass
    return [one for one in rec.trace.check() if one.check.startswith("selection-")]


@pytest.mark.parametrize(("words", "variance"), each(7, WRONG), ids=lambda one: str(one)[:16])
def test_a_variance_bound_that_is_written_wrongly_is_named(words: str, variance: Variance) -> None:
    (one,) = found(variance)
    assert (one.check, one.severity) == ("selection-variance", "error")
    assert words in one.message


def test_the_bound_of_the_paper_is_right() -> None:
    assert [one.check for one in found(RIGHT) if one.severity != "note"] == []


def test_a_bound_beside_the_root_that_is_always_a_quarter_looks_like_half_the_weight() -> None:
    (one,) = found(WRONG[-2][1], are_won=True)
    assert (one.check, one.severity) == ("selection-not-declared", "note")
    assert "min(1/4, V) stands beside the square root" in one.message


def test_values_in_place_of_squares_are_named() -> None:
    (one,) = found(RIGHT, squares=False)
    assert (one.check, one.severity) == ("selection-variance", "error")
    assert "with c = 1" in one.message
