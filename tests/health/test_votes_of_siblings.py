"""A judge's votes that are taken by the wrong place."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest

import mcts_viz as mv


class Answer:
    def __init__(self, steps: tuple[int, ...], parent: Answer | None, finished: bool) -> None:
        self.steps, self.parent, self.finished = steps, parent, finished
        self.children: list[Answer] = []
        self.visits, self.total, self.score = 0, 0.0, 0.0

    @property
    def right(self) -> float | None:
        return float(sum(self.steps) % 3 == 0) if self.finished else None

    def judged(self) -> float:
        """What the judge says of it."""
        return random.Random(str(self.steps)).random()

    def told(self) -> float | None:
        return None if self.finished or self.parent is None else self.judged()


class Agent:
    """Samples four answers a node; each is worth its score at once (batches), or when it is first chosen."""

    def __init__(self, seed: int, batches: bool) -> None:
        self.random, self.batches = random.Random(seed), batches
        self.root = Answer((), None, False)

    def expand(self, node: Answer) -> None:
        for step in range(4):
            finished = len(node.steps) == 4 or self.random.random() < 0.25
            node.children.append(Answer((*node.steps, step), node, finished))
        for child, score in zip(node.children, self.scores(node)):
            child.score = score if child.right is None else child.right

    def scores(self, node: Answer) -> list[float]:
        return [child.judged() for child in node.children]

    def uct(self, node: Answer) -> float:
        if not node.visits:
            return math.inf
        assert node.parent is not None
        return node.total / node.visits + math.sqrt(math.log(node.parent.visits) / node.visits)

    def step(self) -> int:
        node = self.root
        while node.children:
            node = max(node.children, key=self.uct)
        if not node.finished and (self.batches or node.visits or node is self.root):
            self.expand(node)
            if not self.batches:
                node = node.children[0]
        leaves = node.children if self.batches and node.children else [node]
        for leaf in leaves:
            at: Answer | None = leaf
            while at is not None:
                at.visits, at.total, at = at.visits + 1, at.total + leaf.score, at.parent
        return len(leaves)


class Shifted(Agent):
    """The votes of unfinished children, filled up and taken by the place among all."""

    def scores(self, node: Answer) -> list[float]:
        votes = [child.judged() for child in node.children if not child.finished]
        return votes + [0.0] * (len(node.children) - len(votes))


class Turned(Agent):
    def scores(self, node: Answer) -> list[float]:
        return super().scores(node)[::-1]


class Hesitant(Agent):
    """A judge who is asked a second time, and says something else."""

    def scores(self, node: Answer) -> list[float]:
        return [self.random.random() for _ in node.children]


def found(kind: type[Agent], batches: bool) -> list[mv.Finding]:
    agent = kind(3, batches)
    told: dict[str, Any] = {"evaluation": lambda node: node.told()}
    with mv.record(
        root=agent.root, children="children", visits="visits", value="total", outcome="right", players=("agent",),
        value_range=(0, 1), reward_range=(0, 1), label=lambda node: str(node.steps), **told,
    ) as rec:  # fmt: skip
        for _ in range(300):
            n = agent.step()
            rec.iteration(**({"leaves": n} if batches else {}))
    return [one for one in rec.trace.check() if one.check == "simulation-late"]


@pytest.mark.parametrize("batches", [True, False])
def test_votes_that_are_shifted_behind_a_finished_sibling_are_named(batches: bool) -> None:
    (one,) = found(Shifted, batches)
    assert one.severity == "error"
    assert "which is what was told of node" in one.message
    assert "stand behind a finished sibling" in one.message
    assert "shifted behind a finished one" in one.message


@pytest.mark.parametrize("batches", [True, False])
def test_votes_in_another_order_are_named(batches: bool) -> None:
    (one,) = found(Turned, batches)
    assert "in another order" in one.message
    assert "behind a finished" not in one.message


@pytest.mark.parametrize("batches", [True, False])
@pytest.mark.parametrize("kind", [Agent, Hesitant])
def test_each_child_s_own_vote_is_right(kind: type[Agent], batches: bool) -> None:
    assert found(kind, batches) == []
