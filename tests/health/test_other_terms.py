"""PUCT with an exploration term that is written wrongly, beside means and beside a Q that is scaled."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

import mcts_viz as mv
from tests.health.unusual import PRIORS, MinMaxPuct, Node, Puct, Rules, watched
from tests.variants import few, in_turn

NO_RULES = {"game": None, "start": None}
# check, words, term of N and n
TERMS: dict[str, tuple[str, str, Callable[[int, int], float]]] = {
    "√(N / (1 + n))": (
        "selection-no-root", "the square root reaches 1 + n, too", lambda N, n: math.sqrt(N / (1 + n)),
    ),
    "√N / (1 + √n)": (
        "selection-no-root", "P·√N / (1 + √n)", lambda N, n: math.sqrt(N) / (1 + math.sqrt(n)),
    ),
    "√(√N / (1 + n))": (
        "selection-no-root", "the square root is taken twice",
        lambda N, n: math.sqrt(math.sqrt(N) / (1 + n)),
    ),
    "√N / (1 + n)²": (
        "selection-no-root", "1 + n is squared", lambda N, n: math.sqrt(N) / (1 + n) ** 2,
    ),
    "N / (1 + n)": ("selection-no-root", "P·N / (1 + n)", lambda N, n: N / (1 + n)),
    "√ln(N + 1) / (1 + n)": (
        "selection-puct-log", "P·√(ln", lambda N, n: math.sqrt(math.log(N + 1)) / (1 + n),
    ),
    "ln(N + 1) / (1 + n)": (
        "selection-puct-log", "P·ln N / (1 + n)", lambda N, n: math.log(N + 1) / (1 + n),
    ),
}  # fmt: skip


class OfMeans(Puct):
    term = staticmethod(lambda N, n: math.sqrt(N) / (1 + n))

    def score(self, node: Node, child: Node) -> float:
        q = child.Q if child.N else 0.0
        return q + self.weight(node) * child.P * self.term(node.N, child.N)


class OfScaled(MinMaxPuct):
    """As MuZero: c grows with the visits."""

    term = staticmethod(lambda N, n: math.sqrt(N) / (1 + n))

    def score(self, node: Node, child: Node) -> float:
        q = child.Q if child.N else 0.0
        if child.N and self.high > self.low:
            q = (child.Q - self.low) / (self.high - self.low)
        c = 1.25 + math.log((node.N + 19_653) / 19_652)
        return q + c * child.P * self.term(node.N, child.N)


def findings(kind: type[Puct], term: Callable[[int, int], float], **told: Any) -> list[mv.Finding]:
    search = kind(Rules("connect_four", [3, 3, 2, 2]), 1)
    search.term = term  # type: ignore[attr-defined]
    trace = watched(search, 500, **NO_RULES, **PRIORS, **told)
    return [one for one in trace.check() if one.check.startswith("selection-")]


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "kind"), in_turn(TERMS, [OfMeans, OfScaled], 2))
def test_a_term_that_is_written_wrongly_is_named(name: str, kind: type[Puct]) -> None:
    check, words, term = TERMS[name]
    told: dict[str, Any] = {"selection": "muzero"}
    if kind is OfMeans:
        told = {"selection": "puct", "c": 1.5}
    (one,) = findings(kind, term, **told)
    assert one.check == check
    assert one.severity == ("warning" if check == "selection-puct-log" else "error")
    assert words in one.message


@pytest.mark.parametrize("kind", few([OfMeans, OfScaled]))
def test_the_right_term_is_explained(kind: type[Puct]) -> None:
    found = findings(kind, lambda N, n: math.sqrt(N) / (1 + n))
    assert {one.severity for one in found} == {"note"}
    assert "selection-rule" in {one.check for one in found}
