"""Searches under partial observability and with continuous actions, as their authors write them."""

from __future__ import annotations

import math
import random
from typing import Any

SIDES = ("tiger-left", "tiger-right")
ACTIONS = ("listen", "open-left", "open-right")
DISCOUNT, HORIZON = 0.95, 4


class Belief:
    """A node after an observation: the agent chooses."""

    is_chance = False

    def __init__(self, name: str = "") -> None:
        self.name, self.depth = name, 0
        self.children: dict[str, Act] = {}
        self.num_visits, self.value = 0, 0.0
        self.particles: list[str] = []
        self.reward = 0.0


class Act:
    """A node after an action: the world answers."""

    is_chance = True

    def __init__(self, name: str) -> None:
        self.name = name
        self.children: dict[str, Belief] = {}
        self.num_visits, self.value = 0, 0.0
        self.particles: list[str] | None = None


class Pomcp:
    """The tiger problem. kept: most simulated states that are added to a belief below the root; ends: whether the end
    of an episode has a node, which counts visits and believes nothing."""

    def __init__(self, kept: float = math.inf, seed: int = 1, ends: bool = False) -> None:
        self.root = Belief()
        self._random, self._kept, self._ends = random.Random(seed), kept, ends
        self.root.particles = [self._random.choice(SIDES) for _ in range(200)]

    def step(self) -> None:
        self._simulate(self._random.choice(self.root.particles), self.root, 0)

    def _simulate(self, state: str, node: Belief, depth: int) -> float:
        if depth == HORIZON:
            return 0.0
        is_new = not node.children
        for name in ACTIONS:
            node.children.setdefault(name, Act(name))
        if is_new:
            total = self._rollout(state, depth)
        else:
            act = max(node.children.values(), key=lambda each: self._score(node, each))
            after, seen, reward, over = self._world(state, act.name)
            total = reward
            if not over:
                below = act.children.setdefault(seen, Belief(seen))
                total += DISCOUNT * self._simulate(after, below, depth + 1)
            elif self._ends:
                end = act.children.setdefault("end", Belief("end"))
                end.num_visits += 1
            act.num_visits += 1
            act.value += (total - act.value) / act.num_visits
        node.num_visits += 1
        node.value += (total - node.value) / node.num_visits
        if depth and len(node.particles) < self._kept:
            node.particles.append(state)
        return total

    def _score(self, node: Belief, act: Act) -> float:
        if not act.num_visits:
            return math.inf
        return act.value + 50 * math.sqrt(math.log(node.num_visits) / act.num_visits)

    def _world(self, state: str, act: str) -> tuple[str, str, float, bool]:
        if act == "listen":
            right = self._random.random() < 0.85
            heard = state if right else SIDES[1 - SIDES.index(state)]
            return state, f"hear {heard}", -1.0, False
        good = (act == "open-left") == (state == "tiger-right")
        return state, "", 10.0 if good else -100.0, True

    def _rollout(self, state: str, depth: int) -> float:
        total, factor = 0.0, 1.0
        for _ in range(depth, HORIZON):
            state, _, reward, over = self._world(state, self._random.choice(ACTIONS))
            total += factor * reward
            factor *= DISCOUNT
            if over:
                break
        return total


class Arm:
    """A continuous action at the root of a bandit."""

    def __init__(self, action: float | tuple[float, ...]) -> None:
        self.action = action
        self.children: list[Arm] = []
        self.visits, self.value = 0, 0.0


class Widening:
    """Double progressive widening over one level: actions in [0, 1]; 0.7 is the best. pairs: vectors of two; until: the
    visit from which on the limit is not looked at."""

    def __init__(self, pairs: bool = False, seed: int = 2, until: float = math.inf) -> None:
        self.root, self._random, self._pairs = Arm(0.0), random.Random(seed), pairs
        self._until = until

    def step(self) -> None:
        root = self.root
        if root.visits > self._until or len(root.children) <= 2 * root.visits**0.4:
            x = self._random.random()
            root.children.append(Arm((x, self._random.random()) if self._pairs else x))
        arm = max(root.children, key=self._score)
        x = arm.action[0] if isinstance(arm.action, tuple) else arm.action
        reward = max(0.0, 1 - 2 * abs(x - 0.7))
        for each in (root, arm):
            each.visits += 1
            each.value += reward

    def _score(self, arm: Arm) -> float:
        if not arm.visits:
            return math.inf
        return arm.value / arm.visits + 0.5 * math.sqrt(math.log(self.root.visits) / arm.visits)


POMCP_FIELDS: dict[str, Any] = {
    "children": "children", "visits": "num_visits", "value": "value", "value_kind": "mean", "chance": "is_chance",
    "label": "name", "belief": "particles", "players": ("agent",), "value_range": (-120, 20), "discount": DISCOUNT,
    "step_rewards": True,
}  # fmt: skip
WIDENING_FIELDS: dict[str, Any] = {
    "children": "children", "visits": "visits", "value": "value", "action": "action", "players": ("agent",),
    "value_range": (0, 1),
}  # fmt: skip
