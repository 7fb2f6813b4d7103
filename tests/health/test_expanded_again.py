"""Nodes that were expanded are expanded again, and their children replaced: the visits of the old ones are lost."""

from __future__ import annotations

import math
import random

import pytest

import mcts_viz as mv

CHECK = "expansion-again"
WIDTH, DEPTH = 3, 5


class Thought:
    def __init__(self, word: str = "", parent: Thought | None = None) -> None:
        self.word, self.parent, self.visits, self.reward = word, parent, 0, 0.0
        self.depth = 0 if parent is None else parent.depth + 1
        self.children: list[Thought] = []
        self.last_visit = 0


class Writer:
    """Asks a model for a few continuations of a node, and drops those that are the same."""

    again = False  # whether a node with fewer children than wanted counts as not expanded

    def __init__(self) -> None:
        self.random, self.root, self.iteration = random.Random(1), Thought(), 0

    def is_expanded(self, node: Thought) -> bool:
        return len(node.children) >= (WIDTH if self.again else 1)

    def score(self, node: Thought) -> float:
        if not node.visits or node.parent is None:
            return math.inf
        bonus = math.sqrt(math.log(node.parent.visits) / node.visits)
        return node.reward / node.visits + bonus

    def step(self) -> None:
        self.iteration += 1
        node = self.root
        while self.is_expanded(node):
            node = max(node.children, key=self.score)
        if node.depth < DEPTH:
            words = {self.random.choice("aaabbcd") for _ in range(WIDTH)}
            node.children = [Thought(word, node) for word in sorted(words)]
            node = self.random.choice(node.children)
        self.back_up(node)

    def back_up(self, node: Thought) -> None:
        words = "a" if node.word == "a" else ""
        result = (len(words) + self.random.random()) / 2
        above: Thought | None = node
        while above is not None:
            above.visits += 1
            above.reward += result
            above.last_visit = self.iteration
            above = above.parent


class Again(Writer):
    again = True


class Limited(Writer):
    """Has room for some nodes, and takes out all children of those that it has not come to for longest."""

    room = 40

    def step(self) -> None:
        super().step()
        while len(expanded := self.expanded(self.root)) * WIDTH > self.room:
            min(expanded, key=lambda node: node.last_visit).children = []

    def expanded(self, node: Thought) -> list[Thought]:
        below = [one for child in node.children for one in self.expanded(child)]
        return below + [node] * bool(node.children)


class Dropping(Writer):
    """Takes out the children of a node where all are bad, and asks for others."""

    def step(self) -> None:
        super().step()
        for node in self.below(self.root):
            if node.children and all(
                child.visits and child.reward < 0.4 * child.visits for child in node.children
            ):
                node.children = []

    def below(self, node: Thought) -> list[Thought]:
        return [node, *(one for child in node.children for one in self.below(child))]


def findings(search: Writer, n: int = 600) -> dict[str, mv.Finding]:
    with mv.record(
        root=search.root, children="children", visits="visits", value="reward",
        action="word", players=("writer",), value_range=(0, 1),
    ) as rec:  # fmt: skip
        for _ in rec.steps(search.step, n):
            pass
    return {one.check: one for one in rec.trace.check()}


def test_children_that_are_replaced_are_a_warning_and_explain_the_choices() -> None:
    found = findings(Again())
    assert found[CHECK].severity == "warning"
    assert "fresh ones take their places" in found[CHECK].message
    assert not {"expansion-duplicate", "selection-unexplained", "choice-starved"} & found.keys()


def test_a_node_that_keeps_fewer_children_than_wanted_is_right() -> None:
    found = findings(Writer())
    assert CHECK not in found
    assert {one.severity for one in found.values()} <= {"note"}


@pytest.mark.thorough
def test_children_that_are_taken_out_on_purpose_are_no_warning() -> None:
    for search in (Limited(), Dropping()):
        found = findings(search, 1_500)
        assert any("taken out" in each.message or each.check == CHECK for each in found.values())
        assert {one.severity for one in found.values()} <= {"note"}
