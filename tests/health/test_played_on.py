"""Rollouts that go on after the game is over, of games whose rules are not known."""

from __future__ import annotations

from typing import Any

import pytest

import mcts_viz as mv
from tests.health.unusual import Search

UNLIKE_CELLS = 100  # so that the moves tell no boards, and so no rules
LINES = ("012", "345", "678", "036", "147", "258", "048", "246")


class Crosses:
    """Tic-Tac-Toe; a state is its nine fields and the player to move."""

    first: Any = ("." * 9, 0)

    def moves(self, state: Any) -> list[int]:
        return [at for at, mark in enumerate(state[0]) if mark == "."]

    def play(self, state: Any, move: int) -> Any:
        fields, player = state
        return fields[:move] + "XO"[player] + fields[move + 1 :], 1 - player

    def player(self, state: Any) -> int:
        return int(state[1])

    def has_line(self, fields: str, mark: str) -> bool:
        return any(all(fields[int(at)] == mark for at in line) for line in LINES)

    def winner(self, fields: str) -> float:
        """Lines of X are looked for first."""
        return 1.0 if self.has_line(fields, "X") else -1.0 if self.has_line(fields, "O") else 0.0

    def outcome(self, state: Any) -> float | None:
        result = self.winner(state[0])
        return result if result or "." not in state[0] else None


class Recorded(Search):
    """Tells the moves of its rollouts."""

    rules: Crosses

    def __init__(self, rules: Any, seed: int) -> None:
        super().__init__(rules, seed)
        self.played: list[int] = []

    def step(self) -> None:
        self.played = []
        super().step()

    def rollout(self, state: Any) -> float:
        while not self.is_over(state):
            self.played.append(self.random.choice(self.rules.moves(state)))
            state = self.rules.play(state, self.played[-1])
        return self.rules.winner(state[0])

    def is_over(self, state: Any) -> bool:
        return self.rules.outcome(state) is not None


class UntilFull(Recorded):
    def evaluate(self, leaf: Any) -> float:
        return leaf.outcome if leaf.outcome is not None else self.rollout(leaf.state)

    def is_over(self, state: Any) -> bool:
        return "." not in state[0]


class FilledForTheWinner(UntilFull):
    """Fields are filled to the end, and who had the first line has won."""

    def rollout(self, state: Any) -> float:
        result = self.rules.outcome(state)
        while not self.is_over(state):
            self.played.append(self.random.choice(self.rules.moves(state)))
            state = self.rules.play(state, self.played[-1])
            result = result or self.rules.outcome(state)
        return result or 0.0


class WrongWinner(Recorded):
    """The winner of a rollout is the other player where O moves last."""

    def rollout(self, state: Any) -> float:
        result = super().rollout(state)
        return -result if len(self.played) % 2 else result


def told(kind: type[Recorded], iterations: int) -> list[mv.Finding]:
    search = kind(Crosses(), 1)
    with mv.record(
        root=search.root, children="children", visits="N", value="W",
        action=lambda node: UNLIKE_CELLS + node.move, to_move="player",
        outcome="outcome", players=("X", "O"),
    ) as rec:  # fmt: skip
        for _ in range(iterations):
            search.step()
            played = [UNLIKE_CELLS + move for move in search.played]
            rec.iteration(outcome=search.outcome, rollout=played)
    return [one for one in rec.trace.check() if one.check == "simulation-outcome"]


@pytest.mark.thorough
def test_rollouts_past_a_finished_game_of_the_tree_with_another_result_are_named() -> None:
    (one,) = told(UntilFull, 5_000)
    assert one.severity == "error"
    assert "rollouts go on after the game is over" in one.message
    assert "all of them in favour of X: games that O had won count for X" in one.message
    assert one.evidence["times"] >= 3


def test_where_the_tree_has_no_finished_game_yet_their_one_length_is_told() -> None:
    (one,) = told(UntilFull, 120)
    assert one.severity == "note"
    assert "no rollout ends before move 9 after the root" in one.message
    assert "simulated games go on after somebody has won" in one.message


def test_results_that_are_not_those_of_the_end_reached_are_named() -> None:
    (one,) = told(WrongWinner, 2_000)
    assert one.severity == "error"
    assert "which was told to be finished" in one.message


@pytest.mark.parametrize("iterations", [120, 5_000])
def test_rollouts_that_end_with_the_game_are_right(iterations: int) -> None:
    assert told(Recorded, iterations) == []


@pytest.mark.thorough
def test_moves_past_the_end_that_change_no_result_are_no_error() -> None:
    (one,) = told(FilledForTheWinner, 5_000)
    assert one.severity == "note"
    assert "Right where moves after the end change no result" in one.message
