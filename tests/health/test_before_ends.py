"""Nodes below which there are finished games alone, where nobody knows the rules: what they get goes by these ends."""

from __future__ import annotations

from typing import Any

import pytest

import mcts_viz as mv
from tests.health.unusual import AllChildren, Node, Search, Widening, WinAlone, watched

TELLING: list[dict[str, Any]] = [
    {},
    {"to_move": "player"},
    {"to_move": "player", "outcome": "outcome"},
]


class Sticks:
    """Two players in turn take one to three of them; who takes the last one wins."""

    first = (12, 0)
    last_wins = True

    def moves(self, state: Any) -> list[int]:
        return [n for n in (1, 2, 3) if n <= state[0]]

    def play(self, state: Any, move: int) -> Any:
        return state[0] - move, 1 - state[1]

    def player(self, state: Any) -> int:
        return int(state[1])

    def outcome(self, state: Any) -> float | None:
        if state[0]:
            return None
        return 1.0 if (state[1] == 1) == self.last_wins else -1.0


class LastLoses(Sticks):
    last_wins = False


class ByWhoMovedThere(Search):
    """The result is in the view of the player who moved into the leaf, and is taken for that of player 0."""

    def evaluate(self, leaf: Node) -> float:
        outcome = super().evaluate(leaf)
        return outcome if leaf.player == 1 else -outcome


class ByWhoIsToMove(ByWhoMovedThere):
    def evaluate(self, leaf: Node) -> float:
        return -super().evaluate(leaf)


class RolloutsTurned(Search):
    """Finished games have the right sign."""

    def evaluate(self, leaf: Node) -> float:
        outcome = super().evaluate(leaf)
        return outcome if leaf.outcome is not None else -outcome


class RolloutsTurnedForOne(RolloutsTurned):
    """Where player 1 is to move alone."""

    def evaluate(self, leaf: Node) -> float:
        return super().evaluate(leaf) if leaf.player == 1 else Search.evaluate(self, leaf)


def flipped(search: Search, told: dict[str, Any]) -> list[mv.Finding]:
    untold = {"players": None, "value_range": None}
    trace = watched(search, 1_000, **untold, **told)
    return [one for one in trace.check() if one.check == "simulation-flipped"]


@pytest.mark.parametrize("told", TELLING[:2])  # outcomes would tell it by themselves
@pytest.mark.parametrize("rules", [Sticks(), LastLoses()])
@pytest.mark.parametrize("kind", [ByWhoMovedThere, ByWhoIsToMove])
def test_a_sign_that_goes_by_who_made_the_last_move_is_told_by_the_parents_of_ends(
    kind: type[Search], rules: Sticks, told: dict[str, Any]
) -> None:
    (one,) = flipped(kind(rules, 1), told)
    assert one.severity == "warning"
    assert "wrong at every other level, where games are over, too" in one.message
    assert one.evidence["against"] == one.evidence["nodes"] >= 5


@pytest.mark.parametrize("told", TELLING)
def test_so_is_a_sign_that_finished_games_alone_have_right(told: dict[str, Any]) -> None:
    (one,) = flipped(RolloutsTurned(LastLoses(), 1), told)
    assert "results of simulations and of finished games have opposite signs" in one.message
    assert one.severity == "note"


@pytest.mark.parametrize("told", TELLING)
def test_so_is_one_that_is_wrong_where_one_player_is_to_move(told: dict[str, Any]) -> None:
    (one,) = flipped(RolloutsTurnedForOne(LastLoses(), 1), told)
    assert "turned round where player 1 is to move, and finished games are not" in one.message
    assert one.severity == "note"


@pytest.mark.parametrize("told", TELLING)
@pytest.mark.parametrize("rules", [Sticks(), LastLoses()])
@pytest.mark.parametrize("kind", [Search, AllChildren, Widening])
def test_a_correct_search_of_the_same_game_is_not(
    kind: type[Search], rules: Sticks, told: dict[str, Any]
) -> None:
    assert flipped(kind(rules, 1), told) == []


def test_a_search_that_makes_winning_moves_alone_is_not_said_to_be_wrong() -> None:
    for seed in range(3):
        found = flipped(WinAlone(Sticks(), seed), {"to_move": "player"})
        assert all(one.severity == "note" for one in found)


def test_a_player_who_wins_all_games_is_none() -> None:
    class OneWins(Sticks):
        def outcome(self, state: Any) -> float | None:
            return None if state[0] else 1.0

    assert flipped(Search(OneWins(), 1), {"to_move": "player"}) == []
