"""Action nodes that get the immediate reward alone, told by what the nodes above and below them get."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field

import pytest

import mcts_viz as mv
from tests.variants import few

GAMMA, DEPTH = 0.9, 6
MOVES = ("stay", "go", "jump")


@dataclass
class Node:
    """A state, or an action that was taken there, to which chance answers."""

    name: str = "start"
    is_chance: bool = False
    reward: float | None = None
    N: int = 0
    W: float = 0.0
    children: dict[str, Node] = field(default_factory=dict)

    @property
    def mean(self) -> float:
        return self.W / self.N if self.N else 0.0


class Planner:
    """Walks on five fields, with rewards by field and move; returns are those from a node on."""

    noise = 0.0

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.root = Node()

    def step(self, at: int, move: str) -> tuple[int, float]:
        to = at if move == "stay" else (at + self.random.choice((1, 2))) % 5
        reward = -1.0 if move == "stay" else -2.0 if move == "jump" else 0.0
        return to, reward + 3.0 * (to == 4) + self.noise * self.random.gauss(0.0, 1.0)

    def rollout(self, at: int, steps: int) -> float:
        total = 0.0
        for i in range(steps):
            at, reward = self.step(at, self.random.choice(MOVES))
            total += GAMMA**i * reward
        return total

    def credit_action(self, node: Node, reward: float, later: float) -> float:
        """Count the visit; what the node above gets."""
        node.N, node.W = node.N + 1, node.W + reward + GAMMA * later
        return reward + GAMMA * later

    def credit_state(self, node: Node, value: float) -> float:
        node.N, node.W = node.N + 1, node.W + value
        return value

    def simulate(self, node: Node, at: int, steps: int) -> float:
        if not steps:
            return 0.0
        if not node.children:
            node.children = {move: Node(move, True) for move in MOVES}
            return self.credit_state(node, self.rollout(at, steps))
        action = max(
            node.children.values(),
            key=lambda one: (
                one.mean + 4 * math.sqrt(math.log(node.N) / one.N) if one.N else math.inf
            ),
        )
        to, reward = self.step(at, action.name)
        below = action.children.setdefault(str(to), Node(str(to), reward=reward))
        later = self.simulate(below, to, steps - 1)
        return self.credit_state(node, self.credit_action(action, reward, later))


class Immediate(Planner):
    def credit_action(self, node: Node, reward: float, later: float) -> float:
        node.N, node.W = node.N + 1, node.W + reward
        return reward + GAMMA * later


class NoisyImmediate(Immediate):
    noise = 1.0


class Noisy(Planner):
    noise = 1.0


class NoReturns(Immediate):
    """Nothing that comes later counts anywhere: no returns that pass by a node."""

    def credit_action(self, node: Node, reward: float, later: float) -> float:
        super().credit_action(node, reward, later)
        return reward


class ActionsWithoutValues(Planner):
    """Means of states are all that is kept."""

    def credit_action(self, node: Node, reward: float, later: float) -> float:
        node.N += 1
        return reward + GAMMA * later


class StatesWithoutValues(Planner):
    """Means of actions are all that is kept, as in many a POMCP."""

    def credit_state(self, node: Node, value: float) -> float:
        node.N += 1
        return value


class Best(Planner):
    """A state is worth its best action."""

    def credit_state(self, node: Node, value: float) -> float:
        tried = [one.mean for one in node.children.values() if one.N]
        best = max(tried, default=value)
        node.N, node.W = node.N + 1, best * (node.N + 1)
        return best


class Lambda(Planner):
    """Between the return and what the node was worth."""

    def credit_action(self, node: Node, reward: float, later: float) -> float:
        between = 0.4 * later + 0.6 * (node.mean - reward) / GAMMA if node.N else later
        return super().credit_action(node, reward, between)


def checked(kind: type[Planner], seed: int = 1, told: bool = False) -> list[mv.Finding]:
    search = kind(seed)
    more = {"reward": "reward"} if told else {}
    with mv.record(
        root=search.root, children="children", visits="N", value="W", chance="is_chance", label="name",
        players=("agent",), value_range=(-20.0, 20.0), discount=GAMMA, step_rewards=True, **more,
    ) as rec:  # fmt: skip
        for _ in rec.steps(lambda: search.simulate(search.root, 0, DEPTH), 800):
            pass
    return rec.trace.check()


@pytest.mark.parametrize("kind", [Immediate, NoisyImmediate])
@pytest.mark.parametrize("told", [False, True])
@pytest.mark.parametrize("seed", few([1, 2, 3]))
def test_action_nodes_that_get_the_immediate_reward_alone_are_named(
    kind: type[Planner], told: bool, seed: int
) -> None:
    [finding] = [one for one in checked(kind, seed, told) if one.severity != "note"]
    assert (finding.check, finding.severity) == ("value-immediate", "error")
    assert "immediate reward alone, and the returns from below it never count" in finding.message
    assert abs(finding.evidence["share"]) < 0.1 < 0.8 < finding.evidence["above"] < 1.0


@pytest.mark.parametrize(
    "kind",
    [Planner, Noisy, NoReturns, ActionsWithoutValues, StatesWithoutValues, Best, Lambda],
)
@pytest.mark.parametrize("seed", few([1, 2, 3]))
def test_other_values_of_action_nodes_are_not(kind: type[Planner], seed: int) -> None:
    assert "value-immediate" not in {one.check for one in checked(kind, seed)}


@pytest.mark.parametrize("seed", few([1, 2, 3]))
def test_returns_are_right(seed: int) -> None:
    assert not [one for one in checked(Noisy, seed) if one.severity != "note"]
