"""Searches that take a position where a pass alone is legal for the end of the game."""

from __future__ import annotations

from typing import Any

import mcts_viz as mv
from tests.health.unusual import Search

PASS = 2
Position = tuple[int, int, int]  # stones, whose turn, whether the other one has just passed


class Stones:
    """One or two are taken by turns; at a multiple of four one passes first. Who takes the last one wins."""

    name = "stones with a pass"
    n_actions = 3

    def initial_state(self) -> Position:
        return 22, 0, 0

    def to_move(self, state: Position) -> int:
        return state[1]

    def legal_actions(self, state: Position) -> list[int]:
        stones, _, passed = state
        if stones % 4 == 0 and not passed:
            return [PASS]
        return [0, 1][:stones]

    def play(self, state: Position, action: int) -> Position:
        stones, player, _ = state
        if action == PASS:
            return stones, 1 - player, 1
        return stones - 1 - action, 1 - player, 0

    def outcome(self, state: Position) -> float | None:
        if state[0]:
            return None
        return 1.0 if state[1] == 1 else -1.0

    def action_name(self, action: int) -> str:
        return ("take 1", "take 2", "pass")[action]


class Rules:
    """As the search asks for them."""

    def __init__(self, passes: bool) -> None:
        self.game, self.passes = Stones(), passes
        self.first = self.game.initial_state()

    def moves(self, state: Position) -> list[int]:
        return [move for move in self.game.legal_actions(state) if self.passes or move != PASS]

    def play(self, state: Position, move: int) -> Position:
        return self.game.play(state, move)

    def player(self, state: Position) -> int:
        return state[1]

    def outcome(self, state: Position) -> float | None:
        if not self.moves(state) and state[0]:
            return 0.0
        return self.game.outcome(state)


def found(passes: bool) -> list[Any]:
    search = Search(Rules(passes), seed=1)
    with mv.record(
        root=search.root, children="children", visits="N", value="W", action="move", to_move="player", game=Stones(),
    ) as rec:  # fmt: skip
        for _ in range(800):
            search.step()
            rec.iteration()
    return [one for one in rec.trace.check() if one.severity != "note"]


def test_a_pass_that_is_never_made_is_named() -> None:
    (finding,) = [one for one in found(passes=False) if one.check == "expansion-missing"]
    assert "“pass”, legal by the rules, has no child anywhere in the tree" in finding.message


def test_a_search_that_passes_is_right() -> None:
    assert not found(passes=True)
