"""Values of nodes that are averages of their children's, each child counting the same."""

from __future__ import annotations

from typing import Any

import mcts_viz as mv
from tests.health.unusual import Node, Search, Walk, watched


class Averaged(Search):
    """A node's value is worked out anew from its own first result and its children's values."""

    by_visits = False

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        for node in reversed(path):
            node.N += 1
            if node.N == 1:
                node.results = [outcome]
            seen = [child for child in node.children if child.N]
            weights = [child.N if self.by_visits else 1 for child in seen]
            own = node.N - sum(child.N for child in seen) if self.by_visits else 1
            total = own * node.results[0] + sum(
                weight * child.best_value for weight, child in zip(weights, seen)
            )
            node.best_value = total / (own + sum(weights))
            node.W = node.N * node.best_value


class Mean(Averaged):
    by_visits = True


def notes(kind: type[Search]) -> list[mv.Finding]:
    told: dict[str, Any] = {"value": "best_value", "value_kind": "mean"}
    found = watched(kind(Walk(), 1), 1_500, **told).check()
    assert [one for one in found if one.severity != "note"] == []
    return [one for one in found if one.check == "value-backup"]


def test_an_average_in_which_each_child_counts_the_same_is_named() -> None:
    (one,) = notes(Averaged)
    assert "each child counts the same, whatever its visits" in one.message


def test_a_mean_by_visits_is_right() -> None:
    assert notes(Mean) == []
