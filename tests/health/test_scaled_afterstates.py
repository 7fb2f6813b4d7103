"""Stochastic MuZero: the reward of a move comes with the outcome of chance after it. Q of an afterstate is its mean,
scaled by the least and greatest mean of the tree."""

from __future__ import annotations

import math
import random

import pytest

import mcts_viz as mv
from mcts_viz.health.selection import beyond_scale
from tests.health.test_muzero import Search, bad, recorded

MOVES = OUTCOMES = 3
LENGTH = 8  # levels of the tree, every second one of afterstates


class Node:
    """A decision, or an afterstate, whose outcome chance decides."""

    def __init__(self, prior: float, line: tuple[int, ...]) -> None:
        self.prior, self.line, self.chance = prior, line, len(line) % 2 == 1
        self.N, self.W = 0, 0.0
        self.children: list[Node] = []
        told = len(line) > 1 and not self.chance
        self.reward = float((5 * line[-2] + sum(line)) % 4) if told else 0.0

    @property
    def mean(self) -> float:
        return self.W / self.N if self.N else 0.0


class StochasticMuZero:
    def __init__(self, seed: int) -> None:
        self.random, self.root = random.Random(seed), Node(1.0, ())
        self.low, self.high = math.inf, -math.inf

    def score(self, node: Node, child: Node) -> float:
        if node.chance:
            return child.prior / (1 + child.N)
        c = 1.25 + math.log((node.N + 19_653) / 19_652)
        scale = self.high - self.low
        q = (
            (child.mean - self.low) / scale if scale > 0 else child.mean
        )  # until there are two values
        return c * child.prior * math.sqrt(node.N) / (1 + child.N) + (q if child.N else 0.0)

    def step(self) -> None:
        path = [self.root]
        while path[-1].children:
            node = path[-1]
            path.append(max(node.children, key=lambda child: self.score(node, child)))
        leaf = path[-1]
        if len(leaf.line) < LENGTH:
            weights = [self.random.random() + 0.1 for _ in range(MOVES)]
            leaf.children = [
                Node(weight / sum(weights), (*leaf.line, i)) for i, weight in enumerate(weights)
            ]
        value = 20.0 + 5.0 * self.random.random() - 2.0 * len(leaf.line)
        for node in reversed(path):
            node.N, node.W = node.N + 1, node.W + value
            self.low, self.high = min(self.low, node.mean), max(self.high, node.mean)
            value += node.reward


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_afterstates_are_scaled_by_the_means(seed: int) -> None:
    search = StochasticMuZero(seed)
    with mv.record(
        root=search.root, children="children", visits="N", value="W", prior="prior", chance="chance", reward="reward",
        players=("agent",), value_range=(0, 60), step_rewards=True, action=lambda node: (node.line or (-1,))[-1],
    ) as recording:  # fmt: skip
        for _ in recording.steps(search.step, 400):
            pass
    findings = recording.trace.check()
    assert [str(one) for one in findings if one.severity != "note"] == []
    (rule,) = (one for one in findings if one.check == "selection-rule")
    assert "Q scaled to [0, 1]" in rule.message


def test_a_scale_that_few_choices_tell_from_the_right_one_is_a_note(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trace = recorded(Search("scaled by the means", 1))
    (finding,) = bad(trace)
    assert finding.check == "selection-scale"
    monkeypatch.setattr(beyond_scale, "FEW_APART", 10**9)
    assert bad(trace) == []
    (finding,) = (one for one in trace.check() if one.check == "selection-scale")
    assert "choices alone tell it from the right scale" in finding.message
