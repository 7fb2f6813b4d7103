"""Trees of proofs: a tactic is a way to prove a goal, and all its subgoals are searched at once."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest

import mcts_viz as mv


class Goal:
    """A number that is to be split up until all its parts are small."""

    def __init__(self, number: int) -> None:
        self.number, self.visits, self.value = number, 0, 0.0
        self.children: list[Tactic] | None = None


class Tactic:
    def __init__(self, parts: tuple[int, ...]) -> None:
        self.parts, self.visits, self.value = parts, 0, 0.0
        self.children = [Goal(part) for part in parts]


class Prover:
    """What a tactic is worth is the product of what its subgoals are."""

    def __init__(self, number: int, seed: int) -> None:
        self.random, self.root = random.Random(seed), Goal(number)

    def choose(self, goal: Goal) -> Tactic:
        def score(tactic: Tactic) -> float:
            if tactic.visits == 0:
                return math.inf
            return tactic.value / tactic.visits + math.sqrt(math.log(goal.visits) / tactic.visits)

        assert goal.children is not None
        return max(goal.children, key=score)

    def expand(self, goal: Goal) -> None:
        splits = range(2, goal.number - 1)
        parts = self.random.sample(splits, min(3, len(splits)))
        goal.children = [Tactic((part, goal.number - part)) for part in parts]

    def search(self, goal: Goal) -> float:
        if goal.children is None:
            self.expand(goal)
            value = self.random.uniform(0.2, 0.8)
        elif not goal.children:
            value = 1.0
        else:
            tactic, value = self.choose(goal), 1.0
            for part in tactic.children:
                value *= self.search(part)
            tactic.visits, tactic.value = tactic.visits + 1, tactic.value + value
        goal.visits, goal.value = goal.visits + 1, goal.value + value
        return value


def proof(prover: Prover, iterations: int = 400) -> mv.Trace:
    told: dict[str, Any] = {"players": ("prover",), "value_range": (0, 1)}
    with mv.record(root=prover.root, children="children", visits="visits", value="value", **told) as rec:  # fmt: skip
        for _ in rec.steps(lambda: prover.search(prover.root), iterations):
            pass
    return rec.trace


@pytest.mark.thorough
def test_subgoals_that_are_searched_at_once_are_a_note() -> None:
    found = proof(Prover(1_001, 1)).check()
    assert [str(one) for one in found if one.severity != "note"] == []
    (said,) = [one.message for one in found if one.check == "visits-off-path"]
    assert "all children of some nodes, as to all subgoals of a tactic" in said


def test_visits_of_one_subgoal_that_is_not_on_the_path_are_an_error() -> None:
    class Astray(Prover):
        """Now and then a subgoal of another tactic is counted, too."""

        def search(self, goal: Goal) -> float:
            value = super().search(goal)
            others = goal.children or []
            if others and others[0].visits and self.random.random() < 0.1:
                others[0].children[0].visits += 1
            return value

    found = proof(Astray(1_001, 1), 150).check()
    assert ("visits-off-path", "error") in {(one.check, one.severity) for one in found}
