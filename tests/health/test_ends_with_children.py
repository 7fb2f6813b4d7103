"""Nodes at which a search ends though they have children, and a root that is seen late."""

from __future__ import annotations

import math
import random

import mcts_viz as mv


class Slots:
    """A node that has a place for each action from the beginning, whether the game goes on there or not."""

    def __init__(self, depth: int) -> None:
        self.depth, self.visits, self.value = depth, 0, 0.0
        self.children: list[Slots] = []


def test_games_that_end_at_nodes_with_children_are_worth_a_note() -> None:
    draw, root = random.Random(1), Slots(0)
    luck = {}

    def step() -> None:
        path, key = [root], 1
        while True:
            node = path[-1]
            new = not node.children
            if new:
                node.children = [Slots(node.depth + 1) for _ in range(2)]
            if node.depth == 3 or (new and node.visits):  # the game is over after three moves
                break
            log = math.log(max(node.visits, 1))
            best = max(
                node.children,
                key=lambda c: (
                    c.value / c.visits + math.sqrt(log / c.visits) if c.visits else math.inf
                ),
            )
            key = 2 * key + node.children.index(best)
            path.append(best)
            if not best.visits:
                break
        won = luck.setdefault(key, draw.random()) < 0.5
        for each in path:
            each.visits += 1
            each.value += won == (each.depth % 2 == 1)

    with mv.record(
        root=root, children="children", visits="visits", value="value", to_move=lambda node: node.depth % 2,
        value_range=(0, 1),
    ) as rec:  # fmt: skip
        for _ in rec.steps(step, 300):
            pass
    found = [one for one in rec.trace.check() if one.check == "visits-missing"]
    assert [one.severity for one in found] == ["note"]
    assert "Right where the game" in found[0].message


def plain(depth: int | None, *, late: bool = False) -> dict[str, mv.Finding]:
    """Findings of a search of four moves with four choices each, whose selection goes down so many steps.

    late: the recording looks before the root is counted."""
    draw, root = random.Random(1), Slots(0)
    with mv.record(
        root=root, children="children", visits="visits", value="value", to_move=lambda node: node.depth % 2,
        value_range=(0, 1),
    ) as rec:  # fmt: skip
        for _ in range(600):
            path = [root]
            while len(path[-1].children) == 4 and (depth is None or len(path) <= depth):
                log = math.log(path[-1].visits)
                best = max(
                    path[-1].children, key=lambda c: c.value / c.visits + math.sqrt(log / c.visits)
                )
                path.append(best)
            if len(path[-1].children) < 4:
                path[-1].children.append(Slots(path[-1].depth + 1))
                path.append(path[-1].children[-1])
            won = draw.random() < 0.5
            for each in reversed(path):
                if late and each is root:
                    rec.iteration()
                each.visits += 1
                each.value += won == (each.depth % 2 == 1)
            if not late:
                rec.iteration()
    return {one.check: one for one in rec.trace.check()}


def test_a_selection_of_one_step_is_named() -> None:
    found = plain(1)["visits-missing"]
    assert found.severity == "warning"
    assert "the selection takes 1 step and no more" in found.message
    assert "visits-missing" not in plain(None)


def test_a_root_that_is_seen_an_iteration_late_is_a_note() -> None:
    found = plain(None, late=True)["visits-root"]
    assert found.severity == "note"
    assert "an iteration late" in found.message
