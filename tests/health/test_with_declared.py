"""Choices that a mistake explains with the declared c, and the declared rule only with quite another one."""

from __future__ import annotations

import math
import random

import mcts_viz as mv


class Plan:
    """A plan of three steps with six choices each, whose rewards differ little."""

    def __init__(self, steps: int = 0, parent: Plan | None = None) -> None:
        self.steps, self.parent = steps, parent
        self.children: list[Plan] = []
        self.visits, self.value = 0, 0.0  # a running mean


def by_mean(plan: Plan, c: float) -> float:
    assert plan.parent is not None
    return plan.value + c * math.sqrt(math.log(plan.parent.visits) / plan.visits)


def divided_again(plan: Plan, c: float) -> float:
    assert plan.parent is not None
    return plan.value / plan.visits + c * math.sqrt(math.log(plan.parent.visits) / plan.visits)


def searched(score: object, c: float, declared: float = 1.4, seed: int = 1) -> list[mv.Finding]:
    """Findings about the choices, notes aside."""
    assert callable(score)
    rng, root = random.Random(seed), Plan()
    with mv.record(
        root=root, children="children", visits="visits", value="value", value_kind="mean",
        value_range=(0, 1), players=("agent",), selection="ucb1", c=declared,
    ) as rec:  # fmt: skip
        for _ in range(400):
            node = root
            while node.children:
                new = [one for one in node.children if not one.visits]
                node = new[0] if new else max(node.children, key=lambda one: score(one, c))
            if (node.visits or node is root) and node.steps < 3:
                node.children = [Plan(node.steps + 1, node) for _ in range(6)]
                node = node.children[0]
            reward, at = rng.uniform(0.0, 0.5), node
            while at is not None:
                at.visits += 1
                at.value += (reward - at.value) / at.visits
                at = at.parent  # type: ignore[assignment]
            rec.iteration()
    found = [one for one in rec.trace.check() if one.check.startswith("selection-")]
    return [one for one in found if one.severity != "note"]


def test_a_mistake_with_the_declared_c_is_named_where_any_great_c_explains_the_choices() -> None:
    (one,) = searched(divided_again, 1.4)
    assert (one.check, one.severity) == ("selection-divided-twice", "error")
    assert "with that c, this explains all" in one.message
    assert (
        "divided by the visits once more (or c is another one in the code: UCB1, with c ≥ "
        in one.message
    )
    assert one.iteration is not None


def test_means_with_the_declared_c_are_right() -> None:
    assert searched(by_mean, 1.4) == []


def test_a_c_that_is_not_far_from_the_declared_one_is_named_as_such() -> None:
    """It leaves the choices to visits, as the mistake does."""
    for c, declared in ((0.2, 1.4), (5.0, 1.4), (50.0, 8.0)):
        (one,) = searched(by_mean, c, declared)
        assert one.check == "selection-not-declared"
