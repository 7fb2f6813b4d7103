"""The best node of the whole tree, or the best leaf, in place of the best child level by level."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest

import mcts_viz as mv


class Thought:
    def __init__(self, score: float, parent: Thought | None = None) -> None:
        self.score, self.parent = score, parent
        self.children: list[Thought] = []
        self.visits, self.total = 0, 0.0

    def bound(self, c: float) -> float:
        assert self.parent is not None
        return self.total / self.visits + c * math.sqrt(math.log(self.parent.visits) / self.visits)

    def all_below(self) -> list[Thought]:
        return [node for child in self.children for node in (child, *child.all_below())]


def taken(root: Thought, how: str, c: float) -> Thought:
    if how == "level by level":
        node = root
        while node.children:
            node = max(node.children, key=lambda child: child.bound(c))
        return node
    nodes = [node for node in root.all_below() if how == "nodes" or not node.children]
    return max(nodes, key=lambda node: node.bound(c), default=root)


def checks(how: str, width: int, seed: int = 1, **told: Any) -> dict[str, mv.Finding]:
    """Each iteration expands one node, and marks its new children."""
    draw, root, c = random.Random(seed), Thought(0.5), 0.8
    with mv.record(
        root=root, children="children", visits="visits", value="total", players=("agent",), value_range=(0, 1), **told
    ) as rec:  # fmt: skip
        for _ in range(200):
            node = taken(root, how, c)
            for _ in range(width):
                child = Thought(min(1.0, max(0.0, draw.gauss(node.score, 0.15))), node)
                node.children.append(child)
                above: Thought | None = child
                while above is not None:
                    above.visits += 1
                    above.total += child.score
                    above = above.parent
            rec.iteration(**({"leaves": width} if width > 1 else {}))
    return {one.check: one for one in rec.trace.check() if one.check.startswith("selection")}


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(("how", "words"), [("nodes", "of all nodes"), ("leaves", "no children")])
def test_the_best_of_the_whole_tree_is_named(how: str, words: str, seed: int) -> None:
    found = checks(how, 3, seed, selection="ucb1", c=0.8)
    one = found["selection-whole-tree"]
    assert one.severity == "error"
    assert words in one.message
    assert "not the best child level by level" in one.message


def test_best_first_search_may_be_meant() -> None:
    one = checks("leaves", 3)["selection-whole-tree"]
    assert one.severity == "note"
    assert "best-first search of the whole tree is meant" in one.message


@pytest.mark.parametrize("told", [{}, {"selection": "ucb1", "c": 0.8}])
def test_the_best_child_of_each_level_is_right(told: dict[str, Any]) -> None:
    found = checks("level by level", 3, **told)
    assert [one.check for one in found.values() if one.severity != "note"] == []
    assert "selection-whole-tree" not in found
