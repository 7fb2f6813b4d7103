"""Searches in which two mistakes of the selection come together, or in which what it goes by was not told."""

from __future__ import annotations

import math
import random

import mcts_viz as mv
from tests.health.test_other_authors import Node, rollout


def test_one_view_with_the_logarithm_of_all_iterations_is_named() -> None:
    draw, root, done = random.Random(2), Node(17, 0), 0

    def step() -> None:
        nonlocal done
        path = [root]
        while path[-1].children:
            log = math.log(max(done, 1))
            path.append(max(path[-1].children, key=lambda c: (
                c.value / c.visits + 1.4 * math.sqrt(log / c.visits) if c.visits else math.inf
            )))  # fmt: skip
        if path[-1].stones:
            path[-1].make_children()
            path.append(draw.choice(path[-1].children))
        won = 1 if rollout(path[-1], draw) == 0 else -1
        for node in path:  # in the view of the player to move at the root
            node.visits += 1
            node.value += won
        done += 1

    with mv.record(
        root=root, children="children", visits="visits", value="value", action="move", to_move="player",
        value_view="root",
    ) as rec:  # fmt: skip
        for _ in rec.steps(step, 400):
            pass
    errors = {one.check: one.message for one in rec.trace.check() if one.severity != "note"}
    assert list(errors) == ["selection-one-view"]
    assert "best for player 0" in errors["selection-one-view"]
    assert "root's visits" in errors["selection-one-view"]


def test_priors_that_were_not_told_are_asked_for() -> None:
    draw, root, luck = random.Random(2), Node(17, 0), random.Random(5)

    def step() -> None:
        path = [root]
        while path[-1].children:
            above = path[-1]
            path.append(max(above.children, key=lambda c: (
                (c.value / c.visits if c.visits else 0) + 1.5 * c.prior * math.sqrt(above.visits) / (1 + c.visits)
            )))  # fmt: skip
        if path[-1].stones:
            path[-1].make_children()
            weights = [luck.random() for _ in path[-1].children]
            for child, weight in zip(path[-1].children, weights):
                child.prior = weight / sum(weights)
        winner = rollout(path[-1], draw)
        for node in path:
            node.visits += 1
            node.value += 1 if node.player != winner else -1

    with mv.record(
        root=root, children="children", visits="visits", value="value", action="move", to_move="player",
        selection="puct", c=1.5,
    ) as rec:  # fmt: skip
        for _ in rec.steps(step, 400):
            pass
    found = {one.check: one for one in rec.trace.check()}
    assert [one.check for one in found.values() if one.severity != "note"] == []
    assert "give prior=" in found["selection-unexplained"].message


def test_expansions_that_go_on_to_a_child_of_before_are_named() -> None:
    """The selection goes down one step; what it comes to is expanded again each time, as in some searches of agents."""
    draw = random.Random(3)

    class Step:
        def __init__(self) -> None:
            self.children: list[Step] = []
            self.visits, self.value = 0, 0.0

    root = Step()

    def step() -> None:
        path = [root]
        if root.children:
            log = math.log(root.visits + 1)
            path.append(max(root.children, key=lambda c: (
                c.value / c.visits + 0.2 * math.sqrt(log / c.visits) if c.visits else math.inf
            )))  # fmt: skip
        path[-1].children += [Step() for _ in range(3)]
        path.append(draw.choice(path[-1].children))
        mark = draw.random()
        for node in path:
            node.visits += 1
            node.value += mark

    with mv.record(
        root=root, children="children", visits="visits", value="value", players=("agent",), value_range=(0, 1),
    ) as rec:  # fmt: skip
        for _ in rec.steps(step, 300):
            pass
    messages = [one.message for one in rec.trace.check() if one.check == "selection-unexplained"]
    assert len(messages) == 1
    assert "an expansion goes on to a child that was there before" in messages[0]
