"""Results in the wrong view, where nobody knows the rules: told by games that are won at once, and by those that are
over."""

from __future__ import annotations

from typing import Any

import pytest

from tests.health.unusual import (
    PRIORS,
    AllChildren,
    Decisive,
    Node,
    Puct,
    Rules,
    Search,
    Widening,
    watched,
)
from tests.variants import in_turn

GAMES = [("tic_tac_toe", [0, 4]), ("connect_four", [3, 3, 2, 2])]


class Race:
    """Two pawns in turn go one to three fields of seven, and send each other home; who comes first wins."""

    first = (0, 0, 0, 0)

    def moves(self, state: Any) -> list[int]:
        return [1, 2, 3]

    def play(self, state: Any, move: int) -> Any:
        own, other, player, plies = state
        return (0 if other == own + move else other, own + move, 1 - player, plies + 1)

    def player(self, state: Any) -> int:
        return int(state[2])

    def outcome(self, state: Any) -> float | None:
        if state[1] >= 7:
            return 1.0 if state[2] == 1 else -1.0
        return 0.0 if state[3] == 14 else None


class ViewAtTheEnd(Search):
    """The result of a rollout is that of who is to move where it ends; of a finished game it is right."""

    def rollout(self, state: Any) -> float:
        while (outcome := self.rules.outcome(state)) is None:
            state = self.rules.play(state, self.random.choice(self.rules.moves(state)))
        return outcome if self.rules.player(state) == 0 else -outcome

    def evaluate(self, leaf: Node) -> float:
        return self.rollout(leaf.state) if leaf.outcome is None else leaf.outcome


class ViewOfTheLeaf(ViewAtTheEnd):
    def rollout(self, state: Any) -> float:
        outcome = Search.rollout(self, state)
        return outcome if self.rules.player(state) == 0 else -outcome


class OfTheOther(Search):
    """All values are those of who is to move."""

    def worth(self, node: Node, outcome: float) -> float:
        return -super().worth(node, outcome)


def said(search: Search, **told: Any) -> list[tuple[str, str]]:
    """What is found where no rules are known, but for the rule of selection."""
    untold = {"game": None, "start": None, "players": None, "value_range": None}
    trace = watched(search, 1_000, **untold, to_move="player", **told)
    return [
        (one.check, one.severity) for one in trace.check() if one.check.startswith(("sim", "val"))
    ]


@pytest.mark.parametrize("kind", [ViewAtTheEnd, ViewOfTheLeaf])
def test_a_result_in_the_wrong_view_is_told_by_wins_that_are_not_counted(
    kind: type[Search],
) -> None:
    assert ("simulation-flipped", "warning") in said(kind(Race(), 1), outcome="outcome")


@pytest.mark.parametrize(("game", "start"), GAMES)
def test_a_player_who_wins_no_rollout_is_a_note_where_few_ends_are_near(
    game: str, start: list[int]
) -> None:
    found = said(ViewAtTheEnd(Rules(game, start), 1), outcome="outcome")
    assert ("simulation-flipped", "note") in found


@pytest.mark.parametrize("rules", [Race(), Rules("tic_tac_toe", [0, 4])])
def test_values_of_the_other_player_are_a_note_where_no_end_is_told(rules: Any) -> None:
    assert ("value-wrong-view", "note") in said(OfTheOther(rules, 1))


class NetworkAndEndsTurned(Puct):
    """The network's values are right, those of finished games are the other player's."""

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        turned = path[-1].outcome is not None
        super().backpropagate(path, -outcome if turned else outcome)


@pytest.mark.parametrize("rules", [Race(), Rules("tic_tac_toe", [0, 4])])
def test_so_it_is_beside_values_of_a_network(rules: Any) -> None:
    assert said(NetworkAndEndsTurned(rules, 1), **PRIORS) == [("value-wrong-view", "note")]
    assert said(Puct(rules, 1), **PRIORS) == []


@pytest.mark.parametrize(
    ("kind", "rules"),
    in_turn([Search, AllChildren, Decisive, Widening], [Race(), *(Rules(*game) for game in GAMES)]),
)
@pytest.mark.parametrize("told", [{"outcome": "outcome"}, {}])
def test_nothing_is_said_of_a_correct_search(
    kind: type[Search], told: dict[str, Any], rules: Any
) -> None:
    assert said(kind(rules, 1), **told) == []


def test_a_player_who_wins_everywhere_is_a_note_where_no_end_is_near() -> None:
    class Longer(Race):
        def outcome(self, state: Any) -> float | None:
            return None if state[1] < 12 else 2.0 * state[2] - 1.0

    assert ("simulation-constant", "note") in said(ViewAtTheEnd(Longer(), 1))
    assert said(Search(Longer(), 1)) == []
