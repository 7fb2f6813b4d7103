"""Ends of episodes whose evaluation is the reward of the move into them, which back-up adds, too."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field
from typing import Any

import pytest

import mcts_viz as mv
from tests.variants import few

GAMMA = 0.9
GRID = ("S..#g", ".#...", "...#.", ".#..G")
MOVES = {"N": (-1, 0), "S": (1, 0), "W": (0, -1), "E": (0, 1)}
PAY = {"g": 3.0, "G": 8.0}
Cell = tuple[int, int]


@dataclass
class Node:
    """`value` is a sum or a mean, as the search has it."""

    cell: Cell = (0, 0)
    depth: int = 0
    reward: float = 0.0
    done: bool = False
    visits: int = 0
    value: float = 0.0
    children: dict[str, Node] = field(default_factory=dict)


def moved(cell: Cell, move: str) -> Cell:
    row, column = cell[0] + MOVES[move][0], cell[1] + MOVES[move][1]
    inside = 0 <= row < len(GRID) and 0 <= column < len(GRID[0])
    return (row, column) if inside and GRID[row][column] != "#" else cell


class Digger:
    """Treasures in a grid. A node's value has the reward of the move into it (`with_own`), or what comes after."""

    def __init__(
        self, mistake: str, of_mean: bool, with_own: bool, seed: int, horizon: int = 20,
        cost: float = 0.1, gamma: float = GAMMA,
    ) -> None:  # fmt: skip
        self.mistake, self.of_mean, self.with_own = mistake, of_mean, with_own
        self.random, self.root = random.Random(seed), Node()
        self.horizon, self.cost, self.gamma = horizon, cost, gamma

    def world(self, cell: Cell, move: str) -> tuple[Cell, float, bool]:
        there = moved(cell, move)
        pay = PAY.get(GRID[there[0]][there[1]], 0.0)
        return there, pay - self.cost, pay > 0

    def step(self) -> None:
        node, path = self.root, [self.root]
        while not node.done and node.depth < self.horizon:
            free = [move for move in MOVES if move not in node.children]
            move = self.random.choice(free) if free else self.best(node)
            if free:
                cell, reward, done = self.world(node.cell, move)
                node.children[move] = Node(cell, node.depth + 1, reward, done)
            node = node.children[move]
            path.append(node)
            if free:
                break
        self.back_up(path)

    def back_up(self, path: list[Node]) -> None:
        rest = self.evaluate(path[-1])
        below = 0.0
        for place, node in enumerate(reversed(path)):
            if self.with_own:
                rest = node.reward + self.gamma * rest
            elif place:
                rest = below + self.gamma * rest
            below = node.reward
            node.visits += 1
            node.value += (rest - node.value) / node.visits if self.of_mean else rest

    def evaluate(self, node: Node) -> float:
        if self.mistake == "everywhere":
            return node.reward
        if node.done:
            return node.reward if self.mistake == "paid twice" else 0.0
        if self.mistake == "constant":
            return -self.cost
        cell, total, factor = node.cell, 0.0, 1.0
        for _ in range(self.horizon - node.depth):
            cell, reward, done = self.world(cell, self.random.choice("NSWE"))
            total += factor * reward
            factor *= self.gamma
            if done:
                break
        return total

    def best(self, node: Node) -> str:
        def score(move: str) -> float:
            child = node.children[move]
            mean = child.value if self.of_mean else child.value / child.visits
            if not self.with_own:
                mean = child.reward + self.gamma * mean
            return mean + 4 * math.sqrt(math.log(node.visits) / child.visits)

        return max(node.children, key=score)


def findings(search: Digger, steps: int = 1_500, **told: Any) -> list[mv.Finding]:
    kind = "mean" if search.of_mean else "sum"
    with mv.record(
        root=search.root, children="children", visits="visits", value="value", value_kind=kind,
        action=lambda node: None, reward="reward", players=("digger",),
        **{"value_range": (-2, 8), "discount": search.gamma, "step_rewards": True, **told},
    ) as rec:  # fmt: skip
        for _ in rec.steps(search.step, steps):
            pass
    return [one for one in rec.trace.check() if one.check.startswith(("value-", "simulation-"))]


OF_MEAN = pytest.mark.parametrize("of_mean", [False, True], ids=["sum", "mean"])
WITH_OWN = pytest.mark.parametrize("with_own", [False, True], ids=["next reward", "own reward"])


@OF_MEAN
@WITH_OWN
@pytest.mark.parametrize("seed", few([1, 2]))
def test_a_last_reward_that_counts_twice_is_named(seed: int, with_own: bool, of_mean: bool) -> None:
    """Values outside their range are what follows from it, and no other kind of back-up."""
    (one,) = findings(Digger("paid twice", of_mean, with_own, seed))
    assert (one.check, one.severity) == ("value-reward", "error")
    assert "the last reward of an episode counts twice" in one.message
    assert one.evidence["times"] == one.evidence["of"]


@OF_MEAN
@WITH_OWN
def test_it_is_named_without_a_discount(with_own: bool, of_mean: bool) -> None:
    (one,) = findings(Digger("paid twice", of_mean, with_own, 1, gamma=1.0), value_range=(-20, 20))
    assert "the last reward of an episode counts twice" in one.message


@OF_MEAN
@WITH_OWN
@pytest.mark.parametrize("seed", few([1, 2]))
@pytest.mark.parametrize("horizon", few([7, 20]))
@pytest.mark.parametrize("mistake", ["", "constant"])
def test_ends_that_are_worth_nothing_more_are_right(
    mistake: str, horizon: int, seed: int, with_own: bool, of_mean: bool
) -> None:
    """So are leaves at the horizon that are worth as much as the move into them."""
    assert findings(Digger(mistake, of_mean, with_own, seed, horizon)) == []


class LostLeaf(Digger):
    """Each node adds its own reward on the way up, after it went on to it: the leaf's is lost."""

    def back_up(self, path: list[Node]) -> None:
        rest = self.evaluate(path[-1])
        for place in range(len(path) - 1, -1, -1):
            path[place].visits += 1
            path[place].value += rest
            rest = path[place - 1].reward + self.gamma * rest


@pytest.mark.parametrize("seed", few([1, 2]))
def test_the_reward_of_a_leaf_that_is_lost_is_named(seed: int) -> None:
    # the reward comes beside the value again where moves are compared
    (one,) = findings(LostLeaf("", False, False, seed, gamma=0.95))
    assert (one.check, one.severity) == ("value-reward", "error")
    assert "the reward of the leaf is lost" in one.message


@WITH_OWN
def test_a_reward_as_the_evaluation_of_all_leaves_says_nothing_of_ends(with_own: bool) -> None:
    found = findings(Digger("everywhere", False, with_own, 1), value_range=(-20, 20))
    assert not any("the last reward" in one.message for one in found)


def test_means_of_returns_outside_the_range_are_no_other_back_up() -> None:
    (one,) = findings(Digger("", True, True, 1), value_range=(-2, 0))
    assert (one.check, one.severity) == ("value-out-of-range", "error")


class Choices(Digger):
    """Four moves, each of which brings the same wherever it is made: the last one, too."""

    def __init__(self, mistake: str, seed: int = 1) -> None:
        super().__init__(mistake, False, True, seed, horizon=4)

    def world(self, cell: Cell, move: str) -> tuple[Cell, float, bool]:
        return cell, {"N": 1.0, "S": 2.0, "W": 3.0, "E": 0.5}[move], False

    def evaluate(self, node: Node) -> float:
        if self.mistake == "everywhere" or (node.depth == self.horizon and self.mistake):
            return node.reward
        return super().evaluate(node)


@pytest.mark.parametrize("seed", few([1, 2]))
def test_several_last_rewards_that_other_moves_bring_too_tell_it(seed: int) -> None:
    told: dict[str, Any] = {"value_range": (0, 12)}
    (one,) = findings(Choices("paid twice", seed), **told)
    assert "the last reward of an episode counts twice" in one.message
    assert findings(Choices("", seed), **told) == []
    assert not any(
        "the last" in one.message for one in findings(Choices("everywhere", seed), **told)
    )


class Weighted(Digger):
    """What a node gets is some times the reward, and some times what comes after it."""

    def back_up(self, path: list[Node]) -> None:
        of_reward = {"discount at the reward": GAMMA, "half": 0.5}.get(self.mistake, 1.0)
        of_rest = 1.0 if self.mistake == "discount at the reward" else GAMMA
        rest, below = self.evaluate(path[-1]), 0.0
        for place, node in enumerate(reversed(path)):
            is_new = self.mistake == "new not discounted" and place == 1 and path[-1].visits == 1
            if self.with_own or place:
                reward = node.reward if self.with_own else below
                rest = of_reward * reward + (1.0 if is_new else of_rest) * rest
            below = node.reward
            node.visits += 1
            node.value += rest


@pytest.mark.parametrize(
    ("mistake", "with_own", "words"),
    [
        ("discount at the reward", False, "the discount stands at the reward"),
        ("discount at the reward", True, "with the node's own reward"),
        ("new not discounted", False, "is not discounted at its first visit, and is at all later"),
        ("half", False, "Δnode = 0.5·reward + 0.9·Δchild"),
        ("half", True, "Δnode = 0.5·the node's own reward + 0.9·Δchild"),
        ("", False, ""),
        ("", True, ""),
    ],
)
def test_weights_of_reward_and_of_what_comes_after_it_are_named(
    mistake: str, with_own: bool, words: str
) -> None:
    found = findings(Weighted(mistake, False, with_own, 1), value_range=(-10, 10))
    assert [one.check for one in found] == ["value-reward"] * bool(mistake)
    assert all(words in one.message for one in found)


class LastLost(Digger):
    """A step that ends the episode returns 0 in place of its reward."""

    def back_up(self, path: list[Node]) -> None:
        rest, below = self.evaluate(path[-1]), 0.0
        for place, node in enumerate(reversed(path)):
            if place:
                reward = 0.0 if place == 1 and path[-1].done else below
                rest = reward + self.gamma * rest
            below = node.reward
            node.visits += 1
            node.value += rest


def test_a_last_reward_that_is_left_out_is_named() -> None:
    (one,) = findings(LastLost("", False, False, 1))
    assert (one.check, one.severity) == ("value-reward", "error")
    assert "the reward of the move into the end of an episode is left out" in one.message


@pytest.mark.thorough
@OF_MEAN
def test_returns_that_are_not_discounted_leave_the_range_and_are_no_other_back_up(
    of_mean: bool,
) -> None:
    search = Digger("", of_mean, False, 1, gamma=1.0)
    (one,) = findings(search, value_range=(-2, 1), discount=0.9)
    assert (one.check, one.severity) == ("value-reward", "error")
    assert "values are not discounted" in one.message
