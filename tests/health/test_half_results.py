"""A back-up in one player's view that handles two cases of four: wins at this player's nodes, losses at the other's."""

from __future__ import annotations

from typing import Any

import pytest

import mcts_viz as mv
from tests.health.unusual import START, Node, Rules, Search, watched

CHECK = "value-half-results"


class OneView(Search):
    """Values of the player to move at the root."""

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        for node in path:
            node.N += 1
            node.W += self.added(node, outcome)

    def added(self, node: Node, result: float) -> float:
        return result

    def is_ours(self, node: Node) -> bool:
        """Whether player 0 moved there, who is to move at the root."""
        return node.parent is not None and node.parent.player == 0

    def score(self, node: Node, child: Node) -> float:
        explored = Search.score(self, node, child) - child.Q
        return explored + (child.Q if node.player == 0 else -child.Q)


class TwoOfFour(OneView):
    def added(self, node: Node, result: float) -> float:
        return max(result, 0.0) if self.is_ours(node) else min(result, 0.0)


class Evaluated(TwoOfFour):
    """Results from −1 to 1, of which it is the same."""

    def evaluate(self, leaf: Node) -> float:
        return super().evaluate(leaf) * (0.5 + 0.5 * self.random.random())


class WinsOfBoth(OneView):
    """A draw, or a lost game, is worth nothing to anybody: wins of player 0, less those of player 1."""

    def added(self, node: Node, result: float) -> float:
        return max(result, 0.0)


class OneSide(OneView):
    """Only wins of player 0 count, and only at nodes that it moved into."""

    def added(self, node: Node, result: float) -> float:
        return max(result, 0.0) if self.is_ours(node) else 0.0


class Shares(OneView):
    """Chances to win from 0 to 1 of who moved there, those of player 1 with a minus."""

    def evaluate(self, leaf: Node) -> float:
        return super().evaluate(leaf) * (1.0 if leaf.outcome is not None else self.random.random())

    def added(self, node: Node, result: float) -> float:
        return (1 + result) / 2 if self.is_ours(node) else (result - 1) / 2


def checked(kind: type[Search], **told: Any) -> list[mv.Finding]:
    name = "tic_tac_toe"
    return watched(kind(Rules(name, START[name]), 1), 600, **told).check()


@pytest.mark.parametrize("kind", [TwoOfFour, Evaluated])
@pytest.mark.parametrize("view", ["root", "player0"])
@pytest.mark.parametrize("told", [{}, {"game": None, "start": None}])
def test_results_that_half_of_each_path_gets_are_named(
    kind: type[Search], view: str, told: dict[str, Any]
) -> None:
    found = {one.check: one for one in checked(kind, value_view=view, **told)}
    assert found[CHECK].severity == "warning"
    assert "two cases of four" in found[CHECK].message
    assert "value-range" not in found


@pytest.mark.parametrize("view", ["root", "player0"])
@pytest.mark.parametrize("kind", [OneView, WinsOfBoth, OneSide, Shares])
def test_other_values_are_not(kind: type[Search], view: str) -> None:
    assert CHECK not in {one.check for one in checked(kind, value_view=view)}


def test_nor_are_wins_of_who_moved_there() -> None:
    class Wins(Search):
        def worth(self, node: Node, outcome: float) -> float:
            return max(super().worth(node, outcome), 0.0)

    assert CHECK not in {one.check for one in checked(Wins)}
