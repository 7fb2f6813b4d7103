"""Correct searches with networks, and of agents, in which a node's value is no plain mean or its children begin with a
mark of their own: no error, no warning."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

import mcts_viz as mv
from tests.health.unusual import PRIORS, START, AllChildren, Alone, Node, Puct, Rules, Walk, watched


class WorseWeighLess(Puct):
    """A node's value is its own and its children's, the worse ones weighing less (KataGo)."""

    def expand(self, leaf: Node) -> None:
        super().expand(leaf)
        leaf.reward = -self.worth(leaf, self.evaluate(leaf))

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        super().backpropagate(path[-1:], outcome)
        for node in reversed(path[:-1]):
            node.N += 1
            known = [child for child in node.children if child.N]
            best = max(child.Q for child in known)
            weights = [child.N * math.exp(2 * (child.Q - best)) for child in known]
            mean = sum(w * child.Q for w, child in zip(weights, known)) / sum(weights)
            visits = sum(child.N for child in known)
            node.W = -node.N * (mean * visits + node.reward) / (visits + 1)


class OfMeans(Alone):
    """W is the value itself."""

    def score(self, node: Node, child: Node) -> float:
        if not child.N:
            return math.inf
        return child.W + self.c * math.sqrt(math.log(max(node.N, 1)) / child.N)


class Laplace(OfMeans):
    """(w + 1) / (n + 2), as if one visit had been won and one lost."""

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        for node in path:
            node.N += 1
            node.best_value = outcome + (node.best_value if node.N > 1 else 0.0)
            node.W = (node.best_value + 1) / (node.N + 2)


class BestThree(OfMeans):
    """The mean of the best three results below."""

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        for node in path:
            node.N += 1
            node.results = sorted([*node.results, outcome], reverse=True)
            node.W = sum(node.results[:3]) / len(node.results[:3])


class Marked(OfMeans, AllChildren):
    """Children begin with a visit and the mark of a judge; the best one is simulated from."""

    def step(self) -> None:
        path = [self.root]
        while path[-1].children:
            path.append(self.choose(path[-1]))
        if path[-1].outcome is None:
            self.grow(path[-1])
            for child in path[-1].children:
                child.N, child.W = 1, self.random.random()
            path.append(max(path[-1].children, key=lambda child: child.W))
        self.backpropagate(path, self.evaluate(path[-1]))

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        for node in path:
            node.N += 1
            node.W += (outcome - node.W) / node.N


def alone(kind: type[Alone]) -> Callable[[int], mv.Trace]:
    return lambda seed: watched(kind(Walk(), seed), value="W", value_kind="mean")


def between_two(kind: type[Puct], **told: Any) -> Callable[[int], mv.Trace]:
    rules = Rules("connect_four", START["connect_four"])
    return lambda seed: watched(kind(rules, seed), **PRIORS, **told)


@pytest.mark.parametrize(
    ("record", "words"),
    [
        (between_two(WorseWeighLess), "an average of its children's"),
        (alone(Laplace), "2 visits more than it has"),
        (alone(BestThree), "is not the mean of what its visits brought"),
        (alone(Marked), "each new node begins with 1 visit"),
    ],
    ids=["weighed", "with a prior", "best three", "marked"],
)
def test_a_value_that_is_no_plain_mean_is_said_to_be_none(
    record: Callable[[int], mv.Trace], words: str
) -> None:
    findings = record(1).check()
    assert [str(one) for one in findings if one.severity != "note"] == []
    assert any(words in one.message for one in findings)
