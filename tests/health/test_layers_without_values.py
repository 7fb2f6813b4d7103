"""Searches of two layers: actions with visits and values, and below them states, which only count."""

from __future__ import annotations

import math
import random

import mcts_viz as mv


class Layer:
    def __init__(self, keeps: bool) -> None:
        self.children: dict[int, Layer] = {}
        self.visits = 0
        self.value: float | None = 0.0 if keeps else None


def recorded() -> mv.Trace:
    draw, root = random.Random(1), Layer(False)

    def step() -> None:
        path, state = [root], root
        for _ in range(4):
            if not state.children:
                state.children = {action: Layer(True) for action in range(3)}
            log = math.log(max(state.visits, 1))
            tried = {a: each for a, each in state.children.items() if each.visits}
            action = (
                max(
                    tried,
                    key=lambda a: (
                        (tried[a].value or 0) / tried[a].visits + math.sqrt(log / tried[a].visits)
                    ),
                )
                if len(tried) == 3
                else next(a for a in state.children if a not in tried)
            )
            edge = state.children[action]
            new = not edge.children
            state = edge.children.setdefault(0, Layer(False))
            path += [edge, state]
            if new:
                break
        result = draw.random()
        for each in path:
            each.visits += 1
            each.value = None if each.value is None else each.value + result

    with mv.record(
        root=root, children="children", visits="visits", value="value", players=("agent",), value_range=(0, 1)
    ) as rec:  # fmt: skip
        for _ in rec.steps(step, 300):
            pass
    return rec.trace


def test_nodes_that_keep_no_value_are_not_compared_with_those_that_do() -> None:
    found = recorded().check()
    assert [one.check for one in found if one.severity != "note"] == []


def test_the_expected_line_has_no_mean_where_none_is_kept() -> None:
    why = recorded().explain()
    assert [step.mean is None for step in why.line[:4]] == [False, True, False, True]
    assert "nan" not in str(why)


def test_a_move_that_only_counts_is_said_to_have_no_value() -> None:
    root = Layer(False)
    root.children = {0: Layer(False), 1: Layer(False)}
    with mv.record(
        root=root, children="children", visits="visits", value="value", players=("agent",)
    ) as rec:
        for number in (0, 1, 0):
            root.visits += 1
            root.children[number].visits += 1
            rec.iteration()
    assert "The search keeps no value for it" in str(rec.trace.explain())
