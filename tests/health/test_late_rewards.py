"""Rewards of the move before, at the children of the node that it leads to."""

from __future__ import annotations

import random
from typing import Any

import pytest

import mcts_viz as mv
from tests.health.unusual import Node, Rewarded, watched

CHECK = "expansion-late-rewards"


class Roads:
    """From a corner of a grid to the other one, right, down or across; each road has a toll, or pays."""

    name, start, size = "roads", list[int](), 6
    first: Any = (0, 0)

    def moves(self, state: Any) -> list[int]:
        return [0, 1, 2] if max(state) < self.size else []

    def play(self, state: Any, move: int) -> Any:
        return (state[0] + (move != 1), state[1] + (move != 0))

    def player(self, state: Any) -> int:
        return 0

    def outcome(self, state: Any) -> float | None:
        return None if max(state) < self.size else 0.0


def drawn(*about: object) -> float:
    return round(random.Random(str(about)).uniform(-0.5, 0.5), 3)


class Tolls(Rewarded):
    c = 2.0

    def add(self, node: Node, move: int) -> Node:
        child = super().add(node, move)
        child.reward = self.reward(node, move)
        return child

    def reward(self, node: Node, move: int) -> float:
        return drawn(node.state, move)

    def evaluate(self, leaf: Node) -> float:
        return 0.0 if leaf.outcome is not None else drawn(leaf.state)


class Late(Tolls):
    """What the last move brought, given to all new children."""

    def reward(self, node: Node, move: int) -> float:
        return 0.0 if node.parent is None else drawn(node.parent.state, node.move)


class OfPositions(Tolls):
    """A position pays who leaves it, whichever way."""

    def reward(self, node: Node, move: int) -> float:
        return drawn(node.state)


class OfTime(Tolls):
    """Each move costs more than the one before."""

    def reward(self, node: Node, move: int) -> float:
        depth = 0
        while node.parent is not None:
            node, depth = node.parent, depth + 1
        return -0.1 * depth


class OneToll(Tolls):
    def reward(self, node: Node, move: int) -> float:
        return -0.1


def found(kind: type[Tolls], **told: Any) -> mv.Finding | None:
    search = kind(Roads(), 1)
    told = {
        "reward": "reward",
        "discount": 0.9,
        "step_rewards": True,
        "value_range": (-4, 4),
        **told,
    }
    every = watched(search, 600, **told).check()
    assert [one.check for one in every if one.severity != "note"] in ([], [CHECK])
    return next((one for one in every if one.check == CHECK), None)


def text(node: Node) -> str:
    return str(node.state)


def test_rewards_of_the_move_before_are_named() -> None:
    one = found(Late, state=text)
    assert one is not None
    assert one.severity == "warning"
    assert "one step too late" in one.message


@pytest.mark.parametrize("kind", [Late, OfPositions])
def test_without_positions_they_may_be_those_of_the_position_that_is_left(
    kind: type[Tolls],
) -> None:
    one = found(kind)
    assert one is not None
    assert one.severity == "note"
    assert "Right where a reward is for the position that is left" in one.message


def test_those_of_positions_are_the_same_at_equal_ones() -> None:
    one = found(OfPositions, state=text)
    assert one is not None
    assert one.severity == "note"


@pytest.mark.parametrize("told", [{}, {"state": text}], ids=["moves", "positions"])
@pytest.mark.parametrize("kind", [Tolls, OfTime, OneToll])
def test_nothing_is_said_of_other_rewards(kind: type[Tolls], told: dict[str, Any]) -> None:
    assert found(kind, **told) is None
