"""Children with the same action: an error, but for actions that are drawn and come again by right."""

from __future__ import annotations

import math
import random

import pytest

import mcts_viz as mv
from tests.variants import few

DEEPEST, DRAWN = 5, 5


class Node:
    def __init__(self, action: float | str | None) -> None:
        self.action, self.children = action, list[Node]()
        self.visits, self.value = 0, 0.0


class Sampled:
    """A few actions are drawn at each new node; UCB1 takes one of them."""

    def __init__(self, kind: str, seed: int) -> None:
        self.kind, self.random, self.root = kind, random.Random(seed), Node(None)

    def draw(self) -> list[float | str]:
        drawn = [self.random.gauss(0.0, 1.0) for _ in range(DRAWN)]
        if self.kind == "cut off":
            return [max(-1.0, min(1.0, each)) for each in drawn]
        if self.kind == "rounded":
            return [round(each, 1) for each in drawn]
        if self.kind == "same seed":  # a mistake
            return [drawn[0] for _ in drawn]
        if self.kind == "copies":  # a mistake
            return [self.random.choice(drawn) for _ in drawn]
        if self.kind == "grid":  # a mistake
            return [self.random.randrange(-2, 3) / 4 for _ in drawn]
        topic = self.random.randrange(50)
        return [f"look at topic {topic} in way {self.random.randrange(4)}" for _ in drawn]

    def step(self) -> None:
        path = [self.root]
        while path[-1].children:
            log = math.log(path[-1].visits)

            def score(node: Node, log: float = log) -> float:
                if not node.visits:
                    return math.inf
                return node.value / node.visits + math.sqrt(log / node.visits)

            path.append(max(path[-1].children, key=score))
        if len(path) < DEEPEST and (path[-1].visits or path[-1] is self.root):
            path[-1].children = [Node(action) for action in self.draw()]
            path.append(path[-1].children[0])
        value = self.random.random()
        for node in path:
            node.visits, node.value = node.visits + 1, node.value + value


def twice(kind: str, seed: int) -> mv.Finding:
    search = Sampled(kind, seed)
    with mv.record(
        root=search.root, children="children", visits="visits", value="value", action="action", players=("agent",),
        value_range=(0, 1),
    ) as rec:  # fmt: skip
        for _ in rec.steps(search.step, 300):
            pass
    (one,) = (one for one in rec.trace.check() if one.check == "expansion-duplicate")
    return one


@pytest.mark.parametrize("seed", few([1, 2]))
@pytest.mark.parametrize("kind", ["cut off", "rounded", "texts"])
def test_actions_that_are_drawn_may_come_again(kind: str, seed: int) -> None:
    one = twice(kind, seed)
    assert one.severity == "note"
    assert "where actions are drawn" in one.message


@pytest.mark.parametrize("seed", few([1, 2]))
@pytest.mark.parametrize("kind", ["same seed", "copies", "grid"])
def test_actions_that_are_made_twice_are_an_error(kind: str, seed: int) -> None:
    """Numbers with all their digits, and moves of which there are five, do not come again by chance."""
    assert twice(kind, seed).severity == "error"


def test_the_message_has_the_name_of_the_action() -> None:
    assert (
        "for the move 1;" in twice("cut off", 1).message
        or "for the move -1;" in twice("cut off", 1).message
    )


class Putts:
    """Progressive widening: strokes are drawn, and the ball comes to rest somewhere (chance) where noise is told."""

    def __init__(self, seed: int, draw: str, noise: bool, deepest: int) -> None:
        self.random, self.kind, self.noise, self.root = random.Random(seed), draw, noise, Node(None)
        self.deepest = deepest

    def draw(self) -> float:
        if self.kind == "same seed":  # a mistake: the generator begins anew each time
            return round(random.Random(1).uniform(-3, 3), 3)
        if self.kind == "few":  # a mistake: a list of ten strokes, of which none is taken off
            return round(self.random.randrange(10) * 0.637 - 3, 3)
        return round(self.random.uniform(-3, 3), 3)

    def step(self) -> None:
        path = [self.root]
        while len(path) < self.deepest:
            node = path[-1]
            if self.noise and len(path) % 2 == 0:
                if len(node.children) <= node.visits**0.3:
                    node.children.append(Node(f"rest {len(node.children)} of {id(node)}"))
                path.append(self.random.choice(node.children))
            elif len(node.children) <= 3 * node.visits**0.45:
                node.children.append(Node(self.draw()))
                path.append(node.children[-1])
            else:
                path.append(self.random.choice(node.children))
            if not path[-1].visits:
                break
        for node in path:
            node.visits, node.value = node.visits + 1, node.value + self.random.random()


def putts(draw: str, noise: bool, seed: int, deepest: int = 6) -> list[mv.Finding]:
    search = Putts(seed, draw, noise, deepest)
    told = {"chance": lambda node: isinstance(node.action, float)} if noise else {}
    with mv.record(
        root=search.root, children="children", visits="visits", value="value", action="action", players=("golfer",),
        value_range=(0, 1), step_rewards=True, **told,
    ) as rec:  # fmt: skip
        for _ in rec.steps(search.step, 1_500):
            pass
    return [one for one in rec.trace.check() if one.check == "expansion-duplicate"]


@pytest.mark.thorough
@pytest.mark.parametrize(("noise", "deepest"), [(False, 6), (True, 6), (False, 2)])
def test_rounded_numbers_come_again_seldom(noise: bool, deepest: int) -> None:
    """As often as two of some hundred draws are the same of 6,001 numbers, also beside outcomes with other names."""
    found = [putts("even", noise, seed, deepest) for seed in range(6)]
    assert any(found)
    assert {one.severity for each in found for one in each} == {"note"}


@pytest.mark.thorough
@pytest.mark.parametrize(("noise", "deepest"), [(False, 6), (True, 6), (False, 2)])
@pytest.mark.parametrize("kind", ["same seed", "few"])
def test_numbers_that_always_come_again_are_an_error(noise: bool, deepest: int, kind: str) -> None:
    (one,) = putts(kind, noise, 1, deepest)
    assert one.severity == "error"
