"""A sign that is turned at every level, in games where a player may move twice in a row."""

from __future__ import annotations

import math
from typing import Any

import pytest

import mcts_viz as mv
from tests.health.unusual import Alone, Node, Search, Walk, watched


class Nim:
    """Who takes the last stone wins; who leaves a multiple of three moves again, or the other player does."""

    def __init__(self, again: bool) -> None:
        self.first, self.again = (12, 0), again  # stones, and who is to move

    def moves(self, state: Any) -> list[int]:
        return list(range(1, min(4, state[0]) + 1))

    def play(self, state: Any, move: int) -> Any:
        left = state[0] - move
        return left, state[1] if self.again and left and left % 3 == 0 else 1 - state[1]

    def player(self, state: Any) -> int:
        return int(state[1])

    def outcome(self, state: Any) -> float | None:
        return None if state[0] else 1.0 - 2.0 * (1 - state[1])


class ByLevel(Search):
    """The result in the view of who moved into the leaf, turned round at each node above it."""

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        worth = self.worth(path[-1], outcome)
        for node in reversed(path):
            node.N, node.W, worth = node.N + 1, node.W + worth, -worth


class FromZero(ByLevel):
    """The same with results from 0 to 1."""

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        worth = (1 + self.worth(path[-1], outcome)) / 2
        for node in reversed(path):
            node.N, node.W, worth = node.N + 1, node.W + worth, 1 - worth


class KeptForTheNext(Search):
    """Values of who is to move, turned round at each level (negamax) though a player may move again."""

    by_level = True

    def score(self, node: Node, child: Node) -> float:
        if not child.N:
            return math.inf
        seen = child.Q if child.player == node.player else -child.Q
        return seen + self.c * math.sqrt(math.log(node.N) / child.N)

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        worth = outcome if path[-1].player == 0 else -outcome
        for node, above in zip(reversed(path), [*reversed(path[:-1]), path[0]]):
            node.N, node.W = node.N + 1, node.W + worth
            worth = -worth if self.by_level or node.player != above.player else worth


class KeptForTheNextRightly(KeptForTheNext):
    by_level = False


class AnotherForEach(Search):
    """A rollout for each node: the values of a path differ, and by no law."""

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        for node in path:
            super().backpropagate([node], self.evaluate(node))


def findings(kind: type[Search], again: bool = True, to_move: Any = "player") -> list[mv.Finding]:
    span = (0.0, 1.0) if kind is FromZero else (-1.0, 1.0)
    told: dict[str, Any] = {"players": ("first", "second"), "to_move": to_move}
    if issubclass(kind, KeptForTheNext):
        told["value_view"] = "to_move"
    trace = watched(kind(Nim(again), 1), value_range=span, **told)
    return [one for one in trace.check() if one.severity != "note"]


@pytest.mark.parametrize("kind", [ByLevel, FromZero, KeptForTheNext])
def test_a_sign_that_turns_where_a_player_moves_again_is_said_to_turn_by_level(
    kind: type[Search],
) -> None:
    (one,) = findings(kind)
    assert one.check == "value-uneven"
    assert "The sign is turned by level" in one.message
    assert "Turn it where the player to move changes" in one.message


@pytest.mark.parametrize(
    ("kind", "again"),
    [(Search, True), (ByLevel, False), (KeptForTheNext, False), (KeptForTheNextRightly, True)],
)
def test_a_sign_that_turns_with_the_player_is_right(kind: type[Search], again: bool) -> None:
    assert findings(kind, again) == []


def test_values_that_differ_by_no_law_are_not_said_to_turn() -> None:
    (one,) = (one for one in findings(AnotherForEach) if one.check == "value-uneven")
    assert "by level" not in one.message


def test_a_root_that_its_children_do_not_come_from_is_told_from_a_sign_by_level() -> None:
    """Of a tree that was kept, the root is one move on, and its children are not."""
    found = findings(Search, again=False, to_move=lambda node: node.player if node.parent else 1)
    (one,) = (one for one in found if one.check == "value-uneven")
    assert "not to be the position that its children come from" in one.message
    assert "Turn it where" not in one.message


class AloneTurned(Alone):
    """One player's result, turned round from node to node as for two."""

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        for node in reversed(path):
            node.N, node.W = node.N + 1, node.W + outcome
            outcome = self.turned(outcome)

    def turned(self, outcome: float) -> float:
        return -outcome


class AloneTurnedInRange(AloneTurned):
    def turned(self, outcome: float) -> float:
        return 1 - outcome


KEPT: list[dict[str, Any]] = [{}, {"value": "Q", "value_kind": "mean"}]


@pytest.mark.parametrize("kept", KEPT, ids=["sums", "means"])
@pytest.mark.parametrize(
    ("kind", "span", "check"),
    [
        (AloneTurned, (0.0, 1.0), "value-out-of-range"),
        (AloneTurned, (-1.0, 1.0), "value-uneven"),
        (AloneTurnedInRange, (0.0, 1.0), "value-uneven"),
    ],
)
def test_of_one_player_a_turned_sign_is_said_to_be_a_back_up_for_two(
    kind: type[Search], span: tuple[float, float], check: str, kept: dict[str, Any]
) -> None:
    found = watched(kind(Walk(), 1), value_range=span, **kept).check()
    (one,) = [each for each in found if each.severity != "note"]
    assert one.check == check
    assert "The sign turns from level to level, as in a back-up for two players" in one.message
    assert "here one player plays" in one.message


@pytest.mark.parametrize("kept", KEPT, ids=["sums", "means"])
@pytest.mark.parametrize("span", [(0.0, 1.0), (-1.0, 1.0), (0.0, 0.5)])
def test_of_one_player_whose_sign_stays_nothing_is_said_of_two(
    span: tuple[float, float], kept: dict[str, Any]
) -> None:
    found = watched(Alone(Walk(), 1), value_range=span, **kept).check()
    assert not any("back-up for two players" in one.message for one in found)
