"""Selection by another value of a child than its mean in the view of who chooses."""

from __future__ import annotations

import math
from typing import Any

import mcts_viz as mv
from tests.health.test_again import BLIND, Judge, Plan
from tests.health.unusual import Node, Search, watched


def complaints(trace: mv.Trace) -> list[tuple[str, str]]:
    return [(one.check, one.message) for one in trace.check() if one.severity != "note"]


class ByFirst(Judge):
    """Selects by what the judge gave when the plan was made, whatever came of it."""

    def score(self, child: Plan) -> float:
        assert child.parent is not None
        return child.first + 0.7 * math.sqrt(math.log(child.parent.N) / child.N)


class ByMean(Judge):
    def score(self, child: Plan) -> float:
        assert child.parent is not None
        return child.W / child.N + 0.7 * math.sqrt(math.log(child.parent.N) / child.N)


def judged(judge: Judge) -> mv.Trace:
    told: dict[str, Any] = {"players": ("agent",), "value_range": (0, 1), "action": "move"}
    with mv.record(root=judge.root, children="children", visits="N", value="W", **told) as rec:
        for _ in rec.steps(judge.step, 500):
            pass
    return rec.trace


def test_selection_by_the_first_value_is_named() -> None:
    ((check, said),) = complaints(judged(ByFirst(by_last_step=False)))
    assert check == "selection-first-value"
    assert "what the child got at its first visit" in said
    assert complaints(judged(ByMean(by_last_step=False))) == []


class Race:
    """Who first comes to 30 wins; who takes 3 moves again."""

    name, start, first = "race", [], (0, 0)

    def moves(self, state: Any) -> list[int]:
        return [1, 2, 3]

    def play(self, state: Any, move: int) -> Any:
        total, player = state
        return total + move, player if move == 3 else 1 - player

    def player(self, state: Any) -> int:
        return int(state[1])

    def outcome(self, state: Any) -> float | None:
        total, player = state
        if total < 30:
            return None
        mover = player if (total - 30) % 2 else 1 - player
        return 1.0 if mover == 0 else -1.0


class AlwaysTurned(Search):
    """Takes each child's value for the opponent's."""

    def score(self, node: Node, child: Node) -> float:
        sign = -1 if child.player == node.player else 1
        return sign * child.Q + self.c * math.sqrt(math.log(node.N) / child.N)


def test_a_value_that_is_turned_where_the_same_player_moves_again_is_named() -> None:
    told: dict[str, Any] = {**BLIND, "players": None, "to_move": "player"}
    found = complaints(watched(AlwaysTurned(Race(), 1), 800, **told))
    assert [check for check, _ in found] == ["selection-wrong-view"]
    assert "also where the same player moves again" in found[0][1]
    assert "selection-wrong-view" not in dict(complaints(watched(Search(Race(), 1), 800, **told)))
