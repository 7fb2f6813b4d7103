"""Trees of a game of two in which one player makes all moves."""

from __future__ import annotations

from typing import Any

import pytest

import mcts_viz as mv
from tests.health.unusual import Node, Search, watched


class Fences:
    """Two players in turn take a field of 4 × 4; who has more of the weights in the end wins. A state is the owners of
    the fields, and the player to move."""

    first: Any = ((None,) * 16, 0)

    def __init__(self, turns: str = "by turns") -> None:
        self.turns = turns

    def moves(self, state: Any) -> list[int]:
        return [at for at, owner in enumerate(state[0]) if owner is None]

    def play(self, state: Any, move: int) -> Any:
        fields, player = state
        return (*fields[:move], player, *fields[move + 1 :]), 1 - player

    def player(self, state: Any) -> int:
        return int(state[1])

    def outcome(self, state: Any) -> float | None:
        if None in state[0]:
            return None
        lead = sum((1 - 2 * owner) * (3 + at * 7 % 11) for at, owner in enumerate(state[0]))
        return 1.0 if lead > 0 else -1.0


class OfParent(Search):
    """A child has its parent's player; rollouts go on by turns."""

    def add(self, node: Node, move: int) -> Node:
        fields, _ = super().add(node, move).state
        child = node.children[-1]
        child.player = self.player_of(node)
        child.state = fields, child.player
        return child

    def player_of(self, node: Node) -> int:
        return node.player


class TwiceInARow(OfParent):
    """By the rules of another game each player makes two moves in a row."""

    def player_of(self, node: Node) -> int:
        made = sum(owner is not None for owner in node.state[0]) + 1
        return made // 2 % 2


class ByLevel(OfParent):
    def backpropagate(self, path: list[Node], outcome: float) -> None:
        worth = outcome if len(path) % 2 == 0 else -outcome
        for node in reversed(path):
            node.N, node.W, worth = node.N + 1, node.W + worth, -worth


def findings(kind: type[Search], **told: Any) -> list[mv.Finding]:
    given = {"players": None, "value_range": (-1.0, 1.0), "to_move": "player"} | told
    return watched(kind(Fences(), 1), 1_000, **given).check()


NAMES: list[dict[str, Any]] = [{}, {"players": ("left", "right")}]


@pytest.mark.parametrize("told", NAMES, ids=["not named", "named"])
@pytest.mark.parametrize("kind", [OfParent, ByLevel])
def test_one_player_who_moves_everywhere_is_named(kind: type[Search], told: Any) -> None:
    (one,) = [each for each in findings(kind, **told) if each.severity != "note"]
    assert one.check == "expansion-player"
    assert one.severity == "warning"
    assert "players do not take turns in the tree" in one.message
    assert "gets the player of its parent" in one.message
    assert ("players=('agent',)" in one.message) == (not told)


@pytest.mark.parametrize("kind", [Search, TwiceInARow])
def test_players_in_turn_and_two_moves_in_a_row_are_right(kind: type[Search]) -> None:
    assert not any(one.check == "expansion-player" for one in findings(kind))


@pytest.mark.parametrize(
    "told", [{"to_move": None}, {"players": ("agent",)}], ids=["not told", "alone"]
)
def test_where_nobody_tells_who_moves_or_one_plays_alone_nothing_is_said(told: Any) -> None:
    assert not any(one.check == "expansion-player" for one in findings(OfParent, **told))


def test_an_agent_with_rewards_whose_players_were_not_declared_gets_a_note() -> None:
    found = findings(OfParent, step_rewards=True, discount=0.9)
    (one,) = [each for each in found if each.check == "expansion-player"]
    assert one.severity == "note"
