"""Progressive widening by a node's own visits, which is right, and by the visits of the root, which is not."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field

import pytest

import mcts_viz as mv
from tests.variants import few


@dataclass
class Angle:
    """A chain of three turns by any angle; the nearer the sum is to 2, the better."""

    turn: float = 0.0
    total: float = 0.0
    depth: int = 0
    visits: int = 0
    value: float = 0.0
    children: list[Angle] = field(default_factory=list)


class Turns:
    def __init__(self, seed: int, of_root: bool, k: float = 1.2, alpha: float = 0.5) -> None:
        self.random, self.of_root, self.k, self.alpha = random.Random(seed), of_root, k, alpha
        self.root = Angle()

    def may_grow(self, node: Angle) -> bool:
        n = self.root.visits if self.of_root else node.visits
        return len(node.children) < self.k * max(n, 1) ** self.alpha

    def step(self) -> None:
        path = [self.root]
        while path[-1].depth < 3:
            node = path[-1]
            if self.may_grow(node):
                turn = self.random.uniform(-1, 1)
                node.children.append(Angle(turn, node.total + turn, node.depth + 1))
                path.append(node.children[-1])
                break
            log = math.log(node.visits)
            path.append(
                max(
                    node.children,
                    key=lambda one: one.value / one.visits + 0.7 * math.sqrt(log / one.visits),
                )
            )
        total, depth = path[-1].total, path[-1].depth
        while depth < 3:
            total, depth = total + self.random.uniform(-1, 1), depth + 1
        for node in path:
            node.visits, node.value = node.visits + 1, node.value + math.exp(-abs(2 - total))


def widening(search: Turns, n: int = 1_500) -> list[mv.Finding]:
    with mv.record(
        root=search.root, children="children", visits="visits", value="value", action="turn",
        players=("archer",), value_range=(0, 1),
    ) as rec:  # fmt: skip
        for _ in rec.steps(search.step, n):
            pass
    found = rec.trace.check()
    return [one for one in found if one.check in ("selection-widening", "selection-untried")]


@pytest.mark.parametrize("seed", few([1, 2]))
@pytest.mark.parametrize(("k", "alpha"), [(1.2, 0.5), (2.0, 0.35)])
def test_widening_by_the_visits_of_the_root_is_a_warning(seed: int, k: float, alpha: float) -> None:
    (one,) = widening(Turns(seed, True, k, alpha))
    assert (one.check, one.severity) == ("selection-widening", "warning")
    assert one.message.startswith("progressive widening by the wrong count")
    assert one.evidence["slope"] == pytest.approx(alpha, abs=0.1)


@pytest.mark.parametrize("seed", few([1, 2]))
@pytest.mark.parametrize(("k", "alpha"), [(1.2, 0.5), (2.0, 0.35)])
def test_widening_by_a_node_s_own_visits_is_right(seed: int, k: float, alpha: float) -> None:
    (one,) = widening(Turns(seed, False, k, alpha))
    assert (one.check, one.severity) == ("selection-widening", "note")
    assert "wrong count" not in one.message


class HalfTheVisits(Turns):
    """`n ** 1 / 2`, which is meant to be a root."""

    def may_grow(self, node: Angle) -> bool:
        return len(node.children) < max(node.visits, 2) ** 1 / 2


@pytest.mark.thorough
def test_children_that_grow_as_the_visits_do_are_said_to_teach_nothing() -> None:
    (one,) = widening(HalfTheVisits(1, False))
    assert one.check == "selection-widening"
    assert "They grow as the visits do" in one.message
    (one,) = widening(Turns(1, False))
    assert "They grow as the visits do" not in one.message


class Irregular(Turns):
    """Children come by chance, and one node below the root gets nearly all of them."""

    def may_grow(self, node: Angle) -> bool:
        if not node.children:
            return True
        if node is self.root:
            return len(node.children) < 2
        favourite = node is self.root.children[0]
        return self.random.random() < (0.1 if favourite else 0.001)


def test_children_of_one_node_alone_say_nothing_of_the_count() -> None:
    (one,) = widening(Irregular(1, False))
    assert (one.check, one.severity) == ("selection-untried", "note")


class FromBefore(Turns):
    """Each angle begins with four visits of what it seems to be worth, which do not count for widening."""

    GIVEN = 4

    def may_grow(self, node: Angle) -> bool:
        seen = node.visits - (0 if node is self.root else self.GIVEN)
        return len(node.children) < self.k * max(seen, 1) ** self.alpha

    def step(self) -> None:
        path = [self.root]
        while path[-1].depth < 3 and (len(path) < 2 or path[-1].visits > self.GIVEN):
            node = path[-1]
            while self.may_grow(node):
                turn = self.random.uniform(-1, 1)
                child = Angle(turn, node.total + turn, node.depth + 1, self.GIVEN)
                child.value = self.GIVEN * math.exp(-abs(2 - child.total))
                node.children.append(child)
            path.append(self.best(node))
        for node in path:
            node.visits, node.value = (
                node.visits + 1,
                node.value + math.exp(-abs(2 - path[-1].total)),
            )

    def best(self, node: Angle) -> Angle:
        log = math.log(max(node.visits, 1))
        return max(
            node.children,
            key=lambda one: one.value / one.visits + 0.7 * math.sqrt(log / one.visits),
        )


@pytest.mark.parametrize("seed", few([1, 2]))
def test_visits_that_nodes_begin_with_may_not_count(seed: int) -> None:
    (one,) = widening(FromBefore(seed, False))
    assert (one.check, one.severity) == ("selection-widening", "note")
