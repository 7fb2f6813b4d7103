"""Values that follow from the children's, as soft maxima do, and lie beyond the range of results."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field

import mcts_viz as mv

DEPTH, MOVES, HEAT = 5, 3, 0.4


@dataclass
class Node:
    path: tuple[int, ...] = ()
    children: list[Node] = field(default_factory=list)
    n: int = 0
    v: float = 0.0


def reward(path: tuple[int, ...]) -> float:
    return random.Random(str(path)).random()


def checked(*, is_soft: bool) -> list[mv.Finding]:
    """is_soft: else each node keeps a mean of what came back, and forgets half of it now and then."""
    draw, root = random.Random(1), Node()

    def gain(child: Node) -> float:
        return reward(child.path) + child.v

    def step() -> None:
        path = [root]
        while path[-1].children:
            path.append(draw.choice(path[-1].children))
        leaf = path[-1]
        if len(leaf.path) < DEPTH and leaf.n:
            leaf.children = [Node((*leaf.path, move)) for move in range(MOVES)]
        rest = sum(
            reward((*leaf.path, *[draw.randrange(MOVES)] * k))
            for k in range(1, DEPTH - len(leaf.path) + 1)
        )
        for node in reversed(path):
            node.n += 1
            if node.children and is_soft:
                node.v = HEAT * math.log(
                    sum(math.exp(gain(child) / HEAT) for child in node.children)
                )
            elif node is leaf or not is_soft:
                node.v += (rest - node.v) / (node.n if is_soft or node.n % 5 else 2)
            rest += reward(node.path)

    with mv.record(root=root, children="children", visits="n", value="v", value_kind="mean") as rec:
        for _ in rec.steps(step, 900):
            pass
    return rec.trace.check()


def test_values_that_follow_from_the_children_are_a_note() -> None:
    findings = checked(is_soft=True)
    assert [str(one) for one in findings if one.severity != "note"] == []
    (one,) = (one for one in findings if one.check == "value-backup")
    assert "follows from its children's, and is no mean" in one.message


def test_means_that_are_updated_wrongly_do_not_follow() -> None:
    findings = checked(is_soft=False)
    assert not any("follows from its children" in one.message for one in findings)
    assert [one for one in findings if one.severity == "error"] != []
