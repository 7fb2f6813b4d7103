"""Costs, of which the least is best, told with the opposite sign."""

from __future__ import annotations

import itertools
import math
import random

import pytest

import mcts_viz as mv

CITIES = 8


class Node:
    """A tour so far."""

    def __init__(self, tour: tuple[int, ...]) -> None:
        self.tour = tour
        self.children: list[Node] = []
        self.visits, self.cost = 0, 0.0

    @property
    def left(self) -> list[int]:
        return [city for city in range(CITIES) if city not in self.tour]


class Tours:
    """UCT for the shortest tour: the child with the least number is taken, and a bonus is taken off costs. sign: 1
    where it is added."""

    def __init__(self, sign: int, seed: int) -> None:
        self.sign, self.random = sign, random.Random(seed)
        self.at = [(self.random.random(), self.random.random()) for _ in range(CITIES)]
        self.root = Node((0,))

    def length(self, tour: list[int]) -> float:
        return sum(math.dist(self.at[a], self.at[b]) for a, b in itertools.pairwise([*tour, 0]))

    def step(self) -> None:
        path = [self.root]
        while path[-1].left and len(path[-1].children) == len(path[-1].left):
            log = math.log(path[-1].visits)
            path.append(min(
                path[-1].children,
                key=lambda child: child.cost / child.visits + self.sign * 0.7 * math.sqrt(log / child.visits),
            ))  # fmt: skip
        if path[-1].left:
            city = path[-1].left[len(path[-1].children)]
            path[-1].children.append(Node((*path[-1].tour, city)))
            path.append(path[-1].children[-1])
        rest = path[-1].left
        self.random.shuffle(rest)
        cost = self.length([*path[-1].tour, *rest])
        for node in path:
            node.visits, node.cost = node.visits + 1, node.cost + cost


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("sign", [1, -1], ids=["added", "taken off"])
def test_a_bonus_that_is_added_to_costs_is_named(sign: int, seed: int) -> None:
    """Though hardly anything is explored, so that much else would explain the choices, too."""
    search = Tours(sign, seed)
    with mv.record(
        root=search.root, children="children", visits="visits", value=lambda node: -node.cost, players=("salesman",),
        value_range=(-8, 0), selection="ucb1", c=0.7,
    ) as rec:  # fmt: skip
        for _ in rec.steps(search.step, 1500):
            pass
    found = [one for one in rec.trace.check() if one.severity != "note"]
    assert [one.check for one in found] == (["selection-minus"] if sign == 1 else [])
    if found:
        assert "of costs, the least of which is best, it has to be taken off" in found[0].message
