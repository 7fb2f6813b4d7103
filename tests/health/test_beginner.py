"""Rollouts that begin with the same player always, whoever is to move at the leaf."""

from __future__ import annotations

import pytest

from mcts_viz.games import game
from tests.health.told_rollouts import findings
from tests.health.zoo import STARTS, Node, Search

ALWAYS = "a rollout begins with"


class BegunByFirst(Search):
    """A rollout gets the board alone, and lets the first player begin."""

    def play_on(self, node: Node) -> tuple[float, list[int]]:
        over = not self.game.legal(node.state)
        if over or node.player == 0:
            return super().play_on(node)
        first, second, n = node.state  # each with the other's stones: who moves is the other one
        turned = Node([second, first, n], None, node.move, node.player)
        outcome, moves = super().play_on(turned)
        return -outcome, moves


class InViewOfLeaf(Search):
    """The moves are right, and the result is in the view of the player to move."""

    def play_on(self, node: Node) -> tuple[float, list[int]]:
        outcome, moves = super().play_on(node)
        return (outcome if node.player == 0 or not moves else -outcome), moves


class CutShort(Search):
    """Rollouts stop after an odd number of moves, which at leaves of one player fills the board."""

    def play_on(self, node: Node) -> tuple[float, list[int]]:
        outcome, moves = super().play_on(node)
        return (0.0, moves[:-1]) if len(moves) % 2 == 0 and moves else (outcome, moves)


@pytest.mark.parametrize("name", STARTS)
def test_rollouts_that_the_same_player_begins_are_one_finding_that_says_so(name: str) -> None:
    (one,) = findings(BegunByFirst, name)
    assert one.check in ("simulation-illegal", "simulation-outcome")
    first, second = game(name).players
    assert f"start where {second} is to move" in one.message
    assert f"{ALWAYS} {first} always" in one.message


@pytest.mark.parametrize("kind", [InViewOfLeaf, CutShort])
def test_results_in_the_view_of_the_leaf_and_short_rollouts_are_not_said_to_be_begun_wrongly(
    kind: type[Search],
) -> None:
    found = findings(kind, "tic_tac_toe")
    assert found
    assert not [one for one in found if ALWAYS in one.message]


def test_rollouts_that_the_player_to_move_begins_are_right() -> None:
    assert findings(Search, "tic_tac_toe") == []
