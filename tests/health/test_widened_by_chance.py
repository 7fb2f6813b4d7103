"""Actions whose outcome chance decides (double progressive widening, Couëtoux et al. 2011), finished games that count
as draws, and rules of one's own, with little told."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field
from typing import Any

import pytest

import mcts_viz as mv
from tests.variants import few

DISCOUNT, DEEPEST = 0.9, 4


@dataclass
class Node:
    """A state, or an action whose outcome chance decides."""

    place: float
    move: float = 0.0
    is_chance: bool = False
    reward: float | None = None  # on the way to a state
    visits: int = 0
    value: float = 0.0
    children: list[Node] = field(default_factory=list)


class Widening:
    """A point on a line is moved by actions that come out a little off; near 0.7 is best."""

    def __init__(self, seed: int, q: str = "right") -> None:
        self.random, self.q, self.root = random.Random(seed), q, Node(0.1)

    def reward(self, place: float, move: float) -> float:
        return 1.0 - abs(place - 0.7) - 0.2 * abs(move)

    def step(self) -> None:
        self.simulate(self.root, 0)

    def score(self, state: Node, action: Node) -> float:
        if not action.visits:
            return math.inf
        mean = action.value / action.visits * (DISCOUNT if self.q == "discounted" else 1.0)
        return mean + math.sqrt(math.log(state.visits) / action.visits)

    def simulate(self, state: Node, depth: int) -> float:
        if depth == DEEPEST:
            state.visits += 1
            return 0.0
        if len(state.children) <= 2 * state.visits**0.4:
            move = self.random.uniform(-0.4, 0.4)
            state.children.append(Node(state.place, move, True))
            action = state.children[-1]
        else:
            action = max(state.children, key=lambda each: self.score(state, each))
        if len(action.children) <= 1.5 * action.visits**0.35:
            place = min(1.0, max(0.0, state.place + action.move + self.random.gauss(0, 0.05)))
            action.children.append(Node(place, place, reward=self.reward(state.place, action.move)))
            after = action.children[-1]
            after.visits, after.value = 1, self.random.random()
            rest = after.value
        else:
            after = self.random.choice(action.children)
            rest = self.simulate(after, depth + 1)
        total = self.reward(state.place, action.move) + DISCOUNT * rest
        for node in (action, state):
            node.visits += 1
            node.value += total
        return total


def of_widening(seed: int, q: str = "right", **told: Any) -> list[mv.Finding]:
    search = Widening(seed, q)
    with mv.record(
        root=search.root, children="children", visits="visits", value="value", action="move",
        chance="is_chance", reward=told.pop("reward", "reward"), players=("agent",), value_range=(0, 4),
        discount=DISCOUNT, step_rewards=True, **told,
    ) as rec:  # fmt: skip
        for _ in rec.steps(search.step, 500):
            pass
    return [*rec.trace.check()]


@pytest.mark.parametrize("seed", few([1, 2]))
@pytest.mark.parametrize("told", [{}, {"selection": "ucb1", "c": 1.0}])
def test_outcomes_of_chance_that_are_drawn_again_are_a_note(
    seed: int, told: dict[str, Any]
) -> None:
    """The edges of the line are reached again and again; an action's mean has its reward and the discount."""
    findings = of_widening(seed, **told)
    assert not [one for one in findings if one.severity != "note"]
    (twice,) = (one for one in findings if one.check == "expansion-duplicate")
    assert "chance has two children" in twice.message


def test_actions_whose_rewards_are_all_0_are_actions_without() -> None:
    told = {"selection": "ucb1", "c": 1.0, "reward": lambda node: node.reward or 0.0}
    assert not [one for one in of_widening(1, **told) if one.severity != "note"]


def test_a_discount_that_counts_twice_is_named() -> None:
    checks = {
        one.check
        for one in of_widening(1, "discounted", selection="ucb1", c=1.0)
        if one.severity == "error"
    }
    assert checks & {"selection-not-declared", "selection-unexplained", "selection-other-value"}


class Sticks:
    """Who takes the last of eight sticks, one to three at a time, has won. UCT."""

    def __init__(self, seed: int, as_draws: bool) -> None:
        self.random, self.as_draws = random.Random(seed), as_draws
        self.root: dict[str, Any] = self.node(8, 0)

    def node(self, sticks: int, player: int) -> dict[str, Any]:
        result = None if sticks else (1.0 if player == 1 else -1.0)  # view of player 0
        return {
            "sticks": sticks,
            "player": player,
            "result": result,
            "n": 0,
            "w": 0.0,
            "children": {},
        }

    def step(self) -> None:
        path = [self.root]
        while path[-1]["result"] is None:
            node = path[-1]
            moves = range(1, min(3, node["sticks"]) + 1)
            untried = [move for move in moves if move not in node["children"]]
            if untried:
                move = self.random.choice(untried)
                node["children"][move] = self.node(node["sticks"] - move, 1 - node["player"])
                path.append(node["children"][move])
                break
            log = math.log(node["n"])
            path.append(
                max(
                    node["children"].values(),
                    key=lambda child: child["w"] / child["n"] + math.sqrt(2 * log / child["n"]),
                )
            )
        result = path[-1]["result"]
        if result is not None:
            result = 0.0 if self.as_draws else result
        else:
            sticks, player = path[-1]["sticks"], path[-1]["player"]
            while sticks:
                sticks -= self.random.randint(1, min(3, sticks))
                player = 1 - player
            result = 1.0 if player == 1 else -1.0
        for node in path:
            node["n"] += 1
            node["w"] += result if node["player"] == 1 else -result


@pytest.mark.parametrize("seed", few([1, 2]))
@pytest.mark.parametrize("as_draws", [False, True])
def test_finished_games_that_count_as_draws_are_named_without_rules(
    seed: int, as_draws: bool
) -> None:
    search = Sticks(seed, as_draws)
    with mv.record(
        root=search.root, children="children", visits="n", value="w", to_move="player", outcome="result",
        value_range=(-1, 1),
    ) as rec:  # fmt: skip
        for _ in rec.steps(search.step, 600):
            pass
    errors = {one.check: one for one in rec.trace.check() if one.severity != "note"}
    assert set(errors) == ({"simulation-terminal"} if as_draws else set())
    if as_draws:
        assert "finished games count as draws" in errors["simulation-terminal"].message


class Bonus:
    """One player, three moves at each of six steps; UCB1 and a bonus that is nowhere recorded, drawn where it ties."""

    def __init__(self, seed: int) -> None:
        self.random, self.root = random.Random(seed), Node(0.0)

    def step(self) -> None:
        path = [self.root]
        while len(path) < 7 and len(path[-1].children) == 3:
            node = path[-1]
            weights = [child.visits + 1 for child in node.children]
            path.append(self.random.choices(node.children, weights)[0])
        if len(path) < 7:
            path[-1].children.append(Node(0.0, len(path[-1].children)))
            path.append(path[-1].children[-1])
        value = min(1.0, max(0.0, sum(node.move for node in path) / 18 + self.random.gauss(0, 0.1)))
        for node in path:
            node.visits += 1
            node.value += value


@pytest.mark.parametrize("told", [{}, {"selection": "ucb1", "c": 1.0}])
def test_draws_are_a_note_where_no_rule_is_declared(told: dict[str, Any]) -> None:
    search = Bonus(3)
    with mv.record(
        root=search.root, children="children", visits="visits", value="value", action="move",
        players=("agent",), value_range=(0, 1), **told,
    ) as rec:  # fmt: skip
        for _ in rec.steps(search.step, 700):
            pass
    (one,) = (one for one in rec.trace.check() if one.check == "selection-random")
    assert (one.severity == "note") == (not told)
    assert told or "say which it is by selection=" in one.message
