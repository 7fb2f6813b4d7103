"""A temperature within the tree: by the scores, or by the visits."""

from __future__ import annotations

import math
from typing import Any

import pytest

import mcts_viz as mv
from tests.health.unusual import PRIORS, START, Node, Puct, Rave, Rules, Search, of
from tests.variants import few

TEMPERATURE = 0.25


class SoftScores(Search):
    def choose(self, node: Node) -> Node:
        weights = [math.exp(self.score(node, child) / TEMPERATURE) for child in node.children]
        return self.random.choices(node.children, weights)[0]


class SoftPuct(Puct, SoftScores):
    pass


class PowerOfVisits(Search):
    def choose(self, node: Node) -> Node:
        return self.random.choices(node.children, [child.N**0.5 for child in node.children])[0]


class NextBest(Search):
    """The second best child: no draw, and no rule that is known."""

    def choose(self, node: Node) -> Node:
        best = sorted(node.children, key=lambda child: self.score(node, child))
        return best[-2] if len(best) > 1 else best[-1]


def of_selection(kind: type[Search], game: str = "connect_four", **told: Any) -> mv.Finding:
    trace = of(kind, iterations=800, **told)(Rules(game, START[game]), 1)
    (one,) = (
        one for one in trace.check() if one.check in ("selection-random", "selection-unexplained")
    )
    return one


@pytest.mark.parametrize("game", few(START))
@pytest.mark.parametrize(
    ("kind", "told", "words"),
    few(
        [
            (SoftScores, {"selection": "ucb1", "c": 1.4}, "softmax of UCB1"),
            (SoftPuct, {"selection": "puct", "c": 1.5, **PRIORS}, "softmax of PUCT"),
            (SoftPuct, PRIORS, "softmax of PUCT"),
            (PowerOfVisits, {"selection": "ucb1", "c": 1.4}, "by their visits to the power of"),
        ],
    ),
)
def test_a_temperature_is_named(
    kind: type[Search], told: dict[str, Any], words: str, game: str
) -> None:
    one = of_selection(kind, game, **told)
    severity = "warning" if "selection" in told else "note"
    assert (one.check, one.severity) == ("selection-random", severity), one
    assert words in one.message
    if kind is not PowerOfVisits:
        temperature = float(one.message.split("a temperature of some ")[1].split(":")[0])
        assert 0.2 < temperature < 0.3


class Shaken(Puct):
    """Scores that are a little off, each time anew, are not drawn from."""

    def score(self, node: Node, child: Node) -> float:
        return super().score(node, child) + self.random.gauss(0, 0.005)


@pytest.mark.parametrize("kind", [Rave, Shaken])
def test_a_rule_that_is_not_known_is_no_draw(kind: type[Search]) -> None:
    assert (
        of_selection(kind, "tic_tac_toe", selection="ucb1", c=1.4).check == "selection-unexplained"
    )


def test_the_second_best_is_a_mistake_and_no_draw() -> None:
    trace = of(NextBest, iterations=800, selection="ucb1", c=1.4)(
        Rules("tic_tac_toe", START["tic_tac_toe"]), 1
    )
    checks = {one.check for one in trace.check()}
    assert "selection-argmin" in checks
    assert not checks & {"selection-random", "selection-unexplained"}
