"""Rollouts that end after their first step."""

from __future__ import annotations

from typing import Any

import mcts_viz as mv
from tests.health.unusual import START, Node, Rules, Search, watched


class Field:
    """One player on a field of 4 × 4 from a corner; each step costs something, the other corner ends it. A state is the
    place and whether it is over."""

    first: Any = (0, 0)
    size, gamma, cost, goal = 4, 0.95, -0.05, 1.0

    def moves(self, state: Any) -> list[int]:
        return [] if self.outcome(state) is not None else [0, 1, 2, 3]

    def play(self, state: Any, move: int) -> Any:
        step = ((0, 1), (1, 0), (0, -1), (-1, 0))[move]
        return tuple(min(max(at + by, 0), self.size - 1) for at, by in zip(state, step))

    def player(self, state: Any) -> int:
        return 0

    def reward(self, state: Any) -> float:
        return self.cost if self.outcome(state) is None else self.goal

    def outcome(self, state: Any) -> float | None:
        return self.goal if state == (self.size - 1,) * 2 else None


class Walker(Search):
    """Nodes keep the return from the move into them on."""

    horizon = 30

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        rules = self.rules
        value = outcome
        for node in reversed(path):
            own = 0.0 if node is self.root else rules.reward(node.state)
            value = own + rules.gamma * value
            node.N, node.W = node.N + 1, node.W + value

    def evaluate(self, leaf: Node) -> float:
        return 0.0 if leaf.outcome is not None else self.rollout(leaf.state)

    def rollout(self, state: Any) -> float:
        total, weight = 0.0, 1.0
        for _ in range(self.horizon):
            state = self.rules.play(state, self.random.choice(self.rules.moves(state)))
            total += weight * self.rules.reward(state)
            weight *= self.rules.gamma
            if self.rules.outcome(state) is not None:
                break
        return total


class OneStep(Walker):
    horizon = 1


def of_rewards(kind: type[Search]) -> list[mv.Finding]:
    told: dict[str, Any] = {"step_rewards": True, "discount": Field.gamma, "value_range": (-2, 1)}
    found = watched(kind(Field(), 1), 1_200, players=("agent",), **told).check()
    return [one for one in found if one.check == "simulation-constant"]


def test_rewards_of_one_step_alone_are_told_by_their_size() -> None:
    (one,) = of_rewards(OneStep)
    assert one.severity == "note"
    assert "get the same value, -0.0975, and the other" in one.message
    assert "what 2 moves of -0.05 bring" in one.message
    assert "a rollout is cut short" in one.message


def test_rollouts_to_the_goal_or_a_horizon_are_right() -> None:
    assert of_rewards(Walker) == []


class OneMove(Search):
    """A rollout of one move, and a draw where the game goes on after it."""

    def rollout(self, state: Any) -> float:
        if self.rules.outcome(state) is None:
            state = self.rules.play(state, self.random.choice(self.rules.moves(state)))
        return self.rules.outcome(state) or 0.0


def of_results(kind: type[Search]) -> list[mv.Finding]:
    rules = Rules("connect_four", START["connect_four"])
    told: dict[str, Any] = {"game": None, "start": None, "outcome": "outcome"}
    found = watched(kind(rules, 1), 4_000, **told).check()
    return [one for one in found if one.check == "simulation-constant"]


def test_results_that_are_seen_one_move_away_alone_are_told_by_the_ends_below() -> None:
    (one,) = of_results(OneMove)
    assert one.severity == "note"
    assert "the game ends right below" in one.message
    assert "rollouts are cut short" in one.message


def test_results_of_whole_games_are_right() -> None:
    assert of_results(Search) == []
