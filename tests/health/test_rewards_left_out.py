"""Rewards that back-up leaves out: choices are then compared by means that have none, which is no second mistake."""

from __future__ import annotations

import math
import re

import pytest

import mcts_viz as mv
from tests.health.unusual import Alone, Node, Walk, watched

GAMMA = 0.9


class Coins(Walk):
    """Some steps bring a coin."""

    def reward(self, state: tuple[int, int]) -> float:
        return float((state[0] * 5 + state[1] * 3) % 5 == 1)

    def outcome(self, state: tuple[int, int]) -> float | None:
        return None if state[0] < 10 else 0.0


class Planner(Alone):
    """Discounted returns, and UCB1."""

    c = 2.0
    own = after = (
        False  # whether a node's value has the reward of the move into it, or of those that come after
    )

    def node(self, state: tuple[int, int], parent: Node | None, move: int) -> Node:
        made = super().node(state, parent, move)
        made.reward = self.rules.reward(state)
        return made

    def rollout(self, state: tuple[int, int]) -> float:
        total, weight = 0.0, 1.0
        while self.rules.outcome(state) is None:
            state = self.rules.play(state, self.random.choice(self.rules.moves(state)))
            total, weight = total + weight * self.rules.reward(state), weight * GAMMA
        return total

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        for node in reversed(path):
            worth = outcome + (node.reward if self.own else 0.0)
            node.N, node.W = node.N + 1, node.W + worth
            outcome = (node.reward if self.after else 0.0) + GAMMA * worth

    def q(self, child: Node) -> float:
        return child.Q

    def score(self, node: Node, child: Node) -> float:
        return self.q(child) + self.c * math.sqrt(math.log(node.N) / child.N)


class LeftOut(Planner):
    """Back-up forgets the rewards within the tree, and so do the choices."""


class WithOwn(Planner):
    """A node's value has the reward of the move into it."""

    own = True


class Beside(Planner):
    """Values have the rewards of what comes after, and choices add that of the move."""

    after = True

    def q(self, child: Node) -> float:
        return child.reward + GAMMA * child.Q


class LeftOutOfChoices(Beside):
    """The same, but choices do not."""

    def q(self, child: Node) -> float:
        return child.Q


def findings(kind: type[Planner], c: float | None = Planner.c) -> dict[str, mv.Finding]:
    rule = {} if c is None else {"selection": "ucb1", "c": c}
    trace = watched(
        kind(Coins(), 1), 600, reward="reward", step_rewards=True, discount=GAMMA,
        value_range=(-10.0, 20.0), **rule,
    )  # fmt: skip
    return {one.check: one for one in trace.check()}


def serious(found: dict[str, mv.Finding]) -> list[str]:
    return [check for check, one in found.items() if one.severity != "note"]


@pytest.mark.parametrize("c", [Planner.c, None])
def test_rewards_that_back_up_leaves_out_are_the_one_finding(c: float | None) -> None:
    found = findings(LeftOut, c)
    assert serious(found) == ["value-reward"]
    assert "rewards are left out" in found["value-reward"].message
    assert "Q is the mean alone" in found["selection-rule"].message
    shown = re.search(
        r"gets (\S+); .* is (\S+), and its child gets (\S+)$", found["value-reward"].message
    )
    assert shown is not None
    node, reward, child = map(float, shown.groups())
    assert abs(node - reward - GAMMA * child) > 0.5


@pytest.mark.parametrize("kind", [WithOwn, Beside])
def test_rewards_that_are_added_once_are_right(kind: type[Planner]) -> None:
    assert serious(findings(kind)) == []


def test_rewards_that_choices_alone_leave_out_are_named() -> None:
    assert serious(findings(LeftOutOfChoices)) == ["selection-reward"]


def test_another_c_than_declared_is_named_beside() -> None:
    found = findings(LeftOut, c=7.0)
    assert found["value-reward"].severity == "error"
    assert "selection-rule" not in found
