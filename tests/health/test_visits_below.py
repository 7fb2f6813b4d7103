"""Visits that count what was made below a node, as refinements of an answer (MCTSr); and a back-up that begins at the
parent of the new node, by mistake."""

from __future__ import annotations

import math
import random

import pytest

import mcts_viz as mv


class Answer:
    def __init__(self, text: str, parent: Answer | None) -> None:
        self.text, self.parent, self.children = text, parent, list[Answer]()
        self.visits, self.Q = 0, 0.0


class Refining:
    """Answers are marked when they are made, and have a visit for each refinement below them."""

    def __init__(self, words: int) -> None:
        """words: how many different refinements there are; few are made again and again."""
        self.random, self.words = random.Random(1), words
        self.root = Answer("the first draft", None)
        self.mark(self.root)
        self.open = [self.root]

    def mark(self, node: Answer) -> float:
        node.Q = self.random.gauss(40.0, 20.0)
        return node.Q

    def step(self) -> None:
        node = max(self.open, key=self.urgency)
        child = Answer(f"{node.text[-10:]}, then {self.random.randrange(self.words)}", node)
        node.children.append(child)
        self.open.append(child)
        if len(node.children) == 3:
            self.open.remove(node)
        self.back_up(child, self.mark(child))

    def urgency(self, node: Answer) -> float:
        if node.parent is None:
            return math.inf
        return node.Q + 20.0 * math.sqrt(math.log(node.parent.visits + 1) / (node.visits + 1))

    def back_up(self, child: Answer, mark: float) -> None:
        node = child.parent
        while node is not None:
            node.visits += 1
            self.value(node, mark)
            node = node.parent

    def value(self, node: Answer, mark: float) -> None:
        node.Q = (node.Q + max(each.Q for each in node.children)) / 2


class OwnAndBest(Refining):
    """The mean of an answer's own mark and of the best below it."""

    def mark(self, node: Answer) -> float:
        OWN[id(node)] = super().mark(node)
        return node.Q

    def value(self, node: Answer, mark: float) -> None:
        node.Q = 0.3 * OWN[id(node)] + 0.7 * max(each.Q for each in node.children)


OWN: dict[int, float] = {}


class FromParent(Refining):
    """A mistake: the mark of a new answer is added to the means above it, and not to itself."""

    def mark(self, node: Answer) -> float:
        return self.random.gauss(40.0, 20.0)

    def value(self, node: Answer, mark: float) -> None:
        node.Q += (mark - node.Q) / node.visits


def findings(kind: type[Refining], words: int = 10**6) -> list[mv.Finding]:
    search = kind(words)
    watched = mv.record(
        root=search.root, children="children", visits="visits", value="Q", value_kind="mean", players=("agent",),
        value_range=(-60, 140), selection="mctsr", documents=lambda node: {"answer": node.text},
    )  # fmt: skip
    with watched as recording:
        for _ in recording.steps(search.step, 300):
            pass
    return recording.trace.check()


@pytest.mark.parametrize("kind", [Refining, OwnAndBest])
def test_visits_may_count_what_was_made_below(kind: type[Refining]) -> None:
    found = findings(kind)
    assert [str(one) for one in found if one.severity != "note"] == []
    (leaf,) = (one for one in found if one.check == "visits-leaf")
    assert "Right where visits count what was made below a node" in leaf.message


def test_a_back_up_of_means_that_begins_at_the_parent_is_an_error() -> None:
    (leaf,) = (one for one in findings(FromParent) if one.check == "visits-leaf")
    assert leaf.severity == "error"


def test_an_answer_may_come_again_unless_it_is_always_the_same() -> None:
    severity = {}
    for words in (25, 4, 1):
        (again,) = (one for one in findings(Refining, words) if one.check == "record-duplicate")
        severity[words] = again.severity
    assert severity == {25: "note", 4: "note", 1: "warning"}
