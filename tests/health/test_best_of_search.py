"""Nodes that are to keep the best result below them, and are compared with the best of the whole search."""

from __future__ import annotations

from typing import Any

import pytest

import mcts_viz as mv
from tests.health.unusual import Alone, AloneMax, Node, Search, Walk, watched


class Slopes(Walk):
    """Each step is worth something else, and what counts is their sum."""

    def play(self, state: Any, move: int) -> Any:
        return state[0] + 1, state[1] + (7 * state[0] * state[0] + 11 * move * (state[0] + 1)) % 23

    def outcome(self, state: Any) -> float | None:
        return None if state[0] < 10 else state[1] / 230


class OfWholeSearch(Alone):
    best = 0.0

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        for node in path:
            node.N += 1
            if outcome > self.best:
                node.best_value = outcome
            node.W = max(node.best_value, 0.0) * node.N
        self.best = max(self.best, outcome)


class Rare(Walk):
    """Most ends are worth nothing."""

    def outcome(self, state: Any) -> float | None:
        return None if state[0] < 10 else float((state[1] * 37) % 61 == 0)


def backup(
    kind: type[Search], rules: Walk, outcomes: bool = False, seed: int = 1, **told: Any
) -> mv.Finding:
    found = watched(kind(rules, seed), 800, outcomes=outcomes, **told).check()
    (one,) = [each for each in found if each.check == "value-backup"]
    return one


KEPT: list[dict[str, Any]] = [{}, {"value": "Q", "value_kind": "mean", "backup": "max"}]


@pytest.mark.parametrize("told", KEPT, ids=["sums", "means, declared"])
@pytest.mark.parametrize("outcomes", [False, True])
def test_the_best_of_the_whole_search_is_named(outcomes: bool, told: dict[str, Any]) -> None:
    one = backup(OfWholeSearch, Slopes(), outcomes, **told)
    assert one.severity == ("error" if outcomes else "warning")
    assert "only when the root gets a new record" in one.message
    assert "later visits of nodes change nothing" in one.message
    assert "the back-up compares a result with the best of the whole search" in one.message


@pytest.mark.parametrize("told", KEPT, ids=["sums", "means, declared"])
@pytest.mark.parametrize("outcomes", [False, True])
@pytest.mark.parametrize("rules", [Slopes(), Rare(), Walk()])
def test_the_best_below_each_node_is_right(
    rules: Walk, outcomes: bool, told: dict[str, Any]
) -> None:
    one = backup(AloneMax, rules, outcomes, **told)
    assert one.severity == "note"
    assert "whole search" not in one.message
