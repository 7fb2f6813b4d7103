"""Weights that do not fit the scale of values, and priors that play no part in the first choice."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest

import mcts_viz as mv
from tests.health.unusual import (
    PRIORS,
    Node,
    Puct,
    PuctOfChildren,
    PuctWithEpsilon,
    Rules,
    Search,
    watched,
)
from tests.variants import in_turn

TIC_TAC_TOE = Rules("tic_tac_toe", [0, 4])


def notes(search: Search, check: str, **told: Any) -> list[str]:
    """Messages of a check, all of which are notes."""
    found = [one for one in watched(search, 600, **told).check() if one.check == check]
    assert [one.severity for one in found] == ["note"] * len(found)
    return [one.message for one in found]


def scaled(kind: type[Search], times: float) -> Search:
    """The search with results that many times as large, and its own c."""

    class Scaled(kind):  # type: ignore[misc, valid-type]
        def worth(self, node: Node, outcome: float) -> float:
            return times * float(super().worth(node, outcome))

    made: Search = Scaled(TIC_TAC_TOE, 1)
    return made


@pytest.mark.parametrize(
    ("search", "scale"),
    in_turn(
        [(Search, {}), (Search, {"selection": "ucb1", "c": 1.4}), (Puct, PRIORS)],
        [(50.0, ["small"]), (0.01, ["large"]), (2.0, []), (1.0, []), (0.1, [])],
    ),
)
def test_a_weight_that_does_not_fit_the_values_is_a_note(
    search: tuple[type[Search], dict[str, Any]], scale: tuple[float, list[str]]
) -> None:
    (kind, told), (times, said) = search, scale
    found = notes(scaled(kind, times), "selection-weight", value_range=(-times, times), **told)
    assert [message.split()[4] for message in found] == said
    assert all(message.startswith("c = 1.4 ") for message in found if told.get("c"))


class ByPriors(PuctOfChildren):
    """Of equal scores that with the highest prior is taken."""

    def choose(self, node: Node) -> Node:
        return max(node.children, key=lambda child: (self.score(node, child), child.P))


@pytest.mark.parametrize(
    ("kind", "times"), [(Puct, 0), (PuctOfChildren, 1), (PuctWithEpsilon, 0), (ByPriors, 0)]
)
@pytest.mark.parametrize("n", [100, 600])
def test_a_first_choice_without_priors_is_a_note(kind: type[Search], times: int, n: int) -> None:
    """A few nodes will do."""

    class FromTheEnd(kind):  # type: ignore[misc, valid-type]
        """The highest prior is not that of the first child."""

        def expand(self, leaf: Node) -> None:
            super().expand(leaf)
            leaf.children.sort(key=lambda child: child.P)

    found = [
        one
        for one in watched(FromTheEnd(TIC_TAC_TOE, 1), n, **PRIORS).check()
        if one.check == "selection-first-choice"
    ]
    assert [one.severity for one in found] == ["note"] * times
    assert all("all scores are 0" in one.message for one in found)
    assert all(one.evidence["passed_over"] > 5 for one in found)


def test_a_weight_that_does_not_fit_is_told_as_it_was_declared() -> None:
    """Of a greedy search many weights explain the choices; the one declared is among them."""

    class Distance:
        def __init__(self, number: int, steps: int) -> None:
            self.number, self.steps, self.N, self.W = number, steps, 0, 0.0
            self.children: list[Distance] = []

        def next(self) -> list[int]:
            return [self.number + 3, self.number * 2, self.number - 1] if self.steps < 6 else []

    root, draw = Distance(1, 0), random.Random(1)

    def step() -> None:
        path = [root]
        while (node := path[-1]).children and len(node.children) == 3:
            log = math.log(node.N)
            path.append(
                max(node.children, key=lambda one: one.W / one.N + 1.4 * math.sqrt(log / one.N))
            )
        if (moves := node.next()) and len(node.children) < 3:
            node.children.append(Distance(moves[len(node.children)], node.steps + 1))
            path.append(node.children[-1])
        number, steps = path[-1].number, path[-1].steps
        while moves := Distance(number, steps).next():
            number, steps = draw.choice(moves), steps + 1
        for node in path:
            node.N, node.W = node.N + 1, node.W + 1000 * max(0.0, 1 - abs(47 - number) / 47)

    with mv.record(
        root=root, children="children", visits="N", value="W", players=("solver",), value_range=(0, 1000),
        selection="ucb1", c=1.4,
    ) as rec:  # fmt: skip
        for _ in rec.steps(step, 800):
            pass
    (one,) = (each for each in rec.trace.check() if each.check == "selection-weight")
    assert one.message.startswith("c = 1.4 is small")
