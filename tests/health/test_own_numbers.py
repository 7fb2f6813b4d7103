"""PUCT with a number of its author's own: said which, and not taken for chance."""

from __future__ import annotations

import math
from typing import Any

import pytest

import mcts_viz as mv
from tests.health.faulty import HalfUcb1, HalfUcb1OfNext, HalfUcb1UnderOneRoot
from tests.health.unusual import PRIORS, Lc0, Node, Puct, Rules, watched
from tests.variants import few, in_turn

# The rules of the game are not told: no rule of selection needs them, and they take half of the time of a check.
NO_RULES = {"game": None, "start": None}
DECLARED: dict[str, Any] = {"selection": "puct", "c": 1.5, "unvisited": 0, **PRIORS}
TOLD = {"not told": PRIORS, "declared": DECLARED}


class Factor(Puct):
    """√N with something added."""

    def score(self, node: Node, child: Node) -> float:
        q = child.Q if child.N else 0.0
        return q + self.c * child.P * (math.sqrt(node.N) + 0.3) / (1 + child.N)


class Power(Puct):
    def score(self, node: Node, child: Node) -> float:
        return (child.Q if child.N else 0.0) + self.c * child.P * node.N**0.3 / (1 + child.N)


class Beside(Puct):
    def score(self, node: Node, child: Node) -> float:
        q = child.Q if child.N else 0.0
        return q + self.c * child.P * math.sqrt(node.N) / (3 + child.N)


class Squared(Puct):
    def score(self, node: Node, child: Node) -> float:
        q = child.Q if child.N else 0.0
        return q + self.c * child.P**2 * math.sqrt(node.N) / (1 + child.N)


class OfTemperature(Puct):
    """The priors are scaled by a temperature as they are used; the raw ones are recorded."""

    def score(self, node: Node, child: Node) -> float:
        p = child.P**0.7 / sum(other.P**0.7 for other in node.children)
        return (child.Q if child.N else 0.0) + self.c * p * math.sqrt(node.N) / (1 + child.N)


def findings(kind: type[Puct], **told: Any) -> list[mv.Finding]:
    trace = watched(kind(Rules("connect_four", [3, 3, 2, 2]), 1), 500, **NO_RULES, **told)
    return [one for one in trace.check() if one.check.startswith("selection-")]


NUMBERS: dict[type[Puct], str] = {
    Factor: "1.5·(√N + 0.3) in place of c·√N",
    Power: "1.5·N^0.3 in place of c·√N",
    Beside: "3 + n in place of 1 + n, and c = 1.5",
    Squared: "priors to the power ",
}


@pytest.mark.thorough
@pytest.mark.parametrize(("kind", "told"), in_turn(NUMBERS, TOLD, 2))
def test_a_number_that_is_not_the_usual_one_is_named(kind: type[Puct], told: str) -> None:
    """As a warning where it is not what was told."""
    severity, words = "warning" if told == "declared" else "note", NUMBERS[kind]
    (one,) = findings(kind, **TOLD[told])
    assert (one.check, one.severity) == ("selection-unexplained", severity)
    assert words in one.message


class Fading(Puct):
    """Without N, so that exploration fades."""

    def score(self, node: Node, child: Node) -> float:
        return (child.Q if child.N else 0.0) + self.c * child.P / (1 + child.N)


class OfDepth(Puct):
    """A c of its own for each depth."""

    def weight(self, node: Node) -> float:
        depth = 0
        while node.parent is not None:
            node, depth = node.parent, depth + 1
        return 2 / (1 + depth) + 0.5


@pytest.mark.thorough
@pytest.mark.parametrize(("kind", "severity"), few([(Fading, "warning"), (OfDepth, "note")]))
def test_an_exploration_that_never_grows_is_suspicious(kind: type[Puct], severity: str) -> None:
    """A rule that nobody told is not."""
    (one,) = findings(kind, **PRIORS)
    assert (one.check, one.severity) == ("selection-unexplained", severity)


@pytest.mark.thorough
@pytest.mark.parametrize("kind", few([HalfUcb1, HalfUcb1OfNext, HalfUcb1UnderOneRoot]))
def test_a_logarithm_in_a_rule_that_is_said_to_be_puct_is_a_mistake(kind: type[Puct]) -> None:
    (one,) = findings(kind, **DECLARED)
    assert (one.check, one.severity) == ("selection-puct-log", "warning")
    assert "P·√(ln" in one.message
    assert one.evidence["c_low"] == pytest.approx(1.5, rel=0.05)


@pytest.mark.thorough
def test_the_same_logarithm_of_a_rule_that_nobody_named_may_be_meant() -> None:
    """Language models choose so, by P-UCB."""
    (one,) = findings(HalfUcb1, **PRIORS)
    assert (one.check, one.severity) == ("selection-puct-log", "note")
    assert "Right where P-UCB is meant" in one.message
    found = findings(HalfUcb1UnderOneRoot, **PRIORS)
    assert {one.severity for one in found} == {"note"}
    (first,) = (one for one in found if one.check == "selection-first-choice")
    assert "ln N is 0 there" in first.message


@pytest.mark.thorough
def test_a_temperature_of_the_policy_is_no_mistake() -> None:
    (one,) = findings(OfTemperature, **PRIORS)
    assert (one.check, one.severity) == ("selection-rule", "note")
    assert "priors to the power 0.7, scaled to sum to 1, and c = 1.5" in one.message


@pytest.mark.thorough
def test_a_c_that_grows_with_n_is_not_taken_for_another_number() -> None:
    (one,) = findings(Lc0, **PRIORS)
    assert one.check == "selection-rule"
    assert "c grows with the parent's visits" in one.message


class PriorAdded(Puct):
    def score(self, node: Node, child: Node) -> float:
        q = child.Q if child.N else 0.0
        return q + child.P + self.c * math.sqrt(node.N) / (1 + child.N)


def test_a_prior_beside_the_value_is_a_note_where_no_rule_is_declared() -> None:
    trace = watched(PriorAdded(Rules("tic_tac_toe", []), 1), **PRIORS)
    [finding] = [one for one in trace.check() if one.check.startswith("selection-")]
    assert (finding.check, finding.severity) == ("selection-prior-in-value", "note")
    assert "q + P" in finding.message


class UnvisitedLast(Puct):
    """What has no visits counts as a loss, and explores nothing: the first child is taken for good."""

    def score(self, node: Node, child: Node) -> float:
        return super().score(node, child) if child.N else -1.0


@pytest.mark.thorough
@pytest.mark.parametrize("told", TOLD.values(), ids=TOLD)
def test_one_child_with_visits_says_nothing_of_what_its_mean_is_made_of(
    told: dict[str, Any],
) -> None:
    trace = watched(UnvisitedLast(Rules("connect_four", []), 1), **NO_RULES, **told)
    [finding] = [one for one in trace.check() if one.check.startswith("selection-")]
    assert finding.check == "selection-unvisited"
    assert "are passed over" in finding.message
