"""Simulations that all begin in one hidden state."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import pytest

import mcts_viz as mv
from mcts_viz.health.hidden_states import StatesOfBelief, states_of
from mcts_viz.recording.beliefs import belief_of
from tests.recording.belief_searches import POMCP_FIELDS, Act, Belief, Pomcp


class Listening(Pomcp):
    """Listens often, whatever it expects of an open door."""

    def _score(self, node: Belief, act: Act) -> float:
        if act.name != "listen" and act.num_visits > 20:
            return -math.inf
        return super()._score(node, act)


class OneState(Listening):
    """The state is drawn before the loop."""

    def __init__(self) -> None:
        super().__init__()
        self.state = self.root.particles[0]

    def step(self) -> None:
        self._simulate(self.state, self.root, 0)


class Known(Listening):
    """The root is sure; below it, so is everything."""

    def __init__(self) -> None:
        super().__init__()
        self.root.particles = [self.root.particles[0]] * 200


class Revealed(Listening):
    """Who listens hears where the tiger is: after each observation there is one state."""

    def _world(self, state: str, act: str) -> tuple[str, str, float, bool]:
        after, seen, reward, over = super()._world(state, act)
        return after, seen if over else f"hear {state}", reward, over


def found(search: Pomcp, **more: Any) -> dict[str, mv.Finding]:
    with mv.record(root=search.root, **{**POMCP_FIELDS, **more}) as rec:
        for _ in rec.steps(search.step, 400):
            pass
    return {one.check: one for one in rec.trace.check()}


def test_a_state_that_is_drawn_once_for_all_simulations_is_named() -> None:
    one = found(OneState())["particle-one-state"]
    assert one.severity == "warning"
    assert "drawn once for all simulations" in one.message


def test_of_weights_it_is_a_note() -> None:
    def weights(node: Belief | Act) -> dict[str, int] | None:
        return dict(Counter(node.particles)) if node.particles else None

    assert found(OneState(), belief=weights)["particle-one-state"].severity == "note"


@pytest.mark.parametrize("kind", [Pomcp, Listening, Known, Revealed])
def test_beliefs_below_a_root_that_is_simulated_from_are_right(kind: type[Pomcp]) -> None:
    assert "particle-one-state" not in found(kind())


@pytest.mark.parametrize(
    ("belief", "states"),
    [
        (["a", "b", "b", "b"], StatesOfBelief(4, {"b": 0.75, "a": 0.25}, True)),
        ({"(1, 2)": 1, "x": 1}, StatesOfBelief(None, {"(1, 2)": 0.5, "x": 0.5}, True)),
        (["a"] * 1_000, StatesOfBelief(1_000, {"a": 1.0}, True)),
        ({str(i): 1 for i in range(8)}, StatesOfBelief(None, dict.fromkeys("012345", 0.12), False)),
        ("perhaps left", None),
        ([], None),
        ([i / 50 for i in range(51)], None),
    ],
)
def test_summaries_of_beliefs_are_read(belief: object, states: StatesOfBelief | None) -> None:
    assert states_of(belief_of(belief).text) == states
