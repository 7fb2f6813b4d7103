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
