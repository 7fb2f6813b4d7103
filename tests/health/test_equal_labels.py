"""Siblings of one name, where names alone say what the moves are."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field

import mcts_viz as mv


@dataclass
class Node:
    text: str = ""
    children: list[Node] = field(default_factory=list)
    n: int = 0
    w: float = 0.0

    @property
    def token(self) -> str | None:
        return self.text[-1:] or None


def notes(*, has_each_once: bool) -> list[str]:
    draw, root = random.Random(1), Node()

    def step() -> None:
        path = [root]
        while path[-1].children:
            log = math.log(path[-1].n)
            new = [child for child in path[-1].children if not child.n]
            path.append(
                new[0]
                if new
                else max(path[-1].children, key=lambda one: one.w / one.n + math.sqrt(log / one.n))
            )
        leaf = path[-1]
        if len(leaf.text) < 5 and (leaf.n or leaf is root):
            drawn = draw.choices("CNO", (6, 2, 1), k=4)
            leaf.children = [
                Node(leaf.text + one) for one in (dict.fromkeys(drawn) if has_each_once else drawn)
            ]
            path.append(leaf.children[0])
        worth = path[-1].text.count("C") / 5
        for node in path:
            node.n += 1
            node.w += worth

    with mv.record(
        root=root, children="children", visits="n", value="w", label="token", players=("chemist",), value_range=(0, 1),
    ) as rec:  # fmt: skip
        for _ in rec.steps(step, 500):
            pass
    findings = rec.trace.check()
    assert [str(one) for one in findings if one.severity != "note"] == []
    return [one.message for one in findings if one.check == "expansion-duplicate"]


def test_tokens_that_are_drawn_again_are_a_note() -> None:
    (words,) = notes(has_each_once=False)
    assert "has two children named" in words


def test_tokens_of_which_each_is_there_once_are_right() -> None:
    assert notes(has_each_once=True) == []
