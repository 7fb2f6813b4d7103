"""A judge's scores that an integer division cuts to 0 and 1."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import pytest

import mcts_viz as mv
from tests.variants import few

WORTH = (3, 2, 2, 1, 0, -2)  # of each change to a draft
MOST = 4  # changes


class Draft:
    def __init__(self, changes: list[int], parent: Draft | None = None) -> None:
        self.changes, self.parent, self.children = changes, parent, list[Draft]()
        self.untried = [] if len(changes) == MOST else list(set(range(len(WORTH))) - set(changes))
        self.visits, self.value, self.marks = 0, 0.0, float("nan")
        self.result: float | None = None


class Judged:
    """UCT over changes to a draft; a judge gives 0 to 10."""

    def __init__(self, to_value: Callable[[float], float], seed: int) -> None:
        self.to_value, self.random, self.root = to_value, random.Random(seed), Draft([])
        self.is_steady = False  # whether a whole draft is judged once

    def judge(self, draft: Draft) -> float:
        marks = 1 + sum(WORTH[each] for each in draft.changes) + self.random.gauss(0, 0.7)
        draft.marks = max(0, min(10, round(marks)))
        return self.to_value(draft.marks)

    def step(self) -> None:
        node = self.root
        while not node.untried and node.children:
            node = max(node.children, key=self.score)
        if node.untried:
            change = node.untried.pop(self.random.randrange(len(node.untried)))
            node.children.append(Draft([*node.changes, change], node))
            node = node.children[-1]
        value, at = self.judge(node) if node.result is None else node.result, node
        if self.is_steady and len(node.changes) == MOST:
            node.result = value
        while at is not None:
            at.visits, at.value, at = at.visits + 1, at.value + value, at.parent  # type: ignore[assignment]

    def score(self, child: Draft) -> float:
        assert child.parent is not None
        return child.value / child.visits + math.sqrt(math.log(child.parent.visits) / child.visits)


def notes(
    to_value: Callable[[float], float], seed: int = 1, kind: type[Judged] = Judged, **told: Any
) -> list[mv.Finding]:
    search = kind(to_value, seed)
    search.is_steady = "outcome" in told
    with mv.record(
        root=search.root, children="children", visits="visits", value="value", players=("writer",),
        action=lambda node: node.changes[-1] if node.changes else None, value_range=(0, 1), **told,
    ) as rec:  # fmt: skip
        for _ in rec.steps(search.step, 600):
            pass
    found = rec.trace.check()
    assert not [one for one in found if one.severity != "note"]
    return [one for one in found if one.check == "value-fraction"]


@pytest.mark.parametrize("seed", few([1, 2]))
@pytest.mark.parametrize(
    "cut", [lambda marks: marks // 10, lambda marks: int(marks / 10), lambda marks: marks == 10]
)
def test_scores_that_are_cut_to_whole_numbers_are_a_note(
    cut: Callable[[float], float], seed: int
) -> None:
    (one,) = notes(cut, seed)
    assert "worth exactly 0" in one.message
    assert "integer division" in one.message


def test_so_it_is_beside_the_scores_that_were_told() -> None:
    (one,) = notes(lambda marks: marks // 10, evaluation="marks")
    assert "its whole part when divided by 10" in one.message


def test_scores_with_their_fractions_are_right() -> None:
    assert notes(lambda marks: marks / 10) == []
    assert notes(lambda marks: marks / 10, evaluation="marks") == []


def test_results_of_finished_games_are_left_alone() -> None:
    """What counts is at the end, and told as its result."""
    assert notes(lambda marks: marks // 10, outcome=lambda node: node.result) == []


class Solved(Judged):
    """One that is over where 10 is reached, and judged once."""

    def judge(self, draft: Draft) -> float:
        if draft.result is None:
            draft.result = super().judge(draft)
        if draft.result == 1:
            draft.untried = []
        return draft.result


def test_a_task_that_is_over_where_it_is_solved_is_left_alone() -> None:
    assert notes(lambda marks: marks // 10, kind=Solved) == []


def test_a_half_is_between() -> None:
    assert notes(lambda marks: round(marks / 5) / 2) == []
