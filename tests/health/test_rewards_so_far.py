"""Back-up that gives a node the rewards on the way to it, in place of those from it on, or the reward of one move."""

from __future__ import annotations

import re

import pytest

import mcts_viz as mv
from tests.health.test_rewards_left_out import Coins, Planner
from tests.health.unusual import Node, watched
from tests.variants import few


class Prices(Coins):
    """Steps bring different amounts."""

    def reward(self, state: tuple[int, int]) -> float:
        return (state[0] * 5 + state[1] * 3) % 7 / 4


class Prefix(Planner):
    """The path is gone through from the root down, and what was added up so far is added to each node."""

    gamma = 1.0

    def start(self, outcome: float) -> float:
        return 0.0

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        total = self.start(outcome)
        for node in path:
            total = node.reward + self.gamma * total
            node.N, node.W = node.N + 1, node.W + total


class DiscountedPrefix(Prefix):
    gamma = 0.9


class FromLeaf(Prefix):
    """It begins with what the leaf is worth."""

    def start(self, outcome: float) -> float:
        return outcome


class DiscountedFromLeaf(FromLeaf):
    gamma = 0.9


class PrefixOfPowers(Prefix):
    """The reward of the n-th move counts γ^(n − 1)."""

    gamma = 0.9

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        total = 0.0
        for depth, node in enumerate(path):
            total += self.gamma ** max(depth - 1, 0) * node.reward
            node.N, node.W = node.N + 1, node.W + total


class MoveAlone(Prefix):
    """Each node gets the reward of the move into it."""

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        for node in path:
            node.N, node.W = node.N + 1, node.W + node.reward


class WrongSign(Prefix):
    """Rewards are taken off on the way up."""

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        for node in reversed(path):
            node.N, node.W = node.N + 1, node.W + outcome
            outcome = self.gamma * outcome - node.reward


class DiscountedWrongSign(WrongSign):
    gamma = 0.9


class Suffix(Prefix):
    """The right one."""

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        for node in reversed(path):
            outcome = node.reward + self.gamma * outcome
            node.N, node.W = node.N + 1, node.W + outcome


class DiscountedSuffix(Suffix):
    gamma = 0.9


def of_rewards(kind: type[Prefix], seed: int = 1) -> list[mv.Finding]:
    trace = watched(
        kind(Prices(), seed), 400, reward="reward", step_rewards=True, discount=kind.gamma,
        value_range=(-10.0, 20.0),
    )  # fmt: skip
    return [one for one in trace.check() if one.severity != "note"]


ON_THE_WAY = "rewards on the way from the root to it"


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (Prefix, ON_THE_WAY),
        (DiscountedPrefix, ON_THE_WAY),
        (PrefixOfPowers, f"{ON_THE_WAY}.*discounted from the root on"),
        (FromLeaf, "wrong sign .or, .*the path is gone through from the root down"),
        (DiscountedFromLeaf, "from the root down, .*, and its own"),
        (MoveAlone, "the reward of one move alone, and what comes after it never counts"),
        (WrongSign, "rewards have the wrong sign"),
    ],
)
def test_what_a_node_gets_in_place_of_the_return_is_named(kind: type[Prefix], words: str) -> None:
    [finding] = of_rewards(kind)
    assert (finding.check, finding.severity) == ("value-reward", "error")
    assert re.search(words, finding.message)


def test_a_wrong_sign_with_a_discount_looks_like_nothing_else() -> None:
    [finding] = of_rewards(DiscountedWrongSign)
    assert finding.evidence["mistake"] == "rewards have the wrong sign"


@pytest.mark.parametrize("kind", [Suffix, DiscountedSuffix])
@pytest.mark.parametrize("seed", few([1, 2, 3]))
def test_returns_from_a_node_on_are_right(kind: type[Prefix], seed: int) -> None:
    assert not of_rewards(kind, seed)
