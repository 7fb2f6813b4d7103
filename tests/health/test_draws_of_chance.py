"""Draws of chance where an iteration adds several visits: all children of a leaf are evaluated, a leaf gets several
rollouts, or a batch has several descents."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field
from typing import Any

import pytest

import mcts_viz as mv
from tests.variants import few

TOLD = (0.5, 0.3, 0.2)  # probabilities of the events


@dataclass
class Node:
    depth: int
    event: int = 0
    prior: float | None = None
    moves: str = ""  # made so far, without what chance has drawn
    visits: int = 0
    value: float = 0.0
    children: list[Node] = field(default_factory=list)

    @property
    def is_chance(self) -> bool:
        return self.depth % 2 == 1

    def grow(self) -> None:
        """Two moves and one more after the likeliest event, or three events."""
        told = TOLD if self.is_chance else [None] * (2 + 2 * (self.event == 0))
        self.children = [
            Node(self.depth + 1, i, p, self.moves if self.is_chance else f"{self.moves}{i}")
            for i, p in enumerate(told)
        ]


class Search:
    """UCT. `together`: all children of a leaf are evaluated; `drawn`: with these probabilities; `apart`: a batch leaves
    out a leaf that it has."""

    def __init__(
        self, seed: int, batch: int = 1, rollouts: int = 1, together: bool = False, drawn: Any = TOLD,
        apart: bool = False,
    ) -> None:  # fmt: skip
        self.random, self.root = random.Random(seed), Node(0)
        self.batch, self.rollouts, self.together = batch, rollouts, together
        self.drawn, self.apart = drawn, apart

    def path(self) -> list[Node]:
        path = [self.root]
        while path[-1].children:
            node = path[-1]
            if node.is_chance:
                path.append(self.random.choices(node.children, self.drawn)[0])
            else:
                log = math.log(node.visits + 1)
                path.append(
                    max(
                        node.children,
                        key=lambda one: (
                            (one.value + 1) / (one.visits + 1) + math.sqrt(log / (one.visits + 1))
                        ),
                    )
                )
        if path[-1].visits and path[-1].depth < 8 and not self.together:
            path[-1].grow()
            path.append(path[-1].children[0] if not path[-1].is_chance else
                        self.random.choices(path[-1].children, self.drawn)[0])  # fmt: skip
        return path

    def step(self) -> int:
        taken: list[list[Node]] = []
        for _ in range(self.batch):
            path = self.path()
            for node in path:
                node.visits += 1  # a virtual loss
            taken.append(path)
        for path in taken:
            for node in path:
                node.visits -= 1
        n = 0
        seen: set[int] = set()
        for path in taken:
            if self.apart and id(path[-1]) in seen:
                continue
            seen.add(id(path[-1]))
            n += self.evaluate(path)
        return n

    def evaluate(self, path: list[Node]) -> int:
        leaf, ends = path[-1], [path[-1:]]
        if self.together and leaf.depth < 8 and not leaf.children:
            leaf.grow()
            ends = [[child] for child in leaf.children]
        above = path if self.together and leaf.depth < 8 else path[:-1]
        for end in ends:
            for _ in range(self.rollouts):
                value = self.random.random()
                for node in (*above, *end):
                    node.visits += 1
                    node.value += value
        return len(ends) * self.rollouts


def alarms(n: int = 600, **told: Any) -> list[mv.Finding]:
    search = Search(**told)
    with mv.record(
        root=search.root, children="children", visits="visits", value="value", prior="prior",
        chance="is_chance", players=("one",), value_range=(0, 1),
    ) as rec:  # fmt: skip
        for _ in range(n):
            rec.iteration(leaves=search.step())
    return [one for one in rec.trace.check() if one.check.startswith("chance-")]


KINDS: list[dict[str, Any]] = [
    {"together": True}, {"rollouts": 6}, {"batch": 6}, {"batch": 4, "together": True},
    {"batch": 4, "rollouts": 3},
]  # fmt: skip


@pytest.mark.parametrize("seed", few([1, 2, 3, 4, 5]))
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_visits_that_are_no_draws_are_no_alarm(kind: dict[str, Any], seed: int) -> None:
    assert not alarms(seed=seed, **kind)


@pytest.mark.thorough
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_draws_by_other_probabilities_are_named(kind: dict[str, Any]) -> None:
    (found,) = alarms(seed=1, drawn=(1, 1, 1), **kind)
    assert (found.check, found.severity) == ("chance-frequencies", "warning")
    assert "draws, and" in found.message


@pytest.mark.thorough
@pytest.mark.parametrize("together", [False, True])
def test_batches_that_leave_out_what_they_have_are_no_alarm(together: bool) -> None:
    found = alarms(seed=1, batch=16, together=together, apart=True)
    assert {one.severity for one in found} <= {"note"}
    assert all("leaf of the batch again" in one.message for one in found)


@pytest.mark.parametrize("seed", [1, 2])
def test_what_was_thrown_need_not_show_in_the_position(seed: int) -> None:
    search = Search(seed=seed)
    with mv.record(
        root=search.root, children="children", visits="visits", value="value", chance="is_chance", state="moves",
        players=("one",), value_range=(0, 1),
    ) as rec:  # fmt: skip
        for _ in rec.steps(search.step, 600):
            pass
    assert "expansion-equal-states" not in {one.check for one in rec.trace.check()}
