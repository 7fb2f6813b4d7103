"""Rollouts whose first move is made by the player who has moved into the leaf."""

from __future__ import annotations

import pytest

from tests.health.told_rollouts import findings
from tests.health.zoo import STARTS, Node, Search


class BegunByTheOther(Search):
    """A rollout gets the node's player in place of the one to move there."""

    def play_on(self, node: Node) -> tuple[float, list[int]]:
        if not self.game.legal(node.state):
            return super().play_on(node)
        first, second, n = node.state  # each with the other's stones: who moves is the other one
        turned = Node([second, first, n], None, node.move, node.player)
        outcome, moves = super().play_on(turned)
        return -outcome, moves


@pytest.mark.parametrize("name", STARTS)
def test_rollouts_that_the_wrong_player_begins_are_one_finding_that_says_so(name: str) -> None:
    (finding,) = findings(BegunByTheOther, name)
    assert (finding.check, finding.severity) == ("simulation-first-move", "error")
    assert "the wrong player begins the simulation" in finding.message


@pytest.mark.parametrize("name", STARTS)
def test_right_ones_are_none(name: str) -> None:
    assert not findings(Search, name)
