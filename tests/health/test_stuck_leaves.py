"""Leaves that never get a child though the game goes on there, where no rules are known."""

from __future__ import annotations

from typing import Any

import pytest

import mcts_viz as mv
from tests.health.test_boards import Fields
from tests.health.unusual import AllChildren, Node, Search, watched

PASS, CENTRE = 99, 4
PLAYERS: dict[str, Any] = {"players": None, "to_move": "player"}


class Passing(Fields):
    """After a move to the centre the other player has to pass; this is noted behind the player to move."""

    first = "XO.......0"

    def moves(self, state: str) -> list[int]:
        return [PASS] if state.endswith("!") else super().moves(state)

    def play(self, state: str, move: int) -> str:
        if move == PASS:
            return state[:9] + str(1 - self.player(state))
        return super().play(state, move) + ("!" if move == CENTRE else "")

    def outcome(self, state: str) -> float | None:
        full = None if state.endswith("!") else 0.0
        return super().outcome(state) or (full if "." not in state else None)


class WithoutPass(Search):
    """The pass is known to the rollouts alone."""

    def grow(self, node: Node) -> Node | None:
        if node.untried is None and self.rules.moves(node.state) == [PASS]:
            node.untried = []
        return super().grow(node)


class OfLimitedDepth(Search):
    def grow(self, node: Node) -> Node | None:
        above, depth = node, 0
        while above.parent is not None:
            above, depth = above.parent, depth + 1
        return None if depth > 3 else super().grow(node)


class OfLimitedSize(Search):
    def grow(self, node: Node) -> Node | None:
        return None if self.iterations > 300 else super().grow(node)


class Sampled(AllChildren):
    """A leaf has children after its tenth visit."""

    def grow(self, node: Node) -> Node | None:
        return super().grow(node) if node.N >= 10 or node is self.root else None


class Widening(Search):
    def grow(self, node: Node) -> Node | None:
        return super().grow(node) if len(node.children) < 0.4 * (node.N + 1) ** 0.5 else None


def findings(search: Search, **told: Any) -> list[mv.Finding]:
    known = {"outcome": "outcome", "state": "state", "value_range": (-1, 1), **PLAYERS}
    trace = watched(search, 1_500, **{**known, **told})
    return [one for one in trace.check() if one.check == "expansion-stops"]


def test_a_pass_that_only_rollouts_know_is_a_warning() -> None:
    (one,) = findings(WithoutPass(Passing(), 1))
    assert one.severity == "warning"
    assert "a player without a move has to pass" in one.message
    assert "others have a child by their visit 2" in one.message
    assert one.evidence["node_visits"] >= 6


def test_without_states_a_node_may_be_several_positions_so_that_it_is_a_note() -> None:
    (one,) = findings(WithoutPass(Passing(), 1), state=None)
    assert one.severity == "note"


def test_nothing_is_said_where_it_is_not_told_which_games_are_over() -> None:
    assert not findings(WithoutPass(Passing(), 1), outcome=None)


@pytest.mark.parametrize("kind", [Search, OfLimitedDepth, OfLimitedSize, Sampled, Widening])
def test_searches_that_stop_on_purpose_or_nowhere_are_not_named(kind: type[Search]) -> None:
    assert not [one for one in findings(kind(Passing(), 1)) if "has to pass" in one.message]
