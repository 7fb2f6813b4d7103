"""Rollouts that leave out the reward of their last move."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest

import mcts_viz as mv
from tests.variants import few

WIDE, GAMMA = 4, 0.95
MOVES = ((0, 1), (1, 0), (0, -1), (-1, 0))


class Place:
    def __init__(self, at: tuple[int, int], parent: Place | None = None, move: int = -1) -> None:
        self.at, self.parent, self.move, self.children = at, parent, move, list[Place]()
        self.untried = [] if at == (WIDE - 1, WIDE - 1) else moves(at)
        self.reward, self.visits, self.value = 0.0, 0, 0.0


def moves(at: tuple[int, int]) -> list[int]:
    return [i for i, (x, y) in enumerate(MOVES) if 0 <= at[0] + x < WIDE and 0 <= at[1] + y < WIDE]


class Field:
    """From one corner of a field to the other; each move costs, and the last one brings a prize."""

    cost = 0.02

    def __init__(self, seed: int) -> None:
        self.random, self.root = random.Random(seed), Place((0, 0))

    def go(self, at: tuple[int, int], move: int) -> tuple[tuple[int, int], float, bool]:
        to = at[0] + MOVES[move][0], at[1] + MOVES[move][1]
        done = to == (WIDE - 1, WIDE - 1)
        return to, (1.0 if done else 0.0) - self.cost, done

    def rollout(self, at: tuple[int, int]) -> float:
        total, factor, done, n = 0.0, 1.0, not moves(at) or at == (WIDE - 1, WIDE - 1), 0
        while not done and n < 40:
            at, reward, done = self.go(at, self.random.choice(moves(at)))
            if done and self.leaves_out:
                break
            total, factor, n = total + factor * reward, factor * GAMMA, n + 1
        return total

    leaves_out = False

    def step(self) -> None:
        node = self.root
        while not node.untried and node.children:
            log = math.log(node.visits)
            node = max(
                node.children,
                key=lambda each: each.value / each.visits + 2 * math.sqrt(log / each.visits),
            )
        if node.untried:
            move = node.untried.pop(self.random.randrange(len(node.untried)))
            to, reward, _ = self.go(node.at, move)
            node.children.append(Place(to, node, move))
            node = node.children[-1]
            node.reward = reward
        value, up = self.rollout(node.at), node
        while True:
            value = up.reward + GAMMA * value
            up.visits, up.value = up.visits + 1, up.value + value
            if up.parent is None:
                return
            up = up.parent


class LeavesOut(Field):
    """A mistake: `if done: break` before the reward is added."""

    leaves_out = True


class Free(LeavesOut):
    """The same where only the prize counts: rollouts bring 0 everywhere."""

    cost = 0.0


class NotSimulated(Field):
    def rollout(self, at: tuple[int, int]) -> float:
        return 0.0


def found(search: Field, **told: Any) -> list[mv.Finding]:
    with mv.record(
        root=search.root, children="children", visits="visits", value="value", action="move", reward="reward",
        players=("walker",), discount=GAMMA, step_rewards=True, value_range=(-1, 1), **told,
    ) as rec:  # fmt: skip
        for _ in rec.steps(search.step, 1_500):
            pass
    return [one for one in rec.trace.check() if one.check == "simulation-unfinished"]


@pytest.mark.parametrize("seed", few([1, 2, 3]))
def test_a_rollout_without_its_last_reward_is_named(seed: int) -> None:
    (one,) = found(LeavesOut(seed), state=lambda node: f"at {node.at}")
    assert one.severity == "warning"
    assert "leave out the reward of their last move" in one.message
    assert "breaks when the episode is done" in one.message


def test_a_few_such_leaves_are_a_note() -> None:
    """Without the texts of positions only leaves with an end among their children are right above one."""
    (one,) = found(LeavesOut(1))
    assert one.severity == "note"


@pytest.mark.parametrize("kind", [Free, NotSimulated])
def test_where_all_leaves_are_worth_nothing_it_is_a_note(kind: type[Field]) -> None:
    """Whether they are simulated is not known then."""
    (one,) = found(kind(1), state=lambda node: f"at {node.at}")
    assert one.severity == "note"
    assert "Right where leaves are not simulated" in one.message


@pytest.mark.parametrize("seed", few([1, 2, 3]))
@pytest.mark.parametrize("told", [{}, {"state": lambda node: f"at {node.at}"}])
def test_rollouts_with_their_last_reward_are_right(seed: int, told: dict[str, Any]) -> None:
    assert found(Field(seed), **told) == []
