"""Correct searches with networks, and of agents, in which a node's value is no plain mean or its children begin with a
mark of their own: no error, no warning."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import pytest

import mcts_viz as mv
from tests.health.unusual import (
    PRIORS,
    START,
    AllChildren,
    Alone,
    Node,
    Puct,
    RewardedMax,
    Rules,
    Walk,
    watched,
)


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


class Latest(OfMeans):
    """The latest result alone."""

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        for node in path:
            node.N, node.W = node.N + 1, outcome


class Ranked(OfMeans):
    """The share of all results so far that a node's own and those below it beat: worked out anew for all nodes."""

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        for node in path:
            node.N += 1
            node.results.append(outcome)
        below, every = [self.root], self.root.results
        while below:
            node = below.pop()
            below += node.children
            if node.results:
                mean = sum(node.results) / len(node.results)
                node.W = sum(each <= mean for each in every) / len(every)


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


class BestReturn(RewardedMax, AllChildren):
    """All children are made at once, and what the move into one brings is known with its first visit."""


class SlowlyMoved(Puct):
    """By 1 / n at first, and by a twentieth from the twentieth visit on, which few nodes of a path have."""

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        for node in path:
            before, node.N = node.Q, node.N + 1
            moved = before + max(0.05, 1 / node.N) * (self.worth(node, outcome) - before)
            node.W = moved * node.N


def alone(kind: type[Alone]) -> Callable[[int], mv.Trace]:
    more = {"thorough": True, "iterations": 100} if kind is Ranked else {}
    return lambda seed: watched(kind(Walk(), seed), value="W", value_kind="mean", **more)


def between_two(kind: type[Puct], **told: Any) -> Callable[[int], mv.Trace]:
    rules = Rules("connect_four", START["connect_four"])
    return lambda seed: watched(kind(rules, seed), **PRIORS, **told)


def best_return(seed: int) -> mv.Trace:
    told: dict[str, Any] = {"step_rewards": True, "discount": 0.9, "value_range": (-1.0, 3.0)}
    late = lambda node: node.reward if node.N else None  # noqa: E731
    return watched(BestReturn(Walk(), seed), reward=late, **told)


@pytest.mark.parametrize(
    ("record", "words"),
    [
        (between_two(WorseWeighLess), "an average of its children's"),
        (between_two(SlowlyMoved), "0.05·(v − q)"),
        (alone(Laplace), "2 visits more than it has"),
        (alone(BestThree), "is not the mean of what its visits brought"),
        (alone(Latest), "is the last result alone"),
        (alone(Ranked), "changes its value without a visit"),
        (alone(Marked), "begins with visits and a value of its own"),
        (best_return, "max back-up"),
    ],
    ids=[
        "weighed",
        "slowly moved",
        "with a prior",
        "best three",
        "latest",
        "ranked",
        "marked",
        "best return",
    ],
)
def test_a_value_that_is_no_plain_mean_is_said_to_be_none(
    record: Callable[[int], mv.Trace], words: str
) -> None:
    findings = record(1).check()
    assert [str(one) for one in findings if one.severity != "note"] == []
    assert any(words in one.message for one in findings)


class Masked(Puct):
    """A child for each action; those that are not legal have no prior and are never taken."""

    def expand(self, leaf: Node) -> None:
        super().expand(leaf)
        for move in set(range(9)) - {child.move for child in leaf.children}:
            none = Node(None, leaf, move, 1 - leaf.player)
            none.P = 0.0
            leaf.children.append(none)

    def choose(self, node: Node) -> Node:
        legal = [child for child in node.children if child.P]
        return max(legal, key=lambda child: self.score(node, child))


class Likely(Puct):
    """The likeliest moves, until they have seven tenths of the policy."""

    def expand(self, leaf: Node) -> None:
        super().expand(leaf)
        kept, total = list[Node](), 0.0
        for child in sorted(leaf.children, key=lambda each: -each.P):
            if total < 0.7:
                kept.append(child)
            total += child.P
        leaf.children = kept


class Margins(Puct):
    """By what margin a game is won counts a little."""

    def evaluate(self, leaf: Node) -> float:
        value = super().evaluate(leaf)
        if not leaf.outcome:
            return value
        return value * (
            1.1 + 0.09 * math.sin(sum((i + 1) * int(x) for i, x in enumerate(leaf.state)))
        )


class Falling(Puct):
    """c falls with time."""

    def weight(self, node: Node) -> float:
        return 2.5 - 1.5 * self.iterations / 400


@pytest.mark.parametrize("kind", [Masked, Likely, Margins, Falling])
def test_what_a_search_by_a_network_may_do(kind: type[Puct]) -> None:
    search = kind(Rules("tic_tac_toe", START["tic_tac_toe"]), 1)
    told: dict[str, Any] = {"value_range": (-1.2, 1.2)} if kind is Margins else {}
    if kind is Falling:
        told["score"] = search.score
    trace = watched(search, **told, **PRIORS)
    assert [str(one) for one in trace.check() if one.severity != "note"] == []


def test_scores_whose_range_was_left_out_are_a_note() -> None:
    trace = watched(Margins(Rules("tic_tac_toe", START["tic_tac_toe"]), 1), **PRIORS)
    found = trace.check()
    assert [str(one) for one in found if one.severity != "note"] == []
    (wider,) = (one for one in found if one.check == "value-range")
    assert wider.evidence["meant"][1] > 1.1


def test_a_range_from_0_to_100_that_was_left_out_is_a_note() -> None:
    """New leaves do not show the whole of it."""
    search = Puct(Rules("connect_four", START["connect_four"]), 2)
    found = watched(search, value=lambda node: 50 * (node.W + node.N), **PRIORS).check()
    assert [str(one) for one in found if one.severity != "note"] == []
    assert "value-range" in [one.check for one in found]


@pytest.mark.parametrize("thorough", [False, True])
def test_beams_have_no_back_up_of_visits(thorough: bool) -> None:
    root = Node((0, 0), None, -1, 0)
    root.N, draw, beam = 1, random.Random(1), [root]
    with mv.record(
        root=root,
        children="children",
        visits="N",
        value="W",
        players=("agent",),
        value_range=(0, 1),
        thorough=thorough,
    ) as rec:
        for _ in range(6):
            new = list[Node]()
            for node in beam:
                node.children = [Node((0, 0), node, move, 0) for move in range(3)]
                for child in node.children:
                    child.N, child.W = 1, draw.random()
                new += node.children
                rec.iteration()
            beam = sorted(new, key=lambda node: -node.W)[:4]
    assert [str(one) for one in rec.trace.check() if one.severity != "note"] == []


class Code:
    """A node of Stochastic MuZero: after a move chance gives a code, and only then time goes on."""

    def __init__(self, line: tuple[int, ...] = ()) -> None:
        self.line, self.chance = line, len(line) % 2 == 1
        self.reward = 0.0 if self.chance else (sum(line) * 7 % 5) / 5
        self.N, self.W, self.children = 0, 0.0, list[Code]()

    @property
    def discount(self) -> float:
        """Of what comes after the step into it."""
        return 1.0 if self.chance else 0.9

    def score(self, child: Code) -> float:
        if self.chance or not child.N:
            return 1 / (1 + child.N)
        q = child.reward + child.discount * child.W / child.N
        return q / 4 + math.sqrt(self.N) / (1 + child.N)


def test_rewards_beside_afterstates_are_discounted_once_for_a_move_and_its_answer() -> None:
    root = Code()
    with mv.record(
        root=root, children="children", visits="N", value="W", reward="reward", chance="chance", players=("agent",),
        value_range=(0, 12), discount=0.9, state=lambda node: f"after {node.line[: len(node.line) // 2 * 2]}",
    ) as rec:  # fmt: skip
        for _ in range(300):
            path = [root]
            while path[-1].children:
                path.append(max(path[-1].children, key=path[-1].score))
            path[-1].children = [Code((*path[-1].line, i)) for i in range(3)]
            value = math.sin(sum(path[-1].line)) + 1.0
            for node in reversed(path):
                node.N, node.W = node.N + 1, node.W + value
                value = node.reward + node.discount * value
            rec.iteration()
    assert [str(one) for one in rec.trace.check() if one.severity != "note"] == []


class VisitsAlone(Puct):
    """P √ΣN / (n + ε): nothing is added to a child's visits, so that each child comes once first."""

    def score(self, node: Node, child: Node) -> float:
        n = sum(each.N for each in node.children)
        return child.Q + self.c * child.P * math.sqrt(n + 1e-8) / (child.N + 1e-8)


def test_a_puct_over_the_visits_alone_is_known_with_n_of_all_children() -> None:
    for game, start in START.items():
        findings = watched(
            VisitsAlone(Rules(game, start), 1), **PRIORS, selection="puct", c=1.5, n="children"
        ).check()
        (rule,) = (one for one in findings if one.check == "selection-rule")
        assert "PUCT (N of all children, n alone) with c = 1.5" in rule.message
