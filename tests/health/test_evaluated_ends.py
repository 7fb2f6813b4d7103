"""Finished games that are given an evaluation, not their result; and those that count by how much they are won."""

from __future__ import annotations

import math
from typing import Any

import pytest

import mcts_viz as mv
from tests.health.unusual import PRIORS, Node, Puct, Rules, Search, watched

TOLD: dict[str, Any] = {**PRIORS, "outcome": "outcome"}
UNKNOWN: dict[str, Any] = {**TOLD, "game": None, "start": None, "value_range": (-1.0, 1.0)}


class Guessed(Puct):
    """A network that guesses who is ahead, at finished games, too."""

    def evaluate(self, leaf: Node) -> float:
        guess = 0.4 + 0.3 * math.sin(sum((i + 1) * int(x) for i, x in enumerate(leaf.state)))
        return guess * self.side(leaf)

    def side(self, leaf: Node) -> float:
        if leaf.outcome is not None:
            return leaf.outcome
        return 1.0 if len(str(leaf.state)) % 2 else -1.0


class Known(Guessed):
    """The same network, which is not asked at finished games."""

    def evaluate(self, leaf: Node) -> float:
        return leaf.outcome if leaf.outcome is not None else super().evaluate(leaf)


class Utility(Guessed):
    """The result, and a little of the margin (KataGo)."""

    def evaluate(self, leaf: Node) -> float:
        value = super().evaluate(leaf)
        return 0.9 * leaf.outcome + 0.1 * value if leaf.outcome is not None else value


class ByLength(Known):
    """A later win counts less."""

    def evaluate(self, leaf: Node) -> float:
        depth, node = 0, leaf
        while node.parent is not None:
            node, depth = node.parent, depth + 1
        return super().evaluate(leaf) * (0.7**depth if leaf.outcome else 1.0)


class Rollouts(Search):
    """By what margin a game is won counts; no network is told."""

    def rollout(self, state: Any) -> float:
        outcome = super().rollout(state)
        return outcome * (0.4 + 0.3 * math.sin(sum((i + 1) * int(x) for i, x in enumerate(state))))


class Batches(Search):
    """Four leaves an iteration."""

    def step(self) -> None:
        for _ in range(4):
            super().step()


class GuessedInBatches(Batches, Guessed):
    pass


class KnownInBatches(Batches, Known):
    pass


class UtilityInBatches(Batches, Utility):
    pass


def findings(kind: type[Search], check: str, **told: Any) -> list[mv.Finding]:
    trace = watched(kind(Rules("tic_tac_toe", [0, 4]), 1), 600, **told)
    return [one for one in trace.check() if one.check == check]


@pytest.mark.parametrize("kind", [Guessed, GuessedInBatches])
@pytest.mark.parametrize("told", [TOLD, UNKNOWN], ids=["rules known", "told"])
def test_a_finished_game_that_is_evaluated_is_named(
    kind: type[Search], told: dict[str, Any]
) -> None:
    (one,) = findings(kind, "simulation-terminal", **told)
    assert one.severity == "warning"
    assert one.message.startswith("a finished game is given an evaluation, not its result")
    assert "outcome= may then tell by how much" in one.message
    assert findings(kind, "value-not-the-result", **told) == []


@pytest.mark.parametrize("kind", [Known, Utility, ByLength, KnownInBatches, UtilityInBatches])
@pytest.mark.parametrize("told", [TOLD, UNKNOWN], ids=["rules known", "told"])
def test_finished_games_that_get_their_result_are_right(
    kind: type[Search], told: dict[str, Any]
) -> None:
    assert findings(kind, "simulation-terminal", **told) == []


def test_an_outcome_that_says_by_how_much_is_no_evaluation() -> None:
    def margin(node: Node) -> float | None:
        search = Guessed(Rules("tic_tac_toe", [0, 4]), 1)
        return None if node.outcome is None else search.evaluate(node)

    told = {**UNKNOWN, "outcome": margin}
    assert findings(Guessed, "simulation-terminal", **told) == []


def test_where_no_network_is_told_a_note_names_both_causes() -> None:
    told = {**UNKNOWN, "prior": None}
    assert findings(Rollouts, "simulation-terminal", **told) == []
    (one,) = findings(Rollouts, "value-not-the-result", **told)
    assert one.severity == "note"
    assert "given an evaluation, not its result; or where it matters by what margin" in one.message
