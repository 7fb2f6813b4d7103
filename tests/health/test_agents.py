"""Searches of agents, as public packages write them: a node is chosen once and expanded several times, priors follow
from the values, and a node gets a further child when a draw says so. Correct, and no reason for a warning."""

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

import mcts_viz as mv
from mcts_viz.trace.asides import PRIORS_CHANGE
from tests.complaints import complaints


@dataclass(eq=False)
class Attempt:
    parent: "Attempt | None" = None
    quality: float = 0.5
    prior: float = 1.0
    visits: int = 0
    total: float = 0.0
    children: list["Attempt"] = field(default_factory=list)


class Sampling:
    """Chooses a node, and asks for `samples` new children of it, one an iteration (TreeQuest's StandardMCTS)."""

    def __init__(self, samples: int, seed: int = 1) -> None:
        self.root, self.samples, self.draw = Attempt(), samples, random.Random(seed)
        self.queue: list[Attempt] = []

    def score(self, parent: Attempt, child: Attempt) -> float:
        explored = math.sqrt(2 * math.log(parent.visits) / child.visits)
        return child.total / child.visits + child.prior * explored

    def chosen(self) -> Attempt:
        node = self.root
        while node.children:
            parent = node
            node = max(parent.children, key=lambda child: self.score(parent, child))
        return node

    def attempt(self, at: Attempt) -> None:
        child = Attempt(at, min(1, max(0, at.quality + self.draw.uniform(-0.2, 0.25))))
        at.children.append(child)
        node: Attempt | None = child
        while node is not None:
            node.visits, node.total, node = node.visits + 1, node.total + child.quality, node.parent
        weights = [math.exp(each.quality) for each in at.children]
        for each, weight in zip(at.children, weights):
            each.prior = weight / sum(weights)

    def step(self) -> None:
        self.queue = self.queue or [self.chosen()] * self.samples
        self.attempt(self.queue.pop())


class Widening(Sampling):
    """A draw says at each node whether it gets a further child (as Thompson sampling does in AB-MCTS)."""

    def step(self) -> None:
        node = self.root
        while node.children and self.draw.random() < 0.7:
            node = max(node.children, key=lambda child: self.draw.betavariate(1 + child.total, 2))
        self.attempt(node)


def recorded(
    search: Sampling,
    score: Callable[[Attempt, Attempt], float] | None,
    iterations: int = 200,
    prior: str | None = "prior",
) -> mv.Trace:
    with mv.record(
        root=search.root, children="children", visits="visits", value="total", prior=prior,
        players=("agent",), score=score,
    ) as rec:  # fmt: skip
        for _ in rec.steps(search.step, iterations):
            pass
    return rec.trace


@pytest.mark.parametrize("samples", [2, 4])
def test_a_node_chosen_once_may_be_expanded_several_times(samples: int) -> None:
    search = Sampling(samples)
    trace = recorded(search, search.score)
    assert complaints(trace) == []
    rule = next(finding for finding in trace.check() if finding.check == "selection-rule")
    assert "chooses once for several" in str(rule)


def test_a_score_that_is_another_is_still_an_error() -> None:
    search = Sampling(4)
    trace = recorded(search, lambda parent, child: -search.score(parent, child))
    assert "selection-own-score" in complaints(trace)


def test_priors_that_change_are_said_and_no_rule_is_expected_of_the_first_ones() -> None:
    trace = recorded(Sampling(4), None)
    assert PRIORS_CHANGE in trace.meta.notes
    assert complaints(trace) == []


def test_an_agent_may_widen_a_node_whenever_it_likes() -> None:
    trace = recorded(Widening(1), None, 150, prior=None)
    found = {finding.check: finding for finding in trace.check()}
    assert complaints(trace) == []
    assert "AB-MCTS" in str(found["selection-untried"])
