"""Discounts where chance answers to each move: once a step, or at the move and at the answer."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest

import mcts_viz as mv

GAMMA, DEEPEST = 0.9, 12


class Place:
    """A place on a line, or the move made there, whose length chance decides; the prize is at 5."""

    def __init__(
        self, at: int, move: int = 0, is_chance: bool = False, reward: float = 0.0
    ) -> None:
        self.at, self.move, self.is_chance, self.reward = at, move, is_chance, reward
        self.visits, self.value = 0, 0.0
        self.children: dict[int, Place] = {}


class Line:
    def __init__(self, seed: int, of_move: float, of_chance: float) -> None:
        """of_move, of_chance: discounts at the edges into and out of a node of chance."""
        self.random, self.root = random.Random(seed), Place(0)
        self.of_move, self.of_chance = of_move, of_chance

    def roll(self, node: Place) -> Place:
        at = node.at + node.move * self.random.choice((0, 1, 1))
        return node.children.setdefault(at, Place(at, at, False, float(at == 5)))

    def visit(self, node: Place, depth: int) -> float:
        gained = self.worth(node, depth)
        node.visits, node.value = node.visits + 1, node.value + gained
        return gained

    def worth(self, node: Place, depth: int) -> float:
        if node.is_chance:
            child = self.roll(node)
            return child.reward + self.of_chance * self.visit(child, depth + 1)
        if node.at == 5 or depth >= DEEPEST:
            return 0.0
        if not node.children:
            node.children = {move: Place(node.at, move, True) for move in (-1, 1, 2)}
            return self.random.random() * 0.5
        log = math.log(node.visits)

        def score(child: Place) -> float:
            if not child.visits:
                return math.inf
            return child.value / child.visits + 0.7 * math.sqrt(log / child.visits)

        return self.of_move * self.visit(max(node.children.values(), key=score), depth)


def notes(of_move: float, of_chance: float, **told: Any) -> list[mv.Finding]:
    search = Line(1, of_move, of_chance)
    with mv.record(
        root=search.root, children="children", visits="visits", value="value", action="move",
        chance="is_chance", players=("walker",), value_range=(0, 1), step_rewards=True, **told,
    ) as rec:  # fmt: skip
        for _ in rec.steps(lambda: search.visit(search.root, 0), 1_000):
            pass
    return [one for one in rec.trace.check() if one.check.startswith("value-")]


TOLD = ({}, {"reward": "reward"}, {"reward": "reward", "discount": GAMMA})


@pytest.mark.parametrize("told", TOLD, ids=["nothing told", "rewards told", "discount told"])
def test_a_discount_at_both_edges_of_a_step_is_a_note(told: dict[str, Any]) -> None:
    (one,) = notes(GAMMA, GAMMA, **told)
    assert (one.check, one.severity) == ("value-discount", "note")
    assert "γ = 0.9 is applied twice a step" in one.message


@pytest.mark.thorough
@pytest.mark.parametrize("told", TOLD, ids=["nothing told", "rewards told", "discount told"])
@pytest.mark.parametrize("where", [(GAMMA, 1.0), (1.0, GAMMA)], ids=["move", "chance"])
def test_a_discount_once_a_step_is_right(where: tuple[float, float], told: dict[str, Any]) -> None:
    assert notes(*where, **told) == []


def test_no_discount_is_right() -> None:
    assert notes(1.0, 1.0, reward="reward") == []
